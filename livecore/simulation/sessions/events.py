"""Playing events: starting where one can, and reporting progress by skill."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.events.rows import AttemptRow, EventRow
from livecore.kernel.storage.records import evolve
from livecore.simulation.behaviour import Me
from livecore.simulation.game import PlayedEvent
from livecore.world.results import CallResult

_OVER = frozenset({"attempt_not_in_progress", "attempt_frozen", "attempt_not_found"})


def read_events(me: Me) -> None:
    """Read the events, where a window has opened or closed since they were read."""
    if me.now < me.known.events_until or not me.game.events:
        return
    listed = me.do("events.list")
    if not listed.ok:
        return
    me.known.events = {row.event_key: row for row in listed.row.events}
    changes = [row.window.ends_at for row in listed.row.events if row.window is not None]
    changes += [
        row.next_window.starts_at for row in listed.row.events if row.window is None and row.next_window is not None
    ]
    me.known.events_until = min(changes, default=me.now + 2**40)
    for row in listed.row.events:
        # The newest attempt of the open window, as the service knows it.
        if row.window is not None and isinstance(row.attempt, AttemptRow):
            me.known.attempts[row.event_key] = row.attempt


def is_open(me: Me, event: PlayedEvent) -> EventRow | None:
    """The event, where its window is open for a while yet."""
    row = me.known.events.get(event.key)
    return row if row is not None and row.window is not None and row.window.ends_at > me.now else None


def running(me: Me, row: EventRow) -> AttemptRow | None:
    """The player's attempt at an event that runs, as far as the player knows."""
    attempt = me.known.attempts.get(row.event_key)
    if attempt is None or row.window is None or attempt.event_window_id != row.window.event_window_id:
        return None
    is_over = attempt.status != "in_progress" or attempt.ends_at <= me.now or attempt.frozen_at is not None
    return None if is_over else attempt


def may_start(me: Me, event: PlayedEvent, row: EventRow) -> bool:
    """Whether the player has an attempt left, and can pay for it."""
    attempt = me.known.attempts.get(row.event_key)
    in_window = attempt is not None and row.window is not None and attempt.event_window_id == row.window.event_window_id
    used = attempt.attempt_count if in_window and attempt is not None else 0
    return (row.max_attempts is None or used < row.max_attempts) and can_pay(me, event)


def can_pay(me: Me, event: PlayedEvent) -> bool:
    """Whether the player has what starting takes."""
    needed: dict[tuple[str, str], int] = {}
    for entry in event.cost:
        key = (entry.type, entry.resource_key)
        needed[key] = needed.get(key, 0) + entry.amount
    known = me.known
    return all(
        (known.wallet if kind == "currency" else known.items).get(key, 0) >= amount
        for (kind, key), amount in needed.items()
    )


def start(me: Me, event: PlayedEvent) -> CallResult:
    """Start an attempt; the answer may be one that runs, which costs nothing."""
    context = me.context()
    done = (
        me.do("events.start", key=event.key, player_context=context)
        if context
        else me.do("events.start", key=event.key)
    )
    if done.ok:
        me.known.attempts[event.key] = done.row.attempt
        if done.status == 201:
            for entry in event.cost:
                if entry.type == "currency":
                    me.known.spent(entry.resource_key, entry.amount)
                else:
                    me.known.got_item(entry.resource_key, -entry.amount)
    elif done.refusal is not None and done.code == "insufficient_entry_cost":
        resource = str(done.refusal.details.get("resource", ""))
        held = me.known.items if resource in me.known.items else me.known.wallet
        held[resource] = 0
    return done


def play(me: Me, event: PlayedEvent) -> Iterator[float]:
    """Play an event that one plays alone, or in the team that one sits in: go on, or begin, and report progress."""
    row = is_open(me, event)
    if row is None or not me.chance(f"play-{event.key}", me.traits.activities.events):
        return
    attempt = running(me, row)
    if attempt is None:
        if not may_start(me, event, row):
            return
        done = start(me, event)
        if not done.ok:
            return
        attempt = done.row.attempt
    yield from report(me, event, attempt, 1 + me.draw("reports").below(3))


def report(me: Me, event: PlayedEvent, attempt: AttemptRow, times: int) -> Iterator[float]:
    """Report progress so many times, or until the attempt is over."""
    for _ in range(times):
        yield me.wait("report", event.pace * 0.3, event.pace)
        elapsed = me.now - attempt.started_at
        value = event.value(me.traits.skill, me.draw(f"score-{event.key}").unit_interval())
        value = event.honest(value, attempt.score or 0, elapsed)
        if value == 0 and event.sums:
            continue
        metrics = {event.definition.score_metric.key: value}
        done = me.do("events.progress", key=event.key, attempt_id=attempt.attempt_id, metrics=metrics)
        if done.ok:
            attempt = me.known.attempts[event.key] = done.row.attempt
            if attempt.status != "in_progress":
                return
        else:
            if done.code in _OVER:
                # Whatever the service says of it now, one cannot go on.
                me.known.attempts[event.key] = evolve(attempt, status="expired")
            return


def look_back(me: Me, event: PlayedEvent) -> Iterator[float]:
    """Look at one's attempts, and at the newest of them."""
    attempts = me.do("events.listAttempts", key=event.key, limit=10)
    if attempts.ok and attempts.row.attempts:
        yield me.wait("look-back", 2, 6)
        me.do("events.getAttempt", key=event.key, attempt_id=attempts.row.attempts[0].attempt_id)
