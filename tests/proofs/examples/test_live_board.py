"""The page of the live leaderboard in a real browser: it shows the board, follows it, and survives a server that goes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from urllib.parse import urlencode

import attrs
import pytest

from examples.live_board.__main__ import NAMES, Runners, page_server
from examples.own_server import OwnServer, own_server
from livecore.demo import DEMO
from tests.examples.browser import browser, opened, require_browser

_ROWS = "[...document.querySelectorAll('#rows tr')].map(row => [...row.cells].map(cell => cell.textContent).join(' '))"
_STATUS = "document.getElementById('status').textContent"


@attrs.frozen
class Shown:
    """A server with players at its event, and the address of the page that shows their leaderboard."""

    server: OwnServer
    runners: Runners
    url: str


@pytest.fixture(scope="module")
def shown() -> Iterator[Shown]:
    """The example without its own play."""
    require_browser()
    page = page_server()
    origin = f"http://127.0.0.1:{page.server_port}"
    with own_server(DEMO, settings={"LIVECORE_CORS_ORIGINS": origin, "LIVECORE_RATE_LIMITS": "off"}) as server:
        runners = Runners(server)
        address = {"server": server.base_url, "key": server.client_key, "board": runners.board_id}
        yield Shown(server, runners, f"{origin}/#{urlencode(address)}")
        runners.close()
    page.shutdown()
    page.server_close()


def _score(runners: Runners, name: str, points: int) -> None:
    runners.clients[name].events.progress("daily-dash", runners.attempts[name], metrics={"points": points})


def test_the_page_shows_the_board_and_every_change_of_it_until_it_is_final(shown: Shown) -> None:
    """Rows are in the order of the board, a name is never read as HTML, and the end is said."""

    async def scenario(address: str) -> None:
        runners = shown.runners
        await asyncio.to_thread(_score, runners, "Ada", 20)
        await asyncio.to_thread(runners.clients["Bo"].players.set_identity, name="<b>Bo</b>")
        async with opened(address, shown.url) as page:
            await page.until(_ROWS, ["1 Ada 20"])
            await asyncio.to_thread(_score, runners, "Bo", 30)
            await page.until(_ROWS, ["1 <b>Bo</b> 30", "2 Ada 20"])
            await asyncio.to_thread(_score, runners, "Ada", 15)
            await page.until(_ROWS, ["1 Ada 35", "2 <b>Bo</b> 30"])
            for place, name in enumerate(NAMES[2:]):
                await asyncio.to_thread(_score, runners, name, 29 - place)
            expected = ["1 Ada 35", "2 <b>Bo</b> 30"]
            expected += [f"{place + 3} {name} {29 - place}" for place, name in enumerate(NAMES[2:10])]
            await page.until(_ROWS, expected)
            await asyncio.to_thread(runners.end)
            await page.until(_STATUS, "Final")
            await page.until(_ROWS, expected)

    with browser() as address:
        asyncio.run(scenario(address))
