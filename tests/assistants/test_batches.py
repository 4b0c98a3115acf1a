"""Batches of messages to `/mcp`, in the one version of the protocol that has them: answers, counts and bounds."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from livecore_server.assistants import site
from livecore_server.assistants.site import MOST_MESSAGES
from tests.assistants.connected import assistant, data_of, key_for, post
from tests.assistants.test_http import LIST, NOTE, PING, call
from tests.server.serving import serving


def test_a_batch_is_answered_as_one(tmp_path: Path) -> None:
    """In the version that has batches: each request has its answer, notifications have none, and each message is counted."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="admin=5") as server:
            key = await key_for(server)
            begin = {"jsonrpc": "2.0", "id": 9, "method": "initialize", "params": {}}
            reply = await post(server, [PING, NOTE, call("studios_get"), begin, {"x": 1}], key=key)
            assert reply.status == 200
            first, second, third, fourth = reply.json
            assert first == {"jsonrpc": "2.0", "id": 1, "result": {}}
            assert (second["id"], second["result"]["isError"]) == (7, False)
            assert third["error"]["code"] == fourth["error"]["code"] == -32600
            reply = await post(server, [PING, PING, PING, NOTE], key=key)
            assert [("result" in each, each.get("error", {}).get("code")) for each in reply.json] == [
                (True, None), (True, None), (False, -32011),
            ]  # fmt: skip
            assert reply.json[2]["error"]["data"]["code"] == "rate_limited"
            other = await key_for(server)
            assert (await post(server, [NOTE, NOTE], key=other)).status == 202

    asyncio.run(scenario())


def test_a_batch_is_bounded_in_messages(tmp_path: Path) -> None:
    """One more is an error of the whole batch, and nothing of it is done."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="off") as server:
            key = await key_for(server)
            assert len((await post(server, [PING] * MOST_MESSAGES, key=key)).json) == MOST_MESSAGES
            many = [call("studios_update", name="Done"), *[PING] * MOST_MESSAGES]
            reply = await post(server, many, key=key)
            assert (reply.status, reply.json["error"]["code"]) == (400, -32600)
            assert f"1 to {MOST_MESSAGES} messages" in reply.json["error"]["message"]
            studio = (await post(server, call("studios_get"), key=key)).json["result"]["structuredContent"]
            assert studio["studio"]["name"] == "Test studio"

    asyncio.run(scenario())


def test_a_batch_is_bounded_in_the_bytes_of_its_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes after that is not done, and told so: a few bytes cannot ask for many megabytes."""
    monkeypatch.setattr(site, "MOST_ANSWER_BYTES", 40_000)

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="off") as server:
            key = await key_for(server)
            messages = [LIST] * (MOST_MESSAGES - 2) + [NOTE, call("studios_update", name="Done")]
            reply = await post(server, messages, key=key)
            *lists, last = reply.json
            fitting = [each for each in lists if "result" in each]
            rest = [*lists[len(fitting) :], last]
            assert fitting
            assert {each["error"]["code"] for each in rest} == {-32012}
            assert last["id"] == 7
            assert "another request" in last["error"]["message"]
            assert len(json.dumps(fitting[:-1])) <= 40_000 < len(json.dumps(fitting))
            studio = (await post(server, call("studios_get"), key=key)).json["result"]["structuredContent"]
            assert studio["studio"]["name"] == "Test studio"

    asyncio.run(scenario())


def test_later_versions_have_no_batches(tmp_path: Path) -> None:
    """400, and nothing of it is done."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            for version in ("2025-06-18", "2025-11-25", "2026-07-28"):
                headers = {"MCP-Protocol-Version": version}
                reply = await post(server, [call("studios_update", name="Done")], key=key, headers=headers)
                assert (reply.status, reply.json["error"]["code"]) == (400, -32600)
            async with assistant(server, key) as client:
                studio: Any = data_of(await client.call_tool("studios_get", {}))
                assert studio["studio"]["name"] == "Test studio"

    asyncio.run(scenario())
