"""Members and their sessions on a server of two processes: what one of them changes, the other knows at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack

import pytest

from livecore.access.directory import STUDIOS
from livecore.access.member_rows import Role
from livecore.access.members import Member, add_member, change_role, end_membership, membership_named
from livecore.access.sessions import IDLE, LONGEST, SESSION_USE, SessionUse, start_session
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import HOUR, Millis
from livecore_server.storage.database import store_at
from livecore_server.system import draw_seed, now_millis
from tests.proofs.workers.test_agreement import at_once, to_each
from tests.server.serving import Connection, Reply, http, make_game
from tests.sign_in.browser import asked
from tests.sign_in.python_provider import CLIENT_ID, CLIENT_SECRET, python_provider
from tests.workers.cluster import Cluster, serving_workers

ANNA, BEN = "anna@example.com", "ben@example.com"


@pytest.fixture
def cluster(url: str) -> Iterator[Cluster]:
    """Two workers; Ben is a viewer of the studio, and Anna owns it."""
    with serving_workers(url) as running:
        change(running, lambda tx: joined(tx, running, ANNA))
        change(running, lambda tx: joined(tx, running, BEN))
        yield running


def change(cluster: Cluster, work: Callable[[Transaction], object]) -> None:
    """Change something in a process that is none of the server's."""
    with store_at(cluster.url) as store:
        store.write(DIRECTORY, work)


def joined(tx: Transaction, cluster: Cluster, email: str) -> Member:
    """A new member."""
    studio = tx.get(STUDIOS, cluster.game.game.studio_id)
    assert studio is not None
    role: Role = "OWNER" if email == ANNA else "VIEWER"
    return add_member(tx, studio, email, role, now_millis(), Entropy(email.encode()))[0]


def session(cluster: Cluster, email: str, ago: Millis = 0, used_ago: Millis | None = None) -> str:
    """The cookie of a member who has signed in some time ago."""
    now, seed = now_millis(), draw_seed()

    def start(tx: Transaction) -> str:
        member, _ = membership_named(tx, cluster.game.game.studio_id, email)
        once = start_session(tx, member.member_id, now - ago, Entropy(seed))
        if used_ago is not None:
            tx.put(SESSION_USE, SessionUse(session_id=once.session.session_id, at=now - used_ago))
        return f"livecore={once.token}"

    with store_at(cluster.url) as store:
        return store.write(DIRECTORY, start)


def request(method: str, path: str, cookie: str, body: object = None) -> bytes:
    """The bytes of a request with a session."""
    return http(method, f"/admin/v1{path}", body, headers={"Cookie": cookie, "Sec-Fetch-Site": "same-origin"})


def statuses(replies: list[Reply]) -> list[int]:
    """What came back."""
    return [reply.status for reply in replies]


def test_a_removal_takes_effect_with_the_next_request(cluster: Cluster) -> None:
    """In every process, and whether a member or the command line has removed the person."""

    def remove(tx: Transaction) -> None:
        _, held = membership_named(tx, cluster.game.game.studio_id, BEN)
        end_membership(tx, held, now_millis())

    async def story() -> None:
        async with AsyncExitStack() as stack:
            connections = await to_each(cluster, stack)
            cookie = session(cluster, BEN)
            look = request("GET", "/session", cookie)
            assert statuses(await at_once(connections, look)) == [200, 200]
            await asyncio.to_thread(change, cluster, remove)
            replies = await at_once(connections, look)
            assert [reply.code for reply in replies] == ["session_invalid"] * 2

    asyncio.run(story())


def test_a_role_takes_effect_with_the_next_request(cluster: Cluster) -> None:
    """More rights as well as fewer."""
    studio_id = cluster.game.game.studio_id

    def promote(tx: Transaction) -> None:
        change_role(tx, membership_named(tx, studio_id, BEN)[1], "ADMIN", None)

    async def story() -> None:
        async with AsyncExitStack() as stack:
            connections = await to_each(cluster, stack)
            ben, anna = session(cluster, BEN), session(cluster, ANNA)
            rename = request("PATCH", f"/studios/{studio_id}", ben, {"name": "Lanterns"})
            assert statuses(await at_once(connections, rename)) == [403, 403]
            await asyncio.to_thread(change, cluster, promote)
            assert statuses(await at_once(connections, rename)) == [200, 200]
            with store_at(cluster.url) as store:
                member, _ = store.read(DIRECTORY, lambda tx: membership_named(tx, studio_id, BEN))
            path = f"/studios/{studio_id}/members/{member.member_id}"
            await connections[0].send(request("PATCH", path, anna, {"role": "VIEWER"}))
            assert (await connections[0].reply()).status == 200
            assert statuses(await at_once(connections, rename)) == [403, 403]

    asyncio.run(story())


def test_signing_out_ends_the_session_everywhere(cluster: Cluster) -> None:
    """One process is told; the other, which has just answered with the session, refuses it. Other sessions go on."""

    async def story() -> None:
        async with AsyncExitStack() as stack:
            connections = await to_each(cluster, stack)
            cookie, other = session(cluster, BEN), session(cluster, BEN)
            look = request("GET", "/session", cookie)
            for teller in (0, 1):
                assert statuses(await at_once(connections, look)) == [200, 200]
                await connections[teller].send(request("POST", "/sign-out", cookie))
                assert (await connections[teller].reply()).status == 200
                assert statuses(await at_once(connections, look)) == [401, 401]
                cookie = session(cluster, BEN)
                look = request("GET", "/session", cookie)
            assert statuses(await at_once(connections, request("GET", "/session", other))) == [200, 200]

    asyncio.run(story())


def test_a_session_ends_by_itself(cluster: Cluster) -> None:
    """Twelve hours after its last use, seven days after the sign-in; each process knows both."""
    told: list[tuple[Millis, Millis | None, int]] = [
        (IDLE - HOUR, None, 200),
        (IDLE + HOUR, None, 401),
        (2 * IDLE, IDLE - HOUR, 200),
        (2 * IDLE, IDLE + HOUR, 401),
        (LONGEST - HOUR, HOUR, 200),
        (LONGEST + HOUR, HOUR, 401),
    ]

    async def story() -> None:
        async with AsyncExitStack() as stack:
            connections = await to_each(cluster, stack)
            for ago, used_ago, status in told:
                look = request("GET", "/session", session(cluster, BEN, ago, used_ago))
                assert statuses(await at_once(connections, look)) == [status, status], (ago, used_ago)

    asyncio.run(story())


def test_one_process_begins_a_sign_in_and_the_other_ends_it(url: str) -> None:
    """The state is with the browser, sealed with a key that both have; the session opens both at once."""

    async def story() -> None:
        async with python_provider() as provider, AsyncExitStack() as stack:
            cluster = stack.enter_context(serving_workers(url, *options(provider.issuer), game=make_game(url)))
            change(cluster, lambda tx: joined(tx, cluster, ANNA))
            connections = await to_each(cluster, stack)
            for first, second in (connections, reversed(connections)):
                begun = await get(first, "/admin/v1/sign-in")
                assert begun.status == 303
                assert asked(begun.headers["location"])["client_id"] == CLIENT_ID
                path = f"/admin/v1/sign-in/callback?{provider.allow(begun.headers['location'])}"
                done = await get(second, path, begun.headers["set-cookie"].partition(";")[0])
                assert (done.status, done.headers["location"]) == (303, "/portal/")
                with store_at(cluster.url) as store:
                    _, held = store.read(DIRECTORY, lambda tx: membership_named(tx, cluster.game.game.studio_id, ANNA))
                assert held.name == "Anna Lund"

    asyncio.run(story())


def options(issuer: str) -> tuple[str, ...]:
    """The settings of a provider on the command line."""
    provider = ("--oidc-issuer", issuer, "--oidc-client-id", CLIENT_ID, "--oidc-client-secret", CLIENT_SECRET)
    return (*provider, "--public-url", "https://live.example.com")


async def get(connection: Connection, path: str, cookie: str = "") -> Reply:
    """Load a page."""
    await connection.send(http("GET", path, headers={"Cookie": cookie} if cookie else None))
    return await connection.reply()
