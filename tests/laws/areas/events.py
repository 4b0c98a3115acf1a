"""Events: attempts and what they cost, progress and what it wins, and the boards of windows (contract, second part)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import attrs

from tests.laws.area import Area, Due, Named, Operation, Pages, plainly
from tests.laws.areas.economy import Holdings, change_event, is_platform
from tests.laws.areas.grants import Grants
from tests.laws.competing import START, Attempt, Event, Placed, Window, attempts_of, events_of, owner
from tests.laws.drawing import MOST, NOBODY, Draw
from tests.laws.model_state import Asset, Call, Player, Refused, Reply, Scope, newest_first, stamp, stamps
from tests.laws.routes import Body
from tests.laws.steps import Step, Wait

__all__ = ["AREA"]


# -- finding --------------------------------------------------------------------------------------------------------------


def _event(call: Call, argument: str = "key") -> Event:
    found = events_of(call.scope).get(call[argument])
    if found is None:
        raise Refused(404, "event_not_found")
    return found


def _attempt(call: Call) -> Attempt:
    event = _event(call)
    for attempt in attempts_of(call.scope, call.me):
        if attempt.id_ == call["attemptId"] and attempt.window.event is event:
            return attempt
    raise Refused(404, "attempt_not_found")


def _board(call: Call) -> tuple[Window, str | None]:
    for event in events_of(call.scope).values():
        for window in event.windows:
            for segment, id_ in window.boards.items():
                if id_ == call["leaderboardId"]:
                    return window, segment
    raise Refused(404, "leaderboard_not_found")


def _in_window(player: Player, window: Window) -> list[Attempt]:
    return [attempt for attempt in window.attempts if attempt.player is player]


def _running(player: Player, window: Window) -> Attempt | None:
    return next((attempt for attempt in _in_window(player, window) if attempt.status == "in_progress"), None)


def _newest(player: Player, window: Window) -> Attempt | None:
    """The attempt that is running, or else the last one."""
    found = _in_window(player, window)
    return _running(player, window) or max(found, key=lambda attempt: attempt.number, default=None)


def _rank(attempt: Attempt) -> int | None:
    if not attempt.stands:
        return None
    ranked = [row[0] for row in attempt.window.board(attempt.segment)]
    return ranked.index(attempt.player) + 1 if attempt.player in ranked else None


def _is_attempt(row: Body, attempt: Attempt) -> None:
    assert row["attemptId"] == attempt.id_
    shown = (row["eventKey"], row["status"], row["score"], row["metrics"], row["flagged"])
    assert shown == (attempt.window.event.key, attempt.status, attempt.score, attempt.metrics, attempt.flagged)
    assert (row["attemptCount"], row["milestones"]) == (attempt.number, attempt.milestones)
    times = [attempt.started_at, attempt.ends_at, attempt.completed_at]
    assert stamps(row, "startedAt", "endsAt", "completedAt") == times


# -- starting -------------------------------------------------------------------------------------------------------------


def _cost(event: Event) -> Counter[Asset]:
    total: Counter[Asset] = Counter()
    for entry in event.declared.get("entryCost", []):
        total[entry["type"], entry["resourceKey"]] += entry["amount"]
    return total


def _start(call: Call) -> Reply:
    event, me = _event(call), call.me
    window, span = event.present(call.now), event.following()
    if window is None and (span is None or not span[0] <= call.now < span[1]):
        raise Refused(409, "event_not_active")
    earlier = [] if window is None else _in_window(me, window)
    running = None if window is None else _running(me, window)
    if running is not None:
        return Reply(200, (), lambda data: _is_attempt(data["attempt"], running), "attempt: given again")
    most = event.declared.get("attempts", {}).get("maxPerWindow", 1)
    number = 1 + max((attempt.number for attempt in earlier), default=0)
    if most is not None and number > most:
        raise Refused(409, "attempt_limit_reached")
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
    attempt = _begun(call, window, number)
    window.attempts.append(attempt)

    def learn(data: Body) -> None:
        row = data["attempt"]
        attempt.id_ = row["attemptId"]
        assert window.boards.setdefault(attempt.segment, row["leaderboardId"]) == row["leaderboardId"]
        _is_attempt(row, attempt)

    return Reply(201, tuple(events), learn, "attempt: started")


def _begun(call: Call, window: Window, number: int) -> Attempt:
    declared = window.event.declared
    metrics = {row["key"]: 0 for row in declared["metrics"] if row.get("aggregation", "sum") == "sum"}
    lasts = declared.get("attempts", {}).get("durationSeconds")
    ends_at = window.ends_at if lasts is None else min(window.ends_at, call.now + lasts * 1_000)
    return Attempt(
        call.me, window, _segment(call, declared), number, metrics, metrics.get(_score(declared)), call.now, ends_at
    )


def _segment(call: Call, declared: Body) -> str | None:
    if "board" not in declared:
        return None
    found = (call["playerContext"] or {}).get(declared["board"]["segment"])
    return found if isinstance(found, str) and len(found) <= 64 else "none"


def _score(declared: Body) -> str:
    return str(declared.get("score", declared["metrics"][0]["key"]))


# -- progress -------------------------------------------------------------------------------------------------------------


def _progress(call: Call) -> Reply:
    attempt = _attempt(call)
    window, declared = attempt.window, attempt.window.event.declared
    if attempt.status != "in_progress" or call.now >= min(attempt.ends_at, window.ends_at) or window.final is not None:
        raise Refused(409, "attempt_not_in_progress")
    after = _applied(declared, attempt.metrics, call["metrics"])
    flagged = _judged(declared, attempt.metrics, after, call["metrics"])
    score = after.get(_score(declared))
    if score is not None and (score != attempt.score or not attempt.stands):
        attempt.reached_at = call.now
    attempt.metrics, attempt.score = after, score
    attempt.flagged = attempt.flagged or flagged > 0
    reached = [row for row in _crossed(declared, score) if row["key"] not in attempt.milestones]
    attempt.milestones += [row["key"] for row in reached]
    grants = call.scope.part(Grants)
    won = [grants.award(call.player, row["entries"], call.now) if row.get("entries") else None for row in reached]
    events = ["event.milestone_granted"] * len(reached) + ["event.attempt_flagged"] * flagged
    events += ["grant.created" for grant in won if grant is not None]
    target, move = declared.get("target"), "attempt: in_progress -progress-> in_progress"
    if target is not None and _reaches(declared, score, target):
        move = "attempt: in_progress -target-> completed"
        events += _completed(call, attempt)
    elif attempt.told_at is None:
        attempt.told_at = call.now + 5_000
    rank = _rank(attempt)

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
        key = rule.get("metric", _score(declared))
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


def _reaches(declared: Body, score: int | None, threshold: int) -> bool:
    if score is None:
        return False
    return score <= threshold if declared.get("order") == "asc" else score >= threshold


def _crossed(declared: Body, score: int | None) -> list[Body]:
    less = declared.get("order") == "asc"
    found = [row for row in declared.get("milestones", []) if _reaches(declared, score, row["threshold"])]
    return sorted(found, key=lambda row: int(row["threshold"]), reverse=less)


def _completed(call: Call, attempt: Attempt) -> list[str]:
    attempt.status, attempt.completed_at, attempt.told_at = "completed", call.now, None
    rewards = attempt.window.event.declared.get("completionRewards")
    if rewards:
        call.scope.part(Grants).award(call.player, rewards, call.now)
    return ["event.progress_updated", "event.completed", *(["grant.created"] if rewards else [])]


def _expired(attempt: Attempt, at: int) -> list[str]:
    events = ["event.progress_updated"] if attempt.told_at is not None else []
    attempt.status, attempt.told_at, attempt.ends_at = "expired", None, min(attempt.ends_at, at)
    return [*events, "event.expired"]


# -- reading --------------------------------------------------------------------------------------------------------------


def _get_attempt(call: Call) -> Reply:
    attempt = _attempt(call)
    rank = _rank(attempt)

    def check(data: Body) -> None:
        _is_attempt(data["attempt"], attempt)
        assert data["rank"] == rank

    return Reply(check=check)


def _list_attempts(call: Call) -> Reply:
    event = _event(call)
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
    if call.secret is None:
        assert "attempt" not in row
        return
    newest = None if window is None else _newest(call.me, window)
    if newest is None:
        assert row["attempt"] is None
    else:
        _is_attempt(row["attempt"], newest)


def _get_board(call: Call) -> Reply:
    window, segment = _board(call)
    if call["around"] is not None and call["cursor"] is not None:
        raise Refused(400, "validation_failed")
    ranked = window.board(segment)
    near = [who for who, *_ in ranked if _named(call, who)]
    if call["around"] is not None and not near:
        raise Refused(404, "leaderboard_entry_not_found")

    def check(data: Body) -> None:
        board, rows = data["leaderboard"], data["entries"]
        assert (board["segment"], board["entryCount"]) == (segment, len(ranked))
        assert board["status"] == ("open" if window.final is None else "finalized")
        assert stamps(board, "startsAt", "endsAt") == [window.starts_at, window.ends_at]
        first = rows[0]["rank"] if rows else 1
        assert len(rows) == min(call["limit"] or 50, len(ranked))
        if call["around"] is None:
            assert first == 1
        else:
            assert any(row["externalPlayerId"] == call["around"] for row in rows)
        assert (data["nextCursor"] is None) == (first - 1 + len(rows) == len(ranked))
        for place, row in enumerate(rows, first):
            _is_entry(call.scope, ranked[place - 1], place, row)

    return Reply(check=check)


def _named(call: Call, who: Player) -> bool:
    found = owner(call.scope, who)
    return found is not None and found.name == call["around"]


def _is_entry(scope: Scope, placed: Placed, rank: int, row: Body) -> None:
    who, score, reached_at, _ = placed
    assert (row["rank"], row["score"], stamp(row["reachedAt"]), row["isBot"]) == (rank, score, reached_at, False)
    found = owner(scope, who)
    if found is None:
        assert row["externalPlayerId"].startswith("__deleted_")
    else:
        assert row["externalPlayerId"] == found.name


# -- the end --------------------------------------------------------------------------------------------------------------


def _close(scope: Scope, window: Window, now: int) -> tuple[list[str], int, int]:
    """Close a window; gives the kinds of the events, and how many attempts have expired and ranks were paid."""
    running = [attempt for attempt in window.attempts if attempt.status == "in_progress"]
    events = [kind for attempt in running for kind in _expired(attempt, window.ends_at)]
    final = {segment: window.board(segment) for segment in window.segments()}
    paid = [
        (found.name, reward["entries"])
        for ranked in final.values()
        for rank, (who, *_) in enumerate(ranked, 1)
        for reward in window.event.declared.get("rankRewards", [])
        if reward["from"] <= rank <= reward["to"] and (found := owner(scope, who)) is not None
    ]
    for name, entries in paid:
        scope.part(Grants).award(name, entries, now)
    window.final = final
    events += ["leaderboard.finalized"] * len(final) + ["grant.created"] * len(paid) + ["window.closed"]
    return events, len(running), len(paid)


def _end_now(call: Call) -> Reply:
    if call.scope.environment == "live":
        raise Refused(403, "test_environment_only")
    event = _event(call, "eventKey")
    window, span, events = event.present(call.now), event.following(), []
    if window is None and span is not None and span[0] <= call.now < span[1]:
        window, events = event.open(span), ["window.opened"]
    if window is None:
        return Reply(check=lambda data: _equals(data["windows"], []), move="window: none to end")
    window.ends_at = call.now
    closed, expired, paid = _close(call.scope, window, call.now)
    boards = len(window.final or {})

    def check(data: Body) -> None:
        (row,) = data["windows"]
        done = [row[name] for name in ("attemptsExpired", "leaderboardsFinalized", "grantsCreated", "lobbiesClosed")]
        assert done == [expired, boards, paid, 0]

    return Reply(200, (*events, *closed), check, "window: active -request-> closed")


def _equals(found: object, expected: object) -> None:
    assert found == expected


def _remove(call: Call) -> Reply:
    window, segment = _board(call)
    if window.final is not None:
        raise Refused(409, "leaderboard_finalized")
    sign = 1 if window.event.declared.get("order") == "asc" else -1
    own = [row for row in _in_window(call.me, window) if row.stands and row.segment == segment]
    if not own:
        return Reply(check=lambda data: _equals(data, {"removed": False}), move="entry: none to remove")
    stood = min(own, key=lambda row: (sign * (row.score or 0), row.reached_at or 0, row.id_))
    events: list[str] = []
    for attempt in own:
        attempt.reached_at = None
        if attempt.status == "in_progress":
            events += _expired(attempt, call.now)
        elif attempt is stood:
            attempt.status = "expired"
    return Reply(200, tuple(events), lambda data: _equals(data, {"removed": True}), "entry of an event: removed")


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
                    yield attempt.ends_at, f"expire {attempt.id_}", partial(_expire, attempt)
                if attempt.told_at is not None:
                    yield attempt.told_at, f"told {attempt.id_}", partial(_tell, attempt)


def _open(event: Event, span: tuple[int, int]) -> Reply:
    event.open(span)
    return Reply(events=("window.opened",), move="window: opened")


def _close_in_time(scope: Scope, window: Window) -> Reply:
    events, *_ = _close(scope, window, window.ends_at)
    return Reply(events=tuple(events), move="window: active -time-> closed")


def _expire(attempt: Attempt) -> Reply:
    return Reply(events=tuple(_expired(attempt, attempt.ends_at)), move="attempt: in_progress -time-> expired")


def _tell(attempt: Attempt) -> Reply:
    attempt.told_at = None
    return Reply(events=("event.progress_updated",), move="attempt: told")


# -- merging, exporting ---------------------------------------------------------------------------------------------------


def _on_merge(scope: Scope, source: Player, target: Player, now: int) -> list[str]:
    """Where both run, the source's attempt ends; the attempts of both are counted by the one that runs, or the last."""
    events: list[str] = []
    for event in events_of(scope).values():
        newest = [
            next((window for window in reversed(event.windows) if _in_window(player, window)), None)
            for player in (source, target)
        ]
        if newest[0] is not None and newest[0] is newest[1]:
            events += _unite(newest[0], source, target, now)
        for window in event.windows:
            for attempt in _in_window(source, window):
                attempt.player = target
    return events


def _unite(window: Window, source: Player, target: Player, now: int) -> list[str]:
    own = [*_in_window(source, window), *_in_window(target, window)]
    theirs, running = _running(source, window), _running(target, window)
    total = sum(max(row.number for row in _in_window(player, window)) for player in (source, target))
    last = running or theirs or max(own, key=lambda row: (row.started_at, row.id_))
    last.number = total
    return _expired(theirs, now) if theirs is not None and running is not None else []


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


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _at(d: Draw, event: str, name: str, player: str, *, key: str | None = None, **arguments: object) -> Step:
    """A call about the event with this key, which is not the key under which it is made."""
    call = d.call(name, player, key=key, **arguments)
    return attrs.evolve(call, arguments={"key": event, **arguments})


def _key(d: Draw) -> str:
    return str(d.of("none") if d.one_in(20) else d.of("race", "race", "race", "trial"))


def _metrics(d: Draw, event: str) -> dict[str, int]:
    if d.one_in(15):
        return {d.of("jumps", "points"): d.of(-1, MOST)}
    lap = d.of(0, 9, 10, 11, 40)
    if event == "trial":
        return {"lap": lap}
    points = d.of(5, 20, 30, 50, 61, 100)
    return {"points": points, "lap": lap} if d.one_in(3) else {"points": points}


def _afford(d: Draw, player: str) -> Iterator[Step]:
    """What a race costs, in either game; mostly."""
    if not d.one_in(5):
        yield d.call("server:wallet.credit", player, economyKey="gold", amount=10)
        yield d.call("server:inventory.grant", player, itemKey="potion", quantity=2)
        xp = {"type": "currency", "resourceKey": "xp", "amount": 3}
        yield d.call("server:grants.create", player, key=f"e{d.chance.below(2**40)}", entries=[xp])
        yield d.call("sdk:grants.claim", player, grantId="@grant:-1")


def _begin(d: Draw, event: str, player: str) -> Iterator[Step]:
    more: dict[str, Any] = {}
    if d.one_in(2):
        more["playerContext"] = {"league": d.of("gold", "gold", "wood", 7, None, "x" * 65)}
    yield _at(d, event, "sdk:events.start", player, key=d.key(), **more)


def _play_at(d: Draw) -> Iterator[Step]:
    """One plays: starts, perhaps twice, reports, waits, and looks at what came of it."""
    player, event = d.one(), _key(d)
    for _ in range(1 + d.one_in(2)):
        yield from _afford(d, player)
        yield from _begin(d, event, player)
        if d.one_in(4):
            yield from _begin(d, event, player)
        for _ in range(1 + d.chance.below(4)):
            if d.one_in(4):
                yield Wait(d.of(1, 1_000, 4_999, 5_000, 3_599_999, 3_600_000))
            id_ = d.ref("attempt") if d.one_in(8) else "@attempt:-1"
            metrics = _metrics(d, event)
            yield _at(d, event, "sdk:events.progress", player, key=d.key(), attemptId=id_, metrics=metrics)
    yield from _look_at(d, event, player)
    if d.one_in(2):
        yield Wait(600_000)


def _look_at(d: Draw, event: str, player: str) -> Iterator[Step]:
    page: dict[str, Any] = {"limit": d.of(1, 2, 50, 201)} if d.one_in(2) else {}
    if d.one_in(2):
        page["around"] = d.of(player, player, d.one(), "nobody")
    if d.one_in(8):
        page |= {"around": player, "cursor": "here"}
    yield d.call("sdk:leaderboards.getEvent", NOBODY, leaderboardId=d.ref("event-board"), **page)
    yield d.of(
        _at(d, event, "sdk:events.getAttempt", player, attemptId=d.ref("attempt")),
        _at(d, event, "sdk:events.listAttempts", player, **({"limit": d.of(1, 2)} if d.one_in(2) else {})),
        d.call("sdk:events.list", player),
        d.call("sdk:grants.listPending", player),
    )


def _win_again(d: Draw) -> Iterator[Step]:
    """One completes an attempt after another, until there is none left."""
    player = d.one()
    for _ in range(3):
        yield from _afford(d, player)
        yield from _begin(d, "race", player)
        metrics = {"points": 100}
        yield _at(d, "race", "sdk:events.progress", player, key=d.key(), attemptId="@attempt:-1", metrics=metrics)
    yield d.call("sdk:events.list", player)
    yield Wait(600_000)


def _race(d: Draw) -> Iterator[Step]:
    """Several play at one event, somebody is taken off, and the window ends by itself or by request."""
    players, event = (d.one(), *d.two()), d.of("race", "race", "trial")
    for player in players:
        yield from _afford(d, player)
        yield from _begin(d, event, player)
        metrics = _metrics(d, event)
        yield _at(d, event, "sdk:events.progress", player, attemptId="@attempt:-1", metrics=metrics)
        if d.one_in(3):
            yield Wait(1)
    if d.one_in(3):
        yield d.call("server:leaderboards.removeEventEntry", d.of(*players), leaderboardId=d.ref("event-board"))
    yield from _look_at(d, event, players[0])
    if d.one_in(3):
        yield d.call("server:players.erase", players[0]) if d.one_in(3) else Wait(3_600_000)
    for _ in range(1 + d.one_in(3)):
        yield d.call("server:dev.endWindow", NOBODY, key=d.key(), eventKey=_key(d) if d.one_in(3) else event)
    for player in players:
        yield d.call("sdk:grants.listPending", player)
    yield d.call("sdk:grants.claim", players[1], grantId="@grant:-1")
    yield from _look_at(d, event, players[1])
    yield d.call("server:leaderboards.removeEventEntry", players[1], key=d.key(), leaderboardId=d.ref("event-board"))


def _two_who_race(d: Draw) -> Iterator[Step]:
    """Two who both run become one, and play on."""
    one, other = d.two()
    event = d.of("race", "trial")
    for player in (one, other):
        yield from _afford(d, player)
        yield from _begin(d, event, player)
        metrics = _metrics(d, event)
        yield _at(d, event, "sdk:events.progress", player, attemptId="@attempt:-1", metrics=metrics)
    yield d.call("server:players.merge", one, toExternalId=other)
    yield _at(d, event, "sdk:events.progress", other, attemptId=d.ref("attempt"), metrics=_metrics(d, event))
    yield from _begin(d, event, other)
    yield from _look_at(d, event, other)
    yield d.call("sdk:players.register", one)
    yield Wait(600_000)


# -- the area -------------------------------------------------------------------------------------------------------------


def _no_metrics(call: Call) -> bool:
    metrics: Any = call["metrics"]
    if not isinstance(metrics, dict) or not 1 <= len(metrics) <= 20:
        return True
    return any(isinstance(value, bool) or not isinstance(value, int) or abs(value) > MOST for value in metrics.values())


def _ill_formed(d: Draw) -> list[Step]:
    about: dict[str, Any] = {"attemptId": "@attempt:-1"}
    return [
        _at(d, "race", "sdk:events.progress", d.one(), metrics={}, **about),
        _at(d, "race", "sdk:events.progress", d.one(), metrics={"points": MOST + 1}, **about),
        _at(d, "race", "sdk:events.progress", d.one(), metrics={"points": True}, **about),
    ]


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
            refuses="event_not_found event_not_active attempt_limit_reached insufficient_entry_cost",
        ),
        Operation(
            "sdk:events.progress",
            _progress,
            faults=_no_metrics,
            refuses="event_not_found attempt_not_found attempt_not_in_progress anti_cheat_rejected validation_failed",
            names=Named("attemptId", ("attempt",), "attempt_not_found"),
        ),
        Operation(
            "sdk:events.listAttempts",
            _list_attempts,
            refuses="event_not_found",
            pages=Pages("attempts", ({"key": "race"}, {"key": "trial"})),
        ),
        Operation(
            "sdk:events.getAttempt",
            _get_attempt,
            refuses="event_not_found attempt_not_found",
            names=Named("attemptId", ("attempt",), "attempt_not_found"),
        ),
        Operation("server:dev.endWindow", _end_now, about="nobody", refuses="test_environment_only event_not_found"),
        Operation(
            "sdk:leaderboards.getEvent",
            _get_board,
            about="nobody",
            shows_secret=False,
            refuses="leaderboard_not_found leaderboard_entry_not_found validation_failed",
        ),
        Operation(
            "server:leaderboards.removeEventEntry", _remove, refuses="leaderboard_not_found leaderboard_finalized"
        ),
    ),
    transitions=(
        "attempt: started",
        "attempt: given again",
        "attempt: in_progress -progress-> in_progress",
        "attempt: in_progress -target-> completed",
        "attempt: in_progress -time-> expired",
        "attempt: told",
        "entry of an event: removed",
        "entry: none to remove",
        "window: opened",
        "window: active -time-> closed",
        "window: active -request-> closed",
        "window: none to end",
    ),
    on_merge=_on_merge,
    is_exported=_is_exported,
    ids=_ids,
    broad_scenes=((5, _play_at), (2, _win_again), (5, _race), (4, _two_who_race)),
    ill_formed=_ill_formed,
    due=_due,
)
