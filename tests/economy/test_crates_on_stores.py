"""Crates over each of the stores: the same draws everywhere, and many openings at once in two processes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

from livecore.api.configuration.game_config import parse_config
from livecore.api.maintenance import system_unit
from livecore.economy.crate_rows import OpenCrate
from livecore.economy.crates import DEFINITIONS, OPENINGS, open_crate, rolls_of, waits_in
from livecore.economy.grants import GRANTS
from livecore.economy.refusals import GrantAlreadyClaimed
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.store import Store, StoreConflict, Transaction
from livecore.players.player import require
from livecore_server.storage.database import store_at
from tests.added_game import STORES, AddedGame, Rows, findings, headers_for
from tests.worlds import config

_AFTER: Final = 3
_GOLD: Final[JsonObject] = {"type": "currency", "resourceKey": "gold", "amount": 1}
CHEST: Final[JsonObject] = {
    "key": "chest",
    "name": "Chest",
    "rolls": [
        {
            "rows": [{"weight": 10**9, "entries": [_GOLD]}, {"weight": 1, "entries": []}],
            "pity": {"after": _AFTER, "row": 1},
        }
    ],
}
"""Its second row practically never comes but by pity."""


def game_over(store: Rows) -> AddedGame:
    """A game with one crate and one player."""
    game = AddedGame(store, config=parse_config({**config(), "crates": [CHEST]}))
    game.register("anna")
    return game


def give(game: AddedGame, number: int, name: str = "anna") -> str:
    """Give a crate; gives its id."""
    body = {
        "idempotencyKey": f"c{number}",
        "kind": "crate",
        "entries": [{"type": "crate", "resourceKey": "chest", "amount": 1}],
    }
    said = game.ask("POST", f"/server/v1/players/{name}/grants", body, headers=headers_for(game.key("server")))
    assert said.status == 201, said.json
    return str(said.json["data"]["grant"]["grantId"])


def test_every_store_draws_the_same(tmp_path: Path) -> None:
    """The same requests give the same answers and rows, and the checker derives each draw again."""
    rows: dict[str, list[Any]] = {}
    for name, store_in in STORES.items():
        with store_in(tmp_path) as store:
            game = game_over(store)
            answers = []
            for number in range(5):
                crate_id = give(game, number)
                answers.append(game.as_player("anna", "GET", "/crates").json)
                answers.append(game.as_player("anna", "POST", f"/crates/{crate_id}/open", {}).json)
            assert [answer["data"]["rolls"][0]["row"] for answer in answers[1::2]] == [0, 0, 0, 1, 0]
            rows[name] = [answers, sorted(map(repr, game.rows(OPENINGS))), sorted(map(repr, game.rows(GRANTS)))]
            if name != "memory":
                assert findings(game) == []
    assert rows["sqlite"] == rows["memory"]
    assert rows["postgres"] == rows["memory"]


# -- at once --------------------------------------------------------------------------------------------------------------


def _open_all(game: AddedGame, stores: list[Any], crates: list[str], names: Sequence[str] = ("anna",)) -> Counter[str]:
    """Open crates at once, every other one in the second process; counts what came of it.

    A unit whose row another one has inserted meanwhile runs again, as on a server.
    """

    def work(tx: Transaction, number: int) -> None:
        unit = system_unit(tx, game.made.game, game.now, f"{number}".encode())
        unit.player_id = require(unit, names[number % len(names)]).player_id
        open_crate(unit, OpenCrate(crate_id=crates[number]))

    def take(store: Store, numbers: range) -> list[str]:
        ended = []
        waiting = deque(numbers)
        while waiting:
            try:
                store.write(game.scope, partial(work, number=waiting[0]))
            except StoreConflict:
                continue
            except GrantAlreadyClaimed as refusal:
                ended.append(refusal.code)
            else:
                ended.append("opened")
            waiting.popleft()
        return ended

    halves = [range(first, len(crates), 2) for first in range(2)]
    with ThreadPoolExecutor(2) as pool:
        return Counter(code for codes in pool.map(take, stores, halves) for code in codes)


def test_a_crate_opens_once_however_many_ask(url: str) -> None:
    """64 openings of one crate in two processes: one draws, and the others are told so."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0])
        assert _open_all(game, stores, [give(game, 0)] * 64) == {"opened": 1, "grant_already_claimed": 63}
        assert len(game.rows(OPENINGS)) == 1
        assert sorted(row.status for row in game.rows(GRANTS)) == ["claimed", "pending"]
        assert findings(game) == []


def test_openings_at_once_count_for_pity_one_after_the_other(url: str) -> None:
    """64 crates of one player in two processes: every fourth one gives the row of pity."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0])
        assert _open_all(game, stores, [give(game, number) for number in range(64)]) == {"opened": 64}
        waits = Counter(sum(waits_in(opening.waits).values()) for opening in game.rows(OPENINGS))
        assert waits == dict.fromkeys(range(_AFTER + 1), 16)
        assert Counter(rolls_of(opening)[0].row for opening in game.rows(OPENINGS)) == {0: 48, 1: 16}
        assert findings(game) == []


def test_the_first_openings_of_many_players_store_one_definition(url: str) -> None:
    """Each of 32 players opens one crate, in two processes at once."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0])
        names = [f"player-{number}" for number in range(32)]
        for name in names:
            game.register(name)
        crates = [give(game, number, name) for number, name in enumerate(names)]
        assert _open_all(game, stores, crates, names) == {"opened": 32}
        assert len(game.rows(DEFINITIONS)) == 1
        assert findings(game) == []
