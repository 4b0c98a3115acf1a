"""The first minute with a server, to be pasted into a shell: two players meet, and one gives the other a gift.

The commands are in `walkthrough.sh`. They need curl and a POSIX shell and no JSON tool: answers are one line each, so `sed`
finds a field. Player names carry the time, so that pasting it again works as well. There are no comments among the commands,
because an interactive zsh would run them.
"""

from __future__ import annotations

from importlib import resources
from typing import Final

__all__ = ["END", "START", "walkthrough"]

START: Final = "---- paste from the next line ----"
END: Final = "---- to the line before ----"


def walkthrough(address: str, client_key: str, server_key: str) -> str:
    """The text to show, with two lines that say what to copy."""
    commands = resources.files("livecore_server.cli").joinpath("walkthrough.sh").read_text("utf-8")
    given = f"API={address}\nKEY={client_key}\nSTUDIO_KEY={server_key}\n"
    return f"Livecore is up at {address}. Paste this into another terminal:\n\n{START}\n{given}{commands}{END}\n"
