"""`livecore apply` that takes away what players hold: it says so, and asks on a terminal."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from tests.postgres.server import fresh_database
from tests.server.commands import Command
from tests.server.test_cli import config_file

_CONFIG = {"name": "Mine", "economyMode": "platform", "economy": [{"key": "gold"}, {"key": "gems"}]}
_BARE = {**_CONFIG, "economy": [{"key": "gold"}]}
_SAYS = (
    "taken away: economy[gems] 2 players in live hold 30 of it: "
    "no wallet shows it and nobody can spend or get any until the key is declared again"
)


class _Person(io.StringIO):
    """Somebody at a terminal, who types this."""

    def isatty(self) -> bool:
        """A person is there."""
        return True


@attrs.frozen
class Played:
    """A database with a game, and a configuration that takes something away from its players."""

    url: str
    bare: Path


@pytest.fixture(params=["file", "postgresql"])
def played(request: pytest.FixtureRequest, livecore: Command, tmp_path: Path) -> Iterator[Played]:
    """A game of which two players hold gems in Live, and nobody in Test."""
    if request.param == "file":
        yield _with_players(livecore, f"sqlite:///{tmp_path / 'game.db'}", tmp_path)
        return
    with fresh_database() as url:
        yield _with_players(livecore, url, tmp_path)


def _with_players(livecore: Command, url: str, folder: Path) -> Played:
    livecore.done("init", "--database", url, "--config", config_file(folder, **_CONFIG))
    rows, bare = folder / "rows.jsonl", folder / "bare.json"
    balances = (("ann", "gems", 10), ("bea", "gems", 20), ("cleo", "gold", 5))
    lines = [
        {"idempotencyKey": name, "externalPlayerId": name, "economyKey": key, "amount": amount}
        for name, key, amount in balances
    ]
    rows.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    livecore.done("migrate-in", rows, "--database", url, "--environment", "live", "--kind", "wallet")
    bare.write_text(json.dumps(_BARE), "utf-8")
    return Played(url, bare)


def test_a_script_is_told_and_goes_on(livecore: Command, played: Played, tmp_path: Path) -> None:
    """How many hold how much, and what becomes of it; a rehearsal says the same and changes nothing."""
    rehearsed = livecore.done("apply", "--database", played.url, "--dry-run", played.bare)
    assert rehearsed.out.splitlines()[-1] == _SAYS
    applied = livecore.done("apply", "--database", played.url, played.bare)
    assert _SAYS in applied.out.splitlines()
    assert applied.out.splitlines()[-1].endswith("has configuration 2")
    back = livecore.done("apply", "--database", played.url, config_file(tmp_path, **_CONFIG))
    assert "taken away" not in back.out


@pytest.mark.parametrize(("typed", "status"), [("n\n", 1), ("\n", 1), ("y\n", 0), (None, 0)])
def test_a_person_is_asked(
    livecore: Command, played: Played, monkeypatch: pytest.MonkeyPatch, typed: str | None, status: int
) -> None:
    """Anything but a yes leaves the game as it is; `--yes` asks nothing."""
    yes = ["--yes"] if typed is None else []
    with monkeypatch.context() as there:
        there.setattr("sys.stdin", _Person(typed or ""))
        ended = livecore("apply", "--database", played.url, *yes, played.bare)
    assert ended.status == status
    assert ("Apply it all the same?" in ended.err) == (not yes)
    assert ended.err.endswith("livecore: nothing is changed\n") == bool(status)
    again = livecore.done("apply", "--database", played.url, "--dry-run", played.bare).out
    assert (again.splitlines()[0] == "no difference") == (status == 0)


def test_nobody_is_asked_where_nobody_holds_any(
    livecore: Command, played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cup that nobody was given is no loss."""
    with_cup = config_file(tmp_path, **{**_CONFIG, "items": [{"key": "cup"}]})
    livecore.done("apply", "--database", played.url, with_cup)
    monkeypatch.setattr("sys.stdin", _Person(""))
    ended = livecore.done("apply", "--database", played.url, config_file(tmp_path, **_CONFIG))
    assert "taken away" not in ended.out
