"""The built documentation in a real Chromium: the search finds tasks, and pages are short and fit a phone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest

from tests.examples.browser import browser, opened, require_browser
from tests.pages import ROOT
from tests.patience import PATIENCE_SECONDS

MOST_PIXELS: Final = 30_000
WIDTHS: Final = (1280, 375)
FOUND: Final = {
    "leaderboard": "how-to/show-a-live-leaderboard",
    "webhook": "how-to/receive-webhooks",
    "ban": "how-to/ban-a-cheater",
    "rate limit": "how-to/size-a-deployment",
    "unity": "how-to/play-from-another-engine",
    "playfab": "how-to/move-from-playfab",
    "give everybody gold": "how-to/give-to-everybody",
    "end event early": "how-to/end-an-event-early",
    "deploy": "how-to/run-in-production",
    "chat": "what-livecore-does-not-do",
    "verify webhook": "how-to/verify-a-webhook-yourself",
    "gift.sent": "reference/events/friends-and-gifts",
    "gift_cooldown": "reference/errors/social",
}
_MEASURES: Final = """(() => {
    document.querySelectorAll('details').forEach(one => { one.open = true; });
    const page = document.documentElement;
    const tables = [...document.querySelectorAll('table.docutils:not(.figures)')];
    return [page.scrollHeight, page.scrollWidth - innerWidth,
        tables.filter(one => one.scrollWidth > one.parentElement.clientWidth + 1).length];
})()"""
"""The height of the page, how much wider than the window it is, and how many tables are wider than their place."""
_FIRST: Final = "document.querySelector('#search-results li a')?.getAttribute('href').split(/[?#]/)[0] ?? null"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the pages, as `nox -s docs` builds them: a warning, such as of a page that is too large, fails it."""
    require_browser()
    folder = tmp_path_factory.mktemp("html")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", str(ROOT / "docs"), str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert ended.returncode == 0, ended.stderr
    return folder


@pytest.fixture(scope="module")
def debugged() -> Iterator[str]:
    """A browser for all tests of this file: the address for debugging it."""
    require_browser()
    with browser() as address:
        yield address


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_are_short_and_fit_the_window(built: Path, debugged: str, width: int) -> None:
    """On a desk and on a phone, with everything that folds opened.

    No table is wider than its place but those of figures, which scroll.
    """
    paths, faults = sorted(built.rglob("*.html")), []

    async def scenario() -> None:
        async with opened(debugged, (built / "index.html").as_uri()) as page:
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            await page.tell("Emulation.setDeviceMetricsOverride", **size)
            for path in paths:
                await page.go(path.as_uri())
                height, wider, tables = await page.value(_MEASURES)
                if height > MOST_PIXELS or wider > 0 or tables:
                    faults.append(f"{path.relative_to(built)}: {height} high, {wider} too wide, {tables} tables")

    asyncio.run(scenario())
    assert len(paths) > 100
    assert faults == []


def test_the_search_finds_the_page_of_a_task_first(built: Path, debugged: str) -> None:
    """What people type leads to the page for it; the name of an event or of an error leads to the reference."""
    found: dict[str, str] = {}

    async def scenario() -> None:
        async with opened(debugged, (built / "index.html").as_uri()) as page:
            for words in FOUND:
                await page.go(f"{(built / 'search.html').as_uri()}?q={quote(words)}")
                await page.until("document.querySelector('#search-results li a') !== null", wanted=True)
                found[words] = str(await page.value(_FIRST)).removesuffix(".html")

    asyncio.run(scenario())
    assert found == FOUND


def test_the_copy_button_leaves_the_prompt_out(built: Path, debugged: str) -> None:
    """It takes the command of the front page without its `$`."""

    async def scenario() -> str:
        async with opened(debugged, (built / "index.html").as_uri()) as page:
            await page.value("""document.execCommand = () => {
                window.copied = document.activeElement.value;
                return true;
            }; null""")
            await page.value("document.querySelector('button.copybtn').click()")
            return str(await page.value("window.copied"))

    copied = asyncio.run(scenario())
    assert copied.startswith("python3 -m venv .venv && ")
    assert copied.endswith("livecore dev")
