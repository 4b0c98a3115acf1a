"""A game whose application has operations that only a test knows, over each of the stores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import attrs

from livecore.access.directory import STUDIOS, Game
from livecore.access.member_rows import Role
from livecore.access.members import add_member
from livecore.access.sessions import start_session
from livecore.api.application import Application
from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import GameConfig
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import NewGame, make_game, prepare_scope, run_due, system_unit
from livecore.api.operations import ROWS, table_of
from livecore.api.requests.http import Request, Response
from livecore.api.requests.limits import RateLimits
from livecore.api.requests.prepared import Outcome
from livecore.api.table.operation import Operation
from livecore.kernel.declarations.area import Areas
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.store import Store, Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Timestamp
from livecore.kernel.units import due
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.kernel.units.unit import SYSTEM, Unit
from livecore.webhooks.addresses import NetworkRules
from livecore.webhooks.endpoints import PlainVault
from livecore_server.operations.check import check
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.postgres.server import ready_database

T = TypeVar("T")
_START: Final = Timestamp.parse("2026-01-01T00:00:00.000Z")


class Rows(Store, Protocol):
    """A store whose whole state can be compared."""

    def dump(self) -> dict[str, dict[str, list[Any]]]:
        """Every row."""


@contextmanager
def _memory(_: Path) -> Iterator[Rows]:
    yield MemoryStore()


@contextmanager
def _sqlite(folder: Path) -> Iterator[Rows]:
    with closing(SqliteStore(folder / "added.db")) as store:
        yield store


@contextmanager
def _postgres(_: Path) -> Iterator[Rows]:
    with ready_database() as url, closing(PostgresStore(url)) as store:
        yield store


STORES: Final[Mapping[str, Callable[[Path], AbstractContextManager[Rows]]]] = {
    "memory": _memory,
    "sqlite": _sqlite,
    "postgres": _postgres,
}


@attrs.frozen
class Said:
    """An answer, with what it emitted."""

    outcome: Outcome

    @property
    def response(self) -> Response:
        """The whole response."""
        return self.outcome.response

    @property
    def status(self) -> int:
        """Its status."""
        return self.response.status

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever the body is
        """Its body."""
        return json.loads(self.response.body)

    @property
    def code(self) -> str | None:
        """The code of its error envelope, if it has one."""
        return None if self.status < 202 else str(self.json["error"]["code"])

    @property
    def kinds(self) -> list[str]:
        """The kinds of the events that it emitted."""
        return [event.kind for event in self.outcome.events]


def signed_in(cookie: str) -> dict[str, str]:
    """The headers of a page's request with a session."""
    return {"cookie": cookie, "sec-fetch-site": "same-origin"}


class AddedGame:
    """A game in the test environment, with all operations of the service and `added` ones."""

    def __init__(
        self,
        store: Rows,
        added: Sequence[Operation] = (),
        *,
        areas: Areas = AREAS,
        config: GameConfig | None = None,
        secrets: Sequence[bytes] = (),
    ) -> None:
        self._config = config or GameConfig()
        self.store = store
        self.now = int(_START)
        self._drawn = 0
        self.application = Application(
            store,
            clock=lambda: self.now,
            seeds=self._seed,
            deployment=new_deployment(
                ephemeral=EphemeralState(), areas=areas, secrets=secrets, vault=PlainVault(), urls=NetworkRules()
            ),
            limits=RateLimits.off(),
            operations=table_of((*ROWS, *added), areas),
        )
        self.made = self._make()
        self.scope = Scope(self.made.game.game_id, "test")
        self.secrets: dict[str, str] = {}

    def _seed(self) -> bytes:
        self._drawn += 1
        return f"added {self._drawn}".encode()

    def _make(self) -> NewGame:
        made = self.store.write(
            DIRECTORY,
            lambda tx: make_game(tx, self._config, self.now, Entropy(b"game"), studio_name="Added", actor=SYSTEM),
        )
        for environment in ("live", "test"):
            self.store.write(
                Scope(made.game.game_id, environment),
                lambda tx: prepare_scope(self._unit(tx, made.game)),
            )
        return made

    def _unit(self, tx: Transaction, game: Game) -> Unit:
        return system_unit(tx, game, self.now, self._seed(), self.application.deployment)

    def in_unit(self, work: Callable[[Unit], T]) -> T:
        """Do some work in a unit of the service itself."""
        return self.store.write(self.scope, lambda tx: work(self._unit(tx, self.made.game)))

    def run_due(self) -> None:
        """Run what is due now in the test environment."""
        for work in self.store.read(self.scope, lambda tx: due.due(tx, self.now, 1_000)):
            self.in_unit(partial(run_due, work=work))

    def key(self, permission: str, environment: str = "test") -> str:
        """An API key's text."""
        return self.made.keys[environment, permission].text

    def request(
        self, method: str, path: str, body: object = None, *, query: str = "", headers: Mapping[str, str] | None = None
    ) -> Request:
        """A request as a host would hand it in."""
        raw = b"" if body is None else json.dumps(body).encode()
        given = {"content-type": "application/json"} if raw else {}
        return Request(method, path, query, {**given, **(headers or {})}, raw, "192.0.2.1")

    def ask(
        self, method: str, path: str, body: object = None, *, query: str = "", headers: Mapping[str, str] | None = None
    ) -> Said:
        """Send a request."""
        return Said(self.application.perform(self.request(method, path, body, query=query, headers=headers)))

    def register(self, name: str) -> str:
        """Register a player; gives the secret."""
        said = self.ask("POST", f"/sdk/v1/players/{name}/register", headers=headers_for(self.key("client")))
        assert said.status == 201, said.json
        secret: str = said.json["data"]["playerSecret"]
        self.secrets[name] = secret
        return secret

    def as_player(self, name: str, method: str, path: str, body: object = None) -> Said:
        """Send a request of a registered player; `path` follows the player's own."""
        headers = headers_for(self.key("client"), self.secrets[name])
        return self.ask(method, f"/sdk/v1/players/{name}{path}", body, headers=headers)

    def another_game(self) -> Game:
        """A game of another studio of the deployment."""
        entropy = Entropy(self._seed())
        return self.store.write(
            DIRECTORY,
            lambda tx: make_game(tx, self._config, self.now, entropy, studio_name="Other", actor=SYSTEM).game,
        )

    def member(self, email: str, role: Role = "OWNER", games: Sequence[str] | None = None) -> str:
        """A new member of the studio; gives the `Cookie` header of a session."""

        def enter(tx: Transaction) -> str:
            entropy = Entropy(self._seed())
            studio = tx.get(STUDIOS, self.made.game.studio_id)
            assert studio is not None
            member, _ = add_member(tx, studio, email, role, self.now, entropy, games=games)
            return start_session(tx, member.member_id, self.now, entropy).token

        return f"livecore={self.store.write(DIRECTORY, enter)}"

    def personal_key(self, cookie: str, **further: object) -> str:
        """A personal key of the member with this session."""
        path = f"/admin/v1/studios/{self.made.game.studio_id}/personal-keys"
        body = {"name": "script", "expiresInDays": 7, **further}
        said = self.ask("POST", path, body, headers=signed_in(cookie))
        assert said.status == 201, said.json
        return str(said.json["data"]["key"])

    def rows(self, table: Table[Any]) -> list[Any]:
        """The rows of a table in the game's test environment."""
        return self.store.dump().get(self.scope.id, {}).get(table.name, [])


def headers_for(key: str, secret: str | None = None) -> dict[str, str]:
    """The headers that carry a key, and a player's secret."""
    headers = {"authorization": f"Bearer {key}"}
    return headers if secret is None else {**headers, "x-player-secret": secret}


def findings(game: AddedGame, areas: Areas = AREAS) -> list[tuple[str, str]]:
    """What `livecore check` finds in the game, which is in a database."""
    assert isinstance(game.store, SqliteStore | PostgresStore)
    report = check(game.store, [game.scope], lambda _: None, areas)
    return [(finding.table, finding.problem) for _, finding in report.findings]
