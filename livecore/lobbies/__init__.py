"""Lobbies: small groups of players, and bots, who play an event against each other, and how such a session ends early."""
