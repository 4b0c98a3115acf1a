"""Bulk writes as statements: one for each, however many rows it changes."""

from __future__ import annotations

from livecore.kernel.storage.rewriting import Rewrite
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.sql.statements import clear_sql, rewrite_sql
from livecore_server.storage.postgres.sql.text import parameter


def rewrite_statement(scope: bytes, rewrite: Rewrite) -> Statement:
    """The statement that carries out a rewrite in the scope with this id."""
    prefix = (scope, *map(parameter, rewrite.prefix))
    if rewrite.values is None:
        return Statement(clear_sql(rewrite.index), prefix)
    values = map(parameter, rewrite.values.values())
    return Statement(rewrite_sql(rewrite.index, tuple(rewrite.values)), (*values, *prefix))
