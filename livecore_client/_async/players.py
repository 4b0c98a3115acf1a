"""Players: registering, identity, profile and secret."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Literal, cast

from livecore.kernel.shapes import ABSENT, Absent
from livecore.player_tools.export_rows import ExportPlayer, ListName, PlayerExport
from livecore.player_tools.rows import Erased, ErasePlayer, GetPlayer, Merged, MergePlayer, PlayerOverview
from livecore.players.rows import (
    Ban,
    BanState,
    DebugState,
    FlagDebug,
    GetProfile,
    IdentitySet,
    Profile,
    Register,
    Registered,
    RotateSecret,
    SecretRotated,
    SetIdentity,
    SetIdentityAsServer,
    Unban,
    UnflagDebug,
)
from livecore_client._arguments import json_object
from livecore_client._async.resource import AsyncSdkResource, AsyncServerResource

__all__ = ["AsyncSdkPlayers", "AsyncServerPlayers"]


class AsyncSdkPlayers(AsyncSdkResource):
    """The player that the client acts for."""

    async def register(
        self,
        *,
        force: bool = False,
        player_context: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
    ) -> Registered:
        """Register the player and use the new secret from now on; store it with the player's saved game.

        `force` replaces a lost secret, with a test key and for a test player only. `player_context` is free-form, and its
        `country` counts as the player's. Raises `PlayerAlreadyRegistered` where the player has a secret. A retry whose
        first answer was lost is told the same secret, and so are you for 24 hours with an `idempotency_key` of your own,
        which must be random and have at least 22 characters.
        """
        arguments = Register(force=force, player_context=json_object(player_context), idempotency_key=idempotency_key)
        answer = await self._send("POST", "/register", arguments, Registered, query=("force",), needs_secret=False)
        self._caller.player_secret = answer.player_secret
        return answer

    async def set_identity(
        self, *, name: str, avatar: str | None = None, idempotency_key: str | None = None
    ) -> IdentitySet:
        """Set the name and picture that others see; the anonymised identity stays as it is."""
        arguments = SetIdentity(name=name, avatar=avatar, idempotency_key=idempotency_key)
        return await self._send("PUT", "/identity", arguments, IdentitySet)

    async def get_profile(self) -> Profile:
        """The player's own identity, country, platform, sessions and login streak."""
        return await self._send("GET", "/profile", GetProfile(), Profile)


class AsyncServerPlayers(AsyncServerResource):
    """Any player of the game."""

    async def get(self, external_player_id: str, *, limit: int = 50) -> PlayerOverview:
        """A player at a glance, with the latest attempts, grants and lobbies, at most `limit` (1 to 200) of each.

        Raises `PlayerNotFound`.
        """
        return await self._send(external_player_id, "GET", "", GetPlayer(limit=limit), PlayerOverview)

    async def merge(
        self, external_player_id: str, to_external_id: str, *, idempotency_key: str | None = None
    ) -> Merged:
        """Fold a player into another one, who keeps name, secret and friend code; what both have is added up.

        The source's id is free afterwards. Repeating a merge changes nothing and says so. Raises `PlayerNotFound` where
        either is missing, and `InvalidMerge` with the reason where they cannot be merged.
        """
        arguments = MergePlayer(to_external_id=to_external_id, idempotency_key=idempotency_key)
        return await self._send(external_player_id, "POST", "/merge-into/{toExternalId}", arguments, Merged)

    async def erase(
        self,
        external_player_id: str,
        *,
        reason: Literal["gdpr_erasure", "studio_request", "test"] = "studio_request",
        idempotency_key: str | None = None,
    ) -> Erased:
        """Take a player's identity out of everything that is kept; amounts of money and goods stay, without a name.

        Repeating it changes nothing, and neither does erasing somebody who never was there; `status` says which it was.
        """
        arguments = ErasePlayer(reason=reason, idempotency_key=idempotency_key)
        return await self._send(external_player_id, "POST", "/delete", arguments, Erased)

    async def export(
        self, external_player_id: str, *, list_: ListName | None = None, cursor: str | None = None
    ) -> PlayerExport:
        """Everything that the game holds about a player, each list up to 1,000 rows.

        Where `truncated` says that a list goes on, ask again with its name as `list_` and its `cursor`, or use
        `iterate_export`. Raises `PlayerNotFound`.
        """
        arguments = ExportPlayer(list_=list_, cursor=cursor)
        return await self._send(external_player_id, "GET", "/export", arguments, PlayerExport)

    async def iterate_export(self, external_player_id: str) -> AsyncIterator[PlayerExport]:
        """The whole export: first everything up to 1,000 rows of each list, then what is left, a page of one list each.

        Raises `PlayerNotFound`.
        """
        whole = await self.export(external_player_id)
        yield whole
        for name, cursor in whole.cursors.items():
            at = cursor
            while at is not None:
                page = await self.export(external_player_id, list_=cast(ListName, name), cursor=at)
                yield page
                at = page.cursors.get(name)

    async def ban(self, external_player_id: str, *, reason: str, idempotency_key: str | None = None) -> BanState:
        """Refuse everything that the player does from now on, but for reading; `reason` has 1 to 500 characters.

        Banning again refreshes the reason. Raises `PlayerNotFound`.
        """
        arguments = Ban(reason=reason, idempotency_key=idempotency_key)
        return await self._send(external_player_id, "POST", "/ban", arguments, BanState)

    async def unban(self, external_player_id: str, *, idempotency_key: str | None = None) -> BanState:
        """Lift a player's ban; `applied` is false where there was none. Raises `PlayerNotFound`."""
        return await self._send(external_player_id, "POST", "/unban", Unban(idempotency_key=idempotency_key), BanState)

    async def flag_debug(
        self, external_player_id: str, *, reason: str | None = None, idempotency_key: str | None = None
    ) -> DebugState:
        """Leave a player out of revenue reports, past purchases included. Raises `PlayerNotFound`."""
        arguments = FlagDebug(reason=reason, idempotency_key=idempotency_key)
        return await self._send(external_player_id, "POST", "/debug", arguments, DebugState)

    async def unflag_debug(self, external_player_id: str, *, idempotency_key: str | None = None) -> DebugState:
        """Count a player in revenue reports again, past purchases included. Raises `PlayerNotFound`."""
        arguments = UnflagDebug(idempotency_key=idempotency_key)
        return await self._send(external_player_id, "DELETE", "/debug", arguments, DebugState)

    async def set_identity(
        self,
        external_player_id: str,
        *,
        name: str | None | Absent = ABSENT,
        avatar: str | None | Absent = ABSENT,
        country: str | None | Absent = ABSENT,
        idempotency_key: str | None = None,
    ) -> IdentitySet:
        """Change a player's name, picture or country, which then overrides every other source; what is left out stays.

        `None` goes back to name or picture of the anonymised identity, and lifts the override of the country. Raises
        `PlayerNotFound`.
        """
        arguments = SetIdentityAsServer(name=name, avatar=avatar, country=country, idempotency_key=idempotency_key)
        return await self._send(external_player_id, "PUT", "/identity", arguments, IdentitySet)

    async def rotate_secret(self, external_player_id: str, *, idempotency_key: str | None = None) -> SecretRotated:
        """Give a player who lost their secret a new one, to hand to the game client; the old one is dead at once.

        Raises `PlayerNotFound`.
        """
        arguments = RotateSecret(idempotency_key=idempotency_key)
        return await self._send(external_player_id, "POST", "/rotate-secret", arguments, SecretRotated)
