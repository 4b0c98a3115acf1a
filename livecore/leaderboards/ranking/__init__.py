"""Rankings in memory: exact ranks of large boards, kept current by notices."""
