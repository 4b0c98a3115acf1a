"""A disbanded guild keeps its name and its history, and loses its metadata after thirty days; also one from before."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from livecore import World
from livecore.guilds import forgetting
from livecore.guilds.guild import GUILDS
from livecore.kernel.storage.store import Store
from livecore.kernel.time import DAY
from livecore_server.operations.check import check
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.commerce.shop import found_wrong
from tests.guilds.clubs import found, game
from tests.older_databases import KINDS, Layout, make_older, place_of, store_in
from tests.worlds import ask, config, rows_of, scope_of

METADATA: Final = {"banner": "x" * 1_000}


def founded_and_left(here: World, number: int) -> list[str]:
    """Guilds with metadata that one player has founded and left, one after another; gives their ids."""
    player = here.player("mallory")
    ids = []
    for place in range(number):
        ids.append(found(player, f"Owls {place}", metadata=METADATA))
        assert ask(player, "guilds.leave")["disbanded"] is True
        here.advance(minutes=1)
    return ids


def kept(here: World) -> list[bool]:
    """Which guilds have metadata, in the order in which they were founded."""
    return [row.metadata is not None for row in sorted(rows_of(here, GUILDS), key=lambda row: row.created_at)]


def test_a_disbanded_guild_loses_its_metadata_after_thirty_days() -> None:
    """And keeps its name, and the stints of those who were in it; one that exists keeps its metadata."""
    here = game()
    lasting = found(here.player("lea"), "Foxes", metadata=METADATA)
    (ended,) = founded_and_left(here, 1)
    here.advance(hours=24 * 30 - 1)
    assert kept(here) == [True, True]
    here.advance(hours=25)
    shown = ask(here.server, "guilds.get", guild_id=ended)
    assert (shown["guild.name"], shown["guild.metadata"]) == ("Owls 0", None)
    assert [row["externalPlayerId"] for row in shown.list("guild.history")] == ["mallory"]
    assert ask(here.server, "guilds.get", guild_id=lasting)["guild.metadata"] == METADATA
    assert found_wrong(here) == []


def test_an_operator_disbands_a_guild_and_its_metadata_goes_likewise() -> None:
    """However it ended."""
    here = game()
    guild_id = found(here.player("lea"), "Foxes", metadata=METADATA)
    ask(here.server, "guilds.disband", guild_id=guild_id)
    here.advance(hours=24 * 31)
    assert kept(here) == [False]


def test_very_many_guilds_lose_it_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step handles a few; the rest follows at once, and only what is due goes."""
    monkeypatch.setattr(forgetting, "MOST_ROWS", 2)
    here = game()
    founded_and_left(here, 7)
    here.advance(hours=24 * 15)
    founded_and_left(here, 1)
    here.advance(hours=24 * 16)
    assert kept(here) == [False] * 7 + [True]
    assert found_wrong(here) == []


# -- databases from before ------------------------------------------------------------------------------------------------

_FORGET: Final = (
    "DROP INDEX ix_guilds__metadata_until",
    "ALTER TABLE guilds DROP COLUMN metadata_until",
    "DELETE FROM livecore_migrations WHERE number = 7",
)


def _forget(layout: Layout) -> None:
    del layout["guilds"]["columns"]["metadata_until"], layout["guilds"]["indexes"]["metadata_until"]


def _lived(store: Store, monkeypatch: pytest.MonkeyPatch) -> World:
    """A game with a guild that has ended, and one that lasts."""
    monkeypatch.setattr("livecore.world.game.MemoryStore", lambda: store)
    world = World(config())
    founded_and_left(world, 1)
    found(world.player("lea"), "Foxes", metadata=METADATA)
    return world


def _goes_on(world: World, store: SqliteStore | PostgresStore) -> None:
    """The guild that ended before is dated, as if it had ended now, and no other is."""
    assert store.migrated == ["disbanded-metadata", "grow:guilds"]
    world.store = store  # type: ignore[assignment] # a store that is not the world's own
    world.application.store = store
    assert kept(world) == [True, True]
    assert not check(store, [scope_of(world)], lambda _: None).findings
    until = [row.metadata_until for row in rows_of(world, GUILDS) if row.metadata_until is not None]
    assert until == [row.disbanded_at + 30 * DAY for row in rows_of(world, GUILDS) if row.disbanded_at is not None]


@pytest.mark.parametrize("kind", KINDS)
def test_a_guild_that_ended_before(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is dated by a migration."""
    with place_of(kind, tmp_path) as place:
        with closing(store_in(place)) as store:
            world = _lived(store, monkeypatch)
        make_older(place, _FORGET, _forget)
        with closing(store_in(place)) as store:
            _goes_on(world, store)
