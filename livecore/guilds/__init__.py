"""Guilds: lasting groups of players, with roles, requests to join, and mutual help."""
