"""The scenes in which guilds come about, and the names that they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import attrs

from tests.laws.drawing import Draw
from tests.laws.steps import Step

NAMES: Final = {
    "Night Owls": "night owls",
    "NIGHT-öwls": "night owls",
    "Day Owls": "day owls",
    "Larks": "larks",
    "Morning Larks": "morning larks",
    "The Darned": "the darned",
}
"""Names that are tried, each as it is compared with others; further ones only differ in case."""


def gather(d: Draw, one: str, *others: str) -> Iterator[Step]:
    """One founds a guild, mostly, and the others come into it, mostly."""
    yield d.call("sdk:players.register", one)
    if not d.one_in(6):
        yield d.call("server:wallet.credit", one, economyKey="gold", amount=d.of(6, 50))
    if not d.one_in(4):
        yield d.call("sdk:guilds.leave", one, key=d.key())
    yield attrs.evolve(d.call("sdk:guilds.create", one, key=d.key()), arguments={"name": a_name(d)})
    for other in others:
        yield d.call("sdk:players.register", other)
        if not d.one_in(3):
            yield d.call("sdk:guilds.leave", other)
        yield d.call("sdk:guilds.join", other, key=d.key(), guildId="@guild:-1")
        yield d.call("sdk:guilds.acceptRequest", one, requestId="@join-request:-1")


def a_name(d: Draw) -> str:
    """A name for a guild, now and then one that was met before."""
    return str(d.of(*NAMES)) if d.one_in(3) else f"Guild {d.chance.below(10_000)}"


def changed(d: Draw, name: str, player: str, **arguments: object) -> Step:
    """A call that changes a profile."""
    changes: dict[str, Any] = {"description": d.of("A few words", None)}
    if d.one_in(2):
        changes["name"] = d.of(*NAMES) if d.one_in(2) else a_name(d)
    if d.one_in(2):
        changes["joinType"] = d.of("open", "request")
    call = d.call(name, player, key=d.key())
    return attrs.evolve(call, arguments={**arguments, **changes})
