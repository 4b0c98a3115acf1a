"""Run in an environment that has one extra of the wheel and nothing else; its name is the argument, or none is given.

Every module that the extra promises must import, and nothing that another extra names may be installed. A game client
ships to players' machines, a server on SQLite has no use for PostgreSQL, and an environment with every extra shows neither.
"""

from __future__ import annotations

import importlib
import re
import sys
from importlib.metadata import distributions, requires
from importlib.util import find_spec
from pathlib import Path
from typing import Final

EXTRAS: Final = {"": set[str](), "client": set[str](), "server": set[str](), "postgres": {"server"}}
"""The extras that a user chooses from, each with those that it builds on."""
PACKAGES: Final = {
    "": "livecore",
    "client": "livecore_client",
    "server": "livecore_server",
    "postgres": "livecore_server",
}
OF_POSTGRES: Final = "livecore_server.storage.postgres"
OF_PYTEST: Final = "livecore.testing"
"""A plugin, which nobody imports but pytest; it is tried by a game's own tests."""


def _named_by(extra: str) -> set[str]:
    """The distributions that an extra names, as the installed metadata says, in the one spelling that counts (PEP 503)."""
    lines = [line for line in requires("livecore") or [] if re.search(rf"extra == ['\"]{extra}['\"]", line)]
    names = (re.match(r"[A-Za-z0-9._-]+", line) for line in lines)
    return {re.sub(r"[-_.]+", "-", name.group()).lower() for name in names if name} - {"livecore"}


def _installed_for_others(extra: str) -> list[str]:
    """What is installed and belongs to another extra."""
    own = {extra} | EXTRAS[extra]
    others = set().union(*(_named_by(each) for each in EXTRAS if each not in own)) - set().union(*map(_named_by, own))
    if not others:
        return ["the metadata names nothing that belongs to another extra, so this check proves nothing"]
    installed = {re.sub(r"[-_.]+", "-", distribution.name).lower() for distribution in distributions()}
    return [f"{name} is installed, which another extra names" for name in sorted(others & installed)]


def _modules(package: str) -> list[str]:
    """Every module of a package, from its files; one that runs a program when it is imported is none."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    found = [
        path.relative_to(folder.parent).with_suffix("") for path in folder.rglob("*.py") if path.stem != "__main__"
    ]
    return sorted(".".join(path.parts).removesuffix(".__init__") for path in found)


def _promised(extra: str) -> list[str]:
    """The modules that whoever installs the extra may import."""
    packages = dict.fromkeys(PACKAGES[each] for each in ("", *sorted(EXTRAS[extra]), extra))
    modules = [module for package in packages for module in _modules(package)]
    kept_back = [OF_PYTEST] if extra == "postgres" else [OF_PYTEST, OF_POSTGRES]
    return [module for module in modules if not any(f"{module}.".startswith(f"{name}.") for name in kept_back)]


def _not_importing(modules: list[str]) -> list[str]:
    """The modules that do not import, each with the reason."""
    failed = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError as error:
            failed.append(f"{module} does not import: {error}")
    return failed


def main(arguments: list[str]) -> int:
    """Return 0 when the promise holds, 1 and a line for each breach when it does not."""
    (extra,) = arguments or [""]
    modules = _promised(extra)
    breaches = _installed_for_others(extra) + _not_importing(modules)
    if PACKAGES[extra] != "livecore_server" and "livecore_server" in sys.modules:
        breaches.append("livecore_server is imported by what knows no server")
    for breach in breaches:
        print(breach)
    if not breaches:
        print(f"livecore[{extra}]: all {len(modules)} modules import, and nothing of another extra is installed")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
