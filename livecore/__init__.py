"""Live operations for games: the rules, with no I/O. Hosts hand in time, entropy and storage."""
