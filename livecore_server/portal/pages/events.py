"""Events, their windows with attempts, boards, lobbies and teams, and what one may do about an attempt."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from livecore_server.portal.asking import Data, Refused
from livecore_server.portal.filters import filtered
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.views import Action, Crumb, PreparedAction, Route, View, WebPage

_GAME: Final = "/portal/studios/{studioId}/games/{gameId}"
_EVENT: Final = f"{_GAME}/events/{{eventKey}}"
_WINDOW: Final = f"{_EVENT}/windows/{{windowId}}"
_FEW: Final = {"limit": "10"}


async def _named(here: Here, key: str) -> str:
    """The name of an event, or its key where the settings do not have it any more."""
    try:
        return str((await here.read("events.get", eventKey=key))["event"]["name"])
    except Refused as refused:
        if refused.status != 404:
            raise
        return key


def of_event(here: Here, key: str, name: str) -> Crumb:
    """The page of an event."""
    return name, here.to(f"/events/{quote(key, safe='')}")


def of_window(here: Here, key: str, window_id: str) -> Crumb:
    """The page of a window of an event."""
    return "Window", here.to(f"/events/{quote(key, safe='')}/windows/{quote(window_id, safe='')}")


# -- events and windows


async def _show_all(here: Here) -> WebPage:
    events, boards = await asyncio.gather(here.read("events.list"), here.read("leaderboards.list"))
    shown = {"events": events["events"], "boards": boards["leaderboards"]}
    return WebPage(template="events.html", title="Events", shown=shown)


async def _show_event(here: Here) -> WebPage:
    event, found = await asyncio.gather(here.read("events.get"), filtered(here, "events.windows", (), limit=30))
    shown = {"event": event["event"], "found": found}
    title = event["event"]["name"]
    return WebPage(template="event.html", title=title, above=here.above("events"), status=found.status, shown=shown)


async def _show_window(here: Here) -> WebPage:
    found, name = await asyncio.gather(here.read("events.getWindow"), _named(here, here.places["eventKey"]))
    window = found["window"]
    shown: dict[str, Any] = {"window": window, "lobbies": (), "teams": (), "address": here.path}
    shown["boards"] = (await here.read("leaderboards.listOfWindow", query=_FEW))["leaderboards"]
    shown["attempts"] = (await here.read("attempts.listOfWindow", query=_FEW))["attempts"]
    if window["lobby"] is not None:
        shown["lobbies"] = (await here.read("lobbies.listOfWindow", query=_FEW))["lobbies"]
    if window["teams"] is not None:
        shown["teams"] = (await here.read("teams.listOfWindow", query=_FEW))["teams"]
    above = here.above("events", of_event(here, window["eventKey"], name))
    return WebPage(
        template="window.html", title=f"{name}, window of {window['startsAt'][:10]}", above=above, shown=shown
    )


def _list(what: str, *fields: Field) -> View:
    """A list of a window, all of it; `what` names its rows, and with a capital its page."""

    async def show(here: Here) -> WebPage:
        key, window_id = here.places["eventKey"], here.places["windowId"]
        found, name = await asyncio.gather(filtered(here, f"{what}.listOfWindow", fields), _named(here, key))
        shown = {"what": what, "found": found}
        above = here.above("events", of_event(here, key, name), of_window(here, key, window_id))
        title = f"{what.capitalize()} at {name}"
        return WebPage(template="window_list.html", title=title, above=above, status=found.status, shown=shown)

    return View(f"{_WINDOW}/{what}", show, "events")


# -- attempts


async def _show_attempt(here: Here) -> WebPage:
    found = await here.read("attempts.get")
    key, window_id = found["attempt"]["eventKey"], found["attempt"]["eventWindowId"]
    name = await _named(here, key)
    above = here.above("events", of_event(here, key, name), of_window(here, key, window_id))
    title = f"Attempt of {_player(found['attempt'])} at {name}"
    return WebPage(template="attempt.html", title=title, above=above, shown=found)


def _player(attempt: Data) -> str:
    return str(attempt["displayIdentity"]["name"] or attempt["externalPlayerId"])


def _to_attempt(here: Here) -> str:
    return here.to(f"/attempts/{quote(here.places['attemptId'], safe='')}")


async def _of_attempt(here: Here, says: str) -> PreparedAction:
    attempt = (await here.read("attempts.get"))["attempt"]
    event = await _named(here, attempt["eventKey"])
    title = f"Attempt of {_player(attempt)}"
    return PreparedAction(
        says=says.replace("{event}", attempt["eventKey"]),
        name=_player(attempt),
        above=here.above("events", of_event(here, attempt["eventKey"], event), (title, _to_attempt(here))),
    )


_complete: Final = partial(Field, operation="attempts.forceComplete")


async def _begin_complete(here: Here) -> PreparedAction:
    return await _of_attempt(
        here, "The attempt of {name} at {event} is completed at once, with everything that it wins."
    )


async def _begin_retry(here: Here) -> PreparedAction:
    return await _of_attempt(
        here, "If nothing was granted for the attempt of {name} at {event}, what it has won is granted now."
    )


# -- lobbies and teams


async def _show_lobby(here: Here) -> WebPage:
    lobby = (await here.read("lobbies.get"))["lobby"]
    key, window_id = lobby["eventKey"], lobby["eventWindowId"]
    name = await _named(here, key)
    above = here.above("events", of_event(here, key, name), of_window(here, key, window_id))
    return WebPage(template="lobby.html", title=f"Lobby of {name}", above=above, shown={"lobby": lobby})


async def _show_team(here: Here) -> WebPage:
    team = (await here.read("teams.get"))["team"]
    key, window_id = team["eventKey"], team["eventWindowId"]
    above = here.above("events", of_event(here, key, await _named(here, key)), of_window(here, key, window_id))
    change = here.to(f"/teams/{quote(here.places['teamId'], safe='')}/change")
    shown = {"team": team, "change": change}
    return WebPage(template="team.html", title=team["name"] or team["teamKey"], above=above, shown=shown)


def _to_team(here: Here) -> str:
    return here.to(f"/teams/{quote(here.places['teamId'], safe='')}")


async def _begin_team(here: Here) -> PreparedAction:
    team = (await here.read("teams.get"))["team"]
    field, name = partial(Field, operation="teams.update"), team["name"] or team["teamKey"]
    attributes = json.dumps(team["attributes"], indent=2, ensure_ascii=False) if team["attributes"] else ""
    return PreparedAction(
        says="Everybody sees what you change of {name} at once.",
        name=name,
        fields=(
            field(
                name="name",
                label="Name",
                value=team["name"] or "",
                hint="1 to 40 characters. Empty: the team has no name, and is shown by its key.",
            ),
            field(
                name="attributes",
                label="Attributes",
                value=attributes,
                hint="A JSON object that the studio keeps with the team, such as {}. Empty: it stays as it is.",
            ),
        ),
        above=here.above(
            "events", of_event(here, team["eventKey"], await _named(here, team["eventKey"])), (name, _to_team(here))
        ),
    )


ROUTES: Final[tuple[Route, ...]] = (
    View(f"{_GAME}/events", _show_all, "events"),
    View(_EVENT, _show_event, "events"),
    View(_WINDOW, _show_window, "events"),
    _list("attempts", Field(operation="attempts.listOfWindow", name="status", label="State", nothing="All states")),
    _list("leaderboards"),
    _list("lobbies", Field(operation="lobbies.listOfWindow", name="status", label="State", nothing="All states")),
    _list("teams"),
    View(f"{_GAME}/attempts/{{attemptId}}", _show_attempt, "events"),
    Action(
        path=f"{_GAME}/attempts/{{attemptId}}/complete",
        operation="attempts.forceComplete",
        title="Complete an attempt",
        button="Complete the attempt",
        begin=_begin_complete,
        back=_to_attempt,
        fields=(
            _complete(name="score", label="Score", hint="Empty: the score that it has."),
            _complete(name="reason", label="Reason", hint="Such as the number of the support case."),
        ),
        message="attempt-completed",
        grave=True,
        area="events",
    ),
    Action(
        path=f"{_GAME}/attempts/{{attemptId}}/rewards",
        operation="attempts.retryRewardRoll",
        title="Grant what an attempt has won",
        button="Grant it",
        begin=_begin_retry,
        back=_to_attempt,
        fields=(),
        message="rewards-rolled",
        area="events",
    ),
    View(f"{_GAME}/lobbies/{{lobbyId}}", _show_lobby, "events"),
    View(f"{_GAME}/teams/{{teamId}}", _show_team, "events"),
    Action(
        path=f"{_GAME}/teams/{{teamId}}/change",
        operation="teams.update",
        title="Change a team",
        button="Change the team",
        begin=_begin_team,
        back=_to_team,
        message="team-changed",
        area="events",
    ),
)
