"""Which tools are marked as destructive: programs ask a person before they let an assistant use one of these.

Marked is what removes or replaces something, what cannot be taken back, and what a player would notice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from livecore.api.assistants.tools import tools_of
from livecore.api.operations import OPERATIONS

MARKED: Final[Mapping[str, bool]] = {
    "attempts_forceComplete": True,  # the player is paid
    "attempts_retryRewardRoll": True,  # the player gets something
    "deliveries_replay": False,  # a receiver knows an event by its id
    "deliveries_replayMany": False,
    "games_create": False,
    "grants_create": True,  # the player gets something
    "grants_forceClaim": True,
    "guilds_disband": True,
    "guilds_removeMember": True,
    "guilds_transfer": True,
    "guilds_update": True,  # the members see it
    "inventory_adjust": True,
    "inventory_setAttributes": True,
    "leaderboards_removeEntry": True,
    "players_ban": True,  # the player is shut out
    "players_erase": True,
    "players_flagDebug": False,  # the player plays on like any other
    "players_merge": True,
    "players_unban": True,
    "players_unflagDebug": False,
    "settings_apply": True,
    "settings_restore": True,
    "studios_update": False,  # a name that only members see, and that can be given again
    "teams_update": True,  # the members see it
    "wallet_adjust": True,
    "webhooks_pause": True,  # what the studio's backend does for players waits
    "webhooks_remove": True,
    "webhooks_sample": False,
    "webhooks_unpause": False,
    "webhooks_update": True,  # what is sent to the wrong address meanwhile cannot be taken back
}
"""Every tool that changes something, written by hand."""


def test_every_tool_that_changes_something_has_the_mark_that_is_expected() -> None:
    """An operation more is in the table, with what a person who is asked should know."""
    found = {name: tool.marks for name, tool in tools_of(OPERATIONS).items() if tool.operation.writes}
    assert {name: marks["destructiveHint"] for name, marks in found.items()} == MARKED
    assert all(marks["readOnlyHint"] is False and marks["idempotentHint"] for marks in found.values()), found


def test_a_tool_that_only_reads_is_marked_so_and_as_nothing_else() -> None:
    """The other marks mean something for a change only."""
    for name, tool in tools_of(OPERATIONS).items():
        if not tool.operation.writes:
            assert tool.marks == {"readOnlyHint": True, "openWorldHint": False}, name
