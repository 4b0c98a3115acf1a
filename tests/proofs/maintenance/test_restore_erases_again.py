"""A restore of an older backup erases again who was erased since: with real files, and in PostgreSQL, also after a kill."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import attrs
import psycopg
import pytest

from livecore.kernel.units.unit import Unit
from livecore.player_tools.erasure import erase
from livecore.player_tools.merging import merge
from livecore.player_tools.rows import ErasePlayer, MergePlayer
from livecore.players.player import Player
from livecore.players.registration import first_contact
from livecore_server.operations.copy import put_back
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.snapshot import snapshot_store
from tests.contract.stories import MARK
from tests.maintenance.worlds_in_files import find_player, in_game, world_in
from tests.player_tools.marked import lived
from tests.postgres.server import ready_database
from tests.proofs.maintenance.test_backup import Interrupted, after
from tests.proofs.workers.test_erasure import left_in
from tests.server.commands import Command


@attrs.frozen
class Deployment:
    """A game in a database, its backups, and a person at a terminal."""

    livecore: Command
    url: str
    folder: Path
    game_id: str

    def during(self, *happens: Callable[[Unit], object]) -> None:
        """Something happens, one after the other."""
        for work in happens:
            in_game(self.url, self.game_id, work)

    def backup(self, name: str) -> Path:
        """A backup of now."""
        file = self.folder / name
        self.livecore.done("backup", "--database", self.url, file)
        return file

    def restore(self, file: Path) -> str:
        """Replace the database; returns what the last line says after the names."""
        told = self.livecore.done("restore", file, "--database", self.url, "--overwrite").out.splitlines()[-1]
        self.livecore.done("check", "--database", self.url)
        return told.partition("; ")[2]

    def player(self, external_id: str) -> Player | None:
        """Somebody's row."""
        return find_player(self.url, self.game_id, external_id)


@pytest.fixture
def deployment(capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path) -> Deployment:
    """A game with Anna in it."""
    with world_in(url) as world:
        world.player("anna")
    return Deployment(Command(capsys), url, tmp_path, world.game.game_id)


def arriving(name: str) -> Callable[[Unit], object]:
    """A player comes for the first time."""
    return lambda unit: first_contact(unit, name)


def erasing(name: str) -> Callable[[Unit], object]:
    """The studio erases a player."""

    def erase_them(unit: Unit) -> None:
        unit.external_id = name
        assert erase(unit, ErasePlayer()).status == "erased"

    return erase_them


def merging(source: str, target: str) -> Callable[[Unit], object]:
    """The studio merges two players."""

    def merge_them(unit: Unit) -> None:
        unit.external_id = source
        assert merge(unit, MergePlayer(to_external_id=target)).status == "merged"

    return merge_them


def test_the_marker_does_not_come_back(capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path) -> None:
    """A whole life was in the backup. The backup itself stays as it was, and a second restore of it does the same."""
    with world_in(url) as world:
        lived(world)
    at = Deployment(Command(capsys), url, tmp_path, world.game.game_id)
    file = at.backup("monday.db")
    content = file.read_bytes()
    at.during(erasing(MARK))
    assert left_in(url) == {}
    for _ in range(2):
        assert at.restore(file) == "1 player who was erased since is erased again"
        assert left_in(url) == {}
        assert at.player("friend") is not None
    assert file.read_bytes() == content
    assert not [path for path in tmp_path.iterdir() if path.suffix in (".restoring", ".partial")]


def test_who_registered_anew_stays(deployment: Deployment) -> None:
    """The id is the same, and the person has another player now, who is in the later one of two backups."""
    older = deployment.backup("older.db")
    deployment.during(erasing("anna"))
    deployment.during(arriving("anna"))
    later, anew = deployment.backup("later.db"), deployment.player("anna")
    assert deployment.restore(later) == "nobody in it was erased since"
    assert deployment.player("anna") == anew
    assert deployment.restore(older) == "1 player who was erased since is erased again"
    assert deployment.player("anna") is None


def test_a_later_restore_knows_as_well(deployment: Deployment) -> None:
    """Bert came after Monday's backup. That was restored first, and was the wrong one: Tuesday's has him again."""
    monday = deployment.backup("monday.db")
    deployment.during(arriving("bert"))
    tuesday = deployment.backup("tuesday.db")
    deployment.during(erasing("bert"))
    assert deployment.restore(monday) == "nobody in it was erased since"
    assert deployment.restore(tuesday) == "1 player who was erased since is erased again"
    assert deployment.player("bert") is None
    assert deployment.player("anna") is not None


def test_by_the_id_is_found_who_was_another_player(deployment: Deployment) -> None:
    """After a restore Bert registered once more, and this Bert was erased; the backup has the one before."""
    monday = deployment.backup("monday.db")
    deployment.during(arriving("bert"))
    tuesday = deployment.backup("tuesday.db")
    deployment.restore(monday)
    deployment.during(arriving("bert"))
    deployment.during(erasing("bert"))
    assert deployment.restore(tuesday) == "1 player who was erased since is erased again"
    assert deployment.player("bert") is None


def test_those_who_were_merged_into_the_erased_player_go_as_well(deployment: Deployment) -> None:
    """In the backup they are two; one whom the merge joined to somebody who is still there is nobody's to erase."""
    deployment.during(arriving("guest"), arriving("bert"), arriving("other"))
    file = deployment.backup("monday.db")
    deployment.during(merging("guest", "anna"))
    deployment.during(merging("other", "bert"))
    deployment.during(erasing("anna"))
    assert deployment.restore(file) == "2 players who were erased since are erased again"
    assert [name for name in ("anna", "guest", "bert", "other") if deployment.player(name)] == ["bert", "other"]


def test_it_is_said_where_nothing_could_be_applied(deployment: Deployment, tmp_path: Path) -> None:
    """A new database, one of another deployment, one that is damaged: the list is then the operator's."""
    file = deployment.backup("monday.db")
    deployment.during(erasing("anna"))
    new, other, damaged = (tmp_path / name for name in ("new.db", "other.db", "damaged.db"))
    deployment.livecore.done("init", "--database", f"sqlite:///{other}")
    deployment.livecore.done("restore", file, "--database", f"sqlite:///{damaged}")
    with closing(sqlite3.connect(damaged)) as connection:
        connection.executescript("DROP TABLE players")
    for path, reason in (
        (new, "there was no database before"),
        (other, "the database before was of another deployment"),
        (damaged, "the database before cannot be read"),
    ):
        told = deployment.livecore.done("restore", file, "--database", f"sqlite:///{path}", "--overwrite").out
        assert f"; no erasures were applied, because {reason}: give the ids" in told.splitlines()[-1]
        assert "`livecore players erase`" in told.splitlines()[-1]
        assert find_player(f"sqlite:///{path}", deployment.game_id, "anna") is not None
        ids = tmp_path / "ids"
        ids.write_text("anna\n")
        deployment.livecore.done("players", "erase", "--database", f"sqlite:///{path}", "--environment", "test", ids)
        assert find_player(f"sqlite:///{path}", deployment.game_id, "anna") is None


def test_what_is_left_of_a_damaged_database_is_applied(deployment: Deployment, tmp_path: Path) -> None:
    """Disasters leave files of which a part can be read."""
    url = f"sqlite:///{tmp_path / 'damaged.db'}"
    at = attrs.evolve(deployment, url=url)
    file = deployment.backup("monday.db")
    at.livecore.done("restore", file, "--database", url)
    at.during(erasing("anna"))
    with closing(sqlite3.connect(tmp_path / "damaged.db")) as connection:
        connection.executescript("DROP TABLE former_ids; DROP TABLE games")
    assert at.restore(file).startswith(
        "1 player who was erased since is erased again, and others are not known, because the database before cannot be "
        "read: give the ids"
    )
    assert at.player("anna") is None


def test_an_interrupted_restore_goes_on_with_what_it_has_to_erase(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """In PostgreSQL the rows that say who was erased are gone by then. The second backup is another one."""
    with ready_database() as url:
        with world_in(url) as world:
            world.player("anna")
        deployment = Deployment(Command(capsys), url, tmp_path, world.game.game_id)
        monday = deployment.backup("monday.db")
        deployment.during(arriving("bert"))
        tuesday = deployment.backup("tuesday.db")
        deployment.during(erasing("anna"), erasing("bert"))
        with snapshot_store(url) as store:
            assert isinstance(store, PostgresStore)
            for rows in (20, 1, 0):
                with pytest.raises(Interrupted):
                    put_back(monday, store, overwrite=True, advance=after(rows))
            with pytest.raises(Interrupted):
                put_back(monday, store, advance=after(20))
            put_back(monday, store)
        assert deployment.player("anna") is None
        with snapshot_store(url) as store:
            assert isinstance(store, PostgresStore)
            with pytest.raises(Interrupted):
                put_back(monday, store, overwrite=True, advance=after(5))
        assert deployment.restore(tuesday) == "2 players who were erased since are erased again"
        assert (deployment.player("anna"), deployment.player("bert")) == (None, None)
        with psycopg.connect(url) as connection:
            left = "SELECT relname FROM pg_class WHERE relname LIKE '%pending_erasures%'"
            assert connection.execute(left).fetchall() == []
