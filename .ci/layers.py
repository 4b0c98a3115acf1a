"""The picture of the layers in `docs/architecture.md`, made from the imports.

With `--check` nothing is written, and the exit status is 1 when the picture is out of date.

A folder of the core stands in the lowest layer above all folders that it imports from, so an import always points downward.
All imports count, those inside functions and those for types only. The hosts stand above the core.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
PAGE: Final = ROOT / "docs" / "architecture.md"
FIRST: Final = "<!-- layers: made by .ci/layers.py -->\n"
LAST: Final = "<!-- end of layers -->\n"
PACKAGES: Final = ("livecore", "livecore_server", "livecore_client", "examples")
_HOSTS: Final = ("livecore_server", "livecore_client", "examples")
_WIDTH: Final = 52
_ABOUT: Final = {
    "livecore.simulation": "virtual players; tests of a game team",
    "livecore.world": "a game in memory, for tests and simulations",
    "livecore.surfaces": "typed methods of each surface",
    "livecore.testing": "for a game team's tests",
    "livecore.rehearsal": "receivers on trial; simulated seasons",
    "livecore.api": "operations as data; request -> response",
    "livecore.player_tools": "merge, erase, export, migrate",
    "livecore.lobbies": "formats: ways to play an event",
    "livecore.events": "windows, attempts, progress",
    "livecore.leaderboards": "boards, periods, ranks",
    "livecore.commerce": "purchases; friends and gifts",
    "livecore.economy": "wallet, inventory, ledgers, grants, crates",
    "livecore.players": "who plays",
    "livecore.access": "keys and members; webhooks; errors",
    "livecore.kernel": "storage port, unit of work, wire",
}
"""What is said of a layer: that of the first folder in it that is named here."""


def folder_of(dotted: str) -> str | None:
    """The folder that a module belongs to: a package of a host, or a folder of the core."""
    parts = dotted.split(".")
    if parts[0] not in PACKAGES:
        return None
    if parts[0] != "livecore":
        return parts[0]
    return ".".join(parts[:2]) if (ROOT / "/".join(parts[:2])).is_dir() else None


def imported(path: Path) -> Iterable[str]:
    """Every module that a file names in an import."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def graph() -> dict[str, set[str]]:
    """The folders, and which others each imports from."""
    found: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            own = folder_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
            if own is not None:
                others = {folder for name in imported(path) if (folder := folder_of(name)) is not None}
                found.setdefault(own, set()).update(others - {own})
    return found


def layers(imports: Mapping[str, set[str]]) -> list[list[str]]:
    """The folders of the core from the top layer to the lowest, below the hosts.

    Raises `ValueError` where imports run in a circle, and where the core imports from a host.
    """
    left = {folder: others for folder, others in imports.items() if folder.startswith("livecore.")}
    if hosts := {other for others in left.values() for other in others if not other.startswith("livecore.")}:
        raise ValueError(f"the core imports from {', '.join(sorted(hosts))}")
    made: list[list[str]] = []
    done: set[str] = set()
    while left:
        ready = sorted(folder for folder, others in left.items() if others <= done)
        if not ready:
            raise ValueError(f"imports run in a circle among {', '.join(sorted(left))}")
        made.append(ready)
        done.update(ready)
        left = {folder: others for folder, others in left.items() if folder not in done}
    return made[::-1]


def picture(made: list[list[str]]) -> str:
    """The layers as text, one line each, with what the layer is for."""
    lines = [f"{'   '.join(_HOSTS):<{_WIDTH}}hosts: all I/O is here"]
    for layer in made:
        names = "   ".join(name.removeprefix("livecore.") for name in layer)
        lines.append(f"{names:<{_WIDTH}}{next((_ABOUT[name] for name in layer if name in _ABOUT), '')}".rstrip())
    return "```text\n" + "\n".join(lines) + "\n```\n"


def main() -> None:
    """Write the page, or compare it with `--check`."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(FIRST)
    _, _, after = rest.partition(LAST)
    current = f"{before}{FIRST}\n{picture(layers(graph()))}\n{LAST}{after}"
    if "--check" not in sys.argv:
        PAGE.write_text(current, "utf-8")
    elif current != text:
        sys.exit("docs/architecture.md does not show the layers as they are: `nox -s generated -- --write`")


if __name__ == "__main__":
    main()
