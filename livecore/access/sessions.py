"""Sessions: what a browser holds of a member who has signed in.

A session is a random token in a cookie, stored as a hash. It ends twelve hours after its last use, seven days after the
sign-in, with a sign-out, and when the person is a member of no studio any more. Each sign-in makes a new one, so a token
that somebody planted in a browser never becomes one that is signed in.

The last use is a value of the ephemeral state, noted once a minute and flushed like the last use of a key.

A browser sends a cookie with requests that other pages cause, too. So with a session every method that may change
something needs the same origin: the browser itself says which page has caused a request, in `Origin` and `Sec-Fetch-Site`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import attrs

from livecore.access.keys import key_hash
from livecore.access.refusals import SameOriginRequired, SessionInvalid
from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.declarations.player_lifecycle import OneRow, change_all
from livecore.kernel.entropy import Entropy
from livecore.kernel.ids import new_id
from livecore.kernel.loopback import names_loopback
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import DAY, HOUR, MINUTE, Millis, next_hour
from livecore.kernel.units.ephemeral import EphemeralKind, EphemeralState
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record

IDLE: Final[Millis] = 12 * HOUR
"""How long after its last use a session ends."""
LONGEST: Final[Millis] = 7 * DAY
"""How long after the sign-in a session ends in any case."""
_SESSION_COOKIE: Final = "livecore"
"""The cookie's name on a loopback address; elsewhere it has the prefix `__Host-`, which binds it to the host."""
_HOST_ONLY: Final = "__Host-"
_NOTED_EACH: Final = MINUTE
_LONGEST_TOKEN: Final = 128
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
UNKNOWN_NAME: Final = (
    "This server has no public URL, so changes are made at localhost or 127.0.0.1 only. To reach it by another name, set "
    "its public URL (--public-url, LIVECORE_PUBLIC_URL)."
)
"""What somebody is told who reaches a server by a name that it does not know."""


@record
class Session:
    """A sign-in. `hash` is of the token; `address` is where the person signed in from.

    `issuer` and `subject` are of the account with which the person did, and null without an identity provider.
    """

    session_id: str
    member_id: str
    hash: str
    created_at: Millis
    ends_at: Millis
    address: str | None = None
    issuer: str | None = None
    subject: str | None = None


@record
class SessionUse:
    """When a session was last used."""

    session_id: str
    at: Millis


SESSIONS: Final = Table("sessions", Session, key=("session_id",))
BY_HASH: Final = SESSIONS.unique("hash")
OF_MEMBER: Final = SESSIONS.index("of_member", prefix=("member_id",), order=("created_at",))
BY_END: Final = SESSIONS.index("by_end", order=("ends_at",))
SESSION_USE: Final = Table("session_use", SessionUse, key=("session_id",))


def _later(one: SessionUse, other: SessionUse) -> SessionUse:
    return max(one, other, key=lambda use: use.at)


SESSION_USED: Final[EphemeralKind[SessionUse]] = EphemeralKind(
    "access.session_used", capacity=100_000, record=SessionUse, join=_later
)


@attrs.frozen
class SessionOnce:
    """A new session with its token, which only the browser holds."""

    session: Session
    token: str = attrs.field(repr=False)


# -- rules ----------------------------------------------------------------------------------------------------------------


def token_of(cookies: str | None, name: str) -> str | None:
    """The session's token in a `Cookie` header."""
    for part in (cookies or "").split(";"):
        key, equals, token = part.strip().partition("=")
        if equals and key == name:
            return token
    return None


def is_secure(origin: str | None) -> bool:
    """Whether browsers reach the server over https at `origin`; `None` is a loopback address."""
    return (origin or "").startswith("https:")


def cookie_at(origin: str | None, name: str) -> str:
    """The name of a cookie where the server is reached at `origin`."""
    return f"{_HOST_ONLY}{name}" if is_secure(origin) else name


@cache
def session_cookie(origin: str | None) -> str:
    """The name of the session's cookie there."""
    return cookie_at(origin, _SESSION_COOKIE)


def require_same_origin(method: str, headers: Mapping[str, str], origin: str | None) -> None:
    """Check that a page of the service itself has caused a request. Raises `SameOriginRequired`.

    `origin` is where browsers reach the service; without it that is this machine over http, at the request's own `Host`.
    Methods that only read pass.
    """
    if method in _SAFE:
        return
    if at_unknown_name(headers, origin):
        raise SameOriginRequired(UNKNOWN_NAME)
    site, given = headers.get("sec-fetch-site"), headers.get("origin")
    if site is None and given is None:
        raise SameOriginRequired
    if site is not None and site != "same-origin":
        raise SameOriginRequired
    if given is None:
        return
    if origin is not None:
        if given != origin:
            raise SameOriginRequired
        return
    host = headers.get("host")
    if host is None or given.lower() != f"http://{host.lower()}":
        raise SameOriginRequired


def at_unknown_name(headers: Mapping[str, str], origin: str | None) -> bool:
    """Whether a browser reaches a service without a public URL by another name than those of its own machine.

    Any page may have its name resolved to this machine, and then its origin is that of its requests.
    """
    host = headers.get("host")
    return origin is None and host is not None and not names_loopback(host)


# -- operations -----------------------------------------------------------------------------------------------------------


def start_session(
    tx: Transaction,
    member_id: str,
    now: Millis,
    entropy: Entropy,
    *,
    address: str | None = None,
    issuer: str | None = None,
    subject: str | None = None,
) -> SessionOnce:
    """Sign a member in, with an account of an identity provider if there is one."""
    token = base64.b32encode(entropy.bytes(30)).decode().lower()
    session = Session(
        session_id=new_id("ses", now, entropy),
        member_id=member_id,
        hash=key_hash(token),
        created_at=now,
        ends_at=now + LONGEST,
        address=address,
        issuer=issuer,
        subject=subject,
    )
    return SessionOnce(tx.insert(SESSIONS, session), token)


def find_session(tx: Transaction, ephemeral: EphemeralState, token: str, now: Millis) -> Session:
    """The session with this token, whose use is noted. Raises `SessionInvalid`."""
    session = tx.find(BY_HASH, key_hash(token)) if len(token) <= _LONGEST_TOKEN else None
    if session is None or now >= session.ends_at:
        raise SessionInvalid
    values = ephemeral.values(SESSION_USED)
    last = session.created_at
    for use in (tx.get(SESSION_USE, session.session_id), values.get(DIRECTORY, session.session_id)):
        if use is not None:
            last = max(last, use.at)
    if now - last > IDLE:
        raise SessionInvalid
    if now - last >= _NOTED_EACH:
        values.put(DIRECTORY, session.session_id, SessionUse(session_id=session.session_id, at=now))
    return session


def end_session(tx: Transaction, session_id: str) -> None:
    """End a session."""
    _end(tx, [session_id])


def _end(tx: Transaction, session_ids: Iterable[str]) -> None:
    tables: tuple[Table[Any], ...] = (SESSIONS, SESSION_USE)
    change_all(tx, (OneRow(table, (session_id,), None) for session_id in session_ids for table in tables))


def end_sessions_of(tx: Transaction, member_id: str) -> None:
    """End all sessions of a member."""
    _end(tx, (session.session_id for session in tx.scan(OF_MEMBER, member_id)))


def flush_use(tx: Transaction, noted: Sequence[tuple[str, SessionUse]]) -> tuple[str, ...]:
    """Write noted uses of sessions that have not ended; `tx` is a transaction of the directory."""
    ids = [session_id for session_id, _ in noted]
    found: list[Any] = tx.read_all(Get[Any](table, (id_,)) for table in (SESSIONS, SESSION_USE) for id_ in ids)
    for (_, use), session, written in zip(noted, found[: len(ids)], found[len(ids) :], strict=True):
        if session is not None:
            tx.put(SESSION_USE, use if written is None else _later(written, use))
    return ()


def _sweep(unit: Unit, _ref: str, _cursor: Cursor) -> Cursor | None:
    rows = unit.tx.scan(BY_END, stop=(unit.now,), limit=MOST_ROWS)
    _end(unit.tx, (row.session_id for row in rows))
    return START if len(rows) == MOST_ROWS else None


SWEEP: Final = Job("access.sessions", _sweep, recurs=next_hour, in_games=False, in_directory=True)
"""Deletes sessions that have ended."""
