"""The portal of a populated game, followed from link to link by a member of each role, in both environments."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from livecore.access.roles import ROLES
from livecore_server.portal.pages import ROUTES
from tests.populated.shared import opened, shared_game
from tests.portal.crawling import Crawl


def test_every_role_follows_links(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    """No linked page fails or is refused, whatever the ids and names in it are; and every page is linked for somebody."""
    kept = shared_game(tmp_path_factory)
    faults: list[str] = []
    reached: Counter[str] = Counter()
    with opened(kept, tmp_path) as service:
        for role in ROLES:
            most, hostile = (25, True) if role == "OWNER" else (5, False)
            crawl = Crawl(service.portal, kept.cookies[role], most=most, hostile=hostile)
            crawl.run()
            faults += [f"{role}: {fault}" for fault in crawl.faults]
            reached += crawl.reached
    assert faults == [], "\n".join(faults)
    assert {route.path for route in ROUTES} - reached.keys() == set(), "pages that no link leads to"
