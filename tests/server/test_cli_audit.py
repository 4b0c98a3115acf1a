"""What commands leave in the audit trail: each change an entry, under the name of the operation that does the same."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterator
from pathlib import Path

import attrs
import click
import pytest

from livecore.access.audit import AUDIT_BY_TIME, AuditEntry
from livecore.access.directory import all_scopes
from livecore.api.operations import OPERATIONS
from livecore.kernel.scope import DIRECTORY
from livecore_server.cli.program import program
from livecore_server.storage.database import store_at
from tests.server.commands import Command

_URL = "https://hooks.example/in"
_READS = {
    "advise", "apply --dry-run", "backup", "check", "copy", "crates verify", "games list", "keys list", "members list",
    "openapi", "players inactive", "rehearse", "restore", "schema", "simulate", "webhooks deliveries",
    "webhooks list",
}  # fmt: skip
"""Commands that change nothing in a trail: they read, or replace a whole database with its trail."""
_SERVES = {"dev", "serve"}
_ONLY_HERE = {"settings.apply", "games.create", "webhooks.reseal"}
"""Actions that may have no operation."""


@attrs.frozen
class Terminal:
    """Somebody at a terminal, and a database with one game."""

    livecore: Command
    database: str
    folder: Path
    game_id: str
    studio_id: str
    seen: set[str] = attrs.field(factory=set)

    def entries(self) -> list[AuditEntry]:
        """The new entries of all scopes since the last call, oldest first."""
        with store_at(self.database) as store:
            scopes = [DIRECTORY, *(scope for scope, _ in store.read(DIRECTORY, all_scopes))]
            rows = [row for scope in scopes for row in store.read(scope, lambda tx: tx.scan(AUDIT_BY_TIME))]
        new = [row for row in rows if row.audit_id not in self.seen]
        self.seen.update(row.audit_id for row in new)
        return sorted(new, key=lambda row: (row.at, row.audit_id))

    def run(self, *words: str) -> str:
        """Run a command on the database."""
        group = 2 if words[0] in {"keys", "members", "players", "webhooks", "games"} else 1
        return self.livecore.done(*words[:group], "--database", self.database, *words[group:]).out

    def file(self, name: str, text: str) -> str:
        """A file in the folder."""
        path = self.folder / name
        path.write_text(text, "utf-8")
        return str(path)


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Terminal:
    """A new database."""
    livecore, database = Command(capsys), f"sqlite:///{tmp_path / 'game.db'}"
    made = livecore.done("init", "--database", database, "--json").json
    return Terminal(livecore, database, tmp_path, made["gameId"], made["studioId"])


def _story(at: Terminal) -> Iterator[tuple[str, str, str | None]]:
    """Every command that changes something: its words, its action, and the kind of its target."""
    yield "init", "games.create", "game"
    made = json.loads(at.run("games", "make", "--json"))
    yield "games make", "games.create", "game"
    at.run("games", "delete", "--game", made["gameId"], "--yes")
    yield "games delete", "games.delete", "game"
    at.run("apply", at.file("game.json", json.dumps({"name": "Other", "gifting": {"enabled": True}})))
    yield "apply", "settings.apply", "game"
    made = json.loads(at.run("keys", "add", "--environment", "test", "--permission", "client", "--json"))
    yield "keys add", "keys.create", "api_key"
    rotated = json.loads(at.run("keys", "rotate", made["keyId"], "--json"))
    yield "keys rotate", "keys.rotate", "api_key"
    at.run("keys", "revoke", rotated["keyId"])
    yield "keys revoke", "keys.revoke", "api_key"
    for words, action in (
        (("add", "--role", "OWNER"), "members.invite"),
        (("role", "--role", "OWNER"), "members.update"),
    ):
        at.run("members", words[0], "--email", "olga@example.com", *words[1:])
        yield f"members {words[0]}", action, "member"
    at.run("members", "renew", "--email", "olga@example.com")
    yield "members renew", "members.invite", "member"
    at.run("members", "add", "--email", "other@example.com", "--role", "VIEWER")
    yield "members add", "members.invite", "member"
    at.run("members", "renew", "--email", "other@example.com")
    yield "members renew", "members.invite", "member"
    at.run("members", "remove", "--email", "other@example.com")
    yield "members remove", "members.remove", "member"
    where = ("--environment", "test")
    at.run("webhooks", "add", *where, "--url", _URL, "--key", "all", "--json")
    yield "webhooks add", "webhooks.create", "webhook_endpoint"
    changes: list[tuple[tuple[str, ...], str]] = [
        (("update", "all", "--url", f"{_URL}/2"), "webhooks.update"),
        (("rotate-secret", "all"), "webhooks.rotateSecret"),
        (("pause", "all"), "webhooks.pause"),
        (("unpause", "all"), "webhooks.unpause"),
        (("sample", "all", "--event", "gift.sent"), "webhooks.sample"),
    ]
    for change, action in changes:
        at.run("webhooks", *change)
        yield f"webhooks {change[0]}", action, "webhook_endpoint"
    at.run("webhooks", "remove", "all")
    yield "webhooks remove", "webhooks.remove", "webhook_endpoint"
    players = at.file("players.jsonl", json.dumps({"externalPlayerId": "anna", "idempotencyKey": "k"}) + "\n")
    at.run("migrate-in", players, *where, "--kind", "players")
    yield "migrate-in", "migrate.players", None
    at.run("players", "erase", *where, at.file("ids.txt", "anna\n"))
    yield "players erase", "players.erase", "player"


def test_every_change_leaves_its_entry(terminal: Terminal) -> None:
    """By the system's user, through the command line; in the directory with the studio, and the game if there is one."""
    names = {operation.name for operation in OPERATIONS} | _ONLY_HERE
    for command, action, target in _story(terminal):
        (entry,) = terminal.entries()
        assert (entry.action, entry.target_kind) == (action, target), command
        assert entry.action in names
        assert (entry.principal, entry.via, entry.member_id) == ("system", "cli", None)
        assert (entry.actor_kind, entry.actor_ref) == ("system", getpass.getuser())
        of_game = command.partition(" ")[0] in {"init", "apply", "keys", "games"}
        of_studio = of_game or command.startswith("members")
        assert entry.studio_id == (terminal.studio_id if of_studio else None)
        if command.startswith("games "):
            assert entry.game_id == entry.target_id != terminal.game_id
        else:
            assert entry.game_id == (terminal.game_id if of_game else None)
        if target is not None and not command.startswith(("webhooks", "players")):
            assert entry.before or entry.after, command


def _commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, (*words, name))
        else:
            yield " ".join((*words, name))


def test_no_command_was_forgotten(terminal: Terminal) -> None:
    """Each command changes nothing, serves, or is one of those above; three have tests of their own."""
    told = {command for command, _, _ in _story(terminal)}
    elsewhere = {"webhooks replay", "webhooks reseal", "games purge"}
    assert set(_commands(program)) == told | elsewhere | {word for word in _READS if "--" not in word} | _SERVES


def test_no_secret_is_in_an_entry(terminal: Terminal) -> None:
    """Neither a key nor an endpoint's secret."""
    database = terminal.database
    made = json.loads(terminal.run("keys", "add", "--environment", "live", "--permission", "server", "--json"))
    where = ("--environment", "live", "--url", _URL, "--json")
    endpoint = json.loads(terminal.run("webhooks", "add", *where))
    text = repr(terminal.entries())
    assert made["key"] not in text
    assert endpoint["secret"] not in text
    assert made["key"][:21] in text, database
