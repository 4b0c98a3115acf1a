"""Migration: every row on its own, once for good, silently, and never half."""

from __future__ import annotations

from typing import Any, cast

import pytest

from livecore.api.requests.idempotency import ANSWERS
from livecore.economy.ledger import ENTRIES
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import HOUR
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.kernel.words import beginnings
from livecore.player_tools.migration import MIGRATED_ROWS
from livecore.players.identity import SEARCH_ENTRIES
from livecore.players.player import PLAYERS
from livecore.world import World
from tests.worlds import Reply, Since, ask, http, rows_of, studio_world, total, world

ANNA: JsonObject = {"idempotencyKey": "m1", "externalPlayerId": "anna"}
GOLD: JsonObject = {**ANNA, "economyKey": "gold", "amount": 5}
SWORD: JsonObject = {**ANNA, "itemKey": "sword", "quantity": 1}


def migrate(game: World, route: str, *rows: Json, **more: Json) -> Reply:
    """Send rows to one of the three routes."""
    return http(game.server, "POST", f"/server/v1/migrate/{route}", {"rows": list(rows), **more})


def counts(reply: Reply) -> tuple[Any, ...]:
    """Received, applied, replayed, failed."""
    assert reply.status == 200, reply.body
    return tuple(reply[name] for name in ("received", "applied", "replayed", "failed"))


def failures(reply: Reply) -> list[tuple[Any, Any, Any]]:
    """Index, key and code of each row that failed."""
    return [(row["index"], row["idempotencyKey"], row["code"]) for row in reply.list("failures")]


def test_a_player_moves_in_with_everything_that_is_known() -> None:
    """Name, picture, country, times and context; no secret, so the client registers as usual and finds it all."""
    game = world()
    row: JsonObject = {
        **ANNA, "name": "Anna", "avatar": "fox", "country": "SE", "firstSeenAt": "2024-01-01T00:00:00Z",
        "lastSeenAt": "2025-06-01T00:00:00Z", "playerContext": {"level": 7},
    }  # fmt: skip
    assert counts(migrate(game, "players", row)) == (1, 1, 0, 0)
    shown = ask(game.server, "players.get", external_id="anna")
    assert shown["player.displayIdentity"] == {"name": "Anna", "avatar": "fox", "country": "SE"}
    assert shown["player.firstSeenAt"] == "2024-01-01T00:00:00.000Z"
    assert shown["player.lastSeenAt"] == "2025-06-01T00:00:00.000Z"
    assert shown["player.lastContextSnapshot"] == {"level": 7}
    anna = game.player("anna")
    assert ask(anna, "players.getProfile")["displayIdentity.name"] == "Anna"
    assert ask(game.player("bert"), "friends.search", q="anna").list("players")


def test_a_row_changes_only_what_it_gives() -> None:
    """A field left out stays, a null takes it away; the secret stays in any case."""
    game = world()
    anna = game.player("anna")
    ask(anna, "players.setIdentity", name="Anna", avatar="fox")
    assert counts(migrate(game, "players", {**ANNA, "country": "NO"})) == (1, 1, 0, 0)
    identity = ask(anna, "players.getProfile")["displayIdentity"]
    assert identity == {"name": "Anna", "avatar": "fox", "country": "NO"}
    migrate(game, "players", {**ANNA, "idempotencyKey": "m3", "name": None})
    assert ask(anna, "players.getProfile")["displayIdentity.avatar"] == "fox"
    migrate(game, "players", {**ANNA, "idempotencyKey": "m2", "name": None, "avatar": None, "country": None})
    profile = ask(anna, "players.getProfile")
    assert profile["displayIdentity"] == profile["anonymizedIdentity"]
    assert ask(game.player("bert"), "friends.search", q="anna").list("players") == []


def test_balances_and_items_are_added_to_players_who_are_made_if_need_be() -> None:
    """Progression like currencies; an item's attributes lie over what the game declares."""
    game = world()
    xp = {**GOLD, "idempotencyKey": "m2", "economyKey": "xp", "amount": 70}
    assert counts(migrate(game, "wallet", GOLD, xp)) == (2, 2, 0, 0)
    assert counts(migrate(game, "inventory", {**SWORD, "parameters": {"level": 9}})) == (1, 1, 0, 0)
    anna = game.player("anna")
    assert (total(anna, "gold"), total(anna, "xp"), total(anna, "sword")) == (5, 70, 1)
    (item,) = ask(anna, "inventory.get").list("items")
    assert item["parameters"] == {"level": 9, "gem": None}
    assert {entry.reason for entry in rows_of(game, ENTRIES)} == {"migration"}


def test_each_bad_row_is_named_and_the_rest_apply() -> None:
    """With its place, its key, and the code and details that the single request would have got."""
    game = world()
    reply = migrate(
        game, "wallet",
        GOLD,
        {**GOLD, "idempotencyKey": "m2", "economyKey": "nope"},
        {**GOLD, "idempotencyKey": "m3", "economyKey": "sessions"},
        {**GOLD, "idempotencyKey": "m4", "amount": 0},
        {"externalPlayerId": "anna", "economyKey": "gold", "amount": 1},
        {**GOLD, "idempotencyKey": "m5", "externalPlayerId": "a/b", "zip": 1},
        {**GOLD, "idempotencyKey": "m6", "amount": MAX_AMOUNT},
        {**GOLD, "idempotencyKey": 7},
        {**GOLD, "idempotencyKey": "m7"},
    )  # fmt: skip
    assert counts(reply) == (9, 2, 0, 7)
    assert failures(reply) == [
        (1, "m2", "economy_key_not_found"), (2, "m3", "system_resource_locked"), (3, "m4", "validation_failed"),
        (4, None, "validation_failed"), (5, "m5", "validation_failed"), (6, "m6", "balance_overflow"),
        (7, None, "validation_failed"),
    ]  # fmt: skip
    fields = [row["details"] for row in reply.list("failures") if row["code"] == "validation_failed"]
    assert [sorted(cast(JsonObject, found["fields"])) for found in fields if isinstance(found, dict)] == [
        ["amount"], ["idempotencyKey"], ["externalPlayerId", "zip"], ["idempotencyKey"],
    ]  # fmt: skip
    assert total(game.player("anna"), "gold") == 10


def test_what_is_no_row_at_all_fails_alone() -> None:
    """Whatever it is, the others apply."""
    reply = migrate(world(), "players", None, ANNA, 1, [ANNA], "anna")
    assert counts(reply) == (5, 1, 0, 4)
    assert failures(reply) == [(at, None, "validation_failed") for at in (0, 2, 3, 4)]
    assert reply["failures.0.details"] == {"fields": {"row": "must be a JSON object"}}


def test_a_failed_row_changes_nothing_not_even_a_new_player() -> None:
    """And its key is free: corrected, it may be sent again."""
    game = world()
    bad = {**SWORD, "itemKey": "axe"}
    assert failures(migrate(game, "inventory", bad)) == [(0, "m1", "item_not_found")]
    assert rows_of(game, PLAYERS) == []
    assert rows_of(game, MIGRATED_ROWS) == []
    assert counts(migrate(game, "inventory", SWORD)) == (1, 1, 0, 0)


def test_a_row_takes_effect_once_for_good() -> None:
    """However late it comes again, in whatever company, written in whatever way; another row under its key is refused."""
    game = world()
    for route, row in (("players", {**ANNA, "name": "Anna"}), ("wallet", GOLD), ("inventory", SWORD)):
        assert counts(migrate(game, route, row)) == (1, 1, 0, 0)
        game.advance(days=2)
        assert counts(migrate(game, route, dict(reversed(row.items())))) == (1, 0, 1, 0)
        other = migrate(game, route, {**row, "externalPlayerId": "bert"})
        assert failures(other) == [(0, "m1", "idempotency_conflict")]
    assert counts(migrate(game, "wallet", {**GOLD, "amount": 5.0})) == (1, 0, 1, 0)
    assert total(game.player("anna"), "gold") == 5


def test_a_key_may_stand_twice_in_one_request() -> None:
    """The second is a replay, or a conflict where it says something else."""
    game = world()
    reply = migrate(game, "wallet", GOLD, GOLD, {**GOLD, "amount": 6})
    assert counts(reply) == (3, 1, 1, 1)
    assert failures(reply) == [(2, "m1", "idempotency_conflict")]


def test_the_whole_request_may_have_a_key_as_well() -> None:
    """Then the first answer comes again, though its rows would be replays now."""
    game = world()
    first, again = (migrate(game, "wallet", GOLD, idempotencyKey="file-1") for _ in range(2))
    assert first.data == again.data
    assert ("Idempotent-Replay", "true") in again.response.headers


def test_an_answer_is_forgotten_with_anybody_who_is_erased() -> None:
    """It may name the player, as by the keys of rows that failed; sent again, its rows have been before."""
    game = world()
    rows: list[Json] = [
        {**GOLD, "idempotencyKey": "gold-of-anna"},
        {**GOLD, "idempotencyKey": "mail-of-anna", "amount": 0},
    ]
    first = migrate(game, "wallet", *rows, idempotencyKey="file-1")
    assert counts(first) == (2, 1, 0, 1)
    ask(game.server, "players.erase", external_id="anna")
    assert rows_of(game, ANSWERS) == []
    assert counts(migrate(game, "wallet", *rows, idempotencyKey="file-1")) == (2, 0, 1, 1)
    assert ask(game.server, "players.get", external_id="anna").status == 404


def test_who_moves_in_is_told_as_they_are() -> None:
    """The event says since when the player is known and in which context, as their row does."""
    game = world()
    seen = Since(game)
    told: JsonObject = {"firstSeenAt": "2024-01-01T00:00:00.000Z", "playerContext": {"level": 7}}
    migrate(game, "players", {**ANNA, **told}, emitWebhooks=True)
    (event,) = seen.of("player.registered")
    assert (event["firstSeenAt"], event["contextSnapshot"]) == (told["firstSeenAt"], {"level": 7})


def test_a_name_that_moves_in_is_the_only_one_that_is_found() -> None:
    """Somebody new never had another one; a row without a name leaves the search as it is."""
    game = world()
    migrate(game, "players", {**ANNA, "name": "Anna of Ys"})
    (row,) = rows_of(game, PLAYERS)
    assert {entry.text for entry in rows_of(game, SEARCH_ENTRIES)} == {"anna of ys ", "of ys ", "ys "}
    migrate(game, "players", {**ANNA, "idempotencyKey": "m2", "country": "SE"})
    assert len(rows_of(game, SEARCH_ENTRIES)) == 3
    migrate(game, "players", {**ANNA, "idempotencyKey": "m3", "name": None})
    assert {entry.text for entry in rows_of(game, SEARCH_ENTRIES)} == set(beginnings(row.pool_name))


def test_who_was_last_seen_long_ago_was_first_seen_no_later() -> None:
    """Where a file tells only when somebody new was last there."""
    game = world()
    last = "2024-01-01T00:00:00.000Z"
    migrate(game, "players", {**ANNA, "lastSeenAt": last})
    shown = ask(game.server, "players.get", external_id="anna")
    assert (shown["player.firstSeenAt"], shown["player.lastSeenAt"]) == (last, last)


def test_what_was_observed_lately_is_kept() -> None:
    """Sessions and presence that no flush has written stay when a row tells a later time, and count for the checks."""
    game = world()
    anna = game.player("anna")
    game.flush()
    game.now += HOUR
    ask(anna, "presence.heartbeat", status="here")
    game.now += 60_000
    later = {**ANNA, "lastSeenAt": "2026-01-01T01:00:30Z"}
    assert counts(migrate(game, "players", later)) == (1, 1, 0, 0)
    ask(anna, "players.getProfile")
    shown = ask(game.server, "players.export", external_id="anna")
    assert shown["player.sessions"] == 2
    assert shown["player.presence.status"] == "here"
    first = {**ANNA, "idempotencyKey": "m2", "firstSeenAt": "2026-01-01T00:30:00Z"}
    assert counts(migrate(game, "players", first)) == (1, 1, 0, 0)


@pytest.mark.parametrize("told", [False, True])
def test_webhooks_stay_silent_unless_they_are_asked_for(told: bool) -> None:
    """What moves in is no news; with `emitWebhooks` it is told like anything else."""
    game = world()
    seen = Since(game)
    migrate(game, "players", ANNA, emitWebhooks=told)
    migrate(game, "wallet", GOLD, emitWebhooks=told)
    migrate(game, "inventory", SWORD, emitWebhooks=told)
    assert seen.kinds == (["inventory.changed", "player.registered", "wallet.changed"] if told else [])


def test_in_a_studios_own_economy_only_progression_moves_in() -> None:
    """The studio keeps the rest itself: 409 for that row."""
    game = studio_world()
    xp = {**GOLD, "idempotencyKey": "m2", "economyKey": "xp"}
    reply = migrate(game, "wallet", GOLD, xp)
    assert failures(reply) == [(0, "m1", "economy_not_platform_managed")]
    assert failures(migrate(game, "inventory", {**SWORD, "itemKey": "potion"})) == [
        (0, "m1", "economy_not_platform_managed")
    ]


@pytest.mark.parametrize(
    ("times", "field"),
    [({"firstSeenAt": "2030-01-01T00:00:00Z"}, "firstSeenAt"), ({"lastSeenAt": "2030-01-01T00:00:00Z"}, "lastSeenAt"),
     ({"firstSeenAt": "2025-01-02T00:00:00Z", "lastSeenAt": "2025-01-01T00:00:00Z"}, "lastSeenAt")],
)  # fmt: skip
def test_times_must_be_possible(times: JsonObject, field: str) -> None:
    """Not in the future, and first before last."""
    (failure,) = migrate(world(), "players", {**ANNA, **times}).list("failures")
    details = failure["details"]
    assert isinstance(details, dict)
    assert list(details["fields"]) == [field]  # type: ignore[arg-type] # a mapping


@pytest.mark.parametrize(("rows", "status"), [(0, 400), (1, 200), (1000, 200), (1001, 400)])
def test_one_to_a_thousand_rows(rows: int, status: int) -> None:
    """More are for another request; the answer names the limit."""
    game = world()
    reply = migrate(game, "wallet", *({**GOLD, "idempotencyKey": f"m{at}"} for at in range(rows)))
    assert reply.status == status
    if status == 400:
        assert reply.fields == ["rows"]
        assert "1 to 1000" in str(reply.body)
    else:
        assert total(game.player("anna"), "gold") == 5 * rows


def test_a_thousand_large_rows_fit() -> None:
    """The route takes bodies of up to 8 MiB."""
    game = world()
    fitting, too_large = (
        [cast(Json, {**ANNA, "idempotencyKey": f"m{at}", "playerContext": {"x": "y" * size}}) for at in range(1000)]
        for size in (7_000, 9_000)
    )
    assert counts(migrate(game, "players", *fitting)) == (1000, 1000, 0, 0)
    assert migrate(game, "players", *too_large).refusal == (413, "body_too_large")
