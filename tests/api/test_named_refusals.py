"""Refusals that say what was looked for and what there is, each with the very words of the mistake."""

from __future__ import annotations

from typing import Any, Final

import pytest

from livecore import World
from livecore.commerce.refusals import UnknownCurrency
from livecore.errors import ApiError
from livecore.events.refusals import EventNotFound
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.quoting import bounded, listed, quoted, there_are
from livecore.world import Caller, WorldPlayer
from tests.worlds import RACES, ask, befriend, config

ENTRY: Final = {"type": "currency", "resourceKey": "golds", "amount": 1}
ID: Final = "none-1"
HOSTILE: Final = "\x1b[31m\u202e" + "x" * 100


@pytest.fixture(scope="module")
def game() -> World:
    """A game with events; Anna leads a guild, and Bert is her friend."""
    world = World(config(events=RACES, exchangeRates={"EUR": "1.1"}))
    anna, bert = world.player("anna"), world.player("bert")
    befriend(anna, bert)
    anna.call("guilds.create", name="Otters", join_type="open")
    return world


SDK: Final[list[tuple[str, dict[str, Any], int, str]]] = [
    ("events.start", {"key": "rase"}, 404, "There is no event 'rase'."),
    ("events.listAttempts", {"key": "rase"}, 404, "There is no event 'rase'."),
    (
        "events.progress",
        {"key": "race", "attempt_id": ID, "metrics": {"points": 1}},
        404,
        "There is no attempt 'none-1'.",
    ),
    ("leaderboards.get", {"key": "bestt"}, 404, "There is no leaderboard 'bestt'."),
    ("leaderboards.getEvent", {"leaderboard_id": ID}, 404, "There is no leaderboard 'none-1'."),
    (
        "leaderboards.get",
        {"key": "best", "around": "zed"},
        404,
        "The player 'zed' has no entry on the leaderboard.",
    ),
    ("guilds.get", {"guild_id": ID}, 404, "There is no guild 'none-1'."),
    ("guilds.kick", {"member_external_id": "bert"}, 404, "The player 'bert' is not a member of this guild."),
    ("guilds.acceptRequest", {"request_id": ID}, 404, "There is no open request 'none-1'."),
    (
        "guilds.donate",
        {"request_id": ID, "amount": 1},
        404,
        "There is no help request 'none-1' in this guild.",
    ),
    (
        "guilds.requestHelp",
        {"type": "item", "resource_key": "sword", "amount": 1},
        403,
        "Members cannot help one another with 'sword': there is potion.",
    ),
    ("teams.join", {"key": "crews", "team_key": "reds"}, 404, "There is no team 'reds' in this window."),
    ("partners.accept", {"key": "duo", "invite_id": ID}, 404, "There is no open invitation 'none-1'."),
    ("lobbies.get", {"lobby_id": ID}, 404, "There is no lobby 'none-1'."),
    ("friends.acceptRequest", {"request_id": ID}, 404, "There is no open friend request 'none-1'."),
    ("friends.remove", {"friend_external_id": "zed"}, 404, "The player 'zed' is not a friend."),
    ("friends.sendRequest", {"external_player_id": "zed"}, 404, "There is no player 'zed'."),
    ("friends.sendRequest", {"friend_code": "AAAA-BBBB"}, 404, "There is no friend code 'AAAA-BBBB'."),
    ("friends.unblock", {"blocked_external_id": "zed"}, 404, "The player 'zed' is not blocked."),
    ("gifts.claim", {"gift_id": ID}, 404, "There is no gift 'none-1'."),
    (
        "gifts.send",
        {"external_player_id": "bert", "type": "currency", "resource_key": "golds", "amount": 1},
        403,
        "'golds' is not on the game's gift list: there are gold, gems, xp.",
    ),
    ("grants.claim", {"grant_id": ID}, 404, "There is no grant 'none-1'."),
    ("crates.open", {"crate_id": ID}, 404, "There is no crate 'none-1'."),
    ("crates.odds", {"key": "chests"}, 404, "There is no crate 'chests': there is chest."),
    (
        "wallet.debit",
        {"economy_key": "golds", "amount": 1},
        404,
        "The game defines no economy key 'golds': there are gold, gems, xp.",
    ),
    (
        "inventory.consume",
        {"item_key": "potions", "quantity": 1},
        404,
        "The game defines no item 'potions': there are potion, sword.",
    ),
    (
        "purchases.track",
        {
            "store": "apple",
            "transaction_id": "t1",
            "product_id": "p",
            "product_type": "consumable",
            "amount_minor": 1,
            "currency": "SEK",
        },
        400,
        "There is no exchange rate for the currency 'SEK': there are EUR, USD.",
    ),
]


SERVER: Final[list[tuple[str, dict[str, Any], int, str]]] = [
    ("wallet.get", {"external_id": "zed"}, 404, "There is no player 'zed'."),
    (
        "wallet.credit",
        {"external_id": "anna", "economy_key": "golds", "amount": 1},
        404,
        "The game defines no economy key 'golds': there are gold, gems, xp.",
    ),
    (
        "inventory.grant",
        {"external_id": "anna", "item_key": "potions", "quantity": 1},
        404,
        "The game defines no item 'potions': there are potion, sword.",
    ),
    (
        "grants.create",
        {"external_id": "anna", "idempotency_key": "k", "entries": [ENTRY]},
        400,
        "entries[0].resourceKey: 'golds' is not an economy key of this game: there are gold, gems, xp",
    ),
    (
        "grants.create",
        {"external_id": "anna", "idempotency_key": "k", "entries": [ENTRY, {**ENTRY, "type": "item"}]},
        400,
        "entries[0].resourceKey: 'golds' is not an economy key of this game: there are gold, gems, xp (and 1 more)",
    ),
    (
        "grants.create",
        {"external_id": "anna", "idempotency_key": "k", "entries": [{**ENTRY, "type": "crate"}]},
        400,
        "entries[0].resourceKey: 'golds' is not a crate of this game: there is chest",
    ),
    ("grants.ack", {"external_id": "anna", "grant_id": ID}, 404, "There is no grant 'none-1'."),
    ("guilds.get", {"guild_id": ID}, 404, "There is no guild 'none-1'."),
    ("teams.get", {"event_key": "war", "team_key": "reds"}, 404, "There is no team 'reds' in this window."),
    ("teams.get", {"event_key": "wars", "team_key": "reds"}, 404, "There is no event 'wars'."),
    (
        "teams.get",
        {"event_key": "war", "team_key": "reds", "window_id": ID},
        404,
        "The event has no window 'none-1'.",
    ),
]


def message_of(caller: Caller, operation: str, **arguments: object) -> tuple[int, str]:
    """The status and the message of a refusal."""
    refused = ask(caller, operation, **arguments)
    return refused.status, refused.text("message")


@pytest.mark.parametrize(("operation", "arguments", "status", "message"), SDK)
def test_a_player_is_told_what_was_looked_for(
    game: World, operation: str, arguments: dict[str, Any], status: int, message: str
) -> None:
    """The name in the request stands in the message; configured names are listed."""
    assert message_of(game.player("anna"), operation, **arguments) == (status, message)


@pytest.mark.parametrize(("operation", "arguments", "status", "message"), SERVER)
def test_the_backend_is_told_what_was_looked_for(
    game: World, operation: str, arguments: dict[str, Any], status: int, message: str
) -> None:
    """As a player is."""
    assert message_of(game.server, operation, **arguments) == (status, message)


def test_an_operator_is_told_what_was_looked_for(game: World) -> None:
    """Of the operator surface a few: they come from the same rules."""
    owner = game.operator()
    assert message_of(owner, "attempts.get", attempt_id=ID) == (404, "There is no attempt 'none-1'.")
    assert message_of(owner, "grants.get", grant_id=ID) == (404, "There is no grant 'none-1'.")
    assert message_of(owner, "webhooks.pause", endpoint_id=ID) == (404, "There is no webhook endpoint 'none-1'.")
    assert message_of(owner, "deliveries.get", delivery_id=ID) == (404, "There is no webhook delivery 'none-1'.")
    assert message_of(owner, "events.windows", event_key="rase") == (404, "There is no event 'rase'.")
    assert message_of(owner, "settings.getVersion", version=99) == (404, "There is no version 99 of the settings.")


def test_an_unknown_metric_is_answered_with_the_known_ones() -> None:
    """In the message; `details` are as they were."""
    game = World(config(events=RACES))
    anna = game.player("anna")
    for key, amount in (("gold", 5), ("xp", 1)):
        game.server.call("wallet.credit", external_id="anna", economy_key=key, amount=amount)
    game.server.call("inventory.grant", external_id="anna", item_key="potion", quantity=1)
    attempt = ask(anna, "events.start", key="race").text("attempt.attemptId")
    refused = ask(anna, "events.progress", key="race", attempt_id=attempt, metrics={"pionts": 1, "laps": 2})
    assert refused.refusal == (400, "validation_failed")
    assert refused.text("message") == (
        "metrics.pionts: 'pionts' is not a metric of this event: there are points, lap (and 1 more)"
    )
    fault = "is not a metric of this event"
    assert refused["details.fields"] == {"metrics.pionts": fault, "metrics.laps": fault}
    assert "there are points, lap" in str(raised_for(anna, attempt))


def raised_for(player: WorldPlayer, attempt: str) -> Exception:
    """What the same slip raises by the client's method."""
    try:
        player.events.progress("race", attempt, metrics={"pionts": 1})
    except ApiError as refused:
        return refused
    raise AssertionError("the metric was taken")


def test_what_is_somebody_elses_is_refused_as_what_does_not_exist(game: World) -> None:
    """The message names the id of the request either way, so it does not tell that another player has it."""
    anna, bert, cleo = game.player("anna"), game.player("bert"), game.player("cleo")
    entries = [{**ENTRY, "resourceKey": "gold"}]
    made = ask(game.server, "grants.create", external_id="bert", idempotency_key="b", entries=entries)
    request = ask(cleo, "friends.sendRequest", external_player_id="bert").text("request.requestId")
    for caller, operation, name, taken in (
        (anna, "grants.claim", "grant_id", made.text("grant.grantId")),
        (anna, "crates.open", "crate_id", made.text("grant.grantId")),
        (anna, "friends.acceptRequest", "request_id", request),
        (cleo, "friends.acceptRequest", "request_id", request),
        (anna, "friends.remove", "friend_external_id", "cleo"),
        (anna, "friends.unblock", "blocked_external_id", "bert"),
        (anna, "guilds.kick", "member_external_id", "cleo"),
    ):
        there, nowhere = ask(caller, operation, **{name: taken}), ask(caller, operation, **{name: ID})
        assert (there.status, there.code) == (nowhere.status, nowhere.code)
        assert there.text("message") == nowhere.text("message").replace(ID, taken)
        assert "details" not in there.body["error"]  # type: ignore[operator] # the error's object
    bert.call("friends.declineRequest", request_id=request)


@pytest.mark.parametrize("surrogate", ["", "\ud800"])
def test_hostile_text_is_printable_and_bounded(surrogate: str) -> None:
    """Control characters, characters that change the direction of writing and surrogates are escaped; the rest is cut."""
    text = HOSTILE + surrogate
    for shown in (quoted(surrogate + text), str(EventNotFound.of(text)), bounded(surrogate + text), there_are([text])):
        assert shown.isprintable()
        assert len(shown) < 120
    assert quoted("\x1b[31m") == "'\\x1b[31m'"
    assert quoted(HOSTILE).endswith("x…'")
    assert str(EventNotFound.of("rase")) == "There is no event 'rase'."


def test_a_hostile_name_of_a_field_is_bounded(game: World) -> None:
    """A message does not become as long as the request, nor does it hold its control characters."""
    refused = ask(game.player("anna"), "wallet.debit", economy_key="gold", amount=1, **{HOSTILE * 50: 1})
    message = refused.text("message")
    assert refused.status == 400
    assert len(message) < 300
    assert message.isprintable()
    assert message.endswith("…: is not a known field")
    other = ask(game.player("anna"), "friends.remove", friend_external_id="a\u202eb")
    assert other.text("message") == "The player 'a\\u202eb' is not a friend."


def test_at_most_ten_names_are_listed() -> None:
    """And how many more there are."""
    names = [f"k{number}" for number in range(25)]
    assert listed(names) == "k0, k1, k2, k3, k4, k5, k6, k7, k8, k9 and 15 more"
    assert listed(names[:10]) == "k0, k1, k2, k3, k4, k5, k6, k7, k8, k9"
    assert there_are(["gold"]) == "there is gold"
    assert there_are([]) == "there is none"
    assert (
        str(UnknownCurrency.of("SEK", known=[])) == "There is no exchange rate for the currency 'SEK': there is none."
    )


def test_longer_words_leave_the_details_as_they_are() -> None:
    """Only the first fault stands in the message, in its longer words if it has some."""
    fields: dict[str, str] = {"a": "is wrong", "b": "is bad"}
    refused = ValidationFailed(fields, words={"a": "'x' is wrong: there is y", "b": "not shown"})
    envelope: JsonObject = {"code": "validation_failed", "message": refused.message, "details": {"fields": {**fields}}}
    assert refused.message == "a: 'x' is wrong: there is y (and 1 more)"
    assert refused.envelope() == {"error": envelope}
