"""What another configuration would have done, as text for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from livecore.journal.comparing import Compared, Otherwise, Player, Resource
from livecore.journal.lines import Header
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.values import value
from livecore.version import VERSION

_SHOWN: Final = 10


@value
class Total:
    """A resource over all players at the end: sums, and how many players have more and less of it."""

    was: int
    now: int
    more: int
    less: int


def totals_of(compared: Compared) -> dict[Resource, Total]:
    """Each resource that anybody holds, in alphabetical order."""
    was, now = compared.balances
    found: dict[Resource, list[int]] = {}
    for player, resource in dict.fromkeys([*was, *now]):
        before, after = was.get((player, resource), 0), now.get((player, resource), 0)
        sums = found.setdefault(resource, [0, 0, 0, 0])
        for place, amount in enumerate((before, after, int(after > before), int(after < before))):
            sums[place] += amount
    return {resource: Total(*found[resource]) for resource in sorted(found)}


def calls_of(compared: Compared) -> list[Otherwise]:
    """The calls that end otherwise, the most frequent first."""
    return sorted(compared.otherwise.values(), key=lambda one: (-one.count, one.operation, str(one.was), str(one.now)))


def json_of(compared: Compared, header: Header) -> JsonObject:
    """For scripts: all of it."""
    events = {kind: _pair(*pair) for kind, pair in _events(compared).items()}
    totals = {
        resource: {**_pair(one.was, one.now), "playersWithMore": one.more, "playersWithLess": one.less}
        for resource, one in totals_of(compared).items()
    }
    players: JsonObject = {
        player: {resource: _pair(*pair) for resource, pair in sorted(changed.items())}
        for player, changed in sorted(compared.differences().items())
    }
    return {
        "journal": {"version": header.version, "seed": header.seed, "start": header.start.wire},
        "version": VERSION,
        "commands": compared.commands,
        "notAsRecorded": compared.unlike,
        "resources": dict(totals),
        "players": players,
        "calls": [_call(one) for one in calls_of(compared)],
        "events": dict(events),
    }


def lines_of(compared: Compared) -> list[str]:
    """For people: the sums, and the first of each list."""
    return [*_said(compared), *_resources(compared), *_players(compared), *_calls(compared), *_kinds(compared)]


def _said(compared: Compared) -> Iterator[str]:
    yield f"{compared.commands} commands, played under the recorded configuration and under the other one"
    if compared.unlike:
        yield (
            f"Under the recorded configuration this version answers {compared.unlike} of them otherwise than recorded; "
            "what follows compares both configurations under this version."
        )
    if not (compared.otherwise or compared.differences() or _events(compared)):
        yield "Nothing differs."


def _resources(compared: Compared) -> Iterator[str]:
    totals = {resource: one for resource, one in totals_of(compared).items() if one.more or one.less}
    if totals:
        yield "At the end players hold:"
    for resource, one in totals.items():
        yield f"  {resource}: {_change(one.was, one.now)}; {one.more} players have more, {one.less} less"


def _players(compared: Compared) -> Iterator[str]:
    """The largest changes of each resource that differs: who gains, and who loses."""
    by_resource: dict[Resource, list[tuple[int, Player, int, int]]] = {}
    for player, changed in compared.differences().items():
        for resource, (was, now) in changed.items():
            by_resource.setdefault(resource, []).append((now - was, player, was, now))
    for resource in sorted(by_resource):
        changes = sorted(by_resource[resource], key=lambda change: (-abs(change[0]), change[1]))
        yield f"Most changed in {resource}:"
        yield from (f"  {player}: {_change(was, now)}" for _, player, was, now in changes[:_SHOWN])
        yield from _rest(len(changes), "players")


def _calls(compared: Compared) -> Iterator[str]:
    calls = calls_of(compared)
    if calls:
        yield f"{sum(one.count for one in calls)} calls end otherwise:"
    for one in calls[:_SHOWN]:
        first = one.examples[0]
        yield f"  {one.operation}: {one.was} → {one.now}, {one.count} times"
        yield f"    first in line {first.line}, {first.at.wire}, by {first.caller}"
    yield from _rest(len(calls), "endings")


def _kinds(compared: Compared) -> Iterator[str]:
    events = _events(compared)
    if events:
        yield "Events that differ in number:"
    yield from (f"  {kind}: {_change(*pair)}" for kind, pair in events.items())


def _rest(count: int, what: str) -> Iterator[str]:
    if count > _SHOWN:
        yield f"  and {count - _SHOWN} more {what}: --json has all"


def _events(compared: Compared) -> Mapping[str, tuple[int, int]]:
    was, now = compared.events
    return {kind: (was[kind], now[kind]) for kind in sorted({*was, *now}) if was[kind] != now[kind]}


def _call(one: Otherwise) -> Json:
    examples: list[Json] = [
        {"line": recorded.line, "at": recorded.at.wire, "caller": recorded.caller} for recorded in one.examples
    ]
    return {
        "operation": one.operation,
        "recorded": one.was.json(),
        "other": one.now.json(),
        "count": one.count,
        "examples": examples,
    }


def _pair(was: int, now: int) -> JsonObject:
    return {"recorded": was, "other": now, "difference": now - was}


def _change(was: int, now: int) -> str:
    return f"{was:,} → {now:,} ({now - was:+,})"
