"""One test of many things: it looks at each of them, and fails once, with the name and the fault of each that has one.

What is asked of every operation takes a millisecond or less, and as a test of its own each would cost several times that.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def of_each(things: Iterable[T], name: Callable[[T], str] = attrgetter("id")) -> Callable[[Callable[[T], None]], Any]:
    """Make one test of a check of one thing, which must hold for each of `things`; `name` is what a failure calls one.

    A check that has nothing to look at fails as well.
    """
    every = list(things)

    def decorate(check: Callable[[T], None]) -> Callable[[], None]:
        def of_all() -> None:
            _require(check, every, name)

        # Not by `functools.wraps`: pytest would take the check's argument for a fixture.
        of_all.__name__, of_all.__qualname__ = check.__name__, check.__qualname__
        of_all.__doc__, of_all.__module__ = check.__doc__, check.__module__
        of_all.check = check  # type: ignore[attr-defined] # for a test that has one more thing to look at
        return of_all

    return decorate


def _require(check: Callable[[T], None], things: Sequence[T], name: Callable[[T], str]) -> None:
    assert things, "there is nothing to look at"
    faults: list[tuple[str, BaseException]] = []
    for thing in things:
        try:
            check(thing)
        except (Exception, pytest.fail.Exception) as fault:  # noqa: BLE001 - told below, with its traceback where it is the first
            faults.append((name(thing), fault))
    if faults:
        names = ", ".join(called for called, _ in faults)
        told = "\n\n".join(f"{called}: {_told(fault)}" for called, fault in faults)
        raise AssertionError(f"{len(faults)} of {len(things)} are at fault: {names}\n\n{told}") from faults[0][1]


def _told(fault: BaseException) -> str:
    """What a check has raised, and where."""
    place = traceback.extract_tb(fault.__traceback__)[-1]
    said = "".join(traceback.format_exception_only(fault)).strip()
    return f"{said}\n  {place.filename}:{place.lineno}: {place.line}"
