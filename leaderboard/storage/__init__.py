"""The database: its tables, migrations, and everything that reads and writes them."""
