"""How many friend requests one player receives from one address in a day.

Made-up players cost nothing, and each may ask everybody once. Without a limit one client could fill a player's list with
thousands of requests, and call the player's device each time. The limit (`social.dailyRequestsFromAddress`) counts new
requests in the short memory, by the caller's network and the player who is asked. It is high enough for those who share an
address, such as a family.

An address of the machine itself says nothing about who asks. That is what a `World` has, and a development server, so there
nothing is counted; a server behind a proxy learns the addresses of clients by its setting for trusted proxies.
"""

from __future__ import annotations

from ipaddress import ip_address

from livecore.kernel.client_network import network_of
from livecore.kernel.errors import RateLimited
from livecore.kernel.time import DAY
from livecore.kernel.unit import Unit
from livecore.players.player import Player
from livecore.social.config import social_config

__all__ = ["count_request"]


def count_request(unit: Unit, target: Player) -> None:
    """Count a new request to a player. Raises `RateLimited` where the caller's network has sent its last one of the day.

    The day begins with the first request, and a restart of the server begins a new one.
    """
    limit = social_config(unit).social.daily_requests_from_address
    if limit is None or not _tells_clients_apart(unit.origin.address):
        return
    # The name ends with the player's id, so that an erasure forgets it.
    name = f"friend_requests:{unit.scope.id}:{network_of(unit.origin.address)}:{target.player_id}"
    if name not in unit.misses:
        # Once for each request, also where its transaction runs again.
        unit.misses.update(unit.volatile.hit_published({name: limit}, DAY, unit.now))
    state = unit.misses[name]
    if not state.allowed:
        raise RateLimited(state.reset_seconds)


def _tells_clients_apart(address: str) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return not (getattr(found, "ipv4_mapped", None) or found).is_loopback
