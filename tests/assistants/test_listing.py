"""What an assistant is shown before it has done anything: few tools, said in few words; and that the rest is still there."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from mcp.shared.exceptions import MCPError

from livecore.access.member_rows import Role
from livecore.access.roles import ROLES
from livecore.api.assistants.tool_sets import SETS, asked_sets, sets_of
from livecore.api.assistants.tools import tools_of
from livecore.api.operations import OPERATIONS
from tests.assistants.connected import ERAS, Era, assistant, data_of, key_for, post, refusal_of
from tests.server.serving import Reply, serving

LIST: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
MOST_BYTES: Final = 48_000
"""How large the list of all tools may be, which is an eighth or less of what an assistant can keep in its memory."""
MOST_BYTES_OF_A_SET: Final = 20_000
EVERYWHERE: Final = {"session_get", "games_list"}

eras = pytest.mark.parametrize("era", ERAS)


def tools_in(reply: Reply) -> dict[str, Any]:
    """The listed tools by name."""
    return {tool["name"]: tool for tool in reply.json["result"]["tools"]}


def largest(reply: Reply) -> str:
    """The largest listed tools, for a message: who makes the list too large shortens one of these, or its description."""
    sizes = {name: len(json.dumps(tool, ensure_ascii=False).encode()) for name, tool in tools_in(reply).items()}
    first = sorted(sizes, key=lambda name: -sizes[name])[:8]
    return ", ".join(f"{name} ({sizes[name]} bytes)" for name in first)


def test_the_list_leaves_room_for_what_it_is_about(tmp_path: Path) -> None:
    """For each role: all tools, each set, and what is listed without asking for any."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            for role in ROLES:
                key = await key_for(server, role)
                for name in ("", "all", *SETS):
                    reply = await post(server, LIST, key=key, query=f"?tools={name}" if name else "")
                    most = MOST_BYTES if name == "all" else MOST_BYTES_OF_A_SET
                    size = len(reply.body)
                    assert reply.status == 200
                    assert size <= most, f"{role}, {name or 'no set'}: {size} bytes; the largest: {largest(reply)}"

    asyncio.run(scenario())


def test_every_tool_is_in_a_set_that_is_named_for_it() -> None:
    """A namespace more is put into one of the sets, and is not forgotten; a set has no namespace that there is not."""
    tools = tools_of(OPERATIONS)
    sets = sets_of(tools.values())
    assert list(sets) == list(SETS)
    assert frozenset().union(*sets.values()) == tools.keys()
    assert all(names >= EVERYWHERE for names in sets.values())
    spaces = {tool.operation.name.partition(".")[0] for tool in tools.values()}
    assert {space for of in SETS.values() for space in of} == spaces - {"session"}


def test_the_page_names_the_sets() -> None:
    """Each with what it is for, and `all`."""
    page = (Path(__file__).parents[2] / "docs/how-to/let-an-assistant-help.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \| ", page, re.MULTILINE) == [*SETS, "all"]


def test_a_namespace_that_no_set_names_is_one_itself() -> None:
    """A studio's own area can be asked for by its name, without a change of the sets."""
    tool = tools_of(OPERATIONS)["lobbies_get"]
    own = attrs.evolve(tool, name="quests_get", operation=attrs.evolve(tool.operation, name="quests.get"))
    assert sets_of([tool, own])["quests"] == {"quests_get"} | EVERYWHERE
    assert asked_sets("tools=quests,events", sets_of([tool, own])) == ("quests", "events")


def test_an_address_asks_for_sets(tmp_path: Path) -> None:
    """One, several, or all; in any order, and each tool once."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            sets = sets_of(tools_of(OPERATIONS).values())
            for query, names in (
                ("?tools=webhooks", sets["webhooks"]),
                ("?tools=support,events", sets["support"] | sets["events"]),
                ("?tools=settings%2Cstudio%2Csettings", sets["settings"] | sets["studio"]),
                ("?tools=all", tools_of(OPERATIONS).keys()),
                ("?tools=webhooks,all", tools_of(OPERATIONS).keys()),
                ("", sets["support"]),
            ):
                reply = await post(server, LIST, key=key, query=query)
                assert [tool["name"] for tool in reply.json["result"]["tools"]] == [
                    name for name in tools_of(OPERATIONS) if name in names
                ], query

    asyncio.run(scenario())


def test_each_role_has_tools_without_asking(tmp_path: Path) -> None:
    """Those that it uses most; a key that only reads gets the readers of them."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            expected: tuple[tuple[Role, set[str]], ...] = (
                ("OWNER", {"players_search", "players_ban", "grants_create", "wallet_adjust"}),
                ("GAME_ADMIN", {"players_search", "players_ban", "grants_create", "wallet_adjust"}),
                ("GAME_DEVELOPER", {"webhooks_list", "deliveries_replay", "settings_get", "keys_list"}),
                ("GAME_DEBUGGER", {"players_get", "attempts_forceComplete", "grants_forceClaim", "events_get"}),
                ("VIEWER", {"events_list", "leaderboards_get", "guilds_get"}),
            )
            for role, names in expected:
                found = tools_in(await post(server, LIST, key=await key_for(server, role)))
                assert names | EVERYWHERE <= found.keys(), role
                reader = tools_in(await post(server, LIST, key=await key_for(server, role, read_only=True)))
                assert EVERYWHERE <= reader.keys() < found.keys() or role == "VIEWER"
                assert {tool["annotations"].get("readOnlyHint") for tool in reader.values()} == {True}

    asyncio.run(scenario())


def test_a_set_that_there_is_not_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    """Also an empty one, one in another case, two lists, and another parameter; whatever the message is."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            names = "support, events, webhooks, settings, studio, all"
            what = f"must be given once, and name some of {names}, with commas between them"
            for query in ("?tools=players", "?tools=", "?tools=Support", "?tools=support,", "?tools=all&tools=events"):
                for message, of in ((LIST, 1), ({"jsonrpc": "2.0", "method": "notifications/initialized"}, None)):
                    reply = await post(server, message, key=key, query=query)
                    assert (reply.status, reply.json["id"], reply.json["error"]["code"]) == (400, of, -32602), query
                    assert what in reply.json["error"]["message"]
                    data = reply.json["error"]["data"]
                    assert (data["code"], data["details"]["fields"]) == ("validation_failed", {"tools": what})
                for odd in ([LIST], {"id": {"a": 1}}, {"id": True}, "nothing"):
                    reply = await post(server, odd, key=key, query=query)
                    assert (reply.status, reply.json["id"], reply.json["error"]["code"]) == (400, None, -32602), query
            reply = await post(server, LIST, key=key, query=f"?{'s' * 1_000}=support")
            assert reply.json["error"]["data"]["details"]["fields"] == {"s" * 100: "does not exist"}
            assert (await post(server, LIST, query="?tools=players")).code == "api_key_missing"

    asyncio.run(scenario())


@eras
def test_the_official_client_shows_what_is_wrong_with_the_address(tmp_path: Path, era: Era) -> None:
    """A person who has mistyped a set reads which ones there are."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = await key_for(server)
            with pytest.raises(ExceptionGroup) as failed:
                async with assistant(server, key, era, query="?tools=players") as client:
                    await client.list_tools()
            fault: BaseException = failed.value
            while isinstance(fault, BaseExceptionGroup):
                (fault,) = fault.exceptions
            assert isinstance(fault, MCPError)
            assert "support, events, webhooks, settings, studio, all" in fault.message

    asyncio.run(scenario())


@eras
def test_a_tool_that_is_not_listed_is_decided_by_the_permission_alone(tmp_path: Path, era: Era) -> None:
    """Whoever has the key can ask for another set with it, so a set is no protection and does not seem to be one."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            owner, viewer = await key_for(server), await key_for(server, "VIEWER")
            async with assistant(server, owner, era, query="?tools=webhooks") as client:
                assert "studios_update" not in {tool.name for tool in (await client.list_tools()).tools}
                written: Any = data_of(await client.call_tool("studios_update", {"name": "Elsewhere"}))
                assert written["studio"]["name"] == "Elsewhere"
            async with assistant(server, viewer, era, query="?tools=all") as client:
                refused = await client.call_tool("studios_update", {"name": "Mine"})
                assert refusal_of(refused)[0] == "permission_denied"

    asyncio.run(scenario())


@eras
def test_a_result_says_in_which_environment_it_is_so(tmp_path: Path, era: Era) -> None:
    """Whether it was named or not, and in a refusal too: a player who is not in `live` may be in `test`."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, assistant(server, await key_for(server), era) as client:
            await server.register("ann")
            of = {"gameId": server.game.game.game_id, "externalId": "ann"}
            refused = await client.call_tool("players_get", of)
            assert refusal_of(refused)[0] == "player_not_found"
            assert json.loads(refused.content[0].text)["environment"] == "live"  # type: ignore[union-attr] # a text
            found: Any = data_of(await client.call_tool("players_get", {**of, "environment": "test"}))
            assert (found["environment"], found["player"]["externalPlayerId"]) == ("test", "ann")
            whom: Any = data_of(await client.call_tool("players_search", {"gameId": of["gameId"]}))
            assert (whom["environment"], whom["players"]) == ("live", [])
            assert "environment" not in data_of(await client.call_tool("studios_get", {}))

    asyncio.run(scenario())


@eras
def test_a_change_whose_environment_was_forgotten_is_refused(tmp_path: Path, era: Era) -> None:
    """And reaches nobody: neither the players of the live game nor those of the test."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, assistant(server, await key_for(server), era) as client:
            await server.register("ann")
            ban = {"gameId": server.game.game.game_id, "externalId": "ann", "reason": "spam"}
            for given in (ban, {**ban, "environment": None}):
                code, details = refusal_of(await client.call_tool("players_ban", given))
                assert (code, details["fields"]) == ("validation_failed", {"environment": "is required: live or test"})
            for wrong in ("", "LIVE", "staging", 5):
                code, details = refusal_of(await client.call_tool("players_ban", {**ban, "environment": wrong}))
                assert (code, list(details["fields"])) == ("validation_failed", ["environment"])
            done: Any = data_of(await client.call_tool("players_ban", {**ban, "environment": "test"}))
            assert done["environment"] == "test"

    asyncio.run(scenario())
