"""Engines that are told apart by what they call themselves; the schema is put into the words of each."""

from __future__ import annotations

import pytest

import livecore.api  # noqa: F401 - declares every table of the service
from livecore.kernel.tables import all_tables
from livecore_server.storage.layout import declared_layout
from livecore_server.storage.postgres.engines import engine_of
from livecore_server.storage.postgres.schema import growth
from livecore_server.storage.postgres.short_memory_tables import MEMORY_TABLES

TEXTS = [*growth({}, declared_layout(all_tables())), *MEMORY_TABLES]


@pytest.mark.parametrize(
    ("version", "learns", "collates"),
    [
        ("PostgreSQL 15.8 (Debian 15.8-0+deb12u1) on x86_64-pc-linux-gnu", True, True),
        ("PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu", False, True),
        ("CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/04)", False, False),
    ],
)
def test_an_engine_is_known_by_its_version(version: str, learns: bool, collates: bool) -> None:
    """Only PostgreSQL's own planner is taught; CockroachDB refuses columns with a collation of that name."""
    engine = engine_of(version)
    assert (engine.learns, engine.collates) == (learns, collates)
    assert any('COLLATE "C"' in engine.schema(text) for text in TEXTS) == collates


def test_nothing_else_is_left_out_for_an_engine_without_collations() -> None:
    """Every statement is what it was, word for word, but for the collation."""
    for text in TEXTS:
        left = engine_of("CockroachDB").schema(text)
        assert "".join(left.split()) == "".join(text.replace('COLLATE "C"', "").split())
