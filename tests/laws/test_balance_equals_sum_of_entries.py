"""The law: a balance is the sum of its ledger entries, never below zero and never above 2^53 - 1.

The rows are added up at every wait and at the end; the events are followed one by one: each `wallet.changed` and
`inventory.changed` leads from the balance before it to its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from hypothesis import given

from livecore.economy.webhook_events import InventoryChanged, WalletChanged
from tests.laws.arena import Happened
from tests.laws.games import Place
from tests.laws.lawful import generated, hold_on_seeds, seeds
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.rows import PlaceRows
from tests.laws.sequences import sequences
from tests.laws.steps import Step

MOST = 2**53 - 1


class BalanceEqualsSumOfEntries(Witness):
    """Follows every change and adds up the ledger."""

    def __init__(self) -> None:
        self._told: dict[tuple[Place, str, str, str], int] = defaultdict(int)

    def answered(self, _play: Play, asked: Asked, answer: Answered) -> None:
        """Follow the events of a request."""
        self._follow(asked.place, answer.events)

    def waited(self, play: Play, happened: list[Happened]) -> None:
        """Follow the events of the sweeps, and add up."""
        for event in happened:
            self._follow(event.place, [event.event])
        self.ended(play)

    def ended(self, play: Play) -> None:
        """Add up every place."""
        for place in play.arena.places:
            rows = PlaceRows.of(play.arena, place)
            check_ledger(rows)
            told = {key[1:]: amount for key, amount in self._told.items() if key[0] == place}
            if told:
                held = {(row.player_id, row.asset_kind, row.asset_key): row.amount for row in rows.holdings}
                assert told == held

    def _follow(self, place: Place, events: Sequence[object]) -> None:
        for event in events:
            if isinstance(event, WalletChanged):
                asset, after = (place, event.player_id, "currency", event.economy_key), event.balance
            elif isinstance(event, InventoryChanged):
                asset, after = (place, event.player_id, "item", event.item_key), event.quantity
            else:
                continue
            self._told[asset] += event.delta
            assert self._told[asset] == after
            assert 0 <= after <= MOST


def check_ledger(rows: PlaceRows) -> None:
    """Every holding equals the sum of its entries, and is one of the balances that they state."""
    sums: Counter[tuple[str, str, str]] = Counter()
    stated = defaultdict(set)
    for entry in rows.entries:
        asset = (entry.player_id, entry.asset_kind, entry.asset_key)
        assert entry.delta != 0
        assert 0 <= entry.balance <= MOST
        sums[asset] += entry.delta
        stated[asset].add(entry.balance)
    held = {(row.player_id, row.asset_kind, row.asset_key): row.amount for row in rows.holdings}
    assert set(held) == set(stated)
    for asset, amount in held.items():
        assert amount == sums[asset]
        assert amount in stated[asset]


@seeds
def test_balance_equals_sum_of_entries(seed: int) -> None:
    hold_on_seeds(seed, BalanceEqualsSumOfEntries)


@given(steps=sequences())
@generated
def test_balance_equals_sum_of_entries_in_any_sequence(steps: list[Step]) -> None:
    play(steps, BalanceEqualsSumOfEntries())
