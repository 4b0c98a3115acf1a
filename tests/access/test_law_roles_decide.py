"""The law of roles: for any role, credential, operation and environment the service permits what the written table does."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st

from livecore.access.directory import GAMES
from livecore.access.member_rows import Role
from livecore.access.roles import ROLES
from livecore.kernel.scope import DIRECTORY
from tests.access.test_operators_matrix import Office, build, call, holds, takes_environment
from tests.contract.expected import Route
from tests.contract.oracle import OPERATED

Shown: TypeAlias = Literal["session", "key", "read_only_key"]
DECISIONS: Final = frozenset({"permission_denied", "dashboard_only", "read_only_key", "game_not_found"})
"""The refusals that say that this member may not."""


@attrs.frozen
class Attempt:
    """A request by a member with a role, who may be limited to no game."""

    route: Route
    role: Role
    shown: Shown
    environment: Literal["live", "test"]
    limited: bool

    @property
    def of_all_games(self) -> bool:
        """Whether the role cannot be limited."""
        return self.role in ("OWNER", "ADMIN") or not self.limited


def decision(attempt: Attempt) -> str | None:
    """What the written table says: the refusal, or nothing."""
    route = attempt.route
    if "gameId" in route.variables and not attempt.of_all_games:
        return "game_not_found"
    # Where the body says the environment, it says `test` in these requests.
    environment = attempt.environment if takes_environment(route) else "test"
    if not holds(attempt.role, route.permission, environment):
        return "permission_denied"
    if attempt.shown != "session" and (
        route.dashboard_only is True
        or (route.dashboard_only == "live" and takes_environment(route) and environment == "live")
    ):
        return "dashboard_only"
    return "read_only_key" if attempt.shown == "read_only_key" and route.writes else None


def made(here: Office, attempt: Attempt) -> str | None:
    """What the service says: the refusal, if it is one of those."""
    headers = headers_of(here, attempt)
    reply = call(here, attempt.route, headers, environment=attempt.environment)
    # A stream that is opened is no JSON.
    code = None if reply.status == 200 else reply.code
    assert code not in {"session_invalid", "api_key_invalid", "api_key_revoked", "studio_not_found"}
    return code if code in DECISIONS else None


def headers_of(here: Office, attempt: Attempt) -> dict[str, str]:
    """The member's headers, with the limit that the attempt is made under."""
    if attempt.shown == "session":
        headers = here.headers(attempt.role)
    else:
        headers = here.key_headers(attempt.role, read_only=attempt.shown == "read_only_key")
    if attempt.role not in ("OWNER", "ADMIN"):
        member = here.operator(attempt.role).call("session.get")["member"]
        assert isinstance(member, dict)
        games: list[str] | None = [] if attempt.limited else None
        here.world.operator().call("members.update", member_id=member["memberId"], games=games)
    return headers


attempts = st.builds(
    Attempt,
    route=st.sampled_from(OPERATED),
    role=st.sampled_from(ROLES),
    shown=st.sampled_from(["session", "key", "read_only_key"]),
    environment=st.sampled_from(["live", "test"]),
    limited=st.booleans(),
)


@given(st.lists(attempts, min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_the_service_permits_what_the_table_permits(tried: list[Attempt]) -> None:
    """In any order, also after what was permitted has changed the things that later requests are about."""
    here = build()
    for attempt in tried:
        game = here.world.store.read(DIRECTORY, lambda tx: tx.get(GAMES, here.world.game.game_id))
        if game is None or game.deleted_at is not None:
            return  # It was an owner, who may delete it.
        assert made(here, attempt) == decision(attempt), attempt
