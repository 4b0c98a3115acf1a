"""The first minute with a server, to be pasted into a shell: two players meet, give a gift, and play in an event.

The commands are in `walkthrough.sh` and, for Windows, in `walkthrough.ps1`. Those need curl and a POSIX shell and no JSON
tool: answers are one line each, so `sed` finds a field. These need PowerShell 5.1, which every Windows has, and show the
leaderboard once instead of its stream. Player names carry the time, so that pasting it again works as well. The three
variables are those that the clients read, so that the examples of the pages run in the same shell. There are no comments
among the commands, because an interactive zsh would run them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import resources
from typing import Final, Literal, TypeAlias

START: Final = "---- paste from the next line ----"
END: Final = "---- to the line before ----"
_WHERE: Final = "these players are there under Demo, Test."
_Shell: TypeAlias = Literal["sh", "ps1"]
"""A POSIX shell, or PowerShell; the ending of the file with the commands."""
_ANOTHER: Final = {"sh": "another terminal", "ps1": "another window of PowerShell"}
_EXPORT: Final = {"sh": "export {name}={value}\n", "ps1": "$env:{name} = '{value}'\n"}


def usual_shell(environment: Mapping[str, str]) -> _Shell:
    """The shell into which a person here pastes: PowerShell on Windows, if the server was not started from Git Bash."""
    return "ps1" if sys.platform == "win32" and "MSYSTEM" not in environment else "sh"


def walkthrough(address: str, client_key: str, server_key: str, shell: _Shell = "sh") -> str:
    """The text to show, with two lines that say what to copy."""
    commands = resources.files("livecore_server.cli").joinpath(f"walkthrough.{shell}").read_text("utf-8")
    given = {"LIVECORE_BASE_URL": address, "LIVECORE_API_KEY": client_key, "LIVECORE_SERVER_KEY": server_key}
    exports = "".join(_EXPORT[shell].format(name=name, value=value) for name, value in given.items())
    paste = f"Paste this into {_ANOTHER[shell]}:\n\n{START}\n{exports}{commands}{END}\n"
    return f"Livecore is up at {address}. {paste}\nThe sign-in link below opens the operator portal: {_WHERE}\n"
