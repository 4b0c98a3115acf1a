"""Members at once: in several processes that share nothing but the database, and over the store in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from livecore.access.member_rows import Role
from livecore.access.members import BY_EMAIL, MEMBERS, OF_STUDIO
from livecore.access.personal_keys import PERSONAL_KEYS
from livecore.api.application import Application
from livecore.api.deploying import new_deployment
from livecore.api.requests.answering import refuse
from livecore.api.requests.http import Response
from livecore.api.requests.limits import RateLimits
from livecore.api.requests.prepared import Prepared
from livecore.kernel.errors import Refusal
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.time import SECOND
from livecore.kernel.units.ephemeral import EphemeralState
from livecore_server.storage.database import store_at
from livecore_server.system import draw_seed
from tests.added_game import AddedGame, headers_for, signed_in
from tests.postgres.rig import race
from tests.postgres.server import ready_database

_ROUNDS: Final = 12
_AT_ONCE: Final = 4
ANNA, BERT = "anna@example.com", "bert@example.com"


@attrs.frozen
class Answer:
    """A status, and the code of a refusal."""

    status: int
    code: str | None
    data: Any


class Studio:
    """A studio, served by several processes."""

    def __init__(self, stores: list[Any], run: Callable[..., list[Answer]]) -> None:
        self.game = AddedGame(stores[0])
        self.run = run
        self.processes = [
            Application(
                store,
                clock=lambda: self.game.now,
                seeds=draw_seed,
                deployment=new_deployment(ephemeral=EphemeralState()),
                limits=RateLimits.off(),
            )
            for store in stores
        ]
        self.sessions: dict[str, str] = {}

    def enter(self, email: str, role: Role = "OWNER") -> None:
        """Make somebody a member."""
        self.sessions[email] = self.game.member(email, role)

    def id_of(self, email: str) -> str:
        """A member's id."""
        member = self.game.store.read(DIRECTORY, lambda tx: tx.find(BY_EMAIL, email))
        assert member is not None
        return member.member_id

    def roles(self) -> dict[str, str]:
        """The members there are, with their roles."""
        studio = self.game.made.game.studio_id
        held = self.game.store.read(DIRECTORY, lambda tx: tx.scan(OF_STUDIO, studio))
        people = self.game.store.dump()[DIRECTORY.id].get(MEMBERS.name, [])
        emails = {row.member_id: row.email for row in people}
        return {emails[row.member_id]: row.role for row in held if row.ended_at is None}

    def ask(
        self, process: int, headers: Mapping[str, str], method: str, below: str, body: object = None
    ) -> Callable[[], Answer]:
        """A request to one of the processes, to be sent when called."""
        path = f"/admin/v1/studios/{self.game.made.game.studio_id}{below}"
        request = self.game.request(method, path, body, headers=headers)

        def send() -> Answer:
            # Not `perform`, around which the suite looks at the whole store: here others change it meanwhile.
            application = self.processes[process % len(self.processes)]
            prepared = application.store.read(DIRECTORY, partial(application.prepare, request))
            response = prepared.refused or _performed(application, prepared)
            answer = json.loads(response.body)
            return Answer(response.status, answer.get("error", {}).get("code"), answer.get("data"))

        return send

    def as_member(self, process: int, email: str, method: str, below: str, body: object = None) -> Callable[[], Answer]:
        """The same, by a member who is signed in."""
        return self.ask(process, signed_in(self.sessions[email]), method, below, body)


def _performed(application: Application, prepared: Prepared) -> Response:
    step = application.store.write if prepared.runs == "write" else application.store.read
    try:
        return step(prepared.scope, partial(application.run, prepared)).response
    except Refusal as refusal:
        return refuse(prepared, refusal)


def _one_after_the_other(*runners: Callable[[], Answer]) -> list[Answer]:
    return [runner() for runner in runners]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def studio(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Studio]:
    """Four processes on one database, and the store in memory, whose units run one after the other."""
    if request.param == "memory":
        yield Studio([MemoryStore()], _one_after_the_other)
        return
    with ExitStack() as stack:
        url = f"sqlite:///{tmp_path / 'studio.db'}"
        if request.param == "postgres":
            url = stack.enter_context(ready_database())
        yield Studio([stack.enter_context(store_at(url, create=True)) for _ in range(_AT_ONCE)], race)


@pytest.mark.parametrize("removes", [True, False])
def test_of_two_owners_who_oust_each_other_one_stays(studio: Studio, removes: bool) -> None:
    """Whether they remove each other or give each other another role; one of them succeeds."""
    for _ in range(_ROUNDS):
        present = studio.roles()
        for email in (ANNA, BERT):
            if email not in present:
                studio.enter(email)
            elif present[email] != "OWNER":
                other = ANNA if email == BERT else BERT
                again = studio.as_member(0, other, "PATCH", f"/members/{studio.id_of(email)}", {"role": "OWNER"})
                assert again().status == 200
        studio.game.now += SECOND
        method, body = ("DELETE", None) if removes else ("PATCH", {"role": "VIEWER"})
        first, second = studio.run(
            studio.as_member(0, ANNA, method, f"/members/{studio.id_of(BERT)}", body),
            studio.as_member(1, BERT, method, f"/members/{studio.id_of(ANNA)}", body),
        )
        assert sorted((first.status == 200, second.status == 200)) == [False, True], (first, second)
        late = second if first.status == 200 else first
        assert late.code in {"last_owner", "session_invalid", "studio_not_found", "permission_denied"}
        assert list(studio.roles().values()).count("OWNER") == 1


def test_inviting_at_once_makes_one_member(studio: Studio) -> None:
    """With one role, which is that of the invitation that succeeded."""
    studio.enter(ANNA)
    for number in range(_ROUNDS):
        email = f"new-{number}@example.com"
        roles: list[Role] = ["VIEWER", "GAME_ADMIN", "GAME_DEBUGGER", "GAME_DEVELOPER"]
        asks = [
            studio.as_member(place, ANNA, "POST", "/members", {"email": email, "role": role})
            for place, role in enumerate(roles)
        ]
        answers = studio.run(*asks)
        assert sorted(answer.code or "" for answer in answers) == ["", *["member_exists"] * 3]
        (made,) = [answer for answer in answers if answer.status == 201]
        assert studio.roles()[email] == made.data["member"]["role"]
    emails = [row.email for row in studio.game.store.dump()[DIRECTORY.id][MEMBERS.name]]
    assert len(emails) == len(set(emails)) == _ROUNDS + 1


def test_of_personal_keys_made_at_once_one_works(studio: Studio) -> None:
    """Each is shown, and the last one that was made has revoked the others."""
    studio.enter(ANNA)
    for number in range(_ROUNDS):
        studio.game.now += SECOND
        body = {"name": f"key {number}", "expiresInDays": 7}
        ask = partial(studio.as_member, email=ANNA, method="POST", below="/personal-keys", body=body)
        answers = studio.run(*(ask(place) for place in range(_AT_ONCE)))
        assert [answer.status for answer in answers] == [201] * _AT_ONCE
        tried = [studio.ask(1, headers_for(answer.data["key"]), "GET", "/members")() for answer in answers]
        assert sorted(answer.code or "" for answer in tried) == ["", *["api_key_revoked"] * (_AT_ONCE - 1)]
        rows = studio.game.store.dump()[DIRECTORY.id][PERSONAL_KEYS.name]
        assert len([row for row in rows if studio.game.now < row.ends_at]) == 1
