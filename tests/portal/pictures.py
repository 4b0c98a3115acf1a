"""Pictures of the portal for the documentation: `python -m tests.portal.pictures`, with a Chromium.

The game is the demo game in a world, so the pictures show the same at every run, whatever the time is.
"""

from __future__ import annotations

import asyncio
import base64
import sys
from pathlib import Path
from typing import Any, Final

import attrs

from livecore.demo import DEMO
from livecore.kernel.unit import Unit
from livecore.webhooks.dispatch import lease_due, record_attempt
from livecore.webhooks.outcome import answered
from livecore.world import World
from tests.examples.browser import Page, browser, opened
from tests.portal.browsing import Member
from tests.proofs.portal.test_browser import look_like, served

__all__ = ["PICTURES", "Picture", "demo_studio", "take"]

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
    Picture("player", "/players/ada"),
    Picture("player-on-a-phone", "/players/ada", 390, 844, "dark"),
    Picture("events", "/events", height=700),
    Picture("deliveries", "/deliveries", height=700),
    Picture("settings", "/settings", height=700),
)


def demo_studio() -> World:
    """The demo game with a few players, who have done what players do."""
    world = World(DEMO)
    owner = world.operator("owner@example.com")
    owner.call("webhooks.create", url="https://example.com/livecore", key="backend", events=["*"])
    for name, shown in (("ada", "Ada Otter"), ("bo", "Bo Heron"), ("cem", "Cem Lynx"), ("dea", "Dea Finch")):
        world.player(name).call("players.setIdentity", name=shown, avatar=None)
        owner.call("wallet.adjust", external_id=name, economy_key="gold", delta=500, reason="welcome")
        world.advance(minutes=3)
    ada, bo, cem = (world.player(name) for name in ("ada", "bo", "cem"))
    for friend in ("bo", "cem"):
        ada.call("friends.sendRequest", external_player_id=friend)
        world.player(friend).call("friends.sendRequest", external_player_id="ada")
    world.advance(minutes=20)
    gift: Any = bo.call(
        "gifts.send", external_player_id="ada", type="currency", resource_key="gold", amount=25, message="Well played!"
    )["gift"]
    ada.call("gifts.claim", gift_id=gift["giftId"])
    owner.call("inventory.adjust", external_id="ada", item_key="sword", delta=1, reason="ticket 4711")
    for player, points in ((ada, 130), (bo, 480), (cem, 310)):
        world.advance(minutes=11)
        attempt: Any = player.call("events.start", key="daily-dash")["attempt"]
        player.call("events.progress", key="daily-dash", attempt_id=attempt["attemptId"], metrics={"points": points})
    founded: Any = ada.call("guilds.create", name="River Watch")["guild"]
    bo.call("guilds.join", guild_id=founded["guildId"])
    cem.call("gifts.send", external_player_id="ada", type="currency", resource_key="gold", amount=40)
    ada.call(
        "purchases.track", store="google", transaction_id="t-1", product_id="gems-500", product_type="consumable",
        amount_minor=499, currency="USD",
    )  # fmt: skip
    owner.call(
        "grants.create", idempotency_key="ticket-4711", external_player_id="ada", source_ref_id="ticket 4711",
        entries=[{"type": "currency", "resourceKey": "gold", "amount": 50}],
    )  # fmt: skip
    while world.unit_of_work(_send):
        pass
    return world


def _send(unit: Unit) -> bool:
    """Send what waits. What tells of guilds is refused."""
    leased = lease_due(unit, 100)
    for one in leased:
        status = 503 if one.kind.startswith("guild.") else 200
        record_attempt(unit, one.delivery_id, one.number, answered(status, now=unit.now))
    return bool(leased)


async def _photograph(page: Page, base: str, member: Member, picture: Picture) -> bytes:
    await look_like(page, picture.width, picture.scheme)
    await page.tell(
        "Emulation.setDeviceMetricsOverride",
        width=picture.width, height=picture.height, deviceScaleFactor=1, mobile=False,
    )  # fmt: skip
    await page.tell("Emulation.setScrollbarsHidden", hidden=True)
    await page.go(f"{base}{member.game(picture.page)}")
    taken = await page.tell("Page.captureScreenshot", format="png")
    return base64.b64decode(taken["data"])


def take(folder: Path = FOLDER) -> None:
    """Take all pictures into a folder."""
    member = Member.of(demo_studio())
    folder.mkdir(parents=True, exist_ok=True)

    async def scenario(address: str) -> None:
        async with served(member) as base, opened(address, f"{base}/portal/") as page:
            for picture in PICTURES:
                (folder / f"{picture.name}.png").write_bytes(await _photograph(page, base, member, picture))

    with browser() as address:
        asyncio.run(scenario(address))


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
