"""From a verified address to a session: who gets one, what is written, and what is not, over the three stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from livecore.access.audit import AUDIT_BY_TIME, AuditEntry
from livecore.access.directory import STUDIOS
from livecore.access.members import BY_EMAIL, Member, Membership, add_member, end_membership, require_membership
from livecore.access.sessions import LONGEST, SessionOnce
from livecore.access.signing_in import SIGN_IN, sign_in
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from tests.added_game import STORES, AddedGame

ANNA = "anna@example.com"


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game with one member, over each store."""
    with STORES[request.param](tmp_path) as store:
        found = AddedGame(store)
        found.member(ANNA, "VIEWER")
        yield found


def enter(game: AddedGame, email: str, name: str | None = None) -> SessionOnce | None:
    """Sign somebody in; `None` for a stranger."""
    seed = game._seed()
    entered = game.store.write(
        DIRECTORY,
        lambda tx: sign_in(tx, email, name, game.now, Entropy(seed), through="https://a.example", address="192.0.2.9"),
    )
    assert entered != "another_account"
    return None if entered == "no_member" else entered


def member(game: AddedGame) -> Member:
    """The member as the store has it."""
    found = game.store.read(DIRECTORY, lambda tx: tx.find(BY_EMAIL, ANNA))
    assert found is not None
    return found


def membership(game: AddedGame) -> Membership:
    """The membership of the game's studio as the store has it."""
    studio_id, member_id = game.made.game.studio_id, member(game).member_id
    return game.store.read(DIRECTORY, lambda tx: require_membership(tx, studio_id, member_id))[1]


def entries(game: AddedGame) -> list[AuditEntry]:
    """The entries of sign-ins."""
    return [row for row in game.store.read(DIRECTORY, lambda tx: tx.scan(AUDIT_BY_TIME)) if row.action == SIGN_IN]


def test_each_sign_in_is_a_new_session(game: AddedGame) -> None:
    """For seven days, with a token of its own, whatever the case of the address."""
    first, second = enter(game, "ANNA@Example.com"), enter(game, ANNA)
    assert first is not None
    assert second is not None
    assert first.token != second.token
    assert (first.session.ends_at, first.session.address) == (game.now + LONGEST, "192.0.2.9")
    assert first.token not in repr(first)
    assert membership(game).signed_in_at == game.now


def test_a_name_is_one_line_of_letters_that_show(game: AddedGame) -> None:
    """A provider may send any text; one without a name leaves the last one."""
    for sent, kept in (
        ("Anna Lund", "Anna Lund"),
        (None, "Anna Lund"),
        ("", "Anna Lund"),
        ("\u202eadmin\n\x00 <b>", "admin <b>"),
        ("a" * 500, "a" * 100),
    ):
        enter(game, ANNA, sent)
        assert membership(game).name == kept


def test_every_studio_of_the_member_reads_of_it(game: AddedGame) -> None:
    """One entry each, by the member through a session; a studio that the member has left reads nothing."""
    others = [game.another_game().studio_id for _ in range(2)]

    def join(tx: Transaction) -> None:
        for studio_id in others:
            studio = tx.get(STUDIOS, studio_id)
            assert studio is not None
            add_member(tx, studio, "boss@example.com", "OWNER", game.now, Entropy(studio_id.encode()))
            add_member(tx, studio, ANNA, "VIEWER", game.now, Entropy(studio_id.encode() + b"2"))

    def leave(tx: Transaction) -> None:
        _, held = require_membership(tx, others[1], member_id)
        end_membership(tx, held, game.now)

    member_id = member(game).member_id
    game.store.write(DIRECTORY, join)
    game.store.write(DIRECTORY, leave)
    enter(game, ANNA)
    found = entries(game)
    assert {row.studio_id for row in found} == {game.made.game.studio_id, others[0]}
    about = {(row.member_id, row.principal, row.via, row.address, row.target_kind, row.target_id) for row in found}
    assert about == {(member_id, "session", "session", "192.0.2.9", "member", member_id)}


@pytest.mark.parametrize("email", ["ben@example.com", "", "anna@example.com ", "anna@\u212axample.com"])
def test_a_stranger_leaves_every_row_as_it_was(game: AddedGame, email: str) -> None:
    """No session, no member, no entry."""
    before = game.store.dump()
    assert enter(game, email, "Somebody") is None
    assert game.store.dump() == before


def test_who_has_left_is_a_stranger(game: AddedGame) -> None:
    """The row of the member stays for the audit trail, and opens nothing."""

    def leave(tx: Transaction) -> None:
        _, held = require_membership(tx, game.made.game.studio_id, member(game).member_id)
        end_membership(tx, held, game.now)

    game.store.write(DIRECTORY, leave)
    assert enter(game, ANNA) is None
    assert entries(game) == []


def test_letters_that_only_look_alike_are_others(game: AddedGame) -> None:
    """The sign for kelvin has `k` as its lower case; an address with it is not the one with `k`."""
    game.member("kim@example.com", "OWNER")
    assert enter(game, "\u212aim@example.com") is None
    assert enter(game, "KIM@example.com") is not None
    said = game.ask("GET", "/admin/v1/session", headers={"cookie": game.member("\u212aim@example.com", "VIEWER")})
    assert said.json["data"]["member"]["email"] == "\u212aim@example.com"
