"""`livecore players erase`: the erasures of a list, without a server."""

from __future__ import annotations

import getpass
import io
from pathlib import Path
from types import SimpleNamespace

import attrs
import pytest

from livecore.access.audit import AUDIT_BY_TIME, AuditEntry
from livecore.kernel.scope import scope_of
from livecore_server.storage.database import is_postgres, store_at
from tests.contract.stories import MARK
from tests.maintenance.worlds_in_files import find_player, world_in
from tests.player_tools.marked import lived
from tests.proofs.workers.test_erasure import left_in
from tests.server.commands import Command, Ended
from tests.worlds import ask


@attrs.frozen
class Desk:
    """A database with a few players, and a person at a terminal."""

    livecore: Command
    url: str
    folder: Path
    game_id: str

    def erase(self, text: str | bytes, *more: str) -> Ended:
        """Erase the lines of a file."""
        path = self.folder / "ids.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.livecore("players", "erase", "--database", self.url, "--environment", "test", path, *more)


@pytest.fixture
def desk(capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path) -> Desk:
    """Anna, Bert, and a guest whose data is Bert's since a merge."""
    with world_in(url) as world:
        for name in ("anna", "bert", "guest"):
            world.player(name)
        ask(world.server, "players.merge", external_id="guest", to_external_id="bert")
        game_id = world.game.game_id
    return Desk(Command(capsys), url, tmp_path, game_id)


def entries(desk: Desk) -> list[AuditEntry]:
    """The audit trail of the environment."""
    with store_at(desk.url) as store:
        rows = store.read(scope_of(desk.game_id, "test"), lambda tx: tx.scan(AUDIT_BY_TIME))
    return [row for row in rows if row.action == "players.erase"]


def test_a_list_is_erased_and_what_became_of_each_is_said(desk: Desk) -> None:
    """A BOM, line ends of Windows, blank lines and an id twice are what a list from elsewhere has."""
    ended = desk.erase(b"\xef\xbb\xbfanna\r\n\r\nghost\r\nguest\r\nanna\r\n")
    assert ended.status == 1
    assert ended.out.splitlines() == [
        "ghost: never existed",
        "guest: not erased, because the player was merged and the data is that of bert",
        "1 erased, 0 erased before, 1 never existed, 1 merged",
    ]
    assert find_player(desk.url, desk.game_id, "anna") is None
    assert find_player(desk.url, desk.game_id, "bert") is not None
    (entry,) = entries(desk)
    assert (entry.actor_kind, entry.actor_ref, entry.via) == ("system", getpass.getuser(), "cli")
    assert entry.player_id is not None
    assert (entry.target_kind, entry.target_id) == ("player", entry.player_id)


def test_it_may_be_done_again(desk: Desk) -> None:
    """Nothing changes the second time; with JSON nothing else is printed."""
    first = desk.erase("anna\nbert\n", "--json", "--reason", "gdpr_erasure")
    again = desk.erase("anna\nbert\nghost", "--json")
    assert (first.status, again.status) == (0, 0)
    assert first.json == {"erased": 2, "alreadyErased": 0, "merged": [], "neverExisted": []}
    assert again.json == {"erased": 0, "alreadyErased": 2, "merged": [], "neverExisted": ["ghost"]}
    assert len(entries(desk)) == 2
    assert {row.metadata for row in entries(desk)} == {'{"reason":"gdpr_erasure"}'}


def test_a_line_that_is_no_id_erases_nobody(desk: Desk) -> None:
    """The placeholder of an erased player is none either: by it their row would be found."""
    for line in (b"__deleted_x__", b"\xff", b"x" * 5_000):
        ended = desk.erase(b"anna\n" + line + b"\n")
        assert ended.status == 2
        assert f"nobody is erased: line 2 of {desk.folder / 'ids.txt'} is no external id: " in ended.err
    assert find_player(desk.url, desk.game_id, "anna") is not None


def test_the_list_may_come_from_another_program(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a dash."""
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"anna\n"), isatty=lambda: False))
    words = ("players", "erase", "--database", desk.url, "--environment", "test", "-")
    assert desk.livecore.done(*words).out == "1 erased, 0 erased before, 0 never existed, 0 merged\n"


def test_a_file_that_is_served_is_refused(desk: Desk) -> None:
    """The server would go on remembering the players; on PostgreSQL it is told to forget them."""
    with store_at(desk.url):
        ended = desk.erase("anna\n")
    if is_postgres(desk.url):
        assert ended.status == 0
    else:
        assert ended.status == 1
        assert "is open in another process: stop the server first" in ended.err
        assert find_player(desk.url, desk.game_id, "anna") is not None


def test_nothing_is_left_of_a_life(capsys: pytest.CaptureFixture[str], url: str, tmp_path: Path) -> None:
    """It is the server's own operation: the marker is in no table afterwards."""
    with world_in(url) as world:
        lived(world)
        game_id = world.game.game_id
    assert left_in(url)
    desk = Desk(Command(capsys), url, tmp_path, game_id)
    assert desk.erase(MARK).status == 0
    assert left_in(url) == {}
