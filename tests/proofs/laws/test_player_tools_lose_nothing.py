"""The laws of merging and erasing, in sequences of everything that can happen.

A merge keeps every sum and loses no grant, gift, purchase or ledger entry; the source is named nowhere any more, and merging
again does nothing. An erasure keeps every sum as well, what was paid for gifts going back; afterwards the player has no
relation and no export, and erasing again does nothing. In the end `livecore check` finds nothing: no ledger that does not
add up, no row about somebody who is not there, nobody in two places.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.api.areas import AREAS
from livecore.kernel.declarations import player_lifecycle
from livecore.player_tools.walking import still_named
from tests.laws.games import Place
from tests.laws.lawful import generated, seeds
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.routes import request_of
from tests.laws.rows import Amounts, PlaceRows
from tests.laws.sequences_with_merges import with_merges
from tests.player_tools.soundness import faults_in
from tests.proofs.laws.test_stores_are_indistinguishable import STORES, compare


@pytest.fixture(params=[player_lifecycle.FEW, 0], ids=["row by row", "in bulk"])
def _few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows there are."""
    monkeypatch.setattr(player_lifecycle, "FEW", request.param)


class ToolsLoseNothing(Witness):
    """Looks at a place before and after each merge and erasure."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        """How often each status was answered."""
        self._before: dict[Place, PlaceRows] = {}

    def answered(self, play: Play, asked: Asked, answer: Answered) -> None:
        """Compare what there was with what there is."""
        before = self._before.get(asked.place)
        now = self._before[asked.place] = PlaceRows.of(play.arena, asked.place)
        if asked.name not in {"server:players.merge", "server:players.erase"} or answer.status != 200 or before is None:
            return
        if answer.replayed:
            return
        status = str(answer.data["status"])
        self.done[status] += 1
        assert now.owned() == before.owned() - _nobodys(before, now), asked
        if status.startswith("no_op"):
            assert _without_traces(now) == _without_traces(before), asked
            return
        assert {row.grant_id for row in now.grants} - _won(before, now) == {row.grant_id for row in before.grants}
        assert {row.gift_id for row in now.gifts} == {row.gift_id for row in before.gifts}
        assert {row.purchase_id: row.cents for row in now.purchases} == {
            row.purchase_id: row.cents for row in before.purchases
        }
        assert {row.entry_id for row in now.entries} >= {row.entry_id for row in before.entries}
        judge = self._merged if status == "merged" else self._erased
        judge(play, asked, answer)

    def _merged(self, play: Play, asked: Asked, answer: Answered) -> None:
        source = answer.data["fromPlayerId"]
        named = play.arena.store.read(
            play.arena.scope(asked.place),
            lambda tx: list(still_named(AREAS, play.arena.store.reader(tx.scope), source)),
        )
        assert named == [], asked
        again = play.probe(_without_key(asked))
        assert again.data == {**answer.data, "status": "no_op_already_merged"}, asked

    def _erased(self, play: Play, asked: Asked, answer: Answered) -> None:
        placeholder = answer.data["anonymizedExternalId"]
        rows = self._before[asked.place]
        (row,) = (row for row in rows.players if row.external_id == placeholder)
        assert row.player_id not in {id_ for pair in rows.relations for id_ in (pair.low_id, pair.high_id)}
        again = play.probe(_without_key(asked))
        assert again.data == {"status": "no_op_already_erased", "anonymizedExternalId": placeholder}, asked

    def waited(self, play: Play, happened: object) -> None:
        """Time changes rows as well."""
        del happened
        self._before = {place: PlaceRows.of(play.arena, place) for place in play.arena.places}

    def ended(self, play: Play) -> None:
        """All in all it is sound."""
        play.arena.flush()
        assert faults_in(play.arena.store.dump()) == []


def _nobodys(before: PlaceRows, now: PlaceRows) -> Amounts:
    """What was on its way in gifts that ended just now, from senders who were erased before: nobody has it back."""
    gone = {row.player_id for row in before.players if row.external_id.startswith("__deleted_")}
    pending = {gift.gift_id for gift in now.pending_paid()}
    lost: Amounts = Counter()
    for gift in before.pending_paid():
        if gift.sender_id in gone and gift.gift_id not in pending:
            lost[gift.asset_kind, gift.asset_key] += gift.amount
    return lost


def _won(before: PlaceRows, now: PlaceRows) -> set[str]:
    """The grants for ranks of boards that became final just now: fewer are in play in a lobby, which ended its session."""
    final = now.final_boards() - before.final_boards()
    known = {row.grant_id for row in before.grants}
    return {row.grant_id for row in now.grants if row.grant_id not in known and row.source_ref_id in final}


def _without_key(asked: Asked) -> Asked:
    """The same request as somebody sends it who has not heard of the first one."""
    headers = {name: text for name, text in asked.request.headers.items() if name != "content-type"}
    return attrs.evolve(asked, key=None, request=request_of(asked.name, asked.player, asked.arguments, headers))


def _without_traces(rows: PlaceRows) -> dict[str, list[object]]:
    """All but what is left of every request: its entry in the audit trail, and its answer where it had a key.

    The first that looks for a former id also makes the key of the scope under which these are kept.
    """
    left = {"audit_entries", "idempotent_answers", "scope_keys"}
    return {name: held for name, held in rows.tables.items() if name not in left}


@pytest.mark.usefixtures("_few")
@seeds
def test_player_tools_lose_nothing(seed: int) -> None:
    """On fixed seeds, in which each status is met."""
    law = ToolsLoseNothing()
    play(with_merges(3_000 + seed, 120), law, note=f"The sequence with merges of seed {3_000 + seed}, 120 scenes:")
    assert {"merged", "erased", "no_op_already_merged", "no_op_already_erased"} <= set(law.done), law.done


@pytest.mark.usefixtures("_few")
@given(seed=st.integers(0, 2**40))
@generated
def test_player_tools_lose_nothing_in_any_sequence(seed: int) -> None:
    play(with_merges(seed, 25), ToolsLoseNothing())


@pytest.mark.parametrize("store", sorted(STORES))
def test_stores_are_indistinguishable_through_merges_and_erasures(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same answers, events and rows on every store, however many rows there are."""
    monkeypatch.setattr(player_lifecycle, "FEW", 1)
    compare(with_merges(4_000, 40), STORES[store], tmp_path, "The sequence with merges of seed 4000, 40 scenes")
