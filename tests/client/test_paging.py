"""Iterators over lists: pages joined are the whole list, fetched as they are needed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TypeAlias

import httpx
import pytest
import respx

from livecore_client import errors
from tests.client.answers import JsonObject, block, friend, gift, grant, purchase
from tests.client.flavours import AnySdk, AnyServer, Flavour

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


@pytest.mark.parametrize(("key", "path", "call", "row"), SDK, ids=lambda value: str(value)[:24])
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


@pytest.mark.parametrize(("key", "path", "call", "row"), SERVER, ids=lambda value: str(value)[:24])
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
