"""Who is calling: which headers are believed, how far, and what the offline country file adds."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest

from livecore_server.http.client_address import CountryFile, CountryFileProblem, caller_address
from tests.server.country_file import country_file
from tests.server.serving import Server, serving


@pytest.mark.parametrize(
    ("forwarded", "trusted", "address"),
    [
        ([], 0, "10.0.0.1"),
        (["203.0.113.9"], 0, "10.0.0.1"),
        (["203.0.113.9"], 1, "203.0.113.9"),
        (["6.6.6.6, 203.0.113.9"], 1, "203.0.113.9"),
        (["6.6.6.6, 203.0.113.9, 10.0.0.2"], 2, "203.0.113.9"),
        (["6.6.6.6", "203.0.113.9,10.0.0.2"], 2, "203.0.113.9"),
        (["203.0.113.9"], 2, "10.0.0.1"),
        (["unknown"], 1, "10.0.0.1"),
        (["203.0.113.9:443"], 1, "203.0.113.9"),
        (["6.6.6.6:1, 203.0.113.9:65535"], 1, "203.0.113.9"),
        (["[2001:db8::1]:555"], 1, "2001:db8::1"),
        (["203.0.113.9:"], 1, "10.0.0.1"),
        (["203.0.113.9:port"], 1, "10.0.0.1"),
        (["203.0.113.9:٤٤٣"], 1, "10.0.0.1"),
        (["203.0.113.9:655360"], 1, "10.0.0.1"),
        (["[2001:db8::1"], 1, "10.0.0.1"),
        (["[2001:db8::1]555"], 1, "10.0.0.1"),
        (["2001:db8::1:555"], 1, "2001:db8::1:555"),
        ([""], 1, "10.0.0.1"),
        (["[2001:db8::1]"], 1, "2001:db8::1"),
        (["2001:DB8:0::1"], 1, "2001:db8::1"),
        (["fe80::1%eth0"], 1, "fe80::1"),
        (["fe80::1%x request=forged\x1b[2J"], 1, "fe80::1"),
        (["203.0.113.9%eth0"], 1, "10.0.0.1"),
    ],
)
def test_the_address_is_read_from_the_end_of_the_chain(forwarded: list[str], trusted: int, address: str) -> None:
    """Only what trusted proxies have appended counts; whatever stands before it, anybody may have written."""
    assert caller_address("10.0.0.1", forwarded, trusted) == address


@pytest.mark.parametrize("trusted", [0, 1])
def test_a_neighbours_address_has_no_zone_either(trusted: int) -> None:
    """The name of a network card is no part of who calls."""
    assert caller_address("fe80::2%eth0", [], trusted) == "fe80::2"


_numbers = itertools.count()


async def country(server: Server, **headers: str) -> str | None:
    """The country that a new player is given."""
    headers = {"Authorization": f"Bearer {server.key('client')}", **headers}
    name = f"player{next(_numbers)}"
    reply = await server.ask("POST", f"/sdk/v1/players/{name}/register", headers=headers)
    found: str | None = reply.json["data"]["country"]
    return found


def test_the_country_header_counts_only_where_it_is_trusted(tmp_path: Path) -> None:
    """A caller's own header must not choose a country."""

    async def scenario() -> None:
        async with serving(tmp_path / "a") as server:
            assert await country(server, **{"CF-IPCountry": "SE"}) is None
        async with serving(tmp_path / "b", trust_country_header=True, country_header="X-Land") as server:
            assert await country(server, **{"X-Land": "SE"}) == "SE"
            assert await country(server, **{"CF-IPCountry": "SE"}) is None

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    asyncio.run(scenario())


def test_the_country_file_answers_for_the_callers_address(tmp_path: Path) -> None:
    """The address behind the trusted proxy is looked up; an address that the file does not know has no country."""
    file = country_file(tmp_path / "countries.mmdb", {"203.0.113.0/24": "NO"})

    async def scenario() -> None:
        async with serving(tmp_path, country_file=str(file), trusted_proxies=1) as server:
            assert await country(server, **{"X-Forwarded-For": "203.0.113.77"}) == "NO"
            assert await country(server, **{"X-Forwarded-For": "198.51.100.1"}) is None

    asyncio.run(scenario())


def test_the_country_file_has_no_answer_for_what_is_no_address(tmp_path: Path) -> None:
    """Whatever an address looks like, asking raises nothing."""
    file = CountryFile(country_file(tmp_path / "countries.mmdb", {"203.0.113.0/24": "NO"}))
    assert [file.country(text) for text in ("203.0.113.1", "2001:db8::1", "", "unix")] == ["NO", None, None, None]
    file.close()


def test_a_country_file_that_is_none_is_named(tmp_path: Path) -> None:
    """The server does not start with a file that it cannot read."""
    broken = tmp_path / "broken.mmdb"
    broken.write_bytes(b"no such thing")
    for path in (broken, tmp_path / "missing.mmdb"):
        with pytest.raises(CountryFileProblem, match=path.name):
            CountryFile(path)
