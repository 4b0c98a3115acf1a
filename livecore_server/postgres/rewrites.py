"""Bulk writes as statements: one for each, however many rows it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import count
from typing import Any

from livecore.kernel.rewriting import Rewrite
from livecore.kernel.tables import Index
from livecore_server.layout import quoted
from livecore_server.postgres.text import parameter
from livecore_server.postgres.wire import Statement

__all__ = ["rewrite_statement"]


def rewrite_statement(scope: bytes, rewrite: Rewrite) -> Statement:
    """The statement that carries out a rewrite in the scope with this id."""
    prefix = (scope, *map(parameter, rewrite.prefix))
    if rewrite.values is None:
        return Statement(_clear_sql(rewrite.index), prefix)
    values = map(parameter, rewrite.values.values())
    return Statement(_rewrite_sql(rewrite.index, tuple(rewrite.values)), (*values, *prefix))


@cache
def _rewrite_sql(index: Index[Any], columns: tuple[str, ...]) -> bytes:
    numbers = count(1)
    assignments = _listed(columns, ", ", numbers)
    return f"UPDATE {quoted(index.table.name)} SET {assignments} WHERE {_under(index, numbers)}".encode()  # noqa: S608 - declared names


@cache
def _clear_sql(index: Index[Any]) -> bytes:
    return f"DELETE FROM {quoted(index.table.name)} WHERE {_under(index, count(1))}".encode()  # noqa: S608 - declared names


def _under(index: Index[Any], numbers: Iterator[int]) -> str:
    present = [f"{quoted(name)} IS NOT NULL" for name in index.nullable]
    return " AND ".join([_listed(("scope", *index.prefix), " AND ", numbers), *present])


def _listed(columns: Iterable[str], between: str, numbers: Iterator[int]) -> str:
    return between.join(f"{quoted(name)} = ${next(numbers)}" for name in columns)
