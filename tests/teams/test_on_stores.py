"""Teams over each of the stores: the same rows everywhere, and many players at once in two processes."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from livecore.api.configuration.game_config import parse_config
from livecore.economy.grants import GRANTS
from livecore.kernel.time import SECOND
from livecore.leaderboards.boards import BOARDS, ENTRIES
from livecore.players.player import PLAYERS
from livecore.teams.invites import INVITES
from livecore.teams.membership import join, leave
from livecore.teams.partners import invite
from livecore.teams.payments import PAYMENTS
from livecore.teams.rows import InvitePartner, JoinTeam, LeaveTeam
from livecore.teams.team import SEATS, TEAMS, UNLOCKS
from livecore_server.storage.database import store_at
from tests.added_game import STORES, AddedGame, Rows, findings
from tests.at_once import at_once
from tests.competition.games import event
from tests.competition.playing import gold
from tests.teams.groups import MILESTONES
from tests.worlds import config

_MANY: Final = 64
_SEATS: Final = 5
_NAMES: Final = [f"p{number}" for number in range(_MANY)]


def game_over(store: Rows, *names: str, formation: str = "open", most: int = _SEATS) -> AddedGame:
    """A game whose event is played in teams, and players."""
    rules: dict[str, Any] = {
        "formation": formation,
        "size": {"min": 1, "max": most},
        "milestones": MILESTONES,
        "rankRewards": [{"from": 1, "to": 1, "entries": [gold(9)]}],
    }
    game = AddedGame(store, config=parse_config({**config(), "events": [event(teams=rules)]}))
    for name in names:
        game.register(name)
    return game


def test_every_store_keeps_the_same(tmp_path: Path) -> None:
    """The same requests give the same answers and rows: joining, leaving, scoring, a milestone, and the close."""
    rows: dict[str, list[Any]] = {}
    for name, store_in in STORES.items():
        with store_in(tmp_path) as store:
            game = game_over(store, "anna", "bert", "carl")
            steps = ("anna team", "bert team/join", "carl team/join", "bert team/leave", "bert team")
            answers = [
                game.as_player(who, "POST", f"/events/race/{path}", {}).json for who, path in map(str.split, steps)
            ]
            for who in ("anna", "bert"):
                begun = game.as_player(who, "POST", "/events/race/start", {}).json
                path = f"/events/race/attempts/{begun['data']['attempt']['attemptId']}/progress"
                answers.append(game.as_player(who, "POST", path, {"metrics": {"points": 12}}).json)
            answers += [game.as_player("carl", "GET", f"/events/race/{path}").json for path in ("teams", "team")]
            game.now += 3_600 * SECOND
            game.run_due()
            tables = (TEAMS, SEATS, UNLOCKS, PAYMENTS, INVITES, BOARDS, ENTRIES, GRANTS)
            rows[name] = [answers, *(sorted(map(repr, game.rows(table))) for table in tables)]
            if name != "memory":
                assert findings(game) == []
    assert rows["sqlite"] == rows["memory"]
    assert rows["postgres"] == rows["memory"]


# -- at once --------------------------------------------------------------------------------------------------------------


def test_a_team_is_never_overfilled(url: str) -> None:
    """64 join in two processes at once: each sits in one team, no team has too many, and none is left nearly empty."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0], *_NAMES)
        joined = at_once(game, stores, _NAMES, lambda unit: join(unit, JoinTeam(key="race")))
        assert joined == {"done": _MANY}
        assert Counter(row.members for row in game.rows(TEAMS)) == {_SEATS: _MANY // _SEATS, _MANY % _SEATS: 1}
        assert len({row.player_id for row in game.rows(SEATS)}) == _MANY
        left = at_once(game, stores, _NAMES, lambda unit: leave(unit, LeaveTeam(key="race")))
        assert left == {"done": _MANY}
        assert {row.members for row in game.rows(TEAMS)} == {0}
        assert findings(game) == []


def test_one_player_joins_once_however_often_they_ask(url: str) -> None:
    """At once, in two processes."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0], "anna")
        joined = at_once(game, stores, ["anna"] * 16, lambda unit: join(unit, JoinTeam(key="race")))
        assert joined == {"done": 1, "already_in_team": 15}
        assert [row.members for row in game.rows(TEAMS)] == [1]
        assert findings(game) == []


def test_two_who_invite_each_other_at_once_are_one_pair(url: str) -> None:
    """Once, however often both ask."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0], "anna", "bert", formation="partner", most=2)

        anna = next(row.player_id for row in game.rows(PLAYERS) if row.external_id == "anna")

        def ask(unit: Any) -> object:  # noqa: ANN401 - a unit of work
            other = "bert" if unit.player_id == anna else "anna"
            return invite(unit, InvitePartner(key="race", external_player_id=other))

        made = at_once(game, stores, ["anna", "bert"] * 8, ask)
        assert made["done"] + made["already_in_team"] == 16
        assert [row.members for row in game.rows(TEAMS)] == [2]
        assert [row.team_id is not None for row in game.rows(INVITES)] == [True]
        assert findings(game) == []
