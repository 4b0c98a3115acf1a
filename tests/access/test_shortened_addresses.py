"""Internet addresses in the audit trail: whole for who may read all about a player, and the network for all others."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.access.member_rows import Role
from livecore.access.roles import PERMISSIONS, ROLES
from livecore.kernel import client_network
from livecore.world import World
from tests.portal.browsing import Member
from tests.worlds import ask, http, world

PLAYER: Final = "203.0.113.77"
MEMBER: Final = "2001:db8:1234:5678::9"
READERS: Final = PERMISSIONS["player.export"].roles


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("203.0.113.0", "203.0.113.0/24"),
        ("2001:db8:1234:5678::9", "2001:db8:1234::/48"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("fe80::1%eth0", "fe80::/48"),
        ("::1", "::/48"),
        ("", None),
        ("unknown", None),
        ("203.0.113.77:5000", None),
        ("203.0.113.0/24", "203.0.113.0/24"),
        ("2001:db8:1234::/48", "2001:db8:1234::/48"),
        ("203.0.113.76/30", None),
        ("no/network", None),
    ],
)
def test_an_address_is_shortened_to_its_network(address: str, network: str | None) -> None:
    """Twenty-four bits of an IPv4 address and 48 of an IPv6 address; what is no address is not shown at all."""
    assert client_network.shortened(address) == network


def happened() -> World:
    """A game in whose trail stand a player's address, and a member's."""
    game = world()
    key = {"authorization": f"Bearer {game.keys['client']}"}
    assert http(game, "POST", "/sdk/v1/players/anna/register", headers=key, remote=PLAYER).status == 201
    owner = game.operator("olga@example.com")
    ask(owner, "players.ban", external_id="anna", reason="spam", remote=MEMBER)
    return game


def addresses(game: World, role: Role, **filters: object) -> set[object]:
    """The addresses that a role is shown."""
    reader = game.operator(f"{role.lower()}@example.com", role)
    return {entry["address"] for entry in ask(reader, "audit.list", limit=200, **filters).list("entries")}


@pytest.mark.parametrize("role", ROLES)
def test_only_who_may_export_a_player_is_shown_whole_addresses(role: Role) -> None:
    """Also of members, and whatever the filters; entries without an address have none."""
    game = happened()
    whole, short = {PLAYER, MEMBER}, {"203.0.113.0/24", "2001:db8:1234::/48"}
    shown = addresses(game, role)
    assert shown & (whole | short) == (whole if role in READERS else short)
    assert addresses(game, role, player="anna") == (whole if role in READERS else short)
    assert None in shown


@pytest.mark.parametrize("role", ROLES)
def test_pages_show_what_the_role_is_shown(role: Role) -> None:
    """The page of the whole trail."""
    game = happened()
    member = Member.of(game, role)
    html = member.open(member.studio("/audit")).html
    assert (PLAYER in html, MEMBER in html) == (role in READERS,) * 2
    assert ("203.0.113.0/24" in html, "2001:db8:1234::/48" in html) == (role not in READERS,) * 2
