"""Grants: rewards that wait to be claimed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Literal

from livecore.economy.rows import (
    CreateGrant,
    GrantRow,
    ListPendingGrants,
    OfGrant,
    OneGrant,
    PendingGrants,
    RewardEntry,
)
from livecore.kernel.shapes import Timestamp
from livecore_client._arguments import instant, json_object
from livecore_client._async.resource import AsyncSdkResource, AsyncServerResource, pages

__all__ = ["AsyncSdkGrants", "AsyncServerGrants"]


class AsyncSdkGrants(AsyncSdkResource):
    """The rewards of the player that the client acts for."""

    async def list_pending(self, *, limit: int = 50, cursor: str | None = None) -> PendingGrants:
        """A page of the grants that wait to be claimed, newest first; a gift's grant is among them."""
        arguments = ListPendingGrants(limit=limit, cursor=cursor)
        return await self._send("GET", "/pending-grants", arguments, PendingGrants)

    async def iterate_pending(self, *, page_size: int = 100) -> AsyncIterator[GrantRow]:
        """Every grant that waits to be claimed, newest first, a page at a time."""
        async for page in pages(lambda at: self.list_pending(limit=page_size, cursor=at)):
            for row in page.grants:
                yield row

    async def claim(self, grant_id: str, *, idempotency_key: str | None = None) -> OneGrant:
        """Claim a grant, which credits its entries where the platform keeps the economy.

        Raises `GrantNotFound`, `GrantAlreadyClaimed`, and `GrantExpired` or `GiftExpired`.
        """
        arguments = OfGrant(grant_id=grant_id, idempotency_key=idempotency_key)
        return await self._send("POST", "/grants/{grantId}/claim", arguments, OneGrant)


class AsyncServerGrants(AsyncServerResource):
    """Rewards for any player."""

    async def create(
        self,
        external_player_id: str,
        *,
        entries: Sequence[RewardEntry],
        idempotency_key: str | None = None,
        kind: Literal["reward", "crate"] = "reward",
        expires_at: datetime | Timestamp | None = None,
        source_kind: Literal["api", "admin"] = "api",
        source_ref_id: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> OneGrant:
        """Leave a player a reward of 1 to 50 entries, waiting to be claimed; a new player is made on first contact.

        Name the reward with your own `idempotency_key`, such as the id of your order or season: then neither a crash of
        your process nor a second job can pay it twice. Without one, only the retries of this call are safe. `expires_at`
        must lie ahead. Raises `ValidationFailed` for unknown keys and `IdempotencyConflict` for a key used differently.
        """
        arguments = CreateGrant(
            idempotency_key=idempotency_key or self._new_idempotency_key(),
            entries=tuple(entries),
            kind=kind,
            expires_at=instant(expires_at),
            source_kind=source_kind,
            source_ref_id=source_ref_id,
            metadata=json_object(metadata),
        )
        return await self._send(external_player_id, "POST", "/grants", arguments, OneGrant)

    async def ack(self, external_player_id: str, grant_id: str, *, idempotency_key: str | None = None) -> OneGrant:
        """Mark a grant claimed for a player whom the studio paid itself; again is no fault.

        Raises `PlayerNotFound`, `GrantNotFound`, and `GrantExpired` or `GiftExpired`.
        """
        arguments = OfGrant(grant_id=grant_id, idempotency_key=idempotency_key)
        return await self._send(external_player_id, "POST", "/grants/{grantId}/ack", arguments, OneGrant)
