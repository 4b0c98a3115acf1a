"""With which status commands end: 2 for a wrong call or wrong input, 1 where what it does or checks fails.

The table of the reference says it for each command (`livecore_server/cli/statuses.py`), and here each is called so.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Final

import click
import pytest

from livecore.demo import DEMO
from livecore_server.cli.program import program
from livecore_server.cli.statuses import STATUSES
from livecore_server.storage.database import store_at
from tests.server.commands import Command

OLGA: Final = "olga@example.com"
CALLS: Final[Mapping[str, str]] = {
    "apply": "{config}",
    "backup": "{new}",
    "check": "",
    "crates verify": "grt_none",
    "dev": "",
    "games delete": "--game {game} --yes",
    "games list": "",
    "games make": "",
    "games purge": "",
    "init": "",
    "keys add": "--environment test --permission client",
    "keys list": "",
    "keys revoke": "key_none",
    "keys rotate": "key_none",
    "members add": f"--email {OLGA} --role OWNER",
    "members list": "",
    "members remove": f"--email {OLGA}",
    "members renew": "--all",
    "members role": f"--email {OLGA} --role VIEWER",
    "migrate-in": "{rows} --environment test --kind players",
    "players erase": "{ids} --environment test",
    "players inactive": "--environment test --days 30",
    "rehearse": "--to http://localhost:9/",
    "restore": "{text}",
    "serve": "--port 0",
    "webhooks add": "--environment test --url https://hooks.example.com/in",
    "webhooks deliveries": "",
    "webhooks list": "",
    "webhooks pause": "",
    "webhooks remove": "",
    "webhooks replay": "dlv_none",
    "webhooks reseal": "",
    "webhooks rotate-secret": "",
    "webhooks sample": "--event gift.sent",
    "webhooks unpause": "",
    "webhooks update": "--key other",
}
"""A call of each command that works on a database."""
WRONG: Final = [
    "advise {text}",
    "apply {text}",
    "apply {config} --game gam_none",
    "check --game gam_none",
    "crates verify grt_none",
    "crates verify grt_none --game gam_none",
    "dev --workers 2",
    "games delete --game gam_none --yes",
    "games delete --game {game}",
    "games make --config {text}",
    "games make --studio std_none",
    "games purge --game {game}",
    "init --config {text}",
    "keys add --environment test --permission client --game gam_none",
    "keys list --game gam_none",
    "keys revoke key_none",
    "keys revoke lc_test_client_none",
    "keys revoke key_none --game gam_none",
    "keys rotate key_none",
    "keys rotate key_none --game gam_none",
    f"members add --role OWNER --studio std_none --email {OLGA}",
    "members add --role OWNER --email olga",
    "members list --email nobody@example.com",
    "members list --studio std_none",
    "members remove --email nobody@example.com",
    "members remove --studio std_none --email nobody@example.com",
    "members renew --email nobody@example.com",
    "members renew --studio std_none --all",
    "members role --role VIEWER --email nobody@example.com",
    "members role --role VIEWER --studio std_none --email nobody@example.com",
    "migrate-in {text} --environment test --kind players",
    "migrate-in {csv} --environment test --kind players",
    "migrate-in {rows} --environment test --kind players --failures {rows}",
    "migrate-in {rows} --environment test --kind players --game gam_none",
    "players erase {long} --environment test",
    "players erase {ids} --environment test --game gam_none",
    "players inactive --environment test --days 30 --game gam_none",
    "rehearse --to localhost:9",
    "rehearse --to http://localhost:9/",
    "rehearse --to http://localhost:9/ --game gam_none",
    "rehearse --to http://localhost:9/ --secret whsec_given",
    "rehearse --to http://localhost:9/ --scenario {text}",
    "replay {config}",
    "replay {text} --config {config}",
    "serve --production",
    "serve --country-file {text}",
    "serve --vault-key short",
    "simulate {text}",
    "simulate {config} --behaviour {config}",
    "simulate {config} --days 0",
    "simulate {config} --fail-if often",
    "simulate {config} --fail-if no.figure>1",
    "webhooks add --environment test --url example.com",
    "webhooks add --environment test --url https://hooks.example.com/in --events gift.none",
    "webhooks deliveries --game gam_none",
    "webhooks deliveries --endpoint none",
    "webhooks deliveries --player nobody",
    "webhooks deliveries --cursor none",
    "webhooks list --game gam_none",
    "webhooks pause none",
    "webhooks pause --game gam_none",
    "webhooks remove none",
    "webhooks remove --game gam_none",
    "webhooks replay dlv_none",
    "webhooks replay",
    "webhooks rotate-secret none",
    "webhooks rotate-secret --game gam_none",
    "webhooks sample none --event gift.sent",
    "webhooks sample --event gift.none",
    "webhooks sample --event gift.sent --game gam_none",
    "webhooks unpause none",
    "webhooks unpause --game gam_none",
    "webhooks update none --key other",
    "webhooks update",
    "webhooks update one --url example.com",
]
"""Calls that name what there is not, or give what is not valid."""
FAILED: Final = [
    "advise {unwise}",
    "apply {unwise} --strict",
    "backup {text}",
    "copy --from {database} --to {database}",
    "init",
    "init --example {config}",
    "keys rotate {rotated}",
    f"members add --role OWNER --email {OLGA}",
    f"members remove --email {OLGA}",
    f"members role --role VIEWER --email {OLGA}",
    "migrate-in {bad_rows} --environment test --kind players",
    "restore {text}",
    "restore {text} --overwrite",
    "simulate {config} --players 2 --days 1 --fail-if players.registered>0",
    "webhooks add --environment test --url https://hooks.example.com/in --key one",
    "webhooks pause one",
    "webhooks update two --key one",
]
"""Calls that are right, of what the database, its files or its contents prevent."""
FAILED_BEFORE_THE_FIRST: Final = [
    "keys add --environment test --permission client",
    "keys list",
    "keys revoke key_none",
    "games make",
    "members list",
    "members renew --all",
    "players inactive --environment test --days 30",
    "rehearse --to http://localhost:9/",
    "webhooks deliveries",
    "webhooks list",
    *(f"webhooks {name}" for name in ("pause", "remove", "rotate-secret", "sample --event gift.sent", "unpause")),
]
"""Calls that are right, on a database that has no game yet."""

SHOWN_ELSEWHERE: Final = {
    "check",
    "crates verify",
    "dev",
    "games delete",
    "players erase",
    "replay",
    "serve",
    "webhooks replay",
    "webhooks reseal",
}
"""What fails there takes longer to prepare, and is tested with the rest of the command."""


class Place:
    """A folder with a database with a game, an empty one, and files that are right and wrong."""

    def __init__(self, livecore: Command, folder: Path) -> None:
        self.livecore = livecore
        self.database = f"sqlite:///{folder / 'game.db'}"
        self.names = {
            "database": self.database,
            "missing": f"sqlite:///{folder / 'missing.db'}",
            "new": str(folder / "new"),
        }
        self.empty = f"sqlite:///{folder / 'empty.db'}"
        files = {
            "config": DEMO,
            "unwise": json.dumps({"name": "Other", "guilds": {"enabled": True}}),
            "text": "neither JSON nor a database, but long enough to be looked into" * 20,
            "rows.jsonl": json.dumps({"externalPlayerId": "anna", "idempotencyKey": "k"}) + "\n",
            "bad_rows.jsonl": "{}\n",
            "csv.csv": "a,a\n",
            "ids": "anna\n",
            "long": "x" * 300 + "\n",
        }
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
            self.names[name.partition(".")[0]] = str(folder / name)
        with store_at(self.empty, create=True):
            pass
        self.names["game"] = livecore.done("init", "--database", self.database, "--json").json["gameId"]

    def fill(self) -> None:
        """A member, two endpoints, of which one is paused, and a key that has been rotated."""
        self.run("members", "add", "--email", OLGA, "--role", "OWNER")
        for number, name in enumerate(("one", "two")):
            url = f"https://hooks.example.com/{number}"
            self.run("webhooks", "add", "--environment", "test", "--url", url, "--key", name)
        self.run("webhooks", "pause", "one")
        (key, *_) = self.livecore.done("keys", "list", "--database", self.database, "--json").json["keys"]
        self.run("keys", "rotate", key["keyId"])
        self.names["rotated"] = key["keyId"]

    def run(self, *words: str) -> None:
        """Call a command on the database, which must succeed."""
        self.livecore.done(*words, "--database", self.database)

    def status(self, call: str, database: str) -> int:
        """How a command ends."""
        words = [word.format(**self.names) for word in call.split(" ") if word]
        return self.livecore(
            *words, *([] if words[0] in {"advise", "copy", "replay", "simulate"} else ["--database", database])
        ).status


def commands(group: click.Group = program, path: str = "") -> Iterator[str]:
    """The words of every command."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        else:
            yield path + name


@pytest.fixture
def place(livecore: Command, tmp_path: Path) -> Place:
    """A folder of its own."""
    return Place(livecore, tmp_path)


def test_the_reference_says_it_of_every_command() -> None:
    """And of no other."""
    assert set(commands()) == set(STATUSES)
    assert set(STATUSES) - set(CALLS) == {"advise", "copy", "openapi", "replay", "schema", "simulate"}


def test_every_database_has_a_form_that_is_known(place: Place) -> None:
    """A URL of no known kind is a wrong call of every command; a file that is not there ends none with 2."""
    kinds = {name: place.status(f"{name} {call}", "mysql://localhost/game") for name, call in CALLS.items()}
    assert kinds == dict.fromkeys(CALLS, 2)
    making = {"dev", "init", "restore"}
    missing = {n: place.status(f"{n} {call}", place.names["missing"]) for n, call in CALLS.items() if n not in making}
    assert missing == dict.fromkeys(CALLS.keys() - making, 1)


def test_a_wrong_call_ends_with_2(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every command that has input of its own. Where a command would ask, nobody is there."""
    monkeypatch.setattr(sys, "stdin", StringIO())
    place.run("webhooks", "add", "--environment", "test", "--url", "https://hooks.example.com/in", "--key", "one")
    calls = {call: place.status(call, place.database) for call in WRONG}
    assert calls == dict.fromkeys(WRONG, 2)
    told = {name for name, row in STATUSES.items() if row.wrong}
    assert {name for name in told if not any(f"{call} ".startswith(f"{name} ") for call in WRONG)} == set()


def test_what_fails_ends_with_1(place: Place) -> None:
    """Each of them could succeed as it was typed."""
    before = {call: place.status(call, place.empty) for call in FAILED_BEFORE_THE_FIRST}
    assert before == dict.fromkeys(before, 1)
    place.fill()
    calls = {call: place.status(call, place.database) for call in FAILED}
    assert calls == dict.fromkeys(FAILED, 1)
    shown = [f"{call} " for call in (*FAILED, *FAILED_BEFORE_THE_FIRST)]
    told = {name for name, row in STATUSES.items() if row.failed}
    assert {name for name in told if not any(call.startswith(f"{name} ") for call in shown)} == SHOWN_ELSEWHERE


def test_a_name_that_is_typed_wrong_deletes_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it end like a wrong call."""
    monkeypatch.setattr(click, "prompt", lambda *_, **__: "another")
    assert place.status("games delete --game {game}", place.database) == 1
