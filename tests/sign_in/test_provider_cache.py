"""How often the provider is asked: metadata that is kept, renewed, and served for a while after a failure."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from livecore.kernel.errors import JsonObject
from livecore_server.sign_in.outgoing import Outgoing
from livecore_server.sign_in.problems import ProviderFailed
from livecore_server.sign_in.provider import Provider
from tests.sign_in.python_provider import rsa_key

ISSUER = "https://provider.example"
KEY: JsonObject = rsa_key("one").as_dict(private=False)  # type: ignore[assignment] # the library's own type of the same
MINUTE, HOUR = 60.0, 3_600.0


class Answers(Outgoing):
    """Answers in place of a network, and how often each was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.documents = 0
        self.failing = False

    async def get(self, url: str, *, bearer: str | None = None) -> JsonObject:
        """The document or the key set."""
        assert bearer is None
        await asyncio.sleep(0)
        if url.endswith("/jwks"):
            return {"keys": [KEY]}
        self.documents += 1
        if self.failing:
            raise ProviderFailed("it is down")
        names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
        return {"issuer": ISSUER, **{name: f"{ISSUER}/{name.removesuffix('_uri')}" for name in names}}


class Told:
    """A provider with a clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.answers = Answers()
        self.provider = Provider(ISSUER, self.answers, lambda: self.now)


def run(story: Coroutine[Any, Any, None]) -> None:
    """Run a story."""
    asyncio.run(story)


def test_it_is_asked_once_by_many() -> None:
    """And again after a quarter of an hour."""

    async def story() -> None:
        told = Told()
        found = await asyncio.gather(*(told.provider.known() for _ in range(20)))
        assert (told.answers.documents, len({id(one) for one in found})) == (1, 1)
        told.now += 15 * MINUTE - 1
        assert await told.provider.known() is found[0]
        told.now += 1
        assert await told.provider.known() is not found[0]
        assert told.answers.documents == 2

    run(story())


def test_after_a_failure_it_is_left_alone_for_some_seconds() -> None:
    """So that strangers cannot have it asked as often as they ask."""

    async def story() -> None:
        told = Told()
        told.answers.failing = True
        for _ in range(10):
            with pytest.raises(ProviderFailed):
                await told.provider.known()
        assert told.answers.documents == 1
        told.answers.failing = False
        told.now += 5
        await told.provider.known()

    run(story())


def test_what_is_known_serves_while_the_provider_is_down() -> None:
    """For a day, and no longer: its keys may be others by then."""

    async def story() -> None:
        told = Told()
        found = await told.provider.known()
        told.answers.failing = True
        told.now += 23 * HOUR
        assert await told.provider.known() is found
        told.now += 2 * HOUR
        with pytest.raises(ProviderFailed, match="it is down"):
            await told.provider.known()

    run(story())


def test_newer_keys_are_sought_at_once_but_not_again_and_again() -> None:
    """Many tokens with unknown keys cause one request in thirty seconds."""

    async def story() -> None:
        told = Told()
        first = await told.provider.known()
        found = await asyncio.gather(*(told.provider.with_newer_keys(first) for _ in range(5)))
        assert all(one is not first for one in found)
        assert len({id(one) for one in found}) == 1
        newer = found[0]
        told.now += 29
        assert await told.provider.with_newer_keys(newer) is newer
        assert told.answers.documents == 2
        told.now += 1
        assert await told.provider.with_newer_keys(newer) is not newer

    run(story())
