"""Storage: what runs and keeps units of work, on SQLite and on PostgreSQL."""
