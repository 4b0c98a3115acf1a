"""Advice on the command line: `livecore advise` prints it alone, and `livecore apply --strict` changes nothing for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.server.commands import Command

DECIDED = {"registration": {"knownPlayers": "client"}, "privacy": {"strangers": {}}}
LINE = "advice: guilds.enabled is false, as where it is left out, so there are no guilds: write true\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A configuration on which there is advice."""
    path = tmp_path / "game.json"
    path.write_text(json.dumps({**DECIDED, "guilds": {"maxMembers": 5}}), "utf-8")
    return path


def test_advise_prints_it_alone(livecore: Command, file: Path) -> None:
    """Status 1 where there is advice, 0 where there is none, and where all of it was accepted."""
    told = livecore("advise", file)
    assert (told.status, told.out, told.err) == (1, LINE, "")
    accepted = livecore("advise", file, "--accept", "guilds.enabled")
    assert (accepted.status, accepted.out, accepted.err) == (0, "", "")
    listed = livecore("advise", file, "--json")
    assert (listed.status, [row["path"] for row in json.loads(listed.out)]) == (1, ["guilds.enabled"])
    file.write_text(json.dumps({**DECIDED, "guilds": {"enabled": True}}), "utf-8")
    assert livecore.done("advise", file).out == ""
    assert json.loads(livecore.done("advise", file, "--json").out) == []


def test_advise_names_the_faults_of_what_would_be_refused(livecore: Command, file: Path) -> None:
    """All of them, as `apply` does; a byte order mark is none."""
    file.write_text('\ufeff{"itmes": [], "economyMode": "mine"}', "utf-8")
    told = livecore("advise", file)
    assert (told.status, told.out) == (2, "")
    assert told.err.splitlines() == [
        f"livecore: {file}: itmes: is not a known field. Did you mean 'items'?",
        f"livecore: {file}: economyMode: must be one of 'studio', 'platform'; it is 'mine'",
    ]


def test_strict_changes_nothing_where_there_is_advice(livecore: Command, database: str, file: Path) -> None:
    """With the path accepted the same file is applied."""
    livecore.done("init", "--database", database)
    told = livecore("apply", file, "--database", database, "--strict")
    assert told.status == 1
    assert LINE in told.out
    assert "nothing is changed, because --strict is given and there is advice" in told.err
    applied = livecore.done("apply", file, "--database", database, "--strict", "--accept", "guilds.enabled")
    assert applied.out.endswith("has configuration 2\n")
