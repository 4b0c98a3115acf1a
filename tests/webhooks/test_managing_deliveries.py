"""Deliveries through the operators' surface, over each store: found by every filter, looked at, sent again, many at once."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

from livecore.access.audit import AUDIT
from livecore.api.maintenance import run_due
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.records import JsonText, PlayerId, evolve
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.players.player import find
from livecore.webhooks import endpoints
from livecore.webhooks.backlog import count_matching
from livecore.webhooks.delivery import DeliveryStatus
from livecore.webhooks.dispatch import lease_due, record_attempt
from livecore.webhooks.endpoints import PlainVault
from livecore.webhooks.mentions import EVENT_MENTIONS, EventMention
from livecore.webhooks.outbox import (
    DELIVERIES,
    DELIVERIES_BY_TIME,
    ENDPOINTS,
    EVENTS,
    Delivery,
    StoredEvent,
    empty,
)
from livecore.webhooks.outcome import answered, unanswered
from tests.added_game import STORES, AddedGame, Said, findings, headers_for, signed_in
from tests.samples import sample

NAMES = ("anna", "ben", "cleo")
KINDS = ("friend.removed", "gift.sent", "player.banned")
STATUSES: tuple[DeliveryStatus, ...] = ("pending", "held", "delivered", "failed", "discarded")


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game over one of the stores."""
    with STORES[request.param](tmp_path) as store:
        yield AddedGame(store, secrets=[b"deployment"])


class Desk:
    """A member's requests about the deliveries of the game."""

    def __init__(self, game: AddedGame, headers: dict[str, str] | None = None) -> None:
        self.game = game
        self.headers = headers or signed_in(game.member("owner@example.com"))
        self.path = f"/admin/v1/studios/{game.made.game.studio_id}/games/{game.made.game.game_id}/deliveries"

    def ask(self, method: str, path: str = "", body: object = None, *, key: str | None = None, **query: str) -> Said:
        """A request in the test environment."""
        headers = self.headers if key is None else {**self.headers, "idempotency-key": key}
        text = "&".join(f"{name}={value}" for name, value in {"environment": "test", **query}.items())
        return self.game.ask(method, f"{self.path}{path}", body, query=text, headers=headers)

    def listed(self, limit: int = 200, **query: str) -> list[dict[str, Any]]:
        """The whole list, page by page."""
        rows: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            said = self.ask("GET", "", limit=str(limit), **query, **cursor)
            assert said.status == 200, said.json
            data = said.json["data"]
            assert len(data["deliveries"]) <= limit
            rows += data["deliveries"]
            if data["nextCursor"] is None:
                return rows
            cursor = {"cursor": data["nextCursor"]}


def add(game: AddedGame, key: str) -> str:
    """A new endpoint."""
    return game.in_unit(
        lambda unit: endpoints.add_endpoint(unit, PlainVault(), key=key, url="https://h.example.com/", events=["*"])
    ).endpoint.endpoint_id


def emit(unit: Unit, count: int) -> None:
    """Let so many events of one kind happen."""
    for _ in range(count):
        unit.emit(sample("gift.sent"))


@attrs.frozen
class Sent:
    """What the model knows of a delivery: its own row, its event's kind and place, and whom it names."""

    row: Delivery
    kind: str
    happened: tuple[int, str]
    players: frozenset[str]


def happen(unit: Unit, rng: random.Random, to: list[str]) -> list[Sent]:
    """An event about some players, and deliveries of it in any state."""
    names, kind = rng.sample(NAMES, rng.randint(0, 3)), rng.choice(KINDS)
    ids = [PlayerId(player.player_id) for name in names if (player := find(unit, name)) is not None]
    named: list[PlayerId | None] = [*ids, None, None]
    first, second, *further = named
    event_id = unit.new_id("evt")
    unit.tx.insert(
        EVENTS,
        StoredEvent(
            event_id=event_id, kind=kind, occurred_at=unit.now, data=JsonText('{"a":1}'), player_id=first,
            other_player_id=second,
        ),
    )  # fmt: skip
    for third in further[:1]:
        if third is not None:
            unit.tx.insert(EVENT_MENTIONS, EventMention(event_id=event_id, player_id=third))
    sent = []
    for endpoint_id in rng.sample(to, rng.randint(1, len(to))):
        status = rng.choice(STATUSES)
        queued_at = unit.now + rng.choice((0, 0, 0, 7))
        row = Delivery(
            delivery_id=unit.new_id("whd"), event_id=event_id, endpoint_id=endpoint_id, status=status, attempt=1,
            queued_at=queued_at, due_at=queued_at if status == "pending" else None, sample=rng.random() < 0.1,
        )  # fmt: skip
        unit.tx.insert(DELIVERIES, row)
        sent.append(Sent(row, kind, (unit.now, event_id), frozenset(names)))
    return sent


def crowd(game: AddedGame, count: int) -> list[Sent]:
    """Deliveries of many events, to two endpoints, about three players, oldest event first."""
    rng = random.Random(7)  # noqa: S311 - the same cases in every run
    for name in NAMES:
        game.register(name)
    to = [add(game, key) for key in ("first", "second")]
    known: list[Sent] = []
    for _ in range(count):
        game.now += rng.choice((0, 0, 1, 5))
        known += game.in_unit(partial(happen, rng=rng, to=to))
    return known


def wanted_of(known: list[Sent], keys: dict[str, str], **query: str) -> list[str]:
    """The ids that a list must have, by a plain look at all."""
    fitting = [
        sent
        for sent in known
        if query.get("kind") in (None, sent.kind)
        and query.get("status") in (None, sent.row.status)
        and ("endpoint" not in query or sent.row.endpoint_id == keys[query["endpoint"]])
        and ("player" not in query or query["player"] in sent.players)
    ]
    if "kind" in query or "player" in query:
        fitting.sort(key=lambda sent: (*sent.happened, sent.row.delivery_id), reverse=True)
    else:
        fitting.sort(key=lambda sent: (sent.row.queued_at, sent.row.delivery_id), reverse=True)
    return [sent.row.delivery_id for sent in fitting]


def test_every_combination_of_filters_finds_what_a_plain_look_finds(game: AddedGame) -> None:
    """In the order of the list, by pages of every size that joined are the whole."""
    known, desk = crowd(game, 60), Desk(game)
    keys = {row.key: row.endpoint_id for row in game.rows(ENDPOINTS)}
    some = 0
    for kind, status, endpoint, player in itertools.product(
        (None, "gift.sent"), (None, "failed", "held"), (None, "first"), (None, "anna", "cleo")
    ):
        given = {"kind": kind, "status": status, "endpoint": endpoint, "player": player}
        query = {name: value for name, value in given.items() if value is not None}
        wanted = wanted_of(known, keys, **query)
        some += bool(wanted)
        for limit in (3, 200):
            assert [row["deliveryId"] for row in desk.listed(limit, **query)] == wanted, (query, limit)
        total = desk.ask("GET", "", limit="1", **query).json["data"]["total"]
        assert total == (len(wanted) if kind is None and player is None else None), query
    assert some > 30


def test_a_total_is_counted_up_to_a_bound(game: AddedGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of millions does not make who asks, or anybody else, wait for their number."""
    first, second, desk = add(game, "first"), add(game, "second"), Desk(game)
    game.in_unit(partial(emit, count=4))
    game.in_unit(lambda unit: endpoints.pause(unit, first))
    game.in_unit(partial(emit, count=2))
    monkeypatch.setattr(count_matching, "__kwdefaults__", {"limit": 5})

    def total(**query: str) -> object:
        return desk.ask("GET", "", **query).json["data"]["total"]

    assert (total(), total(status="pending"), total(endpoint=first), total(endpoint=second)) == (5, 5, 5, 5)
    assert (total(status="held"), total(endpoint=first, status="pending")) == (2, 4)


def test_a_list_by_event_looks_at_so_many_events_and_goes_on(game: AddedGame) -> None:
    """A rare state among very many events of a kind is found by looking on."""
    add(game, "first")
    game.in_unit(lambda unit: unit.emit(sample("gift.sent")))
    (first,) = game.rows(DELIVERIES)
    game.in_unit(lambda unit: unit.tx.put(DELIVERIES, evolve(first, status="failed", due_at=None)))
    for _ in range(5):
        game.now += 1
        game.in_unit(partial(emit, count=90))
    desk = Desk(game)
    page = desk.ask("GET", "", kind="gift.sent", status="failed").json["data"]
    assert page["deliveries"] == []
    assert page["nextCursor"] is not None
    found = desk.listed(kind="gift.sent", status="failed")
    assert [row["deliveryId"] for row in found] == [first.delivery_id]


def test_what_a_filter_cannot_be_is_refused(game: AddedGame) -> None:
    """Unknown players and cursors of other lists; an endpoint that has been removed still has its deliveries."""
    desk = Desk(game)
    endpoint = add(game, "first")
    game.in_unit(lambda unit: unit.emit(sample("gift.sent")))
    game.in_unit(lambda unit: endpoints.remove_endpoint(unit, endpoint))
    assert [row["endpointKey"] for row in desk.listed(endpoint=endpoint)] == [None]
    assert desk.listed(endpoint="first") == []
    assert desk.ask("GET", "", player="nobody").code == "player_not_found"
    for query in ({"status": "lost"}, {"cursor": "abc"}, {"limit": "0"}, {"limit": "201"}, {"since": "now"}):
        assert desk.ask("GET", "", **query).code == "validation_failed"


def test_a_delivery_shows_its_request_and_every_attempt(game: AddedGame) -> None:
    """The exact body, the headers without the secret, and what became of each attempt; an erased event has no body."""
    desk, endpoint = Desk(game), add(game, "first")
    game.in_unit(lambda unit: unit.emit(sample("friend.removed")))
    bodies = []
    for outcome in (answered(500, now=game.now), unanswered("timeout"), answered(204, now=game.now)):
        (attempt,) = game.in_unit(lambda unit: lease_due(unit, 1))
        bodies.append(attempt.body.decode())
        game.in_unit(partial(record_attempt, delivery_id=attempt.delivery_id, number=attempt.number, outcome=outcome))
        game.now += 700_000
    (row,) = game.rows(DELIVERIES)
    data = desk.ask("GET", f"/{row.delivery_id}").json["data"]
    assert data["request"]["body"] == bodies[-1]
    assert json.loads(bodies[-1])["deliveryAttempt"] == 3
    assert data["request"]["url"] == "https://h.example.com/"
    assert data["request"]["headers"]["X-Signature"] == "[hidden]"
    assert "whsec_" not in json.dumps(data)
    assert [(one["number"], one["status"], one["error"]) for one in data["attempts"]] == [
        (1, 500, "the endpoint answered 500"), (2, None, "timeout"), (3, 204, None),
    ]  # fmt: skip
    assert data["attempts"][0]["at"] < data["attempts"][1]["at"] < data["attempts"][2]["at"]
    assert data["delivery"]["status"] == "delivered"
    event = game.rows(EVENTS)[0]
    game.in_unit(lambda unit: empty(unit, event, ()))
    assert desk.ask("GET", f"/{row.delivery_id}").json["data"]["request"]["body"] is None
    assert desk.ask("GET", "/whd_none").code == "webhook_delivery_not_found"
    assert desk.listed(endpoint=endpoint)[0]["attempts"] == 3


def test_a_delivery_of_an_earlier_release_shows_its_last_attempt(game: AddedGame) -> None:
    """Its row knows no others."""
    desk = Desk(game)
    add(game, "first")
    game.in_unit(lambda unit: unit.emit(sample("friend.removed")))
    (row,) = game.rows(DELIVERIES)
    assert desk.ask("GET", f"/{row.delivery_id}").json["data"]["attempts"] == []
    old = evolve(row, attempt=2, attempted_at=game.now, last_status=500, last_error="x", tried=None)
    game.in_unit(lambda unit: unit.tx.put(DELIVERIES, old))
    shown = desk.ask("GET", f"/{row.delivery_id}").json["data"]["attempts"]
    assert [(one["number"], one["status"], one["error"]) for one in shown] == [(2, 500, "x")]


def test_a_delivery_is_sent_again(game: AddedGame) -> None:
    """The same id, the attempts counted further, no retries by schedule; not while it is on its way."""
    desk = Desk(game)
    add(game, "first")
    game.in_unit(lambda unit: unit.emit(sample("friend.removed")))
    (row,) = game.rows(DELIVERIES)
    assert desk.ask("POST", f"/{row.delivery_id}/replay").code == "webhook_state_conflict"
    (attempt,) = game.in_unit(lambda unit: lease_due(unit, 1))
    done = answered(200, now=game.now)
    game.in_unit(partial(record_attempt, delivery_id=row.delivery_id, number=1, outcome=done))
    said = desk.ask("POST", f"/{row.delivery_id}/replay")
    shown = said.json["data"]["delivery"]
    assert (shown["deliveryId"], shown["status"], shown["retries"]) == (row.delivery_id, "pending", False)
    (again,) = game.in_unit(lambda unit: lease_due(unit, 1))
    assert (again.number, json.loads(again.body)["id"]) == (2, json.loads(attempt.body)["id"])
    (entry,) = [entry for entry in game.rows(AUDIT) if entry.action == "admin:deliveries.replay"]
    assert (entry.target_kind, entry.target_id) == ("webhook_delivery", row.delivery_id)
    assert (json.loads(entry.before)["status"], json.loads(entry.after)["status"]) == ("delivered", "pending")


def fail_all(unit: Unit) -> None:
    """Let everything have failed for good."""
    for row in unit.tx.scan(DELIVERIES_BY_TIME):
        unit.tx.put(DELIVERIES, evolve(row, status="failed", attempt=7, due_at=None))


def test_many_are_sent_again_in_steps_that_a_crash_does_not_stop(game: AddedGame) -> None:
    """The first hundred at once, the others by due work; each once, whoever repeats the request."""
    desk = Desk(game)
    add(game, "first")
    game.in_unit(partial(emit, count=250))
    game.in_unit(lambda unit: unit.emit(sample("friend.removed")))
    game.in_unit(fail_all)
    game.now += 1_000
    body = {"kind": "gift.sent"}
    first, again = (desk.ask("POST", "/replay", body, key="once-and-for-all") for _ in range(2))
    assert first.json["data"]["goesOn"] is True
    assert first.json == again.json
    assert len([row for row in game.rows(DUE) if row.kind == "webhooks.replay"]) == 1
    (step,) = [row for row in game.rows(DUE) if row.kind == "webhooks.replay"]
    # A process dies in the middle of a step, which another one then makes from the same place.
    with pytest.raises(ZeroDivisionError):
        game.in_unit(lambda unit: (run_due(unit, step), 1 // 0))
    for _ in range(5):
        game.now += 1_000
        game.run_due()
    assert [row for row in game.rows(DUE) if row.kind == "webhooks.replay"] == []
    rows = game.rows(DELIVERIES)
    assert [row.status for row in rows].count("pending") == 250
    assert all(row.attempt == 7 and not row.automatic for row in rows if row.status == "pending")
    (entry,) = [entry for entry in game.rows(AUDIT) if entry.action == "admin:deliveries.replayMany"]
    assert json.loads(entry.metadata)["kind"] == "gift.sent"
    if not isinstance(game.store, MemoryStore):
        assert findings(game) == []


def test_many_are_chosen_by_endpoint_state_and_player(game: AddedGame) -> None:
    """As the list finds them, samples and waiting ones left out."""
    known, desk = crowd(game, 40), Desk(game)
    keys = {row.key: row.endpoint_id for row in game.rows(ENDPOINTS)}
    game.now += 60_000
    query = {"endpoint": "first", "status": "delivered", "player": "anna"}
    ids = set(wanted_of(known, keys, **query))
    ids -= {sent.row.delivery_id for sent in known if sent.row.sample}
    said = desk.ask("POST", "/replay", query)
    assert said.json["data"] == {"queued": len(ids), "goesOn": False}
    assert ids
    assert {row.delivery_id for row in game.rows(DELIVERIES) if row.queued_at == game.now} == ids
    assert desk.ask("POST", "/replay", {"status": "held"}).code == "validation_failed"
    assert desk.ask("POST", "/replay", {"player": "nobody"}).code == "player_not_found"


def test_who_may_send_again(game: AddedGame) -> None:
    """Developers in both environments; debuggers and viewers only look."""
    bot = Desk(game, headers_for(game.personal_key(game.member("dev@example.com", role="GAME_DEVELOPER"))))
    assert bot.ask("POST", "/replay", {}).json["data"] == {"queued": 0, "goesOn": False}
    for role in ("GAME_DEBUGGER", "VIEWER"):
        desk = Desk(game, signed_in(game.member(f"{role.lower()}@example.com".replace("_", "-"), role=role)))
        assert desk.ask("POST", "/replay", {}).json["error"]["details"] == {"permission": "webhook.replay"}
        assert desk.listed() == []
