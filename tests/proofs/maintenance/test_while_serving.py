"""The table of commands that may run while a server serves: each line is tried on a database that a real server has open."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import attrs
import click
import pytest

from livecore.demo import DEMO
from livecore_server.cli.program import program
from tests.pages import ROOT
from tests.postgres.server import fresh_database
from tests.server.commands import Command
from tests.server.serving import http, make_game
from tests.workers.cluster import Cluster, serve, serving_workers

_PAGE: Final = ROOT / "docs" / "how-to" / "operate-the-server.md"
_NO_DATABASE: Final = {"advise", "openapi", "schema", "simulate"}
_ADD_WEBHOOK: Final = "webhooks add --database {url} --environment test --url http://localhost:1/ --events *"
TRIED: Final = {
    "`apply`, `games make`, `games list`, `games delete`, `games purge`": [
        "apply {folder}/game.json --game {game} --database {url}",
        "games make --database {url}",
        "games list --database {url}",
        "games delete --database {url} --game gam_none --yes",
        "games purge --database {url}",
    ],
    "`init`": ["init --database {url}"],
    "`keys`, `members`, `webhooks`": [
        "keys add --database {url} --game {game} --environment test --permission client",
        "keys list --database {url} --game {game}",
        "keys rotate {key} --database {url} --game {game}",
        "keys revoke {key} --database {url} --game {game}",
        "members add --database {url} --studio {studio} --email ann@example.com --role VIEWER",
        "members list --database {url} --studio {studio}",
        "members role --database {url} --studio {studio} --email ann@example.com --role ADMIN",
        "members renew --database {url} --studio {studio} --email ann@example.com",
        "members remove --database {url} --studio {studio} --email ann@example.com",
        f"{_ADD_WEBHOOK} --game {{game}} --key hook",
        "webhooks list --database {url} --game {game}",
        "webhooks update hook --database {url} --game {game} --key hooked",
        "webhooks sample hooked --database {url} --game {game} --event gift.sent",
        "webhooks pause hooked --database {url} --game {game}",
        "webhooks unpause hooked --database {url} --game {game}",
        "webhooks deliveries --database {url} --game {game}",
        "webhooks replay --dry-run --event gift.sent --database {url} --game {game}",
        "webhooks rotate-secret hooked --database {url} --game {game}",
        "webhooks reseal --database {url}",
        "webhooks remove hooked --database {url} --game {game}",
    ],
    "`crates verify`": ["crates verify grt_none --database {url} --game {game}"],
    "`check`": ["check --database {url}"],
    "`backup`": ["backup --database {url} {folder}/saved.db"],
    "`players inactive`": ["players inactive --days 30 --database {url} --game {game} --environment test"],
    "`players erase`": ["players erase --database {url} --game {game} --environment test {folder}/ids.txt"],
    "`migrate-in`": [
        "migrate-in {folder}/rows.jsonl --database {url} --game {game} --environment test --kind players --rehearse",
        "migrate-in {folder}/rows.jsonl --database {url} --game {game} --environment test --kind players",
    ],
    "`rehearse`": ["rehearse --to http://localhost:1/ --database {url} --game {game}"],
    "`copy --from`": ["copy --from {url} --to sqlite:///{folder}/copied.db"],
    "`copy --from` with `--rehearsal`": ["copy --rehearsal --from {url} --to sqlite:///{folder}/copied.db"],
    "`copy --to`": [
        "copy --from sqlite:///{folder}/other.db --to {url}",
        "copy --rehearsal --from sqlite:///{folder}/other.db --to {url}",
    ],
    "`restore --database`": ["restore {folder}/other.db --overwrite --database {url}"],
    "the FILE of `restore`": ["restore {file} --database sqlite:///{folder}/restored.db"],
    "`serve`, `dev`": [],
}
"""What is tried of each line."""
_ANSWERS: Final = {
    "crates verify": "No crate with this id has been opened",
    "games delete": "there is no game gam_none",
    "init --database": "this database holds",
    "rehearse --to": "the game has no webhook endpoint yet",
}
"""What a command says that was not refused, but for want of what it asks for."""


@attrs.frozen
class Served:
    """A database that a server has open."""

    kind: str
    url: str
    cluster: Cluster

    def command(self, words: str, folder: Path) -> list[str]:
        """The words of a command about it."""
        made = self.cluster.game
        places = {
            "url": self.url, "folder": folder, "file": self.url.removeprefix("sqlite:///"), "game": made.game.game_id,
            "studio": made.game.studio_id, "key": made.keys["test", "client"].key.key_id,
        }  # fmt: skip
        return [word.format(**places) for word in words.split()]


@pytest.fixture(scope="module", params=["file", "postgresql"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with one process."""
    with ExitStack() as stack:
        if request.param == "file":
            url = f"sqlite:///{tmp_path_factory.mktemp('served') / 'game.db'}"
        else:
            url = stack.enter_context(fresh_database())
        yield Served(request.param, url, stack.enter_context(serving_workers(url, workers=1)))


def table() -> dict[str, tuple[str, str]]:
    """The lines of the page: what is said of a file, and of PostgreSQL."""
    part = _PAGE.read_text("utf-8").partition("(while-serving)=")[2].partition("\n## What is deleted")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")]
    return {row[0]: (row[1], row[2]) for row in rows[2:]}


def leaves(group: click.Group, before: str = "") -> Iterator[str]:
    """Every command, with its group."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, f"{before}{name} ")
        else:
            yield f"{before}{name}"


def test_every_command_has_a_line() -> None:
    """And what is tried of a line is all that it names."""
    assert list(table()) == list(TRIED)
    named = {name for row in TRIED for name in re.findall(r"`([a-z][a-z -]*?)(?: --\w+)?`", row)}
    commands = set(leaves(program)) - _NO_DATABASE
    assert {command for command in commands if not {command, command.split()[0]} & named} == set()
    tried = [f"{words} " for row in TRIED.values() for words in row]
    untried = {command for command in commands if not any(words.startswith(f"{command} ") for words in tried)}
    assert untried == {"dev", "serve"}, "a second server is a test of its own"


@pytest.mark.parametrize("row", [row for row, commands in TRIED.items() if commands])
def test_a_command_runs_or_is_refused_as_the_table_says(
    row: str, served: Served, livecore: Command, tmp_path: Path
) -> None:
    """While a server has the database open; whatever it was, the server goes on."""
    said = table()[row][served.kind != "file"]
    if not said:
        return  # a backup is a file
    (tmp_path / "game.json").write_text(json.dumps(json.loads(DEMO) | {"name": "Renamed"}), "utf-8")
    (tmp_path / "rows.jsonl").write_text('{"idempotencyKey": "1", "externalPlayerId": "ann"}\n', "utf-8")
    (tmp_path / "ids.txt").write_text("nobody\n", "utf-8")
    make_game(f"sqlite:///{tmp_path / 'other.db'}")
    before = {path.name for path in tmp_path.iterdir()}
    for words in TRIED[row]:
        ended = livecore(*served.command(words, tmp_path))
        if said == "refused":
            assert (ended.status, ended.out) == (1, ""), (words, ended)
            assert re.search("stop (the|every) server", ended.err), (words, ended)
            assert {path.name for path in tmp_path.iterdir()} - before <= {"copied.db"}, words
        else:
            assert said == "yes"
            wanted = _ANSWERS.get(" ".join(words.split()[:2]))
            assert ended.status == 0 if wanted is None else wanted in ended.err, (words, ended)
    assert ready(served.cluster) == 200


def test_a_second_server_starts(served: Served) -> None:
    """As the table says of `serve`, and both answer."""
    assert table()["`serve`, `dev`"] == ("yes", "yes")
    with serve(["--database", served.url, "--port", "0"]) as process:
        second = Cluster(process, served.cluster.game, served.url)
        assert [ready(server) for server in (second, served.cluster)] == [200, 200]
        assert second.stop() == 0


def ready(server: Cluster) -> int:
    """What a server answers that is asked whether it should get requests."""
    return asyncio.run(server.ask(http("GET", "/admin/v1/ready"))).status
