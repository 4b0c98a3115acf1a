"""Completing and rewarding attempts over each of the stores: the same rows everywhere, and once however many try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.api.maintenance import system_unit
from livecore.economy.grants import GRANTS
from livecore.events.attempt_records import ATTEMPTS, PROGRESS
from livecore.events.forcing import force_complete, retry_reward_roll
from livecore.events.operator_rows import ForceComplete, RetryRewardRoll
from livecore.kernel.errors import Refusal
from livecore.kernel.storage.store import Store, StoreConflict, Transaction
from livecore.kernel.units.unit import Actor, Unit
from livecore.leaderboards.boards import ENTRIES
from livecore.teams.team import SEATS, TEAMS
from livecore_server.storage.database import store_at
from tests.added_game import STORES, AddedGame, Rows, findings, signed_in
from tests.competition.forcing import RACE
from tests.competition.games import event, leaderboard
from tests.worlds import config

_CREWS: Final = event("crews", teams={"formation": "open", "size": {"max": 3}})
_TABLES: Final = (ATTEMPTS, PROGRESS, ENTRIES, GRANTS, TEAMS, SEATS)
_AT_ONCE: Final = 8


def _game(store: Rows) -> AddedGame:
    fed = leaderboard(source="event", event="race", aggregation="sum")
    game = AddedGame(store, config=parse_config({**config(), "events": [RACE, _CREWS], "leaderboards": [fed]}))
    for name in ("anna", "bert"):
        game.register(name)
    return game


def _as_member(game: AddedGame, cookie: str, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
    made = game.made.game
    whole = f"/admin/v1/studios/{made.studio_id}/games/{made.game_id}{path}"
    said = game.ask(method, whole, body, query="environment=test", headers=signed_in(cookie))
    return said.json


def _started(game: AddedGame, name: str, event_key: str, points: int) -> str:
    said = game.as_player(name, "POST", f"/events/{event_key}/start", {})
    assert said.status == 201, said.json
    attempt_id = str(said.json["data"]["attempt"]["attemptId"])
    path = f"/events/{event_key}/attempts/{attempt_id}/progress"
    assert game.as_player(name, "POST", path, {"metrics": {"points": points}}).status == 200
    return attempt_id


def test_every_store_keeps_the_same(tmp_path: Path) -> None:
    """The same requests give the same answers and rows, and the checker finds nothing."""
    kept: dict[str, list[Any]] = {}
    for name, store_in in STORES.items():
        with store_in(tmp_path) as store:
            game = _game(store)
            cookie = game.member("owner@example.com")
            assert game.as_player("anna", "POST", "/events/crews/team", {}).status == 201
            _started(game, "bert", "race", 60)
            answers, read = [], ["/events", "/leaderboards", "/leaderboards/weekly"]
            for event_key, points, score in (("race", 40, 120), ("crews", 7, 3)):
                game.now += 1_000
                attempt_id = _started(game, "anna", event_key, points)
                body = {"reason": "it hung", "score": score}
                for path, sent in (("force-complete", body), ("retry-reward-roll", {}), ("retry-reward-roll", {})):
                    answers.append(_as_member(game, cookie, "POST", f"/attempts/{attempt_id}/{path}", sent))
                answers.append(_as_member(game, cookie, "GET", f"/attempts/{attempt_id}"))
                window = answers[-1]["data"]["attempt"]["eventWindowId"]
                parts = ("", f"/{window}", *(f"/{window}/{part}" for part in ("attempts", "leaderboards", "teams")))
                read += [f"/events/{event_key}/windows{part}" for part in parts]
            answers += [_as_member(game, cookie, "GET", path) for path in read]
            answers.append(_as_member(game, cookie, "DELETE", "/leaderboards/weekly/players/anna"))
            refused = [answer["error"]["code"] for answer in answers if "error" in answer]
            assert refused == ["rewards_already_granted"]
            kept[name] = [answers, *(sorted(map(repr, game.rows(table))) for table in _TABLES)]
            if name != "memory":
                assert findings(game) == []
    assert kept["sqlite"] == kept["memory"]
    assert kept["postgres"] == kept["memory"]


@pytest.mark.parametrize("wanted", ["complete", "reward"])
def test_two_at_once_do_it_once(url: str, wanted: str) -> None:
    """Many members, in two processes, at one attempt: one succeeds, and the others are told."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = _game(stores[0])
        attempt_id = _started(game, "anna", "race", 40)
        complete = ForceComplete(attempt_id=attempt_id, reason="it hung", score=120)
        if wanted == "complete":
            done = _at_once(game, stores, lambda unit: force_complete(unit, complete))
            assert done == {"done": 1, "attempt_not_in_progress": 2 * _AT_ONCE - 1}
        else:
            game.in_unit(lambda unit: force_complete(unit, complete))
            done = _at_once(game, stores, lambda unit: retry_reward_roll(unit, RetryRewardRoll(attempt_id=attempt_id)))
            assert done == {"done": 1, "rewards_already_granted": 2 * _AT_ONCE - 1}
        assert len(game.rows(GRANTS)) == (3 if wanted == "reward" else 0)
        assert [row.score for row in game.rows(ENTRIES) if row.attempt_id == attempt_id] == [120]
        assert findings(game) == []


def _at_once(game: AddedGame, stores: list[Any], work: Callable[[Unit], object]) -> Counter[str]:
    """Have members do something in two processes; a unit that another was quicker than runs again, as on a server."""

    def as_member(tx: Transaction, number: int) -> object:
        unit = system_unit(tx, game.made.game, game.now, f"member {number}".encode())
        unit.actor = Actor("member", f"mbr_{number}")
        return work(unit)

    def take(store: Store, first: int) -> list[str]:
        ended: list[str] = []
        while len(ended) < _AT_ONCE:
            try:
                store.write(game.scope, partial(as_member, number=first + 2 * len(ended)))
            except StoreConflict:
                continue
            except Refusal as refusal:
                ended.append(refusal.code)
            else:
                ended.append("done")
        return ended

    with ThreadPoolExecutor(2) as pool:
        return Counter(code for codes in pool.map(take, stores, (0, 1)) for code in codes)
