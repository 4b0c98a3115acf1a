"""Somebody at a terminal, for the tests of `livecore webhooks`."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import attrs
import pytest

from livecore.access.audit import AUDIT_BY_TIME
from livecore.access.directory import Game
from livecore.kernel.scope import Scope
from livecore.webhooks.outbox import ALL_ENDPOINTS, Endpoint
from livecore_server.cli import main
from livecore_server.storage.sqlite import SqliteStore

URL = "https://hooks.example/in"


@attrs.frozen
class Answer:
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        """What was printed, as the one JSON object that it must be."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


@attrs.frozen
class Operator:
    """Somebody at a terminal, with a database of two games."""

    path: Path
    games: tuple[Game, Game]
    capture: pytest.CaptureFixture[str]

    def run(self, *words: str, game: int | None = 0) -> Answer:
        """Run `livecore webhooks …` on the database and a game."""
        place = ["--database", f"sqlite:///{self.path}"]
        if game is not None:
            place += ["--game", self.games[game].game_id]
        with pytest.raises(SystemExit) as ended:
            main(["webhooks", words[0], *place, *words[1:]])
        printed = self.capture.readouterr()
        assert isinstance(ended.value.code, int)
        return Answer(ended.value.code, printed.out, printed.err)

    def add(self, *words: str, environment: str = "live") -> dict[str, object]:
        """Add an endpoint; gives what `--json` prints."""
        answer = self.run("add", "--environment", environment, "--url", URL, "--events", "*", "--json", *words)
        assert answer.status == 0
        # Several endpoints with one address are noted.
        assert all(
            line.endswith("would send events twice") or "same address" in line for line in answer.err.splitlines()
        )
        return answer.json

    def listed(self) -> list[dict[str, object]]:
        """What `list --json` prints of each endpoint."""
        rows = self.run("list", "--json").json["endpoints"]
        assert isinstance(rows, list)
        return rows

    def endpoints(self, environment: str = "live") -> list[Endpoint]:
        """The first game's endpoints as they are stored."""
        with closing(SqliteStore(self.path)) as store:
            return store.read(Scope(self.games[0].game_id, environment), lambda tx: tx.scan(ALL_ENDPOINTS))

    def noted(self, environment: str = "live") -> list[str]:
        """The actions of the audit trail, oldest first."""
        with closing(SqliteStore(self.path)) as store:
            rows = store.read(Scope(self.games[0].game_id, environment), lambda tx: tx.scan(AUDIT_BY_TIME))
        assert all(row.actor_kind == "system" and row.actor_ref for row in rows)
        return [row.action for row in rows]
