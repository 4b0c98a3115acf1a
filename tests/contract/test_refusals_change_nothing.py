"""The check around every request: that it runs, and that it would notice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from livecore.api.application import Application
from livecore.api.requests.http import Request
from livecore.api.requests.prepared import Outcome, Prepared
from livecore.kernel.errors import Refusal
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.rewriting import Rewrite
from livecore.kernel.storage.store import StoreWrite, Transaction, UniqueViolation, Write
from livecore.players.player import PLAYERS
from tests.refusals import CHECKED, Changed, counted, watched
from tests.stores.tables import HEROES, IN_GUILD, Hero
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


def test_a_store_with_few_refusals_is_looked_at() -> None:
    """A row changed in place after the first refusal is noticed by the third."""
    alice = world().player("alice")
    assert ask(alice, "friends.sendRequest", external_player_id="alice").status == 400
    (row,) = rows_of(alice.world, PLAYERS)
    object.__setattr__(row, "name", "Changed")
    assert ask(alice, "friends.sendRequest", external_player_id="alice").status == 400
    with pytest.raises(Changed, match="of players was changed in place"):
        ask(alice, "friends.sendRequest", external_player_id="alice")


BEFORE: Final = Hero(id="a", guild="g")


@pytest.mark.parametrize(
    "step",
    [
        Write(HEROES, ("a",), BEFORE, evolve(BEFORE, name="Changed")),
        Write(HEROES, ("b",), None, Hero(id="b")),
        Rewrite(IN_GUILD, ("g",), {"guild": None}),
        Rewrite(IN_GUILD, ("g",), None),
    ],
    ids=["changed", "inserted", "rewritten", "cleared"],
)
def test_refused_writes_that_are_not_undone_are_noticed(step: StoreWrite) -> None:
    """Of a store that raises after it has changed rows; one that raises before is believed."""
    scope, store, original = Scope("gam_refused", "test"), MemoryStore(), MemoryStore.apply
    store.write(scope, lambda tx: tx.insert(HEROES, BEFORE))

    def careful(_: MemoryStore, __: Scope, ___: Sequence[StoreWrite]) -> None:
        raise UniqueViolation("heroes", ("name",))

    def careless(self: MemoryStore, scope: Scope, steps: Sequence[StoreWrite]) -> None:
        original(self, scope, steps)
        raise UniqueViolation("heroes", ("name",))

    with pytest.raises(UniqueViolation):
        counted(careful)(store, scope, [step])
    with pytest.raises(Changed, match="writes were refused, and rows changed"):
        counted(careless)(store, scope, [step])


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
