"""Making and deleting a game takes several steps: interrupted, repeated or doubled, it has one effect and one answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from livecore.access.audit import AUDIT
from livecore.access.directory import GAMES, Game
from livecore.kernel.errors import IdempotencyConflict
from livecore.kernel.scope import DIRECTORY, ENVIRONMENTS, Scope
from livecore.kernel.time import DAY
from livecore.kernel.units.due import DUE
from livecore.webhooks import endpoints
from livecore.webhooks.endpoints import PlainVault
from livecore.webhooks.outbox import ENDPOINTS
from tests.added_game import STORES, AddedGame, Said, headers_for, signed_in
from tests.between import Between, Died, die

KEY = "one-key-for-one-effect"


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game over one of the stores."""
    with STORES[request.param](tmp_path) as store:
        yield AddedGame(store)


@pytest.fixture
def owner(game: AddedGame) -> dict[str, str]:
    """The headers of an owner."""
    return signed_in(game.member("owner@example.com"))


def make(game: AddedGame, headers: dict[str, str], name: str = "Second", key: str | None = KEY) -> Said:
    """Make a game under a key."""
    body = {"name": name} if key is None else {"name": name, "idempotencyKey": key}
    return game.ask("POST", f"/admin/v1/studios/{game.made.game.studio_id}/games", body, headers=headers)


def delete(game: AddedGame, headers: dict[str, str], key: str | None = KEY, confirm: str | None = None) -> Said:
    """Delete the game under a key."""
    row = game.made.game
    path = f"/admin/v1/studios/{row.studio_id}/games/{row.game_id}"
    given = headers if key is None else {**headers, "idempotency-key": key}
    return game.ask("DELETE", path, query=f"confirm={confirm or row.game_id}", headers=given)


def games(game: AddedGame) -> list[Game]:
    """The rows of all games."""
    rows: list[Game] = game.store.dump()[DIRECTORY.id][GAMES.name]
    return rows


def entries(game: AddedGame, action: str) -> int:
    """How many entries the directory's trail has for an action."""
    return sum(row.action == action for row in game.store.dump()[DIRECTORY.id][AUDIT.name])


def prepared(game: AddedGame, game_id: str) -> bool:
    """Whether both scopes of a game have their recurring work."""
    dump, recurring = game.store.dump(), set(game.application.areas.recurring)
    works = [dump.get(Scope(game_id, name).id, {}).get(DUE.name, []) for name in ENVIRONMENTS]
    return all(recurring <= {work.kind for work in found} for found in works)


def add_endpoints(game: AddedGame) -> None:
    """Two endpoints in the test environment."""
    for key in ("first", "second"):
        game.in_unit(
            lambda unit, key=key: endpoints.add_endpoint(  # type: ignore[misc] # bound at once
                unit, PlainVault(), key=key, url="https://h.example.com/", events=["*"]
            )
        )


def interrupted(game: AddedGame, after: int, *, in_directory: bool = False) -> Between:
    """From now on the process dies before a write, once."""
    between = Between(game.store, die, after=after, in_directory=in_directory)
    game.application.store = between
    return between


def test_a_repeated_request_makes_one_game(game: AddedGame, owner: dict[str, str]) -> None:
    """The repetition is answered with the same game and changes no row; another body under the key is refused."""
    first = make(game, owner)
    before = game.store.dump()
    again = make(game, owner)
    assert (first.status, again.status) == (201, 201)
    assert again.json == first.json
    assert again.response.header("Idempotent-Replay") == "true"
    assert make(game, owner, "Third").code == "idempotency_conflict"
    assert game.store.dump() == before
    assert len(games(game)) == 2


@pytest.mark.parametrize("step", [0, 1])
def test_an_interrupted_request_makes_one_game(game: AddedGame, owner: dict[str, str], step: int) -> None:
    """A process died before one of the new game's scopes was prepared: the repetition completes what it has begun."""
    between = interrupted(game, step)
    with pytest.raises(Died):
        make(game, owner)
    made = [row for row in games(game) if row.name == "Second"]
    assert between.happened
    assert len(made) == 1
    assert not prepared(game, made[0].game_id)
    again = make(game, owner)
    assert (again.status, again.json["data"]["game"]["gameId"]) == (201, made[0].game_id)
    assert again.response.header("Idempotent-Replay") == "true"
    assert len(games(game)) == 2
    assert prepared(game, made[0].game_id)
    assert entries(game, "admin:games.create") == 1


def test_a_request_that_is_made_twice_at_once_makes_one_game(game: AddedGame, owner: dict[str, str]) -> None:
    """Both had found no answer under the key before either of them wrote."""
    others: list[Said] = []
    game.application.store = Between(game.store, lambda: others.append(make(game, owner)))
    outer = make(game, owner)
    assert [said.status for said in (outer, *others)] == [201, 201]
    assert outer.json == others[0].json
    assert outer.response.header("Idempotent-Replay") == "true"
    assert len(games(game)) == 2
    assert entries(game, "admin:games.create") == 1


def test_of_two_games_under_one_key_at_once_one_is_made(game: AddedGame, owner: dict[str, str]) -> None:
    """The other request is told that the key has been used."""
    others: list[Said] = []
    path, body = f"/admin/v1/studios/{game.made.game.studio_id}/games", {"name": "Slower", "idempotencyKey": KEY}
    request = game.request("POST", path, body, headers=owner)
    slow = game.store.read(DIRECTORY, lambda tx: game.application.prepare(request, tx))
    with pytest.raises(IdempotencyConflict):
        game.application.run_several(slow, Between(game.store, lambda: others.append(make(game, owner, "Quicker"))))
    assert [said.status for said in others] == [201]
    assert {row.name for row in games(game)} == {game.made.game.name, "Quicker"}


def test_a_game_that_is_deleted_is_not_prepared_again(game: AddedGame, owner: dict[str, str]) -> None:
    """The request that made it is answered as before."""
    made = make(game, owner).json
    path = f"/admin/v1/studios/{game.made.game.studio_id}/games/{made['data']['game']['gameId']}"
    assert game.ask("DELETE", path, query="confirm=Second", headers=owner).status == 200
    before = game.store.dump()
    assert make(game, owner).json == made
    assert game.store.dump() == before


def test_a_repeated_deletion_is_answered_again(game: AddedGame, owner: dict[str, str]) -> None:
    """For a day, to who may delete games; under another key or none the game is gone, whatever else is wrong."""
    add_endpoints(game)
    first = delete(game, owner)
    before = game.store.dump()
    again = delete(game, owner)
    assert (first.status, again.status) == (200, 200)
    assert again.json == first.json == {"data": {"deleted": True}}
    assert again.response.header("Idempotent-Replay") == "true"
    assert delete(game, owner, confirm="another").code == "idempotency_conflict"
    for key, confirm in ((None, None), ("another", None), (None, "another"), (None, "%00")):
        assert delete(game, owner, key, confirm).code == "game_not_found"
    for role in ("ADMIN", "VIEWER"):
        assert delete(game, signed_in(game.member(f"{role}@example.com", role=role))).code == "game_not_found"
    bot = headers_for(game.personal_key(game.member("second@example.com")))
    assert delete(game, bot).code == "game_not_found"
    assert games(game) == before[DIRECTORY.id][GAMES.name]
    game.now += DAY
    assert delete(game, signed_in(game.member("third@example.com"))).code == "game_not_found"


@pytest.mark.parametrize("key", [KEY, None])
@pytest.mark.parametrize("step", [0, 1])
def test_an_interrupted_deletion_is_completed(
    game: AddedGame, owner: dict[str, str], step: int, key: str | None
) -> None:
    """By the same request again, with or without a key; then the game is gone."""
    add_endpoints(game)
    between = interrupted(game, step)
    with pytest.raises(Died):
        delete(game, owner, key)
    assert between.happened
    assert len(game.rows(ENDPOINTS)) == 2 - step
    before = game.store.dump()
    refused = delete(game, owner, None, "another")
    assert list(refused.json["error"]["details"]["fields"]) == ["confirm"]
    assert game.store.dump() == before
    again = delete(game, owner, key)
    assert (again.status, again.json) == (200, {"data": {"deleted": True}})
    assert game.rows(ENDPOINTS) == []
    assert entries(game, "admin:games.delete") == 1
    assert delete(game, owner, None).code == "game_not_found"


def test_a_deletion_that_is_made_twice_at_once_has_one_effect(game: AddedGame, owner: dict[str, str]) -> None:
    """Both are told that the game is deleted."""
    others: list[Said] = []
    game.application.store = Between(game.store, lambda: others.append(delete(game, owner)))
    outer = delete(game, owner)
    assert outer.json == others[0].json == {"data": {"deleted": True}}
    assert entries(game, "admin:games.delete") == 1
    game.application.store = game.store
    assert delete(game, owner, None).code == "game_not_found"
