"""A game asked from inside, by the same request bytes: the application over a database, without a server and its sockets.

For what must be there before anything is measured (a crowd of players, work that came due an hour ago), and for looking at
what a unit of work does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

from livecore.access.directory import all_scopes
from livecore.api.application import Application
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import system_unit
from livecore.api.requests.http import Request, Response
from livecore.api.requests.limits import RateLimits
from livecore.api.requests.prepared import Prepared
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import HOUR, Millis
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.ranking.rankings import Rankings
from livecore_server.known_request import expect_reads
from livecore_server.storage.database import Database as OpenDatabase
from livecore_server.storage.database import store_at
from livecore_server.system import draw_seed, now_millis
from tests.programs.bench.databases import Database

_TOGETHER = 500
"""How many requests share a transaction where nobody counts."""


class Inside:
    """The application, and requests to it as bytes. It is `hours_ago` there, which may change from request to request."""

    def __init__(self, store: OpenDatabase, hours_ago: int) -> None:
        self.hours_ago = hours_ago
        self.rankings = Rankings(store.notices, clock=now_millis)
        self.application = Application(
            store,
            clock=self.now,
            seeds=draw_seed,
            deployment=new_deployment(ephemeral=EphemeralState(), rankings=self.rankings),
            limits=RateLimits.off(),
            begun=expect_reads,
        )
        self.rankings.wake = self._run_rankings

    def now(self) -> Millis:
        """The application's time."""
        return now_millis() - self.hours_ago * HOUR

    def ask(self, wire: bytes) -> Any:  # noqa: ANN401 - an answer's JSON
        """Answer one request in a transaction of its own; gives what is under `data`."""
        return self.run(self.prepared(wire))

    def prepared(self, wire: bytes) -> Prepared:
        """A request that has passed the entrance, which asks the directory alone."""
        request = _request(wire)
        prepared = self.application.store.read(DIRECTORY, lambda tx: self.application.prepare(request, tx))
        if prepared.refused is not None:
            raise RuntimeError(f"refused at the entrance: {prepared.refused.body!r}")
        return prepared

    def run(self, prepared: Prepared) -> Any:  # noqa: ANN401 - an answer's JSON
        """The request's own unit of work; gives what is under `data`."""
        store = self.application.store
        if prepared.runs == "several":
            return _data(self.application.run_several(prepared, store).response)
        step = store.write if prepared.runs == "write" else store.read
        return _data(step(prepared.scope, lambda tx: self.application.run(prepared, tx)).response)

    def ask_all(self, wires: Iterator[bytes], *, together: int = _TOGETHER) -> Iterator[Any]:
        """Answer writing requests of one game, so many in each transaction; gives what is under `data`."""
        while chunk := list(islice(wires, together)):
            prepared = [self.prepared(wire) for wire in chunk]
            yield from self.application.store.write(prepared[0].scope, partial(self._run_all, prepared))

    def as_service(self, scope: Scope, work: Callable[[Unit], object]) -> None:
        """Run a unit that no player asked for, in a scope of one of the games."""
        store, application = self.application.store, self.application
        made = dict(store.read(DIRECTORY, all_scopes))[scope]

        def step(tx: Transaction) -> None:
            work(system_unit(tx, made, application.clock(), application.seeds(), application.deployment))

        store.write(scope, step)

    def _run_rankings(self) -> None:
        """Load what was asked for at once: there are no other requests that would wait for it."""
        rankings = self.rankings
        while (step := rankings.next_read()) is not None:
            step.take(self.application.store.read(step.scope, step.read))

    def _run_all(self, prepared: Sequence[Prepared], tx: Transaction) -> list[Any]:
        return [_data(self.application.run(one, tx).response) for one in prepared]


@contextmanager
def inside(database: Database, *, hours_ago: int = 0) -> Iterator[Inside]:
    """The game's application, with its clock put back; no server may be using the database."""
    with store_at(database.url) as store:
        yield Inside(store, hours_ago)


def _request(wire: bytes) -> Request:
    head, _, body = wire.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, target, _ = first.split(" ")
    path, _, query = target.partition("?")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return Request(method, path, query, headers, body, "127.0.0.1")


def _data(response: Response) -> Any:  # noqa: ANN401 - an answer's JSON
    if response.status >= 300:
        raise RuntimeError(f"the application refused a request: {response.body!r}")
    return json.loads(response.body)["data"]
