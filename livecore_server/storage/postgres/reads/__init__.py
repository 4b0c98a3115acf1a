"""What a transaction has read, and what a unit is expected to read."""
