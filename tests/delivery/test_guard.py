"""The guard at the socket: whatever a URL or a name server says, no connection goes to an address that is not allowed.

Each notation of `tests.webhooks.test_addresses` is refused at registration there, and here once more when it is sent to;
then the layers below are tried on their own, as if the ones above them had been fooled.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import aiohttp
import pytest

from livecore.webhooks.addresses import Target, parse_networks
from livecore.webhooks.outcome import Outcome, unanswered
from livecore_server.background.webhooks import NameService, NetworkRules, Poster
from livecore_server.background.webhooks import post as posting
from livecore_server.background.webhooks.guard import AddressGuard, AddressRefused
from tests.delivery.receivers import certificate, receiver
from tests.delivery.rig import Deployment, play
from tests.webhooks.test_addresses import HOSTILE_HOSTS

REFUSED = unanswered("address_refused")
_INNER_V4 = """
    0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 192.0.0.192 192.168.0.1 198.18.0.1
    224.0.0.1 240.0.0.1 255.255.255.255 168.63.129.16
"""
_INNER_V6 = """
    :: ::1 ::ffff:127.0.0.1 ::ffff:a00:1 ::ffff:169.254.169.254 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::7f00:1 2002:7f00:1::
    2001::1 2001:db8::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1
"""
INNER = [*_INNER_V4.split(), *_INNER_V6.split()]
"""Addresses inside, in the forms in which a name server or a literal gives them."""


def attempt(
    send: Callable[[Poster], Awaitable[Outcome]],
    *,
    lookup: Callable[[str], Sequence[str]] | None = None,
    rules: NetworkRules | None = None,
) -> Outcome:
    """One attempt, with names looked up by `lookup`."""

    async def run() -> Outcome:
        names = None if lookup is None else NameService(lookup)
        poster = Poster(rules or NetworkRules(), now=lambda: 0, names=names)
        await poster.open()
        try:
            return await send(poster)
        finally:
            await poster.close()

    return asyncio.run(run())


@pytest.mark.parametrize("environment", ["live", "test"])
def test_every_hostile_url_is_refused_when_it_is_sent_to(environment: str) -> None:
    """A URL that got into the database past the registration is not called either."""

    async def run() -> list[Outcome]:
        poster = Poster(NetworkRules(), now=lambda: 0)
        await poster.open()
        try:
            return [await poster.post(environment, f"https://{host}/in", {}, b"") for host in HOSTILE_HOSTS]
        finally:
            await poster.close()

    assert asyncio.run(run()) == [REFUSED] * len(HOSTILE_HOSTS)


def test_a_refused_address_is_a_failed_attempt(tmp_path: Path) -> None:
    """The endpoint's row says why nothing arrives, and the delivery is tried again by schedule."""

    async def scenario(made: Deployment) -> None:
        await made.add("https://169.254.169.254/latest/meta-data")
        await made.emit()
        async with made.sender():
            await made.until_attempts(1)
        (row,) = made.deliveries()
        assert (row.status, row.last_status, row.last_error) == ("pending", None, "address_refused")

    play(tmp_path, scenario)


@pytest.mark.parametrize("address", INNER)
def test_a_name_that_points_inside_is_refused(address: str) -> None:
    """What a name resolves to is judged, alone and among public addresses."""
    for answer in ([address], ["93.184.215.14", address]):
        refused = attempt(
            lambda poster: poster.post("live", "https://hooks.example/", {}, b""),
            lookup=lambda _, answer=answer: answer,  # type: ignore[misc] # bound at once
        )
        assert refused == REFUSED


@pytest.mark.parametrize("address", INNER)
def test_a_literal_address_is_refused_at_the_socket(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Literals never meet the resolver: with the check of the URL fooled, the socket still refuses."""
    target = Target(scheme="https", host=address, port=9, path="/", to_localhost=False)
    monkeypatch.setattr(posting, "check_url", lambda *_, **__: target)
    assert attempt(lambda poster: poster.post("live", "https://fooled.example/", {}, b"")) == REFUSED


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1"])
def test_a_legacy_notation_is_refused_below_the_check_of_the_url(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the check of the URL fooled, numbers that the system would read as an inner address still go nowhere."""
    target = Target(scheme="https", host=host, port=9, path="/", to_localhost=False)
    monkeypatch.setattr(posting, "check_url", lambda *_, **__: target)
    assert attempt(lambda poster: poster.post("live", "https://fooled.example/", {}, b"")) == REFUSED


@pytest.mark.parametrize("address", ["93.184.215.14", "10.0.0.1", "::ffff:10.0.0.1", "169.254.169.254"])
def test_localhost_means_this_machine(address: str) -> None:
    """The exception for local tests holds for loopback addresses alone, whatever `localhost` resolves to."""
    refused = attempt(
        lambda poster: poster.post("test", "http://localhost:9/", {}, b""), lookup=lambda _: ["127.0.0.1", address]
    )
    assert refused == REFUSED


def test_localhost_is_refused_to_live_endpoints_and_in_production() -> None:
    """Plain http is for a test endpoint of a deployment that is not production."""
    url = "http://localhost:9/"
    assert attempt(lambda poster: poster.post("live", url, {}, b"")) == REFUSED
    strict = NetworkRules(production=True)
    assert attempt(lambda poster: poster.post("test", url, {}, b""), rules=strict) == REFUSED


def test_a_name_that_changes_its_address_is_judged_anew(tmp_path: Path) -> None:
    """A name that pointed to an allowed address when it was tried first is refused once it points elsewhere."""
    made = certificate(tmp_path, "hooks.example")
    answers = ["127.0.0.1", "127.0.0.2"]
    rules = NetworkRules(allowed_networks=parse_networks(["127.0.0.1/32"]))

    async def run() -> tuple[Outcome, Outcome]:
        names = NameService(lambda _: [answers.pop(0)])
        poster = Poster(rules, now=lambda: 0, names=names, tls=made.trusting)
        async with (
            receiver(tls=made.serving) as hook,
            receiver(tls=made.serving, host="127.0.0.2", port=hook.port) as inner,
        ):
            url = f"https://hooks.example:{hook.port}/"
            await poster.open()
            first = await poster.post("live", url, {}, b"")
            second = await poster.post("live", url, {}, b"")
            await poster.close()
            assert (len(hook.received), inner.connections) == (1, 0)
            return first, second

    first, second = asyncio.run(run())
    assert first.delivered
    assert second == REFUSED


def test_listed_networks_are_open_and_no_others() -> None:
    """An operator's network is reached; its neighbour is not."""
    guard = AddressGuard(rules=NetworkRules(allowed_networks=parse_networks(["10.20.0.0/16"])), to_localhost=False)
    guard.check("10.20.255.255")
    guard.check("::ffff:10.20.0.1")
    with pytest.raises(AddressRefused):
        guard.check("10.21.0.0")


def test_what_is_no_address_opens_no_socket() -> None:
    """The guard understands addresses alone: a name at this place would be resolved once more, unseen."""
    guard = AddressGuard(rules=NetworkRules(), to_localhost=False)
    for text in ("localhost", "hooks.example", "", "127.1", "8.8.8.8 "):
        with pytest.raises(AddressRefused):
            guard.open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", (text, 443)))


def test_an_allowed_address_gets_its_socket() -> None:
    """The guard is no wall: public addresses pass."""
    guard = AddressGuard(rules=NetworkRules(), to_localhost=False)
    with guard.open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("8.8.8.8", 443))) as opened:
        assert opened.family == socket.AF_INET


def test_the_http_client_asks_the_guard_for_every_socket() -> None:
    """The connector makes its sockets with the guard alone, resolves nothing itself and remembers no answer."""

    async def run() -> None:
        poster = Poster(NetworkRules(), now=lambda: 0)
        await poster.open()
        for session in poster._sessions.values():
            connector = session.connector
            assert isinstance(connector, aiohttp.TCPConnector)
            assert connector.force_close
            assert not connector.use_dns_cache
            assert not session.trust_env
        await poster.close()

    asyncio.run(run())
