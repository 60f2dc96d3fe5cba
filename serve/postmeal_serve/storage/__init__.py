"""Database access for SQLite and PostgreSQL."""
