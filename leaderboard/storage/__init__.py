"""The database: its tables, and the code that reads and writes them."""
