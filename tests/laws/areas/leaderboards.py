"""Shared leaderboards: scores, ranks, periods, divisions and cohorts (contract, second part).

A leaderboard is a list of periods, and each of its boards is a list that is sorted whenever it is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import attrs

from tests.laws.area import Area, Due, Operation, Pages
from tests.laws.areas.players import is_shown_as
from tests.laws.areas.relations import Graph
from tests.laws.drawing import DAY_MS, MOST, NOBODY, Draw
from tests.laws.model_state import Call, Player, Refused, Reply, Scope, stamp
from tests.laws.routes import Body
from tests.laws.shared_boards import Board, Entry, Leaderboard, Period, Seat, Uniting, aggregated, unite
from tests.laws.steps import Step, Wait

# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define
class Leaderboards:
    """The leaderboards of a scope, by key."""

    by_key: dict[str, Leaderboard] = attrs.field(factory=dict)


def _all(scope: Scope) -> dict[str, Leaderboard]:
    known = scope.part(Leaderboards).by_key
    if not known:
        known.update({row["key"]: Leaderboard({"reset": "never", **row}) for row in scope.config["leaderboards"]})
    return known


def _of(call: Call, argument: str = "key") -> Leaderboard:
    found = _all(call.scope).get(call[argument])
    if found is None:
        raise Refused(404, "leaderboard_not_found")
    return found


def _owner(scope: Scope, participant: Player) -> Player | None:
    """Who a participant is now; nobody after an erasure."""
    return next(
        (player for player in scope.players.values() if participant is player or participant in player.absorbed), None
    )


# -- scores ---------------------------------------------------------------------------------------------------------------


def _submit(call: Call) -> Reply:
    shared = _of(call)
    source = shared.declared.get("source", "client")
    if source != "client" and call.name.startswith("sdk:"):
        raise Refused(403, "score_source_forbidden")
    board, aggregation = shared.board(shared.present, shared.seat(call.me)), shared.declared.get("aggregation", "best")
    if call.me in board.excluded:
        raise Refused(403, "excluded_from_board")
    before = board.of(call.me)
    given, held = call["score"], None if before is None else before.score
    after = aggregated(aggregation, held, given)
    if (aggregation == "sum" and given < 0) or abs(after) > MOST:
        raise Refused(400, "validation_failed")
    if any(after > validator["max"] for validator in shared.declared.get("validators", [])):
        raise Refused(422, "anti_cheat_rejected")
    previous = None if before is None else {"rank": board.rank(before), "score": before.score}
    board = shared.enter(call.me)
    entry = before or Entry(call.me, after, call.now, call.now)
    if before is None:
        board.entries.append(entry)
    if entry.score != after:
        entry.score, entry.reached_at = after, call.now
    entry.written_at = call.now
    me = call.me

    def check(data: Body) -> None:
        me.player_id = data["entry"]["playerId"]
        assert data["previous"] == previous
        _is_entry(call, board, entry, data["entry"])

    return Reply(check=check, move="entry: moves" if before else "entry: new")


def _is_entry(call: Call, board: Board, entry: Entry, row: Body) -> None:
    shown = (row["rank"], row["score"], stamp(row["reachedAt"]), row["isBot"])
    assert shown == (board.rank(entry), entry.score, entry.reached_at, False)
    owner = _owner(call.scope, entry.participant)
    if owner is None:
        assert row["externalPlayerId"].startswith("__deleted_")
    else:
        assert row["externalPlayerId"] == owner.name
        is_shown_as(call, row, owner)


def _remove(call: Call) -> Reply:
    shared = _of(call)
    board = shared.board(shared.present, shared.seat(call.me))
    entry = board.of(call.me)
    if entry is not None:
        board.entries.remove(entry)
    if call["exclude"]:
        shared.enter(call.me).exclude(call.me)
    removed = {"removed": entry is not None}
    move = "entry: excluded" if call["exclude"] else "entry: removed" if entry else ""
    return Reply(check=lambda data: _equals(data, removed), move=move)


def _equals(data: Body, expected: Body) -> None:
    assert data == expected


# -- reading --------------------------------------------------------------------------------------------------------------


def _is_board(shared: Leaderboard, period: Period, seat: Seat, row: Body) -> None:
    final = period is not shared.present
    assert (row["division"], row["cohort"]) == seat
    assert row["status"] == ("finalized" if final else "open")
    assert row["entryCount"] == len(shared.board(period, seat).entries)
    assert stamp(row["startsAt"]) == period.starts_at
    ends_at = None if final or shared.ends_at is None else shared.ends_at
    assert ends_at == (None if row["nextResetAt"] is None else stamp(row["nextResetAt"]))


def _get(call: Call) -> Reply:
    shared = _of(call)
    period = shared.present
    if call["period"] == "previous":
        if len(shared.periods) == 1:
            raise Refused(404, "leaderboard_period_not_found")
        period = shared.periods[-2]
    seat = _named_seat(call, shared, period)
    board = shared.board(period, seat)
    expected = board.sorted()
    if call["around"] is not None:
        around = [entry for entry in expected if _names(call, entry.participant)]
        if not around:
            raise Refused(404, "leaderboard_entry_not_found")

    def check(data: Body) -> None:
        _is_board(shared, period, seat, data["leaderboard"])
        rows = data["entries"]
        first = rows[0]["rank"] if rows else 1
        shown = expected[first - 1 : first - 1 + len(rows)]
        assert len(shown) == len(rows)
        if call["around"] is None and call["cursor"] is None:
            assert (first, len(rows)) == (1, min(call["limit"] or 50, len(expected)))
        elif call["around"] is not None:
            assert any(row["externalPlayerId"] == call["around"] for row in rows)
        assert (data["nextCursor"] is None) == (first - 1 + len(rows) == len(expected))
        for entry, row in zip(shown, rows, strict=True):
            _is_entry(call, board, entry, row)

    return Reply(check=check)


def _named_seat(call: Call, shared: Leaderboard, period: Period) -> Seat:
    keys = [division["key"] for division in shared.divisions]
    division = call["division"] or (keys[0] if keys else None)
    if call["division"] is not None and division not in keys:
        raise Refused(400, "validation_failed")
    if "cohortSize" not in shared.declared:
        if call["cohort"] is not None:
            raise Refused(400, "validation_failed")
        return division, None
    cohort = call["cohort"] or 1
    if cohort > 1 and not period.entered[division, cohort]:
        raise Refused(400, "validation_failed")
    return division, cohort


def _names(call: Call, participant: Player) -> bool:
    owner = _owner(call.scope, participant)
    return owner is not None and owner.name == call["around"]


def _get_own(call: Call) -> Reply:
    shared = _of(call)
    seat = shared.seat(call.me)
    board = shared.board(shared.present, seat)
    entry = board.of(call.me)

    def check(data: Body) -> None:
        _is_board(shared, shared.present, seat, data["leaderboard"])
        if entry is None:
            assert data["entry"] is None
        else:
            _is_entry(call, board, entry, data["entry"])

    return Reply(check=check)


def _friends(call: Call) -> Reply:
    shared = _of(call)
    seat = shared.seat(call.me)
    board = shared.board(shared.present, seat)
    near = {call.player, *call.scope.part(Graph).friends_of(call.player)}
    players = [player for name, player in call.scope.players.items() if name in near]
    expected = [entry for entry in board.sorted() if entry.participant in players][: call["limit"] or 50]

    def check(data: Body) -> None:
        _is_board(shared, shared.present, seat, data["leaderboard"])
        assert len(data["entries"]) == len(expected)
        for entry, row in zip(expected, data["entries"], strict=True):
            _is_entry(call, board, entry, row)

    return Reply(check=check)


# -- periods --------------------------------------------------------------------------------------------------------------

_FINALIZED: Final = ("leaderboard.period_finalized",)


def _due(scope: Scope) -> Iterator[Due]:
    for key, shared in _all(scope).items():
        if shared.ends_at is not None:
            yield shared.ends_at, f"leaderboard {key}", partial(_roll, shared, shared.ends_at, "time")


def _roll(shared: Leaderboard, at: int, why: str) -> Reply:
    for board in shared.present.boards.values():
        board.entries = [entry for entry in board.entries if entry.participant.ban is None]
    shared.periods.append(Period(at))
    return Reply(events=_FINALIZED, move=f"period: open -{why}-> closed")


def _roll_now(call: Call) -> Reply:
    if call.scope.environment == "live":
        raise Refused(403, "test_environment_only")
    shared = _of(call, "leaderboardKey")
    period, count = shared.present, sum(len(board.entries) for board in shared.present.boards.values())
    rolled = shared.ends_at is not None and count > 0
    reply = _roll(shared, call.now, "request") if rolled else Reply()
    # Who is banned is on none of the boards any more.
    count = sum(len(board.entries) for board in period.boards.values())

    def check(data: Body) -> None:
        assert (data["rolledOver"], data["entryCount"]) == (rolled, count)
        assert stamp(data["periodStart"]) == period.starts_at
        if rolled:
            assert stamp(data["periodEnd"]) == call.now

    return attrs.evolve(reply, check=check)


# -- merging, erasing, exporting ------------------------------------------------------------------------------------------


def _on_merge(scope: Scope, source: Player, target: Player, now: int) -> list[str]:
    for shared in _all(scope).values():
        coming, held = shared.seats.pop(source, None), shared.seats.get(target)
        if coming is None:
            continue
        later = held is None or shared.periods.index(held[0]) < shared.periods.index(coming[0])
        stays = coming if later or held is None else held
        if coming[0] is shared.present:
            unite(shared, Uniting(source, target, now), coming[1], stays[1])
            stays = (stays[0], stays[1], target)
        shared.seats[target] = stays
    return []


def _on_erase(scope: Scope, player: Player, _now: int) -> list[str]:
    for shared in _all(scope).values():
        for one in (player, *player.absorbed):
            shared.seats.pop(one, None)
    return []


def _is_exported(call: Call, data: Body) -> None:
    own = [
        (entry.score, entry.reached_at)
        for shared in _all(call.scope).values()
        for period in shared.periods
        for board in period.boards.values()
        for entry in board.entries
        if _owner(call.scope, entry.participant) is call.me
    ]
    shown = Counter((row["score"], stamp(row["reachedAt"])) for row in data["leaderboardEntries"])
    assert not Counter(own) - shown


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _on(d: Draw, board: str, name: str, player: str, *, key: str | None = None, **arguments: object) -> Step:
    """A call about the leaderboard with this key, which is not the key under which it is made."""
    call = d.call(name, player, key=key, **arguments)
    return attrs.evolve(call, arguments={"key": board, **arguments})


def _key(d: Draw) -> str:
    return str(d.of("none") if d.one_in(25) else d.of("points", "points", "week", "week", "week", "lap"))


def _score(d: Draw) -> int:
    return int(d.of(-1, 0, MOST, 2_000) if d.one_in(8) else d.chance.below(6))


def _compete(d: Draw) -> Iterator[Step]:
    """Several submit to one leaderboard, which is looked at from all sides."""
    key = _key(d)
    for _ in range(2 + d.chance.below(4)):
        surface = d.of("sdk", "sdk", "server")
        yield _on(d, key, f"{surface}:leaderboards.submit", d.one(), key=d.key(), score=_score(d))
        if d.one_in(3):
            yield Wait(d.of(1, 1_000))
    yield from _look(d, key)


def _look(d: Draw, key: str) -> Iterator[Step]:
    page: dict[str, Any] = {"limit": d.of(1, 2, 50)} if d.one_in(2) else {}
    if d.one_in(3):
        page["around"] = d.one()
    if d.one_in(3):
        page["period"] = d.of("current", "previous", "previous")
    if key == "week" and d.one_in(2):
        page["division"] = d.of("bronze", "bronze", "gold", "iron")
    if d.one_in(4):
        page["cohort"] = d.of(1, 2, 3)
    yield _on(d, key, "sdk:leaderboards.get", NOBODY, **page)
    yield _on(d, key, d.of("sdk:leaderboards.getOwn", "sdk:leaderboards.friends"), d.one())


def _rise(d: Draw) -> Iterator[Step]:
    """Weeks go by, or are ended, and who was good moves up."""
    players = d.two()
    for _ in range(2):
        for player in players:
            yield _on(d, "week", "sdk:leaderboards.submit", player, score=_score(d))
        yield d.of(Wait(7 * DAY_MS), d.call("server:dev.rolloverNow", NOBODY, leaderboardKey=_key(d)))
        yield d.call("server:dev.rolloverNow", NOBODY, key=d.key(), leaderboardKey="week")
        yield from _look(d, "week")


def _cheat(d: Draw) -> Iterator[Step]:
    """Somebody is taken off a leaderboard, perhaps twice, and perhaps comes back."""
    player, key = d.one(), "none" if d.one_in(6) else _key(d)
    yield _on(d, key, "sdk:leaderboards.submit", player, score=5)
    for_good = {"exclude": True} if d.one_in(3) else {}
    for _ in range(1 + d.one_in(2)):
        yield _on(d, key, "server:leaderboards.removeEntry", player, key=d.key(), **for_good)
    if for_good or d.one_in(2):
        yield _on(d, key, "sdk:leaderboards.submit", player, score=_score(d))


def _two_who_compete(d: Draw) -> Iterator[Step]:
    """Two who both have an entry become one, or leave."""
    one, other = d.two()
    key = d.of("points", "week", "lap")
    for player in (one, other):
        yield _on(d, key, "server:leaderboards.submit", player, score=_score(d))
    yield d.of(
        d.call("server:players.merge", one, toExternalId=other), d.call("server:players.erase", one), Wait(7 * DAY_MS)
    )
    yield _on(d, key, "sdk:leaderboards.get", NOBODY)
    yield _on(d, key, "sdk:leaderboards.getOwn", other)


# -- the area -------------------------------------------------------------------------------------------------------------


def _is_no_score(call: Call) -> bool:
    return bool(abs(call["score"]) > MOST)


def _ill_formed(d: Draw) -> list[Step]:
    return [_on(d, "points", "sdk:leaderboards.submit", d.one(), score=MOST + 1)]


_SUBMITTED: Final = "leaderboard_not_found validation_failed anti_cheat_rejected"

AREA: Final = Area(
    operations=(
        Operation(
            "sdk:leaderboards.get",
            _get,
            about="nobody",
            shows_secret=False,
            refuses="leaderboard_not_found leaderboard_period_not_found leaderboard_entry_not_found validation_failed",
            pages=Pages("entries", ({"key": "points"}, {"key": "week"})),
        ),
        Operation("sdk:leaderboards.getOwn", _get_own, refuses="leaderboard_not_found"),
        Operation("sdk:leaderboards.friends", _friends, refuses="leaderboard_not_found"),
        Operation(
            "sdk:leaderboards.submit",
            _submit,
            faults=_is_no_score,
            refuses=f"{_SUBMITTED} score_source_forbidden excluded_from_board",
        ),
        Operation(
            "server:leaderboards.submit",
            _submit,
            faults=_is_no_score,
            refuses=_SUBMITTED,
            seldom="score_source_forbidden excluded_from_board",
        ),
        Operation("server:leaderboards.removeEntry", _remove, refuses="leaderboard_not_found"),
        Operation(
            "server:dev.rolloverNow", _roll_now, about="nobody", refuses="leaderboard_not_found test_environment_only"
        ),
    ),
    transitions=(
        "entry: new",
        "entry: moves",
        "entry: removed",
        "entry: excluded",
        "period: open -time-> closed",
        "period: open -request-> closed",
    ),
    on_merge=_on_merge,
    on_erase=_on_erase,
    is_exported=_is_exported,
    due=_due,
    scenes=((6, _compete), (2, _cheat)),
    broad_scenes=((5, _rise), (3, _two_who_compete)),
    ill_formed=_ill_formed,
)
