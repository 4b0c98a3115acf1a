"""What a type checker sees of the public clients. Nothing here runs: `nox -s types` is the test.

The names are loaded late and the namespaces later still, so it is worth holding that an editor knows every type exactly.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import assert_type

import livecore_client
from livecore.webhooks.payload import Payload
from livecore_client import (
    NO_RETRIES,
    AsyncSdkClient,
    AsyncServerClient,
    ResponseInfo,
    SdkClient,
    ServerClient,
    errors,
    rows,
    webhooks,
)


def the_synchronous_clients(client: SdkClient, server: ServerClient) -> None:
    """Methods return rows, iterators yield rows, contexts give the client itself."""
    with client as same:
        assert_type(same, SdkClient)
    assert_type(client.players.register(), rows.Registered)
    assert_type(client.friends.list(), rows.Friends)
    assert_type(client.friends.iterate(), Iterator[rows.FriendRow])
    assert_type(client.gifts.claim("g").gift.claimed_at, rows.Timestamp | None)
    assert_type(client.player_secret, str | None)
    assert_type(server.ping(), rows.Pong)
    assert_type(server.wallet.credit("anna", "gold", amount=1), rows.WalletChange)
    assert_type(server.gifts.iterate("anna"), Iterator[rows.GiftRow])
    assert_type(client.with_options(timeout_seconds=2), SdkClient)
    assert_type(server.with_options(retries=NO_RETRIES, headers={"X-Trace": "t"}).last_response, ResponseInfo | None)
    assert_type(server.guilds.iterate(), Iterator[rows.GuildRow])
    with client.presence.beating() as heartbeats:
        assert_type(heartbeats.presence, rows.Presence | None)


async def the_asynchronous_clients(client: AsyncSdkClient, server: AsyncServerClient) -> None:
    """The same, awaited."""
    async with client as same:
        assert_type(same, AsyncSdkClient)
    assert_type(await client.players.register(), rows.Registered)
    assert_type(await client.friends.list(), rows.Friends)
    assert_type(client.friends.iterate(), AsyncIterator[rows.FriendRow])
    assert_type(await server.ping(), rows.Pong)
    assert_type(await server.wallet.credit("anna", "gold", amount=1), rows.WalletChange)
    assert_type(server.gifts.iterate("anna"), AsyncIterator[rows.GiftRow])
    assert_type(client.with_options(deadline_seconds=2), AsyncSdkClient)
    assert_type(server.last_response, ResponseInfo | None)
    assert_type(server.guilds.iterate(), AsyncIterator[rows.GuildRow])
    async with client.presence.beating() as heartbeats:
        assert_type(heartbeats.presence, rows.Presence | None)


async def moving_on(server: ServerClient, other: AsyncServerClient) -> None:
    """An export becomes typed rows, whichever client has read it."""
    made = livecore_client.migration_rows(server.players.iterate_export("anna"))
    assert_type(made, rows.MigrationRows)
    assert_type(server.migrate.wallet(rows=made.wallet), rows.MigrationOutcome)
    pages = [page async for page in other.players.iterate_export("anna")]
    assert_type(await other.migrate.players(rows=livecore_client.migration_rows(pages).players), rows.MigrationOutcome)


def the_optional_fields_of_a_row(friend: rows.FriendRow) -> None:
    """A field that may be left out is narrowed by its truth, since `ABSENT` is false."""
    if friend.gift_cooldown_until is not rows.ABSENT:
        assert_type(friend.gift_cooldown_until, rows.Timestamp)


def the_exceptions(client: SdkClient) -> None:
    """A code's class has all that a refusal has."""
    try:
        client.gifts.catalog()
    except errors.GiftingDisabled as refused:
        assert_type(refused.status, int)
        assert_type(refused.retry_after_seconds, float | None)
    except livecore_client.ApiError as refused:
        assert_type(refused.request_id, str | None)


def the_events(body: bytes) -> None:
    """A payload is typed, or the plain mapping."""
    event = webhooks.verify(body, None, ["whsec_a", "whsec_b"])
    assert_type(event.data, Payload | Mapping[str, object])
