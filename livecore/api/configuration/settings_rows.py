"""A game's settings on the wire: its configuration, differences, and its history."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Configuration, Cursor, Id, IdempotencyKey, Int, Limit

Version = Annotated[int, Int(1)]


@shape
class GetSettings:
    """The settings of a game."""

    game_id: Id


@shape
class CompareSettings:
    """What another configuration would change."""

    config: Configuration

    example: ClassVar = {"config": {"name": "Demo"}}


@shape
class ApplySettings:
    """Replace the configuration of a game; `version` is the one whose difference was read."""

    config: Configuration
    version: Version
    refund_pending_gifts: bool = False
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"config": {"name": "Demo"}, "version": 1}


@shape
class ListSettingsVersions:
    """The configurations that a game has had."""

    game_id: Id
    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class GetSettingsVersion:
    """A configuration that the game has or had."""

    game_id: Id
    version: Version

    example: ClassVar = {"version": 1}


@shape
class RestoreSettings:
    """Give a game an earlier configuration again; `presentVersion` is the one whose difference was read."""

    version: Version
    present_version: Version | None = None
    refund_pending_gifts: bool = False
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"version": 1}


@shape
class SettingsAuthor:
    """Who applied a configuration: `id` is a member's id, or the name of the user of a command line."""

    kind: Literal["member", "cli", "system"]
    id: str | None
    name: str | None


@shape
class SettingsVersionRow:
    """A configuration that the game has or had.

    `changes` counts the lines of the difference from the version before, of which `summary` shows the first. `at` and `by`
    are null where the version is older than the history.
    """

    version: int
    at: Timestamp | None
    by: SettingsAuthor | None
    changes: int
    summary: tuple[str, ...]
    restores: int | None

    example: ClassVar = {"changes": 1, "summary": ("~ gifting.cooldownSeconds: 86400 -> 3600",), "restores": None}


@shape
class SettingsAdvice:
    """A field of a configuration, and why its value is probably not meant; a configuration is never refused for it."""

    path: str
    message: str

    example: ClassVar = {
        "path": "guilds.help.resources[0].donorReward",
        "message": "is granted for each donation of 'gold', which costs the donor nothing",
    }


@shape
class SettingsShown:
    """A configuration with its version.

    `applied` is its row of the history, which says when it was applied and by whom. `advice` is on this configuration.
    """

    config: Configuration
    version: int
    applied: SettingsVersionRow
    advice: tuple[SettingsAdvice, ...]

    example: ClassVar = {"config": {"name": "Demo"}, "advice": ()}


@shape
class SettingsTakenAway:
    """What players hold of a currency, an item or a crate that another configuration does not declare any more.

    They keep it; `message` says what becomes of it. With `atLeast` there are more players and more of it than were counted.
    """

    path: str
    type: Literal["currency", "progression", "item", "crate"]
    key: str
    environment: str
    players: int
    amount: int
    at_least: bool
    message: str

    example: ClassVar = {
        "path": "items[potion]",
        "type": "item",
        "key": "potion",
        "environment": "live",
        "at_least": False,
        "message": (
            "2 players in live hold 7 of it: it stays in the inventories, where nobody can use or get any until the key is "
            "declared again"
        ),
    }


@shape
class SettingsCompared:
    """What another configuration would change, line by line, and what prevents it.

    `version` is the present version. `objections` and `pendingPaidGifts` (0 where they do not matter) prevent applying it.
    `advice` is on the other configuration, and `takenAway` says what players hold of what it does not declare any more; they
    prevent nothing.
    """

    version: int
    differences: tuple[str, ...]
    objections: tuple[str, ...]
    pending_paid_gifts: int
    advice: tuple[SettingsAdvice, ...]
    taken_away: tuple[SettingsTakenAway, ...]

    example: ClassVar = {
        "differences": ('~ name: "Game" -> "Demo"',),
        "objections": (),
        "pending_paid_gifts": 0,
        "advice": (),
        "taken_away": (),
    }


@shape
class SettingsApplied:
    """The present version after the change; `gifts_given_back` counts paid gifts that were ended for it."""

    version: int
    differences: tuple[str, ...]
    gifts_given_back: int

    example: ClassVar = {"differences": ('~ name: "Game" -> "Demo"',), "gifts_given_back": 0}


@shape
class SettingsVersionsPage:
    """Configurations that the game has or had, the newest first."""

    versions: tuple[SettingsVersionRow, ...]
    next_cursor: str | None
