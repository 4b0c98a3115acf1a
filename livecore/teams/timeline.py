"""What a player's timeline shows of teams: seats, and invitations to a pair both ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from livecore.kernel.declarations.timeline import TimelineSource, Track, moment
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.reads import Get
from livecore.kernel.units.unit import Unit
from livecore.players.player import PLAYERS, Player
from livecore.teams.invites import RECEIVED, SENT, Invite
from livecore.teams.team import SEATS_OF_PLAYER, TEAMS, Team, TeamSeat


def _seat(_: Unit, seat: TeamSeat, found: Sequence[Team]) -> JsonObject:
    (team,) = found
    return {
        "eventTeamId": team.team_id,
        "teamKey": team.key,
        "eventKey": team.event_key,
        "eventWindowId": team.window_id,
        "contribution": seat.contribution,
        "leftAt": moment(seat.left_at),
        "leftReason": seat.left_reason,
    }


def _other(_unit: Unit, invite: Invite, player_id: str) -> Iterable[Get[Player]]:
    return [Get(PLAYERS, (invite.to_id if invite.from_id == player_id else invite.from_id,))]


def _invite(_: Unit, invite: Invite, found: Sequence[Player]) -> JsonObject:
    (other,) = found
    return {
        "direction": "outgoing" if other.player_id == invite.to_id else "incoming",
        "externalPlayerId": other.external_id,
        "eventKey": invite.event_key,
        "eventWindowId": invite.window_id,
        "eventTeamId": invite.team_id,
        "expiresAt": moment(invite.expires_at),
    }


SOURCES: Final[tuple[TimelineSource[Any], ...]] = (
    TimelineSource(
        kind="team",
        about="The player joined a team of an event; it says when and why the player left it.",
        thing="seat",
        covers=("teams", "seats"),
        tracks=lambda player_id: [Track(SEATS_OF_PLAYER, (player_id,))],
        further=lambda _, seat, __: [Get(TEAMS, (seat.team_id,))],
        show=_seat,
    ),
    TimelineSource(
        kind="partner_invite",
        about="The player invited somebody to a pair, or was invited.",
        thing="invite",
        covers=("partnerInvites",),
        tracks=lambda player_id: [Track(index, (player_id,)) for index in (SENT, RECEIVED)],
        further=_other,
        show=_invite,
    ),
)
