"""A server with members, each with a personal key, and the official client of the protocol that an assistant would use."""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, Literal

import attrs
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from livecore.access.audit import AUDIT_BY_TIME, AuditEntry
from livecore.access.directory import STUDIOS, Studio
from livecore.access.member_rows import Role
from livecore.access.members import add_member
from livecore.access.personal_keys import PersonalKeyOnce, add_personal_key
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore_server.system import draw_seed, now_millis
from tests.server.serving import Reply, Server

Era = Literal["legacy", "2026-07-28"]
ERAS: Final[tuple[Era, ...]] = ("legacy", "2026-07-28")
"""The two kinds of exchange that the protocol has: with a handshake, and each request for itself."""


@attrs.frozen
class Key:
    """A member's personal key."""

    key_id: str
    member_id: str
    text: str
    studio_id: str


async def key_for(
    server: Server,
    role: Role = "OWNER",
    *,
    read_only: bool = False,
    studio: Studio | None = None,
    games: list[str] | None = None,
) -> Key:
    """A new member with this role, and the member's key."""

    def enter(tx: Transaction) -> PersonalKeyOnce:
        entropy, now = Entropy(draw_seed()), now_millis()
        own = studio or tx.get(STUDIOS, server.game.game.studio_id)
        assert own is not None
        email = f"{secrets.token_hex(4)}@example.com"
        member, _ = add_member(tx, own, email, role, now, entropy, games=games)
        return add_personal_key(
            tx,
            own.studio_id,
            member.member_id,
            "assistant",
            now,
            entropy,
            secret=secrets.token_bytes(25),
            expires_in_days=7,
            read_only=read_only,
        )

    made = await server.service.executor.write(DIRECTORY, enter)
    return Key(made.key.key_id, made.key.member_id, made.text, made.key.studio_id)


@asynccontextmanager
async def assistant(
    server: Server, key: Key, era: Era = "legacy", *, query: str = "", **headers: str
) -> AsyncIterator[Client]:
    """The official client, connected with a key, at the address with this query."""
    given = {"Authorization": f"Bearer {key.text}", **headers}
    async with create_mcp_http_client(headers=given) as http:
        transport = streamable_http_client(f"{server.service.addresses[0]}/mcp{query}", http_client=http)
        async with Client(transport, mode=era) as client:
            yield client


async def post(
    server: Server,
    message: object,
    *,
    key: Key | None = None,
    headers: Mapping[str, str] | None = None,
    query: str = "",
) -> Reply:
    """Send a body to `/mcp` by hand."""
    given = {} if key is None else {"Authorization": f"Bearer {key.text}"}
    return await server.ask("POST", f"/mcp{query}", message, headers={**given, **(headers or {})})


def data_of(result: types.CallToolResult) -> JsonObject:
    """What a call that succeeded gave, which its text says as well."""
    assert not result.is_error, result
    data: JsonObject = result.structured_content
    assert json.loads(_text_of(result)) == data
    return data


def refusal_of(result: types.CallToolResult) -> tuple[str, Any]:
    """The code and the details of a call that was refused."""
    assert result.is_error, result
    assert result.structured_content is None
    error = json.loads(_text_of(result))["error"]
    assert isinstance(error["message"], str)
    return error["code"], error.get("details")


def _text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


async def audit_of(server: Server, environment: str | None = None) -> list[AuditEntry]:
    """The audit trail of the directory, or of an environment of the game."""
    scope = DIRECTORY if environment is None else Scope(server.game.game.game_id, environment)
    return await server.service.executor.read(scope, lambda tx: list(tx.scan(AUDIT_BY_TIME)))
