"""`livecore players inactive`: who was not there for so many days, and nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from livecore.api.configuration.game_config import load_config
from livecore.demo import DEMO
from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, MINUTE, Millis, Timestamp
from livecore.players.player import PLAYERS, Player
from livecore_server.cli.new_games import create_game
from livecore_server.storage.database import store_at
from livecore_server.system import now_millis
from tests.postgres.server import ready_database
from tests.server.commands import Command


@attrs.frozen
class Played:
    """A game whose players were last there at these times, by external id."""

    url: str
    seen: dict[str, Millis]

    def lines(self, *names: str) -> list[str]:
        """What the command says of these."""
        return [f"{Timestamp(self.seen[name]).wire} {name}" for name in names]


@pytest.fixture(params=["sqlite", "postgresql"])
def played(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Played]:
    """Players of the test environment, more than a page of whom are inactive; and one of the live environment."""
    if request.param == "sqlite":
        yield _played(f"sqlite:///{tmp_path / 'game.db'}")
    else:
        with ready_database() as url:
            yield _played(url)


def _played(url: str) -> Played:
    now = now_millis()
    seen = {f"p {at:04}": now - 90 * DAY - at * MINUTE for at in range(1_203)}
    seen |= {"anna/no": now - 31 * DAY, "bert": now - 29 * DAY, "zoë": now - 400 * DAY}
    seen["anna, of the woods"] = seen.pop("anna/no")
    with store_at(url, create=True) as store:
        game = create_game(store, load_config(DEMO), "Studio").game

        def play(tx: Transaction) -> None:
            for at, (name, last) in enumerate(seen.items()):
                tx.insert(PLAYERS, _player(f"plr_{at}", name, last))
            gone = evolve(_player("plr_gone", "__deleted_1__", now - 500 * DAY), erased_at=now)
            tx.insert(PLAYERS, gone)

        store.write(Scope(game.game_id, "test"), play)
        store.write(
            Scope(game.game_id, "live"), lambda tx: tx.insert(PLAYERS, _player("plr_l", "live", now - 60 * DAY))
        )
    return Played(url, seen)


def _player(player_id: str, name: str, last: Millis) -> Player:
    return Player(
        player_id=PlayerId(player_id), external_id=name, pool_name="Owl", first_seen_at=last, last_seen_at=last
    )


def test_it_lists_whoever_was_not_there(played: Played, livecore: Command) -> None:
    """The longest inactive first, across pages; nobody who was erased, nobody of the other environment."""
    said = livecore.done(
        "players", "inactive", "--database", played.url, "--environment", "test", "--days", 30
    ).out.splitlines()
    assert len(said) == 1_205
    assert [said[0], said[1], said[-1]] == played.lines("zoë", "p 1202", "anna, of the woods")
    assert said == sorted(said)
    said = livecore.done(
        "players", "inactive", "--database", played.url, "--environment", "live", "--days", 30
    ).out.splitlines()
    assert [line.partition(" ")[2] for line in said] == ["live"]


def test_as_json(played: Played, livecore: Command) -> None:
    """One object; also where there is nobody."""
    asked = ("players", "inactive", "--database", played.url, "--environment", "test", "--json", "--days")
    shown = livecore.done(*asked, 100).json
    assert shown == {"players": [{"externalPlayerId": "zoë", "lastActiveAt": Timestamp(played.seen["zoë"]).wire}]}
    assert len(livecore.done(*asked, 30).json["players"]) == 1_205
    assert livecore.done(*asked, 30_000).json == {"players": []}


@pytest.mark.parametrize("days", ["0", "-1", "many"])
def test_a_wrong_number_of_days_is_refused(livecore: Command, tmp_path: Path, days: str) -> None:
    """As a wrong call, before any database is opened."""
    ended = livecore(
        "players", "inactive", "--database", f"sqlite:///{tmp_path / 'no.db'}", "--environment", "test", "--days", days
    )
    assert (ended.status, ended.out) == (2, "")
    assert "--days" in ended.err


def test_a_database_that_does_not_exist_is_refused(livecore: Command, tmp_path: Path) -> None:
    """And none is made."""
    path = tmp_path / "no.db"
    ended = livecore("players", "inactive", "--database", f"sqlite:///{path}", "--environment", "test", "--days", 30)
    assert ended.status == 1
    assert not path.exists()
