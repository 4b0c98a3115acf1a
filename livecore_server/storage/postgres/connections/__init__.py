"""Connections to PostgreSQL: one, a pool of them, and how a unit of work waits for one."""
