"""A membership belongs to the account that first signed in with it, not to an e-mail address; over the three stores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from livecore.access.audit import AUDIT_BY_TIME, AuditEntry
from livecore.access.binding import Account
from livecore.access.directory import STUDIOS
from livecore.access.member_rows import Role
from livecore.access.members import add_member
from livecore.access.sessions import SessionOnce, start_session
from livecore.access.signing_in import NotAdmitted, sign_in
from livecore.kernel.entropy import Entropy
from livecore.kernel.ids import moment_of
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, Timestamp
from tests.added_game import STORES, AddedGame, Said, headers_for, signed_in

ANNA = "anna@example.com"
HERS = Account("https://id.example", "anna-1")
ANOTHER = Account("https://id.example", "anna-2")
ELSEWHERE = Account("https://other.example", "anna-1")


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game with an owner and with Anna, who has not signed in, over each store."""
    with STORES[request.param](tmp_path) as store:
        yield AddedGame(store, secrets=[b"deployment"])


class Studio:
    """The studio of a game, with its owner's requests."""

    def __init__(self, game: AddedGame) -> None:
        self.game = game
        self.path = f"/admin/v1/studios/{game.made.game.studio_id}"
        self.owner = signed_in(game.member("owner@example.com"))
        self.invite()

    def invite(self, role: Role = "VIEWER", *, by: dict[str, str] | None = None, email: str = ANNA) -> Said:
        """Invite Anna, or invite her again; a moment later than what was before."""
        self.game.now += 1
        said = self.game.ask("POST", f"{self.path}/members", {"email": email, "role": role}, headers=by or self.owner)
        self.game.now += 1
        return said

    def enter(self, account: Account | None, email: str = ANNA, name: str | None = None) -> SessionOnce | NotAdmitted:
        """Sign in with the address and an account, which the provider calls `name`."""
        seed = self.game._seed()
        return self.game.store.write(
            DIRECTORY,
            lambda tx: sign_in(
                tx, email, name, self.game.now, Entropy(seed), through="https://id.example", account=account
            ),
        )

    def cookie(self, account: Account | None, name: str | None = None) -> dict[str, str]:
        """The headers of a page of somebody who signs in with the address and an account."""
        once = self.enter(account, name=name)
        assert isinstance(once, SessionOnce)
        return signed_in(f"livecore={once.token}")

    def look(self, headers: dict[str, str]) -> Said:
        """Read the studio."""
        return self.game.ask("GET", self.path, headers=headers)

    def told(self, email: str = ANNA) -> dict[str, Any]:
        """What the list of members says of somebody."""
        said = self.game.ask("GET", f"{self.path}/members", headers=self.owner).json["data"]["members"]
        found: dict[str, Any] = next(row for row in said if row["email"] == email)
        return found

    def trail(self, action: str) -> list[AuditEntry]:
        """The entries of an action, the oldest first."""
        rows = self.game.store.read(DIRECTORY, lambda tx: tx.scan(AUDIT_BY_TIME))
        return [row for row in rows if row.action == action]


def another_studio(game: AddedGame) -> str:
    """Another studio of the deployment, which invites Anna as well; a moment later than what was before."""
    game.now += 1
    studio_id = game.another_game().studio_id

    def join(tx: Transaction) -> None:
        row = tx.get(STUDIOS, studio_id)
        assert row is not None
        add_member(tx, row, ANNA, "OWNER", game.now, Entropy(b"other"))

    game.store.write(DIRECTORY, join)
    game.now += 1
    return studio_id


def boss_of(game: AddedGame, studio_id: str) -> dict[str, str]:
    """The headers of an owner of a studio."""

    def enter(tx: Transaction) -> str:
        row, entropy = tx.get(STUDIOS, studio_id), Entropy(b"boss")
        assert row is not None
        boss, _ = add_member(tx, row, "boss@example.com", "OWNER", game.now, entropy)
        return start_session(tx, boss.member_id, game.now, entropy).token

    return signed_in(f"livecore={game.store.write(DIRECTORY, enter)}")


def told_to(game: AddedGame, boss: dict[str, str], studio_id: str) -> dict[str, Any]:
    """What a studio's list of members says of Anna to somebody."""
    said = game.ask("GET", f"/admin/v1/studios/{studio_id}/members", headers=boss).json["data"]["members"]
    found: dict[str, Any] = next(row for row in said if row["email"] == ANNA)
    return found


@pytest.mark.parametrize("other", [ANOTHER, ELSEWHERE, None])
def test_the_first_sign_in_binds_and_another_account_is_refused(game: AddedGame, other: Account | None) -> None:
    """Also a subject of the same text at another issuer, and whoever comes from no provider; nothing changes."""
    studio = Studio(game)
    assert studio.told()["bound"] is False
    mine = studio.cookie(HERS)
    assert (studio.told()["bound"], studio.look(mine).status) == (True, 200)
    before = game.store.dump()
    assert studio.enter(other) == "another_account"
    assert game.store.dump() == before
    assert studio.look(studio.cookie(HERS)).status == 200
    first, second = (json.loads(entry.metadata or "") for entry in studio.trail("session.signIn"))
    assert (first, second) == ({"through": "https://id.example", "bound": True}, {"through": "https://id.example"})


def test_a_membership_of_an_earlier_version_is_bound_at_the_next_sign_in(game: AddedGame) -> None:
    """A session of before opens the studio until somebody has signed in with an account; then it is that account's."""
    studio = Studio(game)
    earlier = studio.cookie(None)
    assert (studio.look(earlier).status, studio.told()["bound"]) == (200, False)
    assert studio.look(studio.cookie(HERS)).status == 200
    assert studio.look(earlier).code == "studio_not_found"
    assert game.ask("GET", "/admin/v1/session", headers=earlier).json["data"]["studios"] == []


def test_a_renewed_invitation_is_bound_again_and_ends_what_was_before(game: AddedGame) -> None:
    """Sessions and the personal key; the same invitation answers as any, and both changes are in the audit trail."""
    studio = Studio(game)
    mine = studio.cookie(HERS)
    key = headers_for(game.personal_key(mine["cookie"]))
    assert studio.look(key).status == 200
    again = studio.invite("GAME_ADMIN")
    assert again.status == 201
    assert (again.json["data"]["member"]["role"], again.json["data"]["member"]["bound"]) == ("GAME_ADMIN", False)
    assert (studio.look(mine).code, studio.look(key).code) == ("session_invalid", "api_key_revoked")
    assert studio.look(studio.cookie(ANOTHER)).status == 200
    assert studio.enter(HERS) == "another_account"
    entry = studio.trail("admin:members.invite")[-1]
    assert json.loads(entry.metadata or "") == {"email": ANNA, "renewed": True}
    assert (json.loads(entry.before or "")["role"], json.loads(entry.after or "")["role"]) == ("VIEWER", "GAME_ADMIN")


def test_an_invitation_that_holds_is_not_renewed(game: AddedGame) -> None:
    """Before somebody has signed in with an account, inviting again is told that the person is there already."""
    studio = Studio(game)
    before = game.store.dump()
    assert studio.invite("ADMIN").code == "member_exists"
    assert game.store.dump() == before


def test_only_an_owner_renews_an_owner(game: AddedGame) -> None:
    """As with any other change of an owner; an administrator renews everybody else."""
    studio = Studio(game)
    admin = signed_in(game.member("admin@example.com", "ADMIN"))
    assert isinstance(studio.enter(HERS, "owner@example.com"), SessionOnce)
    refused = studio.invite("ADMIN", by=admin, email="owner@example.com")
    assert (refused.status, refused.json["error"]["details"]) == (403, {"permission": "owner.manage"})
    studio.cookie(HERS)
    assert studio.invite("VIEWER", by=admin).status == 201


def test_the_last_owner_is_renewed_as_owner_only(game: AddedGame) -> None:
    """Another role would leave the studio without one."""
    studio = Studio(game)
    once = studio.enter(HERS, "owner@example.com")
    assert isinstance(once, SessionOnce)
    owner = signed_in(f"livecore={once.token}")
    assert studio.invite("VIEWER", by=owner, email="owner@example.com").code == "last_owner"
    assert studio.invite("OWNER", by=owner, email="owner@example.com").status == 201
    assert studio.look(owner).code == "session_invalid"


def test_what_one_studio_renews_opens_no_other(game: AddedGame) -> None:
    """Whoever has the address now is let into the studio that invited them again, and sees nothing of the first."""
    studio = Studio(game)
    mine = studio.cookie(HERS)
    other = another_studio(game)
    theirs = studio.cookie(ANOTHER)
    shown = game.ask("GET", "/admin/v1/session", headers=theirs).json["data"]["studios"]
    assert [row["studioId"] for row in shown] == [other]
    assert studio.look(theirs).code == "studio_not_found"
    assert studio.look(mine).status == 200
    assert {entry.studio_id for entry in studio.trail("session.signIn")[-1:]} == {other}
    assert game.ask("POST", "/admin/v1/sign-out", headers=theirs).status == 200
    assert {entry.studio_id for entry in studio.trail("session.signOut")} == {other}


def test_an_earlier_session_opens_no_studio_that_invites_later(game: AddedGame) -> None:
    """It is of an account that only the first studio has admitted; so it makes no personal key, and who signs in enters."""
    studio = Studio(game)
    theirs = studio.cookie(ANOTHER)
    path = f"/admin/v1/studios/{another_studio(game)}"
    assert game.ask("GET", path, headers=theirs).code == "studio_not_found"
    body = {"name": "stays", "expiresInDays": 365}
    assert game.ask("POST", f"{path}/personal-keys", body, headers=theirs).code == "studio_not_found"
    shown = game.ask("GET", "/admin/v1/session", headers=theirs).json["data"]["studios"]
    assert [f"/admin/v1/studios/{row['studioId']}" for row in shown] == [studio.path]
    mine = studio.cookie(HERS)
    assert game.ask("GET", path, headers=mine).status == 200
    assert (game.ask("GET", path, headers=theirs).code, studio.look(theirs).status) == ("studio_not_found", 200)


def test_an_invitation_after_a_removal_opens_to_no_session_of_before(game: AddedGame) -> None:
    """Though another studio keeps them alive; the next sign-in is bound."""
    studio = Studio(game)
    another_studio(game)
    earlier = [studio.cookie(HERS), studio.cookie(HERS)]
    member_id = studio.told()["memberId"]
    removed = game.ask("DELETE", f"{studio.path}/members/{member_id}", headers=studio.owner)
    assert removed.status == 200
    assert [studio.look(one).code for one in earlier] == ["studio_not_found"] * 2
    assert studio.invite("ADMIN").status == 201
    assert [studio.look(one).code for one in earlier] == ["studio_not_found"] * 2
    assert studio.look(studio.cookie(ANOTHER)).status == 200
    assert studio.look(earlier[0]).code == "studio_not_found"


def test_binding_ends_the_personal_key_of_before(game: AddedGame) -> None:
    """One that was made without the account; the account's own goes on with its next sign-ins."""
    studio = Studio(game)
    earlier = headers_for(game.personal_key(studio.cookie(None)["cookie"]))
    assert studio.look(earlier).status == 200
    mine = studio.cookie(HERS)
    assert studio.look(earlier).code == "api_key_revoked"
    key = headers_for(game.personal_key(mine["cookie"]))
    studio.cookie(HERS)
    assert studio.look(key).status == 200


def test_the_link_of_a_development_server_opens_what_was_there_when_it_was_used(game: AddedGame) -> None:
    """Its session is of no account: no membership of later, and none that somebody has bound."""
    studio = Studio(game)
    linked = studio.cookie(None)
    path = f"/admin/v1/studios/{another_studio(game)}"
    assert (studio.look(linked).status, game.ask("GET", path, headers=linked).code) == (200, "studio_not_found")
    assert game.ask("GET", path, headers=studio.cookie(None)).status == 200


def test_a_studio_learns_nothing_of_a_member_from_another_one(game: AddedGame) -> None:
    """Neither the name nor the last sign-in, as with an address that nobody knows; its own are its own."""
    studio = Studio(game)
    entered_at = game.now
    studio.cookie(HERS, "Anna Lund")
    known = studio.told()
    other = another_studio(game)
    boss = boss_of(game, other)
    held = told_to(game, boss, other)
    assert (held["name"], held["lastSignInAt"], held["bound"]) == (None, None, False)
    studio.cookie(ANOTHER, "Evil Twin")
    assert told_to(game, boss, other)["name"] == "Evil Twin"
    assert studio.told() == known
    assert (known["name"], known["lastSignInAt"]) == ("Anna Lund", Timestamp(entered_at).wire)


def test_the_id_of_a_member_does_not_tell_since_when_the_server_knows_the_address(game: AddedGame) -> None:
    """Other ids begin with the time at which they were made; one of before the invitation would be of another studio."""
    studio = Studio(game)
    game.now += 60_000
    said = studio.invite(email="new@example.com")
    known, new = (moment_of(row["memberId"]) or 0 for row in (studio.told(), said.json["data"]["member"]))
    assert abs(known - game.now) > DAY
    assert abs(new - game.now) > DAY


def test_what_one_studio_admits_is_not_told_to_the_person_of_another(game: AddedGame) -> None:
    """Who is signed in reads the name of the studios that the session opens; entries of the past keep theirs."""
    studio = Studio(game)
    mine = studio.cookie(HERS, "Anna Lund")
    another_studio(game)
    theirs = studio.cookie(ANOTHER, "Evil Twin")
    names = [game.ask("GET", "/admin/v1/session", headers=one).json["data"]["member"]["name"] for one in (mine, theirs)]
    assert names == ["Anna Lund", "Evil Twin"]
    member_id = studio.told()["memberId"]
    trail = game.ask("GET", f"{studio.path}/audit", query=f"member={member_id}", headers=studio.owner)
    assert {entry["actor"]["name"] for entry in trail.json["data"]["entries"]} == {"Anna Lund"}


def test_a_studio_that_invites_again_keeps_what_it_knew(game: AddedGame) -> None:
    """The entries of before go on with the name."""
    studio = Studio(game)
    studio.cookie(HERS, "Anna Lund")
    before = studio.told()
    assert game.ask("DELETE", f"{studio.path}/members/{before['memberId']}", headers=studio.owner).status == 200
    assert studio.invite().status == 201
    after = studio.told()
    assert (after["name"], after["lastSignInAt"], after["bound"]) == ("Anna Lund", before["lastSignInAt"], False)
