"""The HTTP part of `/mcp`: who is let in, what is counted, and what becomes of bodies that are no messages."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

from livecore.api.requests.limits import DEFAULT_PER_MINUTE
from livecore.api.requests.strict_json import read_json
from tests.assistants.connected import key_for, post
from tests.server.serving import Server, http, serving

T = TypeVar("T")
PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NOTE: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST: Final = {"jsonrpc": "2.0", "id": "a", "method": "tools/list"}


def call(tool: str, /, **arguments: object) -> dict[str, Any]:
    """The message that calls a tool."""
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def test_who_is_not_let_in(tmp_path: Path) -> None:
    """Nobody without a personal key: 401 with the challenge; a game's key is of the wrong kind; a cookie is nothing."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            for authorization, status, code in (
                (None, 401, "api_key_missing"),
                ("Basic abc", 401, "api_key_missing"),
                ("Bearer", 401, "api_key_missing"),
                ("Bearer nothing", 401, "api_key_invalid"),
                ("Bearer svc_pk_abc_00000000", 401, "api_key_invalid"),
                (f"Bearer {server.key('server')}", 403, "wrong_permission_set"),
                (f"Bearer {server.key('client', 'live')}", 403, "wrong_permission_set"),
            ):
                for cookie in (None, "livecore=abc", "__Host-livecore=abc"):
                    headers = {"Authorization": authorization, "Cookie": cookie, "Sec-Fetch-Site": "same-origin"}
                    given = {name: value for name, value in headers.items() if value is not None}
                    reply = await post(server, PING, headers=given)
                    assert (reply.status, reply.code) == (status, code)
                    assert reply.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)
                    assert reply.headers["cache-control"] == "no-store"
                    assert reply.headers["x-request-id"]

    asyncio.run(scenario())


def test_a_stranger_cannot_have_a_body_held(tmp_path: Path) -> None:
    """The refusal comes before the body does."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            head = b"POST /mcp HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"
            await connection.send(head)
            assert (await connection.reply()).code == "api_key_missing"

    asyncio.run(scenario())


def test_only_post_is_served(tmp_path: Path) -> None:
    """There is no stream to open and no session to end, which 405 says."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            for method in ("GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"):
                reply = await server.ask(method, "/mcp", headers={"Authorization": f"Bearer {key.text}"})
                assert (reply.status, reply.headers["allow"]) == (405, "POST"), method
                assert method == "HEAD" or reply.code == "method_not_allowed"

    asyncio.run(scenario())


def test_nothing_is_beside_it(tmp_path: Path) -> None:
    """Every other path is 404 with the envelope."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            for path in ("/mcp/", "/mcp/x", "/mcp/../admin/v1/session", "/MCP", "/mcp%2f", "/.well-known/mcp"):
                reply = await server.ask("POST", path, PING, headers={"Authorization": f"Bearer {key.text}"})
                assert (reply.status, reply.code) == (404, "route_not_found"), path

    asyncio.run(scenario())


ORIGINS: Final = (
    ("http://localhost:6274", True),
    ("http://127.0.0.1", True),
    ("https://[::1]:8443", True),
    ("http://evil.example", False),
    ("http://localhost.evil.example", False),
    ("http://127.0.0.1.evil.example:80", False),
    ("http://evil.example:80@localhost.example", False),
    ("null", False),
    ("", False),
    ("file://localhost", False),
    ("http://[::1", False),
)


def test_pages_of_other_origins_are_refused(tmp_path: Path) -> None:
    """Even with a good key, and with a host of the same name: the name may have been pointed at this server."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            for origin, good in ORIGINS:
                reply = await post(server, PING, key=key, headers={"Origin": origin})
                assert reply.status == (200 if good else 403), origin
                assert good or reply.code == "same_origin_required"

    asyncio.run(scenario())


def test_where_there_is_a_public_address_only_its_pages_may_ask(tmp_path: Path) -> None:
    """Not even a page of this machine."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            server.service.application.origin = "https://live.example"
            key = await key_for(server)
            for origin, status in (
                ("https://live.example", 200),
                ("http://live.example", 403),
                ("https://live.example:444", 403),
                ("http://localhost:6274", 403),
            ):
                assert (await post(server, PING, key=key, headers={"Origin": origin})).status == status
            assert (await post(server, PING, key=key)).status == 200

    asyncio.run(scenario())


def test_strangers_are_counted_by_address_and_keys_by_themselves(tmp_path: Path) -> None:
    """As at the admin API, whose count it shares; a call is one request, and not two."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="admin=4,unauthenticated=2") as server:
            key, other = await key_for(server), await key_for(server)
            for left in ("3", "2"):
                reply = await post(server, call("studios_get"), key=key)
                assert (reply.status, reply.headers["ratelimit-remaining"]) == (200, left)
                assert "isError" not in reply.json["result"] or not reply.json["result"]["isError"]
            for path in ("/admin/v1/session", f"/admin/v1/studios/{key.studio_id}"):
                headers = {"Authorization": f"Bearer {key.text}"}
                assert (await server.ask("GET", path, headers=headers)).status == 200
            reply = await post(server, PING, key=key)
            assert (reply.status, reply.code) == (429, "rate_limited")
            assert int(reply.headers["retry-after"]) >= 1
            assert (await post(server, PING, key=other)).status == 200
            codes = [(await post(server, PING)).code for _ in range(3)]
            assert codes == ["api_key_missing", "api_key_missing", "rate_limited"]
            assert (await server.ask("GET", "/mcp")).code == "rate_limited"
            assert (await post(server, PING, key=other)).status == 200

    asyncio.run(scenario())


def test_the_usual_limit_is_that_of_the_admin_api(tmp_path: Path) -> None:
    """600 in a minute."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="on") as server:
            reply = await post(server, PING, key=await key_for(server))
            assert reply.headers["ratelimit-limit"] == str(DEFAULT_PER_MINUTE["admin"]) == "600"

    asyncio.run(scenario())


GARBAGE: Final = (
    (b"", -32700),
    (b"{", -32700),
    (b"\xff\xfe", -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","id":2}', -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 100 + b"]" * 100 + b"}", -32700),
    (b"[" * 200_000, -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800"}}', -32700),
    (b"null", -32600),
    (b"1", -32600),
    (b'"ping"', -32600),
    (b"{}", -32600),
    (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600),
    (b"[]", -32600),
    (b"[" + b",".join([json.dumps(PING).encode()] * 51) + b"]", -32600),
)


def test_garbage_is_an_error_of_json_rpc(tmp_path: Path) -> None:
    """400, an error without an id, and a message that repeats nothing long."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = (await key_for(server)).text
            for body, code in GARBAGE:
                reply = await raw(server, key, body)
                assert reply.status == 400, body[:100]
                assert reply.json["id"] is None
                assert reply.json["error"]["code"] == code, body[:100]
                assert len(reply.body) < 400

    asyncio.run(scenario())


async def raw(server: Server, key: str, body: bytes, content_type: str = "application/json") -> Any:  # noqa: ANN401 - a reply
    """Send bytes as a body."""
    async with server.connect() as connection:
        head = f"POST /mcp HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\nContent-Type: {content_type}\r\n"
        await connection.send(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return await connection.reply()


def test_a_body_of_another_kind_or_size(tmp_path: Path) -> None:
    """415 and 413, with the envelope; one that only announces too much is not read."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = (await key_for(server)).text
            body = json.dumps(PING).encode()
            assert (await raw(server, key, body, "text/plain")).code == "unsupported_media_type"
            assert (await raw(server, key, body, "application/json; charset=utf-8")).status == 200
            huge = json.dumps(call("studios_update", name="x" * 1_200_000)).encode()
            reply = await raw(server, key, huge)
            assert (reply.status, reply.code) == (413, "body_too_large")
            large = json.dumps(call("studios_update", name="x" * 1_000_000)).encode()
            reply = await raw(server, key, large)
            assert (reply.status, reply.json["result"]["isError"]) == (200, True)
            many = json.dumps(call("studios_update", name=[0] * 60_000)).encode()
            assert (await raw(server, key, many)).json["error"]["code"] == -32700

    asyncio.run(scenario())


def test_notifications_and_answers_are_accepted_in_silence(tmp_path: Path) -> None:
    """202 without a body."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            for message in (NOTE, {"jsonrpc": "2.0", "id": 5, "result": {}}):
                reply = await post(server, message, key=key)
                assert (reply.status, reply.body) == (202, b"")
                assert "content-type" not in reply.headers

    asyncio.run(scenario())


def test_every_version_with_a_handshake_is_spoken(tmp_path: Path) -> None:
    """It is negotiated, without a session, and understood in the header."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            for version in ("2025-03-26", "2025-06-18", "2025-11-25"):
                params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
                begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
                reply = await post(server, begin, key=key)
                assert reply.json["result"]["protocolVersion"] == version
                assert "mcp-session-id" not in reply.headers
                headers = {"MCP-Protocol-Version": version, "Mcp-Session-Id": "of-another-server"}
                reply = await post(server, LIST, key=key, headers=headers, query="?tools=studio")
                assert reply.status == 200
                assert {"session_get", "studios_get"} <= {tool["name"] for tool in reply.json["result"]["tools"]}

    asyncio.run(scenario())


def test_an_unknown_version(tmp_path: Path) -> None:
    """400 in the header; in a handshake the newest that has one is offered instead."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            for version in ("1999-01-01", "2099-01-01", "x", "2025-06-18, 2025-11-25"):
                reply = await post(server, LIST, key=key, headers={"MCP-Protocol-Version": version})
                assert reply.status == 400
                assert reply.json["error"]["code"] < 0
            params = {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
            reply = await post(server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}, key=key)
            assert reply.json["result"]["protocolVersion"] == "2025-11-25"

    asyncio.run(scenario())


def test_wrong_messages_are_errors_of_the_protocol(tmp_path: Path) -> None:
    """An unknown method, missing and wrong parameters, a method that is not served."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            for method, params, code in (
                ("nothing/such", None, -32601),
                ("prompts/list", None, -32601),
                ("resources/subscribe", {"uri": "livecore://reference/errors"}, -32601),
                ("logging/setLevel", {"level": "debug"}, -32601),
                ("tools/call", None, -32602),
                ("tools/call", {"name": 5}, -32602),
                ("tools/call", {"name": "studios_get", "arguments": [1]}, -32602),
                ("resources/read", {}, -32602),
            ):
                message = {"jsonrpc": "2.0", "id": "m", "method": method}
                reply = await post(server, message if params is None else {**message, "params": params}, key=key)
                assert (reply.json["id"], reply.json["error"]["code"]) == ("m", code), (method, reply.body)

    asyncio.run(scenario())


def test_a_message_for_itself_needs_its_envelope(tmp_path: Path) -> None:
    """In the version without a handshake, headers and body must agree."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            meta = {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            message = {**call("studios_get"), "params": {"name": "studios_get", "arguments": {}, "_meta": meta}}
            version = {"MCP-Protocol-Version": "2026-07-28"}
            good = {**version, "Mcp-Method": "tools/call", "Mcp-Name": "studios_get"}
            assert (await post(server, message, key=key, headers=good)).json["result"]["isError"] is False
            for wrong in (version, {**good, "Mcp-Name": "studios_update"}, {**good, "Mcp-Method": "tools/list"}):
                reply = await post(server, message, key=key, headers=wrong)
                assert (reply.status, reply.json["error"]["code"]) == (400, -32020)
            reply = await post(server, call("studios_get"), key=key, headers=good)
            assert (reply.status, reply.json["error"]["code"]) == (400, -32602)
            listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {"_meta": meta}}
            headers = {**version, "Mcp-Method": "subscriptions/listen"}
            reply = await post(server, listen, key=key, headers=headers)
            assert "error" in reply.json

    asyncio.run(scenario())


def test_two_at_once_do_not_mix(tmp_path: Path) -> None:
    """Calls with the same id, by two members, each get their own answer."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            keys = [await key_for(server) for _ in range(4)]
            replies = await asyncio.gather(*(post(server, call("session_get"), key=keys[at % 4]) for at in range(40)))
            for at, reply in enumerate(replies):
                who = reply.json["result"]["structuredContent"]["member"]["memberId"]
                assert who == keys[at % 4].member_id

    asyncio.run(scenario())


def test_the_key_is_in_no_log(tmp_path: Path) -> None:
    """Not even where a message fails."""

    async def scenario() -> None:
        async with serving(tmp_path, log_level="debug") as server:
            key = await key_for(server)
            await post(server, call("studios_get"), key=key)
            server.service.application.run = None  # type: ignore[assignment,method-assign] # the seam of this test
            reply = await post(server, call("studios_get"), key=key)
            error = json.loads(reply.json["result"]["content"][0]["text"])["error"]
            assert error["code"] == "internal_error"
            log = server.log.getvalue()
            assert error["details"]["requestId"] in log
            assert key.text not in log

    asyncio.run(scenario())


def test_a_long_body_is_read_beside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message, and then the arguments in it."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key, application = await key_for(server), server.service.application
            on_loop: list[bool] = []

            def noted(work: Callable[..., T]) -> Callable[..., T]:
                def noting(*args: Any, **named: Any) -> T:  # noqa: ANN401 - passed on
                    on_loop.append(threading.current_thread() is threading.main_thread())
                    return work(*args, **named)

                return noting

            monkeypatch.setattr(application, "read", noted(application.read))
            monkeypatch.setattr("livecore_server.assistants.site.read_json", noted(read_json))
            await post(server, call("studios_update", name="short"), key=key)
            assert on_loop == [True, True]
            await post(server, call("studios_update", name="long" * 2_000), key=key)
            assert on_loop == [True, True, False, False]

    asyncio.run(scenario())


def test_the_sdk_is_imported_with_the_first_message() -> None:
    """A server that no assistant asks does without it."""
    code = "import sys, livecore_server.service; print(sorted(name for name in sys.modules if name.startswith('mcp')))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_the_head_of_a_request_is_that_of_others(tmp_path: Path) -> None:
    """A request id is repeated, and the connection is kept."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            key = await key_for(server)
            for number in ("one", "two"):
                headers = {"Authorization": f"Bearer {key.text}", "X-Request-Id": number}
                await connection.send(http("POST", "/mcp", PING, headers=headers))
                assert (await connection.reply()).headers["x-request-id"] == number

    asyncio.run(scenario())
