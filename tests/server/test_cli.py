"""The commands that make and change things: what they do to the database, and what they say when they cannot."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from pathlib import Path

import click
import jsonschema
import pytest

from livecore.access.audit import AUDIT_BY_TIME
from livecore.access.directory import VERSIONS_OF_GAME, require_game
from livecore.access.keys import authenticate
from livecore.api.configuration.game_config import config_of
from livecore.demo import DEMO
from livecore.kernel.errors import Refusal
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.units.due import DUE_BY_TIME
from livecore.version import VERSION
from livecore_server.cli.program import program
from livecore_server.storage.database import store_at
from livecore_server.system import now_millis
from tests.server.commands import Command
from tests.server.serving import make_game, serving


def works(database: str, text: str, permission: str) -> str:
    """`ok`, or the code with which the key is refused."""
    with store_at(database) as store:
        try:
            store.read(
                DIRECTORY,
                lambda tx: authenticate(
                    tx, f"Bearer {text}", "client" if permission == "client" else "server", now_millis()
                ),
            )
        except Refusal as refusal:
            return refusal.code
    return "ok"


def config_file(folder: Path, **config: object) -> Path:
    """A configuration in a file."""
    path = folder / "config.json"
    path.write_text(json.dumps(config), "utf-8")
    return path


# -- init


def test_init_prints_one_json_object_and_nothing_else(livecore: Command, database: str) -> None:
    """A script reads ids and four keys that work, each where it belongs."""
    ended = livecore.done("init", "--database", database, "--json")
    made = ended.json
    assert ended.err == ""
    assert set(made) == {"studioId", "gameId", "keys"}
    assert made["studioId"].startswith("std_")
    assert made["gameId"].startswith("gam_")
    for environment in ("test", "live"):
        for permission in ("client", "server"):
            text = made["keys"][environment][permission]
            assert text.startswith(f"lc_{environment}_{permission}_")
            assert works(database, text, permission) == "ok"


def test_init_makes_a_game_that_is_ready(livecore: Command, database: str, tmp_path: Path) -> None:
    """The configuration is stored, both scopes have their recurring work, and the audit trail says who made it."""
    file = config_file(tmp_path, name="Mine", gifting={"enabled": True})
    game_id = livecore.done("init", "--database", database, "--config", file, "--json").json["gameId"]
    with store_at(database) as store:
        game = store.read(DIRECTORY, lambda tx: require_game(tx, game_id))
        assert (game.name, config_of(game).gifting.enabled) == ("Mine", True)
        for environment in ("test", "live"):
            assert store.read(Scope(game_id, environment), lambda tx: tx.count(DUE_BY_TIME)) >= 3
        assert [row.action for row in store.read(DIRECTORY, lambda tx: tx.scan(AUDIT_BY_TIME))] == ["games.create"]


def test_init_shows_people_the_same(livecore: Command, database: str) -> None:
    """Ids and keys, with a word that this is the only time."""
    out = livecore.done("init", "--database", database).out
    assert len(re.findall(r"\blc_(?:test|live)_(?:client|server)_", out)) == 4
    assert "shown this once" in out


def test_a_configuration_with_faults_is_refused_with_all_of_them(
    livecore: Command, database: str, tmp_path: Path
) -> None:
    """A line for each fault, with the file, the path and the key; nothing is made."""
    file = config_file(tmp_path, economy=[{"key": "gold", "kind": "coins"}], social={"maxFriends": 0}, colour="red")
    ended = livecore("init", "--database", database, "--config", file)
    assert ended.status == 2
    lines = ended.err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"livecore: {file}: ") for line in lines)
    assert (
        "economy[0].kind: must be one of 'currency', 'progression'; it is 'coins' (the entry with key 'gold')"
        in ended.err
    )
    assert "social.maxFriends: must be from 1 to 5000; it is 0" in ended.err
    assert not (tmp_path / "game.db").exists()


def test_a_second_init_is_refused_with_both_ways_out(livecore: Command, database: str, tmp_path: Path) -> None:
    """It would make a second game of the same name, and from then on every command would ask which one is meant."""
    first = livecore.done("init", "--database", database, "--json").json
    ended = livecore("init", "--database", database, "--json")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        f"livecore: this database holds a game already, {first['gameId']} (Untitled game): "
        "`livecore apply FILE` gives a game another configuration, "
        "and `livecore games make --config FILE` makes another game\n"
    )
    (row,) = livecore.done("games", "list", "--database", database, "--json").json["games"]
    assert row["gameId"] == first["gameId"]
    livecore.done("apply", "--database", database, config_file(tmp_path, name="Renamed"))
    livecore.done("games", "make", "--database", database, "--config", config_file(tmp_path, name="Other"))
    assert "holds 2 games already, the first " in livecore("init", "--database", database).err


def test_games_are_listed_with_their_studios_and_keys(livecore: Command, database: str, tmp_path: Path) -> None:
    """Oldest first; a key that was revoked counts no more."""
    file = config_file(tmp_path, name="Lanterns")
    first = livecore.done("init", "--database", database, "--studio", "Moth", "--config", file, "--json").json
    second = livecore.done("games", "make", "--database", database, "--json").json
    listed = livecore.done("keys", "list", "--database", database, "--game", first["gameId"], "--json").json["keys"]
    livecore.done("keys", "revoke", "--database", database, "--game", first["gameId"], listed[0]["keyId"])
    rows = livecore.done("games", "list", "--database", database, "--json").json["games"]
    made = [row.pop("createdAt") for row in rows]
    assert made == sorted(made)
    assert rows == [
        {**ids(first), "studio": "Moth", "name": "Lanterns", "keys": 3},
        {**ids(second), "studio": "Moth", "name": "Untitled game", "keys": 4},
    ]
    lines = livecore.done("games", "list", "--database", database).out.splitlines()
    assert lines[0] == (f"{first['gameId']}  Lanterns  made {made[0]}  3 keys  studio {first['studioId']} (Moth)")
    assert len(lines) == 2


def ids(made: dict[str, str]) -> dict[str, str]:
    """What `init` says of a game, without its keys."""
    return {name: made[name] for name in ("studioId", "gameId")}


# -- apply


def changed_demo(folder: Path) -> Path:
    """The demo game with an item more, one less, and another cooldown."""
    wanted = json.loads(DEMO)
    wanted["items"] = [item for item in wanted["items"] if item["key"] != "sticker"] + [{"key": "shield"}]
    wanted["gifting"]["resources"] = [row for row in wanted["gifting"]["resources"] if row["key"] != "sticker"]
    wanted["gifting"]["cooldownSeconds"] = 3600
    return config_file(folder, **wanted)


DIFFERENCE = [
    "- items[sticker]",
    '+ items[shield]: {"key":"shield","name":null,"parameters":null}',
    "~ gifting.cooldownSeconds: 86400 -> 3600",
    "- gifting.resources[item:sticker]",
]
ADVICE = "advice: items has what nothing in the configuration gives, so only the backend can: shield"


def test_apply_prints_the_difference_and_takes_effect(livecore: Command, database: str, tmp_path: Path) -> None:
    """Members of lists go by their keys; the second time there is nothing to do."""
    game = make_game(database).game
    file = changed_demo(tmp_path)
    out = livecore.done("apply", "--database", database, "--game", game.game_id, file).out
    assert out.splitlines() == [*DIFFERENCE, ADVICE, f"{game.game_id} has configuration 2"]
    assert livecore.done("apply", "--database", database, file).out == f"no difference\n{ADVICE}\n"
    with store_at(database) as store:
        after = store.read(DIRECTORY, lambda tx: require_game(tx, game.game_id))
        assert (after.config_version, config_of(after).gifting.cooldown_seconds) == (2, 3600)


def test_a_dry_run_only_prints(livecore: Command, database: str, tmp_path: Path) -> None:
    """The same lines, and the game stays as it was."""
    game = make_game(database).game
    out = livecore.done("apply", "--database", database, "--dry-run", changed_demo(tmp_path)).out
    assert out.splitlines() == [*DIFFERENCE, ADVICE]
    with store_at(database) as store:
        assert store.read(DIRECTORY, lambda tx: require_game(tx, game.game_id)) == game


def test_advice_is_printed_with_the_difference(livecore: Command, database: str, tmp_path: Path) -> None:
    """A dry run and an apply show it; making a game says it on standard error, beside the one object of `--json`."""
    reward = [{"type": "currency", "resourceKey": "gold", "amount": 1}]
    resource = {"type": "currency", "key": "gold", "maxRequest": 9, "maxDonation": 9, "donorReward": reward}
    wanted = json.loads(DEMO)
    wanted["guilds"]["help"] = {"resources": [resource]}
    file = config_file(tmp_path, **wanted)
    made = livecore.done("init", "--database", database, "--config", file, "--json")
    assert "advice: guilds.help.resources[0].donorReward is granted for each donation" in made.err
    assert json.loads(made.out)["gameId"]
    for further in ([], ["--dry-run"]):
        (*_, advice) = livecore.done("apply", "--database", database, *further, file).out.splitlines()
        assert advice.startswith("advice: guilds.help.resources[0].donorReward ")


def test_a_running_server_takes_up_another_configuration(livecore: Command, database: str, tmp_path: Path) -> None:
    """The next request sees what another process has applied."""
    made = make_game(database)

    async def scenario() -> list[int]:
        async with serving(tmp_path, game=made) as server:
            secret = await server.register("ann")
            found = []
            for _ in range(2):
                reply = await server.sdk("GET", "/ann/friends/gifts/catalog", secret=secret)
                found.append(reply.json["data"]["cooldownSeconds"])
                await asyncio.to_thread(livecore.done, "apply", "--database", database, changed_demo(tmp_path))
            return found

    assert asyncio.run(scenario()) == [86_400, 3_600]


# -- keys


def test_a_key_from_its_making_to_its_end(livecore: Command, database: str) -> None:
    """Made, listed without its text, rotated with both working, revoked with only the successor working."""
    make_game(database)
    about = ["--environment", "live", "--permission", "server", "--name", "backend"]
    first = livecore.done("keys", "add", "--database", database, *about, "--json").json
    assert works(database, first["key"], "server") == "ok"
    listed = livecore.done("keys", "list", "--database", database, "--json")
    (row,) = [row for row in listed.json["keys"] if row["keyId"] == first["keyId"]]
    assert (row["name"], row["environment"], row["permission"], row["endsAt"]) == ("backend", "live", "server", None)
    assert first["key"] not in listed.out
    second = livecore.done("keys", "rotate", "--database", database, first["keyId"], "--json").json
    assert [works(database, key["key"], "server") for key in (first, second)] == ["ok", "ok"]
    rows = {row["keyId"]: row for row in livecore.done("keys", "list", "--database", database, "--json").json["keys"]}
    assert second["oldKeyEndsAt"] == rows[first["keyId"]]["endsAt"]
    livecore.done("keys", "revoke", "--database", database, first["keyId"])
    assert [works(database, key["key"], "server") for key in (first, second)] == ["api_key_revoked", "ok"]
    with store_at(database) as store:
        actions = [row.action for row in store.read(DIRECTORY, lambda tx: tx.scan(AUDIT_BY_TIME))]
    assert actions == ["games.create", "keys.create", "keys.rotate", "keys.revoke"]


def test_people_see_until_when_a_rotated_key_works(livecore: Command, database: str) -> None:
    """With the successor, and where they try to rotate it once more."""
    key_id = make_game(database).keys["test", "client"].key.key_id
    told = livecore.done("keys", "rotate", "--database", database, key_id).out
    listed = livecore.done("keys", "list", "--database", database, "--json").json["keys"]
    (until,) = [row["endsAt"] for row in listed if row["keyId"] == key_id]
    assert told.splitlines()[-1] == f"The old key, {key_id}, works until {until}."
    again = livecore("keys", "rotate", "--database", database, key_id)
    assert (again.status, f"works until {until}" in again.err) == (1, True)


def test_people_see_keys_once_and_then_their_prefix(livecore: Command, database: str) -> None:
    """What is printed without `--json` says the same."""
    make_game(database)
    about = ["--environment", "test", "--permission", "client"]
    out = livecore.done("keys", "add", "--database", database, *about).out
    key_id, text, _ = out.splitlines()
    listed = livecore.done("keys", "list", "--database", database).out
    (line,) = [line for line in listed.splitlines() if key_id in line]
    assert text.startswith(line.split()[1].rstrip("…"))
    assert text not in listed


def test_keys_show_the_sdk_that_used_them_last(livecore: Command, database: str, tmp_path: Path) -> None:
    """So that one sees who still uses an old key; a key that nobody has used names nobody."""
    made = make_game(database)

    async def scenario() -> None:
        async with serving(tmp_path, game=made) as server:
            headers = {"Authorization": f"Bearer {server.key('server')}", "X-Svc-SDK": "backend/2.1.0"}
            assert (await server.ask("GET", "/server/v1/ping", headers=headers)).status == 200

    asyncio.run(scenario())
    rows = livecore.done("keys", "list", "--database", database, "--json").json["keys"]
    named = {(row["environment"], row["permission"]): row["lastUsedSdk"] for row in rows}
    assert named.pop(("test", "server")) == "backend/2.1.0"
    assert set(named.values()) == {None}
    (line,) = [
        line for line in livecore.done("keys", "list", "--database", database).out.splitlines() if " by " in line
    ]
    assert line.endswith("Z by backend/2.1.0")


def test_a_revoked_key_ends_with_the_next_request(livecore: Command, database: str, tmp_path: Path) -> None:
    """A running server notices what another process has written."""
    made = make_game(database)
    key_id = made.keys["test", "client"].key.key_id

    async def scenario() -> str:
        async with serving(tmp_path, game=made) as server:
            await server.register("ann")
            await asyncio.to_thread(livecore.done, "keys", "revoke", "--database", database, key_id)
            return (await server.sdk("POST", "/bob/register")).code

    assert asyncio.run(scenario()) == "api_key_revoked"


# -- backup and restore


def test_a_backup_of_a_running_server_can_be_restored(livecore: Command, database: str, tmp_path: Path) -> None:
    """What was committed before the copy is in it, and what came after is not."""
    copy, made = tmp_path / "copy.db", make_game(database)

    async def scenario() -> None:
        async with serving(tmp_path, game=made) as server:
            await server.register("before")
            await asyncio.to_thread(livecore.done, "backup", "--database", database, copy)
            await server.register("after")
            busy = await asyncio.to_thread(livecore, "restore", copy, "--database", database, "--overwrite")
            assert (busy.status, "open in another process" in busy.err) == (1, True)

    async def after() -> list[int]:
        async with serving(tmp_path, game=made) as server:
            return [(await server.sdk("POST", f"/{name}/register")).status for name in ("before", "after")]

    asyncio.run(scenario())
    refused = livecore("restore", copy, "--database", database)
    assert (refused.status, "exists already" in refused.err) == (1, True)
    livecore.done("restore", copy, "--database", database, "--overwrite")
    assert asyncio.run(after()) == [409, 201]


# -- documents


@pytest.mark.parametrize("surface", ["sdk", "server"])
def test_the_documents_are_printed(livecore: Command, surface: str) -> None:
    """One OpenAPI document, the one that the server serves."""
    printed = livecore.done("openapi", surface).json
    assert printed["openapi"].startswith("3.1")
    assert all(path.startswith(f"/{surface}/v1/") for path in printed["paths"])


def test_the_schema_of_the_configuration_accepts_the_demo_game(livecore: Command) -> None:
    """Editors that check against the schema agree with the program."""
    jsonschema.validate(json.loads(DEMO), livecore.done("schema").json)


# -- what goes wrong


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["serve"], 2, "name a database with --database or LIVECORE_DATABASE"),
        (["serve", "--database", "sqlite:///{missing}.db"], 1, "there is no database"),
        (["serve", "--database", "postgresql://127.0.0.1:1/game"], 1, "the database cannot be used"),
        (["serve", "--database", "mysql://localhost/game"], 2, "sqlite:///relative.db"),
        (["serve", "--database", "mysql://localhost/game"], 2, "postgresql://user@host/name"),
        (["serve", "--database", "sqlite:///:memory:"], 2, "sqlite:///relative.db"),
        (["serve", "--database", "postgresql://127.0.0.1:1/game?nonsense=1"], 2, "nonsense"),
        (["init", "--database", "sqlite:///{missing}/game.db"], 1, "there is no folder"),
        (["init", "--database", "sqlite:///{text}"], 1, "cannot be used"),
        (["keys", "list", "--database", "sqlite:///{empty}"], 1, "there is no game in this database yet"),
        (["keys", "list", "--database", "sqlite:///{game}", "--game", "gam_none"], 2, "there is no game gam_none"),
        (["keys", "revoke", "--database", "sqlite:///{game}", "key_none"], 2, "There is no such API key."),
        (["keys", "add", "--database", "sqlite:///{game}"], 2, "--environment"),
        (["apply", "--database", "sqlite:///{game}", "{missing}"], 2, "does not exist"),
        (["apply", "--database", "sqlite:///{game}", "{text}"], 2, "is not JSON"),
        (["backup", "--database", "sqlite:///{missing}.db", "{missing}"], 1, "there is no database"),
        (["backup", "--database", "sqlite:///{game}", "{text}"], 1, "exists already"),
        (["restore", "{text}", "--database", "sqlite:///{missing}.db"], 1, "cannot be used"),
        (["openapi", "portal"], 2, "'portal' is not one of 'sdk', 'server', 'admin'"),
        (["serve", "--database", "sqlite:///{game}", "--country-file", "{text}"], 2, "--country-file"),
        (["serve", "--database", "sqlite:///{game}", "--production"], 2, "--vault-key"),
        (["serve", "--database", "sqlite:///{game}", "--host", "203.0.113.1"], 1, "cannot listen on 203.0.113.1"),
        (["serve", "--colour", "red"], 2, "--colour"),
        (["simulat"], 2, "simulat"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_goes_wrong_is_one_line(
    livecore: Command, tmp_path: Path, arguments: list[str], status: int, says: str
) -> None:
    """Standard error has one line that names what to change, standard output nothing, and there is no traceback."""
    (tmp_path / "text").write_text("neither JSON nor a database, but long enough to be looked into" * 20, "utf-8")
    make_game(f"sqlite:///{tmp_path / 'game'}")
    with store_at(f"sqlite:///{tmp_path / 'empty'}", create=True):
        pass
    places = {name: str(tmp_path / name) for name in ("missing", "text", "empty", "game")}
    ended = livecore(*(argument.format(**places) for argument in arguments))
    assert (ended.status, ended.out) == (status, "")
    assert says in ended.err
    assert ended.err.startswith("livecore: ")
    assert ended.err.count("\n") == 1


def test_a_server_without_a_database_leaves_nothing_behind(livecore: Command, tmp_path: Path) -> None:
    """No empty database, no key file: a mistyped path is not the beginning of anything."""
    assert livecore("serve", "--database", f"sqlite:///{tmp_path / 'missing.db'}").status == 1
    assert list(tmp_path.glob("missing*")) == []


def test_a_port_that_is_taken_is_named(livecore: Command, database: str) -> None:
    """The line says which address."""
    make_game(database)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = livecore("serve", "--database", database, "--port", port)
    assert ended.status == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in ended.err
    assert "take another port (--port, LIVECORE_PORT)" in ended.err


@pytest.mark.parametrize("group", [[], ["keys"], ["webhooks"], ["games"]])
def test_help_cuts_no_sentence_short(group: list[str], livecore: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command's description is there to its end, however narrow the terminal is."""
    monkeypatch.setenv("COLUMNS", "80")
    text = "".join(livecore.done(*group, "--help").out.split())
    held: click.Command = program
    for name in group:
        assert isinstance(held, click.Group)
        held = held.commands[name]
    assert isinstance(held, click.Group)
    for name, command in held.commands.items():
        sentences = (command.help or "").partition("\n\n")[0].split()
        assert name + "".join(sentences) in text


def test_without_a_command_there_is_help(livecore: Command) -> None:
    """The list of commands, and the status of a wrong call."""
    ended = livecore()
    assert ended.status == 2
    assert "walk" not in ended.out
    assert all(name in ended.out + ended.err for name in ("dev", "init", "serve", "keys"))


def test_the_version_is_printed(livecore: Command) -> None:
    """The distribution's own."""
    assert livecore.done("--version").out.strip().endswith(VERSION)


def test_apply_is_remembered_with_who_ran_it(livecore: Command, database: str, tmp_path: Path) -> None:
    """The history of the game has both versions, and the lines that were printed."""
    game = make_game(database).game
    printed = livecore.done("apply", "--database", database, changed_demo(tmp_path)).out.splitlines()
    with store_at(database) as store:
        first, second = store.read(DIRECTORY, lambda tx: tx.scan(VERSIONS_OF_GAME, game.game_id))
    assert (first.version, second.version, second.via, second.actor_kind) == (1, 2, "cli", "system")
    assert second.actor_ref
    assert json.loads(second.summary) == printed[: second.changes]
