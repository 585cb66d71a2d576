"""The database: its tables, and everything that reads and writes them."""
