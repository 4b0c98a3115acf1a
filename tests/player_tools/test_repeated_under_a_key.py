"""Merging and erasing under an idempotency key: a repetition is the first answer, and what is kept names nobody erased."""

from __future__ import annotations

import hashlib
import json

import pytest

from livecore import World
from livecore.api.requests.idempotency import ANSWERS, fingerprint_of
from livecore.kernel.time import DAY
from livecore.world import WorldPlayer
from tests.player_tools.soundness import faults_of
from tests.worlds import Reply, Since, ask, give, rows_of, scope_of, world

KEY = "please forget anna"


@pytest.fixture
def game() -> World:
    """A world in which three players have registered."""
    made = world()
    for name in ("guest", "account", "anna"):
        made.player(name)
    return made


def merge(game: World, source: str, target: str, **more: object) -> Reply:
    """Ask to merge."""
    return ask(game.server, "players.merge", external_id=source, to_external_id=target, **more)


def erase(game: World, name: str, **more: object) -> Reply:
    """Ask to erase."""
    return ask(game.server, "players.erase", external_id=name, **more)


def anew(game: World, name: str) -> WorldPlayer:
    """Somebody who registers an id that has become free."""
    game._players.pop(name)
    return game.player(name)


def _replayed(first: Reply, again: Reply) -> bool:
    same = (again.status, again.response.body) == (first.status, first.response.body)
    return same and again.header("Idempotent-Replay") == "true" and first.header("Idempotent-Replay") is None


def test_a_merge_under_the_same_key_is_the_first_answer(game: World) -> None:
    """It changes no row and tells nobody; without the key, and with another one, it says that there is nothing to do."""
    first = merge(game, "guest", "account", idempotency_key=KEY)
    before, since = game.store.dump(), Since(game)
    assert _replayed(first, merge(game, "guest", "account", idempotency_key=KEY))
    assert (game.store.dump(), since.kinds) == (before, [])
    assert merge(game, "guest", "account")["status"] == "no_op_already_merged"
    assert merge(game, "guest", "account", idempotency_key="other")["status"] == "no_op_already_merged"


def test_a_key_merges_once(game: World) -> None:
    """Another source, another target and an erasure under it are conflicts, and nothing happens to them."""
    merge(game, "guest", "account", idempotency_key=KEY)
    before = game.store.dump()
    for reply in (
        merge(game, "anna", "account", idempotency_key=KEY),
        merge(game, "guest", "anna", idempotency_key=KEY),
        erase(game, "anna", idempotency_key=KEY),
    ):
        assert reply.refusal == (409, "idempotency_conflict")
    assert game.store.dump() == before


def test_a_late_try_merges_nobody_who_came_since(game: World) -> None:
    """Who registered the source's id anew is left alone by a repetition, and by a new key merged."""
    first = merge(game, "guest", "account", idempotency_key=KEY)
    newcomer = anew(game, "guest")
    assert _replayed(first, merge(game, "guest", "account", idempotency_key=KEY))
    give(newcomer, "gold", 3)
    assert merge(game, "guest", "account", idempotency_key="other")["status"] == "merged"


def test_an_erasure_under_the_same_key_is_the_first_answer(game: World) -> None:
    """Also when the id was registered anew since: a late try must not erase somebody else."""
    first = erase(game, "anna", idempotency_key=KEY)
    assert first["status"] == "erased"
    newcomer = anew(game, "anna")
    before = game.store.dump()
    assert _replayed(first, erase(game, "anna", idempotency_key=KEY))
    assert game.store.dump() == before
    assert ask(newcomer, "players.getProfile").status == 200
    assert erase(game, "anna", idempotency_key="other")["anonymizedExternalId"] != first["anonymizedExternalId"]


def test_a_key_erases_once(game: World) -> None:
    """Another player or another operation under it is a conflict, whichever of the two came first."""
    erase(game, "anna", idempotency_key=KEY)
    ban = {"external_id": "guest", "reason": "cheating"}
    ask(game.server, "players.ban", **ban, idempotency_key="of a ban")
    for reply in (
        erase(game, "guest", idempotency_key=KEY),
        erase(game, "anna", idempotency_key=KEY, reason="test"),
        ask(game.server, "players.ban", **ban, idempotency_key=KEY),
        erase(game, "guest", idempotency_key="of a ban"),
    ):
        assert reply.refusal == (409, "idempotency_conflict")


@pytest.mark.parametrize(("name", "status"), [("anna", "no_op_already_erased"), ("nobody", "no_op_never_existed")])
def test_an_erasure_without_effect_is_kept_as_well(game: World, name: str, status: str) -> None:
    """So that a late try of it does not erase who registers afterwards."""
    erase(game, "anna")
    first = erase(game, name, idempotency_key=KEY)
    assert first["status"] == status
    game._players.pop("anna")
    game.player(name)
    assert _replayed(first, erase(game, name, idempotency_key=KEY))


def test_after_a_day_a_key_is_new(game: World) -> None:
    """As for everything that keeps no key for good."""
    merge(game, "guest", "account", idempotency_key=KEY)
    game.advance_to(game.now + DAY)
    assert merge(game, "guest", "account", idempotency_key=KEY)["status"] == "no_op_already_merged"
    assert erase(game, "anna", idempotency_key=KEY).refusal == (409, "idempotency_conflict")


def test_what_is_kept_of_an_erasure_tells_nobody_who_it_was(game: World) -> None:
    """Neither the id nor the key stands there, nor a hash that whoever knows the id could make without the scope's key."""
    erase(game, "anna", idempotency_key=KEY)
    (kept,) = rows_of(game, ANSWERS)
    assert set(json.loads(kept.body)["data"]) == {"status", "anonymizedExternalId"}
    stored = repr(game.store.dump()[scope_of(game).id])
    assert "anna" not in stored
    path = "/server/v1/players/{externalId}/delete/anna"
    for body in ({}, {"reason": "studio_request"}):
        assert fingerprint_of("POST", path, dict(body)) not in stored
    assert hashlib.sha256(b"anna").hexdigest() not in stored
    assert faults_of(game) == []


def test_a_merges_record_goes_with_the_erasure_of_either(game: World) -> None:
    """What was answered about the merged player, first or repeated, is about the later one as well."""
    merge(game, "guest", "account", idempotency_key="first")
    merge(game, "account", "anna", idempotency_key="second")
    merge(game, "guest", "account", idempotency_key="without effect")
    assert len(rows_of(game, ANSWERS)) == 3
    erase(game, "anna")
    assert rows_of(game, ANSWERS) == []
    assert not {"guest", "account", "anna"} & set(repr(game.store.dump()[scope_of(game).id]).split("'"))
    assert faults_of(game) == []


def test_a_merge_that_is_repeated_after_the_erasure_brings_no_id_back(game: World) -> None:
    """Its answer is kept, and neither the ids nor a hash that whoever knows them could make stand beside it."""
    merge(game, "guest", "account")
    merge(game, "account", "anna")
    erase(game, "anna")
    first = merge(game, "guest", "account", idempotency_key=KEY)
    assert first["status"] == "no_op_already_merged"
    stored = repr(game.store.dump()[scope_of(game).id])
    assert not {"guest", "account", "anna"} & set(stored.split("'"))
    path = "/server/v1/players/{externalId}/merge-into/{toExternalId}/guest/account"
    assert fingerprint_of("POST", path, {}) not in stored
    assert _replayed(first, merge(game, "guest", "account", idempotency_key=KEY))
    assert erase(game, "anna", idempotency_key=KEY).refusal == (409, "idempotency_conflict")
