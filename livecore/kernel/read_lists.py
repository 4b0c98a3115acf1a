"""Lists of reads of several kinds, asked for in one call: `Transaction.read_all` for rows that have no common type."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, TypeVar, overload

from livecore.kernel.reads import Read
from livecore.kernel.store import Transaction

__all__ = ["read_lists"]

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


@overload
def read_lists(tx: Transaction, one: Iterable[Read[A]], two: Iterable[Read[B]], /) -> tuple[list[A], list[B]]: ...


@overload
def read_lists(
    tx: Transaction, one: Iterable[Read[A]], two: Iterable[Read[B]], three: Iterable[Read[C]], /
) -> tuple[list[A], list[B], list[C]]: ...


def read_lists(tx: Transaction, *lists: Iterable[Read[Any]]) -> tuple[list[Any], ...]:
    """What each of several lists of reads gives, in its order; a store that is far away is asked for all of them at once."""
    asked = [list(reads) for reads in lists]
    found = iter(tx.read_all(read for reads in asked for read in reads))
    return tuple(list(islice(found, len(reads))) for reads in asked)
