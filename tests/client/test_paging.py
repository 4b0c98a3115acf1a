"""Iterators over lists: pages joined are the whole list, fetched as they are needed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TypeAlias

import httpx
import pytest
import respx

from livecore.kernel.errors import JsonObject
from livecore_client import errors
from tests.client.flavours import AnySdk, AnyServer, Flavour
from tests.contract.operations.commerce import SPENDER, purchase
from tests.contract.operations.friends import block, friend
from tests.contract.operations.gifts import gift
from tests.contract.operations.grants import grant
from tests.contract.operations.guilds import GUILD
from tests.contract.operations.player_tools import export

Rows: TypeAlias = Iterator[object] | AsyncIterator[object]
SDK: list[tuple[str, str, Callable[[AnySdk], Rows], Callable[[str], JsonObject]]] = [
    ("friends", "/friends", lambda c: c.friends.iterate(page_size=2, progression=["xp"]), friend),
    ("blocks", "/friends/blocks", lambda c: c.friends.iterate_blocks(page_size=2), block),
    ("gifts", "/friends/gifts/inbox", lambda c: c.gifts.iterate_inbox(page_size=2, pending_only=True), gift),
    ("gifts", "/friends/gifts/sent", lambda c: c.gifts.iterate_sent(page_size=2, pending_only=True), gift),
    ("grants", "/pending-grants", lambda c: c.grants.iterate_pending(page_size=2), grant),
]
SERVER: list[tuple[str, str, Callable[[AnyServer], Rows], Callable[[str], JsonObject]]] = [
    ("friends", "/friends", lambda c: c.friends.iterate("anna", page_size=2, progression=["xp"]), friend),
    ("blocks", "/blocks", lambda c: c.friends.iterate_blocks("anna", page_size=2), block),
    ("gifts", "/gifts", lambda c: c.gifts.iterate("anna", page_size=2, direction="sent"), gift),
    ("purchases", "/purchases", lambda c: c.purchases.iterate("anna", page_size=2), purchase),
]


def _serve(router: respx.Router, path: str, key: str, row: Callable[[str], JsonObject]) -> None:
    """A list of five rows in pages of two."""

    def answer(request: httpx.Request) -> httpx.Response:
        start = int(request.url.params.get("cursor", "0"))
        assert request.url.params["limit"] == "2"
        page = [row(f"r{number}") for number in range(start, min(start + 2, 5))]
        return httpx.Response(200, json={"data": {key: page, "nextCursor": str(start + 2) if start < 4 else None}})

    router.get(path__regex=f".*/players/anna{path}$").mock(side_effect=answer)


@pytest.mark.parametrize(("key", "path", "call", "row"), SDK, ids=lambda value: getattr(value, "__name__", str(value)))
def test_sdk_pages_joined_are_the_whole_list(
    key: str,
    path: str,
    call: Callable[[AnySdk], Rows],
    row: Callable[[str], JsonObject],
    flavour: Flavour,
    router: respx.Router,
) -> None:
    """Every row once, in the service's order, with the same options on each page."""
    _serve(router, path, key, row)
    _check(flavour, call(flavour.sdk(router)), router)


@pytest.mark.parametrize(
    ("key", "path", "call", "row"), SERVER, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_server_pages_joined_are_the_whole_list(
    key: str,
    path: str,
    call: Callable[[AnyServer], Rows],
    row: Callable[[str], JsonObject],
    flavour: Flavour,
    router: respx.Router,
) -> None:
    """Every row once, in the service's order, with the same options on each page."""
    _serve(router, path, key, row)
    _check(flavour, call(flavour.server(router)), router)


def _check(flavour: Flavour, found: Rows, router: respx.Router) -> None:
    assert not router.calls, "nothing is fetched before the first row is asked for"
    ids = [_id(row) for row in flavour.gather(found)]
    assert ids == ["r0", "r1", "r2", "r3", "r4"]
    options = [{**dict(call.request.url.params), "cursor": ""} for call in router.calls]
    assert options == [options[0]] * 3


def _id(row: object) -> object:
    names = ("purchase_id", "gift_id", "grant_id", "external_player_id")
    return next(getattr(row, name) for name in names if hasattr(row, name))


def test_a_list_that_never_ends_is_noticed(flavour: Flavour, router: respx.Router) -> None:
    """A page that names itself as the next would keep a program busy for ever."""
    router.route().respond(json={"data": {"friends": [friend()], "nextCursor": "same"}})
    with pytest.raises(errors.UnreadableAnswer):
        flavour.gather(flavour.sdk(router).friends.iterate())
    assert len(router.calls) == 2


def test_a_whole_export_is_followed_list_by_list(flavour: Flavour, router: respx.Router) -> None:
    """First everything, then each list that goes on until it ends."""
    pages = {
        ("", ""): {**export(wallet=[balance("a")]), "cursors": {"wallet": "w1", "gifts": "g1", "grants": None}},
        ("wallet", "w1"): {**export(wallet=[balance("b")]), "cursors": {"wallet": "w2"}},
        ("wallet", "w2"): {**export(wallet=[balance("c")]), "cursors": {"wallet": None}},
        ("gifts", "g1"): {**export(gifts=[]), "cursors": {}},
    }

    def answer(request: httpx.Request) -> httpx.Response:
        asked = request.url.params.get("list", ""), request.url.params.get("cursor", "")
        return httpx.Response(200, json={"data": pages.pop(asked)})

    router.get(path__regex=".*/players/anna/export$").mock(side_effect=answer)
    found = flavour.gather(flavour.server(router).players.iterate_export("anna"))
    assert [row.key for page in found for row in page.wallet] == ["a", "b", "c"]
    assert pages == {}


def balance(key: str) -> JsonObject:
    """A row of a wallet."""
    return {"key": key, "kind": "currency", "balance": 1}


def test_spenders_are_followed_by_offset(flavour: Flavour, router: respx.Router) -> None:
    """Until as many as there are have been met, with the same question on each page."""

    def answer(request: httpx.Request) -> httpx.Response:
        params = request.url.params
        assert (params["windowDays"], params["limit"]) == ("30", "2")
        start = int(params.get("offset", "0"))
        page = [spender(f"p{number}") for number in range(start, min(start + 2, 5))]
        return httpx.Response(200, json={"data": {"players": page, "total": 5, "limit": 2, "offset": start}})

    router.get(path__regex=".*/spend/players$").mock(side_effect=answer)
    found = flavour.gather(flavour.server(router).spend.iterate_players(window_days=30, page_size=2))
    assert [row.player_id for row in found] == ["p0", "p1", "p2", "p3", "p4"]
    assert len(router.calls) == 3


def test_guilds_are_followed_by_offset(flavour: Flavour, router: respx.Router) -> None:
    """As spenders are."""

    def answer(request: httpx.Request) -> httpx.Response:
        params = request.url.params
        assert (params["q"], params["limit"]) == ("wo", "2")
        start = int(params.get("offset", "0"))
        page = [{**GUILD, "guildId": f"g{number}"} for number in range(start, min(start + 2, 5))]
        return httpx.Response(200, json={"data": {"guilds": page, "total": 5, "limit": 2, "offset": start}})

    router.get(path__regex=".*/server/v1/guilds$").mock(side_effect=answer)
    found = flavour.gather(flavour.server(router).guilds.iterate(q="wo", page_size=2))
    assert [row.guild_id for row in found] == ["g0", "g1", "g2", "g3", "g4"]
    assert len(router.calls) == 3


def spender(player_id: str) -> JsonObject:
    """A row of spenders."""
    return {**SPENDER, "playerId": player_id}
