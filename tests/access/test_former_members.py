"""Thirty days after a member has left, nothing of the person is kept but the id."""

from __future__ import annotations

from functools import partial

from livecore import World
from livecore.access import former_members
from livecore.access.audit import AUDIT
from livecore.access.binding import Account
from livecore.access.directory import add_studio
from livecore.access.members import MEMBERS, MEMBERSHIPS, Member, Membership, add_member, membership_named
from livecore.access.signing_in import sign_in
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.tables import Table
from livecore.kernel.units.unit import Unit
from tests.worlds import ask, config

EMAIL, NAME, SUBJECT = "carla@example.com", "Carla Clarke", "subject-4711"
PERSONAL = (EMAIL, NAME, SUBJECT)


def directory(here: World, table: Table) -> list[object]:  # type: ignore[type-arg] # of any rows
    """All rows of one of the directory's tables."""
    return list(here.store.dump()[DIRECTORY.id].get(table.name, ()))


def left_of(here: World) -> set[str]:
    """What is kept of the person anywhere in the directory."""
    held = repr(here.store.dump()[DIRECTORY.id])
    return {text for text in PERSONAL if text in held}


def arrive(here: World) -> str:
    """The person is invited and signs in; gives the member's id."""
    owner = here.operator()
    assert ask(owner, "members.invite", email=EMAIL, role="VIEWER").status == 201

    def enter(unit: Unit) -> str:
        account = Account("https://accounts.example", SUBJECT)
        once = sign_in(
            unit.tx, EMAIL, NAME, unit.now, unit.entropy, through="Example", account=account, address="192.0.2.7"
        )
        assert not isinstance(once, str)
        return once.session.member_id

    return here.unit_of_work(enter, DIRECTORY)


def test_a_former_member_is_emptied_after_thirty_days() -> None:
    """The address, the name and the account, also in the audit trail, whose entries keep the id."""
    here = World(config(), seed=5)
    member_id = arrive(here)
    assert left_of(here) == set(PERSONAL)
    here.advance(days=50)
    assert left_of(here) == set(PERSONAL)
    assert ask(here.operator(), "members.remove", member_id=member_id).status == 200
    here.advance(days=29)
    assert left_of(here) == set(PERSONAL)
    here.advance(days=2)
    assert left_of(here) == set()
    entries = ask(here.operator(), "audit.list").list("entries")
    about = [entry for entry in entries if entry["target"] == {"type": "member", "id": member_id}]
    assert {entry["action"] for entry in about} == {"members.invite", "members.remove", "session.signIn"}
    (entered,) = [entry["actor"] for entry in about if entry["action"] == "session.signIn"]
    assert entered == {"kind": "member", "id": member_id, "name": None, "memberId": member_id}
    assert len(directory(here, MEMBERS)) == 2
    assert len(directory(here, AUDIT)) >= 3


def test_who_is_invited_again_is_somebody_new() -> None:
    """After the thirty days; within them the person is the same, and nothing is emptied."""
    here = World(config(), seed=5)
    first = arrive(here)
    ask(here.operator(), "members.remove", member_id=first)
    here.advance(days=20)
    assert arrive(here) == first
    here.advance(days=40)
    assert left_of(here) == set(PERSONAL)
    ask(here.operator(), "members.remove", member_id=first)
    here.advance(days=31)
    assert left_of(here) == set()
    assert arrive(here) != first
    here.advance(days=2)
    assert left_of(here) == set(PERSONAL)


def test_a_member_of_another_studio_keeps_the_address() -> None:
    """Of the studio that was left only the name and the account go."""
    here = World(config(), seed=5)
    member_id = arrive(here)

    def join(unit: Unit) -> None:
        studio, *_ = [add_studio(unit.tx, "Another", unit.now, unit.entropy)]
        add_member(unit.tx, studio, EMAIL, "OWNER", unit.now, unit.entropy)

    here.unit_of_work(join, DIRECTORY)
    ask(here.operator(), "members.remove", member_id=member_id)
    here.advance(days=31)
    assert left_of(here) == {EMAIL}
    assert here.unit_of_work(lambda unit: unit.tx.get(MEMBERSHIPS, here.game.studio_id, member_id), DIRECTORY)


def test_very_many_former_members_are_emptied_in_steps() -> None:
    """More than a step handles."""
    here = World(config(), seed=5)
    owner = here.operator()
    for number in range(103):
        email = f"carla-{number}@example.com"
        ask(owner, "members.invite", email=email, role="VIEWER")
        member, _ = here.unit_of_work(partial(_member_named, here.game.studio_id, email), DIRECTORY)
        ask(owner, "members.remove", member_id=member.member_id)
    here.advance(days=31)
    assert "carla-" not in repr(here.store.dump()[DIRECTORY.id])
    assert former_members.FORGET.recurs is not None


def _member_named(studio_id: str, email: str, unit: Unit) -> tuple[Member, Membership]:
    return membership_named(unit.tx, studio_id, email)
