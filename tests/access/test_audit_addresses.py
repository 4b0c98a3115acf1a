"""Addresses of the audit trail are shortened to a network after thirty days, or as many as the deployment says."""

from __future__ import annotations

import pytest

from livecore import World
from livecore.access import audit_addresses
from livecore.access.audit import AUDIT_BY_TIME, audit
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import system_unit
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, Millis
from livecore.kernel.units.unit import Actor, Retention
from livecore_server.settings import Settings
from tests.worlds import ask, config


def note(game: World, scope: Scope, at: Millis, *addresses: str | None) -> None:
    """Leave an entry of a moment for each address."""

    def work(tx: Transaction) -> None:
        for number, address in enumerate(addresses):
            entropy = Entropy(f"{scope.id} {at} {number}".encode())
            audit(tx, at, entropy, Actor("system", "operator"), "test.change", address=address)

    game.store.write(scope, work)


def addresses(game: World, scope: Scope) -> list[str | None]:
    """The addresses in a scope's entries, the oldest first."""
    rows = game.store.read(scope, lambda tx: tx.scan(AUDIT_BY_TIME))
    return [row.address for row in rows if row.action == "test.change"]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2:3::4", "2001:db8:1::/48"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("no address", None),
        (None, None),
    ],
)
def test_an_address_becomes_its_network_after_thirty_days(address: str | None, network: str | None) -> None:
    """In every scope, also in the directory; and stays that."""
    game = World(config(), seed=7)
    scopes = (*game.scopes, DIRECTORY)
    for scope in scopes:
        note(game, scope, game.now, address)
    game.advance(days=29)
    assert [addresses(game, scope) for scope in scopes] == [[address]] * 3
    for days in (2, 40):
        game.advance(days=days)
        assert [addresses(game, scope) for scope in scopes] == [[network]] * 3


def test_an_operator_sees_the_network() -> None:
    """In the trail of what the backend has done."""
    game = World(config(), seed=7)
    game.player("anna")
    ask(game.server, "players.ban", external_id="anna", reason="r")
    game.advance(days=31)
    shown = ask(game.operator(), "audit.list", action="players.ban").list("entries")
    assert [entry["address"] for entry in shown] == ["127.0.0.0/24"]


def test_what_an_earlier_release_left_is_shortened_in_steps() -> None:
    """However much it is and however old, also past many entries without an address; younger ones stay whole."""
    game = World(config(), seed=7)
    scope = game.scopes[0]
    for days in (300, 200, 100, 31):
        note(game, scope, game.now - days * DAY, *["198.51.100.1"] * 70)
    note(game, scope, game.now - 150 * DAY, *[None] * 230)
    note(game, scope, game.now - 29 * DAY, "198.51.100.1")
    game.advance(minutes=1)
    left = addresses(game, scope)
    assert (left.count("198.51.100.0/24"), left.count(None), left.count("198.51.100.1")) == (280, 230, 1)


def test_a_day_does_not_read_what_is_long_shortened() -> None:
    """It reads a few days back from where addresses become old, and no further."""
    game = World(config(), seed=7)
    scope = game.scopes[0]
    for days in range(40, 60):
        note(game, scope, game.now - days * DAY, *["198.51.100.1"] * 100)
    game.advance(minutes=1)

    def step(tx: Transaction) -> object:
        unit = system_unit(tx, game.game, game.now, b"seed")
        return audit_addresses._shorten(unit, "", ())

    assert game.store.write(scope, step) is None


@pytest.mark.parametrize(("kept_for", "whole"), [(None, True), (60 * DAY, True), (DAY, False)])
def test_the_deployment_says_for_how_long(kept_for: Millis | None, whole: bool) -> None:
    """Longer, shorter, or for as long as the entry."""
    game = World(config(), seed=7)
    scope = game.scopes[0]
    note(game, scope, game.now - 5 * DAY, "198.51.100.1")

    def step(tx: Transaction) -> None:
        retention = Retention(addresses=kept_for)
        audit_addresses.SHORTEN.start_now(
            system_unit(tx, game.game, game.now, b"seed", new_deployment(retention=retention))
        )

    game.store.write(scope, step)
    assert (addresses(game, scope) == ["198.51.100.1"]) is whole


def test_the_setting_is_in_days_and_0_is_for_as_long_as_the_entry() -> None:
    """The host reads the setting; the core is given milliseconds."""
    assert Settings().retention.addresses == Retention().addresses == 30 * DAY
    assert Settings(audit_address_days=7).retention.addresses == 7 * DAY
    assert Settings(audit_address_days=0).retention.addresses is None
