"""Behaviours of one's own: what they may do, and how a mistake ends the run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from livecore.api.configuration.game_config import load_config
from livecore.demo import DEMO
from livecore.simulation.behaviour import Behaviour, BehaviourMistake, Me
from livecore.simulation.population import parse_population
from livecore.simulation.season import play_season
from livecore.simulation.watching import Nobody

OWN = parse_population({"behaviours": [{"name": "own", "share": 1, "arrival": {"atStart": 1}}]})


class Refusals(Nobody):
    """Keeps what was refused."""

    def __init__(self) -> None:
        self.codes: list[tuple[str, str, int, str]] = []
        self.calls = 0

    def called(self, operation: str, behaviour: str, status: int, code: str | None, answer: Any) -> None:  # noqa: ANN401, ARG002 - any row
        """A call."""
        self.calls += 1
        if code is not None:
            self.codes.append((operation, behaviour, status, code))


def play(behaviour: Behaviour, players: int = 2) -> Refusals:
    """Play a day with a behaviour of one's own."""
    watch = Refusals()
    play_season(load_config(DEMO), OWN, players=players, days=2, classes={"own": behaviour}, watch=watch)
    return watch


class Walker:
    """Waits, remembers and looks."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, float]] = []
        self.looked: list[Any] = []

    def session(self, me: Me) -> Iterator[float]:
        """Two calls, with waiting between."""
        before = me.now
        yield 30
        yield 1.5
        me.memory["sessions"] = me.memory.get("sessions", 0) + 1
        assert me.memory["sessions"] == me.sessions
        self.seen.append((me.name, me.sessions, (me.now - before) / 1000))
        refused = me.do("gifts.send", external_player_id="nobody", type="currency", resource_key="gold", amount=1)
        assert (refused.ok, refused.row) == (False, None)
        answered = me.do("wallet.get")
        assert (answered.ok, answered.status) == (True, 200)
        self.looked.append(me.look("wallet.get"))


def test_a_class_of_ones_own_plays() -> None:
    """It acts, waits as long as it says, remembers, and a refusal is told to it and to the watcher."""
    walker = Walker()
    watch = play(walker)
    assert {name for name, _, _ in walker.seen} == {"player-1", "player-2"}
    assert {waited for _, _, waited in walker.seen} == {31.5}
    assert {(operation, behaviour, status) for operation, behaviour, status, _ in watch.codes} == {
        ("gifts.send", "own", 404)
    }
    assert len(watch.codes) == len(walker.seen)


class Looker:
    """Looks at everything that may be looked at, and does nothing."""

    def session(self, me: Me) -> Iterator[float]:
        """Looks only."""
        yield 2_400
        for operation in (
            "friends.list",
            "friends.listRequests",
            "gifts.list",
            "wallet.get",
            "inventory.get",
            "guilds.getOfPlayer",
        ):
            me.look(operation)
        balances = {row.key: row.balance for row in me.look("wallet.get").balances}
        assert me.memory.setdefault("streak", balances.get("login_streak")) == balances.get("login_streak")
        yield 2_400
        sessions = {row.key: row.balance for row in me.look("wallet.get").balances}.get("sessions")
        assert sessions == me.memory.setdefault("sessions", sessions)


def test_looking_changes_nothing() -> None:
    """It opens no session, and no call of it is counted: only the two registrations are."""
    assert play(Looker()).calls == 2


def faulty(act: Callable[[Me], object]) -> Behaviour:
    """A behaviour that does one thing in its first session."""

    class Faulty:
        def session(self, me: Me) -> Iterator[float]:
            yield 1
            act(me)

    return Faulty()


MISTAKES: tuple[tuple[Callable[[Me], object], str], ...] = (
    (lambda me: me.do("gifts.send", external_player_id="bob"), "TypeError"),
    (lambda me: me.do("gifts.sent", colour="red"), "TypeError: gifts.sent has no"),
    (lambda me: me.do("gifts.give"), "LookupError"),
    (lambda me: me.do("wallet.debit", economy_key="gold", amount=0), "validation_failed"),
    (lambda me: me.do("wallet.debit", economy_key="moon", amount=1), "LookupError: wallet.debit: The game defines no"),
    (lambda me: me.backend("grants.create", idempotency_key="k", entries=()), "400 validation_failed"),
    (lambda me: me.look("gifts.send"), "LookupError"),
    (lambda me: me.memory["nothing"], "KeyError"),
)  # fmt: skip


@pytest.mark.parametrize(("act", "said"), MISTAKES, ids=[said for _, said in MISTAKES])
def test_a_mistake_ends_the_run_with_its_line(act: Callable[[Me], object], said: str) -> None:
    """The message names this file and the line that was wrong, and what was wrong."""
    line = inspect.getsourcelines(act)[1]
    with pytest.raises(BehaviourMistake) as ended:
        play(faulty(act))
    assert str(ended.value).startswith(f"{__file__}:{line}: ")
    assert said in str(ended.value)


@pytest.mark.parametrize("waits", [-1, float("nan"), float("inf"), "5", None, True, 10**9])
def test_a_wait_that_is_none_ends_the_run_with_its_line(waits: object) -> None:
    """Whatever is no number of seconds."""

    class Waiting:
        def session(self, me: Me) -> Iterator[float]:  # noqa: ARG002 - it only waits
            yield from cast("list[float]", [waits])

    with pytest.raises(BehaviourMistake, match=r"test_behaviours\.py:\d+: a session yields how many seconds it waits"):
        play(Waiting())


class Forgetful:
    """Its session waits for nothing, so it is a function that plays at once."""

    def session(self, me: Me) -> None:
        """No `yield`."""
        me.do("presence.heartbeat")


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (Forgetful(), "Forgetful.session(me) is no generator: it must yield"),
        (object(), "object.session(me) is no generator: it must yield"),
        (Walker, "Walker is a class: give an object, Walker()"),
    ],
)
def test_what_is_no_behaviour_is_told_apart(behaviour: object, said: str) -> None:
    """With the name of its class."""
    with pytest.raises(BehaviourMistake) as ended:
        play(cast("Behaviour", behaviour))
    assert str(ended.value).startswith(said)


def test_a_behaviour_that_the_population_does_not_have_is_refused() -> None:
    """Or a slip in its name would play a preset in its place."""
    with pytest.raises(ValueError, match="the population has no behaviour onw: it has own"):
        play_season(load_config(DEMO), OWN, players=1, days=1, classes={"onw": Walker()})


@pytest.mark.parametrize(("players", "days"), [(0, 1), (1, 0)])
def test_a_season_needs_players_and_days(players: int, days: int) -> None:
    """Nothing to play is a slip."""
    with pytest.raises(ValueError, match="at least 1 player and 1 day"):
        play_season(load_config(DEMO), OWN, players=players, days=days)
