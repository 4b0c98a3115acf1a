"""What each player was paid as a member of teams: once in a window for each milestone, and once for the goal.

A team pays what it unlocks to the seats of that moment. A player who goes from team to team, or founds one after another,
sits in teams that each unlock the same; the first that pays is the one that counts. A *payment* is the small row that says
so. It is written in the transaction of the grant, and deleted when the window is over and all that its teams have won is
paid.

A payment names the team, because two seats of one team can belong to one player after a merge: what the two players had won
by then is paid to both seats, whenever the work of a large team runs. Of two payments that a merge brings together for the
same reward one stays; so nobody is paid by another team again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from livecore.events.window_records import WINDOWS
from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.player import PLAYERS, Player
from livecore.teams.team import UNPAID_IN, Team, TeamSeat

# -- records --------------------------------------------------------------------------------------------------------------


@record
class TeamPayment:
    """What a player was paid by a team in a window; `reward` is `goal`, or `milestone:` and the key of the milestone."""

    player_id: PlayerId
    window_id: str
    reward: str
    team_id: str
    paid_at: Millis


PAYMENTS = Table(
    "event_team_payments",
    TeamPayment,
    key=("player_id", "window_id", "reward"),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export=(),
)
PAYMENTS_OF_PLAYER = PAYMENTS.index("of_player", prefix=("player_id",), order=("window_id", "reward"))
PAYMENTS_OF_WINDOW = PAYMENTS.index("of_window", prefix=("window_id",), order=("player_id", "reward"))


# -- operations -----------------------------------------------------------------------------------------------------------


def _reward(milestone: str | None) -> str:
    return "goal" if milestone is None else f"milestone:{milestone}"


def first_payments(unit: Unit, team: Team, seats: Sequence[TeamSeat], milestone: str | None) -> list[Player]:
    """For each of these seats that wins this milestone, or goal, its player; notes that this team pays it.

    A seat wins it unless another team of the window has paid its player for the same. The seat of a player who was erased,
    or merged into another since, wins nothing, and nothing is noted of it.
    """
    reward = _reward(milestone)
    players, payments = unit.tx.read_lists(
        [Get(PLAYERS, (seat.player_id,)) for seat in seats],
        [Get(PAYMENTS, (seat.player_id, team.window_id, reward)) for seat in seats],
    )
    paid = {payment.player_id: payment for payment in payments if payment is not None}
    winning = []
    for player in players:
        if player is None or player.gone:
            continue
        if player.player_id not in paid:
            payment = TeamPayment(
                player_id=player.player_id,
                window_id=team.window_id,
                reward=reward,
                team_id=team.team_id,
                paid_at=unit.now,
            )
            paid[player.player_id] = unit.tx.insert(PAYMENTS, payment)
        if paid[player.player_id].team_id == team.team_id:
            winning.append(player)
    return winning


def unite_payments(unit: Unit, merging: Merging) -> None:
    """Give the target what the source was paid; of two payments for the same reward the target's stays."""
    payments = unit.tx.scan(PAYMENTS_OF_PLAYER, merging.source_id)
    owned = unit.tx.read_all(Get(PAYMENTS, (merging.target_id, paid.window_id, paid.reward)) for paid in payments)
    for payment, own in zip(payments, owned, strict=True):
        unit.tx.delete(PAYMENTS, payment.player_id, payment.window_id, payment.reward)
        if own is None:
            unit.tx.insert(PAYMENTS, evolve(payment, player_id=merging.target_id))


# -- after the window -----------------------------------------------------------------------------------------------------


def forget_payments(unit: Unit, window_id: str) -> None:
    """Delete the payments of a window that is over, unless something that a team has won is still to be paid."""
    window = unit.tx.get(WINDOWS, window_id)
    over = window is None or window.status != "active"
    if (
        over
        and not unit.tx.scan(UNPAID_IN, window_id, limit=1)
        and unit.tx.scan(PAYMENTS_OF_WINDOW, window_id, limit=1)
    ):
        FORGET.start(unit, window_id)


def _forget_step(unit: Unit, window_id: str, _: Cursor) -> Cursor | None:
    payments = unit.tx.scan(PAYMENTS_OF_WINDOW, window_id, limit=MOST_ROWS)
    for payment in payments:
        unit.tx.delete(PAYMENTS, payment.player_id, payment.window_id, payment.reward)
    return START if len(payments) == MOST_ROWS else None


FORGET: Final = Job("teams.forget", _forget_step)
"""Deletes the payments of the window whose id it is about."""
