"""A played season: the same for the same seed, whole in every part of the game, and its books close."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from livecore.api.configuration.game_config import GameConfig, load_config, parse_config
from livecore.demo import DEMO
from livecore.economy.webhook_events import InventoryChanged, WalletChanged
from livecore.kernel.errors import JsonObject
from livecore.kernel.time import DAY
from livecore.simulation.behaviour import Me
from livecore.simulation.population import Population, parse_population
from livecore.simulation.season import play_season
from livecore.simulation.sessions.preset import PresetBehaviour
from livecore.simulation.watching import Nobody
from livecore.world import Emitted, World
from livecore.world.game import START
from livecore.world.results import CallResult
from tests.simulation.digesting import digest_of_a_season

ROOT = Path(__file__).parents[2]
SESSIONS = ROOT / "livecore" / "simulation" / "sessions"
ASKED = re.compile(r'"([a-z]+\.[a-zA-Z]+)"')


class Counting(Nobody):
    """Counts what a watcher is told."""

    def __init__(self) -> None:
        self.resumed: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.refusals: Counter[tuple[str, str, str]] = Counter()
        self.kinds: Counter[str] = Counter()
        self.order: list[str] = []
        self.days: list[int] = []
        self.wallets: Counter[tuple[str, str]] = Counter()
        self.world: World | None = None

    def began(self, world: World, config: GameConfig, population: Population) -> None:
        """The first thing of all."""
        assert world.game.name == config.name
        assert population.behaviours
        self.world = world
        self.order.append("began")

    def registered(self, player: str, behaviour: str) -> None:
        """Before the first session."""
        self.order.append(f"registered {player} {behaviour}")

    def session(self, player: str, behaviour: str) -> None:
        """A session."""
        self.order.append(f"session {player} {behaviour}")

    def left(self, player: str, behaviour: str) -> None:
        """Somebody has left."""
        self.order.append(f"left {player} {behaviour}")

    def came_back(self, player: str, behaviour: str) -> None:
        """Somebody is there again."""
        self.order.append(f"came_back {player} {behaviour}")

    def called(self, operation: str, behaviour: str, status: int, code: str | None, answer: Any) -> None:  # noqa: ANN401 - any row
        """An answer or a refusal."""
        if code is None:
            self.calls[operation] += 1
            self.resumed[behaviour] += operation == "events.start" and status == 200
        else:
            self.refusals[operation, code, behaviour] += 1
            assert status >= 400 or code == "lobby_forming"
            assert answer.code == code

    def event(self, emitted: Emitted) -> None:
        """Amounts are added up."""
        self.kinds[emitted.kind] += 1
        assert emitted.environment == "live"
        payload = emitted.payload
        if isinstance(payload, WalletChanged):
            self.wallets[payload.external_player_id, payload.economy_key] += payload.delta
        elif isinstance(payload, InventoryChanged):
            self.wallets[payload.external_player_id, payload.item_key] += payload.delta

    def day_ended(self, day: int) -> None:
        """Days come one after the other."""
        assert self.world is not None
        assert self.world.now == START + (day + 1) * DAY
        self.days.append(day)

    def ended(self, world: World) -> None:
        """The last thing of all."""
        assert world is self.world
        self.order.append("ended")


BUSY = parse_population(
    {
        "behaviours": [
            {"name": name, "share": share, "sessionsPerDay": 4, "churnPerDay": 0.03, "returnPerDay": 0.5,
             "friendliness": 0.8, "generosity": 0.8, "spendPerDay": 3, "arrival": {"atStart": 0.9, "overDays": 2},
             "activities": {"events": 1, "guilds": 1, "lobbies": 1, "teams": 1, "crates": 1}}
            for name, share in (("casual", 0.4), ("competitor", 0.3), ("griefer", 0.3))
        ],
        "backend": {"daily": [{"label": "bonus", "entries": [
            {"type": "currency", "resourceKey": "gold", "amount": 50},
            {"type": "item", "resourceKey": "potion", "amount": 2},
            {"type": "crate", "resourceKey": "starter-chest", "amount": 1},
        ]}]},
        "shop": [{"label": "paint", "resourceKey": "gold", "cost": 7, "perSession": 0.5}],
        "products": [{"id": "gems", "amountMinor": 499, "entries": [
            {"type": "currency", "resourceKey": "gems", "amount": 100}]}],
    }
)  # fmt: skip
MORE: dict[str, Any] = {
    "leaderboards": [
        {"key": "fastest", "name": "Fastest", "source": "client", "aggregation": "best",
         "validators": [{"key": "cap", "kind": "range", "min": 0, "max": 900, "verdict": "reject"}]}
    ],
    "events": [
        {"key": "gathering", "name": "Gathering", "metrics": [{"key": "points"}],
         "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 604800, "durationSeconds": 604800},
         "attempts": {"maxPerWindow": None}, "lobby": {"capacity": 200, "fillSeconds": 2592000, "matchBy": ["mode"]}}
    ],
}  # fmt: skip
STUDIO: JsonObject = {
    "economyMode": "studio",
    "economy": [{"key": "xp", "kind": "progression"}],
    "events": [
        {"key": "race", "name": "Race", "metrics": [{"key": "points"}],
         "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 86400, "durationSeconds": 86400},
         "milestones": [{"key": "any", "threshold": 1,
                         "entries": [{"type": "currency", "resourceKey": "xp", "amount": 1}]}]}
    ],
}  # fmt: skip


def demo() -> GameConfig:
    """The demo game, with smaller guilds, a leaderboard that takes scores from the client, and lobbies that never fill."""
    data = json.loads(DEMO)
    for section, more in MORE.items():
        data[section] += more
    data["guilds"]["maxMembers"] = 4
    return parse_config(data)


@cache
def busy_season() -> tuple[Counting, World]:
    """A small season in which everybody does everything."""
    watch = Counting()
    world = play_season(demo(), BUSY, players=40, days=8, seed=3, watch=watch)
    return watch, world


@cache
def season_of_a_studio() -> Counting:
    """A season of a game whose wallets the studio keeps itself."""
    watch = Counting()
    population = parse_population(
        {"behaviours": [{"name": "core", "share": 1, "sessionsPerDay": 4, "arrival": {"atStart": 1}}]}
    )
    play_season(parse_config(STUDIO), population, players=4, days=2, watch=watch)
    return watch


def asked_for() -> set[str]:
    """Every operation that the presets ask for, as their modules say."""
    return {found for path in SESSIONS.glob("*.py") for found in ASKED.findall(path.read_text("utf-8"))}


def test_every_part_of_the_game_is_played() -> None:
    """Each operation that a preset asks for succeeds at least once in two small seasons."""
    succeeded = {
        name.removeprefix("server:") for watch in (busy_season()[0], season_of_a_studio()) for name in watch.calls
    }
    assert len(asked_for()) > 50
    assert asked_for() - succeeded == set()


def test_the_backend_plays_its_part() -> None:
    """It gives, sells and forms the teams of the event that leaves this to it."""
    watch, _ = busy_season()
    assert {"server:grants.create", "server:teams.putRoster"} <= set(watch.calls)
    assert not [key for key in watch.refusals if key[0].startswith("server:")]


def test_refusals_are_counted_by_behaviour() -> None:
    """A griefer is refused what is not allowed, and nobody else cheats."""
    watch, _ = busy_season()
    cheats = {behaviour for operation, code, behaviour in watch.refusals if code == "anti_cheat_rejected"}
    assert cheats == {"griefer"}
    assert {code for operation, code, behaviour in watch.refusals if behaviour == "griefer"} >= {
        "cannot_friend_self", "gift_amount_invalid", "insufficient_balance", "already_in_guild",
    }  # fmt: skip


def test_an_attempt_that_runs_is_gone_on_with() -> None:
    """A client knows which attempt runs, so no start is spent on one: each that succeeds has begun an attempt."""
    watch, _ = busy_season()
    assert watch.kinds["event.attempt_started"] > 200
    assert watch.calls["events.start"] == watch.kinds["event.attempt_started"]
    assert set(watch.resumed.values()) == {0}


def test_the_books_close() -> None:
    """What every player holds at the end is the sum of what the events say came and went."""
    watch, world = busy_season()
    held: Counter[tuple[str, str]] = Counter()
    for player in {line.split()[1] for line in watch.order if line.startswith("registered")}:
        for row in world.server.wallet.get(player).balances:
            if row.key not in ("sessions", "login_streak"):
                held[player, row.key] = row.balance
        for item in world.server.inventory.get(player).items:
            held[player, item.item_key] = item.quantity
    assert sum(held.values()) > 1_000
    assert {key: amount for key, amount in held.items() if amount} == {
        key: amount for key, amount in watch.wallets.items() if amount
    }


def test_a_watcher_is_told_in_order() -> None:
    """It begins, days end one after the other, everybody registers before the first session, and it ends."""
    watch, world = busy_season()
    assert (watch.order[0], watch.order[-1], watch.days) == ("began", "ended", list(range(8)))
    there: set[str] = set()
    for line in watch.order[1:-1]:
        what, player, _ = line.split()
        if what == "registered":
            assert player not in there
            there.add(player)
        assert player in there
    assert {line.split()[0] for line in watch.order} >= {"left", "came_back"}
    assert world.events == []


def test_who_comes_back_plays() -> None:
    """The session begins right after: nobody comes back only to leave again."""
    watch = Counting()
    rare: JsonObject = {"name": "lapsed", "share": 1, "sessionsPerDay": 0.5, "churnPerDay": 0.5, "returnPerDay": 0.5}
    play_season(
        demo(), parse_population({"behaviours": [{**rare, "arrival": {"atStart": 1}}]}), players=8, days=10, watch=watch
    )
    following: dict[str, list[str]] = {}
    for line in watch.order[1:-1]:
        what, player, _ = line.split()
        following.setdefault(player, []).append(what)
    after = Counter(later for told in following.values() for now, later in pairwise(told) if now == "came_back")
    assert set(after) == {"session"}
    assert after["session"] > 10


def pythons() -> Iterator[Path]:
    """Every Python of this machine that the project supports, found beside the one that runs."""
    yield Path(sys.executable)
    for path in sorted(Path(sys.base_prefix).parent.glob("3.1*/bin/python")):
        version = path.parent.parent.name
        if int(version.split(".")[1]) >= 11 and not sys.version.startswith(version):
            yield path


@pytest.mark.parametrize("python", tuple(pythons()), ids=lambda path: path.parent.parent.name)
def test_a_season_is_the_same_in_every_process(python: Path) -> None:
    """Neither the order of hashes nor the version of Python shows in any answer or event."""
    libraries = os.pathsep.join(path for path in sys.path if path.endswith("site-packages"))
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": libraries, "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [python, "-m", "tests.simulation.digesting"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == digest_of_a_season()


def test_another_seed_is_another_season() -> None:
    """Or the digest would prove nothing."""
    assert digest_of_a_season(6) != digest_of_a_season()


# -- one more request -----------------------------------------------------------------------------------------------------


class Idle(PresetBehaviour):
    """Plays as the presets do; one player asks for nothing of use now and then."""

    def __init__(self, who: str | None) -> None:
        self.who = who
        self.asked = 0

    def session(self, me: Me) -> Iterator[float]:
        """A session, with an idle request within it."""
        for number, wait in enumerate(PresetBehaviour.session(self, me)):
            if me.name == self.who and number == 0:
                me.do("wallet.get")
                me.do("presence.heartbeat")
                me.draw("nothing")
                self.asked += 1
            yield wait


def answers_of_others(monkeypatch: pytest.MonkeyPatch, idle: Idle, players: int = 30) -> list[str]:
    """What everybody but `player-3` was answered, in a season of the demo game."""
    answers: list[str] = []
    told = Me._told

    def noting(me: Me, operation: str, result: CallResult) -> CallResult:
        if me.name != "player-3" and me.community.order[me.name] < 30:
            answers.append(f"{me.now} {me.name} {operation} {result.status} {result.code} {result.row}")
        return told(me, operation, result)

    with monkeypatch.context() as patched:
        patched.setattr(Me, "_told", noting)
        population = parse_population(
            {
                "behaviours": [
                    {"name": "core", "share": 1, "sessionsPerDay": 3, "churnPerDay": 0, "arrival": {"atStart": 1}}
                ]
            }
        )
        play_season(load_config(DEMO), population, players=players, days=3, seed=2, classes={"core": idle})
    return answers


def test_an_idle_request_changes_nobody_elses_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every answer to everybody else, with every id and every roll in it, stays as it was."""
    idle = Idle("player-3")
    without, with_idle = (answers_of_others(monkeypatch, one) for one in (Idle(None), idle))
    assert idle.asked > 3
    assert len(without) > 500
    assert with_idle == without


def test_more_players_come_at_no_other_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was there before comes as before: the first answer of each session is at the same instant."""
    few, many = (answers_of_others(monkeypatch, Idle(None), players) for players in (30, 40))
    beats = [[line.split(" presence")[0] for line in lines if " presence.heartbeat " in line] for lines in (few, many)]
    assert beats[0] == beats[1]


def test_players_pay_as_often_in_a_session_as_the_population_says() -> None:
    """Also more than once."""
    watch = Counting()
    population = parse_population(
        {
            "behaviours": [{"name": "core", "share": 1, "arrival": {"atStart": 1}}],
            "backend": {
                "daily": [
                    {"label": "rich", "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1_000}]},
                ]
            },
            "shop": [{"label": "sweets", "resourceKey": "gold", "cost": 1, "perSession": 3}],
        }
    )
    play_season(demo(), population, players=6, days=4, watch=watch)
    sessions = sum(line.startswith("session ") for line in watch.order)
    assert 2 * sessions < watch.calls["wallet.debit"] <= 3 * sessions
