"""Activity of players: sessions, login streaks and presence, observed on every request and written in batches.

A *session* opens on first launch and again after 30 minutes of silence. The *login streak* counts consecutive UTC days with
a session; after a whole day without one it is 0 (computed at each read, persisted by an hourly sweep), and the next session
starts it at 1. Only heartbeats set *presence*: online while the last one is at most 90 seconds old.

None of this is a durable write for each request. Observations are in the ephemeral state as a `Seen` value. `live` combines
it with the player's row wherever a player is shown, and it is flushed to the row every few seconds (specification 2.3, 2.10
and 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, MINUTE, SECOND, Millis, Timestamp, day_number, next_hour, next_midnight, stamp
from livecore.kernel.units.ephemeral import EphemeralKind
from livecore.kernel.units.unit import Origin, Unit
from livecore.kernel.values import keyword_value
from livecore.kernel.wire.shapes import ABSENT, Absent
from livecore.players.player import LABELLED, PLAYERS, RECENTLY_SEEN, Player, acting
from livecore.players.rows import Heartbeat, Presence

_SESSION_GAP: Final[Millis] = 30 * MINUTE
_ONLINE_FOR: Final[Millis] = 90 * SECOND
_QUIET: Final[Millis] = SECOND
"""Requests within this time are one observation."""


@keyword_value
class Seen:
    """What is known of a player's activity that the row may not hold yet."""

    last_seen_at: Millis
    platform: str | None
    app_version: str | None
    sessions: int
    streak: int
    best_streak: int
    streak_day: int | None
    beat_at: Millis | None
    presence_status: str | None
    epoch: int = 0
    """The player's epoch when this was noted; a value of an earlier epoch is void."""


# -- rules ----------------------------------------------------------------------------------------------------------------


def joined(one: Seen, other: Seen) -> Seen:
    """What two processes know, combined: the latest of each field.

    A session that both processes counted as new counts once, because both started from the same number.
    """
    if one.epoch != other.epoch:
        return max(one, other, key=lambda seen: seen.epoch)
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
        epoch=one.epoch,
    )


def _order(known: str | int | None) -> tuple[Any, ...]:
    """A known value sorts after `None`, so that equal times give the same result in every process."""
    return () if known is None else (known,)


SEEN: EphemeralKind[Seen] = EphemeralKind("players.seen", record=Seen, join=joined)


def seen_of(player: Player) -> Seen:
    """The values that the row holds."""
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
        epoch=player.epoch,
    )


def observe(seen: Seen, now: Millis, origin: Origin) -> Seen:
    """The values after a request at `now`: perhaps a new session, perhaps another day of the streak."""
    now = max(now, seen.last_seen_at)
    opens = seen.sessions == 0 or now - seen.last_seen_at >= _SESSION_GAP
    seen = evolve(
        seen,
        last_seen_at=now,
        platform=origin.platform or seen.platform,
        app_version=origin.app_version or seen.app_version,
        sessions=seen.sessions + opens,
    )
    # A session that continues past midnight counts for both days, though it began on the first.
    today = day_number(now)
    return seen if seen.streak_day == today else _count_day(seen, today)


def _count_day(seen: Seen, today: int) -> Seen:
    streak = seen.streak + 1 if seen.streak_day == today - 1 else 1
    return evolve(seen, streak=streak, best_streak=max(streak, seen.best_streak), streak_day=today)


def streak_today(player: Player, now: Millis) -> int:
    """The current streak at `now`: 0 once a whole UTC day has passed without a session."""
    if player.streak_day is None or day_number(now) > player.streak_day + 1:
        return 0
    return player.streak


def _is_online(beat_at: Millis | None, now: Millis) -> bool:
    """Whether the last heartbeat is at most 90 seconds old. It may also be that far ahead, by another process's clock."""
    return beat_at is not None and abs(now - beat_at) <= _ONLINE_FOR


# -- reading and noting ---------------------------------------------------------------------------------------------------


def live(unit: Unit, player: Player) -> Player:
    """The player as of now: the row combined with the ephemeral state."""
    seen = _fresher(unit, player)
    return player if seen is None else folded(player, seen)


def _fresher(unit: Unit, player: Player) -> Seen | None:
    """What the ephemeral state knows of a player, unless the row is newer."""
    seen = unit.ephemeral.values(SEEN).get(unit.scope, player.player_id)
    if seen is None or seen.epoch < player.epoch or seen.last_seen_at < player.last_seen_at:
        return None
    return seen


def folded(player: Player, seen: Seen) -> Player:
    """The player combined with the observed values."""
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
    """The latest values about a player, from the ephemeral state or else the row."""
    return _fresher(unit, player) or seen_of(player)


def note_request(unit: Unit, player: Player) -> None:
    """Note an authenticated request of a player's client as activity."""
    origin = unit.origin
    seen = current_seen(unit, player)
    fresh = 0 <= unit.now - seen.last_seen_at < _QUIET and seen.sessions > 0
    if fresh and origin.platform in (None, seen.platform) and origin.app_version in (None, seen.app_version):
        return
    unit.ephemeral.values(SEEN).put(unit.scope, player.player_id, observe(seen, unit.now, origin))


def presence_of(unit: Unit, player: Player) -> Presence:
    """A player's presence as of now."""
    known: Seen | Player = _fresher(unit, player) or player
    beat_at = known.beat_at
    online = _is_online(beat_at, unit.now)
    return Presence(
        online=online,
        last_active_at=stamp(beat_at),
        status=known.presence_status if online else None,
    )


# -- operations -----------------------------------------------------------------------------------------------------------


def heartbeat(unit: Unit, args: Heartbeat) -> Presence:
    """Publish that the player is online, and optionally a label."""
    player = acting(unit)
    seen = current_seen(unit, player)
    status = _label(unit, args.status, seen)
    # A change is visible to every read after this answer. A mere repetition need not be published at once.
    changed = status != seen.presence_status or not _is_online(seen.beat_at, unit.now)
    beat_at = _after(seen.beat_at, unit.now)
    beaten = evolve(seen, beat_at=beat_at, presence_status=status)
    unit.ephemeral.values(SEEN).put(unit.scope, player.player_id, beaten, at_once=changed)
    return Presence(online=True, last_active_at=Timestamp(beat_at), status=status)


def _after(beat_at: Millis | None, now: Millis) -> Millis:
    """The time of a heartbeat that follows another one: later, even if the clock of the other one's process is ahead."""
    return beat_at + 1 if beat_at is not None and now < beat_at <= now + _ONLINE_FOR else now


def _label(unit: Unit, status: str | None | Absent, seen: Seen) -> str | None:
    """The label from now on: without another one that of before, but none that is too old to be kept."""
    if status is not ABSENT:
        return status
    kept_for = unit.deployment.retention.texts
    kept = kept_for is None or seen.beat_at is None or seen.beat_at >= unit.now - kept_for
    return seen.presence_status if kept else None


def flush(tx: Transaction, observed: Sequence[tuple[str, Seen]]) -> list[str]:
    """Write observed values to the rows of the players with these ids; returns the ids of those who are gone.

    A request that was under way while its player was erased may have noted something after the erasure. Whoever noted it
    comes here with it.
    """
    gone: list[str] = []
    players = tx.read_all(Get(PLAYERS, (player_id,)) for player_id, _ in observed)
    for (player_id, seen), player in zip(observed, players, strict=True):
        if player is None or player.gone:
            gone.append(player_id)
        else:
            # Another process may have written values that this one did not know.
            tx.put(PLAYERS, folded(player, joined(seen_of(player), seen)))
    return gone


def _sweep_streaks(unit: Unit, ref: str, cursor: Cursor) -> Cursor | None:
    """Go backwards through the players last seen before yesterday: only they can have a broken streak.

    It does not stop at a row whose streak is already 0, because flushes are not in order.
    """
    before = cursor or _earlier_cursor(ref) or ((day_number(unit.now) - 1) * DAY,)
    rows = unit.tx.scan(RECENTLY_SEEN, stop=before, reverse=True, limit=MOST_ROWS)
    broken = [player for player in rows if player.streak and not streak_today(player, unit.now)]
    for player in broken:
        unit.tx.put(PLAYERS, evolve(player, streak=0))
    if len(rows) < MOST_ROWS:
        return None
    near = rows[-1].last_seen_at > unit.now - 3 * DAY
    return RECENTLY_SEEN.position_of(rows[-1]) if near or broken else None


def _earlier_cursor(ref: str) -> Cursor | None:
    """The cursor of a sweep that an earlier release began; that release stored it in the `ref`."""
    seen_at, _, player_id = ref.partition(":")
    return (int(seen_at), player_id) if ref else None


STREAK_SWEEP: Final = Job("players.streak_sweep", _sweep_streaks, recurs=next_hour)
"""Writes every hour that streaks have ended."""


def _forget_labels(unit: Unit, _: str, __: Cursor) -> Cursor | None:
    kept_for = unit.deployment.retention.texts
    rows = [] if kept_for is None else unit.tx.scan(LABELLED, stop=(unit.now - kept_for,), limit=MOST_ROWS)
    for player in rows:
        unit.tx.put(PLAYERS, evolve(player, presence_status=None))
    return START if len(rows) == MOST_ROWS else None


FORGET_LABELS: Final = Job("players.forget_labels", _forget_labels, recurs=next_midnight)
"""Empties each day the labels of players whose last heartbeat was long ago."""
