"""The numbers of the pages that the doors of the front page lead to, each as it is in the code."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Final

import pytest

from livecore.api.requests.limits import DEFAULT_PER_MINUTE
from livecore.testing import World
from livecore_client._async.beating import AsyncBeatingPresence
from livecore_client._retry import RETRIED_STATUSES

HOW_TO: Final = Path(__file__).parents[2] / "docs" / "how-to"


def page(name: str) -> str:
    """The text of a page, its lines joined."""
    return " ".join((HOW_TO / f"{name}.md").read_text("utf-8").split())


def test_how_long_a_gift_to_everybody_takes() -> None:
    """`give-to-everybody`: one request for each player, below the limit of the backend's key."""
    found = re.search(
        r"allows ([\d,]+) requests a minute, so ([\d,]+) players take (\d+) minutes", page("give-to-everybody")
    )
    assert found
    limit, players, minutes = (int(number.replace(",", "")) for number in found.groups())
    assert limit == DEFAULT_PER_MINUTE["server_api"]
    assert players == limit * minutes


@pytest.mark.parametrize("name", ["play-from-a-browser", "play-from-another-engine"])
def test_what_a_game_repeats_and_how_often_it_beats(name: str) -> None:
    """The pages for other languages do as our own client does."""
    assert "every 30 seconds" in page(name)
    assert inspect.signature(AsyncBeatingPresence.beating).parameters["interval_seconds"].default == 30
    assert f"{', '.join(map(str, sorted(RETRIED_STATUSES)))}" in page(name)


def test_how_long_what_playfab_has_may_be() -> None:
    """`move-from-playfab`: the picture, and what else a row has, each at its limit and one above it."""
    text = page("move-from-playfab")
    assert "| up to 512 characters |" in text
    world = World()

    def moved(number: int, **fields: object) -> int:
        row = {"idempotencyKey": f"row {number}", "externalPlayerId": "anna", **fields}
        applied = world.server.call("migrate.players", rows=[row])["applied"]
        assert isinstance(applied, int)
        return applied

    most = 16 * 1024 - len('{"all":""}')
    for extra in (0, 1):
        context = {"all": "x" * (most + extra)}
        assert moved(10 + extra, name="n" * (40 + extra)) == 1 - extra
        assert moved(20 + extra, avatar="a" * (512 + extra)) == 1 - extra
        assert moved(30 + extra, playerContext=context) == 1 - extra
