"""Grants: rewards that wait to be claimed.

    created ──▶ pending ──claim, acknowledge, force──▶ claimed      contents credited, once
                   └─────────────expiry──────────────▶ expired      nothing credited, until it is forced

A grant pays when it moves from `pending` to `claimed`. One function does that (`pay`), for every route. A gift is delivered
by a grant; the joint transition of the two is in `livecore.social.claims` (specification 2.13 and 3.3). A grant of kind
`crate` holds one crate, and is claimed by opening that (`livecore.economy.crates`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, get_args

from livecore.economy.config import economy_config
from livecore.economy.entries import check_entries, entries_text, parameters_text, stored_entries
from livecore.economy.ledger import Asset, holding_read, managed_here, post
from livecore.economy.refusals import CrateMustBeOpened, GrantAlreadyClaimed, GrantExpired, GrantNotFound
from livecore.economy.rows import (
    CreateGrant,
    CreateGrantAsOperator,
    GrantRow,
    ListPendingGrants,
    OneGrant,
    PendingGrants,
    RewardEntry,
)
from livecore.economy.webhook_events import GrantClaimed, GrantCreated
from livecore.economy.webhook_events import GrantExpired as GrantExpiredEvent
from livecore.kernel.errors import JsonObject, Refusal, ValidationFailed
from livecore.kernel.storage.paging import PageRequest, page_by_time, page_of
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import JsonText, PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, Timestamp, stamp
from livecore.kernel.units.permanent_idempotency import earlier, namespaced
from livecore.kernel.units.unit import Change, Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire import compact, encode
from livecore.kernel.wire.shapes import ABSENT
from livecore.players.player import Player, acting

EXPIRE: Final = "grants.expire"
"""Due work: the grant with this id has passed its expiry."""

Status: TypeAlias = Literal["pending", "claimed", "expired"]


@record
class Grant:
    """One reward for one player; `gift_id` names the gift that it delivers.

    `entries` hold the resources and amounts; `parameters` hold the attributes of entries, by their position.
    """

    grant_id: str
    player_id: PlayerId
    status: Status
    kind: Literal["reward", "crate"]
    entries: JsonText
    parameters: JsonText | None = None
    source_kind: str
    source_ref_id: str | None = None
    metadata: JsonText | None = None
    created_at: Millis
    expires_at: Millis | None = None
    claimed_at: Millis | None = None
    acked_by: str | None = None
    gift_id: str | None = None
    idempotency_key: str | None = None
    fingerprint: str | None = None
    crate_key: str | None = None
    """The crate that it holds; only a grant of kind `crate` has one."""


GRANTS = Table(
    "grants",
    Grant,
    key=("grant_id",),
    players={
        "player_id": PlayerColumn(
            Merge.REASSIGN,
            Erase.ANONYMISE,
            personal=("parameters", "source_ref_id", "metadata", "fingerprint"),
        )
    },
    export="grants",
)
OF_PLAYER_BY_STATUS = GRANTS.index("of_player_by_status", prefix=("player_id", "status"), order=("created_at",))
CRATES_OF_PLAYER = GRANTS.index(
    "crates_of_player", prefix=("player_id", "status"), order=("created_at", "grant_id", "crate_key")
)
"""Only the grants that hold a crate."""
_OF_SOURCE = GRANTS.index("of_source", prefix=("source_ref_id",), order=("created_at",))
"""Only the grants that say what they come from."""
BY_KEY = GRANTS.unique("idempotency_key")


# -- rules ----------------------------------------------------------------------------------------------------------------

TRANSITIONS: Final[dict[tuple[str, str], Status | type[Refusal]]] = {
    ("pending", "claim"): "claimed",
    ("pending", "expire"): "expired",
    ("claimed", "claim"): GrantAlreadyClaimed,
    ("claimed", "expire"): GrantAlreadyClaimed,
    ("expired", "claim"): GrantExpired,
    ("expired", "expire"): GrantExpired,
    ("pending", "force"): "claimed",
    ("claimed", "force"): GrantAlreadyClaimed,
    ("expired", "force"): "claimed",
}
"""Every state and trigger: the next state, or the refusal. Operators force what was not claimed in time."""


def is_past(grant: Grant, now: Millis) -> bool:
    """Whether the time of a grant is over, swept or not."""
    return grant.expires_at is not None and now >= grant.expires_at


def require_claimable(grant: Grant, now: Millis, *, forced: bool = False) -> None:
    """Raises `GrantAlreadyClaimed` or `GrantExpired`; a grant past its expiry counts as expired at once.

    `forced` lets an expired grant be claimed as well.
    """
    outcome = TRANSITIONS[grant.status, "force" if forced else "claim"]
    if not isinstance(outcome, str):
        raise outcome
    if is_past(grant, now) and not forced:
        raise GrantExpired


def entries_of(grant: Grant) -> tuple[RewardEntry, ...]:
    """The reward entries of a grant."""
    return stored_entries(grant.entries, grant.parameters)


# -- rows -----------------------------------------------------------------------------------------------------------------


def _metadata(grant: Grant) -> dict[str, object] | None:
    return None if grant.metadata is None else json.loads(grant.metadata)


def row(grant: Grant) -> GrantRow:
    """A grant as clients see it."""
    return GrantRow(
        grant_id=grant.grant_id,
        status=grant.status,
        kind=grant.kind,
        entries=entries_of(grant),
        source_kind=grant.source_kind,
        source_ref_id=grant.source_ref_id,
        metadata=_metadata(grant),
        created_at=Timestamp(grant.created_at),
        expires_at=stamp(grant.expires_at),
        claimed_at=stamp(grant.claimed_at),
        acked_by=grant.acked_by,
    )


def shown_for_audit(grant: Grant) -> JsonObject:
    """A grant for the audit trail, without what is free-form."""
    shown = encode(row(evolve(grant, metadata=None, parameters=None)))
    assert isinstance(shown, dict)  # noqa: S101 - a shape is an object
    return {name: value for name, value in shown.items() if name not in {"metadata", "grantId"}}


def _announce(
    unit: Unit, grant: Grant, player: Player, event: type[GrantCreated | GrantClaimed | GrantExpiredEvent]
) -> None:
    unit.emit(
        event(
            grant_id=grant.grant_id,
            player_id=player.player_id,
            external_player_id=player.external_id,
            status=grant.status,
            kind_=grant.kind,
            entries=entries_of(grant),
            source_kind=grant.source_kind,
            source_ref_id=grant.source_ref_id,
            metadata=_metadata(grant),
            created_at=Timestamp(grant.created_at),
            expires_at=stamp(grant.expires_at),
            claimed_at=stamp(grant.claimed_at),
            acked_by=grant.acked_by,
        )
    )


# -- operations -----------------------------------------------------------------------------------------------------------


def make(unit: Unit, player: Player, grant: Grant) -> Grant:
    """Store a new pending grant, schedule its expiry and emit the event."""
    unit.tx.insert(GRANTS, grant)
    if grant.expires_at is not None:
        unit.schedule(EXPIRE, grant.grant_id, grant.expires_at, fresh=True)
    _announce(unit, grant, player, GrantCreated)
    return grant


def award(
    unit: Unit,
    player: Player,
    entries: tuple[RewardEntry, ...],
    source_kind: str,
    source_ref_id: str | None,
    *,
    crate_key: str | None = None,
) -> Grant:
    """Grant entries for something that happened in the game; with `crate_key` they are the crate of this key."""
    grant = Grant(
        grant_id=unit.new_uuid(),
        player_id=player.player_id,
        status="pending",
        kind="reward" if crate_key is None else "crate",
        entries=entries_text(entries),
        parameters=parameters_text(entries),
        source_kind=source_kind,
        source_ref_id=source_ref_id,
        created_at=unit.now,
        crate_key=crate_key,
    )
    return make(unit, player, grant)


def repeated(unit: Unit) -> OneGrant | None:
    """The grant that an earlier request with the same key and body made, if there was one."""
    known = earlier(unit, BY_KEY)
    return None if known is None else OneGrant(grant=row(known))


def create(unit: Unit, player: Player, args: CreateGrant | CreateGrantAsOperator) -> OneGrant:
    """Create a grant, as the studio's backend or an operator. The caller has checked that it is not a repetition."""
    check_entries(economy_config(unit), args.entries, args.kind)
    if args.expires_at is not None and args.expires_at <= unit.now:
        raise ValidationFailed({"expiresAt": "must lie in the future"})
    metadata: JsonObject | None = args.metadata
    grant = Grant(
        grant_id=unit.new_uuid(),
        player_id=player.player_id,
        status="pending",
        kind=args.kind,
        entries=entries_text(args.entries),
        parameters=None if args.kind == "crate" else parameters_text(args.entries),
        source_kind=args.source_kind,
        source_ref_id=args.source_ref_id,
        metadata=None if metadata is None else JsonText(compact(metadata)),
        created_at=unit.now,
        expires_at=None if args.expires_at is None else int(args.expires_at),
        idempotency_key=namespaced(unit),
        fingerprint=unit.fingerprint,
        crate_key=args.entries[0].resource_key if args.kind == "crate" else None,
    )
    unit.change, unit.audit_target = Change(None, shown_for_audit(grant)), ("grant", grant.grant_id)
    return OneGrant(grant=row(make(unit, player, grant)))


def require_own(unit: Unit, player: Player, grant_id: str) -> Grant:
    """The player's grant with this id. Raises `GrantNotFound`, also for another player's grant."""
    grant = unit.tx.get(GRANTS, grant_id)
    if grant is None or grant.player_id != player.player_id:
        raise GrantNotFound.of(grant_id)
    return grant


def require_reward(grant: Grant) -> Grant:
    """The same grant. Raises `CrateMustBeOpened` for one that holds a crate, whatever its state."""
    if grant.crate_key is not None:
        raise CrateMustBeOpened
    return grant


def pay(unit: Unit, player: Player, grant: Grant, acked_by: str, reason: str, *, forced: bool = False) -> Grant:
    """Move a claimable grant to claimed and credit its contents: the only place where a grant pays.

    In a studio-managed game only progression is credited; the studio acts on the webhook for the rest. `forced` is an
    operator's claim, for which no time is too late.
    """
    require_claimable(grant, unit.now, forced=forced)
    entries = entries_of(grant)
    # They are read again one by one, because two entries may be of one asset.
    unit.tx.read_all(holding_read(player.player_id, asset) for asset in _credited(unit, entries))
    for entry in entries:
        if entry.type == "crate":
            _hand_over(unit, player, grant, entry)
            continue
        asset = Asset(entry.type, entry.resource_key)
        if managed_here(unit, asset):
            parameters = None if entry.parameters is ABSENT else entry.parameters
            post(unit, player, asset, entry.amount, reason=reason, source_ref_id=grant.grant_id, parameters=parameters)
    return close(unit, player, grant, acked_by)


def _credited(unit: Unit, entries: Sequence[RewardEntry]) -> list[Asset]:
    """The assets of a reward that the service keeps."""
    assets = [Asset(entry.type, entry.resource_key) for entry in entries if entry.type != "crate"]
    return [asset for asset in assets if managed_here(unit, asset)]


def _hand_over(unit: Unit, player: Player, grant: Grant, entry: RewardEntry) -> None:
    """Give a player the crates of a reward, each as a grant of its own, for the same reason as the reward."""
    one = (evolve(entry, amount=1, parameters=ABSENT),)
    for _ in range(entry.amount):
        award(unit, player, one, grant.source_kind, grant.source_ref_id, crate_key=entry.resource_key)


def close(unit: Unit, player: Player, grant: Grant, acked_by: str) -> Grant:
    """Mark a claimable grant as claimed, and emit the event."""
    grant = evolve(grant, status="claimed", claimed_at=unit.now, acked_by=acked_by)
    unit.tx.put(GRANTS, grant)
    unit.cancel(EXPIRE, grant.grant_id)
    _announce(unit, grant, player, GrantClaimed)
    return grant


def expire(unit: Unit, player: Player, grant: Grant) -> Grant:
    """Move a pending grant whose time has passed to expired."""
    grant = evolve(grant, status="expired")
    unit.tx.put(GRANTS, grant)
    _announce(unit, grant, player, GrantExpiredEvent)
    return grant


def _of_status(player_id: str, status: Status, page: PageRequest) -> Scan[Grant]:
    return page.newest(OF_PLAYER_BY_STATUS, player_id, status)


def list_pending(unit: Unit, args: ListPendingGrants) -> PendingGrants:
    """The grants that can be claimed or opened, newest first, without those past their expiry."""
    page = page_by_time(args)
    found = unit.tx.scanned(_of_status(acting(unit).player_id, "pending", page))
    shown, cursor = page_of(found, page, OF_PLAYER_BY_STATUS.position_of)
    rows = tuple(row(grant) for grant in shown if not is_past(grant, unit.now))
    return PendingGrants(grants=rows, next_cursor=cursor)


def newest(unit: Unit, player_id: PlayerId, page: PageRequest) -> tuple[list[Grant], str | None]:
    """A page of the player's grants of every status, newest first."""
    found = unit.tx.scan_all(_of_status(player_id, status, page) for status in get_args(Status))
    found.sort(key=lambda grant: (grant.created_at, grant.grant_id), reverse=True)
    return page_of(found, page, lambda grant: (grant.created_at, grant.grant_id))


def linked_to(unit: Unit, source_ref_id: str, limit: int) -> list[Grant]:
    """The newest grants that come from something, of every status, at most `limit`."""
    return unit.tx.scan(_OF_SOURCE, source_ref_id, reverse=True, limit=limit)


def count_of(unit: Unit, player: Player, status: Status) -> int:
    """How many grants with this status the player has."""
    return unit.tx.count(OF_PLAYER_BY_STATUS, player.player_id, status)
