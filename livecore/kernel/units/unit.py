"""One unit of work: everything an operation may know or touch.

An operation is a plain function of a `Unit` and its arguments. The unit gives it the scope's rows (`tx`), the time (`now`),
random draws (`entropy`), the game's configuration, the caller (`actor`), the ephemeral state (`ephemeral`), what
else the process keeps in memory (`deployment.kept`), and ways to cause something: `emit` an event, `notify` subscribers and
`schedule` due work. It uses nothing else, and therefore it can be replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal, Protocol, TypeAlias

import attrs

from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.kernel.ids import new_id, new_uuid
from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import notice_of
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, Millis
from livecore.kernel.units import due
from livecore.kernel.units.ephemeral import Allowance, EphemeralState
from livecore.kernel.units.quotas import NO_QUOTAS, Quotas
from livecore.kernel.values import value
from livecore.kernel.wire.config import Config


class Event(Protocol):
    """The payload of something that happened; `kind` is its name, such as `gift.sent`."""

    kind: ClassVar[str]


@value
class Actor:
    """Who causes the unit: a player's client, the studio's backend by its key, a member in the portal, or the service."""

    kind: Literal["player", "api_key", "member", "system"]
    ref: str = ""
    """The player id, key prefix or member id."""


SYSTEM = Actor("system")


@value
class Change:
    """The state of something before and after a unit, as JSON for people to read; `None` means that it does not exist.

    It names no player but the one whom the unit is about, so that erasing this player empties it.
    """

    before: JsonObject | None
    after: JsonObject | None


@value
class Origin:
    """Where a request came from, as far as rules need it: address, platform, build, and countries."""

    address: str = ""
    platform: str | None = None
    app_version: str | None = None
    header_country: str | None = None
    """The country that a trusted proxy named."""
    address_country: str | None = None
    """The country of the address in the offline file."""


@value
class Retention:
    """How long a deployment keeps data that the service itself does not need; `None` means for ever."""

    audit: Millis | None = 400 * DAY
    """Entries of the audit trail, counted from when they were written, and former names of players, from their end."""
    addresses: Millis | None = 30 * DAY
    """Whole addresses in these entries, which are then shortened to networks."""
    bodies: Millis | None = None
    """Bodies of webhooks, counted from when they were queued; `None` means for as long as the events."""
    texts: Millis | None = 90 * DAY
    """What players wrote for a moment, counted from when it was of use last: presence labels, messages of gifts and of
    requests to join a guild."""


class Holder(Protocol):
    """Who asks, as far as a handler may want to know."""

    @property
    def kind(self) -> str:
        """The kind of principal."""

    @property
    def read_only(self) -> bool:
        """Whether it changes nothing, whatever its permissions are."""

    def holds(self, permission: str, environment: str | None = None) -> bool:
        """Whether it has a permission."""

    def require(self, permission: str, environment: str | None = None) -> None:
        """Check that it has a permission. Raises a refusal."""


class _System:
    """The service itself, which may do everything."""

    kind = "system"
    read_only = False

    def holds(self, permission: str, environment: str | None = None) -> bool:  # noqa: ARG002 - whatever it is
        return True

    def require(self, permission: str, environment: str | None = None) -> None:
        pass


class Vault(Protocol):
    """Encrypts texts that must be stored and read again."""

    def seal(self, text: str) -> str:
        """The text, sealed."""

    def unseal(self, sealed: str) -> str:
        """The text that was sealed."""


class UrlRules(Protocol):
    """Which URLs the service may send requests to."""

    def checked(self, url: str, environment: str, field: str) -> str:
        """The URL in its canonical form. Raises `ValidationFailed` under the path `field` for one that is not allowed."""


_EventSink: TypeAlias = "Callable[[Unit, Event, str | None], None]"
"""Writes an event to the outbox, in the transaction. The last argument is a player whose words it holds unnamed."""


class Declarations:
    """What the areas declare, of which a unit of work knows nothing: see `livecore.kernel.declarations.area.Areas`."""

    __slots__ = ()


@attrs.frozen(kw_only=True, eq=False)
class Deployment:
    """What is the same for all units of work of a process; the host makes one."""

    areas: Declarations
    """The declarations of all areas, for tools that know no single area; `Areas.of(unit)` gives them."""
    sink: _EventSink
    ephemeral: EphemeralState = attrs.field(factory=EphemeralState)
    """The ephemeral state."""
    kept: Mapping[type, object] = attrs.field(factory=dict)
    """What the host keeps in memory for an area, by its class, such as the rankings of leaderboards."""
    retention: Retention = attrs.field(factory=Retention)
    secrets: Sequence[bytes] = ()
    """Secrets of the deployment, the same in every process; the first one derives new values."""
    vault: Vault | None = None
    """Seals texts that must be stored and read again, if the host has one."""
    urls: UrlRules | None = None
    """Which URLs the service may send requests to, if the host says so."""


class Unit:
    """One request's or one due item's view of the world."""

    __slots__ = (
        "actor",
        "audit_metadata",
        "audit_target",
        "change",
        "config",
        "deployment",
        "entropy",
        "ephemeral",
        "events",
        "external_id",
        "fingerprint",
        "idempotency_key",
        "last_event_id",
        "misses",
        "now",
        "origin",
        "player_id",
        "principal",
        "quotas",
        "replayed",
        "scope",
        "secret_source",
        "silent",
        "studio_id",
        "tx",
        "waits",
    )

    config: Config
    """The game's configuration. Each area reads its own part: `economy_config(unit)`, `social_config(unit)`…"""
    deployment: Deployment
    """What all units of work of the process have in common."""
    ephemeral: EphemeralState
    """The ephemeral state, which is the deployment's."""
    events: list[Event]
    misses: dict[str, Allowance]
    """The throttles and quotas in which the request has been counted, so that a retried transaction does not count again."""
    idempotency_key: str | None
    """The caller's key for this write, unique within the surface (and player) that `fingerprint` belongs to."""
    fingerprint: str | None
    replayed: bool
    """Set by an operation that answered from an earlier write with the same permanent idempotency key."""
    player_id: str | None
    """The player whom the request's path names, once resolved."""
    external_id: str | None
    """The studio's id of that player, as the path names it, whether there is such a player or not."""
    principal: Holder
    """Who asks, for what depends on more than the operation's own permission."""
    quotas: Quotas
    """How much clients may add, besides the number of their requests."""
    secret_source: Entropy | None
    """Where a secret of the answer is drawn from, if it can be derived again under the caller's idempotency key."""
    silent: bool
    """Whether events are suppressed, as for players who are migrated in."""
    change: Change | None
    """What the unit changes, if its handler says so: for the audit trail."""
    audit_target: tuple[str, str] | None
    """The kind and the id of what it changes, where the path does not name it: for the audit trail."""
    audit_metadata: JsonObject | None
    """Further facts about the change: for the audit trail."""
    last_event_id: str | None
    """For a stream: the id of the last message that the reader has received, if the reader gives it."""
    waits: bool
    """Whether the host waits where the unit raises `StillLoading`."""

    def __init__(
        self,
        *,
        tx: Transaction,
        now: Millis,
        entropy: Entropy,
        config: Config,
        deployment: Deployment,
        studio_id: str = "",
        actor: Actor = SYSTEM,
        origin: Origin | None = None,
        misses: dict[str, Allowance] | None = None,
        principal: Holder | None = None,
        quotas: Quotas = NO_QUOTAS,
        waits: bool = False,
    ) -> None:
        self.tx = tx
        self.waits = waits
        self.scope: Scope = tx.scope
        self.now = now
        self.entropy = entropy
        self.config = config
        self.deployment = deployment
        self.ephemeral = deployment.ephemeral
        self.studio_id = studio_id
        self.actor = actor
        self.origin = origin or _NOWHERE
        self.events = []
        self.misses = {} if misses is None else misses
        self.idempotency_key = None
        self.fingerprint = None
        self.replayed = False
        self.player_id = None
        self.external_id = None
        self.principal = principal or _SYSTEM
        self.quotas = quotas
        self.secret_source = None
        self.silent = False
        self.change = None
        self.audit_target = None
        self.audit_metadata = None
        self.last_event_id = None

    def new_id(self, prefix: str) -> str:
        """A fresh id such as `plr_…`."""
        return new_id(prefix, self.now, self.entropy)

    def new_uuid(self) -> str:
        """A fresh UUID of version 7."""
        return new_uuid(self.now, self.entropy)

    def secret_bytes(self, size: int) -> bytes:
        """Random bytes of a secret that the answer shows."""
        return (self.secret_source or self.entropy).bytes(size)

    def emit(self, event: Event, about: str | None = None) -> None:
        """Store an event for the studio's endpoints, in this unit's transaction.

        `about` is the id of a player whom the event does not name and who wrote a text in it, such as the name of a team:
        when this player is erased the stored body is emptied, as those that name them.
        """
        if self.silent:
            return
        self.events.append(event)
        self.deployment.sink(self, event, about)

    def notify(self, topic: str, payload: JsonObject) -> None:
        """Publish a notice to the subscribers in all processes, once this unit is committed; see `notices`.

        Raises `ValueError` for a topic or a payload that is too long, and for too many of them.
        """
        self.tx.notify(notice_of(self.scope, topic, payload))

    def schedule(self, kind: str, ref: str, due_at: Millis, *, fresh: bool = False) -> None:
        """Have `kind` run for `ref` at `due_at`; `fresh` says that nothing can be scheduled for `ref` yet."""
        due.schedule(self.tx, kind, ref, due_at, fresh=fresh)

    def cancel(self, kind: str, ref: str) -> None:
        """Delete scheduled work."""
        due.cancel(self.tx, kind, ref)


_NOWHERE = Origin()
_SYSTEM: Holder = _System()
