"""The configuration of a game: its file, what stands against another one, how two differ, and its rows."""
