"""The stream of a leaderboard in both clients: typed messages, opened again by itself, and left when one likes."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import respx

from livecore_client import AsyncSdkClient, RetryPolicy, SdkClient
from livecore_client._events import EventReader, Message
from livecore_client.errors import ConnectionFailed, LeaderboardNotFound, Unauthorized, UnreadableAnswer
from livecore_client.rows import BoardClosed, BoardReady, ScoreUpdate
from tests.client.flavours import Flavour
from tests.contract.operations.leaderboards import ENTRY
from tests.patience import PATIENCE_SECONDS
from tests.server.live_board import BOARD_ID, LiveBoard
from tests.server.serving import Server, serving

PATH: Final = f"/sdk/v1/event-leaderboards/{BOARD_ID}/stream"
QUICK: Final = RetryPolicy(base_seconds=1.0, max_attempts=3)


def written(event: str, data: dict[str, Any], number: int | None = None) -> str:
    """A message on the wire."""
    named = "" if number is None else f"id: {number}\n"
    return f"{named}event: {event}\ndata: {json.dumps({'leaderboardId': BOARD_ID, **data})}\n\n"


def ready(revision: int, *, resync: bool = False) -> str:
    """The first message."""
    more = {"resync": True} if resync else {}
    return written("ready", {"status": "open", "entryCount": 1, "revision": revision, **more}, revision)


def update(revision: int) -> str:
    """A change."""
    return written("score_update", {"revision": revision, "entry": ENTRY, "previousRank": None}, revision)


def closed(reason: str) -> str:
    """The last message."""
    return written("closed", {"status": "open", "reason": reason})


def stream(*texts: str) -> httpx.Response:
    """An answer with these messages, after which the connection ends."""
    return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content="".join(texts).encode())


def refused(status: int, code: str, **headers: str) -> httpx.Response:
    """A refusal."""
    return httpx.Response(status, json={"error": {"code": code, "message": "no"}}, headers=headers)


def follow(flavour: Flavour, router: respx.Router, *answers: httpx.Response | Exception) -> tuple[list[Any], Any]:
    """All messages of a stream that is answered so, and the route with what it was asked."""
    route = router.get(PATH).mock(side_effect=list(answers))
    client = flavour.sdk(router, retries=QUICK)
    return flavour.gather(client.leaderboards.stream(BOARD_ID)), route


def test_messages_are_rows_and_the_end_ends_it(flavour: Flavour, router: respx.Router) -> None:
    """Names of a later release, comments and heartbeats are passed over."""
    found, route = follow(
        flavour,
        router,
        stream(":\n\n", ready(1), written("later", {"x": 1}, 2), update(3), closed("finalized"), update(4)),
    )
    assert [type(message) for message in found] == [BoardReady, ScoreUpdate, BoardClosed]
    assert (found[0].entry_count, bool(found[0].resync), found[1].entry.rank, found[2].reason) == (
        1, False, 1, "finalized",
    )  # fmt: skip
    headers = route.calls[0].request.headers
    assert (headers["accept"], "last-event-id" in headers, "x-player-secret" in headers) == (
        "text/event-stream", False, False,
    )  # fmt: skip


def test_it_is_opened_again_with_the_last_revision(flavour: Flavour, router: respx.Router) -> None:
    """After a connection that broke, an overloaded server, and a drain, whose delay counts."""
    found, route = follow(
        flavour,
        router,
        stream(ready(1), update(2), "id: 9\nevent: score_up"),
        httpx.ConnectError("refused"),
        refused(503, "overloaded", **{"Retry-After": "7"}),
        stream(ready(5, resync=True), "retry: 2500\n\n", closed("server_draining")),
        stream(ready(6), closed("lobby_closed")),
    )
    asked = [call.request.headers.get("last-event-id") for call in route.calls]
    assert asked == [None, "2", "2", "2", "5"]
    assert [message.reason for message in found if isinstance(message, BoardClosed)] == [
        "server_draining", "lobby_closed",
    ]  # fmt: skip
    assert flavour.time.slept_seconds == [1.0, 2.0, 7.7, 2.5]


def test_updates_that_did_not_arrive_are_asked_for_again(flavour: Flavour, router: respx.Router) -> None:
    """A connection that breaks between `ready` and the updates that were missed: the revision of `ready` is not the id."""
    state = {"status": "open", "entryCount": 1, "revision": 5}
    found, route = follow(
        flavour,
        router,
        stream(ready(1), update(2)),
        stream(written("ready", state, 2)),
        stream(written("ready", state, 2), update(4), update(5), closed("finalized")),
    )
    assert [call.request.headers.get("last-event-id") for call in route.calls] == [None, "2", "2"]
    assert [message.revision for message in found if isinstance(message, ScoreUpdate)] == [2, 4, 5]


def test_once_open_it_is_not_given_up(flavour: Flavour, router: respx.Router) -> None:
    """Far more often than a call is tried, with pauses that are bounded."""
    lost = [httpx.ConnectError("refused")] * 20
    _, route = follow(flavour, router, stream(ready(1)), *lost, stream(ready(2), closed("finalized")))
    assert len(route.calls) == 22
    assert max(flavour.time.slept_seconds) == QUICK.cap_seconds


def test_what_cannot_be_opened_at_all_is_raised_like_a_call(flavour: Flavour, router: respx.Router) -> None:
    """After as many attempts as a call has."""
    with pytest.raises(ConnectionFailed):
        follow(flavour, router, *[httpx.ConnectError("refused")] * 5)
    assert len(flavour.time.slept_seconds) == QUICK.max_attempts - 1


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        (refused(404, "leaderboard_not_found"), LeaderboardNotFound),
        (refused(401, "api_key_revoked"), Unauthorized),
        (httpx.Response(200, json={"data": {}}), UnreadableAnswer),
        (stream("event: ready\ndata: {\n\n"), UnreadableAnswer),
        (stream("event: ready\ndata: {}\n\n"), UnreadableAnswer),
    ],
)
def test_refusals_are_raised(
    flavour: Flavour, router: respx.Router, answer: httpx.Response, raised: type[Exception]
) -> None:
    """And what is no stream of leaderboards."""
    with pytest.raises(raised):
        follow(flavour, router, answer)
    assert flavour.time.slept_seconds == []


def test_a_revoked_key_is_raised_when_the_stream_is_opened_again(flavour: Flavour, router: respx.Router) -> None:
    """As the refusal that any call has then."""
    with pytest.raises(Unauthorized):
        follow(flavour, router, stream(ready(1), closed("key_revoked")), refused(401, "api_key_revoked"))


def test_events_are_read_however_the_bytes_are_divided() -> None:
    """Also within a character and between a carriage return and a line feed; data of several lines is joined."""
    raw = "id: 7\r\nevent: ä\ndata: x\ndata: y\n\n:\n\nretry: 250\nretry: no\n\ndata: z\n\nevent: without\n\n".encode()
    for size in (1, 2, 3, len(raw)):
        reader = EventReader()
        found = [message for at in range(0, len(raw), size) for message in reader.feed(raw[at : at + size])]
        assert found == [Message("ä", "x\ny"), Message("message", "z")]
        assert (reader.last_event_id, reader.retry_seconds) == ("7", 0.25)


@pytest.mark.parametrize("line", [b"data: " + b"x" * 100_000, b"data: " + b"x" * 100_000 + b"\n"])
def test_a_message_without_an_end_is_no_answer_of_the_service(line: bytes) -> None:
    """In one line or in many: its reader takes no memory without a bound, and loses no part without a word."""
    reader = EventReader()

    def feed() -> None:
        for _ in range(20):
            reader.feed(line)

    with pytest.raises(UnreadableAnswer, match="more than 1000000 bytes"):
        feed()


def test_over_real_sockets(tmp_path: Path) -> None:
    """Both flavours follow a server: what is written arrives, and leaving the iteration closes the connection."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            board = LiveBoard(server)
            await board.make(server, 4)
            options: dict[str, Any] = {
                "base_url": server.service.addresses[0], "api_key": server.key("client"), "external_player_id": "p0",
            }  # fmt: skip
            async with AsyncSdkClient(**options) as client, aclosing(client.leaderboards.stream(BOARD_ID)) as updates:
                assert isinstance(await anext(updates), BoardReady)
                await board.write(server, "p1", 10)
                change = await anext(updates)
                assert isinstance(change, ScoreUpdate)
                assert (change.entry.external_player_id, change.entry.score, change.entry.rank) == ("p1", 10, 1)
            await _open_now(server, 0)

            def threaded() -> int:
                with SdkClient(**options) as client:
                    for update in client.leaderboards.stream(BOARD_ID):
                        if isinstance(update, ScoreUpdate):
                            return update.entry.score
                return 0

            reading = asyncio.create_task(asyncio.to_thread(threaded))
            await _open_now(server, 1)
            score = 20
            while not reading.done():
                await board.write(server, "p2", score)
                await asyncio.sleep(0)
                score += 1
            assert await reading >= 20
            await _open_now(server, 0)

    asyncio.run(scenario())


async def _open_now(server: Server, count: int) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while server.service._streams.open_now != count:  # noqa: ASYNC110 - the server does not tell
            await asyncio.sleep(0)
