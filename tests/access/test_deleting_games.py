"""Making and deleting games through the operators' surface, over each store; a deleted game is gone for everybody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from livecore.access.audit import AUDIT
from livecore.access.directory import API_KEYS, GAMES, all_scopes, every_scope
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.units.due import DUE
from livecore.webhooks import endpoints
from livecore.webhooks.endpoints import PlainVault
from livecore.webhooks.outbox import ENDPOINTS
from livecore_server.operations.check import check
from livecore_server.operations.purge import purge
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.added_game import STORES, AddedGame, Said, headers_for, signed_in


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game over one of the stores."""
    with STORES[request.param](tmp_path) as store:
        yield AddedGame(store)


@pytest.fixture(params=["sqlite", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game in a database."""
    with STORES[request.param](tmp_path) as store:
        yield AddedGame(store)


def studio(game: AddedGame) -> str:
    """The beginning of the paths of the studio."""
    return f"/admin/v1/studios/{game.made.game.studio_id}/games"


def delete(game: AddedGame, headers: dict[str, str], game_id: str, confirm: str) -> Said:
    """Ask to delete a game."""
    return game.ask("DELETE", f"{studio(game)}/{game_id}", query=f"confirm={confirm}", headers=headers)


def make(game: AddedGame, headers: dict[str, str], **body: object) -> Said:
    """Ask to make a game."""
    return game.ask("POST", studio(game), body, headers=headers)


def test_a_game_is_made_and_serves_once_it_has_keys(game: AddedGame) -> None:
    """In the studio of the path, with its configuration and its recurring work; keys are made by their own operation."""
    owner = signed_in(game.member("owner@example.com"))
    said = make(game, owner, name="Second", config={"economy": [{"key": "gold"}]})
    assert said.status == 201
    row = said.json["data"]["game"]
    assert (row["name"], row["configVersion"]) == ("Second", 1)
    path = f"{studio(game)}/{row['gameId']}"
    assert game.ask("GET", f"{path}/keys", headers=owner).json["data"]["keys"] == []
    made = game.ask("POST", f"{path}/keys", {"environment": "live", "permission": "server"}, headers=owner)
    ping = game.ask("GET", "/server/v1/ping", headers=headers_for(made.json["data"]["text"]))
    assert (ping.status, ping.json["data"]["gameId"]) == (200, row["gameId"])
    recurring = game.application.areas.recurring
    for scope in (scope for scope, own in game.store.read(DIRECTORY, all_scopes) if own.game_id == row["gameId"]):
        assert {work.kind for work in game.store.dump()[scope.id][DUE.name]} >= set(recurring)
    config = game.ask("GET", f"{path}/settings", headers=owner).json["data"]["config"]
    assert (config["name"], config["economy"][0]["key"]) == ("Second", "gold")
    (entry,) = [row for row in game.store.dump()[DIRECTORY.id][AUDIT.name] if row.action == "admin:games.create"]
    assert (entry.target_id, entry.studio_id) == (row["gameId"], game.made.game.studio_id)


def test_a_faulty_game_is_not_made(game: AddedGame) -> None:
    """The faults of its configuration are named by their paths; a role for games makes none."""
    owner = signed_in(game.member("owner@example.com"))
    said = make(game, owner, config={"items": [{}], "unknown": 1})
    assert said.code == "validation_failed"
    assert "config.unknown" in said.json["error"]["details"]["fields"]
    assert make(game, owner, name="").code == "validation_failed"
    admin = signed_in(game.member("admin@example.com", role="GAME_ADMIN"))
    assert make(game, admin, name="Mine").json["error"]["details"] == {"permission": "studio.manage"}
    assert len(game.store.dump()[DIRECTORY.id][GAMES.name]) == 1


def test_a_deleted_game_is_gone_for_everybody(game: AddedGame) -> None:
    """Its keys are revoked, its paths lead nowhere, it is in no list, and nothing of it is due or sent."""
    other = game.another_game()
    owner = signed_in(game.member("owner@example.com"))
    game.register("anna")
    for key in ("first", "second"):
        game.in_unit(
            lambda unit, key=key: endpoints.add_endpoint(  # type: ignore[misc] # bound at once
                unit, PlainVault(), key=key, url="https://h.example.com/", events=["*"]
            )
        )
    game_id = game.made.game.game_id
    ask = game.request("GET", "/server/v1/ping", headers=headers_for(game.key("server")))
    prepared = game.store.read(DIRECTORY, lambda tx: game.application.prepare(ask, tx))
    said = delete(game, owner, game_id, game_id)
    assert said.json["data"] == {"deleted": True}
    for environment in ("test", "live"):
        refused = game.ask("GET", "/server/v1/ping", headers=headers_for(game.key("server", environment)))
        assert (refused.status, refused.code) == (401, "api_key_revoked")
    assert game.ask("POST", "/sdk/v1/players/ben/register", headers=headers_for(game.key("client"))).status == 401
    with pytest.raises(Exception, match="revoked"):
        game.store.read(DIRECTORY, lambda tx: game.application.recheck(prepared, tx))
    for path in ("", "/keys", "/settings", "/webhooks", "/players/anna"):
        assert game.ask("GET", f"{studio(game)}/{game_id}{path}", headers=owner).code == "game_not_found"
    assert game.ask("GET", studio(game), headers=owner).json["data"]["games"] == []
    assert delete(game, owner, game_id, game_id).code == "game_not_found"
    assert {own.game_id for _, own in game.store.read(DIRECTORY, all_scopes)} == {other.game_id}
    assert {own.game_id for _, own in game.store.read(DIRECTORY, every_scope)} == {game_id, other.game_id}
    assert game.rows(ENDPOINTS) == []
    keys = [key for key in game.store.dump()[DIRECTORY.id][API_KEYS.name] if key.game_id == other.game_id]
    assert keys
    assert all(key.ends_at is None for key in keys)
    (entry,) = [row for row in game.store.dump()[DIRECTORY.id][AUDIT.name] if row.action == "admin:games.delete"]
    assert (entry.target_id, entry.permission) == (game_id, "game.delete")


def test_a_game_is_deleted_by_who_says_so_twice(game: AddedGame) -> None:
    """By an owner who is signed in, with the name or the id of the game; by nobody else, and no other studio's."""
    owner, game_id = signed_in(game.member("owner@example.com")), game.made.game.game_id
    for confirm in ("Another", "", game_id.lower(), "Untitled%20game%20"):
        said = delete(game, owner, game_id, confirm)
        assert list(said.json["error"]["details"]["fields"]) == ["confirm"]
    for role in ("ADMIN", "GAME_ADMIN"):
        headers = signed_in(game.member(f"{role.lower().replace('_', '-')}@example.com", role=role))
        assert delete(game, headers, game_id, game_id).json["error"]["details"] == {"permission": "game.delete"}
    bot = headers_for(game.personal_key(game.member("second@example.com")))
    assert delete(game, bot, game_id, game_id).code == "dashboard_only"
    other = game.another_game()
    assert delete(game, owner, other.game_id, other.game_id).code == "game_not_found"
    assert len(game.store.read(DIRECTORY, all_scopes)) == 4
    assert delete(game, owner, game_id, "Untitled%20game").status == 200


def test_the_data_of_a_deleted_game_is_purged(kept: AddedGame) -> None:
    """All of it and nothing else, also when it is run again; a game that is not deleted is refused."""
    game = kept
    assert isinstance(game.store, SqliteStore | PostgresStore)
    other = game.another_game()
    owner = signed_in(game.member("owner@example.com"))
    for number in range(3):
        game.register(f"player-{number}")
    with pytest.raises(ValueError, match="is not deleted"):
        purge(game.store, game.made.game)
    game_id = game.made.game.game_id
    delete(game, owner, game_id, game_id)
    before = game.store.dump()
    (deleted,) = [row for row in before[DIRECTORY.id][GAMES.name] if row.game_id == game_id]
    assert purge(game.store, deleted) > 3
    assert purge(game.store, deleted) == 0
    after = game.store.dump()
    assert not any(any(rows for rows in after.get(f"{game_id}/{name}", {}).values()) for name in ("test", "live"))
    others = [place for place in before if other.game_id in place]
    assert {place: after[place] for place in others} == {place: before[place] for place in others}
    assert after[DIRECTORY.id][API_KEYS.name] == before[DIRECTORY.id][API_KEYS.name]
    report = check(game.store, game.store.scopes(), lambda _: None)
    assert report.found == 0
