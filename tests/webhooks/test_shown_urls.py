"""The query of an endpoint's URL may hold a token: it is shown to those only who may manage endpoints of its environment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from livecore.access.audit import AUDIT
from livecore.access.member_rows import Role
from livecore.webhooks.dispatch import lease_due, record_attempt
from livecore.webhooks.endpoint import BREAKER_THRESHOLD
from livecore.webhooks.outbox import DELIVERIES, EVENTS
from livecore.webhooks.outcome import unanswered
from tests.added_game import STORES, AddedGame, headers_for, signed_in
from tests.samples import sample

SHORT: Final = "https://hooks.example.com/in"
WHOLE: Final = f"{SHORT}?token=of-the-receiver"
MANAGES: Final[dict[str, frozenset[Role]]] = {
    "live": frozenset({"OWNER", "ADMIN", "GAME_ADMIN"}),
    "test": frozenset({"OWNER", "ADMIN", "GAME_ADMIN", "GAME_DEVELOPER"}),
}
ROLES: Final[tuple[Role, ...]] = ("OWNER", "ADMIN", "GAME_ADMIN", "GAME_DEVELOPER", "GAME_DEBUGGER", "VIEWER")


@pytest.fixture
def game(tmp_path: Path) -> Iterator[AddedGame]:
    """A game."""
    with STORES["memory"](tmp_path) as store:
        yield AddedGame(store)


def read(game: AddedGame, headers: dict[str, str], path: str, environment: str) -> Any:  # noqa: ANN401 - data
    """What an operator reads below the game."""
    row = game.made.game
    below = f"/admin/v1/studios/{row.studio_id}/games/{row.game_id}"
    return game.ask("GET", f"{below}{path}", query=f"environment={environment}", headers=headers).json["data"]


def register(game: AddedGame, environment: str, url: str = WHOLE, **further: object) -> dict[str, Any]:
    """An endpoint that an owner makes."""
    row = game.made.game
    path = f"/admin/v1/studios/{row.studio_id}/games/{row.game_id}/webhooks"
    owner = signed_in(game.member(f"{environment}-{len(further)}@example.com"))
    said = game.ask("POST", path, {"url": url, **further}, query=f"environment={environment}", headers=owner)
    made: dict[str, Any] = said.json["data"]["endpoint"]
    return made


@pytest.mark.parametrize("environment", ["live", "test"])
@pytest.mark.parametrize("role", ROLES)
def test_a_list_shows_the_query_to_who_manages_endpoints(game: AddedGame, role: Role, environment: str) -> None:
    """By a session, of that environment only; by no personal key, of which a script or an assistant would note it."""
    assert register(game, environment)["url"] == WHOLE
    cookie = game.member(f"{role}@example.com", role)
    (row,) = read(game, signed_in(cookie), "/webhooks", environment)["endpoints"]
    assert row["url"] == (WHOLE if role in MANAGES[environment] else SHORT)
    for read_only in (False, True):
        key = headers_for(game.personal_key(cookie, readOnly=read_only))
        assert read(game, key, "/webhooks", environment)["endpoints"][0]["url"] == SHORT


@pytest.mark.parametrize("environment", ["live", "test"])
def test_a_change_by_a_personal_key_answers_without_it(game: AddedGame, environment: str) -> None:
    """The endpoint keeps it, and a signed-in member reads it after as before."""
    made, row = register(game, environment), game.made.game
    cookie = game.member("admin@example.com", "ADMIN")
    path = f"/admin/v1/studios/{row.studio_id}/games/{row.game_id}/webhooks/{made['endpointId']}"
    key, query = headers_for(game.personal_key(cookie)), f"environment={environment}"
    said = game.ask("PATCH", path, {"events": ["gift.sent"]}, query=query, headers=key)
    assert (said.status, said.json["data"]["endpoint"]["url"]) == (200, SHORT)
    assert read(game, signed_in(cookie), "/webhooks", environment)["endpoints"][0]["url"] == WHOLE


def test_a_delivery_shows_it_to_the_same(game: AddedGame) -> None:
    """Nothing else that the others read of the delivery has it either."""
    register(game, "test")
    game.in_unit(lambda unit: unit.emit(sample("friend.removed")))
    (row,) = game.rows(DELIVERIES)
    for role in ROLES:
        headers = signed_in(game.member(f"{role}@example.com", role))
        data = read(game, headers, f"/deliveries/{row.delivery_id}", "test")
        assert data["request"]["url"] == (WHOLE if role in MANAGES["test"] else SHORT)
        assert ("token" in json.dumps(data)) is (role in MANAGES["test"])


def test_neither_events_nor_the_trail_have_it(game: AddedGame) -> None:
    """Other endpoints are told of one that failed, by its URL without the query."""
    register(game, "test", events=["friend.removed"])
    register(game, "test", "https://other.example.com/", events=["webhook.endpoint.failed"], key="other")
    for _ in range(BREAKER_THRESHOLD):
        game.in_unit(lambda unit: unit.emit(sample("friend.removed")))
        (attempt,) = game.in_unit(lambda unit: lease_due(unit, 1))
        failed = partial(record_attempt, delivery_id=attempt.delivery_id, number=attempt.number)
        game.in_unit(partial(failed, outcome=unanswered("malformed_answer")))
    (event,) = [row for row in game.rows(EVENTS) if row.kind == "webhook.endpoint.failed"]
    assert json.loads(event.data)["url"] == SHORT
    assert "token" not in repr(game.rows(AUDIT))
