"""Database access: SQLite or PostgreSQL."""
