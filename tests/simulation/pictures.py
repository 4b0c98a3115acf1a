"""Pictures of a season's report for the documentation: `python -m tests.simulation.pictures`, with a Chromium.

They are of the example season with one seed, so they show the same at every run.
"""

from __future__ import annotations

import asyncio
import base64
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import attrs

from livecore.api.configuration.game_config import load_config
from livecore.simulation.gates import read_gate
from livecore.simulation.outcome import About, Outcome
from livecore.simulation.report import page_of
from livecore.simulation.run import Plan, run
from livecore.simulation.zones import zones_version
from livecore.version import VERSION
from livecore.world.game import START
from tests.examples.browser import Page, browser, opened
from tests.proofs.portal.test_browser import look_like

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "docs" / "pictures"
SEASON: Final = ROOT / "examples" / "season"


@attrs.frozen
class ReportPicture:
    """One picture of the report: its file, which part it begins with, and how it is looked at."""

    name: str
    anchor: str = ""
    width: int = 1200
    height: int = 900
    scheme: str = "light"


REPORT_PICTURES: Final = (
    ReportPicture("season-report"),
    ReportPicture("season-report-dark", scheme="dark"),
    ReportPicture("season-report-economy", "economy"),
    ReportPicture("season-report-on-a-phone", width=390, height=844, scheme="dark"),
)


def season(players: int, days: int) -> Outcome:
    """The example season with one seed and one gate."""
    config, population = (path.read_text("utf-8") for path in (SEASON / "game.json", SEASON / "population.json"))
    digests = [sha256(text.encode()).hexdigest() for text in (config, population)]
    return Outcome(
        about=About(VERSION, zones_version() or "", (1,), players, days, START.wire, *digests),
        config=load_config(config),
        runs=[run(Plan(config, population, players, days, 1, START))],
        gates=[read_gate("economy.shells.inflation > 0.05"), read_gate("gifts.expired_share > 0.3")],
    )


async def _photograph(page: Page, report: Path, picture: ReportPicture) -> bytes:
    await look_like(page, picture.width, picture.scheme)
    await page.tell(
        "Emulation.setDeviceMetricsOverride",
        width=picture.width, height=picture.height, deviceScaleFactor=1, mobile=False,
    )  # fmt: skip
    await page.tell("Emulation.setScrollbarsHidden", hidden=True)
    await page.go(f"{report.as_uri()}?{picture.name}#{picture.anchor}")  # another address, so that it is loaded again
    taken = await page.tell("Page.captureScreenshot", format="png")
    return base64.b64decode(taken["data"])


def take(
    folder: Path = FOLDER,
    pictures: Sequence[ReportPicture] = REPORT_PICTURES,
    *,
    players: int = 200,
    days: int = 30,
) -> None:
    """Take pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place, browser() as address:
        report = Path(place) / "season.html"
        report.write_text(page_of(season(players, days)), "utf-8")

        async def scenario() -> None:
            async with opened(address, report.as_uri()) as page:
                for picture in pictures:
                    (folder / f"{picture.name}.png").write_bytes(await _photograph(page, report, picture))

        asyncio.run(scenario())


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
