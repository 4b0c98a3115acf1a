"""Sessions: how long they last, and what a browser must show besides."""

from __future__ import annotations

import pytest

from livecore import World
from livecore.access.refusals import SameOriginRequired
from livecore.access.sessions import IDLE, LONGEST, SESSIONS, require_same_origin, session_cookie, token_of
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.time import HOUR, MINUTE
from livecore.world import WorldOperator
from tests.worlds import ask


def alive(operator: WorldOperator) -> bool:
    """Whether the session opens something."""
    reply = ask(operator, "session.get")
    assert reply.refusal in {(200, None), (401, "session_invalid")}
    return reply.status == 200


def test_a_session_ends_when_nobody_uses_it() -> None:
    """Twelve hours after its last use, and not a millisecond before."""
    game = World()
    idle, used = game.operator(), game.operator()
    game.now += IDLE
    assert alive(idle)
    game.now += IDLE
    assert alive(idle)
    assert not alive(used)
    game.now += IDLE + 1
    assert not alive(idle)


def test_a_session_ends_after_a_week_however_much_it_is_used() -> None:
    """Seven days after the sign-in."""
    game = World()
    operator = game.operator()
    start = game.now
    while game.now + 6 * HOUR < start + LONGEST:
        game.now += 6 * HOUR
        assert alive(operator)
    game.now = start + LONGEST - 1
    assert alive(operator)
    game.now += 1
    assert not alive(operator)


def test_a_use_is_noted_once_a_minute_and_survives_the_ephemeral_state() -> None:
    """What has been flushed counts like what is remembered."""
    game = World()
    operator = game.operator()
    game.now += IDLE - MINUTE
    assert alive(operator)
    game.advance(hours=1)  # flushes
    game.now += IDLE - 2 * HOUR
    assert alive(operator)


def test_sessions_that_are_over_are_deleted() -> None:
    """By the hourly sweep of the directory."""
    game = World()
    game.operator()
    game.advance(days=6)
    kept = game.operator()
    game.advance(days=2)
    rows = game.store.dump()[DIRECTORY.id][SESSIONS.name]
    assert len(rows) == 1
    assert not alive(kept)  # for two days nobody has used it


def test_signing_out_ends_one_session_and_empties_the_browser() -> None:
    """The others of the same person stay."""
    game = World()
    here, there = game.operator(), game.operator()
    reply = ask(here, "session.signOut")
    cookies = [value for name, value in reply.response.headers if name == "Set-Cookie"]
    assert len(cookies) == 2
    assert all("Max-Age=0" in cookie and "HttpOnly" in cookie for cookie in cookies)
    assert [cookie.partition("=")[0] for cookie in cookies] == ["__Host-livecore", "livecore"]
    assert not alive(here)
    assert alive(there)


def test_a_sign_out_is_never_the_repetition_of_another() -> None:
    """The same idempotency key ends whatever session it comes with, of whatever member."""
    game = World()
    for operator in (game.operator(), game.operator(), game.operator("bea@example.com", "VIEWER")):
        reply = ask(operator, "session.signOut", idempotency_key="the same")
        assert (reply.status, reply.header("Idempotent-Replay")) == (200, None)
        assert not alive(operator)


def test_the_studio_can_read_of_a_sign_out() -> None:
    """As of a sign-in."""
    game = World()
    bea = game.operator("bea@example.com", "VIEWER")
    bea.call("session.signOut")
    found = ask(game.operator(), "audit.list", action="session.signOut").list("entries")
    assert [entry["via"] for entry in found] == ["session"]


@pytest.mark.parametrize(
    ("origin", "name"),
    [(None, "livecore"), ("http://127.0.0.1:8787", "livecore"), ("https://live.example", "__Host-livecore")],
)
def test_the_cookie_is_bound_to_the_host_where_there_is_tls(origin: str | None, name: str) -> None:
    """Over https a cookie without the prefix, which a neighbouring host could set, is not read."""
    assert session_cookie(origin) == name
    assert token_of(f"a=b; {name}=token; c=d", name) == "token"
    assert token_of(f"x{name}=token", name) is None
    assert token_of(None, name) is None


NOT_LOOPBACK = (
    "evil.test", "evil.test:8787", "192.0.2.1", "[::]", "[2001:db8::1]:8787", "localhost.evil.test", "evil.localhost",
    "127.0.0.1.evil.test", "127.0.0.1@evil.test", "localhost:", "localhost:8787:8787", "", "::1", "127.1", "[localhost]",
)  # fmt: skip
"""Values of `Host` that are no name of this machine alone."""
GOOD: list[tuple[dict[str, str], str | None]] = [
    ({"sec-fetch-site": "same-origin"}, None),
    ({"origin": "http://127.0.0.1:8787", "host": "127.0.0.1:8787", "sec-fetch-site": "same-origin"}, None),
    ({"origin": "http://localhost", "host": "LOCALHOST"}, None),
    ({"origin": "http://[::1]:8787", "host": "[::1]:8787"}, None),
    ({"sec-fetch-site": "same-origin", "host": "127.9.9.9:1"}, None),
    ({"origin": "https://live.example", "host": "inside:8787"}, "https://live.example"),
]
BAD: list[tuple[dict[str, str], str | None]] = [
    ({}, None),
    ({"host": "live.example"}, None),
    ({"origin": "https://live.example"}, None),
    ({"origin": "http://localhost.evil.example", "host": "localhost"}, None),
    ({"origin": "http://localhost:444", "host": "localhost"}, None),
    ({"origin": "https://localhost:8787", "host": "localhost:8787"}, None),
    ({"origin": "null", "host": "localhost"}, None),
    ({"origin": "null", "host": "null"}, None),
    ({"origin": "https://evil.example", "host": "evil.example"}, "https://live.example"),
    ({"origin": "http://live.example", "host": "live.example"}, "https://live.example"),
    ({"sec-fetch-site": "cross-site"}, None),
    ({"sec-fetch-site": "same-site"}, None),
    ({"sec-fetch-site": "none"}, None),
    ({"origin": "http://localhost", "host": "localhost", "sec-fetch-site": "same-site"}, None),
    ({"origin": "https://evil.example", "host": "localhost", "sec-fetch-site": "same-origin"}, None),
    *(({"origin": f"{scheme}://{host}", "host": host}, None) for scheme in ("http", "https") for host in NOT_LOOPBACK),
    *(({"sec-fetch-site": "same-origin", "host": host}, None) for host in NOT_LOOPBACK),
]


@pytest.mark.parametrize(("headers", "origin"), GOOD)
def test_a_change_from_the_same_origin(headers: dict[str, str], origin: str | None) -> None:
    """What the browser says of the page is enough; where the service is reached may be configured."""
    require_same_origin("POST", headers, origin)


@pytest.mark.parametrize(("headers", "origin"), BAD)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_change_from_elsewhere(method: str, headers: dict[str, str], origin: str | None) -> None:
    """Refused; a method that only reads is not."""
    with pytest.raises(SameOriginRequired):
        require_same_origin(method, headers, origin)
    require_same_origin("GET", headers, origin)


def test_who_comes_by_an_unknown_name_is_told_what_to_set() -> None:
    """A page whose own name is resolved to this machine has the origin of its requests."""
    with pytest.raises(SameOriginRequired, match="LIVECORE_PUBLIC_URL"):
        require_same_origin("POST", {"origin": "http://evil.test", "host": "evil.test"}, None)
    with pytest.raises(SameOriginRequired, match="a page of this service"):
        require_same_origin("POST", {"origin": "http://evil.test", "host": "localhost"}, None)
