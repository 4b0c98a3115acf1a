"""What players do while it is measured: with friends and gifts, crates, guilds and lobbies.

The players either are registered over HTTP before the clock starts, or come from a crowd that is there already.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from itertools import cycle, islice
from typing import Final

import attrs

from tests.programs.bench import game, guilds, lobbies
from tests.programs.bench.load import Result
from tests.programs.bench.players import Pair, Players

FRIENDS: Final = 20
_READERS: Final = 64
_GIVERS: Final = 256
"""Many more than requests under way: two gifts from one player to another are never on their way at once."""


@attrs.frozen
class Cast:
    """Who does what: readers with twenty friends each, pairs who do not know each other yet, friends who give gifts."""

    readers: Sequence[str]
    strangers: Sequence[Pair]
    givers: Sequence[Pair]


@attrs.frozen
class Scenario:
    """`run` plays it with so many requests; `target` is the share of the bare handler to reach, one process on SQLite."""

    name: str
    target: float
    reads_only: bool
    run: Callable[[Players, Cast, int], Awaitable[Result]]


async def prepare(players: Players, cast: Cast, friends: Sequence[str]) -> None:
    """Friendships of the readers with the given friends and of the givers, and gold; all are registered."""
    await players.befriend([(reader, friend) for reader in cast.readers for friend in friends])
    await players.befriend(cast.givers)
    await players.give_gold([giver for giver, _ in cast.givers])


async def fresh_cast(players: Players, names: Sequence[str], requests: int) -> Cast:
    """Register and prepare everybody whom the scenarios of these names need."""
    givers = _GIVERS if {"gift", "crate"} & set(names) else 0
    strangers = requests if "request" in names else 0
    cast = Cast(
        readers=[f"reader-{number}" for number in range(_READERS)],
        strangers=[(f"asker-{number}", f"asked-{number}") for number in range(strangers)],
        givers=[(f"giver-{number}", f"taker-{number}") for number in range(givers)],
    )
    friends = [f"friend-{number}" for number in range(FRIENDS)] if "list" in names else []
    pairs = (name for pair in (*cast.strangers, *cast.givers) for name in pair)
    await players.register([*cast.readers, *friends, *pairs])
    await prepare(players, cast, friends)
    return cast


async def _list(players: Players, cast: Cast, count: int) -> Result:
    made = [game.friends(players.client_key, reader, players.secrets[reader]) for reader in cast.readers]
    return await players.load(list(islice(cycle(made), count)))


async def _profile(players: Players, cast: Cast, count: int) -> Result:
    made = [game.profile(players.client_key, reader, players.secrets[reader]) for reader in cast.readers]
    return await players.load(list(islice(cycle(made), count)))


async def _request(players: Players, cast: Cast, count: int) -> Result:
    return await players.load([players.add(one, other) for one, other in cast.strangers[:count]])


async def _gift(players: Players, cast: Cast, count: int) -> Result:
    """Half of the requests are gifts, the other half their claims."""
    key, secrets = players.client_key, players.secrets
    bodies: list[bytes] = []
    sends = [
        game.send_gift(key, giver, secrets[giver], taker, number)
        for number, (giver, taker) in enumerate(islice(cycle(cast.givers), count // 2))
    ]
    sent = await players.load(sends, bodies)
    claims = [
        game.claim(key, gift["player"]["externalPlayerId"], secrets[gift["player"]["externalPlayerId"]], gift["giftId"])
        for gift in (json.loads(body)["data"]["gift"] for body in bodies)
    ]
    return sent + await players.load(claims)


async def _crate(players: Players, cast: Cast, count: int) -> Result:
    """The studio gives the crates before anything is timed."""
    bodies: list[bytes] = []
    owners = [giver for giver, _ in islice(cycle(cast.givers), count)]
    given = [game.give_crate(players.served.game.server_key, owner, number) for number, owner in enumerate(owners)]
    await players.load(given, bodies)
    # Answers come in the order in which they are ready, so each grant says itself whose it is.
    held = [
        (grant["sourceRefId"], grant["grantId"]) for grant in (json.loads(body)["data"]["grant"] for body in bodies)
    ]
    return await players.load(
        [game.open_crate(players.client_key, owner, players.secrets[owner], crate) for owner, crate in held]
    )


SCENARIOS: Final = {
    "list": Scenario("list of 20 friends", 0.40, reads_only=True, run=_list),
    "profile": Scenario("own profile", 0.65, reads_only=True, run=_profile),
    "request": Scenario("friend request", 0.25, reads_only=False, run=_request),
    "gift": Scenario("gift and claim", 0.25, reads_only=False, run=_gift),
    "crate": Scenario("open a crate", 0.15, reads_only=False, run=_crate),
    "join": Scenario("join a guild", 0.15, reads_only=False, run=guilds.join),
    "donate": Scenario("donate to a member", 0.15, reads_only=False, run=guilds.donate),
    "lobby": Scenario("start into a lobby", 0.15, reads_only=False, run=lobbies.start),
    "guild": Scenario("guild of 50 members", 0.35, reads_only=True, run=guilds.read),
}
"""By the word that `--scenario` takes."""
