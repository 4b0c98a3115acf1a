"""No request changes or deletes an entry of the audit trail, but an erasure.

It empties those about the erased player, and what those about a group that was only theirs say of the group's texts.
"""

from __future__ import annotations

import pytest

from livecore import World
from livecore.access.audit import AUDIT, AUDIT_BY_TIME, AuditEntry
from livecore.api.requests.http import Request, Response
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.tables import Erase
from livecore.players.player import MERGED_INTO, PLAYERS
from tests.access.test_operators_matrix import build, call
from tests.contract.oracle import OPERATED
from tests.contract.walk import walk_through
from tests.player_tools.marked import game, lived


def entries(here: World) -> dict[str, AuditEntry]:
    """Every entry of every scope, by its id."""
    scopes = (*here.scopes, DIRECTORY)
    rows = [row for scope in scopes for row in here.store.read(scope, lambda tx: tx.scan(AUDIT_BY_TIME))]
    return {row.audit_id: row for row in rows}


def emptied(entry: AuditEntry) -> AuditEntry:
    """What an erasure leaves of an entry."""
    return evolve(entry, **dict.fromkeys(AUDIT.players["player_id"].personal))


def without_texts(entry: AuditEntry) -> AuditEntry:
    """What an erasure leaves of an entry about a group."""
    return evolve(entry, before=None, after=None)


def gone(here: World) -> set[str]:
    """The ids of players who were erased, and of those who had been merged into one of them."""
    found: set[str] = set()
    for scope in here.scopes:
        rows = here.store.dump().get(scope.id, {}).get(PLAYERS.name, [])
        erased = [row.player_id for row in rows if row.erased_at is not None]
        found |= {*erased}
        for player_id in erased:
            found |= {row.player_id for row in here.store.read(scope, lambda tx: tx.scan(MERGED_INTO, player_id))}  # noqa: B023 - used at once
    return found


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, AuditEntry]]:
    """What became of the entries that were there before each request: those that were emptied, with the path."""
    handle = World.handle
    known: dict[int, dict[str, AuditEntry]] = {}
    told: list[tuple[str, AuditEntry]] = []

    def watched(here: World, request: Request) -> Response:
        before = known.get(id(here), {})
        response = handle(here, request)
        after = known[id(here)] = entries(here)
        for audit_id, entry in before.items():
            if after.get(audit_id) == entry:
                continue
            assert request.path.endswith("/delete")
            if entry.target_kind in {"guild", "team"} and entry.player_id not in gone(here):
                assert after.get(audit_id) == without_texts(entry), (request.method, request.path, entry)
                continue
            assert after.get(audit_id) == emptied(entry), (request.method, request.path, entry)
            assert entry.player_id in gone(here)
            told.append((request.path, entry))
        return response

    monkeypatch.setattr(World, "handle", watched)
    return told


def test_in_a_walk_through_the_whole_service(changed: list[tuple[str, AuditEntry]]) -> None:
    """Every operation of players and of the backend, with all its success statuses."""
    assert len(entries(walk_through().world)) > 30
    assert changed


@pytest.mark.parametrize("operated", [False, True])
def test_in_a_life_with_everything(changed: list[tuple[str, AuditEntry]], operated: bool) -> None:
    """What is done to one player, by the backend or by an operator; and then the player is erased."""
    life = lived(World(game()), operated=operated)
    assert [path for path, _ in changed if "sixth" not in path] == []
    number = len(entries(life.world))
    life.ask(life.server, "players.erase", external_id=life.marked.external_id)
    assert len(changed) > 10
    assert len(entries(life.world)) == number + 1


def test_by_every_operation_of_operators(changed: list[tuple[str, AuditEntry]]) -> None:
    """With every role that it takes, in both environments."""
    here = build()
    for route in (*OPERATED, *reversed(OPERATED)):
        for environment in ("test", "live"):
            call(here, route, here.headers(), environment=environment)
    assert len(entries(here.world)) > sum(route.writes for route in OPERATED) / 2
    assert {path.rpartition("/")[2] for path, _ in changed} <= {"delete"}


def test_what_an_erasure_empties_is_all_that_may_be_personal() -> None:
    """Ids, times and names of operations stay; every free text and address of an entry goes."""
    column = AUDIT.players["player_id"]
    assert column.erase is Erase.ANONYMISE
    assert set(column.personal) == {"address", "metadata", "before", "after"}
