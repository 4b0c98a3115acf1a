# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""The game's client: it acts for one player, with the game's client key and that player's secret."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import httpx

from livecore.surfaces.namespaces.sdk import SdkNamespaces
from livecore_client._machine import Machine
from livecore_client._retry import RetryPolicy
from livecore_client._settings import Settings, detect_platform, optional_setting, setting
from livecore_client._sync.caller import Caller
from livecore_client._sync.connections import Connections
from livecore_client._sync.opened import Opened

if TYPE_CHECKING:
    from livecore_client._sync.beating import BeatingPresence
    from livecore_client._sync.following import FollowingLeaderboards

__all__ = ["SdkClient"]


class SdkClient(Opened, SdkNamespaces):
    """A synchronous client of `/sdk/v1`, for use in a game.

        key = "lc_live_client_K7R"
        with SdkClient(base_url="https://live.example.com", api_key=key, external_player_id="anna") as client:
            client.players.register()
            client.friends.send_request(friend_code="K7RWQ2")

    The options, of which every one but `headers`, `transport`, `http_client`, `machine` and a policy of `retries` may
    come from the environment (`LIVECORE_BASE_URL` and so on):

    - `base_url`: scheme, host and port of the service, without a path.
    - `timeout_seconds`: how long a connection and each part of an answer may take; 10 when not given.
    - `deadline_seconds`: how long a call may take with all its attempts and pauses; when not given, 30, or
      `timeout_seconds` or the policy's `total_seconds` where that is longer. A pause that would pass it is not begun: the
      failure is raised, with `retry_after_seconds` where the server has named a time. An attempt before it has no more
      time for a connection, and for each part of the answer, than is left.
    - `retries`: how often a call is tried, and with what pauses; at most four attempts when not given.
    - `headers`: sent with every request, beside those of the client, which they cannot replace.
    - `platform`: detected when not given. `app_version`: the game's build.
    - `http_client`: your own, for proxies or certificates: then its time-outs apply, and it stays open. `transport`: an
      httpx transport instead. `machine`: the clock, for tests.

    `with_options` gives a client with other limits or headers for some calls. Every method raises `ApiError` when the
    service refuses (`livecore_client.errors` has a class for each code), `TransportError` when no answer arrives,
    `UnreadableAnswer`, and `ClientClosed` after `close`; its own docstring names the codes that matter.
    """

    _caller: Caller

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        external_player_id: str | None = None,
        player_secret: str | None = None,
        platform: str | None = None,
        app_version: str | None = None,
        timeout_seconds: float | None = None,
        deadline_seconds: float | None = None,
        retries: RetryPolicy | None = None,
        headers: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
        http_client: httpx.Client | None = None,
        machine: Machine | None = None,
    ) -> None:
        settings = Settings.resolve(
            "client",
            base_url=base_url,
            api_key=api_key,
            platform=platform,
            detected_platform=detect_platform(),
            app_version=app_version,
            timeout_seconds=timeout_seconds,
            deadline_seconds=deadline_seconds,
            retries=retries,
            headers=headers,
        )
        self._external_player_id = setting("external_player_id", external_player_id)
        connections = Connections(
            settings,
            external_player_id=self._external_player_id,
            player_secret=optional_setting("player_secret", player_secret),
            transport=transport,
            http_client=http_client,
            machine=machine,
        )
        self._caller = Caller(settings, connections)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(base_url={self._caller.settings.base_url!r}, "
            f"external_player_id={self.external_player_id!r})"
        )

    @cached_property
    def leaderboards(self) -> FollowingLeaderboards:
        """Who leads, in events and over weeks, months and all time."""
        from livecore_client._sync.following import FollowingLeaderboards  # noqa: PLC0415 - as every namespace

        return FollowingLeaderboards(self._caller)

    @cached_property
    def presence(self) -> BeatingPresence:
        """Whether players are there, and what they do."""
        from livecore_client._sync.beating import BeatingPresence  # noqa: PLC0415 - as every namespace

        return BeatingPresence(self._caller)

    @property
    def external_player_id(self) -> str:
        """The player that this client acts for, by the studio's own id."""
        return self._external_player_id

    @property
    def player_secret(self) -> str | None:
        """The player's secret: set by registering, or by you from the saved game or after a rotation."""
        return self._caller.player_secret

    @player_secret.setter
    def player_secret(self, secret: str | None) -> None:
        self._caller.player_secret = secret
