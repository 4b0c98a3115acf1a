"""The first minute with a server, to be pasted into a shell: two players meet, give a gift, and play in an event.

The commands are in `walkthrough.sh`. They need curl and a POSIX shell and no JSON tool: answers are one line each, so `sed`
finds a field. Player names carry the time, so that pasting it again works as well. The three variables are those that the
clients read, so that the examples of the pages run in the same shell. There are no comments among the commands, because an
interactive zsh would run them.
"""

from __future__ import annotations

from importlib import resources
from typing import Final

__all__ = ["END", "START", "walkthrough"]

START: Final = "---- paste from the next line ----"
END: Final = "---- to the line before ----"
_WHERE: Final = "these players are there under Demo, Test."


def walkthrough(address: str, client_key: str, server_key: str) -> str:
    """The text to show, with two lines that say what to copy."""
    commands = resources.files("livecore_server.cli").joinpath("walkthrough.sh").read_text("utf-8")
    given = {"LIVECORE_BASE_URL": address, "LIVECORE_API_KEY": client_key, "LIVECORE_SERVER_KEY": server_key}
    exports = "".join(f"export {name}={value}\n" for name, value in given.items())
    paste = f"Paste this into another terminal:\n\n{START}\n{exports}{commands}{END}\n"
    return f"Livecore is up at {address}. {paste}\nThe sign-in link below opens the operator portal: {_WHERE}\n"
