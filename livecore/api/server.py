"""The studio's surface, `/server/v1`: one row for each operation that a studio's backend may call."""

from __future__ import annotations

from typing import Final

from livecore.access import rows as access
from livecore.api.operation import Operation
from livecore.economy import grants, inventory, wallet
from livecore.economy import rows as economy
from livecore.economy.refusals import (
    BalanceOverflow,
    EconomyKeyNotFound,
    EconomyNotPlatformManaged,
    GrantExpired,
    GrantNotFound,
    InsufficientBalance,
    InsufficientQuantity,
    ItemNotFound,
    SystemResourceLocked,
)
from livecore.kernel.shapes import Timestamp
from livecore.kernel.unit import Unit
from livecore.players import identity, registration
from livecore.players import rows as players
from livecore.social import blocks, claims, friends, gifts
from livecore.social import rows as social
from livecore.social.refusals import (
    GiftExpired,
    GiftingDisabled,
)

__all__ = ["SERVER_OPERATIONS"]

_S: Final = "/server/v1/players/{externalId}"


def _ping(unit: Unit, _: access.GetPing) -> access.Pong:
    return access.Pong(
        ok=True,
        game_id=unit.scope.game_id,
        environment="live" if unit.scope.environment == "live" else "test",
        api_key_prefix=unit.actor.ref,
        server_time=Timestamp(unit.now),
    )


def _create_grant(unit: Unit, args: economy.CreateGrant) -> economy.OneGrant:
    player = registration.first_contact(unit, unit.external_id or "")
    unit.player_id = player.player_id
    return grants.create(unit, player, args)


def _rotate_secret(unit: Unit, args: players.RotateSecret) -> players.SecretRotated:
    return registration.rotate_secret(unit, args)


def _read(name: str, path: str, args: type, answer: type, handler: object, summary: str, *more: type) -> Operation:
    return Operation(
        name=name,
        surface="server",
        method="GET",
        path=_S + path,
        credential="server_key",
        bucket="server_api",
        args=args,
        answers={200: answer},
        handler=handler,  # type: ignore[arg-type] # handlers take the operation's own shape
        summary=summary,
        errors=more,
        subject="existing",
    )


def _write(
    name: str, path: str, args: type, answer: type, handler: object, summary: str, *more: type, keyed: bool = True,
    method: str = "POST",
) -> Operation:  # fmt: skip
    return Operation(
        name=name,
        surface="server",
        method=method,  # type: ignore[arg-type] # checked by the router's own test
        path=_S + path,
        credential="server_key",
        bucket="server_api",
        args=args,
        answers={200: answer},
        handler=handler,  # type: ignore[arg-type] # handlers take the operation's own shape
        summary=summary,
        errors=more,
        writes=True,
        keyed=keyed,
        subject="existing",
    )


_WALLET = (EconomyKeyNotFound, SystemResourceLocked, EconomyNotPlatformManaged)
_ITEMS = (ItemNotFound, EconomyNotPlatformManaged)

SERVER_OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="ping",
        surface="server",
        method="GET",
        path="/server/v1/ping",
        credential="server_key",
        bucket="server_api",
        args=access.GetPing,
        answers={200: access.Pong},
        handler=_ping,
        summary="Probe the connection and the key.",
    ),
    Operation(
        name="grants.create",
        surface="server",
        method="POST",
        path=_S + "/grants",
        credential="server_key",
        bucket="server_api",
        args=economy.CreateGrant,
        answers={201: economy.OneGrant, 200: economy.OneGrant},
        handler=_create_grant,
        summary="Create a grant; the player is made on first contact.",
        errors=(SystemResourceLocked,),
        writes=True,
        keyed=True,
        subject="any",
        replay_status=200,
    ),
    _write("grants.ack", "/grants/{grantId}/ack", economy.OfGrant, economy.OneGrant, claims.acknowledge,
           "Mark a grant claimed.", GrantNotFound, GrantExpired, GiftExpired,
           BalanceOverflow),
    _read("friends.list", "/friends", social.ListFriends, social.Friends, friends.list_friends,
          "List a player's friends with presence."),
    _read("friends.listRequests", "/friends/requests", social.ListRequests, social.FriendRequests,
          friends.list_requests, "List a player's open requests, both ways."),
    _read("friends.listBlocks", "/blocks", social.ListBlocks, social.Blocks, blocks.list_blocks,
          "List the players whom a player has blocked."),
    _read("gifts.list", "/gifts", social.ListGiftsAsServer, social.Gifts, gifts.list_as_server,
          "List a player's gifts with the delivering grants' status.", GiftingDisabled),
    _write("players.setIdentity", "/identity", players.SetIdentityAsServer, players.IdentitySet,
           identity.set_identity_as_server, "Set a player's display identity and country.", method="PUT"),
    _write("players.rotateSecret", "/rotate-secret", players.RotateSecret, players.SecretRotated, _rotate_secret,
           "Give a player a new secret.", keyed=False),
    _write("wallet.credit", "/wallet/{economyKey}/credit", economy.AdjustWallet, economy.WalletChange,
           wallet.credit, "Mint currency.", *_WALLET, BalanceOverflow),
    _write("wallet.debit", "/wallet/{economyKey}/debit", economy.AdjustWallet, economy.WalletChange, wallet.debit,
           "Take currency.", *_WALLET, InsufficientBalance),
    _write("inventory.grant", "/inventory/{itemKey}/grant", economy.GrantItem, economy.ItemChange,
           inventory.grant_item, "Give items.", *_ITEMS, BalanceOverflow),
    _write("inventory.revoke", "/inventory/{itemKey}/revoke", economy.RevokeItem, economy.ItemChange,
           inventory.revoke, "Take items away.", *_ITEMS, InsufficientQuantity),
)  # fmt: skip
