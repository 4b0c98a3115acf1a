"""Players: registration and secrets, identity, country, sessions and streaks, presence."""
