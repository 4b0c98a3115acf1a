"""The law: a player who is exported here and moved in there is there what an export can tell of what migration carries.

Players are made by operations, with names, pictures and attributes that Hypothesis invents; exports are read in pages of
one to three rows, and in one piece.
"""

from __future__ import annotations

from typing import Any, Final
from unittest.mock import patch

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore import World
from livecore.kernel.errors import JsonObject
from livecore.player_tools import export
from livecore.player_tools.export_rows import PlayerExport
from livecore_client import LocalTransport, ServerClient, migration_rows
from livecore_client.rows import IncompleteExport, MigrationOutcome
from tests.contract.stories import MARK
from tests.laws.lawful import generated
from tests.player_tools.marked import game, lived
from tests.worlds import ask, befriend, gift, give, grant, world

_KEYS: Final = ("gold", "gems", "xp")
_ITEMS: Final = ("potion", "sword")
_texts = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
_json = st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | _texts, lambda inner: st.lists(inner, max_size=2))
_objects = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), _json, max_size=3)


@attrs.frozen
class Life:
    """What a player has been given, and has done."""

    name: str | None
    avatar: str | None
    country: str | None
    context: JsonObject | None
    given: tuple[tuple[str, int], ...]
    parameters: JsonObject
    taken: tuple[tuple[str, int], ...]
    days: int


_lives = st.builds(
    Life,
    name=st.none() | _texts.map("A{}".format),
    avatar=st.none() | _texts,
    country=st.none() | st.sampled_from(["SE", "NO"]),
    context=st.none() | _objects,
    given=st.lists(st.tuples(st.sampled_from(_KEYS + _ITEMS), st.integers(1, 2**50)), max_size=6).map(tuple),
    parameters=_objects,
    taken=st.lists(st.tuples(st.sampled_from(_KEYS + _ITEMS), st.integers(1, 2**50)), max_size=3).map(tuple),
    days=st.integers(0, 400),
)


def live(life: Life) -> World:
    """A world in which somebody has lived that life, or as much of it as was allowed."""
    made = world()
    ask(made.server, "grants.create", external_id="anna", idempotency_key="first", entries=[
        {"type": "item", "resourceKey": "potion", "amount": 1}])  # fmt: skip
    anna = made.player("anna")
    if life.context is not None:
        ask(anna, "players.register", force=True, player_context=life.context)
    if life.name is not None:
        ask(anna, "players.setIdentity", name=life.name)
    changes = {"avatar": life.avatar, "country": life.country}
    given = {name: value for name, value in changes.items() if value is not None}
    ask(made.server, "players.setIdentity", external_id="anna", **given)
    for key, amount in life.given:
        give(anna, key, amount)
    about: dict[str, Any] = {"external_id": "anna", "item_key": "sword", "quantity": 1, "parameters": life.parameters}
    ask(made.server, "inventory.grant", **about)
    for key, amount in life.taken:
        if key in _ITEMS:
            ask(made.server, "inventory.revoke", external_id="anna", item_key=key, quantity=amount)
        else:
            ask(made.server, "wallet.debit", external_id="anna", economy_key=key, amount=amount)
    made.advance(days=life.days)
    return made


def studio_of(where: World) -> ServerClient:
    """The studio's client of a world."""
    return ServerClient(base_url="http://world", api_key=where.keys["server"], transport=LocalTransport(where))


def exported(where: World, most: int = 1_000) -> tuple[PlayerExport, ...]:
    """Everything about the player, in pages of `most` rows of a list."""
    with patch.object(export, "MOST_ROWS", most), studio_of(where) as studio:
        return tuple(studio.players.iterate_export("anna"))


def moved(pages: tuple[PlayerExport, ...], where: World) -> list[MigrationOutcome]:
    """Send the rows of an export into a world."""
    rows = migration_rows(pages)
    with studio_of(where) as studio:
        players = studio.migrate.players(rows=rows.players)
        wallet = [studio.migrate.wallet(rows=rows.wallet)] if rows.wallet else []
        return [players, *wallet, *([studio.migrate.inventory(rows=rows.inventory)] if rows.inventory else [])]


def carried(pages: tuple[PlayerExport, ...]) -> JsonObject:
    """Of an export, what migration carries."""
    player = pages[0].player
    chosen = player.display_identity != player.anonymized_identity
    shown: Any = {
        "id": player.external_player_id,
        "name": (player.display_identity.name, player.display_identity.avatar) if chosen else None,
        "country": player.country,
        "seen": (player.first_seen_at, player.last_seen_at),
        "context": player.last_context_snapshot,
        "wallet": [(row.key, row.kind, row.balance) for page in pages for row in page.wallet if row.balance],
        "items": [(row.item_key, row.quantity, row.parameters) for page in pages for row in page.inventory if row.quantity],
    }  # fmt: skip
    found: JsonObject = shown
    return found


@given(life=_lives, most=st.integers(1, 3))
@generated
def test_who_is_moved_on_is_there_what_they_were_here(life: Life, most: int) -> None:
    """Exported from the one world, moved into another one, exported there: the same, and so once more from there."""
    first = live(life)
    second, third = (
        World(first.game.config, seed=2, start=first.time),
        World(first.game.config, seed=3, start=first.time),
    )
    pages = exported(first, most)
    assert carried(pages) == carried(exported(first))
    assert all(outcome.applied == outcome.received for outcome in moved(pages, second))
    assert carried(exported(second)) == carried(pages)
    moved(exported(second, most), third)
    assert carried(exported(third)) == carried(pages)


@given(life=_lives)
@generated
def test_nobody_is_moved_on_twice(life: Life) -> None:
    """The same export again is all replays; a later one has the same keys, and what has changed is refused."""
    first = live(life)
    second = World(first.game.config, seed=2, start=first.time)
    moved(exported(first), second)
    before = exported(second)
    assert all(outcome.replayed == outcome.received for outcome in moved(exported(first, 1), second))
    ask(first.server, "players.setIdentity", external_id="anna", name="Somebody else")
    (failure,) = (failure for outcome in moved(exported(first), second) for failure in outcome.failures)
    assert failure.code == "idempotency_conflict"
    assert carried(exported(second)) == carried(before)


def test_what_has_no_row_to_travel_in_stays_behind() -> None:
    """Secret, friend code, friends, gifts, grants, purchases, ban, debug flag and the ledger's past."""
    here, there = World(game()), World(game(), seed=2)
    lived(here)
    with studio_of(here) as old, studio_of(there) as new:
        rows = migration_rows(old.players.iterate_export(MARK))
        new.migrate.players(rows=rows.players)
        new.migrate.wallet(rows=rows.wallet)
        new.migrate.inventory(rows=rows.inventory)
        left, arrived = old.players.export(MARK), new.players.export(MARK)
    for name in ("grants", "friends", "friend_requests", "gifts", "purchases"):
        assert getattr(left, name)
        assert not getattr(arrived, name)
    assert {row.reason for row in arrived.ledger} == {"migration"}
    assert (left.player.ban is None, left.player.debug, left.player.friend_code is None) == (False, True, False)
    assert (arrived.player.ban, arrived.player.debug, arrived.player.friend_code) == (None, False, None)
    assert arrived.player.secret_prefix is None
    assert left.player.secret_prefix is not None
    assert ask(there.player(MARK), "players.getProfile")["playerId"] == arrived.player.id


def test_what_is_not_claimed_stays_behind() -> None:
    """A reward that waits and a gift under way are in nobody's wallet yet, so they would be paid on both sides."""
    made = world()
    anna, bert = made.player("anna"), made.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 10)
    give(bert, "gold", 5)
    gift(bert, anna, "gold", 5)
    gift(anna, bert, "gold", 4)
    grant(anna, "gold", 100)
    (row,) = migration_rows(exported(made)).wallet
    assert row.amount == 6


def test_pages_that_are_not_the_whole_export_are_refused() -> None:
    """None at all, those of two players, and one whose balances go on."""
    made = world()
    anna = made.player("anna")
    for key in (*_KEYS, *_ITEMS):
        give(anna, key, 1)
    pages, whole = exported(made, 1), exported(made)
    befriend(anna, made.player("bert"))
    with studio_of(made) as studio:
        other = studio.players.export("bert")
    for wrong in ((), (whole[0], other), pages[:1], tuple(page for page in pages if not page.inventory) + pages[:1]):
        with pytest.raises(IncompleteExport):
            migration_rows(wrong)
    without_ledger = tuple(page for page in pages if page.wallet or page.inventory)
    assert migration_rows(without_ledger) == migration_rows(pages) == migration_rows(whole)
