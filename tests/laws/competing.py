"""The model's events: windows by arithmetic, attempts in a list, and a board that is sorted whenever it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Literal, TypeAlias

import attrs

from tests.laws.model_state import Call, Player, Scope, stamp
from tests.laws.routes import Body

START = stamp("2026-03-01T22:30:00.000Z")
"""When the games of the laws are made: windows that were over by then never open."""
Placed: TypeAlias = "tuple[Player | Bot, int, int, str]"
"""Somebody on a board: the score, since when, and the id."""
Segment: TypeAlias = "str | Lobby | None"
"""Which of a window's boards an attempt is on: a segment's, a lobby's, or the only one."""


@attrs.define(eq=False)
class Attempt:
    """An attempt of a player; a merge makes it the target's."""

    player: Player
    window: Window
    segment: Segment
    number: int
    metrics: dict[str, int]
    score: int | None
    started_at: int
    ends_at: int
    id_: str = ""
    status: Literal["in_progress", "completed", "expired"] = "in_progress"
    flagged: bool = False
    milestones: list[str] = attrs.field(factory=list)
    reached_at: int | None = None
    """Since when it has its score; nothing before the first progress, and once it was taken off the board."""
    completed_at: int | None = None
    told_at: int | None = None
    """When its progress is to be told."""
    frozen_at: int | None = None
    team_id: str | None = None
    """The team in which the player sat when it began."""
    entrant: Player = attrs.field(default=attrs.Factory(lambda self: self.player, takes_self=True))
    """Whose entry it is on the board, which a merge after the board is final does not change."""

    @property
    def stands(self) -> bool:
        """Whether it could stand on a board."""
        return self.reached_at is not None and self.score is not None


@attrs.define(eq=False)
class Bot:
    """A bot, whose score does not change."""

    score: int


@attrs.define(eq=False)
class Lobby:
    """A lobby of a window; its board is the window's of which it is the segment."""

    window: Window
    capacity: int
    opened_at: int
    fill_by: int | None
    key: str | None = None
    id_: str = ""
    players: list[Player] = attrs.field(factory=list)
    bots: list[Bot] = attrs.field(factory=list)
    status: Literal["forming", "active", "closed"] = "forming"
    promotion_reason: str | None = None
    started_at: int | None = None
    closed_at: int | None = None
    frozen_at: int | None = None
    final: list[Placed] | None = None
    """Its board, where it was final before the window's close."""


@attrs.define(eq=False)
class Window:
    """A window of an event."""

    event: Event
    starts_at: int
    ends_at: int
    planned_end: int
    attempts: list[Attempt] = attrs.field(factory=list)
    lobbies: list[Lobby] = attrs.field(factory=list)
    """In the order in which they were opened."""
    boards: dict[Segment, str] = attrs.field(factory=dict)
    """The ids of the boards by segment, as far as an answer has shown them."""
    final: dict[Segment, list[Placed]] | None = None
    """The boards as they were when it closed."""
    emptied: set[Segment] = attrs.field(factory=set)
    """The segments that an erasure has emptied, and in which nobody has begun since."""

    def is_final(self, segment: Segment) -> bool:
        """Whether a board does not change any more."""
        return self.final is not None or (isinstance(segment, Lobby) and segment.final is not None)

    def board(self, segment: Segment) -> list[Placed]:
        """The ranking: the best attempt of each player, by score, then since when, then id."""
        if isinstance(segment, Lobby) and segment.final is not None:
            return segment.final
        if self.final is not None:
            return self.final.get(segment, [])
        sign = 1 if self.event.declared.get("order") == "asc" else -1
        best: dict[Player, tuple[int, int]] = {}
        for attempt in self.attempts:
            if attempt.stands and attempt.segment == segment:
                who = attempt.player
                found = (sign * (attempt.score or 0), attempt.reached_at or 0)
                best[who] = min(found, best.get(who, found))
        rows: list[Placed] = [(who, sign * key, at, who.player_id or "") for who, (key, at) in best.items()]
        if isinstance(segment, Lobby):
            # The id of a bot sorts before that of a player.
            rows += [(bot, bot.score, segment.started_at or 0, "") for bot in segment.bots]
        return sorted(rows, key=lambda row: (sign * row[1], row[2], row[3]))

    def outcome(self, segment: Segment) -> list[Placed]:
        """The ranking as it becomes final: without those who are banned."""
        return [row for row in self.board(segment) if isinstance(row[0], Bot) or row[0].ban is None]

    def segments(self) -> set[Segment]:
        """The boards that there are."""
        if "lobby" in self.event.declared:
            return {*self.lobbies}
        by_window = self.event.declared.get("board", {"by": "window"})["by"] == "window"
        return {None} if by_window else {attempt.segment for attempt in self.attempts}


@attrs.define(eq=False)
class Event:
    """An event of the game in one environment, and its windows that have opened."""

    declared: Body
    windows: list[Window] = attrs.field(factory=list)

    @property
    def key(self) -> str:
        """Its key."""
        return str(self.declared["key"])

    def _spans(self) -> Iterator[tuple[int, int]]:
        schedule = self.declared["schedule"]
        for window in schedule.get("windows", []):
            yield stamp(window["startsAt"]), stamp(window["endsAt"])
        if "windows" not in schedule:
            for begins in count(stamp(schedule["startsAt"]), schedule["everySeconds"] * 1_000):
                yield begins, begins + schedule["durationSeconds"] * 1_000

    def following(self) -> tuple[int, int] | None:
        """The next window to open."""
        after = self.windows[-1].planned_end if self.windows else 0
        return next(((begins, ends) for begins, ends in self._spans() if begins >= after and ends > START), None)

    def coming(self, now: int) -> tuple[int, int] | None:
        """The next window that has not begun."""
        return next(((begins, ends) for begins, ends in self._spans() if begins > now), None)

    def open(self, span: tuple[int, int]) -> Window:
        """Open a window."""
        self.windows.append(Window(self, span[0], span[1], span[1]))
        return self.windows[-1]

    def present(self, now: int) -> Window | None:
        """The window that has opened and is not over."""
        found = self.windows[-1] if self.windows else None
        return found if found is not None and found.final is None and found.starts_at <= now < found.ends_at else None


@attrs.define
class Events:
    """The events of a scope."""

    by_key: dict[str, Event] = attrs.field(factory=dict)


def events_of(scope: Scope) -> dict[str, Event]:
    """The events of a scope by their keys."""
    known = scope.part(Events).by_key
    if not known:
        known.update({row["key"]: Event(row) for row in scope.config["events"]})
    return known


def score_of(declared: Body) -> str:
    """The metric that counts."""
    return str(declared.get("score", declared["metrics"][0]["key"]))


def reaches(declared: Body, score: int | None, threshold: int) -> bool:
    """Whether a score has reached a threshold."""
    if score is None:
        return False
    return score <= threshold if declared.get("order") == "asc" else score >= threshold


def crossed(declared: Body, milestones: list[Body], score: int | None) -> list[Body]:
    """The milestones that a score has reached, the nearest first."""
    less = declared.get("order") == "asc"
    found = [row for row in milestones if reaches(declared, score, row["threshold"])]
    return sorted(found, key=lambda row: int(row["threshold"]), reverse=less)


def expired(attempt: Attempt, at: int) -> list[str]:
    """End an attempt at a moment, or earlier if its time was over; gives the kinds of the events."""
    events = ["event.progress_updated"] if attempt.told_at is not None else []
    attempt.status, attempt.told_at, attempt.ends_at = "expired", None, min(attempt.ends_at, at)
    return [*events, "event.expired"]


def winners(scope: Scope, window: Window, ranked: list[Placed]) -> Iterator[tuple[str, list[Body]]]:
    """Who wins what for the ranks of a final board."""
    for rank, (who, *_) in enumerate(ranked, 1):
        for reward in window.event.declared.get("rankRewards", []):
            found = owner(scope, who)
            if reward["from"] <= rank <= reward["to"] and found is not None:
                yield found.name, reward["entries"]


def owner(scope: Scope, player: Player | Bot) -> Player | None:
    """Who a player is now; nobody after an erasure, and for a bot."""
    return next((found for found in scope.players.values() if player is found or player in found.absorbed), None)


def lobbies_of(scope: Scope, player: Player) -> list[Lobby]:
    """Every lobby in which a player sits, closed ones too."""
    windows = (window for event in events_of(scope).values() for window in event.windows)
    return [lobby for window in windows for lobby in window.lobbies if player in lobby.players]


def attempts_of(scope: Scope, player: Player) -> list[Attempt]:
    """All attempts of a player."""
    windows = (window for event in events_of(scope).values() for window in event.windows)
    return [attempt for window in windows for attempt in window.attempts if attempt.player is player]


def segment_of(call: Call, declared: Body, earlier: list[Attempt]) -> Segment:
    """Where an attempt of a player begins: where the first one in the window did, or else as the context says."""
    if "board" not in declared or earlier:
        return min(earlier, key=lambda first: (first.number, first.id_)).segment if earlier else None
    found = (call["playerContext"] or {}).get(declared["board"]["segment"])
    return found if isinstance(found, str) and len(found) <= 64 else "none"


def forget_segments(scope: Scope, player: Player, _: int) -> list[str]:
    """Of an erased player the segments go along in which nobody else stands."""
    windows = (window for event in events_of(scope).values() for window in event.windows)
    for window in windows:
        own = {attempt.segment for attempt in window.attempts if owner(scope, attempt.player) is player}
        for segment in own:
            standing = {None if isinstance(who, Bot) else owner(scope, who) for who, *_ in window.board(segment)}
            if isinstance(segment, str) and segment != "none" and standing <= {player, None}:
                window.emptied.add(segment)
    return []
