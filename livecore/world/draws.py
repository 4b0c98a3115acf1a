"""Where a world's randomness comes from: each draw has a key, and two worlds with the same seed draw the same for it.

The key of a request says who acts, what for, and the how-manieth time: the environment, the operation, the player of the
path or the member, the keys of the path such as an event's, and a count of such requests. That of due work is what it does
and what it is about, with its moment. So one more request, wherever it comes, changes the draws of nobody else; and two
configurations can be played with the same luck.

What it remembers is a count for each key of a request, so it grows with the players and not with what they do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Final, TypeAlias
from urllib.parse import parse_qs

from livecore.access import personal_keys, sessions
from livecore.access.directory import KEY_BY_HASH
from livecore.access.keys import bearer_token, key_hash
from livecore.api.application import Application
from livecore.api.requests.http import Request
from livecore.api.requests.limits import RateLimits
from livecore.api.table.operation import Operation
from livecore.kernel.entropy import derive_seed
from livecore.kernel.errors import Refusal
from livecore.kernel.scope import DIRECTORY, ENVIRONMENTS, Scope
from livecore.kernel.storage.store import Store
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Deployment

DrawKey: TypeAlias = tuple[str, ...]
"""Who acts, and what for."""
_PLAYER: Final = "externalId"


class Draws:
    """The seeds of a world, each found by a key and the how-manieth time that it is asked for."""

    def __init__(self, root: bytes) -> None:
        self._root = root
        self.counts: dict[DrawKey, int] = {}
        """How often each key was drawn for."""
        self.moment: Millis = 0
        """The moment of the due work that ran last."""
        self.counts_now: dict[DrawKey, int] = {}
        """How often each piece of due work ran at that moment: a job runs in several steps."""
        self.given: bytes | None = None
        """The seed of the next request, in place of one that is drawn: of one that was recorded."""
        self.last: bytes = b""
        """The seed of the last request."""

    def draw(self, *key: str) -> bytes:
        """The next seed of this key."""
        number = self.counts[key] = self.counts.get(key, 0) + 1
        return derive_seed(self._root, repr(key), number)

    def draw_due(self, scope: Scope, kind: str, ref: str, now: Millis) -> bytes:
        """The seed of due work that runs now."""
        if now != self.moment:
            self.moment = now
            self.counts_now.clear()
        key = (scope.environment, kind, ref)
        number = self.counts_now[key] = self.counts_now.get(key, 0) + 1
        # As a number, also where it is a `Timestamp`, which is written otherwise.
        return derive_seed(self._root, repr(("due", *key, int(now))), number)

    def idempotency_key(self, surface: str, name: str) -> str:
        """A key for a write whose shape requires one: the next one of a caller, the player or operator of this name."""
        key = self._next_idempotency_key(surface, name)
        self.counts["idempotency", surface, name] = self.counts.get(("idempotency", surface, name), 0) + 1
        return key

    def note_idempotency_key(self, key: str | None, surface: str, name: str) -> None:
        """Take notice of the key of a request that was recorded, so that the same key is not given to another one."""
        if key == self._next_idempotency_key(surface, name):
            self.idempotency_key(surface, name)

    def _next_idempotency_key(self, surface: str, name: str) -> str:
        number = self.counts.get(("idempotency", surface, name), 0) + 1
        # Operators share the space of their keys; a player and the backend have one of their own.
        whose = f"{name_hash(name)}-" if surface == "admin" else ""
        return f"world-{whose}{number}"


class WorldApplication(Application):
    """The operations of a world: each request has the seed of its key."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], Millis],
        draws: Draws,
        deployment: Deployment,
        limits: RateLimits,
        operations: Sequence[Operation],
    ) -> None:
        super().__init__(
            store,
            clock=clock,
            seeds=partial(draws.draw, "host"),
            deployment=deployment,
            limits=limits,
            operations=operations,
        )
        self.draws = draws
        self._environments: dict[str, str] = {}

    def seed_of(self, request: Request) -> bytes:
        """The seed of a request's key, unless it is given."""
        given, self.draws.given = self.draws.given, None
        # Counted in any case: a request after recorded ones must not draw what one of them has drawn.
        drawn = self.draws.draw(*self.key_of(request))
        self.draws.last = drawn if given is None else given
        return self.draws.last

    def key_of(self, request: Request) -> DrawKey:
        """Who acts in a request, and what for; the same for a typed request as for one in the form of HTTP."""
        try:
            operation, values = self.router.of(request)
        except Refusal:
            return ("request", self._environment_of(request), "", "")
        if operation.credential == "member":
            named = parse_qs(request.query).get("environment", ENVIRONMENTS[:1])
            actor, environment = self.member_of(request), named[0]
        else:
            actor, environment = "", self._environment_of(request)
        places = _places(operation)
        return ("request", environment, operation.id, actor, *(values[place] for place in places))

    def _environment_of(self, request: Request) -> str:
        authorization = request.headers.get("authorization", "")
        found = self._environments.get(authorization)
        if found is None and authorization:
            try:
                hashed = key_hash(bearer_token(authorization))
            except Refusal:
                return ""
            key = self.store.read(DIRECTORY, lambda tx: tx.find(KEY_BY_HASH, hashed))
            if key is not None:
                found = self._environments[authorization] = key.environment
        return found or ""

    def member_of(self, request: Request) -> str:
        """The member whose session or personal key a request shows, whether or not it is still good."""
        authorization = request.headers.get("authorization")
        if authorization is not None:
            try:
                hashed = key_hash(bearer_token(authorization))
            except Refusal:
                return ""
            key = self.store.read(DIRECTORY, lambda tx: tx.find(personal_keys.BY_HASH, hashed))
            return "" if key is None else key.member_id
        token = sessions.token_of(request.headers.get("cookie"), sessions.session_cookie(self.origin))
        if token is None:
            return ""
        session = self.store.read(DIRECTORY, lambda tx: tx.find(sessions.BY_HASH, key_hash(token)))
        return "" if session is None else session.member_id


@lru_cache(maxsize=1_024)
def _places(operation: Operation) -> tuple[int, ...]:
    """The variables of an operation's path that are part of the key: the player, and keys of the configuration.

    Ids are not, because there are more and more of them.
    """
    return tuple(
        place for place, name in enumerate(operation.variables) if name in (_PLAYER, "key") or name.endswith("Key")
    )


def name_hash(name: str) -> str:
    """A name as eight characters that every key may hold."""
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
