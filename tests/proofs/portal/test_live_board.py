"""A leaderboard in the portal follows what is played, in a real Chromium on a whole server."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.examples.browser import browser, opened, require_browser
from tests.portal.test_served import sign_in
from tests.server.serving import serving

_SCORES = "[...document.querySelectorAll('#board tbody tr')].map(row => row.cells[2].textContent)"


def test_a_board_follows_every_score(tmp_path: Path) -> None:
    """What changes is shown without loading the page again, and the page says that it is live."""
    require_browser()

    async def scenario(address: str) -> None:
        async with serving(tmp_path) as server:
            secrets = {name: await server.register(name) for name in ("ada", "bo")}
            attempts = {}
            for name, secret in secrets.items():
                await server.studio("POST", f"/players/{name}/wallet/gold/credit", {"amount": 50})
                started = await server.sdk("POST", f"/{name}/events/daily-dash/start", {}, secret=secret)
                attempts[name] = started.json["data"]["attempt"]

            async def score(name: str, points: int) -> None:
                path = f"/{name}/events/daily-dash/attempts/{attempts[name]['attemptId']}/progress"
                done = await server.sdk("POST", path, {"metrics": {"points": points}}, secret=secrets[name])
                assert done.status == 200, done

            await score("ada", 20)
            name, _, token = (await sign_in(server)).partition("=")
            base = f"http://127.0.0.1:{server.port}"
            game = server.game.game
            board = attempts["ada"]["leaderboardId"]
            below = f"studios/{game.studio_id}/games/{game.game_id}/leaderboards/{board}?environment=test"
            async with opened(address, "about:blank") as page:
                await page.tell("Network.setCookie", name=name, value=token, url=base)
                await page.go(f"{base}/portal/{below}")
                await page.until("document.getElementById('live').textContent", "Live: it follows every score.")
                await page.until(_SCORES, ["20"])
                await score("bo", 30)
                await page.until(_SCORES, ["30", "20"])
                await score("ada", 15)
                await page.until(_SCORES, ["35", "30"])

    with browser() as address:
        asyncio.run(scenario(address))
