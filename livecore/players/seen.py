"""Being there: sessions, login streaks and presence, observed on every request and written in groups.

A *session* opens on first launch and again after 30 minutes of silence. The *login streak* counts consecutive UTC days with
a session; a whole day missed makes it 0 (computed whenever it is read, persisted by an hourly sweep), and the next session
starts it at 1. *Presence* is set by heartbeats alone: online while the last one is at most 90 seconds old.

None of this is a durable write for each request. What was observed lies in the short memory as a `Seen` fact, is folded into
the player by `live` wherever a player is shown, and is flushed to the player's row every few seconds (specification 2.3,
2.10 and 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from livecore.kernel.jobs import MOST_ROWS, Cursor, Job
from livecore.kernel.records import evolve
from livecore.kernel.shapes import ABSENT, Absent
from livecore.kernel.store import Transaction
from livecore.kernel.time import DAY, MINUTE, SECOND, Millis, Timestamp, day_number, next_hour, stamp
from livecore.kernel.unit import Origin, Unit
from livecore.kernel.values import keyword_value
from livecore.kernel.volatile import FactKind
from livecore.players.player import PLAYERS, RECENTLY_SEEN, Player, acting
from livecore.players.rows import Heartbeat, Presence

__all__ = [
    "ONLINE_FOR",
    "SEEN",
    "SESSION_GAP",
    "STREAK_SWEEP",
    "Seen",
    "flush",
    "heartbeat",
    "is_online",
    "joined",
    "live",
    "note_request",
    "observe",
    "presence_of",
    "streak_today",
]

SESSION_GAP: Final[Millis] = 30 * MINUTE
ONLINE_FOR: Final[Millis] = 90 * SECOND
_QUIET: Final[Millis] = SECOND
"""Requests closer together than this are one observation."""


@keyword_value
class Seen:
    """What is known of a player's being there that the row may not hold yet."""

    last_seen_at: Millis
    platform: str | None
    app_version: str | None
    sessions: int
    streak: int
    best_streak: int
    streak_day: int | None
    beat_at: Millis | None
    presence_status: str | None
    upheavals: int = 0
    """How often the player's row had been merged or erased when this was noted: what was noted before is void."""


# -- rules ----------------------------------------------------------------------------------------------------------------


def joined(one: Seen, other: Seen) -> Seen:
    """What two processes together know: of each thing the latest.

    A visit that both took for a new session counts once, because both count on from the same number.
    """
    if one.upheavals != other.upheavals:
        return max(one, other, key=lambda seen: seen.upheavals)
    later = max(one, other, key=lambda seen: (seen.last_seen_at, _order(seen.platform), _order(seen.app_version)))
    day = max(one, other, key=lambda seen: (_order(seen.streak_day), seen.streak))
    beat = max(one, other, key=lambda seen: (_order(seen.beat_at), _order(seen.presence_status)))
    return Seen(
        last_seen_at=later.last_seen_at,
        platform=later.platform,
        app_version=later.app_version,
        sessions=max(one.sessions, other.sessions),
        streak=day.streak,
        best_streak=max(one.best_streak, other.best_streak),
        streak_day=day.streak_day,
        beat_at=beat.beat_at,
        presence_status=beat.presence_status,
        upheavals=one.upheavals,
    )


def _order(known: str | int | None) -> tuple[Any, ...]:
    """Whatever is known comes after nothing; that is how equal times have one outcome everywhere."""
    return () if known is None else (known,)


SEEN: FactKind[Seen] = FactKind("players.seen", record=Seen, join=joined)


def seen_of(player: Player) -> Seen:
    """What the row itself knows."""
    return Seen(
        last_seen_at=player.last_seen_at,
        platform=player.platform,
        app_version=player.app_version,
        sessions=player.sessions,
        streak=player.streak,
        best_streak=player.best_streak,
        streak_day=player.streak_day,
        beat_at=player.beat_at,
        presence_status=player.presence_status,
        upheavals=player.upheavals,
    )


def observe(seen: Seen, now: Millis, origin: Origin) -> Seen:
    """The facts after a request at `now`: perhaps a new session, perhaps another day of the streak."""
    now = max(now, seen.last_seen_at)
    opens = seen.sessions == 0 or now - seen.last_seen_at >= SESSION_GAP
    seen = evolve(
        seen,
        last_seen_at=now,
        platform=origin.platform or seen.platform,
        app_version=origin.app_version or seen.app_version,
        sessions=seen.sessions + opens,
    )
    # A session that runs over midnight is a session on both days, though it opened on the first.
    today = day_number(now)
    return seen if seen.streak_day == today else _count_day(seen, today)


def _count_day(seen: Seen, today: int) -> Seen:
    streak = seen.streak + 1 if seen.streak_day == today - 1 else 1
    return evolve(seen, streak=streak, best_streak=max(streak, seen.best_streak), streak_day=today)


def streak_today(player: Player, now: Millis) -> int:
    """The running streak as of `now`: 0 once a whole UTC day has passed without a session."""
    if player.streak_day is None or day_number(now) > player.streak_day + 1:
        return 0
    return player.streak


def is_online(beat_at: Millis | None, now: Millis) -> bool:
    """Whether the last heartbeat is at most 90 seconds old, or by the clock of another process as little ahead."""
    return beat_at is not None and abs(now - beat_at) <= ONLINE_FOR


# -- reading and noting ---------------------------------------------------------------------------------------------------


def live(unit: Unit, player: Player) -> Player:
    """The player as of now: the row with the short memory folded in."""
    seen = _fresher(unit, player)
    return player if seen is None else folded(player, seen)


def _fresher(unit: Unit, player: Player) -> Seen | None:
    """What the short memory knows of a player, unless the row is newer."""
    seen = unit.volatile.facts(SEEN).get(unit.scope, player.player_id)
    if seen is None or seen.upheavals < player.upheavals or seen.last_seen_at < player.last_seen_at:
        return None
    return seen


def folded(player: Player, seen: Seen) -> Player:
    """The player with what was observed."""
    return evolve(
        player,
        last_seen_at=seen.last_seen_at,
        platform=seen.platform,
        app_version=seen.app_version,
        sessions=seen.sessions,
        streak=seen.streak,
        best_streak=seen.best_streak,
        streak_day=seen.streak_day,
        beat_at=seen.beat_at,
        presence_status=seen.presence_status,
    )


def current_seen(unit: Unit, player: Player) -> Seen:
    """The latest facts about a player, from the short memory or else the row."""
    return _fresher(unit, player) or seen_of(player)


def note_request(unit: Unit, player: Player) -> None:
    """Take an authenticated request of a player's client as a sign of activity."""
    origin = unit.origin
    seen = current_seen(unit, player)
    fresh = 0 <= unit.now - seen.last_seen_at < _QUIET and seen.sessions > 0
    if fresh and origin.platform in (None, seen.platform) and origin.app_version in (None, seen.app_version):
        return
    unit.volatile.facts(SEEN).put(unit.scope, player.player_id, observe(seen, unit.now, origin))


def presence_of(unit: Unit, player: Player) -> Presence:
    """A player's presence as of now."""
    known: Seen | Player = _fresher(unit, player) or player
    beat_at = known.beat_at
    online = is_online(beat_at, unit.now)
    return Presence(
        online=online,
        last_active_at=stamp(beat_at),
        status=known.presence_status if online else None,
    )


# -- operations -----------------------------------------------------------------------------------------------------------


def heartbeat(unit: Unit, args: Heartbeat) -> Presence:
    """Publish that the player is there, and optionally a label."""
    player = acting(unit)
    seen = current_seen(unit, player)
    status = _label(args.status, seen)
    # Whoever looks after this has been answered sees it; that the player is still there is no news to anybody.
    changed = status != seen.presence_status or not is_online(seen.beat_at, unit.now)
    beat_at = _after(seen.beat_at, unit.now)
    beaten = evolve(seen, beat_at=beat_at, presence_status=status)
    unit.volatile.facts(SEEN).put(unit.scope, player.player_id, beaten, told=changed)
    return Presence(online=True, last_active_at=Timestamp(beat_at), status=status)


def _after(beat_at: Millis | None, now: Millis) -> Millis:
    """When a beat is that follows another: later, even where the clock of the process that had that one is ahead."""
    return beat_at + 1 if beat_at is not None and now < beat_at <= now + ONLINE_FOR else now


def _label(status: str | None | Absent, seen: Seen) -> str | None:
    return seen.presence_status if status is ABSENT else status


def flush(tx: Transaction, observed: Sequence[tuple[str, Seen]]) -> None:
    """Write observed facts to the rows of the players with these ids."""
    tx.prefetch((PLAYERS, (player_id,)) for player_id, _ in observed)
    for player_id, seen in observed:
        player = tx.get(PLAYERS, player_id)
        if player is not None:
            # Another process may have written what this one had not heard of.
            tx.put(PLAYERS, folded(player, joined(seen_of(player), seen)))


def _sweep_streaks(unit: Unit, ref: str, cursor: Cursor) -> Cursor | None:
    """Go back from the players last seen before yesterday, who alone can have a broken streak.

    A batch that reaches rows whose streak is 0 already goes on, because flushes do not come in order.
    """
    before = cursor or _place_of(ref) or ((day_number(unit.now) - 1) * DAY,)
    rows = unit.tx.scan(RECENTLY_SEEN, stop=before, reverse=True, limit=MOST_ROWS)
    broken = [player for player in rows if player.streak and not streak_today(player, unit.now)]
    for player in broken:
        unit.tx.put(PLAYERS, evolve(player, streak=0))
    if len(rows) < MOST_ROWS:
        return None
    near = rows[-1].last_seen_at > unit.now - 3 * DAY
    return RECENTLY_SEEN.place_of(rows[-1]) if near or broken else None


def _place_of(ref: str) -> Cursor | None:
    """Where a sweep goes on that an earlier release has begun, whose place stood in the `ref`."""
    seen_at, _, player_id = ref.partition(":")
    return (int(seen_at), player_id) if ref else None


STREAK_SWEEP: Final = Job("players.streak_sweep", _sweep_streaks, recurs=next_hour)
"""Persists that streaks have ended, every hour."""
