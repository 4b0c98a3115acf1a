"""What is measured of guilds: joining one, giving what another member needs, and reading one with fifty members.

Everybody is registered, and founds or joins, before the clock starts, under names that no other run has.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any, Final

from tests.programs.bench import game
from tests.programs.bench.load import Result
from tests.programs.bench.players import Players

_MEMBERS: Final = 50
_PAIRS: Final = 128
_numbers = itertools.count()


async def join(players: Players, _: object, count: int) -> Result:
    """Each request is of a player of their own; the guilds fill up one after another."""
    leaders = await _somebody(players, -(-count // (_MEMBERS - 1)))
    guilds = await _found(players, leaders)
    joiners = await _somebody(players, count)
    places = (guild_id for guild_id in guilds for _ in range(_MEMBERS - 1))
    return await players.load([_join(players, name, guild_id) for name, guild_id in zip(joiners, places, strict=False)])


async def donate(players: Players, _: object, count: int) -> Result:
    """Each of many pairs is a guild, of which one member needs more than the other ever gives, and pays."""
    leaders, donors = await _somebody(players, _PAIRS), await _somebody(players, _PAIRS)
    guilds = await _found(players, leaders)
    await players.give_gold(donors)
    await players.load([_join(players, name, guild_id) for name, guild_id in zip(donors, guilds, strict=True)])
    needs = {"type": "currency", "resourceKey": "gold", "amount": 10**9}
    asked = await _asked(players, [_write(players, leader, "/help", **needs) for leader in leaders])
    requests = {data["request"]["player"]["externalPlayerId"]: data["request"]["requestId"] for data in asked}
    pairs = itertools.islice(itertools.cycle(zip(leaders, donors, strict=True)), count)
    return await players.load(
        [
            game.donate(players.client_key, donor, players.secrets[donor], requests[leader], number)
            for number, (leader, donor) in enumerate(pairs)
        ]
    )


async def read(players: Players, _: object, count: int) -> Result:
    """Its members read it."""
    names = await _somebody(players, _MEMBERS)
    (guild_id,) = await _found(players, names[:1])
    await players.load([_join(players, name, guild_id) for name in names[1:]])
    made = [game.members(players.client_key, name, players.secrets[name], guild_id) for name in names]
    return await players.load(list(itertools.islice(itertools.cycle(made), count)))


async def _somebody(players: Players, count: int) -> list[str]:
    names = [f"member-{next(_numbers)}" for _ in range(count)]
    await players.register(names)
    return names


async def _found(players: Players, leaders: Sequence[str]) -> list[str]:
    founded = await _asked(players, [_write(players, name, "", name=f"Guild of {name}") for name in leaders])
    guilds = {data["guild"]["leader"]["externalPlayerId"]: str(data["guild"]["guildId"]) for data in founded}
    return [guilds[leader] for leader in leaders]


def _join(players: Players, name: str, guild_id: str) -> bytes:
    return _write(players, name, "/join", guildId=guild_id)


def _write(players: Players, player: str, path: str, /, **body: object) -> bytes:
    return game.guild(players.client_key, player, players.secrets[player], path, **body)


async def _asked(players: Players, requests: Sequence[bytes]) -> list[dict[str, Any]]:
    bodies: list[bytes] = []
    await players.load(requests, bodies)
    return [json.loads(body)["data"] for body in bodies]
