"""Events that players take part in: their windows, attempts, progress and rewards."""
