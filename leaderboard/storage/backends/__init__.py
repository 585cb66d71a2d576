"""What is specific to SQLite and to PostgreSQL."""
