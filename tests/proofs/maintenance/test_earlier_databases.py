"""Databases of every earlier version of the schema, as that version made them, are upgraded and answer what they answered.

The folder `earlier` has one of each version on each store, made by the code of that time, and its answers.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from livecore.api.application import Application
from livecore.api.deploying import new_deployment
from livecore.api.requests.http import Request
from livecore.kernel.entropy import derive_seed
from livecore_server.storage.database import store_at
from livecore_server.storage.migrations import MIGRATIONS
from tests.postgres.server import fresh_database
from tests.server.commands import Command

FOLDER: Final = Path(__file__).parent / "earlier"
VERSIONS: Final = sorted(path.stem for path in FOLDER.glob("*.json"))
SEARCH: Final = "/friends/search?q="


def _contains(new: Any, old: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether an answer says what the earlier one said; it may have members more."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(key in new and _contains(new[key], value) for key, value in old.items())
    if isinstance(old, list):
        return isinstance(new, list) and len(new) == len(old) and all(map(_contains, new, old))
    return bool(new == old)


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    """The store."""
    return str(request.param)


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """The version of the schema, as the name of its files."""
    return str(request.param)


@pytest.fixture
def database(kind: str, version: str, tmp_path: Path) -> Iterator[str]:
    """The URL of the earlier database."""
    text = (FOLDER / f"{version}.{kind}.sql").read_text("utf-8")
    if kind == "sqlite":
        with closing(sqlite3.connect(tmp_path / "game.db")) as connection:
            connection.executescript(text)
        yield f"sqlite:///{tmp_path / 'game.db'}"
        return
    with fresh_database() as url:
        with psycopg.connect(url) as connection:
            connection.execute(text.encode())
        yield url


def test_there_is_one_of_every_version() -> None:
    """A numbered migration more wants a database of the version before it; see `make.py`."""
    assert [f"schema-{migration.number}" for migration in MIGRATIONS[:-1]] == VERSIONS


def test_an_earlier_database_is_upgraded_and_answers_the_same(
    database: str, version: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every answer of then, at the moment at which it was given; and `livecore check` finds nothing wrong."""
    noted = json.loads((FOLDER / f"{version}.json").read_text("utf-8"))
    with store_at(database) as store:
        application = Application(
            store,
            clock=lambda: noted["now"],
            seeds=lambda: derive_seed(b"", "test", 0),
            deployment=new_deployment(secrets=[b"x" * 32]),
        )
        changed: dict[str, object] = {}
        for asked, before in noted["answers"].items():
            who, _, path = asked.partition(" ")
            headers = {"authorization": f"Bearer {noted['keys']['client' if who else 'server']}"}
            if who:
                headers["x-player-secret"] = noted["secrets"][who]
            address, _, query = path.partition("?")
            answer = application.handle(Request("GET", address, query, headers, b"", "127.0.0.1"))
            data = json.loads(answer.body).get("data")
            if not _contains(data, before) and not (version == "schema-1" and SEARCH in path):
                changed[asked] = (before, answer.status, data)
        assert changed == {}
    assert len(noted["answers"]) > 60
    checked = Command(capsys)("check", "--database", database)
    assert checked.status == 0, checked.out + checked.err
