"""The one table of expectations: what the files in `operations` say, gathered.

A file more in that folder is found without a line elsewhere. It exports `AREA`, and has the name of its area.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, TypeVar

from tests.contract import expected
from tests.contract.expected import Area

V = TypeVar("V")
_FILES: Final = sorted((Path(__file__).parent / "operations").glob("*.py"))


def _area(name: str) -> Area:
    found = import_module(f"tests.contract.operations.{name}").AREA
    assert isinstance(found, Area)
    return found


def _joined(parts: Iterable[Mapping[str, V]]) -> dict[str, V]:
    """All of them in one, of which no two may say something about the same."""
    whole: dict[str, V] = {}
    for part in parts:
        assert not whole.keys() & part.keys(), f"said twice: {sorted(whole.keys() & part.keys())}"
        whole |= part
    return whole


AREAS: Final = {path.stem: _area(path.stem) for path in _FILES}
"""Each area's part of the table."""
ROUTES: Final = tuple(_joined({route.id: route} for area in AREAS.values() for route in area.routes).values())
"""Every operation."""
GUARDED: Final = tuple(route for route in ROUTES if route.credential not in {"none", "member"})
"""Those that ask for an API key; the clients have methods for them."""
OPERATED: Final = tuple(route for route in ROUTES if route.credential == "member")
"""Those of operators."""
ROWS: Final = _joined(area.rows for area in AREAS.values())
"""The objects inside answers."""
STATUS_OF: Final = _joined([expected.STATUS_OF, *(expected.statuses(area.refusals) for area in AREAS.values())])
"""The status of every code."""
THINGS: Final = _joined(area.things for area in AREAS.values())
"""What is in the scene of the authorization matrix, by the variable of a path that names it."""
OPERATED_THINGS: Final = {**THINGS, **_joined(area.operated for area in AREAS.values())}
"""What is in the scene of the operators' matrix."""
NAMES_NOBODY: Final = _joined(area.names_nobody for area in AREAS.values())
"""Texts of requests that are no place for a name."""
