"""Who the players of a run are, when they come and what they hold; only here single players are known."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from livecore.kernel.time import DAY, Millis, day_number
from livecore.simulation.observed import Behaviour, Day, Observed, Resource


@attrs.define
class Person:
    """What is remembered of one player while the season is played."""

    behaviour: Behaviour
    registered_on: Day
    seen_on: Day = -1
    """The last day of the run with a session."""
    streak_day: int = -1
    streak: int = 0
    best_streak: int = 0
    balances: dict[Resource, int] = attrs.field(factory=dict)
    gifts_sent: int = 0
    friends: int = 0
    paid: bool = False


class People:
    """The players of a run, by their external ids."""

    def __init__(self, observed: Observed, started_at: Millis) -> None:
        self._observed = observed
        self._started_at = started_at
        self._of: dict[str, Person] = {}
        self._active_this_week: set[str] = set()
        self.day: Day = 0
        """The present day of the run."""
        self.totals: dict[Resource, int] = {}
        """What all players hold."""

    def __iter__(self) -> Iterator[Person]:
        return iter(self._of.values())

    def register(self, external_id: str, behaviour: Behaviour) -> None:
        """A player has registered."""
        self._of[external_id] = Person(behaviour, self.day)
        self._observed.registered[self.day, behaviour] += 1
        self._observed.behaviours[behaviour] = self._observed.behaviours.get(behaviour, 0) + 1

    def day_of(self, at: Millis) -> Day:
        """The day of the run that an instant belongs to; midnight is the beginning of a day."""
        return (at - self._started_at) // DAY

    @property
    def ids(self) -> tuple[str, ...]:
        """The external ids, in the order in which the players registered."""
        return tuple(self._of)

    def get(self, external_id: str) -> Person | None:
        """A player of the run; `None` for somebody that the population did not bring."""
        return self._of.get(external_id)

    def behaviour(self, external_id: str) -> Behaviour:
        """The behaviour of a player; empty for somebody that the population did not bring."""
        person = self._of.get(external_id)
        return "" if person is None else person.behaviour

    def open_session(self, external_id: str, at: Millis) -> bool:
        """A player has begun a session; gives whether it is the player's first of the day."""
        person, seen = self._of[external_id], self._observed
        seen.sessions[self.day, person.behaviour] += 1
        self._active_this_week.add(external_id)
        self._count_streak(person, day_number(at))
        if person.seen_on == self.day:
            return False
        person.seen_on = self.day
        seen.active[self.day, person.behaviour] += 1
        seen.returned[person.registered_on, self.day - person.registered_on] += 1
        return True

    def _count_streak(self, person: Person, today: int) -> None:
        if person.streak_day == today:
            return
        if person.streak_day == today - 1:
            person.streak += 1
        else:
            if person.streak:
                self._observed.streaks_ended[person.streak] += 1
            person.streak = 1
        person.streak_day = today
        person.best_streak = max(person.best_streak, person.streak)

    def hold(self, external_id: str, resource: Resource, delta: int, balance: int) -> None:
        """A player's balance has changed by `delta` to `balance`."""
        self.totals[resource] = self.totals.get(resource, 0) + delta
        person = self._of.get(external_id)
        if person is not None:
            person.balances[resource] = balance

    def end_day(self) -> None:
        """Note what everybody holds at the end of a day, and of a week."""
        seen, day = self._observed, self.day
        for resource, total in self.totals.items():
            days = seen.supply.setdefault(resource, [])
            days += [0] * (day - len(days)) + [total]
        if day % 7 == 6:
            self._end_week(day // 7)
        self.day = day + 1

    def _end_week(self, week: int) -> None:
        seen = self._observed
        active = [self._of[external_id] for external_id in sorted(self._active_this_week)]
        seen.active_in_week.append(len(active))
        for resource in self.totals:
            weeks = seen.held_by_active.setdefault(resource, [])
            weeks += [0] * (week - len(weeks)) + [sum(person.balances.get(resource, 0) for person in active)]
        self._active_this_week.clear()

    def end(self) -> None:
        """Note what is known of each player when the season is over."""
        seen = self._observed
        today = day_number(self._started_at + self.day * DAY - 1)
        for person in self:
            seen.streaks[person.best_streak] += 1
            if person.streak and person.streak_day < today - 1:
                seen.streaks_ended[person.streak] += 1
        for resource in self.totals:
            seen.balances[resource] = sorted(person.balances.get(resource, 0) for person in self)
        seen.gift_senders = sorted((person.gifts_sent for person in self if person.gifts_sent), reverse=True)
        seen.friends = sorted(person.friends for person in self)
        seen.payers = sum(person.paid for person in self)
