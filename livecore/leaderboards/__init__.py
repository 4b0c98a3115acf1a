"""Leaderboards: their entries, ranks, periods and divisions."""
