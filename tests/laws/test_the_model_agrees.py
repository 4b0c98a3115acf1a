"""The service against the model: every answer is predicted, and the run counts only if it has been everywhere.

The seeds are fixed, so what they reach cannot change by chance, only because the generator, the model or the service did.
The gate asks that every operation succeeded with each of its statuses, that every transition of the specification's 3.1,
3.2, 3.3, 3.5 and 3.8 fired, with paid, free, item and XP gifts among them, that every refusal of this surface was met, and
every one of their own by the operations on whole players, purchases and rows that move in.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest
from hypothesis import given

from livecore.api.operations import OPERATIONS
from tests.laws.lawful import generated, seeds
from tests.laws.model import Model
from tests.laws.playing import play
from tests.laws.routes import DESK, SUCCESSES
from tests.laws.sequences import broad, broad_sequences, seeded
from tests.laws.steps import Step
from tests.laws.worlds import Worlds

_GATE_SEEDS: Final = ((seeded, range(10)), (broad, range(20)))
"""Some sequences among players alone, and more over all areas."""
_GATE_SCENES: Final = 150
_SUCCESSES_AT_LEAST: Final = 5
_TRANSITIONS_AT_LEAST: Final = 5
_REFUSALS_AT_LEAST: Final = 3

TRANSITIONS: Final = (
    # 3.1, friend request and friendship
    "none -add-> pending",
    "pending -add-> pending",
    "pending -add-> friends",
    "pending -accept-> friends",
    "friends -accept again-> friends",
    "pending -decline-> none",
    "pending -cancel-> none",
    "friends -remove-> none",
    "none -block-> blocked",
    "pending -block-> blocked",
    "friends -block-> blocked",
    "blocked -block-> blocked",
    "blocked -unblock-> none",
    # 3.2, gift
    "gift: sent, paid currency",
    "gift: sent, paid item",
    "gift: sent, free currency",
    "gift: sent, free item",
    "gift: sent, free progression",
    "gift: pending -claim-> claimed",
    "gift by its grant: pending -claim-> claimed",
    "gift by its grant: pending -acknowledge-> claimed",
    "free gift: pending -time-> expired",
    "paid gift: pending -time-> expired, refunded",
    "paid gift: pending -time-> pending, as the refund has no room",
    # 3.3, grant
    "grant: created",
    "grant: pending -claim-> claimed",
    "grant: pending -acknowledge-> claimed",
    "grant: claimed -acknowledge-> claimed",
    "grant: pending -time-> expired",
    "paid gift: pending -time-> expired, of nobody any more",
    # 3.5, ban
    "not banned -ban-> banned",
    "banned -ban-> banned",
    "banned -unban-> not banned",
    "not banned -unban-> not banned",
    # 3.8, the end of a player
    "player: merged",
    "player: merged again",
    "registration: told again",
    "player: erased",
    "player: erased again",
    "nobody -erase-> nobody",
    # purchases
    "purchase: tracked",
    "purchase: told again",
    "purchase: unverified -verify-> verified",
    # rows that move in
    "row: applied",
    "row: replayed",
    "row: failed as balance_overflow",
    "row: failed as economy_key_not_found",
    "row: failed as economy_not_platform_managed",
    "row: failed as idempotency_conflict",
    "row: failed as item_not_found",
    "row: failed as system_resource_locked",
    "row: failed as validation_failed",
    # 7, replays
    "replay within 24 hours",
    "replay of a paying write after 24 hours",
)
REFUSALS: Final = (
    "already_friends",
    "api_key_revoked",
    "balance_overflow",
    "block_limit_reached",
    "block_not_found",
    "cannot_block_self",
    "cannot_friend_self",
    "cannot_gift_self",
    "economy_key_not_found",
    "economy_not_platform_managed",
    "friend_code_invalid",
    "friend_limit_reached",
    "friend_not_found",
    "friend_request_not_found",
    "gift_amount_invalid",
    "gift_cooldown",
    "gift_expired",
    "gift_insufficient_balance",
    "gift_limit_reached",
    "gift_not_allowed",
    "gift_not_found",
    "gifting_disabled",
    "grant_already_claimed",
    "grant_expired",
    "grant_not_found",
    "idempotency_conflict",
    "insufficient_balance",
    "insufficient_quantity",
    "invalid_merge",
    "item_not_found",
    "not_friends",
    "player_already_registered",
    "player_banned",
    "player_blocked",
    "player_not_found",
    "player_secret_invalid",
    "request_limit_reached",
    "system_resource_locked",
    "test_environment_only",
    "transaction_conflict",
    "unknown_currency",
    "validation_failed",
    "wrong_permission_set",
)
_ABOUT_A_PLAYER: Final = "player_not_found"
_TRACKING: Final = (
    "idempotency_conflict",
    _ABOUT_A_PLAYER,
    "transaction_conflict",
    "unknown_currency",
    "validation_failed",
)
REFUSED: Final = {
    "server:players.get": (_ABOUT_A_PLAYER, "validation_failed"),
    "server:players.ban": (_ABOUT_A_PLAYER, "validation_failed"),
    "server:players.unban": (_ABOUT_A_PLAYER,),
    "server:players.flagDebug": (_ABOUT_A_PLAYER,),
    "server:players.unflagDebug": (_ABOUT_A_PLAYER,),
    "server:players.merge": (_ABOUT_A_PLAYER, "invalid_merge"),
    "server:players.erase": ("validation_failed",),
    "server:players.export": (_ABOUT_A_PLAYER, "validation_failed"),
    "sdk:purchases.track": (*_TRACKING, "player_banned"),
    "server:purchases.track": _TRACKING,
    "server:purchases.list": (_ABOUT_A_PLAYER,),
    "server:spend.get": (_ABOUT_A_PLAYER, "validation_failed"),
    "server:spend.listPlayers": ("validation_failed",),
    "server:spend.summary": ("validation_failed",),
    "server:migrate.players": ("validation_failed",),
    "server:migrate.wallet": ("validation_failed",),
    "server:migrate.inventory": ("validation_failed",),
}
"""How each of these operations refuses, what keys and the repetition of keyed writes bring aside.

The limit of a player's total spend is tested in `commerce/test_purchases.py`: it takes at least 900,000 purchases to reach.
"""


class Reached:
    """What the gate's run has reached."""

    def __init__(self) -> None:
        self.successes: Counter[tuple[str, int]] = Counter()
        self.moves: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.refused: Counter[tuple[str, str]] = Counter()

    def add(self, model: Model) -> None:
        """Add what a model has seen."""
        self.successes += model.successes
        self.moves += model.moves
        self.refusals += model.refusals
        self.refused += model.refused


@pytest.fixture(scope="module")
def reached() -> Reached:
    """The gate's seeds, played before the model."""
    reached = Reached()
    for kind, places in _GATE_SEEDS:
        for seed in places:
            model = Model()
            play(
                kind(seed, _GATE_SCENES),
                model,
                note=f"The {kind.__name__} sequence of seed {seed}, {_GATE_SCENES} scenes:",
            )
            reached.add(model)
    return reached


def test_every_operation_reached_each_of_its_success_statuses(reached: Reached) -> None:
    """And the service has no operation behind a key that the hand-written table does not know."""
    wanted = {(name, status) for name, statuses in SUCCESSES.items() for status in statuses}
    assert {entry: count for entry in wanted if (count := reached.successes[entry]) < _SUCCESSES_AT_LEAST} == {}
    served = {entry.id: frozenset(entry.answers) for entry in OPERATIONS if entry.credential != "none"}
    assert served == SUCCESSES


def test_every_transition_fired(reached: Reached) -> None:
    """Often enough that it is no accident, and none that is not on the list."""
    assert {move: reached.moves[move] for move in TRANSITIONS if reached.moves[move] < _TRANSITIONS_AT_LEAST} == {}
    assert set(reached.moves) - {""} == set(TRANSITIONS)


def test_every_refusal_was_met(reached: Reached) -> None:
    """Every code that these operations can give, those of broken requests and of overload aside."""
    assert {code: reached.refusals[code] for code in REFUSALS if reached.refusals[code] < _REFUSALS_AT_LEAST} == {}
    assert set(reached.refusals) == set(REFUSALS)


def test_every_operation_at_the_desk_refused_as_it_can(reached: Reached) -> None:
    """Each of its own refusals, by each of them: several operations share a code."""
    assert set(REFUSED) == set(DESK)
    wanted = [(name, code) for name, codes in REFUSED.items() for code in codes]
    assert [entry for entry in wanted if not reached.refused[entry]] == []


@seeds
def test_worlds_agree_with_the_model(seed: int) -> None:
    """The library's `World` has its own clock and its own way to call; the rules are the same."""
    play(
        broad(1_000 + seed, 60), Model(), arena=Worlds(), note=f"The broad sequence of seed {1_000 + seed}, 60 scenes:"
    )


@given(steps=broad_sequences())
@generated
def test_the_model_agrees_in_any_sequence(steps: list[Step]) -> None:
    """On sequences of Hypothesis."""
    play(steps, Model())
