"""The documentation's Python that calls a server runs on one, and its assertions hold.

The pages without a game of their own all run on one server, in any order and again, as for a reader who keeps that server;
`LIVECORE_DOCS_SEED=…` repeats an order.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from examples.own_server import OwnServer, own_server
from livecore.kernel.entropy import derive_seed
from tests.pages import CALLING, DEVELOPING, ROOT, blocks, run

SEED = os.environ.get("LIVECORE_DOCS_SEED") or secrets.token_hex(4)


@pytest.fixture(autouse=True)
def _empty_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where a reader begins."""
    monkeypatch.chdir(tmp_path)


@contextmanager
def connected(server: OwnServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The variables that the pages tell their readers to set."""
    with monkeypatch.context() as patch:
        patch.setenv("LIVECORE_BASE_URL", server.base_url)
        patch.setenv("LIVECORE_API_KEY", server.client_key)
        patch.setenv("LIVECORE_SERVER_KEY", server.server_key)
        yield


@pytest.mark.parametrize("page", sorted(CALLING - set(DEVELOPING)))
def test_a_page_with_a_game_of_its_own_runs_and_runs_again(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one server with that game."""
    (game, *_) = (block.group(1) for block in blocks(ROOT / page, "json"))
    with own_server(game) as server, connected(server, monkeypatch):
        run(page)
        run(page)


def test_all_other_pages_run_on_one_server_in_any_order_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to know which pages somebody has been through before."""
    order = sorted(DEVELOPING, key=lambda page: derive_seed(SEED.encode(), page, 0))
    monkeypatch.setenv("LIVECORE_RATE_LIMITS", "off")
    with own_server() as server, connected(server, monkeypatch):
        for page in (*order, *order):
            try:
                run(page)
            except Exception as error:
                error.add_note(f"{page} failed; LIVECORE_DOCS_SEED={SEED} gives this order: {' '.join(order)}")
                raise
