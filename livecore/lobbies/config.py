"""How an event declares its lobbies, their bots and their sessions, and what contradicts itself in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal

from livecore.events.advice import MEET_BY_COUNTRY, hides_countries
from livecore.events.config import EventsConfig
from livecore.events.definition import EventDefinition, FormatPart
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.config import Advice, Fault
from livecore.kernel.wire.shapes import DefinitionKey, Int, Items, Text
from livecore.leaderboards.advice import out_of_reach
from livecore.leaderboards.definition_rows import Score
from livecore.players.rows import DisplayName

MOST_SEATS: Final = 200
"""The most seats that a lobby has."""
Capacity = Annotated[int, Int(1, MOST_SEATS)]
"""How many seats a lobby has, for players and bots together."""
_Delay = Annotated[int, Int(0, 10 * 365 * 86_400)]


@shape
class ScorePoint:
    """Between which scores a bot is, so many seconds after its lobby has started."""

    after_seconds: _Delay
    min: Score
    max: Score


@shape
class BotRules:
    """The bots that fill the empty seats of a lobby: their names, and how their scores grow.

    A bot may be called what a player may. Without `names` they are called as players without a name of their own are. A
    bot's score never falls.
    """

    names: Annotated[tuple[DisplayName, ...], Items(1, 1_000, unique=True)] | None = None
    score_at: Annotated[tuple[ScorePoint, ...], Items(1, 100)]


@shape
class LobbyRules:
    """Lobbies of `capacity` seats, which start when they are full, or `fillSeconds` after they were opened.

    Only players with the same values of the context keys `matchBy` meet; `country` is the player's country.
    """

    capacity: Capacity
    fill_seconds: Annotated[int, Int(1, 30 * 86_400)]
    match_by: Annotated[tuple[Annotated[str, Text(1, 64)], ...], Items(0, 10, unique=True)] = ()
    bots: BotRules | None = None


@shape
class SessionTrigger:
    """What ends a session early.

    `first_to_target`: an attempt is completed. `remaining`: at most `value` players are still in play. `elapsed`: `value`
    seconds have passed since the lobby started.
    """

    label: DefinitionKey
    type: Literal["first_to_target", "remaining", "elapsed"]
    value: Annotated[int, Int(0, 10 * 365 * 86_400)] | None = None


@shape
class SessionRules:
    """How the session of a lobby ends before its window does.

    `freeze` keeps every attempt as it is until the window closes; `close` also closes the lobby and pays its ranks at once.
    """

    triggers: Annotated[tuple[SessionTrigger, ...], Items(1, 20)]
    resolution: Literal["freeze", "close"] = "freeze"


# -- contradictions -------------------------------------------------------------------------------------------------------


def _faults_of_lobby(_: EventsConfig, event: EventDefinition, path: str) -> Iterator[Fault]:
    """The contradictions in the lobbies of an event."""
    lobby = LOBBY_RULES.of(event)
    if event.board.by == "lobby" and lobby is None:
        yield f"{path}.board.by", "cannot be 'lobby': the event has no 'lobby'"
    if event.board.by == "segment" and lobby is not None:
        yield f"{path}.board.by", "cannot be 'segment': an event with lobbies has a leaderboard for each lobby"
    if lobby is not None and lobby.bots is not None:
        yield from _faults_of_points(lobby.bots.score_at, f"{path}.lobby.bots.scoreAt")


def _faults_of_points(points: Sequence[ScorePoint], path: str) -> Iterator[Fault]:
    before = -1
    for index, point in enumerate(points):
        if point.after_seconds <= before:
            yield f"{path}[{index}].afterSeconds", "must be later than that of the point before"
        if point.max < point.min:
            yield f"{path}[{index}].max", "must not be smaller than 'min'"
        before = max(before, point.after_seconds)


def _faults_of_session(_: EventsConfig, event: EventDefinition, path: str) -> Iterator[Fault]:
    """The contradictions in the session of an event."""
    session, path = SESSION_RULES.of(event), f"{path}.session"
    if session is None:
        return
    if LOBBY_RULES.of(event) is None:
        yield path, "needs a 'lobby': a session is that of a lobby"
    labels = [trigger.label for trigger in session.triggers]
    for index, trigger in enumerate(session.triggers):
        here = f"{path}.triggers[{index}]"
        if trigger.label in labels[:index]:
            yield f"{here}.label", "is declared twice"
        if trigger.type == "first_to_target":
            if trigger.value is not None:
                yield f"{here}.value", "has no meaning for the type 'first_to_target'"
            if event.target is None:
                yield f"{here}.type", "never fires: the event has no 'target'"
        elif trigger.value is None:
            yield f"{here}.value", f"is required for the type '{trigger.type}'"
        elif trigger.type == "elapsed" and trigger.value == 0:
            yield f"{here}.value", "must be at least 1: a session lasts a while"


# -- advice ---------------------------------------------------------------------------------------------------------------


def _advice_on_lobby(config: EventsConfig, event: EventDefinition, path: str) -> Iterator[Advice]:
    lobby = LOBBY_RULES.of(event)
    if lobby is None:
        return
    yield from out_of_reach(event.rank_rewards, lobby.capacity, "seats of a lobby", f"{path}.rankRewards")
    if "country" in lobby.match_by and hides_countries(config):
        yield f"{path}.lobby.matchBy[{lobby.match_by.index('country')}]", MEET_BY_COUNTRY


LOBBY_RULES: Final = FormatPart(
    "lobby", LobbyRules, faults=_faults_of_lobby, advice=_advice_on_lobby, groups="lobby", written_empty=True
)
"""How the lobbies of an event are declared."""
SESSION_RULES: Final = FormatPart("session", SessionRules, faults=_faults_of_session, written_empty=True)
"""How the sessions of the lobbies of an event are declared."""


def bots_of(event: EventDefinition) -> BotRules | None:
    """The bots of the lobbies of an event; `None` where it has none."""
    rules = LOBBY_RULES.of(event)
    return None if rules is None else rules.bots


def triggers_of(event: EventDefinition) -> tuple[SessionTrigger, ...]:
    """What ends the session of a lobby early, in the order of the declaration."""
    rules = SESSION_RULES.of(event)
    return () if rules is None else rules.triggers


def resolution_of(event: EventDefinition) -> Literal["freeze", "close"]:
    """What the end of a session does with its lobby."""
    rules = SESSION_RULES.of(event)
    return "freeze" if rules is None else rules.resolution
