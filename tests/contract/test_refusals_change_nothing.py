"""The check around every request: that it runs, and that it would notice."""

from __future__ import annotations

import pytest

from livecore.api.application import Application
from livecore.api.http import Request
from livecore.api.prepared import Outcome, Prepared
from livecore.kernel.errors import Refusal
from livecore.kernel.records import evolve
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.store import Transaction
from livecore.players.player import PLAYERS
from tests.refusals import CHECKED, Changed, watched
from tests.worlds import ask, player_row, rows_of, world


def test_each_refused_request_is_checked() -> None:
    """The session's counter moves with every refusal, so the snapshot was taken and compared."""
    alice = world().player("alice")
    before = CHECKED["400"]
    assert ask(alice, "friends.sendRequest", external_player_id="alice").status == 400
    assert CHECKED["400"] == before + 1


def test_a_change_by_a_refused_request_is_noticed() -> None:
    """A service that stored something and then refused would fail the check."""
    alice = world().player("alice")
    original = Application.perform

    def faulty(self: Application, request: Request) -> Outcome:
        alice.world.store.write(
            alice.world.scopes[0], lambda tx: tx.put(PLAYERS, evolve(player_row(alice), name="Changed"))
        )
        return original(self, request)

    checking = watched(faulty)
    with pytest.raises(Changed):
        checking(alice.world.application, alice.request("friends.sendRequest", external_player_id="alice"))


def test_a_row_changed_in_place_is_noticed() -> None:
    """A look at all rows compares values, not the identity of rows, and comes with every eighth refusal."""
    alice = world().player("alice")

    def eight_refusals() -> None:
        for _ in range(8):
            assert ask(alice, "friends.sendRequest", external_player_id="alice").status == 400

    eight_refusals()
    (row,) = rows_of(alice.world, PLAYERS)
    object.__setattr__(row, "name", "Changed")
    with pytest.raises(Changed, match="of players was changed in place"):
        eight_refusals()


def test_a_host_that_applies_refused_writes_is_noticed() -> None:
    """A refused unit's transaction gives its writes to nobody, whichever host ran it."""
    game = world()
    anna = game.player("anna")
    application = game.application
    before = CHECKED["dropped"]
    prepared = game.store.read(DIRECTORY, lambda tx: application.prepare(anna.request("players.register"), tx))
    assert isinstance(prepared, Prepared)

    def careless(tx: Transaction) -> None:
        with pytest.raises(Refusal):
            application.run(prepared, tx)

    with pytest.raises(Changed):
        game.store.write(prepared.scope, careless)
    assert CHECKED["dropped"] == before + 1
