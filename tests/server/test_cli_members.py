"""`livecore members`: who may operate a studio's games; what it prints, refuses and leaves in the audit trail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from livecore.access.audit import AUDIT_BY_TIME, AuditEntry
from livecore.access.binding import Account
from livecore.access.members import membership_named
from livecore.access.personal_keys import add_personal_key, personal_keys_of
from livecore.access.sessions import OF_MEMBER as SESSIONS_OF
from livecore.access.sessions import SessionOnce, start_session
from livecore.access.signing_in import sign_in
from livecore.api.configuration.game_config import GameConfig
from livecore.api.maintenance import make_game
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore_server.cli.directory import operator
from livecore_server.storage.database import store_at
from livecore_server.system import draw_seed, now_millis
from tests.server.commands import Command, Ended

ANNA = "anna@example.com"
BEN = "ben@example.com"


class Crew:
    """`livecore members` over one database."""

    def __init__(self, livecore: Command, database: str) -> None:
        self.livecore = livecore
        self.database = database

    def game(self, studio: str) -> dict[str, Any]:
        """A new studio with a game, also where there are others."""
        with store_at(self.database, create=True) as store:
            now, entropy, actor = now_millis(), Entropy(draw_seed()), operator()
            made = store.write(
                DIRECTORY,
                lambda tx: make_game(tx, GameConfig(), now, entropy, studio_name=studio, actor=actor, via="cli"),
            )
        return {"studioId": made.game.studio_id, "gameId": made.game.game_id}

    def __call__(self, command: str, *arguments: object) -> Ended:
        """One of the commands."""
        return self.livecore("members", command, "--database", self.database, *arguments)

    def done(self, command: str, *arguments: object) -> Any:  # noqa: ANN401 - whatever it prints
        """One of the commands, which must succeed; gives its JSON."""
        ended = self(command, *arguments, "--json")
        assert ended.status == 0, ended
        return ended.json

    def roles(self) -> dict[str, tuple[str, Any]]:
        """Every member's role and games."""
        return {row["email"]: (row["role"], row["games"]) for row in self.done("list")["members"]}

    @property
    def trail(self) -> list[AuditEntry]:
        """The entries about members, the oldest first."""
        with store_at(self.database) as store:
            rows = store.read(DIRECTORY, lambda tx: tx.scan(AUDIT_BY_TIME))
        return [row for row in rows if row.action.startswith("members.")]


@pytest.fixture
def crew(livecore: Command, url: str) -> Crew:
    """A database of each kind with one studio and its game, and no member."""
    crew = Crew(livecore, url)
    crew.game("Moth")
    return crew


def test_the_first_owner_comes_from_the_command_line(crew: Crew) -> None:
    """The address is kept in lower case, and the list says that nobody has signed in yet."""
    made = crew.done("add", "--email", "Anna@Example.com", "--role", "OWNER")["member"]
    assert (made["email"], made["role"], made["games"], made["lastSignInAt"]) == (ANNA, "OWNER", None, None)
    assert crew.done("list") == {"members": [made]}
    assert crew.done("list", "--email", "ANNA@example.com") == {"members": [made]}
    line = crew("list").out
    assert line == f"{made['memberId']}  {ANNA}  OWNER  all games  has not signed in yet\n"


def test_an_empty_list_says_how_to_begin(crew: Crew) -> None:
    """On standard error, so that a script reads nothing else."""
    ended = crew("list")
    assert (ended.status, ended.out) == (0, "")
    assert "livecore members add --email ADDRESS --role OWNER" in ended.err


def test_a_role_and_its_games_change(crew: Crew) -> None:
    """Games stay where nothing is said of them, and fall away for a role that is for all games."""
    game = crew.game("Moth again")
    studio = ("--studio", game["studioId"])
    crew.done("add", *studio, "--email", BEN, "--role", "VIEWER", "--game", game["gameId"])

    def role(*arguments: object) -> tuple[str, Any]:
        row = crew.done("role", *studio, "--email", BEN, *arguments)["member"]
        return row["role"], row["games"]

    assert role("--role", "GAME_ADMIN") == ("GAME_ADMIN", [game["gameId"]])
    assert role("--all-games") == ("GAME_ADMIN", None)
    assert role("--game", game["gameId"]) == ("GAME_ADMIN", [game["gameId"]])
    assert role("--role", "OWNER") == ("OWNER", None)


def test_every_change_leaves_an_entry(crew: Crew) -> None:
    """Named like the operation, with what was and what is, by the system through the command line."""
    crew.done("add", "--email", ANNA, "--role", "OWNER")
    member = crew.done("add", "--email", BEN, "--role", "VIEWER")["member"]["memberId"]
    crew.done("role", "--email", BEN, "--role", "GAME_DEBUGGER")
    assert crew.done("remove", "--email", BEN) == {"removed": True, "memberId": member}
    entries = [row for row in crew.trail if row.target_id == member]
    viewer, debugger = ({"role": role, "games": None} for role in ("VIEWER", "GAME_DEBUGGER"))
    shown = [
        (row.action, *(None if side is None else json.loads(side) for side in (row.before, row.after)))
        for row in entries
    ]
    assert shown == [
        ("members.invite", None, viewer),
        ("members.update", viewer, debugger),
        ("members.remove", debugger, None),
    ]
    studio_id = crew.livecore.done("games", "list", "--database", crew.database, "--json").json["games"][0]["studioId"]
    about = {(row.principal, row.via, row.target_kind, row.studio_id, row.metadata) for row in entries}
    assert about == {("system", "cli", "member", studio_id, '{"email":"ben@example.com"}')}


def test_an_invitation_is_renewed_for_one_or_for_all_who_have_signed_in(crew: Crew) -> None:
    """After it another account may sign in with the address; each has an entry in the audit trail."""

    def enter(email: str, subject: str) -> bool:
        account = Account("https://id.example", subject)
        with store_at(crew.database) as store:
            entered = store.write(
                DIRECTORY,
                lambda tx: sign_in(
                    tx, email, None, now_millis(), Entropy(subject.encode()), through="id", account=account
                ),
            )
        return isinstance(entered, SessionOnce)

    for email in (ANNA, BEN):
        crew.done("add", "--email", email, "--role", "OWNER")
        assert (enter(email, f"{email} 1"), enter(email, f"{email} 2")) == (True, False)
    crew.done("add", "--email", "new@example.com", "--role", "VIEWER")
    renewed = crew.done("renew", "--email", "ANNA@example.com")["members"]
    assert [(row["email"], row["bound"]) for row in renewed] == [(ANNA, False)]
    assert (enter(ANNA, f"{ANNA} 2"), enter(BEN, f"{BEN} 2")) == (True, False)
    assert crew("renew", "--all").out == f"{ANNA} is invited again as OWNER\n{BEN} is invited again as OWNER\n"
    assert (enter(ANNA, f"{ANNA} 3"), enter(BEN, f"{BEN} 3")) == (True, True)
    assert [row.metadata for row in crew.trail if "renewed" in (row.metadata or "")] == [
        f'{{"email":"{email}","renewed":true}}' for email in (ANNA, ANNA, BEN)
    ]


def test_who_is_removed_holds_nothing_any_more(crew: Crew) -> None:
    """Sessions and the personal key of the studio end in the same transaction."""
    crew.done("add", "--email", ANNA, "--role", "OWNER")
    row = crew.done("add", "--email", BEN, "--role", "VIEWER")["member"]
    now = now_millis()

    def enter(tx: Transaction) -> str:
        member, held = membership_named(tx, studio_id, BEN)
        start_session(tx, member.member_id, now, Entropy(b"session"))
        secret = b"\0" * 25
        add_personal_key(
            tx, studio_id, member.member_id, "script", now, Entropy(b"key"),
            secret=secret, expires_in_days=7, read_only=False,
        )  # fmt: skip
        return held.studio_id

    def held(tx: Transaction) -> tuple[int, int]:
        keys = personal_keys_of(tx, studio_id, row["memberId"], now_millis())
        return len(tx.scan(SESSIONS_OF, row["memberId"])), len(keys)

    studio_id = crew.livecore.done("games", "list", "--database", crew.database, "--json").json["games"][0]["studioId"]
    with store_at(crew.database) as store:
        assert store.write(DIRECTORY, enter) == studio_id
        assert store.read(DIRECTORY, held) == (1, 1)
    crew.done("remove", "--email", BEN)
    with store_at(crew.database) as store:
        assert store.read(DIRECTORY, held) == (0, 0)
    assert crew.roles() == {ANNA: ("OWNER", None)}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "--email", ANNA, "--role", "VIEWER"), "This person is a member already."),
        (("add", "--email", "nobody", "--role", "VIEWER"), "email: must be an e-mail address"),
        (("add", "--email", BEN, "--role", "KING"), "'KING' is not one of"),
        (("add", "--email", BEN), "Missing option '--role'"),
        (("add", "--email", BEN, "--role", "VIEWER", "--game", "gam_0"), "games[0]: is not a game of this studio"),
        (("add", "--email", BEN, "--role", "VIEWER", "--studio", "std_0"), "there is no studio std_0; there are: std_"),
        (("list", "--email", BEN), "There is no such member."),
        (("remove", "--email", BEN), "There is no such member."),
        (("remove", "--email", ANNA), "A studio needs an owner."),
        (("role", "--email", ANNA, "--role", "ADMIN"), "A studio needs an owner."),
        (("role", "--email", ANNA, "--game", "gam_0"), "games: must be left out for the role OWNER"),
        (("renew",), "say whose: --email or --all"),
        (("renew", "--email", ANNA, "--all"), "say whose: --email or --all"),
        (("renew", "--email", BEN), "There is no such member."),
        (("role", "--email", ANNA), "say what to change: --role, --game or --all-games"),
        (("role", "--email", ANNA, "--all-games", "--game", "gam_0"), "--game and --all-games exclude each other"),
    ],
)
def test_a_problem_is_one_line_and_changes_nothing(crew: Crew, arguments: tuple[str, ...], said: str) -> None:
    """The line says what is wrong; members and audit trail stay as they were."""
    crew.done("add", "--email", ANNA, "--role", "OWNER")
    before = crew.trail
    ended = crew(*arguments)
    assert ended.status in (1, 2)
    assert ended.err.count("\n") == 1
    assert said in ended.err
    assert crew.roles() == {ANNA: ("OWNER", None)}
    assert crew.trail == before


def test_several_studios_want_a_name(crew: Crew) -> None:
    """Each studio has members of its own; one person may be in several."""
    other = crew.game("Lanterns")["studioId"]
    ended = crew("add", "--email", ANNA, "--role", "OWNER")
    assert ended.status == 2
    assert "say which studio with --studio; there are: " in ended.err
    assert f"{other} (Lanterns)" in ended.err
    crew.done("add", "--email", ANNA, "--role", "OWNER", "--studio", other)
    (first,) = {
        row["studioId"]
        for row in crew.livecore.done("games", "list", "--database", crew.database, "--json").json["games"]
    } - {other}
    crew.done("add", "--email", ANNA, "--role", "VIEWER", "--studio", first)
    assert [crew.done("list", "--studio", one)["members"][0]["role"] for one in (other, first)] == ["OWNER", "VIEWER"]


def test_a_database_without_a_studio_says_how_to_make_one(livecore: Command, tmp_path: Path) -> None:
    """Before `livecore init` nobody can be a member of anything."""
    database = f"sqlite:///{tmp_path / 'empty.db'}"
    with store_at(database, create=True):
        pass
    ended = livecore("members", "list", "--database", database)
    assert (ended.status, "`livecore init` makes one" in ended.err) == (1, True)
