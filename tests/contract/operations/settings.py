"""A game's settings, as operators read and change them."""

from __future__ import annotations

from typing import Final

from tests.contract.expected import KEY, PAGE, Area, Route
from tests.contract.stories import Scene, Thing
from tests.worlds import RACES, config


def _version(_: Scene) -> str:
    """The version that the game was made with."""
    return "1"


_CHANGED: Final = "settings_changed settings_refused paid_gifts_pending"
_ROUTES: Final = (
    Route(
        "admin", "settings.get", "GET /settings", asks="gameId",
        answers="config version applied:settingsVersion advice:settingsAdvice[]",
        permission="settings.read",
    ),
    Route(
        "admin", "settings.difference", "POST /settings/difference", asks="config", looks=True,
        permission="settings.read",
        answers="version differences objections pendingPaidGifts advice:settingsAdvice[] takenAway:settingsTakenAway[]",
    ),
    Route(
        "admin", "settings.apply", "PUT /settings", asks=f"config version refundPendingGifts? {KEY}",
        answers="version differences giftsGivenBack", permission="settings.apply", refusals=_CHANGED,
        body={"config": config(name="Another", events=RACES), "version": 1},
    ),
    Route(
        "admin", "settings.history", "GET /settings/history", asks=f"gameId {PAGE}",
        answers="versions:settingsVersion[] nextCursor", permission="settings.read",
    ),
    Route(
        "admin", "settings.getVersion", "GET /settings/history/{version}", asks="gameId version",
        answers="config version applied:settingsVersion advice:settingsAdvice[]", permission="settings.read",
        refusals="settings_version_not_found",
    ),
    Route(
        "admin", "settings.restore", "POST /settings/history/{version}/restore",
        asks=f"version presentVersion? refundPendingGifts? {KEY}", answers="version differences giftsGivenBack",
        permission="settings.apply", refusals=f"settings_version_not_found {_CHANGED}",
    ),
)  # fmt: skip


AREA: Final = Area(
    routes=_ROUTES,
    rows={
        "settingsVersion": "version at by:settingsAuthor changes summary restores",
        "settingsAuthor": "kind id name",
        "settingsAdvice": "path message",
        "settingsTakenAway": "path type key environment players amount atLeast message",
    },
    refusals={404: "settings_version_not_found", 409: _CHANGED},
    operated={"version": Thing(_version)},
)
