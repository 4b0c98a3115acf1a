"""`livecore games`: another game in the same studio, and the end of one."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from livecore.access.audit import AUDIT_BY_TIME
from livecore.access.directory import GAMES, delete_game
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.units.due import DUE_BY_TIME
from livecore.webhooks.outbox import ALL_ENDPOINTS
from livecore_server.storage.database import store_at
from livecore_server.system import now_millis
from tests.server.commands import Command
from tests.server.test_cli import config_file, works

# -- make


def test_another_game_is_made_in_the_same_studio(livecore: Command, database: str, tmp_path: Path) -> None:
    """With four keys that work, printed as `init` prints them, and ready like a first game."""
    first = livecore.done("init", "--database", database, "--json").json
    file = config_file(tmp_path, name="Lanterns")
    made = livecore.done("games", "make", "--database", database, "--config", file, "--json").json
    assert (set(made), made["studioId"]) == (set(first), first["studioId"])
    assert made["gameId"] != first["gameId"]
    for environment in ("test", "live"):
        for permission in ("client", "server"):
            assert works(database, made["keys"][environment][permission], permission) == "ok"
        with store_at(database) as store:
            assert store.read(Scope(made["gameId"], environment), lambda tx: tx.count(DUE_BY_TIME)) >= 3
    out = livecore.done("games", "make", "--database", database, "--config", file).out
    assert len(re.findall(r"\blc_(?:test|live)_(?:client|server)_", out)) == 4
    assert "shown this once" in out


def test_a_game_is_made_where_there_is_a_studio(livecore: Command, database: str) -> None:
    """Not in a database that no game was ever in, for which `init` is."""
    with store_at(database, create=True):
        pass
    ended = livecore("games", "make", "--database", database)
    assert (ended.status, "`livecore init` makes one" in ended.err) == (1, True)


# -- delete


def typing(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """What a person types, or nothing where nobody is there."""
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def games_of(livecore: Command, database: str) -> list[str]:
    """The ids of the games."""
    return [row["gameId"] for row in livecore.done("games", "list", "--database", database, "--json").json["games"]]


@pytest.mark.parametrize(
    ("typed", "status", "says"),
    [
        ("Untitled\n", 1, "that is not its name: {game} (Untitled game) stays as it is"),
        ("yes\n", 1, "that is not its name: {game} (Untitled game) stays as it is"),
        ("", 2, "nobody is here to type the game's name: a script gives --yes"),
    ],
)
def test_a_game_is_not_deleted_without_its_name(
    livecore: Command, database: str, monkeypatch: pytest.MonkeyPatch, typed: str, status: int, says: str
) -> None:
    """Another name, a plain yes, and a script that did not think of the question."""
    made = livecore.done("init", "--database", database, "--json").json
    typing(monkeypatch, typed)
    ended = livecore("games", "delete", "--database", database, "--game", made["gameId"])
    assert (ended.status, ended.out) == (status, "")
    assert "Type the game's name, Untitled game, to delete it" in ended.err
    assert ended.err.splitlines()[-1].endswith(f"livecore: {says.format(game=made['gameId'])}")
    assert games_of(livecore, database) == [made["gameId"]]
    assert works(database, made["keys"]["live"]["server"], "server") == "ok"


@pytest.mark.parametrize("typed", ["Untitled game\n", "{game}\n", None])
def test_a_game_is_deleted_as_the_operation_does_it(
    livecore: Command, database: str, monkeypatch: pytest.MonkeyPatch, typed: str | None
) -> None:
    """Keys end, endpoints of both environments go, the directory has the entry, and the rest waits for `games purge`."""
    made = livecore.done("init", "--database", database, "--json").json
    game_id = made["gameId"]
    other = livecore.done("games", "make", "--database", database, "--json").json
    for environment in ("test", "live"):
        where = ["--game", game_id, "--environment", environment]
        livecore.done("webhooks", "add", "--database", database, *where, "--url", "https://example.com/in")
    typing(monkeypatch, "" if typed is None else typed.format(game=game_id))
    yes = ["--yes"] if typed is None else []
    out = livecore.done("games", "delete", "--database", database, "--game", game_id, *yes).out
    assert out == (f"{game_id} (Untitled game) is deleted; `livecore games purge --game {game_id}` removes its data\n")
    assert games_of(livecore, database) == [other["gameId"]]
    assert works(database, made["keys"]["live"]["server"], "server") == "api_key_revoked"
    assert works(database, other["keys"]["live"]["server"], "server") == "ok"
    with store_at(database) as store:
        for environment in ("test", "live"):
            assert store.read(Scope(game_id, environment), lambda tx: tx.count(ALL_ENDPOINTS)) == 0
        entry = store.read(DIRECTORY, lambda tx: tx.scan(AUDIT_BY_TIME))[-1]
    assert (entry.action, entry.via, entry.target_id) == ("games.delete", "cli", game_id)
    again = livecore("games", "delete", "--database", database, "--game", game_id, "--yes")
    assert (again.status, f"there is no game {game_id}; there are: {other['gameId']}" in again.err) == (2, True)
    assert game_id in livecore.done("games", "purge", "--database", database).out


def test_an_interrupted_deletion_is_completed(livecore: Command, database: str) -> None:
    """The game is marked and its endpoints are still there: the same command removes them."""
    game_id = livecore.done("init", "--database", database, "--json").json["gameId"]
    where = ["--game", game_id, "--environment", "live"]
    livecore.done("webhooks", "add", "--database", database, *where, "--url", "https://example.com/in")
    with store_at(database) as store:
        game = store.read(DIRECTORY, lambda tx: tx.get(GAMES, game_id))
        assert game is not None
        store.write(DIRECTORY, lambda tx: delete_game(tx, game, now_millis()))
    livecore.done("games", "delete", "--database", database, "--game", game_id, "--yes")
    with store_at(database) as store:
        assert store.read(Scope(game_id, "live"), lambda tx: tx.count(ALL_ENDPOINTS)) == 0
    assert livecore("games", "delete", "--database", database, "--game", game_id, "--yes").status == 2
