"""Maintenance: due work, the ephemeral state's flush, isolation of scopes, and a service that breaks politely."""

from __future__ import annotations

import attrs

from livecore import World
from livecore.api.application import Application
from livecore.api.areas import AREAS
from livecore.api.operations import OPERATIONS
from livecore.api.requests.http import Request
from livecore.api.requests.prepared import Prepared
from livecore.kernel.errors import Json
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.time import Timestamp
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.players.player import PLAYERS
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore.webhooks.outbox import DELIVERIES, EVENTS
from tests.worlds import Reply, ask, befriend, config, gift, give, http, rows_of, world


def _week() -> tuple[list[object], dict[str, dict[str, list[object]]]]:
    game = World(config(), seed=7)
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 50)
    answers: list[object] = []
    for _ in range(7):
        answers.append(gift(anna, bert, amount=5).body)
        answers.append(ask(bert, "friends.suggestions").body)
        game.advance(days=1)
    return answers, game.store.dump()


def test_equal_seeds_give_equal_worlds() -> None:
    """Same seed and calls: the same answers, ids and rows, to the last byte."""
    assert _week() == _week()


def test_every_kind_of_due_work_has_a_handler() -> None:
    """What a world schedules in a week is known to `run_due`."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    gift(anna, bert, "xp", 1)
    assert {row.kind for row in rows_of(game, DUE)} <= set(AREAS.due)


def test_recurring_work_stays_one_of_a_kind() -> None:
    """Preparing a scope again, and months of sweeping, leave one row for each kind."""
    game = world()
    game.configure(config())
    game.advance(days=40)
    kinds = [row.kind for row in rows_of(game, DUE)]
    assert len(kinds) == len(set(kinds))


def test_claimed_gifts_leave_no_due_work() -> None:
    """The expiry is cancelled with the claim."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    before = len(rows_of(game, DUE))
    sent = gift(anna, bert, "xp", 1)
    assert len(rows_of(game, DUE)) == before + 1
    ask(bert, "gifts.claim", gift_id=sent["gift.giftId"])
    assert len(rows_of(game, DUE)) == before


def test_a_late_loop_runs_everything_once() -> None:
    """A server that was down for a month expires what is due, once, when it comes back."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 10)
    gift(anna, bert)
    game.now += 30 * 86_400_000
    game.advance(seconds=1)
    assert [event.kind for event in game.events if event.kind == "grant.expired"] == ["grant.expired"]
    assert ask(anna, "wallet.get")["balances.0.balance"] == 10


def test_nothing_of_one_scope_is_in_the_other() -> None:
    """What happens in test leaves no row in live."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    game.flush()
    assert rows_of(game, PLAYERS, "live") == []
    assert len(rows_of(game, PLAYERS, "test")) == 2


def test_a_path_finds_players_of_its_own_scope() -> None:
    """A live player is unknown to the test key on every read of the studio."""
    game = world()
    live = {"authorization": f"Bearer {game.all_keys['live_client']}"}
    http(game, "POST", "/sdk/v1/players/anna/register", headers=live)
    assert ask(game.server, "friends.list", external_id="anna").refusal == (404, "player_not_found")


def test_flushing_spans_no_scopes() -> None:
    """Values of each scope go to that scope's rows."""
    game = world()
    live = {"authorization": f"Bearer {game.all_keys['live_client']}"}
    http(game, "POST", "/sdk/v1/players/anna/register", headers=live)
    game.player("anna")
    game.advance(hours=1)
    game.flush()
    (row,), (other,) = rows_of(game, PLAYERS, "live"), rows_of(game, PLAYERS, "test")
    assert (row.sessions, other.sessions) == (1, 1)


def test_what_breaks_is_told_without_a_traceback() -> None:
    """500 `internal_error` names the request id and nothing else of the inside."""
    game = world()
    request = Request("GET", "/server/v1/ping", headers={**game.server.headers, "x-request-id": "r1"})
    application: Application = game.application
    prepared = game.store.read(DIRECTORY, lambda tx: application.prepare(request, tx))
    assert isinstance(prepared, Prepared)
    reply = Reply(application.fail(prepared))
    body: Json = {"code": "internal_error", "message": reply["message"], "details": {"requestId": "r1"}}
    assert reply.status == 500
    assert reply.body == {"error": body}


def test_an_operation_that_raises_leaves_no_rows() -> None:
    """A programming error in a handler drops the transaction like a refusal does."""
    game = world()
    anna = game.player("anna")

    def broken(unit: Unit, _: object) -> None:
        unit.tx.delete(PLAYERS, anna.player_id)
        raise ZeroDivisionError

    operations = [
        attrs.evolve(entry, handler=broken) if entry.id == "sdk:players.setIdentity" else entry for entry in OPERATIONS
    ]
    application = Application(game.store, clock=lambda: game.now, seeds=lambda: bytes(32), operations=operations)
    before = game.store.dump()
    try:
        application.handle(anna.request("players.setIdentity", name="Anna"))
    except ZeroDivisionError:
        assert game.store.dump() == before
    else:
        raise AssertionError("the error should have reached the host")


def test_events_go_to_the_endpoints_of_their_own_environment() -> None:
    """What a test key causes, and what expires of a test player, reaches no live endpoint, and the other way round."""
    game = world()
    for scope in game.scopes:
        game.unit_of_work(
            lambda unit: add_endpoint(unit, PlainVault(), key="main", url="https://example.com/hook", events=["*"]),
            scope,
        )
    soon = Timestamp(game.now + 60_000).wire
    entries: Json = [{"type": "currency", "resourceKey": "gold", "amount": 1}]
    for environment in ("test", "live", "live"):
        headers = {"authorization": f"Bearer {game.all_keys[f'{environment}_server']}"}
        body: Json = {"idempotencyKey": str(len(game.events)), "entries": entries, "expiresAt": soon}
        assert http(game, "POST", "/server/v1/players/anna/grants", body, headers=headers).status == 201
    game.advance(minutes=2)
    for environment, expired in (("test", 1), ("live", 2)):
        kinds = [row.kind for row in rows_of(game, EVENTS, environment)]
        assert kinds.count("grant.expired") == expired
        assert kinds.count("player.registered") == 1
        assert len(rows_of(game, DELIVERIES, environment)) == len(kinds)


def test_an_event_that_nobody_wants_is_not_stored() -> None:
    """Without a subscribed endpoint there is no row for it."""
    game = world()
    game.player("anna")
    assert rows_of(game, EVENTS) == []
    game.unit_of_work(
        lambda unit: add_endpoint(unit, PlainVault(), key="main", url="https://example.com/hook", events=["gift.sent"])
    )
    game.player("bert")
    assert rows_of(game, EVENTS) == []


def test_a_refused_request_leaves_no_event() -> None:
    """Events are written in the transaction that causes them, and dropped with it."""
    game = world()
    game.unit_of_work(
        lambda unit: add_endpoint(unit, PlainVault(), key="main", url="https://example.com/hook", events=["*"])
    )
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    before = rows_of(game, EVENTS)
    assert gift(anna, bert).refusal == (409, "gift_insufficient_balance")
    assert rows_of(game, EVENTS) == before
    assert gift(anna, bert, "xp", 1).status == 201
    fresh = [row.kind for row in rows_of(game, EVENTS) if row not in before]
    assert sorted(fresh) == ["gift.sent", "grant.created"]
