"""Attacks on the limits: using up another's share, and going round one's own by names, addresses and headers."""

from __future__ import annotations

from functools import partial

import pytest

from livecore.api.requests.http import Request
from livecore.api.requests.limits import RateLimits
from livecore.api.requests.prepared import Prepared
from livecore.kernel.client_network import network_of
from livecore.kernel.errors import Refusal
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.world import World
from tests.worlds import Reply, ask, http, world


def _apart(**buckets: int) -> World:
    """A world whose clients are counted per key and player."""
    return world(limits=RateLimits(per_minute=buckets, per_player=True))  # type: ignore[arg-type] # names of buckets


def _name(game: World, external_id: str, remote: str = "198.51.100.7") -> Reply:
    """A stranger with the game's client key names a player and guesses the secret."""
    headers = {"authorization": f"Bearer {game.keys['client']}", "x-player-secret": "lcs_guess"}
    return http(game, "GET", f"/sdk/v1/players/{external_id}/friends", headers=headers, remote=remote)


def test_naming_a_player_uses_up_nothing_of_theirs() -> None:
    """Where players have buckets of their own, only who knows a player's secret can empty that player's."""
    game = _apart(sdk_read=3)
    anna = game.player("anna")
    for _ in range(10):
        _name(game, "anna")
    assert ask(anna, "friends.list").header("RateLimit-Remaining") == "2"


def test_inventing_players_is_no_way_round_the_limit() -> None:
    """Requests that name ever new players share one bucket, that of their address, and leave nothing in memory for each."""
    game = _apart(sdk_read=3)
    replies = [_name(game, f"invented-{number}") for number in range(5)]
    assert [reply.status for reply in replies] == [404, 404, 404, 429, 429]
    assert replies[0].header("RateLimit-Remaining") == "2"
    assert _name(game, "x" * 5_000).status == 429
    assert _name(game, "invented", remote="203.0.113.9").status == 404


def test_registering_is_counted_by_address_where_players_are_counted_apart() -> None:
    """Nobody is a player yet who registers, so a flood of new players has one bucket for each address."""
    game = _apart(sdk_write=3)
    headers = {"authorization": f"Bearer {game.keys['client']}"}

    def register(number: int, remote: str) -> int:
        return http(game, "POST", f"/sdk/v1/players/p{number}/register", headers=headers, remote=remote).status

    assert [register(number, "198.51.100.7") for number in range(5)] == [201, 201, 201, 429, 429]
    assert register(9, "203.0.113.9") == 201


def test_a_player_within_the_limit_is_counted_once() -> None:
    """Each answer of a player who is counted apart says that one request less is left, refused or not."""
    game = _apart(sdk_read=3, sdk_write=3)
    anna = game.player("anna")
    replies = [ask(anna, "friends.remove", friend_external_id="nobody") for _ in range(4)]
    assert [reply.header("RateLimit-Remaining") for reply in replies] == ["2", "1", "0", "0"]
    assert [reply.status for reply in replies] == [404, 404, 404, 429]


def test_addresses_of_one_network_are_one_stranger() -> None:
    """Who has a network of IPv6 addresses and changes the address with each request is limited like anybody else."""
    game = world(limits=RateLimits(unauthenticated_per_minute=3))
    replies = [http(game, "GET", "/nowhere", remote=f"2001:db8:1:2::{number:x}") for number in range(5)]
    assert [reply.status for reply in replies] == [404, 404, 404, 429, 429]
    assert http(game, "GET", "/nowhere", remote="2001:db8:1:3::1").status == 404


def test_guessing_a_secret_from_many_addresses_of_one_network_is_throttled() -> None:
    """Twenty wrong secrets from one network are enough, and the player elsewhere notices nothing of it."""
    game = world()
    anna = game.player("anna")
    guesses = [_name(game, "anna", remote=f"2001:db8:1:2::{number:x}").status for number in range(25)]
    assert guesses == [401] * 20 + [429] * 5
    assert ask(anna, "friends.list", remote="2001:db8:9:9::1").status == 200


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("", "not: an address", False),
    ],
)
def test_who_counts_as_one_subscriber(one: str, other: str, *, same: bool) -> None:
    """An IPv4 address in whatever spelling is one subscriber, and so are the addresses of an IPv6 network of 64 bits."""
    assert (network_of(one) == network_of(other)) is same


def test_the_ephemeral_state_does_not_grow_with_strangers() -> None:
    """A flood of addresses makes the oldest counters go, and no more than so many are ever kept."""
    ephemeral = EphemeralState(counters=100)
    for number in range(10_000):
        ephemeral.hit(f"stranger:{number}", 120, 60_000, 0)
    assert ephemeral.windows <= 100


@pytest.mark.parametrize("name", ["x-forwarded-for", "forwarded", "x-real-ip", "cf-connecting-ip", "true-client-ip"])
def test_headers_make_nobody_somebody_else(name: str) -> None:
    """Without a trusted proxy in front, no header changes the address by which a stranger is limited."""
    game = world(limits=RateLimits(unauthenticated_per_minute=2))
    replies = [http(game, "GET", "/nowhere", headers={name: f"192.0.2.{number}"}) for number in range(3)]
    assert [reply.status for reply in replies] == [404, 404, 429]


def test_documents_are_limited_and_probes_are_not() -> None:
    """A stranger gets the large documents so many times a minute, and a probe from the same address is always answered."""
    game = world(limits=RateLimits(unauthenticated_per_minute=2))
    documents = [http(game, "GET", f"/{surface}/v1/openapi.json") for surface in ("sdk", "server", "sdk")]
    assert [reply.status for reply in documents] == [200, 200, 429]
    assert documents[0].header("RateLimit-Remaining") == "1"
    assert [http(game, "GET", "/admin/v1/health").status for _ in range(5)] == [200] * 5


def test_a_request_that_runs_again_does_not_pass_a_limit() -> None:
    """A store runs a request again when another process wrote in between: what was refused stays so, and counts once."""
    game = world(limits=RateLimits(per_minute={"sdk_read": 10}))
    anna = game.player("anna")

    def outcome(prepared: Prepared) -> str:
        try:
            game.store.read(prepared.scope, lambda tx: game.application.run(prepared, tx))
        except Refusal as refusal:
            return refusal.code
        return "answered"

    runs: list[list[str]] = []
    for _ in range(12):
        request = Request("GET", "/sdk/v1/players/anna/wallet", "", anna.headers, b"", "198.51.100.7")
        prepared = game.store.read(DIRECTORY, partial(game.application.prepare, request))
        runs.append([outcome(prepared) for _ in range(3)])
    assert runs == [["answered"] * 3] * 10 + [["rate_limited"] * 3] * 2
