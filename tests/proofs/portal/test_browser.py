"""Every page in a real Chromium: accessible to axe's rules, and as wide as the window, in light and in dark."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from aiohttp import web

from livecore.api.requests.http import Request
from livecore_server.portal.pages import ROUTES
from tests.examples.browser import Page, browser, opened, require_browser
from tests.npm import npm_package
from tests.portal.browsing import Member
from tests.portal.studio import BANNED, made_studio, places

AXE: Final = "axe-core@4.14.1"
LOOKS: Final = ((360, "dark"), (768, "light"), (1280, "light"))
"""The width of the window, and what the person prefers."""
_RULES: Final = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']"
_VIOLATIONS: Final = f"""axe.run(document, {{runOnly: {{type: 'tag', values: {_RULES}}}}}).then(found =>
    found.violations.flatMap(rule => rule.nodes.map(node => rule.id + ': ' + node.html.slice(0, 300) + ' ' +
        node.failureSummary)))"""
_TOO_WIDE: Final = """Math.max(...[document.documentElement, ...document.querySelectorAll('nav')].map(
    one => one.scrollWidth - one.clientWidth))"""
"""How much wider than its place the page is, or a navigation in it."""


@asynccontextmanager
async def served(member: Member) -> AsyncIterator[str]:
    """The portal on a socket, for a browser that is signed in as this member."""

    async def answer(http: web.BaseRequest) -> web.Response:
        path, _, query = http.raw_path.partition("?")
        headers = {name.lower(): value for name, value in http.headers.items()}
        headers["cookie"] = "; ".join(filter(None, [member.headers["cookie"], headers.get("cookie")]))
        request = Request(http.method, path, query, headers, await http.read(), "127.0.0.1")
        prepared = await member.portal.enter(request)
        said = prepared.refused or await member.portal.answer(prepared)
        return web.Response(status=said.status, headers=list(said.headers), body=said.body)

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()


async def look_like(page: Page, width: int, scheme: str) -> None:
    """Give the window this width, and the person this preference."""
    await page.tell("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    await page.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])


@pytest.fixture
def axe(pytestconfig: pytest.Config, tmp_path: Path) -> str:
    """The text of axe."""
    _, kept = npm_package(AXE, pytestconfig, tmp_path)
    return (kept / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


def test_every_page_is_accessible_and_fits_the_window(axe: str) -> None:
    """No rule of axe is broken, and no page scrolls sideways, on a phone, a tablet and a desk, in light and in dark."""
    require_browser()
    world = made_studio()
    member = Member.of(world)
    wanted = [places(world, route.path) for route in ROUTES]
    wanted += [
        member.game(f"/players/{BANNED}"),
        "/portal/nothing",
        "/portal/signed-out",
        member.studio("/audit?from=x"),
    ]
    wanted += [member.game("/players", "live"), member.game("/players", q="nobody")]
    merging = member.game("/players/bob/merge")
    wanted.append(merging)
    found: list[str] = []

    async def scenario(address: str) -> None:
        async with served(member) as base, opened(address, f"{base}/portal/") as page:
            for width, scheme in LOOKS:
                await look_like(page, width, scheme)
                for path in wanted:
                    await page.go(f"{base}{path}")
                    where = f"{path} {width} {scheme}"
                    if too_wide := await page.value(_TOO_WIDE):
                        found.append(f"{where} is {too_wide} too wide")
                    if path == merging:
                        await page.type("#field-toExternalId", "cleo")
                        await page.follow("main form button")
                        assert "What moves" in await page.text("main")
                        found.extend([f"{where} is too wide in its second step"] * bool(await page.value(_TOO_WIDE)))
                    if width != 768:
                        await page.value(axe)
                        found.extend(f"{where} {problem}" for problem in await page.value(_VIOLATIONS))

    with browser() as address:
        asyncio.run(scenario(address))
    assert found == [], "\n".join(found)


def test_a_person_without_scripts_does_everything() -> None:
    """With scripts switched off a member searches, opens a player, bans them by a form, and merges in two steps."""
    require_browser()
    world = made_studio()
    member = Member.of(world)

    async def scenario(address: str) -> None:
        async with served(member) as base, opened(address, f"{base}/portal/") as page:
            await page.tell("Emulation.setScriptExecutionDisabled", value=True)
            await page.go(f"{base}{member.game('/players', q='dora')}")
            await page.follow("main table a")
            await page.follow("a[href*='/ban?']")
            await page.type("#field-reason", "spam")
            await page.follow("main form button")
            assert "The player is banned." in await page.text("main")
            await page.go(f"{base}{member.game('/players/dora')}")
            assert "The player is banned." not in await page.text("main")
            await page.follow("a[href*='/merge?']")
            await page.type("#field-toExternalId", "cleo")
            await page.follow("main form button")
            assert "What moves" in await page.text("main")
            await page.follow("main form button")
            assert "The players are merged." in await page.text("main")

    with browser() as address:
        asyncio.run(scenario(address))
    shown = world.operator().call("players.get", external_id="cleo")["player"]
    assert isinstance(shown, dict)
    assert isinstance(shown["ban"], dict)
    assert shown["ban"]["reason"] == "spam", "the ban of the one who went is that of the one who stays"


def test_faults_of_a_long_text_are_seen_at_once() -> None:
    """They are in the first screen and have the focus, whatever the length of the text."""
    require_browser()
    world = made_studio()
    member = Member.of(world)
    seen: list[object] = []

    async def scenario(address: str) -> None:
        async with served(member) as base, opened(address, f"{base}/portal/") as page:
            await look_like(page, 1280, "light")
            await page.go(f"{base}{member.game('/settings/change')}")
            await page.value("""document.querySelector("textarea").value =
                document.querySelector("textarea").value.replace('"events": [', '"odd": 1, "events": [')""")
            await page.follow("main form button")
            assert "odd" in await page.text("#problem")
            seen.append(await page.value("document.activeElement.id"))
            seen.append(
                await page.value("""(place => place.top >= 0 && place.bottom <= innerHeight)(
                document.querySelector("#problem").getBoundingClientRect())""")
            )

    with browser() as address:
        asyncio.run(scenario(address))
    assert seen == ["problem", True]
