"""Emitted events against the catalog and the steps written by hand: each kind that the operations of this release cause."""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest

from tests.contract.walk import MONTH, STEPS, walked
from tests.webhooks.oracle import FIELDS

LATER: Final = sum((Counter(step.then) for step in STEPS.values()), Counter[str]())
"""What the month brings."""
CAUSED: Final = {name: Counter(step.emits) for name, step in STEPS.items()} | {MONTH: LATER}
"""The events of each step, counted by hand from the specification's tables."""
KINDS: Final = sorted(set().union(*CAUSED.values()))
"""What the operations and sweeps of this release can cause."""

OF_NOBODY: Final = {"window.opened", "window.closed", "leaderboard.finalized"}
"""Events about no player; a final leaderboard names those who lead in its ranks."""


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_was_emitted_with_exactly_its_fields(kind: str) -> None:
    """Every payload of the walk has the written members, none more and none less."""
    payloads = [event.data for event in walked().world.events if event.kind == kind]
    assert payloads, f"the walk has not met {kind}"
    words = " ".join(FIELDS[kind]).split()
    always = {word for word in words if not word.endswith("?")}
    for payload in payloads:
        assert always <= set(payload) <= {word.removesuffix("?") for word in words}


def test_no_other_kind_was_emitted() -> None:
    """The walk has met no kind beyond these."""
    assert {event.kind for event in walked().world.events} == set(KINDS)


ABOUT_PLAYERS: Final = [kind for kind in KINDS if "layerId" in " ".join(FIELDS[kind])]
"""Those whose payload itself names a player."""


@pytest.mark.parametrize("kind", ABOUT_PLAYERS)
def test_payloads_name_players_by_both_ids(kind: str) -> None:
    """Wherever a payload has `…PlayerId` it has `…ExternalPlayerId` too, and they are ids of their sort."""
    for event in walked().world.events:
        if event.kind != kind:
            continue
        ids = [name for name in event.data if name == "playerId" or name.endswith("PlayerId")]
        internal = [name for name in ids if not name.lower().endswith("externalplayerid")]
        assert internal or kind in OF_NOBODY
        for name in internal:
            assert str(event.data[name]).startswith("plr_")
            outer = "externalPlayerId" if name == "playerId" else name.replace("PlayerId", "ExternalPlayerId")
            assert isinstance(event.data[outer], str)


@pytest.mark.parametrize("step", CAUSED)
def test_what_a_step_emits(step: str) -> None:
    """How often each kind was emitted by each step of the walk, and while the month passed."""
    assert walked().emitted[step] == CAUSED[step]
