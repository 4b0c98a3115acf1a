"""Planted faults: each law, and the model, notices the fault that it is there to notice.

A law that cannot fail says nothing. Here the service is broken on purpose, one rule at a time, and the law must object on
one of the first seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import attrs
import pytest

from livecore.api.areas import AREAS
from livecore.api.requests import idempotency
from livecore.commerce import policies as commerce_policies
from livecore.commerce import purchases
from livecore.commerce.exchange import us_cents
from livecore.economy import crates, grants, ledger
from livecore.economy.crate_draws import draw
from livecore.events import attempts, progressing, starting
from livecore.events import boards as event_boards
from livecore.events import policies as competition_policies
from livecore.events.scoring import crossed
from livecore.guilds import helping, roles, seating
from livecore.guilds.guild import SEATS
from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryReader, MemoryStore
from livecore.kernel.storage.paging import PageRequest
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.units.unit import Unit
from livecore.leaderboards import rank_rewards as final_boards
from livecore.leaderboards.boards import write_entry, write_team_entry
from livecore.leaderboards.rewards import reward_of_rank
from livecore.lobbies import format as lobby_format
from livecore.lobbies import lifecycle
from livecore.player_tools import migration
from livecore.players import policies as player_policies
from livecore.players.player import Player
from livecore.social import claims, discovery, gifts, graph, relations, sight, suggestions
from livecore.social import policies as social_policies
from livecore.social.policies import moved
from livecore.social.relations import MOVES, Effect, Move, Standing, Trigger
from livecore.teams import contributing, finalizing, membership, partners, rosters
from livecore.teams import policies as team_policies
from livecore.teams import rewards as team_rewards
from livecore.teams import scores as team_scores
from livecore.teams import seating as team_seating
from livecore.teams.team import Team, held_seat, team_now
from livecore.teams.windows import TeamWindow
from tests.laws.lawful import SHORT_RUN
from tests.laws.model import Model
from tests.laws.operating import operated
from tests.laws.playing import Witness, play
from tests.laws.scenes import BROAD, deck_of
from tests.laws.sequences import seeded
from tests.laws.test_balance_equals_sum_of_entries import BalanceEqualsSumOfEntries
from tests.laws.test_block_dominates import BlockDominates
from tests.laws.test_each_gift_pays_exactly_once import EachGiftPaysExactlyOnce
from tests.laws.test_friendship_is_symmetric import FriendshipIsSymmetric
from tests.laws.test_gifts_conserve_value import GiftsConserveValue
from tests.laws.test_one_relation_per_pair import OneRelationPerPair
from tests.laws.test_pages_joined_equal_the_list import PagesJoinedEqualTheList
from tests.laws.test_replay_changes_nothing import ReplayChangesNothing
from tests.proofs.laws.test_scopes_are_sealed import ScopesAreSealed

Plant = Callable[[pytest.MonkeyPatch], None]
_SEEDS: Final = range(8)
_SCENES: Final = len(BROAD) // 2
"""With every area more, so that none makes the others' scenes fewer."""


def _lists_forget_one_side(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(graph, "both_sides", lambda low, _high, page: iter([page.newest(low[0], *low[1])]))


def _blocks_leave_friends(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(MOVES, (Standing.FRIENDS, Trigger.BLOCK), Move(Standing.FRIENDS, Effect.NOTHING))


def _a_block_can_be_asked_through(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(relations, "is_blocked", lambda relation: relation.blocked_by_low_at is not None)


def _balances_drift(patch: pytest.MonkeyPatch) -> None:
    after = ledger._after
    patch.setattr(ledger, "_after", lambda asset, have, delta: after(asset, have, delta) + (delta == 150))


def _refunds_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(claims, "post", lambda *_, **__: None)


def _gifts_are_free(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(gifts, "post", lambda *_, **__: None)


def _claims_repeat(patch: pytest.MonkeyPatch) -> None:
    def lax(grant: grants.Grant, now: int, *, forced: bool = False) -> None:
        """Let a claimed grant be claimed again."""

    patch.setattr(grants, "require_claimable", lax)


def _answers_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(idempotency, "kept", lambda *_: None)


def _pages_skip(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PageRequest, "reach", property(lambda page: page.limit))


def _environments_share(patch: pytest.MonkeyPatch) -> None:
    reader, apply = MemoryStore.reader, MemoryStore.apply

    def one(scope: Scope) -> Scope:
        return attrs.evolve(scope, environment="test") if scope.environment == "live" else scope

    def shared(store: MemoryStore, scope: Scope) -> MemoryReader:
        return reader(store, one(scope))

    def shared_apply(store: MemoryStore, scope: Scope, writes: Any) -> None:  # noqa: ANN401 - as it is declared
        apply(store, one(scope), writes)

    patch.setattr(MemoryStore, "reader", shared)
    patch.setattr(MemoryStore, "apply", shared_apply)


def _cooldowns_end_early(patch: pytest.MonkeyPatch) -> None:
    check = gifts.check_cooldown

    def early(unit: Any, relation: relations.Relation, side: relations.Side) -> None:  # noqa: ANN401 - as it is declared
        at = relations.gifted_at(relation, side)
        check(unit, relation if at is None else relations.with_gift(relation, side, at - 1_000), side)

    patch.setattr(gifts, "check_cooldown", early)


def _bans_are_overlooked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(gifts, "check_resource", _lenient(gifts.check_resource))


def _lenient(check: Callable[..., Any]) -> Callable[..., Any]:
    return lambda unit, args, target: check(unit, args, attrs.evolve(target, banned_at=None))


def _merging_forgets_friends(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(social_policies, "moved", lambda row, *ids: evolve(moved(row, *ids), friendship="none"))


def _merging_counts_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(commerce_policies, "_united", lambda one, other: one if other is None else other)


def _erasing_keeps_gifts_waiting(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(AREAS, "erases", {})


def _money_is_rounded_up(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(purchases, "us_cents", lambda *money: us_cents(*money) + (money[2] != "1"))


def _rows_move_in_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(migration, "hidden", lambda _, *texts: "/".join(texts) if texts[0] not in _ROUTES else str(id(texts)))


_ROUTES: Final = ("players", "wallet", "inventory")


def _starts_are_free(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(starting, "_charge", lambda *_: None)


def _milestones_repeat(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(progressing, "crossed", lambda event, score, _: crossed(event, score, ()))


def _ranks_are_paid_for_the_next(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(final_boards, "reward_of_rank", lambda rewards, rank: reward_of_rank(rewards, rank + 1))


def _both_run_after_a_merge(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(competition_policies, "expire_all", lambda *_, **__: None)


def _equal_scores_are_in_no_order(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        event_boards,
        "write_entry",
        lambda *entry, reached_at, **more: write_entry(*entry, reached_at=reached_at and -reached_at, **more),
    )


def _pity_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(crates, "draw", lambda definition, seed, _: draw(definition, seed, {}))


def _members_lead(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(roles, "MAY", dict.fromkeys(roles.MAY, True))


def _leaders_are_not_followed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(seating, "_succeed", lambda *_: None)


def _seats_are_lost_in_merges(patch: pytest.MonkeyPatch) -> None:
    def unseated(unit: Unit, merging: Merging) -> None:
        """The source leaves, whether the target has a guild or not."""
        held = unit.tx.get(SEATS, merging.source_id)
        if held is not None:
            seating.unseat(unit, held, "merged")

    patch.setitem(AREAS.folds, SEATS, unseated)


def _lobbies_start_for_one(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(lifecycle, "_ENOUGH", 1)


def _frozen_attempts_go_on(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(lobby_format, "require_thawed", lambda *_: None)
    patch.setattr(attempts, "frozen_at_now", lambda *_: None)


def _two_teams_have_one_player(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(membership, "_refuse_held", lambda *_: None)


def _rosters_take_anybody(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rosters, "_refuse_locked", lambda *_: None)


def _who_leaves_takes_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(team_seating, "is_frozen", lambda *_: True)


def _founders_are_not_followed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(team_seating, "_founder", lambda *_: None)


def _milestones_of_teams_repeat(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(team_scores, "milestones_of", lambda _: ())


def _seats_are_paid_twice(patch: pytest.MonkeyPatch) -> None:
    pay = team_rewards._pay
    patch.setattr(team_rewards, "_pay", lambda unit, team, seats, *won: pay(unit, team, [*seats, *seats], *won))


def _goals_do_not_stop_scores(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(contributing, "is_frozen", lambda *_: False)


def _ranks_of_teams_are_paid_for_the_next(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(finalizing, "reward_of_rank", lambda rewards, rank: reward_of_rank(rewards, rank + 1))


def _equal_teams_are_in_no_order(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        team_scores,
        "write_team_entry",
        lambda unit, board, team_id, score, at: write_team_entry(unit, board, team_id, score, -at),
    )


def _pairs_have_room_for_more(patch: pytest.MonkeyPatch) -> None:
    def lone(unit: Unit, place: TeamWindow, player: Player) -> Team | None:
        """The pair in which somebody sits, alone or not."""
        held = held_seat(unit, player.player_id, place.window_id)
        return None if held is None else team_now(unit, held.team_id)

    patch.setattr(partners, "_lone_pair", lone)


def _invitations_outlive_a_pair(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(partners, "end_invites_of", lambda *_: None)


def _both_sit_after_a_merge(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        team_policies,
        "_unite_held",
        lambda unit, merging, found, _kept: team_seating.give_seat_to(unit, found.seat, merging.target_id),
    )


def _filled_requests_are_filled_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(helping, "status_of", lambda request, now: "expired" if now >= request.expires_at else "open")


def _crates_open_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(crates, "require_claimable", lambda *_: None)
    insert = Transaction.insert

    def lax(tx: Transaction, table: Table[Any], row: Any) -> Any:  # noqa: ANN401 - as it is declared
        """Keep nothing that would show a second opening."""
        return row if table is crates.OPENINGS else insert(tx, table, row)

    patch.setattr(Transaction, "insert", lax)


def _crates_of_rewards_are_lost(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(grants, "_hand_over", lambda *_: None)


def _operators_are_too_late(patch: pytest.MonkeyPatch) -> None:
    settle = claims._settle

    def punctual(*claim: Any, **_: bool) -> grants.Grant:  # noqa: ANN401 - as it is declared
        """Settle a claim, forced or not, as the player's own."""
        return settle(*claim)

    patch.setattr(claims, "_settle", punctual)


def _refunds_are_paid_out_as_well(patch: pytest.MonkeyPatch) -> None:
    gift_of = claims._gift_of

    def free(unit: Unit, grant: grants.Grant) -> gifts.Gift | None:
        """The gift of a grant, as one that has cost nothing."""
        gift = gift_of(unit, grant)
        return None if gift is None else evolve(gift, paid=False)

    patch.setattr(claims, "_gift_of", free)


def _strangers_see_who_is_there(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sight, "strangers_see_presence", lambda _unit, _player: True)


def _countries_are_shown(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sight, "hides_countries", lambda _unit: False)


def _who_hides_is_found(patch: pytest.MonkeyPatch) -> None:
    for module in (discovery, suggestions):
        patch.setattr(module, "is_discoverable", lambda _unit, _player: True)


def _merging_shows_more(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(player_policies, "with_stricter", lambda _game, _source, target: target)


FAULTS_OF_OPERATORS: Final = (_operators_are_too_late, _refunds_are_paid_out_as_well)
FAULTS: Final[tuple[tuple[Plant, type[Witness]], ...]] = (
    (_lists_forget_one_side, FriendshipIsSymmetric),
    (_blocks_leave_friends, BlockDominates),
    (_a_block_can_be_asked_through, BlockDominates),
    (_blocks_leave_friends, OneRelationPerPair),
    (_balances_drift, BalanceEqualsSumOfEntries),
    (_refunds_are_forgotten, GiftsConserveValue),
    (_gifts_are_free, GiftsConserveValue),
    (_claims_repeat, EachGiftPaysExactlyOnce),
    (_refunds_are_forgotten, EachGiftPaysExactlyOnce),
    (_answers_are_forgotten, ReplayChangesNothing),
    (_pages_skip, PagesJoinedEqualTheList),
    (_environments_share, ScopesAreSealed),
    (_cooldowns_end_early, Model),
    (_strangers_see_who_is_there, Model),
    (_countries_are_shown, Model),
    (_who_hides_is_found, Model),
)
BROAD_FAULTS: Final[dict[Plant, tuple[str, ...]]] = {
    _bans_are_overlooked: (),
    _merging_forgets_friends: (),
    _merging_counts_once: (),
    _merging_shows_more: ("players", "player_tools"),
    _erasing_keeps_gifts_waiting: (),
    _money_is_rounded_up: (),
    _rows_move_in_again: (),
    _starts_are_free: (),
    _milestones_repeat: (),
    _ranks_are_paid_for_the_next: (),
    _both_run_after_a_merge: (),
    _equal_scores_are_in_no_order: (),
    _pity_is_forgotten: (),
    _crates_open_again: (),
    _members_lead: (),
    _leaders_are_not_followed: (),
    _seats_are_lost_in_merges: (),
    _lobbies_start_for_one: ("lobbies",),
    _frozen_attempts_go_on: ("events", "lobbies"),
    _two_teams_have_one_player: (),
    _rosters_take_anybody: (),
    _who_leaves_takes_nothing: (),
    _founders_are_not_followed: (),
    _milestones_of_teams_repeat: (),
    _seats_are_paid_twice: (),
    _goals_do_not_stop_scores: ("teams",),
    _ranks_of_teams_are_paid_for_the_next: ("teams",),
    _equal_teams_are_in_no_order: ("teams",),
    _pairs_have_room_for_more: ("partners", "teams"),
    _invitations_outlive_a_pair: ("partners", "teams"),
    _both_sit_after_a_merge: ("teams", "player_tools"),
    _filled_requests_are_filled_again: ("guild_help", "guild_members", "economy"),
    _crates_of_rewards_are_lost: (),
}
"""Faults of what only broad sequences play, which the model has to notice.

Sequences over all areas come to some of them late: the suite looks for these in sequences over the areas named, and the
long run in those over all areas, where they have to be noticed as well.
"""


def _play_all(law: type[Witness]) -> None:
    for seed in _SEEDS:
        play(seeded(seed, _SCENES), law(), note=f"seed {seed}")


@pytest.mark.parametrize(
    ("plant", "law"), FAULTS, ids=[f"{plant.__name__[1:]}-{law.__name__}" for plant, law in FAULTS]
)
def test_a_law_notices_a_planted_fault(plant: Plant, law: type[Witness], monkeypatch: pytest.MonkeyPatch) -> None:
    """Some early seed must fail."""
    plant(monkeypatch)
    with pytest.raises(AssertionError) as noticed:
        _play_all(law)
    assert any("To play this again" in note for note in noticed.value.__notes__)


def _play_broad(areas: tuple[str, ...]) -> None:
    deck = deck_of(areas) if areas and SHORT_RUN else BROAD
    for seed in range(8 * len(_SEEDS)):
        play(seeded(seed, _SCENES, deck), Model())


@pytest.mark.parametrize("plant", BROAD_FAULTS, ids=[plant.__name__[1:] for plant in BROAD_FAULTS])
def test_the_model_notices_a_planted_fault(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some early broad sequence must fail."""
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        _play_broad(BROAD_FAULTS[plant])


def _play_operated() -> None:
    for seed in _SEEDS:
        play(operated(seed, _SCENES), Model())


@pytest.mark.parametrize("plant", FAULTS_OF_OPERATORS, ids=[plant.__name__[1:] for plant in FAULTS_OF_OPERATORS])
def test_the_model_notices_a_fault_of_what_operators_do(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some early sequence with operators must fail."""
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        _play_operated()


def test_the_script_of_a_failure_plays_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a failure prints is a program, and it fails the same way."""
    _refunds_are_forgotten(monkeypatch)
    with pytest.raises(AssertionError) as noticed:
        _play_all(GiftsConserveValue)
    seed, _, program = noticed.value.__notes__[0].partition("\n")
    assert seed.startswith("seed ")
    with pytest.raises(AssertionError) as again:
        exec(program, {})  # noqa: S102 - the program that the failure has printed
    assert str(again.value).splitlines()[0] == str(noticed.value).splitlines()[0]
