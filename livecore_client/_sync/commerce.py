# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Purchases, what players spend, and revenue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from livecore.commerce.rows import (
    GetPlayerSpend,
    GetRevenueSummary,
    ListPurchases,
    ListSpenders,
    PlayerSpend,
    PurchaseRow,
    Purchases,
    PurchaseTracked,
    RevenueSummary,
    Spender,
    Spenders,
    TrackPurchase,
    TrackPurchaseAsServer,
    ValidationStatus,
)
from livecore.kernel.shapes import Timestamp
from livecore_client._arguments import build_call, instant, json_object, read_row
from livecore_client._sync.resource import SdkResource, ServerResource, pages

__all__ = ["SdkPurchases", "ServerPurchases", "ServerSpend"]


class SdkPurchases(SdkResource):
    """What the player that the client acts for has bought."""

    def track(
        self,
        *,
        transaction_id: str,
        store: str,
        product_id: str,
        product_type: str,
        amount_minor: int,
        currency: str,
        purchased_at: datetime | Timestamp | None = None,
        metadata: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
    ) -> PurchaseTracked:
        """Report a purchase, once for each transaction of each store however often it is sent.

        `amount_minor` counts the smallest unit of `currency`: 999 is 9.99 EUR and 999 JPY. `purchased_at` left out is now.
        Raises `UnknownCurrency`, `TransactionConflict` for another player's transaction, and `IdempotencyConflict` where the
        transaction was reported differently before.
        """
        arguments = TrackPurchase(
            transaction_id=transaction_id,
            store=store,
            product_id=product_id,
            product_type=product_type,
            amount_minor=amount_minor,
            currency=currency,
            purchased_at=instant(purchased_at),
            metadata=json_object(metadata),
            idempotency_key=idempotency_key,
        )
        return self._send("POST", "/purchases", arguments, PurchaseTracked)


class ServerPurchases(ServerResource):
    """What any player has bought."""

    def track(
        self,
        external_player_id: str,
        *,
        transaction_id: str,
        store: str,
        product_id: str,
        product_type: str,
        amount_minor: int,
        currency: str,
        purchased_at: datetime | Timestamp | None = None,
        metadata: Mapping[str, object] | None = None,
        validation_status: ValidationStatus = "unverified",
        idempotency_key: str | None = None,
    ) -> PurchaseTracked:
        """Report a player's purchase; with `validation_status="verified"` also that you have checked it with the store.

        A purchase that the client has reported becomes verified by this; it never becomes unverified again.
        Raises `PlayerNotFound`, and what the client's `purchases.track` raises.
        """
        arguments = TrackPurchaseAsServer(
            transaction_id=transaction_id,
            store=store,
            product_id=product_id,
            product_type=product_type,
            amount_minor=amount_minor,
            currency=currency,
            purchased_at=instant(purchased_at),
            metadata=json_object(metadata),
            validation_status=validation_status,
            idempotency_key=idempotency_key,
        )
        return self._send(external_player_id, "POST", "/purchases", arguments, PurchaseTracked)

    def list(self, external_player_id: str, *, limit: int = 50, cursor: str | None = None) -> Purchases:
        """A page of a player's purchases, newest first. Raises `PlayerNotFound`."""
        arguments = ListPurchases(limit=limit, cursor=cursor)
        return self._send(external_player_id, "GET", "/purchases", arguments, Purchases)

    def iterate(self, external_player_id: str, *, page_size: int = 100) -> Iterator[PurchaseRow]:
        """Every purchase of a player, newest first, a page at a time. Raises `PlayerNotFound`."""
        for page in pages(lambda at: self.list(external_player_id, limit=page_size, cursor=at)):
            yield from page.purchases


class ServerSpend(ServerResource):
    """What players spend, in US cents, and the game's revenue."""

    def get(self, external_player_id: str, *, windows: Sequence[int] = ()) -> PlayerSpend:
        """What a player has spent ever, and in the last so many days for each of `windows`. Raises `PlayerNotFound`."""
        arguments = GetPlayerSpend(windows=tuple(windows))
        return self._send(external_player_id, "GET", "/spend", arguments, PlayerSpend)

    def list_players(
        self,
        *,
        min_amount_minor: int = 1,
        window_days: int | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Spenders:
        """Players who spent at least so many US cents, the most first, in the last `window_days` days or ever.

        Debug accounts are left out.
        """
        arguments = ListSpenders(min_amount_minor=min_amount_minor, window_days=window_days, limit=limit, offset=offset)
        call = build_call("GET", "/server/v1/spend/players", arguments)
        return read_row(Spenders, self._caller.send(call))

    def iterate_players(
        self, *, min_amount_minor: int = 1, window_days: int | None = None, page_size: int = 100
    ) -> Iterator[Spender]:
        """Every such player, the most first, a page at a time; who rises meanwhile may be missed or met twice.

        Raises `ValidationFailed` past the first hundred thousand: for fewer, ask for a larger `min_amount_minor`.
        """
        offset = 0
        while True:
            page = self.list_players(
                min_amount_minor=min_amount_minor, window_days=window_days, limit=page_size, offset=offset
            )
            yield from page.players
            offset += len(page.players)
            if not page.players or offset >= page.total:
                return

    def summary(self, *, from_: str | None = None, to: str | None = None) -> RevenueSummary:
        """Revenue of the UTC days from `from_` up to before `to` (such as `2026-01-31`); by default of the last 30 days.

        Debug accounts are left out.
        """
        call = build_call("GET", "/server/v1/spend/summary", GetRevenueSummary(from_=from_, to=to))
        return read_row(RevenueSummary, self._caller.send(call))
