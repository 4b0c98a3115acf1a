"""Grants on both surfaces: what a studio gives, and what a player claims."""

from __future__ import annotations

from typing import Final

from livecore.api.table.operation import Link, Operation
from livecore.api.table.player_routes import SDK, SERVER
from livecore.economy import grants, rows
from livecore.economy.refusals import (
    BalanceOverflow,
    CrateMustBeOpened,
    GrantAlreadyClaimed,
    GrantExpired,
    GrantNotFound,
    SystemResourceLocked,
)
from livecore.kernel.units.unit import Unit
from livecore.players import registration
from livecore.social import claims
from livecore.social.refusals import GiftExpired


def _create_grant(unit: Unit, args: rows.CreateGrant) -> rows.OneGrant:
    # A late repetition may name a player who was merged away since, and must not make a new one.
    known = grants.repeated(unit)
    if known is not None:
        return known
    player = registration.first_contact(unit, unit.external_id or "")
    unit.player_id = player.player_id
    return grants.create(unit, player, args)


OPERATIONS: Final[tuple[Operation, ...]] = (
    SDK.read(
        "grants.listPending",
        "/pending-grants",
        rows.ListPendingGrants,
        rows.PendingGrants,
        grants.list_pending,
        summary="List what waits to be claimed.",
        about=(
            "A page of at most `limit` (1 to 200), newest first. A gift's grant is among them, and so are crates, which are "
            "opened and not claimed."
        ),
        links={200: (Link("grants.claim", "grantId", "grants/0/grantId"),)},
    ),
    SDK.write(
        "grants.claim",
        "POST /grants/{grantId}/claim",
        rows.OfGrant,
        {200: rows.OneGrant},
        claims.claim_grant,
        GrantNotFound,
        CrateMustBeOpened,
        GrantAlreadyClaimed,
        GrantExpired,
        GiftExpired,
        BalanceOverflow,
        summary="Claim a grant.",
        about=(
            "Its entries are credited where the platform keeps the economy. Each crate among them becomes a grant of its "
            "own, to be opened."
        ),
        examples={200: {rows.GrantRow: {"status": "claimed", "acked_by": "player", "metadata": None}}},
    ),
    Operation(
        name="grants.create",
        surface="server",
        method="POST",
        path=SERVER.prefix + "/grants",
        credential="server_key",
        bucket="server_api",
        args=rows.CreateGrant,
        answers={201: rows.OneGrant, 200: rows.OneGrant},
        handler=_create_grant,
        summary="Create a grant; the player is made on first contact.",
        about=(
            "A reward of 1 to 50 `entries`, waiting to be claimed. Name it with your own `idempotency_key`, such as "
            "the id of your order or season: then neither a crash of your process nor a second job can pay it "
            "twice. A client that is given no key makes one, and then only its own retries are safe. A key that was used "
            "differently is refused with `idempotency_conflict`. `expires_at` must lie ahead. With the kind `crate` the "
            "grant is a crate to be opened: then `entries` is one entry of type `crate` and amount 1."
        ),
        errors=(SystemResourceLocked,),
        writes=True,
        keyed=True,
        subject="any",
        replay_status=200,
        links={201: (Link("grants.ack", "grantId", "grant/grantId"),)},
    ),
    SERVER.write(
        "grants.ack",
        "POST /grants/{grantId}/ack",
        rows.OfGrant,
        {200: rows.OneGrant},
        claims.acknowledge,
        GrantNotFound,
        CrateMustBeOpened,
        GrantExpired,
        GiftExpired,
        BalanceOverflow,
        summary="Mark a grant claimed.",
        about="For a player whom the studio has paid itself. Doing it again changes nothing.",
        examples={200: {rows.GrantRow: {"status": "claimed", "acked_by": "server_api", "metadata": None}}},
    ),
)
