"""Grants: what the studio may create, how they are shown, and their pages."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.economy.grants import GRANTS, TRANSITIONS
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import DAY, Timestamp
from livecore.players.player import PLAYERS
from tests.worlds import Since, ask, grant, http, rows_of, studio_world, total, world

GOLD: Final[JsonObject] = {"type": "currency", "resourceKey": "gold", "amount": 5}
PATH: Final = "/server/v1/players/anna/grants"


def _body(*entries: Json, **more: Json) -> Json:
    return {"idempotencyKey": "g", "entries": list(entries), **more}


def test_a_grant_as_it_is_answered() -> None:
    """201 with every field; defaults are a reward from the API without reference, metadata and end."""
    game = world()
    game.player("anna")
    seen = Since(game)
    reply = http(game.server, "POST", PATH, _body(GOLD))
    row = {
        "grantId": reply["grant.grantId"],
        "status": "pending",
        "kind": "reward",
        "entries": [GOLD],
        "sourceKind": "api",
        "sourceRefId": None,
        "metadata": None,
        "createdAt": Timestamp(game.now).wire,
        "expiresAt": None,
        "claimedAt": None,
        "ackedBy": None,
    }
    assert reply.status == 201
    assert reply.data == {"grant": row}
    (player,) = rows_of(game, PLAYERS)
    assert seen.of("grant.created") == [{**row, "playerId": player.player_id, "externalPlayerId": "anna"}]


def test_everything_a_grant_may_carry() -> None:
    """Source, reference, metadata, an end, and opaque parameters of items come back as given."""
    game = world()
    sword: Json = {"type": "item", "resourceKey": "sword", "amount": 1, "parameters": {"level": 9, "runes": [1, None]}}
    reply = http(
        game.server, "POST", PATH,
        _body(
            sword, kind="reward", sourceKind="admin", sourceRefId="season-1", metadata={"why": {"deep": [1.5]}},
            expiresAt="2026-01-02T01:00:00.5+01:00",
        ),
    )  # fmt: skip
    assert reply.status == 201
    assert reply["grant.entries"] == [sword]
    assert (reply["grant.kind"], reply["grant.sourceKind"], reply["grant.sourceRefId"]) == (
        "reward",
        "admin",
        "season-1",
    )
    assert reply["grant.metadata"] == {"why": {"deep": [1.5]}}
    assert reply["grant.expiresAt"] == "2026-01-02T00:00:00.500Z"


def test_first_contact_by_a_grant() -> None:
    """The player's row is made with the grant, and not by a refused one."""
    game = world()
    assert http(game.server, "POST", PATH, _body({**GOLD, "resourceKey": "silver"})).status == 400
    assert rows_of(game, PLAYERS) == []
    assert http(game.server, "POST", PATH, _body(GOLD)).status == 201
    assert [row.external_id for row in rows_of(game, PLAYERS)] == ["anna"]


@pytest.mark.parametrize(
    ("entries", "fields"),
    [
        ([], ["entries"]),
        ([GOLD] * 51, ["entries"]),
        ([{**GOLD, "resourceKey": "silver"}], ["entries[0].resourceKey"]),
        ([GOLD, {"type": "item", "resourceKey": "gold", "amount": 1}], ["entries[1].resourceKey"]),
        ([{**GOLD, "amount": 0}], ["entries[0].amount"]),
        ([{**GOLD, "amount": 2**53}], ["entries[0].amount"]),
        ([{**GOLD, "parameters": {"level": 1}}], ["entries[0].parameters"]),
    ],
)
def test_entries_are_checked(entries: list[Json], fields: list[str]) -> None:
    """1 to 50 of them, of keys that the game defines, positive amounts, parameters for items only."""
    reply = http(world().server, "POST", PATH, _body(*entries))
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == fields


def test_fifty_entries_are_allowed() -> None:
    """And pay together."""
    game = world()
    anna = game.player("anna")
    made = http(game.server, "POST", PATH, _body(*[GOLD] * 50))
    ask(anna, "grants.claim", grant_id=made["grant.grantId"])
    assert total(anna, "gold") == 250


@pytest.mark.parametrize(
    "moment",
    [
        "2026-01-01T00:00:00.000Z", "2025-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z", "tomorrow", "2026-01-02",
        "2026-01-02T00:00:00", "2026-02-30T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T00:00:60Z", 1767312000, True,
        "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "10000-01-01T00:00:00Z", "2026-01-02T00:00:00+99:00",
    ],
)  # fmt: skip
def test_an_expiry_lies_ahead(moment: Json) -> None:
    """Now is too late, and what is no instant is refused."""
    reply = http(world().server, "POST", PATH, _body(GOLD, expiresAt=moment))
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["expiresAt"]


def test_the_last_instant_is_allowed() -> None:
    """The end of the year 9999."""
    reply = http(world().server, "POST", PATH, _body(GOLD, expiresAt="9999-12-31T23:59:59.999Z"))
    assert reply["grant.expiresAt"] == "9999-12-31T23:59:59.999Z"


@pytest.mark.parametrize("field", ["kind", "sourceKind"])
@pytest.mark.parametrize("value", ["gift", "guild_help", "", None, 1])
def test_kinds_and_sources_are_the_documented_ones(field: str, value: Json) -> None:
    """`reward` or `crate`; `api` or `admin`: the others belong to the service."""
    assert http(world().server, "POST", PATH, _body(GOLD, **{field: value})).fields == [field]


def test_pending_grants_are_listed_newest_first_in_pages() -> None:
    """Claimed ones are not among them; pages joined are the list."""
    game = world()
    anna = game.player("anna")
    for number in range(7):
        game.advance(seconds=number % 2)
        grant(anna, named=f"g{number}")
    claimed = ask(anna, "grants.listPending")["grants.3.grantId"]
    ask(anna, "grants.claim", grant_id=claimed)
    whole = ask(anna, "grants.listPending").list("grants")
    assert len(whole) == 6
    times = [str(row["createdAt"]) for row in whole]
    assert times == sorted(times, reverse=True)
    joined, cursor = [], None
    while True:
        page = ask(anna, "grants.listPending", limit=2, **({} if cursor is None else {"cursor": cursor}))
        joined += page.list("grants")
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert joined == whole


def test_a_page_has_fifty_unless_told_otherwise() -> None:
    """1 to 200 on request."""
    game = world()
    anna = game.player("anna")
    for number in range(52):
        grant(anna, named=f"g{number}")
    assert len(ask(anna, "grants.listPending").list("grants")) == 50
    assert len(ask(anna, "grants.listPending", limit=200).list("grants")) == 52
    assert ask(anna, "grants.listPending", limit=201).fields == ["limit"]


def test_each_move_of_each_state_is_decided() -> None:
    """A gift has the transitions of its grant."""
    states = ("pending", "claimed", "expired")
    assert set(TRANSITIONS) == {(state, name) for state in states for name in ("claim", "expire", "force")}


def test_a_studio_game_credits_progression_alone() -> None:
    """A claimed grant of gold, potions and XP leaves XP; the studio acts on the webhook for the rest."""
    game = studio_world()
    anna = game.player("anna")
    entries = [{"type": "currency", "resourceKey": key, "amount": 3} for key in ("gold", "xp")]
    entries.append({"type": "item", "resourceKey": "potion", "amount": 1})
    made = ask(game.server, "grants.create", external_id="anna", idempotency_key="g", entries=entries)
    seen = Since(game)
    assert ask(anna, "grants.claim", grant_id=made["grant.grantId"]).status == 200
    assert seen.kinds == ["grant.claimed"]
    assert ask(anna, "friends.getCode", progression=["gold", "xp"])["progression"] == {"gold": 0, "xp": 3}


def test_expiry_is_told_with_the_whole_grant() -> None:
    """`grant.expired` carries the row, now expired, and the player's ids."""
    game = world()
    anna = game.player("anna")
    grant(anna, expires_at=Timestamp(game.now + DAY))
    seen = Since(game)
    game.advance(days=1)
    (payload,) = seen.of("grant.expired")
    assert (payload["status"], payload["externalPlayerId"], payload["claimedAt"]) == ("expired", "anna", None)
    assert rows_of(game, GRANTS)[0].status == "expired"
