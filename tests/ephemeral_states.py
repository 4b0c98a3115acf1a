"""The ephemeral state in every form that it has, each as two processes see it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import attrs

from livecore.kernel.units.ephemeral import EphemeralKind, EphemeralState
from livecore_server.ephemeral.file import EphemeralFile
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.connections.connection_pool import Connections
from livecore_server.storage.postgres.connections.query_connection import QueryConnection
from livecore_server.storage.postgres.connections.suspension import run_waiting
from livecore_server.storage.postgres.shared.ephemeral_state import PostgresEphemeralState
from tests.postgres.server import ready_database

Scenario: TypeAlias = "Callable[[EphemeralState, EphemeralState], None]"
"""What two processes do with their states; where there is but one process, it is given its state twice."""
Together: TypeAlias = "Callable[[Scenario], None]"
"""Runs a scenario; the memories last from one run to the next."""


@attrs.frozen
class Note:
    """A value of a family that joins."""

    at: int
    text: str | None


def later(one: Note, other: Note) -> Note:
    """The later of two notes."""
    return max(one, other, key=lambda note: (note.at, note.text or ""))


KIND: EphemeralKind[Note] = EphemeralKind("test.notes", capacity=1_000, record=Note, join=later)


@contextmanager
def in_process(_: Path, kinds: Sequence[EphemeralKind[Any]]) -> Iterator[Together]:  # noqa: ARG001 - it knows every family
    """One process."""
    ephemeral = EphemeralState()
    yield lambda scenario: scenario(ephemeral, ephemeral)


@contextmanager
def _in_shared_file(folder: Path, kinds: Sequence[EphemeralKind[Any]]) -> Iterator[Together]:
    """Two workers on one machine."""
    path = folder / "shared.db"
    with closing(EphemeralFile(path, kinds=kinds)) as one, closing(EphemeralFile(path, kinds=kinds)) as other:
        yield lambda scenario: scenario(one, other)


@contextmanager
def in_postgres(_: Path, kinds: Sequence[EphemeralKind[Any]]) -> Iterator[Together]:
    """Two processes, on any machines, that serve one database."""
    with ready_database() as url, asyncio.Runner() as runner:
        PostgresStore(url).close()  # makes the tables
        connections = [Connections(url, most=1) for _ in range(2)]
        askers = [QueryConnection(each, connect_seconds=5) for each in connections]
        one, other = (PostgresEphemeralState(asker.ask, kinds=kinds) for asker in askers)
        try:
            yield lambda scenario: runner.run(run_waiting(partial(scenario, one, other)))
        finally:
            for ephemeral, asker, each in zip((one, other), askers, connections, strict=True):
                runner.run(ephemeral.shared_queries.close())
                runner.run(asker.close())
                each.close()


FORMS: Final = {"process": in_process, "shared file": _in_shared_file, "PostgreSQL": in_postgres}
