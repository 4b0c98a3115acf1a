"""Exporting: everything about one player, nothing about another, in pages that join to the whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from jsonschema import Draft202012Validator

from livecore import World
from livecore.kernel.errors import Json, JsonObject
from livecore.player_tools import export
from livecore.player_tools.export import LISTS
from livecore.player_tools.schema import export_schema
from tests.contract.stories import MARK
from tests.player_tools.exported_life import full_life
from tests.player_tools.marked import game
from tests.worlds import Reply, ask, befriend, give, world

ROOT = Path(__file__).parent.parent.parent


def exported(world: World, name: str, **more: object) -> Reply:
    """Ask for an export."""
    return ask(world.server, "players.export", external_id=name, **more)


@pytest.fixture(scope="module")
def full() -> World:
    """A world in which everything was done."""
    return full_life()


def test_everything_is_there(full: World) -> None:
    """Each list has something."""
    bundle = exported(full, MARK).data
    assert {name for name in LISTS if not bundle[name]} == set()
    assert bundle["truncated"] == dict.fromkeys(LISTS, False)
    assert bundle["cursors"] == dict.fromkeys(LISTS)


def test_it_is_as_its_schema_says(full: World) -> None:
    """For players with much and with little."""
    Draft202012Validator.check_schema(export_schema())
    validator = Draft202012Validator(export_schema())
    for name in (MARK, "friend", "third"):
        bundle = exported(full, name).data
        validator.validate(bundle)
        assert set(bundle) == set(cast(JsonObject, export_schema()["properties"]))
    assert not validator.is_valid({**exported(full, MARK).data, "friends": [{"playerId": 1}]})


def test_the_published_schema_is_current() -> None:
    """The file beside the reference pages."""
    published = json.loads((ROOT / "docs" / "reference" / "player-export.schema.json").read_text("utf-8"))
    assert published == export_schema()


def test_nothing_of_another_player(full: World) -> None:
    """Neither the marked player's id, name and words in a friend's export, nor the friend's in theirs."""
    theirs = exported(full, "friend").data
    own_words = {**theirs, "gifts": [row for row in _gifts(theirs) if row["direction"] == "incoming"]}
    # In a webhook that waits stands what the friend has written to the marked player.
    assert MARK not in repr(own_words).replace("\\'", "'").replace(f"For {MARK}", "")
    mine = exported(full, MARK).data
    friend = full.player("friend")
    assert "'friend'" not in repr(mine)
    assert str(ask(friend, "players.getProfile")["displayIdentity.name"]) not in repr(mine)
    received = [row for row in _gifts(mine) if row["direction"] == "incoming"]
    assert [row["message"] for row in received] == [None, None]
    assert friend.player_id in {row["playerId"] for row in received}


def _gifts(bundle: JsonObject) -> list[JsonObject]:
    return cast("list[JsonObject]", bundle["gifts"])


def _many() -> World:
    """A player with several rows in every list."""
    made = world(social={"maxFriends": 50, "maxOutgoingRequests": 50, "maxBlocks": 50}, exchangeRates={"EUR": "1"})
    anna = made.player("anna")
    for number in range(7):
        befriend(anna, made.player(f"p{number}"))
        give(anna, "gold", 1)
        made.advance(seconds=1)
    for number in range(4):
        ask(made.player(f"q{number}"), "friends.sendRequest", external_player_id="anna")
        ask(anna, "friends.sendRequest", external_player_id=made.player(f"r{number}").external_id)
        ask(anna, "friends.block", external_player_id=f"p{number}")
    for key in ("gems", "xp", "potion", "sword"):
        give(anna, key, 2)
    for number in range(3):
        _give_and_sell(made, number)
    return made


def _give_and_sell(made: World, number: int) -> None:
    anna = made.player("anna")
    target = f"p{number + 4}"
    ask(anna, "gifts.send", external_player_id=target, type="currency", resource_key="xp", amount=1)
    ask(made.player(target), "gifts.send", external_player_id="anna", type="currency", resource_key="xp", amount=1)
    entry = {"type": "currency", "resourceKey": "gold", "amount": 1}
    ask(made.server, "grants.create", external_id="anna", idempotency_key=f"{number}", entries=[entry])
    bought = {"store": "s", "product_id": "p", "product_type": "t", "amount_minor": 5, "currency": "EUR"}
    ask(anna, "purchases.track", transaction_id=f"t{number}", **bought)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_pages_joined_are_the_whole_list(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each list is capped, says so, and is read to its end by its own cursor."""
    made = _many()
    whole = exported(made, "anna").data
    monkeypatch.setattr(export, "MOST_ROWS", most)
    first = exported(made, "anna").data
    for name in LISTS:
        rows, joined = (list(cast("list[Json]", bundle[name])) for bundle in (whole, first))
        assert len(joined) == min(most, len(rows))
        assert cast(JsonObject, first["truncated"])[name] is (len(rows) > most)
        cursor = cast(JsonObject, first["cursors"])[name]
        while cursor is not None:
            page = exported(made, "anna", list_=name, cursor=cursor).data
            assert all(page[other] == [] for other in LISTS if other != name)
            joined += cast("list[Json]", page[name])
            cursor = cast(JsonObject, page["cursors"])[name]
        assert joined == rows, name
    capped = {name for name, more in cast(JsonObject, first["truncated"]).items() if more}
    assert len(capped) >= {1: 9, 2: 6, 3: 5}[most]


def test_a_cursor_needs_its_list() -> None:
    """And must be one of that list; a list alone is its first page."""
    made = _many()
    assert exported(made, "anna", cursor="x").fields == ["list"]
    assert exported(made, "anna", cursor="x", list_="gifts").fields == ["cursor"]
    assert exported(made, "anna", cursor="x", list_="lobbies").fields == ["cursor"]
    assert exported(made, "anna", list_="nothing").fields == ["list"]
    assert len(exported(made, "anna", list_="friends").list("friends")) == 3


def test_a_cursor_opens_no_other_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the places of two lists look alike, as a purchase's and a gift's; nor does one of another route."""
    made = _many()
    monkeypatch.setattr(export, "MOST_ROWS", 1)
    cursors = cast("dict[str, str | None]", exported(made, "anna")["cursors"])
    given = [(name, cursor) for name, cursor in cursors.items() if cursor is not None]
    assert len(given) >= 9
    for name, cursor in given:
        for other in LISTS:
            reply = exported(made, "anna", cursor=cursor, list_=other)
            assert reply.status == 200 if other == name else reply.fields == ["cursor"]
    listed = ask(made.server, "purchases.list", external_id="anna", limit=1).text("nextCursor")
    assert exported(made, "anna", cursor=listed, list_="purchases").fields == ["cursor"]


def test_erased_and_unknown_players_have_no_export() -> None:
    """404."""
    made = _many()
    ask(made.server, "players.erase", external_id="anna")
    for name in ("anna", "nobody"):
        assert exported(made, name).refusal == (404, "player_not_found")


def test_a_merged_player_is_not_found_but_named() -> None:
    """The refusal says who has the data; after their erasure it says nothing."""
    made = World(game())
    made.player("guest"), made.player("account")
    ask(made.server, "players.merge", external_id="guest", to_external_id="account")
    refused = exported(made, "guest")
    assert refused.refusal == (404, "player_not_found")
    assert refused.details == {"mergedIntoExternalId": "account"}
    assert "details" not in str(exported(made, "nobody").body)
    assert exported(made, "account").status == 200
    ask(made.server, "players.erase", external_id="account")
    assert exported(made, "guest").refusal == (404, "player_not_found")
    assert "details" not in str(exported(made, "guest").body)
