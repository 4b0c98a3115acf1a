"""The command line. `main` is what the console script `livecore` calls."""

from livecore_server.cli.program import main

__all__ = ["main"]
