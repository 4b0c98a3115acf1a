"""The areas of the model. A new area is a new file here with an `AREA`; nothing else lists it."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from tests.laws.area import Area, Operation

__all__ = ["AREAS", "OPERATIONS"]


def _areas() -> dict[str, Area]:
    names = sorted(module.name for module in iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}").AREA for name in names}


AREAS: Final = _areas()
"""Every area by the name of its file."""
OPERATIONS: Final[dict[str, Operation]] = {
    operation.name: operation for area in AREAS.values() for operation in area.operations
}
"""Every operation that the model predicts."""
