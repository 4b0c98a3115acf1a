"""How many players of one address send one player friend requests in a day, and how often each of them does.

Made-up players cost nothing, and each may ask everybody once. Without a limit one client could fill a player's list with
thousands of requests, and call the player's device each time. The limit (`social.dailyRequestsFromAddress`) counts those who
ask a player, in the ephemeral state and by the caller's network. It is high enough for those who share an address, such as a
family. Who takes a request back and sends it again has been counted, so that nobody uses up what others may send, and may
do so a few times.

An address of the machine itself says nothing about who asks. That is what a `World` has, and a development server, so there
nothing is counted; a server behind a proxy learns the addresses of clients by its setting for trusted proxies.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from ipaddress import ip_address
from typing import Final

from livecore.kernel.client_network import network_of
from livecore.kernel.errors import RateLimited
from livecore.kernel.time import DAY
from livecore.kernel.units.unit import Unit
from livecore.players.player import Player
from livecore.social.config import social_config

REQUESTS_OF_ONE: Final = 5
"""How many new requests one player sends to another in a day: the earlier ones were taken back or declined."""


def count_request(unit: Unit, sender: Player, target: Player) -> None:
    """Count a new request to a player.

    Raises `RateLimited` where the sender has sent the last one of the day, or is new to the target and the sender's network
    has no place for one more. The day begins with the first request, and a restart of the server begins a new one.
    """
    limit = social_config(unit).social.daily_requests_from_address
    if limit is None or not _tells_clients_apart(unit.origin.address):
        return
    # The names end with the target's id, so that an erasure forgets them. The sender's stands in no name.
    digest = blake2b(f"{unit.scope.id}:{sender.player_id}".encode(), digest_size=12).hexdigest()
    of_sender = f"friend_requests_of:{digest}:{target.player_id}"
    of_network = f"friend_requests:{unit.scope.id}:{network_of(unit.origin.address)}:{target.player_id}"
    # The sender's window begins only where the network had a place, so a request that was refused is refused again.
    counted = of_sender in unit.misses or unit.ephemeral.peek(of_sender, 1, DAY, unit.now).remaining == 0
    if not counted:
        _count(unit, of_network, limit)
    _count(unit, of_sender, REQUESTS_OF_ONE)


def _count(unit: Unit, name: str, limit: int) -> None:
    if name not in unit.misses:
        # Once for each request, also where its transaction runs again.
        unit.misses.update(unit.ephemeral.hit_published({name: limit}, DAY, unit.now))
    state = unit.misses[name]
    if not state.allowed:
        raise RateLimited(state.reset_seconds)


@lru_cache(maxsize=1024)
def _tells_clients_apart(address: str) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return not (getattr(found, "ipv4_mapped", None) or found).is_loopback
