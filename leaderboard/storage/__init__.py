"""The database: its tables and migrations, and everything that reads and writes them."""
