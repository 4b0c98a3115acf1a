"""The portal of a populated game, followed from link to link; its whole length is in `tests/proofs/portal`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from livecore_server.portal.pages import ROUTES
from tests.populated.shared import opened, shared_game
from tests.portal.crawling import Crawl

_GAME: Final = "/portal/studios/{studioId}/games/{gameId}"
_FURTHER_IN: Final = {
    f"{_GAME}/attempts/{{attemptId}}/complete",
    f"{_GAME}/attempts/{{attemptId}}/rewards",
    f"{_GAME}/players/{{externalId}}/debug-off",
    f"{_GAME}/players/{{externalId}}/unban",
    f"{_GAME}/webhooks/{{endpointId}}/pause",
}
"""Pages that only some players, attempts and endpoints lead to, and perhaps not those of this short form."""


def test_an_owner_follows_links_in_the_live_environment(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """No linked page fails or is refused, none is too large, and none shows a value as a program writes it."""
    kept = shared_game(tmp_path_factory)
    with opened(kept, tmp_path) as service:
        crawl = Crawl(service.portal, kept.cookies["OWNER"], most=2, environments=frozenset({"live", ""}))
        crawl.run()
    assert crawl.faults == [], "\n".join(crawl.faults)
    assert {route.path for route in ROUTES} - crawl.reached.keys() <= _FURTHER_IN
