"""Webhook endpoints through the operators' surface, over each store: secrets shown once, URLs judged, roles kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from livecore.access.audit import AUDIT
from livecore.kernel.units.unit import Unit
from livecore.webhooks.backlog import backlogs_of
from livecore.webhooks.dispatch import Attempt, lease_due, record_attempt
from livecore.webhooks.outbox import DELIVERIES, ENDPOINTS
from livecore.webhooks.outcome import answered
from livecore.webhooks.signature import sign, verify_signature
from tests.added_game import STORES, AddedGame, Said, headers_for, signed_in
from tests.samples import sample

KEY = "a-key-that-nobody-can-guess-0002"
URL = "https://hooks.example.com/a"


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game over one of the stores, of a deployment with a secret."""
    with STORES[request.param](tmp_path) as store:
        yield AddedGame(store, secrets=[b"deployment"])


@pytest.fixture
def quick() -> Iterator[AddedGame]:
    """A game in memory, for what no store decides."""
    with STORES["memory"](Path()) as store:
        yield AddedGame(store, secrets=[b"deployment"])


class Desk:
    """A member's requests about the endpoints of the game."""

    def __init__(self, game: AddedGame, headers: dict[str, str]) -> None:
        self.game = game
        self.headers = headers
        self.path = f"/admin/v1/studios/{game.made.game.studio_id}/games/{game.made.game.game_id}/webhooks"

    def ask(
        self, method: str, path: str = "", body: object = None, *, environment: str = "test", key: str | None = None
    ) -> Said:
        """A request in an environment, under an idempotency key if one is given."""
        headers = self.headers if key is None else {**self.headers, "idempotency-key": key}
        return self.game.ask(method, f"{self.path}{path}", body, query=f"environment={environment}", headers=headers)

    def create(self, url: str = URL, **further: object) -> dict[str, Any]:
        """A new test endpoint, with its secret."""
        said = self.ask("POST", "", {"url": url, **further})
        assert said.status == 201, said.json
        data: dict[str, Any] = said.json["data"]
        return data


def desk(game: AddedGame, email: str = "owner@example.com", **further: Any) -> Desk:  # noqa: ANN401 - a role, games
    """The desk of a new member."""
    return Desk(game, signed_in(game.member(email, **further)))


def proves(game: AddedGame, secret: str) -> bool:
    """Whether the next delivery is signed with this secret."""
    (attempt,) = game.in_unit(lambda unit: lease_due(unit, 1))
    header = sign(attempt.sealed_secrets, game.now // 1000, attempt.body)
    return verify_signature(attempt.body, header, [secret], now_seconds=game.now // 1000) is not None


def test_an_endpoint_is_made_and_gets_events_signed_with_its_secret(game: AddedGame) -> None:
    """The secret is in the answer, with which what happens from now on is signed."""
    made = desk(game).create(events=["friend.removed"])
    assert made["endpoint"]["key"] == "endpoint-1"
    assert (made["endpoint"]["environment"], made["endpoint"]["status"]) == ("test", "active")
    game.in_unit(lambda unit: unit.emit(sample("friend.removed")))
    game.in_unit(lambda unit: unit.emit(sample("player.banned")))
    assert len(game.rows(DELIVERIES)) == 1
    assert proves(game, made["secret"])
    listed = desk(game, "viewer@example.com", role="VIEWER").ask("GET").json["data"]["endpoints"]
    assert listed == [{**made["endpoint"], "waiting": 1, "oldestWaitingAt": "2026-01-01T00:00:00.000Z"}]


def test_a_repetition_shows_the_same_secret(game: AddedGame) -> None:
    """One endpoint is made; a secret is kept sealed with the endpoint alone, never with the answer."""
    owner, body = desk(game), {"url": URL, "key": "backend"}
    first, again = (owner.ask("POST", "", body, key=KEY) for _ in range(2))
    assert first.status == 201
    assert first.json == again.json
    secret = first.json["data"]["secret"]
    (endpoint,) = game.rows(ENDPOINTS)
    stored = repr(game.store.dump())
    assert stored.count(secret) == repr(endpoint).count(secret) == 1  # this vault seals nothing
    assert secret not in repr(game.rows(AUDIT))


def test_a_rotated_secret_overlaps_for_a_day(game: AddedGame) -> None:
    """Both sign, a repetition shows the same new one, and the row says until when the old one does."""
    owner = desk(game)
    made = owner.create()
    path = f"/{made['endpoint']['endpointId']}/rotate-secret"
    first, again = (owner.ask("POST", path, key=KEY) for _ in range(2))
    assert first.json == again.json
    data = first.json["data"]
    assert data["secret"] != made["secret"]
    assert data["endpoint"]["previousSecretUntil"] == "2026-01-02T00:00:00.000Z"
    for secret in (made["secret"], data["secret"]):
        owner.ask("POST", f"/{made['endpoint']['endpointId']}/sample", {"kind": "friend.removed"})
        assert proves(game, secret)
    game.now += 86_400_000
    later = desk(game, "later@example.com")
    assert later.ask("GET").json["data"]["endpoints"][0]["previousSecretUntil"] is None


def test_a_sample_is_queued_also_for_a_paused_endpoint(game: AddedGame) -> None:
    """Whatever it subscribes to; a kind that does not exist is refused by its field."""
    owner = desk(game)
    endpoint = owner.create(events=["player.banned"])["endpoint"]["endpointId"]
    owner.ask("POST", f"/{endpoint}/pause")
    said = owner.ask("POST", f"/{endpoint}/sample", {"kind": "gift.sent"})
    assert said.status == 201
    row = said.json["data"]["delivery"]
    assert (row["kind"], row["sample"], row["status"], row["endpointKey"]) == (
        "gift.sent", True, "pending", "endpoint-1",
    )  # fmt: skip
    refused = owner.ask("POST", f"/{endpoint}/sample", {"kind": "gift.lost"})
    assert (refused.status, list(refused.json["error"]["details"]["fields"])) == (400, ["kind"])


def test_an_endpoint_is_changed_paused_unpaused_and_removed(game: AddedGame) -> None:
    """Each step is in the audit trail of the environment, with what was before and after."""
    owner = desk(game)
    endpoint = owner.create()["endpoint"]["endpointId"]
    changed = owner.ask("PATCH", f"/{endpoint}", {"url": "https://hooks.example.com:443/b", "events": ["gift.sent"]})
    row = changed.json["data"]["endpoint"]
    assert (row["url"], row["events"], row["key"]) == ("https://hooks.example.com/b", ["gift.sent"], "endpoint-1")
    assert owner.ask("POST", f"/{endpoint}/unpause").code == "webhook_state_conflict"
    paused = owner.ask("POST", f"/{endpoint}/pause").json["data"]["endpoint"]
    assert (paused["status"], paused["pauseReason"]) == ("paused", "operator")
    assert owner.ask("POST", f"/{endpoint}/pause").code == "webhook_state_conflict"
    assert owner.ask("POST", f"/{endpoint}/unpause").json["data"]["endpoint"]["status"] == "active"
    assert owner.ask("DELETE", f"/{endpoint}").json["data"] == {"removed": True}
    assert owner.ask("DELETE", f"/{endpoint}").code == "webhook_endpoint_not_found"
    actions = [row.action.removeprefix("admin:webhooks.") for row in game.rows(AUDIT)]
    assert sorted(actions) == ["create", "pause", "remove", "unpause", "update"]
    for row in game.rows(AUDIT):
        assert (row.target_kind, row.target_id, row.permission) == ("webhook_endpoint", endpoint, "webhook.manage")
    (update,) = [row for row in game.rows(AUDIT) if row.action.endswith("update")]
    assert json.loads(update.before)["url"] == URL
    assert json.loads(update.after)["url"] == "https://hooks.example.com/b"


def backlogs(said: Said) -> list[tuple[object, ...]]:
    """How much waits for each listed endpoint, how much is held, and when the oldest was queued."""
    return [(row["waiting"], row["held"], row["oldestWaitingAt"]) for row in said.json["data"]["endpoints"]]


def emit(unit: Unit, count: int) -> None:
    """Let so many events happen."""
    for _ in range(count):
        unit.emit(sample("friend.removed"))


def answer(game: AddedGame, attempt: Attempt, status: int) -> None:
    """Record that an attempt was answered with this status."""
    outcome = answered(status, now=game.now)
    game.in_unit(lambda unit: record_attempt(unit, attempt.delivery_id, attempt.number, outcome))


def test_a_list_says_how_much_waits_and_since_when(game: AddedGame) -> None:
    """For the first attempt, for a retry and for the end of a pause; what was delivered waits no more."""
    owner = desk(game)
    first = owner.create()["endpoint"]["endpointId"]
    game.now += 1_000
    second = owner.create()["endpoint"]["endpointId"]
    assert backlogs(owner.ask("GET")) == [(0, 0, None), (0, 0, None)]
    for _ in range(2):
        game.in_unit(lambda unit: unit.emit(sample("friend.removed")))
        game.now += 1_000
    paused = owner.ask("POST", f"/{first}/pause").json["data"]["endpoint"]
    assert (paused["waiting"], paused["held"], paused["oldestWaitingAt"]) == (2, 0, "2026-01-01T00:00:01.000Z")
    for attempt in game.in_unit(lambda unit: lease_due(unit, 10)):
        assert attempt.endpoint_id == second
        answer(game, attempt, 204)
    game.in_unit(lambda unit: unit.emit(sample("friend.removed")))
    assert backlogs(owner.ask("GET")) == [(3, 3, "2026-01-01T00:00:01.000Z"), (1, 0, "2026-01-01T00:00:03.000Z")]
    (attempt,) = game.in_unit(lambda unit: lease_due(unit, 10))
    answer(game, attempt, 500)
    game.now += 1_000
    assert backlogs(owner.ask("GET"))[1] == (1, 0, "2026-01-01T00:00:03.000Z")
    unpaused = owner.ask("POST", f"/{first}/unpause").json["data"]["endpoint"]
    assert (unpaused["waiting"], unpaused["held"]) == (3, 0)


def test_a_backlog_is_counted_up_to_a_bound(game: AddedGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """A month of a pause is not counted to its end for each look; the oldest is found all the same."""
    owner = desk(game)
    first = owner.create()["endpoint"]["endpointId"]
    game.in_unit(partial(emit, count=2))
    owner.ask("POST", f"/{first}/pause")
    game.in_unit(lambda unit: lease_due(unit, 10))
    game.now += 1_000
    game.in_unit(partial(emit, count=7))
    assert backlogs(owner.ask("GET")) == [(9, 9, "2026-01-01T00:00:00.000Z")]
    monkeypatch.setattr(backlogs_of, "__kwdefaults__", {"limit": 5})
    assert backlogs(owner.ask("GET")) == [(5, 5, "2026-01-01T00:00:00.000Z")]


@pytest.mark.parametrize(
    ("environment", "url"),
    [
        ("test", "http://hooks.example.com/a"),
        ("live", "http://localhost/a"),
        ("test", "https://10.0.0.1/a"),
        ("test", "https://169.254.169.254/latest"),
        ("test", "https://user:pass@hooks.example.com/"),
        ("test", "https://hooks.example.com/#part"),
        ("test", "https://0x7f000001/"),
        ("test", "https://[::ffff:127.0.0.1]/"),
        ("test", "https://internal/"),
        ("test", "file:///etc/passwd"),
        ("test", ""),
        ("test", "https://hooks.example.com/" + "a" * 3_000),
    ],
    ids=lambda part: part[:40],
)
def test_a_url_that_is_not_allowed_is_refused(quick: AddedGame, environment: str, url: str) -> None:
    """With its field, when an endpoint is made and when it is changed, and nothing is changed."""
    owner = desk(quick)
    made = owner.ask("POST", "", {"url": URL}, environment=environment).json["data"]["endpoint"]["endpointId"]
    before = quick.store.dump()
    for said in (
        owner.ask("POST", "", {"url": url}, environment=environment),
        owner.ask("PATCH", f"/{made}", {"url": url}, environment=environment),
    ):
        assert (said.status, said.code) == (400, "validation_failed")
        assert list(said.json["error"]["details"]["fields"]) == ["url"]
    assert quick.store.dump() == before


def test_localhost_is_for_tests(quick: AddedGame) -> None:
    """In the test environment of a deployment that is not for production."""
    assert desk(quick).create("http://localhost:8000/hook")["endpoint"]["url"] == "http://localhost:8000/hook"


def test_an_endpoint_is_named_by_its_id_alone(quick: AddedGame) -> None:
    """Not by its key, also where the key of one reads like the id of another."""
    owner = desk(quick)
    first = owner.create(key="first")["endpoint"]["endpointId"]
    second = owner.create(key=first)["endpoint"]["endpointId"]
    assert owner.ask("POST", "/first/pause").code == "webhook_endpoint_not_found"
    owner.ask("DELETE", f"/{first}")
    assert owner.ask("POST", f"/{first}/pause").code == "webhook_endpoint_not_found"
    assert owner.ask("POST", f"/{second}/pause").status == 200


def test_an_endpoint_of_another_environment_is_not_found(quick: AddedGame) -> None:
    """Nor one of another game."""
    owner = desk(quick)
    endpoint = owner.create()["endpoint"]["endpointId"]
    for verb in ("pause", "unpause", "rotate-secret"):
        assert owner.ask("POST", f"/{endpoint}/{verb}", environment="live").code == "webhook_endpoint_not_found"
    assert owner.ask("GET", environment="live").json["data"]["endpoints"] == []


def test_keys_are_unique_and_endpoints_are_few(quick: AddedGame) -> None:
    """A key that is taken and the twenty-first endpoint are refused."""
    owner = desk(quick)
    owner.create(key="backend")
    assert owner.ask("POST", "", {"url": URL, "key": "backend"}).code == "webhook_endpoint_key_taken"
    other = owner.create(key="other")["endpoint"]["endpointId"]
    assert owner.ask("PATCH", f"/{other}", {"key": "backend"}).code == "webhook_endpoint_key_taken"
    for _ in range(18):
        owner.create()
    refused = owner.ask("POST", "", {"url": URL})
    assert (refused.status, refused.code) == (409, "webhook_endpoint_limit_reached")


@pytest.mark.parametrize(
    "body", [{"events": []}, {"events": ["no.such"]}, {"key": ""}, {"key": "k" * 65}, {"status": "active"}]
)
def test_what_is_no_endpoint_is_refused(quick: AddedGame, body: dict[str, object]) -> None:
    """By the name of the field."""
    said = desk(quick).ask("POST", "", {"url": URL, **body})
    assert (said.status, said.code) == (400, "validation_failed")
    assert all(field.startswith(next(iter(body))) for field in said.json["error"]["details"]["fields"])


def test_a_developer_manages_test_endpoints_only(quick: AddedGame) -> None:
    """And sends samples in both environments."""
    owner, developer = desk(quick), desk(quick, "developer@example.com", role="GAME_DEVELOPER")
    live = owner.ask("POST", "", {"url": URL}, environment="live").json["data"]["endpoint"]["endpointId"]
    own = developer.create()["endpoint"]["endpointId"]
    assert developer.ask("POST", "", {"url": URL}, environment="live").code == "permission_denied"
    for method, path, body in (
        ("PATCH", "", {"key": "mine"}), ("DELETE", "", None), ("POST", "/pause", None), ("POST", "/rotate-secret", None),
    ):  # fmt: skip
        refused = developer.ask(method, f"/{live}{path}", body, environment="live")
        assert refused.json["error"]["details"] == {"permission": "webhook.manage"}
    for environment, endpoint in (("test", own), ("live", live)):
        said = developer.ask("POST", f"/{endpoint}/sample", {"kind": "gift.sent"}, environment=environment)
        assert said.status == 201


def test_a_script_makes_test_endpoints_only(quick: AddedGame) -> None:
    """A live one wants somebody who is signed in."""
    bot = Desk(quick, headers_for(quick.personal_key(quick.member("owner@example.com"))))
    bot.create()
    assert bot.ask("POST", "", {"url": URL}, environment="live").code == "dashboard_only"


def test_a_script_turns_no_live_endpoint_and_takes_no_secret_of_one(game: AddedGame) -> None:
    """Whoever may do that has made one; events and the name stay theirs to change, and test endpoints altogether."""
    owner = game.member("owner@example.com")
    mine, bot = Desk(game, signed_in(owner)), Desk(game, headers_for(game.personal_key(owner)))
    live = mine.ask("POST", "", {"url": URL}, environment="live").json["data"]["endpoint"]["endpointId"]
    before = game.store.dump()
    for method, path, body in (
        ("PATCH", f"/{live}", {"url": "https://evil.example.com/"}),
        ("PATCH", f"/{live}", {"url": URL, "key": "mine"}),
        ("PATCH", f"/{live}", {"url": 5}),
        ("PATCH", "/wh_none", {"url": URL}),
        ("POST", f"/{live}/rotate-secret", None),
        ("POST", "/wh_none/rotate-secret", None),
    ):
        said = bot.ask(method, path, body, environment="live")
        assert (said.status, said.code) == (403, "dashboard_only"), (method, path, body)
    assert game.store.dump() == before
    changed = bot.ask("PATCH", f"/{live}", {"key": "named", "events": ["gift.sent"]}, environment="live")
    assert (changed.status, changed.json["data"]["endpoint"]["url"]) == (200, URL)
    assert bot.ask("POST", f"/{live}/sample", {"kind": "gift.sent"}, environment="live").status == 201
    own = bot.create()["endpoint"]["endpointId"]
    assert bot.ask("PATCH", f"/{own}", {"url": "https://hooks.example.com/b"}).status == 200
    assert bot.ask("POST", f"/{own}/rotate-secret").status == 200
    assert mine.ask("PATCH", f"/{live}", {"url": "https://hooks.example.com/b"}, environment="live").status == 200
    assert mine.ask("POST", f"/{live}/rotate-secret", environment="live").status == 200


def test_a_key_that_reads_is_told_first_that_nobody_signed_in(quick: AddedGame) -> None:
    """The order of refusals: the permission, the dashboard, the key that only reads, the form."""
    owner = quick.member("owner@example.com")
    reader = Desk(quick, headers_for(quick.personal_key(owner, readOnly=True)))
    for body, code in (
        ({"url": URL}, "dashboard_only"),
        ({"key": "mine"}, "read_only_key"),
        ({"key": 5}, "read_only_key"),
    ):
        assert reader.ask("PATCH", "/wh_none", body, environment="live").code == code
    assert reader.ask("PATCH", "/wh_none", {"url": URL}).code == "read_only_key"
