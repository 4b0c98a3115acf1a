"""A game's settings, as operators read and change them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from livecore.access.refusals import GameNotFound, StudioNotFound
from livecore.api.configuration import settings_rows
from livecore.api.configuration.config_refusals import (
    ConfigRefused,
    ConfiguredMeanwhile,
    PaidGiftsPending,
    SettingsVersionNotFound,
)
from livecore.api.operating import settings
from livecore.api.table.admin_routes import GAME, member_read, member_write
from livecore.api.table.operation import Operation

_TARGET: Final = ("game", "gameId")
_APPLY: Final = "settings.apply"

OPERATIONS: Final[tuple[Operation, ...]] = (
    member_read(
        "settings.get",
        "/settings",
        settings_rows.GetSettings,
        settings_rows.SettingsShown,
        settings.get,
        permission="settings.read",
        reach="directory",
        summary="Read the configuration of a game.",
        about=(
            "It holds for both environments, whichever `environment` the query names, and has every field, also those that "
            "have their default."
        ),
    ),
    Operation(
        name="settings.difference",
        surface="admin",
        method="POST",
        path=f"{GAME}/settings/difference",
        credential="member",
        bucket="admin",
        args=settings_rows.CompareSettings,
        answers={200: settings_rows.SettingsCompared},
        handler=cast("Callable[[Any, Any], object]", settings.compare),
        errors=(StudioNotFound, GameNotFound),
        permission="settings.read",
        reach="several",
        summary="Read what another configuration would change.",
        about="Nothing is changed. The faults of `config` are named by their paths.",
    ),
    member_write(
        "settings.apply",
        "PUT /settings",
        settings_rows.ApplySettings,
        {200: settings_rows.SettingsApplied},
        settings.apply,
        ConfiguredMeanwhile,
        ConfigRefused,
        PaidGiftsPending,
        permission=_APPLY,
        reach="several",
        refuses_environment=True,
        resume=settings.resume,
        target=_TARGET,
        summary="Replace the configuration of a game.",
        about=(
            "`version` is the version whose difference was read; if the game has got another one since, nothing is changed. "
            "A change of the economy's mode is refused while paid gifts are pending, unless `refund_pending_gifts` gives "
            "them back first. Without a difference there is no new version."
        ),
    ),
    member_read(
        "settings.history",
        "/settings/history",
        settings_rows.ListSettingsVersions,
        settings_rows.SettingsVersionsPage,
        settings.list_versions,
        permission="settings.read",
        reach="directory",
        summary="List the configurations that a game has had.",
        about="The newest first, at most `limit` (1 to 200) from `cursor` on. The last 200 are kept.",
    ),
    member_read(
        "settings.getVersion",
        "/settings/history/{version}",
        settings_rows.GetSettingsVersion,
        settings_rows.SettingsShown,
        settings.get_version,
        SettingsVersionNotFound,
        permission="settings.read",
        reach="directory",
        summary="Read a configuration that a game has had.",
    ),
    member_write(
        "settings.restore",
        "POST /settings/history/{version}/restore",
        settings_rows.RestoreSettings,
        {200: settings_rows.SettingsApplied},
        settings.restore,
        SettingsVersionNotFound,
        ConfiguredMeanwhile,
        ConfigRefused,
        PaidGiftsPending,
        permission=_APPLY,
        reach="several",
        refuses_environment=True,
        resume=settings.resume,
        target=_TARGET,
        summary="Give a game an earlier configuration again.",
        about=(
            "It becomes a new version, under the same conditions as any other. With `present_version` nothing is changed if "
            "the game has got another version since that one was read."
        ),
    ),
)
