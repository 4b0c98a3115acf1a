"""Every name of the standard library that the three packages use is there on Windows and macOS, or its use says where it is.

The names are read from syntax trees: what is imported, what is taken from `os`, `signal`, `socket`, `select`, `asyncio` and
`time`, the methods of event loops, the keywords of new processes, and paths that only one system has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import attrs
import pytest

from tests.portability.systems import KEYWORDS, LACKS, LOOP_METHODS, System

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("livecore", "livecore_client", "livecore_server")
WATCHING = ("loop.add_reader", "loop.remove_reader", "loop.add_writer", "loop.remove_writer")
ONLY_THERE: Mapping[System, Mapping[str, tuple[str, ...]]] = {
    "windows": {
        # Several processes: `serve` refuses --workers above 1 there, and imports none of it.
        "livecore_server/workers/": ("",),
        # With PostgreSQL, `new_loop` makes a loop that watches sockets.
        "livecore_server/storage/postgres/connections/connection.py": WATCHING,
        # Where the loop is one that watches sockets.
        "livecore_server/signals.py": WATCHING[:2],
    },
    "macos": {},
}
"""By file or folder, the beginnings of names that are used there on other systems or in another way, with the reason."""
FOLDERS = {"windows": ("/dev/", "/proc/", "/tmp", "/var/", "/etc/"), "macos": ("/dev/shm", "/proc/")}  # noqa: S108 - searched for
"""Beginnings of paths that a system does not have."""


@attrs.frozen
class Use:
    """A name that a file uses, and whether the code around it asks for the system or for the name."""

    line: int
    name: str
    asked: bool


def files() -> list[Path]:
    """The files of the three packages."""
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


@cache
def some_name(system: System) -> re.Pattern[str]:
    """Finds, much sooner than a syntax tree, whether a file may use something at all."""
    names = [name for lacking in LACKS[system].values() for name in lacking]
    words = rf"\b(?:{'|'.join([*names, *LOOP_METHODS[system], *KEYWORDS[system]])})\b"
    return re.compile("|".join([words, *FOLDERS[system]]))


def uses_in(path: Path, system: System) -> list[Use]:
    """What one file uses of that which a system lacks."""
    text = path.read_text("utf-8")
    return list(uses(ast.parse(text), system)) if some_name(system).search(text) else []


def uses(module: ast.Module, system: System) -> Iterator[Use]:
    """What a file uses of that which a system lacks."""
    modules = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in LACKS[system]
    }
    for node, asked in nodes(module):
        for name in lacking(node, modules, system):
            yield Use(getattr(node, "lineno", 0), name, asked)


def lacking(node: ast.AST, modules: Mapping[str, str], system: System) -> Iterator[str]:
    """The names in one node, without its children."""
    lacks = LACKS[system]
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name.partition(".")[0] in lacks[""])
    elif isinstance(node, ast.ImportFrom) and node.module is not None:
        if node.module.partition(".")[0] in lacks[""]:
            yield node.module
        named = lacks.get(node.module, frozenset())
        yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name in named)
    elif isinstance(node, ast.Attribute):
        module = modules.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if module is not None and node.attr in lacks[module]:
            yield f"{module}.{node.attr}"
        elif node.attr in LOOP_METHODS[system]:
            yield f"loop.{node.attr}"
    elif isinstance(node, ast.keyword) and node.arg in KEYWORDS[system]:
        yield f"{node.arg}="
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(FOLDERS[system]):
        yield repr(node.value)


def nodes(parent: ast.AST, *, asked: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Every node below one, and whether a condition around it asks for the system or for a name; docstrings are left out."""
    below: list[tuple[ast.AST, bool]] = []
    for field, value in ast.iter_fields(parent):
        children = [child for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST)]
        inside = asked or (field in {"body", "orelse"} and isinstance(parent, ast.If | ast.IfExp) and asks(parent.test))
        for child in children:
            below.append((child, inside))
            if field == "body" and isinstance(child, ast.If) and asks(child.test) and ends(child):
                asked = inside = True  # what follows is the other systems'
    for child, inside in below:
        if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield child, inside
            yield from nodes(child, asked=inside)


def asks(test: ast.expr) -> bool:
    """Whether a condition depends on the system, or on whether a name is there."""
    text = ast.unparse(test)
    return any(word in text for word in ("sys.platform", "os.name", "hasattr("))


def ends(branch: ast.If) -> bool:
    """Whether a branch leaves the function or the module."""
    return isinstance(branch.body[-1], ast.Return | ast.Raise)


def breaches(system: System) -> list[str]:
    """Each use of something that the system lacks, where nothing asks for the system, as file, line and name."""
    found = []
    for path in files():
        name = path.relative_to(ROOT).as_posix()
        held = [names for place, names in ONLY_THERE[system].items() if name.startswith(place)]
        allowed = tuple(beginning for names in held for beginning in names)
        open_uses = [use for use in uses_in(path, system) if not use.asked and not use.name.startswith(allowed)]
        found += [f"{name}:{use.line} {use.name}" for use in open_uses]
    return found


@pytest.mark.parametrize("system", ["windows", "macos"])
def test_no_name_is_used_that_a_system_lacks(system: System) -> None:
    """Or the code asks for the system (`sys.platform`, `os.name`, `hasattr`), or the file is not used there."""
    found = breaches(system)
    assert not found, f"not there on {system}:\n" + "\n".join(found)


@pytest.mark.parametrize("system", ["windows", "macos"])
def test_what_is_left_out_is_there_and_needs_it(system: System) -> None:
    """A file that has gone, or that uses nothing which the system lacks, needs no exception."""
    for place in ONLY_THERE[system]:
        held = [path for path in files() if path.relative_to(ROOT).as_posix().startswith(place)]
        assert any(uses_in(path, system) for path in held), place


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import fcntl", ["fcntl"]),
        ("from fcntl import flock", ["fcntl"]),
        ("import os\nos.geteuid()", ["os.geteuid"]),
        ("import socket as s\ns.AF_UNIX", ["socket.AF_UNIX"]),
        ("from signal import SIGHUP", ["signal.SIGHUP"]),
        ("loop.add_signal_handler(1, f)", ["loop.add_signal_handler"]),
        ("start(a, pass_fds=[1])", ["pass_fds="]),
        ("Path('/dev/shm')", ["'/dev/shm'"]),
        ("import os, sys\nif sys.platform != 'win32':\n    os.geteuid()", []),
        ("import sys\ndef f():\n    if sys.platform == 'win32':\n        return\n    loop.add_reader(1, f)", []),
        ("import os\nx = os.O_CLOEXEC if hasattr(os, 'O_CLOEXEC') else 0", []),
        ("import os\nx = getattr(os, 'O_NOFOLLOW', 0)", []),
        ("import os\nif x:\n    os.getuid()", ["os.getuid"]),
    ],
)
def test_the_reading_finds_each_kind_of_use(text: str, found: list[str]) -> None:
    """A reader that finds nothing would pass everything."""
    assert [use.name for use in uses(ast.parse(text), "windows") if not use.asked] == found
