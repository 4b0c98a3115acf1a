"""Engines that are told apart by what they call themselves; the schema is put into the words of each."""

from __future__ import annotations

from contextlib import closing

import pytest

import livecore.api  # noqa: F401 - declares every table of the service
from livecore.kernel.storage.tables import all_tables
from livecore_server.storage.layout import declared_layout
from livecore_server.storage.postgres.connections import connection_pool
from livecore_server.storage.postgres.connections.engines import engine_of
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.schema.growing import growth
from livecore_server.storage.postgres.shared.ephemeral_tables import EPHEMERAL_TABLES

TEXTS = [*growth({}, declared_layout(all_tables())), *EPHEMERAL_TABLES]


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


@pytest.mark.parametrize(
    ("extensions", "plans"), [("ARRAY['plpgsql']", "force_generic_plan"), ("ARRAY['plpgsql', 'citus']", "auto")]
)
def test_a_session_is_set_for_what_the_database_says_that_it_is(
    url: str, extensions: str, plans: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Citus must see the values before it plans; every other setting is the same."""
    monkeypatch.setattr(connection_pool, "EXTENSIONS", f"SELECT unnest({extensions})")
    with closing(connection_pool.Connections(url, most=1)) as connections:
        wire = connections.first()
        shown = wire.ask([Statement(b"SHOW " + name) for name in (b"plan_cache_mode", b"enable_seqscan", b"jit")])
        connections.drop(wire)
    assert [result.get_value(0, 0) for result in shown] == [plans.encode(), b"off", b"off"]


@pytest.mark.parametrize("missing", ["SELECT extname FROM no_such_table", "SELECT no_such_column FROM pg_extension"])
def test_an_engine_that_lists_no_extensions_has_none(url: str, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is served as before."""
    monkeypatch.setattr(connection_pool, "EXTENSIONS", missing)
    with closing(connection_pool.Connections(url, most=1)) as connections:
        wire = connections.first()
        (shown,) = wire.ask([Statement(b"SHOW plan_cache_mode")])
        connections.drop(wire)
    assert shown.get_value(0, 0) == b"force_generic_plan"


def test_nothing_else_is_left_out_for_an_engine_without_collations() -> None:
    """Every statement is what it was, word for word, but for the collation."""
    for text in TEXTS:
        left = engine_of("CockroachDB").schema(text)
        assert "".join(left.split()) == "".join(text.replace('COLLATE "C"', "").split())
