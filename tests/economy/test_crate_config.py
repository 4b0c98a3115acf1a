"""What a game may declare as a crate, and what is refused with its path."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.economy.crate_config import CrateDefinition
from livecore.economy.crate_draws import draw
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.wire import decode
from livecore.kernel.wire.shapes import ABSENT
from tests.economy.crate_games import GOLD, POTION, chest, entry, roll, row
from tests.worlds import config


@pytest.mark.parametrize(
    "crates",
    [
        [chest(rolls=[{"times": 60, "rows": [row(entry("a")), row(entry("b"))]}]), chest(key="a"), chest(key="b")],
        [chest(rolls=[{"rows": [row(entry("chest")), row()]}])],
        [chest(rolls=[{"times": 100, "rows": [row(GOLD), row(POTION)]}])],
    ],
)
def test_what_can_be_large_or_come_again_is_accepted(crates: list[Any]) -> None:
    """As many crates as one row after the other can give, and a crate that may hold itself."""
    parse_config(config(crates=crates))


def test_equal_entries_are_added_up_and_those_with_attributes_stay_apart() -> None:
    """In the order of their first mention."""
    fine, finer = ({**POTION, "parameters": {"level": level}} for level in (1, True))
    definition = decode(CrateDefinition, chest(guaranteed=[GOLD, fine, GOLD, finer, POTION, POTION], rolls=[]))
    (gold, *potions) = draw(definition, bytes(32), {}).entries
    assert gold.amount == 2
    assert [(potion.amount, potion.parameters) for potion in potions] == [
        (1, {"level": 1}), (1, {"level": True}), (2, ABSENT),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("crates", "path"),
    [
        ([chest(), chest()], "crates[1].key"),
        ([chest(key="Chest")], "crates[0].key"),
        ([chest(guaranteed=[entry("box")])], "crates[0].guaranteed[0].resourceKey"),
        ([chest(guaranteed=[{**GOLD, "resourceKey": "sessions"}])], "crates[0].guaranteed[0].resourceKey"),
        ([chest(rolls=[roll({**POTION, "resourceKey": "hat"})])], "crates[0].rolls[0].rows[0].entries[0].resourceKey"),
        ([chest(rolls=[roll(GOLD, pity={"after": 1, "row": 1})])], "crates[0].rolls[0].pity.row"),
        ([chest(rolls=[{"rows": []}])], "crates[0].rolls[0].rows"),
        ([chest(rolls=[{"rows": [{"weight": 0, "entries": []}]}])], "crates[0].rolls[0].rows[0].weight"),
        ([chest(rolls=[roll(GOLD, times=60), roll(GOLD, times=41)])], "crates[0].rolls"),
        ([chest(guaranteed=[], rolls=[roll()])], "crates[0]"),
        ([chest(rolls=[roll(entry("chest", 3), times=34)])], "crates[0]"),
        ([chest(rolls=[roll({**GOLD, "amount": 2**53 - 1}, times=2)])], "crates[0]"),
        ([chest(rolls=[roll({**POTION, "parameters": {"level": 1}}, times=50)])], "crates[0]"),
        ([chest(guaranteed=[{**GOLD, "parameters": {"level": 1}}])], "crates[0].guaranteed[0].parameters"),
        ([chest(guaranteed=[entry("chest")])], "crates[0]"),
        ([chest(rolls=[{"rows": [row(entry("chest")), row(entry("chest"), GOLD)]}])], "crates[0]"),
        ([chest(guaranteed=[entry("box")]), chest(key="box", guaranteed=[entry("chest")])], "crates[1]"),
    ],
)
def test_contradictions_are_refused_with_their_path(crates: list[Any], path: str) -> None:
    """Before anything is applied."""
    with pytest.raises(ValidationFailed) as refused:
        parse_config(config(crates=crates))
    assert path in refused.value.fields


def test_an_entry_cost_has_no_crates() -> None:
    """A crate is won, and paid with nothing."""
    event = {
        "key": "race",
        "name": "Race",
        "schedule": {"windows": [{"startsAt": "2026-01-01T00:00:00Z", "endsAt": "2026-01-08T00:00:00Z"}]},
        "metrics": [{"key": "points"}],
        "entryCost": [entry("chest")],
        "completionRewards": [entry("chest")],
    }
    with pytest.raises(ValidationFailed) as refused:
        parse_config(config(events=[event]))
    assert list(refused.value.fields) == ["events[0].entryCost[0].type"]
