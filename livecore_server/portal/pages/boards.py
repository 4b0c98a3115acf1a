"""Leaderboards: who stands where, and taking somebody off."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from livecore_server.portal.asking import Data
from livecore_server.portal.filters import filtered
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.pages.events import of_event, of_window
from livecore_server.portal.pages.pictures import bars
from livecore_server.portal.views import Action, Crumb, PreparedAction, View, WebPage

_PATH: Final = "/portal/studios/{studioId}/games/{gameId}/leaderboards/{leaderboardId}"
_MOST_BARS: Final = 30
_NOTHING_FOUND: Final = {"leaderboard_entry_not_found": 404, "leaderboard_period_not_found": 200}
"""Refusals that the page shows beside its filters, each with the page's status."""


async def _shared(here: Here) -> Data | None:
    """The shared board that the address names by its key; nothing for a board of an event."""
    shared = (await here.read("leaderboards.list"))["leaderboards"]
    return next((one for one in shared if one["key"] == here.places["leaderboardId"]), None)


def _filters(shared: Data | None) -> list[Field]:
    field = partial(Field, operation="leaderboards.get")
    fields = [field(name="around", label="Around a player", hint="The player's id in your game")]
    if shared is not None and shared["divisions"]:
        choices = tuple((one["key"], one["key"]) for one in shared["divisions"])
        fields.append(field(name="division", label="Division", choices=choices))
        fields.append(field(name="cohort", label="Cohort", hint="1"))
    if shared is not None and shared["reset"] != "never":
        periods = {"current": "This period", "previous": "The last period"}
        fields.append(field(name="period", label="Period", labels=periods))
    return fields


async def _show(here: Here) -> WebPage:
    fields = _filters(await _shared(here))
    named_by_key = not here.places["leaderboardId"].startswith("lbd_")
    found = await filtered(here, "leaderboards.get", fields, beside=_NOTHING_FOUND)
    board: Data | None = found.data["leaderboard"] if found.data else None
    # A shared board and one that is final do not change while somebody looks, and further pages are of one moment.
    live = board is not None and not named_by_key and board["status"] == "open" and "cursor" not in here.query
    shown = {
        "found": found,
        "board": board,
        "picture": bars([(f"{one['rank']}", one["score"]) for one in found.rows("entries")[:_MOST_BARS]]),
        "stream": here.api("leaderboards.stream", leaderboardId=board["leaderboardId"]) if live and board else "",
    }
    return WebPage(
        template="board.html",
        title="Leaderboard" if board is None else _called(board),
        above=_above(here, board),
        status=found.status,
        live=live,
        shown=shown,
    )


def _called(board: Data) -> str:
    """A shared leaderboard has a name of its own, that of an event has the event's."""
    return f"Leaderboard of {board['name']}" if board["eventWindowId"] else str(board["name"])


def _above(here: Here, board: Data | None) -> Sequence[Crumb]:
    if board is None or board["eventKey"] is None or board["eventWindowId"] is None:
        return here.above("events")
    key, window_id = board["eventKey"], board["eventWindowId"]
    return here.above("events", of_event(here, key, board["name"]), of_window(here, key, window_id))


def _to_board(here: Here) -> str:
    return here.to(f"/leaderboards/{here.places['leaderboardId']}")


async def _begin_remove(here: Here) -> PreparedAction:
    board = (await here.read("leaderboards.get", query={"limit": "1"}))["leaderboard"]
    return PreparedAction(
        says=f"{{name}} is taken off the board “{board['name']}”, and those below move up.",
        name=here.places["externalId"],
        above=[*_above(here, board), (_called(board), _to_board(here))],
    )


ROUTES: Final = (
    View(_PATH, _show, "events"),
    Action(
        path=f"{_PATH}/players/{{externalId}}/remove",
        operation="leaderboards.removeEntry",
        title="Take a player off a board",
        button="Take the player off",
        begin=_begin_remove,
        back=_to_board,
        fields=(),
        message="off-board",
        grave=True,
        area="events",
    ),
)
