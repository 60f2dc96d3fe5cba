"""What changes: one database, SQLite in a file or PostgreSQL."""
