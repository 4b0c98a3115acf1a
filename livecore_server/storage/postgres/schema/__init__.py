"""The schema of a database: how it grows, and its migrations."""
