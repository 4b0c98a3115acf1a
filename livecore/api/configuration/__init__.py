"""The configuration of a game: its file, what prevents another one, how two differ, and its rows."""
