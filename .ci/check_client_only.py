"""Run inside an environment that has only `livecore[client]`: the client must import, and nothing of the server be there.

A game client ships to players' machines and a studio's backend has dependencies of its own, so what the server needs may
neither be installed by the client extra nor be imported by the client package.
"""

from __future__ import annotations

import importlib
import re
import sys
from importlib.metadata import distributions, requires


def _normal(name: str) -> str:
    """A distribution's name in the one spelling that counts (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _server_requirements() -> set[str]:
    """The distributions that the extras `server` and `postgres` name, as the installed metadata says."""
    lines = [line for line in requires("livecore") or [] if re.search(r"extra == ['\"](server|postgres)['\"]", line)]
    names = (re.match(r"[A-Za-z0-9._-]+", line) for line in lines)
    return {_normal(name.group()) for name in names if name} - {"livecore"}


def _breaches() -> list[str]:
    """What contradicts the promise, one sentence each."""
    forbidden = _server_requirements()
    if not forbidden:
        return ["the metadata names no server requirement, so this check proves nothing"]
    installed = {_normal(distribution.name) for distribution in distributions()}
    found = [f"{name} is installed" for name in sorted(forbidden & installed)]
    importlib.import_module("livecore_client")
    if any(name.partition(".")[0] == "livecore_server" for name in sys.modules):
        found.append("livecore_client imports livecore_server")
    return found


def main() -> int:
    """Return 0 when the promise holds, 1 and a line for each breach when it does not."""
    breaches = _breaches()
    for breach in breaches:
        print(breach)
    if not breaches:
        print("livecore[client] imports, without a server requirement")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
