"""Mistakes of a first day at the command line, and what is said about each."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from livecore.demo import DEMO
from tests.server.commands import Command
from tests.server.serving import make_game
from tests.server.test_cli import config_file, works


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A database with a game."""
    url = f"sqlite:///{tmp_path / 'game.db'}"
    make_game(url)
    return url


# -- backup


def test_a_backup_into_no_folder_blames_the_folder(
    livecore: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`backup nodir/b.db`: the database is healthy."""
    monkeypatch.chdir(tmp_path)
    ended = livecore("backup", "--database", database, "nodir/b.db")
    assert (ended.status, ended.err) == (
        1, "livecore: nodir/b.db cannot be used: there is no folder nodir to write it into\n",
    )  # fmt: skip


def test_a_backup_that_cannot_be_written_is_named(livecore: Command, database: str, tmp_path: Path) -> None:
    """And not its source: a name that is too long for the file system, once `.partial` follows it."""
    longest = os.pathconf(tmp_path, "PC_NAME_MAX")
    file = tmp_path / ("b" * longest)
    ended = livecore("backup", "--database", database, file)
    assert (ended.status, ended.err) == (1, f"livecore: {file} cannot be used: File name too long\n")


# -- keys


@pytest.mark.parametrize("command", ["revoke", "rotate"])
def test_a_key_itself_is_understood_in_the_place_of_its_id(livecore: Command, database: str, command: str) -> None:
    """`keys revoke <the key itself>`: it ends that key, and repeats it nowhere."""
    about = ["--environment", "test", "--permission", "client"]
    made = livecore.done("keys", "add", "--database", database, *about, "--json").json
    ended = livecore.done("keys", command, "--database", database, made["key"])
    assert made["keyId"] in ended.out
    assert made["key"] not in ended.out + ended.err
    wanted = "api_key_revoked" if command == "revoke" else "ok"
    assert works(database, made["key"], "client") == wanted


def test_what_is_no_key_is_not_repeated(livecore: Command, database: str, tmp_path: Path) -> None:
    """It may be a key of another deployment; what begins like a key has its id named."""
    other = f"sqlite:///{tmp_path / 'other.db'}"
    foreign = make_game(other).keys["live", "server"].text
    ended = livecore("keys", "revoke", "--database", database, foreign)
    assert ended.status == 2
    assert ended.err == (
        "livecore: no key of this game reads like this; `livecore keys list` shows the ids of those there are\n"
    )
    (first, *_) = livecore.done("keys", "list", "--database", database, "--json").json["keys"]
    ended = livecore("keys", "revoke", "--database", database, first["prefix"] + "…")
    assert ended.err == f"livecore: a key is named by its id: {first['keyId']} begins like this\n"


def test_a_key_of_another_game_is_told(livecore: Command, database: str) -> None:
    """With its id and its game; it works on."""
    made = livecore.done("games", "make", "--database", database, "--json").json
    (mine, *_) = livecore.done("games", "list", "--database", database, "--json").json["games"]
    text = made["keys"]["test"]["client"]
    ended = livecore("keys", "revoke", "--database", database, "--game", mine["gameId"], text)
    assert (ended.status, f"with --game {made['gameId']}" in ended.err, text in ended.err) == (2, True, False)
    assert works(database, text, "client") == "ok"


def test_the_list_of_keys_has_a_header(livecore: Command, database: str) -> None:
    """A column begins under its name."""
    header, first, *_ = livecore.done("keys", "list", "--database", database).out.splitlines()
    assert header.split("  ")[0] == "id (KEY)"
    for name, value in (("begins with", "lc_"), ("state", "works"), ("used", "never used")):
        assert first[header.index(name) :].startswith(value)


# -- webhooks


@pytest.mark.parametrize(
    ("url", "environment", "says"),
    [
        ("localhost:9797", "test", "must begin with http:// or https://: is http://localhost:9797 meant?"),
        ("127.0.0.1:9797/in?token=s", "test", "must begin with http:// or https://: is http://127.0.0.1:9797/in meant?"),
        ("https://localhost:9797", "test",
         "must be at a public address, or http on this machine: is http://localhost:9797/ meant?"),
        ("localhost:9797", "live",
         "must begin with https://, and have a public host name: localhost is for test endpoints outside production"),
        ("example.com/in", "live", "must begin with https://: is https://example.com/in meant?"),
        ("http://example.com", "test", "must begin with https://, unless it is http://localhost"),
        ("http://example.com", "live", "must begin with https://"),
    ],
)  # fmt: skip
def test_an_address_without_its_beginning(
    livecore: Command, database: str, url: str, environment: str, says: str
) -> None:
    """`webhooks add --url localhost:9797`: http where that will do, https elsewhere, and nothing of a query's token."""
    ended = livecore("webhooks", "add", "--database", database, "--environment", environment, "--url", url)
    assert (ended.status, ended.out, ended.err) == (2, "", f"livecore: --url: {says}\n")


def test_the_same_address_twice_is_told(livecore: Command, database: str) -> None:
    """It may be meant, so it is a note; `--json` has its one object on standard output all the same."""
    where = ["--database", database, "--environment", "test"]
    first = livecore.done("webhooks", "add", *where, "--url", "http://localhost:9797", "--json")
    second = livecore.done("webhooks", "add", *where, "--url", "http://localhost:9797/", "--json")
    assert first.err == ""
    assert second.err == (
        f"livecore: {first.json['endpointId']} (endpoint-1) sends to the same address: "
        "an event of a kind that both get arrives there twice\n"
    )
    changed = livecore.done("webhooks", "update", *where, "endpoint-2", "--url", "http://localhost:9798")
    assert changed.err == ""
    again = livecore.done("webhooks", "update", *where, "endpoint-2", "--url", "http://localhost:9797")
    assert "(endpoint-1) sends to the same address" in again.err


# -- serve


def test_a_port_in_use_names_the_option_that_takes_another(livecore: Command, database: str) -> None:
    """`--port` for the API, and `--metrics-address` where that is the one that is taken."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = livecore("serve", "--database", database, "--port", port).err
        assert "take another port (--port, LIVECORE_PORT)" in said
        metrics = livecore("serve", "--database", database, "--port", 0, "--metrics-address", f"127.0.0.1:{port}").err
    assert "take another port (--metrics-address, LIVECORE_METRICS_ADDRESS)" in metrics


# -- apply


def test_a_dry_run_ends_with_the_status_of_the_change(livecore: Command, tmp_path: Path) -> None:
    """`apply --dry-run` that finds something in the way ends with 1; without a fault, with 0."""
    url = f"sqlite:///{tmp_path / 'events.db'}"
    demo = json.loads(DEMO)
    livecore.done("init", "--database", url, "--config", config_file(tmp_path, **demo))
    wanted = config_file(tmp_path, **{**demo, "events": [], "leaderboards": []})
    rehearsed = livecore("apply", "--database", url, "--dry-run", wanted)
    assert (rehearsed.status, "prevents the change: " in rehearsed.out) == (1, True)
    assert livecore("apply", "--database", url, wanted).status == 1
    renamed = config_file(tmp_path, **{**demo, "name": "Other"})
    assert livecore("apply", "--database", url, "--dry-run", renamed).status == 0
