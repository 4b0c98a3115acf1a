"""Storage: runs units of work and stores their rows, on SQLite and on PostgreSQL."""
