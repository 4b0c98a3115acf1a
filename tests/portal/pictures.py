"""Pictures of the portal for the documentation: `python -m tests.portal.pictures`, with a Chromium.

They are of the populated game, in a world, so they show the same at every run, whatever the time is.
"""

from __future__ import annotations

import asyncio
import base64
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import attrs

from tests.examples.browser import Page, browser, opened
from tests.populated.game import populated
from tests.populated.people import ORDINARY
from tests.portal.browsing import Member
from tests.proofs.portal.test_browser import look_like, served

FOLDER: Final = Path(__file__).parents[2] / "docs" / "pictures"


@attrs.frozen
class Picture:
    """One picture: its file, the page below the game, and how it is looked at."""

    name: str
    page: str
    width: int = 1200
    height: int = 900
    scheme: str = "light"


PICTURES: Final = (
    Picture("portal-overview-light", "/players", 1280, 850),
    Picture("portal-overview-dark", "/players", 1280, 850, "dark"),
    Picture("player", "/players/{player}"),
    Picture("player-on-a-phone", "/players/{player}", 390, 844, "dark"),
    Picture("events", "/events", height=700),
    Picture("deliveries", "/deliveries", height=700),
    Picture("settings", "/settings", height=700),
)


@attrs.frozen
class Model:
    """Whose pictures are taken: a member of a studio, and the player who has the most to show."""

    member: Member
    player: str

    @classmethod
    def of_populated(cls) -> Model:
        """The owner of the populated game, in which everybody has an ordinary name."""
        play = populated(ORDINARY)
        owner = play.member()
        looks: list[Any] = [owner.call("players.get", external_id=name) for name in ORDINARY.ids[5:]]
        best = max((one for one in looks if not one["player"]["ban"]), key=_shows)
        return cls(Member.of(play.world), best["player"]["externalPlayerId"])


def _shows(about: dict[str, Any]) -> tuple[int, int, int]:
    """How much a player's page has on it."""
    parts = (about["guild"], about["inventory"], about["grants"], about["attempts"], about["player"]["appVersion"])
    return sum(map(bool, parts)), about["social"]["friends"], about["spend"]["purchaseCount"]


async def _photograph(page: Page, base: str, model: Model, picture: Picture) -> bytes:
    await look_like(page, picture.width, picture.scheme)
    await page.tell(
        "Emulation.setDeviceMetricsOverride",
        width=picture.width, height=picture.height, deviceScaleFactor=1, mobile=False,
    )  # fmt: skip
    await page.tell("Emulation.setScrollbarsHidden", hidden=True)
    below = picture.page.replace("{player}", quote(model.player, safe=""))
    await page.go(f"{base}{model.member.game(below, 'live')}")
    taken = await page.tell("Page.captureScreenshot", format="png")
    return base64.b64decode(taken["data"])


def take(folder: Path = FOLDER, pictures: Sequence[Picture] = PICTURES) -> None:
    """Take pictures into a folder."""
    model = Model.of_populated()
    folder.mkdir(parents=True, exist_ok=True)

    async def scenario(address: str) -> None:
        async with served(model.member) as base, opened(address, f"{base}/portal/") as page:
            for picture in pictures:
                (folder / f"{picture.name}.png").write_bytes(await _photograph(page, base, model, picture))

    with browser() as address:
        asyncio.run(scenario(address))


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
