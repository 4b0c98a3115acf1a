"""Events: windows, attempts and what they cost, progress and what it wins (contract, second part)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from tests.laws.area import Area, Due, Named, Operation, Pages, plainly
from tests.laws.areas.economy import Holdings, change_event, is_platform
from tests.laws.areas.grants import Grants
from tests.laws.competing import (
    START,
    Attempt,
    Event,
    Lobby,
    Segment,
    Window,
    attempts_of,
    crossed,
    events_of,
    expired,
    forget_segments,
    owner,
    reaches,
    score_of,
    segment_of,
    winners,
)
from tests.laws.drawing import MOST
from tests.laws.lobbying import Entry, attempt_ended, close_all, judged, require_thawed, unite
from tests.laws.model_state import Asset, Call, Player, Refused, Reply, Scope, newest_first, stamp, stamps
from tests.laws.racing import ill_formed, play_at, race, two_who_race, win_again
from tests.laws.routes import Body
from tests.laws.teaming import contribution, finalize, required_team
from tests.laws.teams_shown import shows_teams

# -- finding --------------------------------------------------------------------------------------------------------------


def event_of(call: Call, argument: str = "key") -> Event:
    """The event that a call names. Raises 404."""
    found = events_of(call.scope).get(call[argument])
    if found is None:
        raise Refused(404, "event_not_found")
    return found


def _attempt(call: Call) -> Attempt:
    event = event_of(call)
    for attempt in attempts_of(call.scope, call.me):
        if attempt.id_ == call["attemptId"] and attempt.window.event is event:
            return attempt
    raise Refused(404, "attempt_not_found")


def in_window(player: Player, window: Window) -> list[Attempt]:
    """A player's attempts in a window."""
    return [attempt for attempt in window.attempts if attempt.player is player]


def _running(player: Player, window: Window) -> Attempt | None:
    return next((attempt for attempt in in_window(player, window) if attempt.status == "in_progress"), None)


def _newest(player: Player, window: Window) -> Attempt | None:
    """The attempt that is running, or else the last one."""
    return _running(player, window) or max(in_window(player, window), key=lambda one: one.number, default=None)


def _rank(attempt: Attempt) -> int | None:
    if not attempt.stands:
        return None
    # A final board keeps the entry of somebody who was merged later; another one's attempt is shown by the best of both.
    own = (attempt.player, *attempt.player.absorbed)
    ranks = [(rank, row) for rank, row in enumerate(attempt.window.board(attempt.segment), 1) if row[0] in own]
    stands = (attempt.entrant, attempt.score, attempt.reached_at)
    return next((rank for rank, row in ranks if row[:3] == stands), next((rank for rank, _ in ranks), None))


def _is_attempt(row: Body, attempt: Attempt) -> None:
    assert row["attemptId"] == attempt.id_
    shown = (row["eventKey"], row["status"], row["score"], row["metrics"], row["flagged"])
    assert shown == (attempt.window.event.key, attempt.status, attempt.score, attempt.metrics, attempt.flagged)
    assert (row["attemptCount"], row["milestones"]) == (attempt.number, attempt.milestones)
    times = [
        attempt.started_at, min(attempt.ends_at, attempt.window.ends_at), attempt.completed_at, attempt.frozen_at,
    ]  # fmt: skip
    assert stamps(row, "startedAt", "endsAt", "completedAt", "frozenAt") == times
    lobby_id = attempt.segment.id_ if isinstance(attempt.segment, Lobby) else None
    assert (row["lobbyId"], row["eventTeamId"]) == (lobby_id, attempt.team_id)


# -- starting -------------------------------------------------------------------------------------------------------------


def _cost(event: Event) -> Counter[Asset]:
    total: Counter[Asset] = Counter()
    for entry in event.declared.get("entryCost", []):
        total[entry["type"], entry["resourceKey"]] += entry["amount"]
    return total


def _start(call: Call) -> Reply:
    event, me = event_of(call), call.me
    window, span = event.present(call.now), event.following()
    if window is None and (span is None or not span[0] <= call.now < span[1]):
        raise Refused(409, "event_not_active")
    earlier = [] if window is None else in_window(me, window)
    running = None if window is None else _running(me, window)
    if running is not None:
        return Reply(200, (), lambda data: _is_attempt(data["attempt"], running), "attempt: given again")
    most = event.declared.get("attempts", {}).get("maxPerWindow", 1)
    number = 1 + max((attempt.number for attempt in earlier), default=0)
    if most is not None and number > most:
        raise Refused(409, "attempt_limit_reached")
    team = required_team(call, event)
    entry = Entry.of(call, event.declared, window) if "lobby" in event.declared else None
    if entry is not None and entry.waits:
        opened = [] if window is not None or span is None else ["window.opened"]
        return entry.wait(call, window or event.open(span or (0, 0)), opened)
    cost, holdings = _cost(event), me.part(Holdings)
    if any(holdings.amount(asset) < amount for asset, amount in cost.items()):
        raise Refused(409, "insufficient_entry_cost")
    events = ["event.attempt_started"]
    if window is None and span is not None:
        window = event.open(span)
        events.append("window.opened")
    assert window is not None
    for asset, amount in cost.items():
        holdings.add(asset, -amount)
    events += ["entry_cost.charged"] if cost else []
    events += [change_event(asset) for asset in cost] if is_platform(call.scope) else []
    events += ["event.attempt_restarted"] if earlier else []
    lobby, coming = (None, []) if entry is None else entry.take(call, window)
    events += coming
    attempt = _begun(call, window, number, segment_of(call, event.declared, earlier) if lobby is None else lobby)
    attempt.team_id = None if team is None else team.id_
    window.attempts.append(attempt)
    window.emptied.discard(attempt.segment)

    def learn(data: Body) -> None:
        row = data["attempt"]
        attempt.id_ = row["attemptId"]
        if lobby is not None:
            lobby.id_ = lobby.id_ or row["lobbyId"]
        assert window.boards.setdefault(attempt.segment, row["leaderboardId"]) == row["leaderboardId"]
        _is_attempt(row, attempt)

    return Reply(201, tuple(events), learn, "attempt: started")


def _begun(call: Call, window: Window, number: int, segment: Segment) -> Attempt:
    declared = window.event.declared
    metrics = {row["key"]: 0 for row in declared["metrics"] if row.get("aggregation", "sum") == "sum"}
    lasts = declared.get("attempts", {}).get("durationSeconds")
    ends_at = window.ends_at if lasts is None else min(window.ends_at, call.now + lasts * 1_000)
    return Attempt(call.me, window, segment, number, metrics, metrics.get(score_of(declared)), call.now, ends_at)


# -- progress -------------------------------------------------------------------------------------------------------------


def _progress(call: Call) -> Reply:
    attempt = _attempt(call)
    window, declared = attempt.window, attempt.window.event.declared
    if attempt.frozen_at is not None:
        raise Refused(409, "attempt_frozen")
    if attempt.status != "in_progress" or call.now >= min(attempt.ends_at, window.ends_at) or window.final is not None:
        raise Refused(409, "attempt_not_in_progress")
    require_thawed(attempt.segment if isinstance(attempt.segment, Lobby) else None)
    after = _applied(declared, attempt.metrics, call["metrics"])
    flagged = _judged(declared, attempt.metrics, after, call["metrics"])
    score = after.get(score_of(declared))
    counts = score is not None and score_of(declared) in call["metrics"]
    share = contribution(call, window, (score or 0) - (attempt.score or 0)) if counts else list
    if score is not None and (score != attempt.score or not attempt.stands):
        attempt.reached_at = call.now
    attempt.metrics, attempt.score = after, score
    attempt.flagged = attempt.flagged or flagged > 0
    rows = crossed(declared, declared.get("milestones", []), score)
    reached = [row for row in rows if row["key"] not in attempt.milestones]
    attempt.milestones += [row["key"] for row in reached]
    grants = call.scope.part(Grants)
    won = [grants.award(call.player, row["entries"], call.now) if row.get("entries") else None for row in reached]
    events = ["event.milestone_granted"] * len(reached) + ["event.attempt_flagged"] * flagged
    events += ["grant.created" for grant in won if grant is not None]
    target, move = declared.get("target"), "attempt: in_progress -progress-> in_progress"
    if target is not None and reaches(declared, score, target):
        move = "attempt: in_progress -target-> completed"
        events += _completed(call, attempt)
    elif attempt.told_at is None:
        attempt.told_at = call.now + 5_000
    events += share()
    rank = _rank(attempt)
    if move.endswith("completed"):
        ended = attempt_ended(call.scope, attempt, "completed", call.now)
        events, move = events + ended, f"{move}; session: ended by an attempt" if ended else move
    move += "; team: reached its goal" if "event_team.goal_completed" in events else ""

    def check(data: Body) -> None:
        _is_attempt(data["attempt"], attempt)
        assert data["rank"] == rank
        shown = [(row["key"], row["threshold"], row["grantId"] is None) for row in data["milestones"]]
        assert shown == [(row["key"], row["threshold"], not row.get("entries")) for row in reached]
        for grant, row in zip(won, data["milestones"], strict=True):
            if grant is not None:
                grants.name(grant, row["grantId"])

    return Reply(200, tuple(events), check, move)


def _applied(declared: Body, before: dict[str, int], given: Body) -> dict[str, int]:
    kinds = {row["key"]: row.get("aggregation", "sum") for row in declared["metrics"]}
    after = dict(before)
    for key, value in given.items():
        if key not in kinds or (kinds[key] == "sum" and value < 0):
            raise Refused(400, "validation_failed")
        held = before.get(key)
        if kinds[key] == "sum":
            after[key] = (held or 0) + value
        elif held is None or kinds[key] == "last":
            after[key] = value
        else:
            after[key] = max(held, value) if kinds[key] == "best" else min(held, value)
        if abs(after[key]) > MOST:
            raise Refused(400, "validation_failed")
    return after


def _judged(declared: Body, before: dict[str, int], after: dict[str, int], given: Body) -> int:
    """How many validators flag a report. Raises 422 where one rejects it."""
    flagged = 0
    for rule in declared.get("validators", []):
        key = rule.get("metric", score_of(declared))
        if key not in given:
            continue
        beyond = {
            "range": after[key] < rule.get("min", -MOST) or after[key] > rule.get("max", MOST),
            "max_step": key in before and abs(after[key] - before.get(key, 0)) > rule.get("limit", 0),
        }[rule["kind"]]
        if beyond and rule["verdict"] == "reject":
            raise Refused(422, "anti_cheat_rejected")
        flagged += beyond
    return flagged


def _completed(call: Call, attempt: Attempt) -> list[str]:
    attempt.status, attempt.completed_at, attempt.told_at = "completed", call.now, None
    rewards = attempt.window.event.declared.get("completionRewards")
    if rewards:
        call.scope.part(Grants).award(call.player, rewards, call.now)
    return ["event.progress_updated", "event.completed", *(["grant.created"] if rewards else [])]


# -- reading --------------------------------------------------------------------------------------------------------------


def _get_attempt(call: Call) -> Reply:
    attempt = _attempt(call)
    rank = _rank(attempt)

    def check(data: Body) -> None:
        _is_attempt(data["attempt"], attempt)
        assert data["rank"] == rank

    return Reply(check=check)


def _list_attempts(call: Call) -> Reply:
    event = event_of(call)
    own = {row.id_: row for row in attempts_of(call.scope, call.me) if row.window.event is event}

    def check(data: Body) -> None:
        rows = data["attempts"]
        newest_first(row["startedAt"] for row in rows)
        if call["cursor"] is None:
            assert len(rows) == min(call["limit"] or 50, len(own))
        for row in rows:
            _is_attempt(row, own[row["attemptId"]])

    return Reply(check=check)


def _list(call: Call) -> Reply:
    def check(data: Body) -> None:
        assert [row["eventKey"] for row in data["events"]] == list(events_of(call.scope))
        for row, event in zip(data["events"], events_of(call.scope).values(), strict=True):
            _is_event(call, row, event)

    return Reply(check=check)


def _is_event(call: Call, row: Body, event: Event) -> None:
    window, following, coming = event.present(call.now), event.following(), event.coming(call.now)
    span = None if window is None else (window.starts_at, window.ends_at)
    if window is None and following is not None and following[0] <= call.now < following[1]:
        span = following
    assert row["status"] == ("active" if span is not None else "scheduled" if coming is not None else "ended")
    for name, expected in (("window", span), ("nextWindow", coming)):
        shown = None if row[name] is None else (stamp(row[name]["startsAt"]), stamp(row[name]["endsAt"]))
        assert shown == expected
    shows_teams(call.scope, row, event)
    if call.secret is None:
        assert "attempt" not in row
        return
    newest = None if window is None else _newest(call.me, window)
    if newest is None:
        assert row["attempt"] is None
    else:
        _is_attempt(row["attempt"], newest)


# -- the end --------------------------------------------------------------------------------------------------------------


def close(scope: Scope, window: Window, now: int) -> tuple[list[str], int, int]:
    """Close a window; gives the kinds of the events, and how many attempts have expired and ranks were paid."""
    running = [attempt for attempt in window.attempts if attempt.status == "in_progress"]
    events = [kind for attempt in running for kind in expired(attempt, window.ends_at)]
    final = {segment: window.outcome(segment) for segment in window.segments() if not window.is_final(segment)}
    paid = [won for ranked in final.values() for won in winners(scope, window, ranked)]
    for name, entries in paid:
        scope.part(Grants).award(name, entries, now)
    window.final = final
    events += ["leaderboard.finalized"] * len(final) + ["grant.created"] * len(paid) + ["window.closed"]
    of_teams = finalize(scope, window, now)
    won = len(paid) + of_teams.count("grant.created")
    return [*events, *of_teams, *close_all(window, now)], len(running), won


# -- time -----------------------------------------------------------------------------------------------------------------


def _due(scope: Scope) -> Iterator[Due]:
    for event in events_of(scope).values():
        span = event.following()
        if span is not None:
            yield max(span[0], START), f"open {event.key}", partial(_open, event, span)
        for window in event.windows[-1:]:
            if window.final is not None:
                continue
            yield window.ends_at, f"close {event.key}", partial(_close_in_time, scope, window)
            for attempt in window.attempts:
                if attempt.status == "in_progress" and attempt.ends_at < window.ends_at:
                    yield attempt.ends_at, f"expire {attempt.id_}", partial(_expire, scope, attempt)
                if attempt.told_at is not None:
                    yield attempt.told_at, f"told {attempt.id_}", partial(_tell, attempt)


def _open(event: Event, span: tuple[int, int]) -> Reply:
    event.open(span)
    return Reply(events=("window.opened",), move="window: opened")


def _close_in_time(scope: Scope, window: Window) -> Reply:
    events, *_ = close(scope, window, window.ends_at)
    return Reply(events=tuple(events), move="window: active -time-> closed")


def _expire(scope: Scope, attempt: Attempt) -> Reply:
    events = [*expired(attempt, attempt.ends_at), *attempt_ended(scope, attempt, "expired", attempt.ends_at)]
    return Reply(events=tuple(events), move="attempt: in_progress -time-> expired")


def _tell(attempt: Attempt) -> Reply:
    attempt.told_at = None
    return Reply(events=("event.progress_updated",), move="attempt: told")


# -- merging, exporting ---------------------------------------------------------------------------------------------------


def _on_merge(scope: Scope, source: Player, target: Player, now: int) -> list[str]:
    """Where both run, the source's attempt ends; the attempts of both are counted by the one that runs, or the last."""
    events: list[str] = []
    for event in events_of(scope).values():
        newest = [
            next((window for window in reversed(event.windows) if in_window(player, window)), None)
            for player in (source, target)
        ]
        if newest[0] is not None and newest[0] is newest[1]:
            events += _unite(newest[0], source, target, now)
    united, left = unite(scope, source, target, now)
    for attempt in attempts_of(scope, source):
        attempt.player = target
        if not attempt.window.is_final(attempt.segment):
            attempt.entrant = target
    return [*events, *united, *(kind for lobby in left for kind in judged(scope, lobby, now))]


def _unite(window: Window, source: Player, target: Player, now: int) -> list[str]:
    own = [*in_window(source, window), *in_window(target, window)]
    theirs, running = _running(source, window), _running(target, window)
    total = sum(max(row.number for row in in_window(player, window)) for player in (source, target))
    last = running or theirs or max(own, key=lambda row: (row.started_at, row.id_))
    last.number = total
    return expired(theirs, now) if theirs is not None and running is not None else []


def _is_exported(call: Call, data: Body) -> None:
    own = attempts_of(call.scope, call.me)
    assert {row["attemptId"] for row in data["attempts"]} == {attempt.id_ for attempt in own}
    entries = Counter(
        (score, reached_at)
        for event in events_of(call.scope).values()
        for window in event.windows
        for segment in window.segments()
        for who, score, reached_at, _ in window.board(segment)
        if owner(call.scope, who) is call.me
    )
    shown = Counter((row["score"], stamp(row["reachedAt"])) for row in data["leaderboardEntries"])
    assert not entries - shown


# -- the area -------------------------------------------------------------------------------------------------------------


def _no_metrics(call: Call) -> bool:
    metrics: Any = call["metrics"]
    if not isinstance(metrics, dict) or not 1 <= len(metrics) <= 20:
        return True
    return any(isinstance(value, bool) or not isinstance(value, int) or abs(value) > MOST for value in metrics.values())


def _ids(_: str, data: Body) -> Iterator[tuple[str, str]]:
    if "attempt" in data:
        yield "attempt", data["attempt"]["attemptId"]
        yield "event-board", data["attempt"]["leaderboardId"]
    for row in data.get("milestones", []):
        if row["grantId"] is not None:
            yield "grant", row["grantId"]


AREA: Final = Area(
    operations=(
        Operation(
            "sdk:events.list",
            _list,
            shows_secret=False,
            recognises=True,
            read_with=plainly,
            refuses="player_not_found player_secret_invalid",
        ),
        Operation(
            "sdk:events.start",
            _start,
            refuses=(
                "event_not_found event_not_active attempt_limit_reached team_required lobby_forming attempt_frozen "
                "insufficient_entry_cost"
            ),
            seldom="excluded_from_board",
        ),
        Operation(
            "sdk:events.progress",
            _progress,
            faults=_no_metrics,
            refuses=(
                "event_not_found attempt_not_found attempt_not_in_progress attempt_frozen anti_cheat_rejected "
                "validation_failed"
            ),
            seldom="excluded_from_board",
            names=Named("attemptId", ("attempt",), "attempt_not_found"),
        ),
        Operation(
            "sdk:events.listAttempts",
            _list_attempts,
            refuses="event_not_found",
            pages=Pages("attempts", ({"key": "race"},)),  # which both games have
        ),
        Operation(
            "sdk:events.getAttempt",
            _get_attempt,
            refuses="event_not_found attempt_not_found",
            names=Named("attemptId", ("attempt",), "attempt_not_found"),
        ),
    ),
    transitions=(
        "attempt: started",
        "attempt: given again",
        "attempt: in_progress -progress-> in_progress",
        "attempt: in_progress -target-> completed",
        "attempt: in_progress -time-> expired",
        "attempt: told",
        "window: opened",
        "window: active -time-> closed",
    ),
    on_merge=_on_merge,
    on_erase=forget_segments,
    is_exported=_is_exported,
    ids=_ids,
    broad_scenes=((5, play_at), (2, win_again), (5, race), (4, two_who_race)),
    ill_formed=ill_formed,
    due=_due,
)
