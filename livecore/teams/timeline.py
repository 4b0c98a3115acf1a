"""What a player's timeline shows of teams: seats, and invitations to a pair both ways."""

from __future__ import annotations

from typing import Any, Final

from livecore.kernel.errors import JsonObject
from livecore.kernel.reads import Get
from livecore.kernel.timeline import TimelineSource, Track, moment
from livecore.kernel.unit import Unit
from livecore.players.player import PLAYERS, external_id_of
from livecore.teams.invites import RECEIVED, SENT, Invite
from livecore.teams.team import SEATS_OF_PLAYER, TEAMS, TeamSeat, team_now

__all__ = ["SOURCES"]


def _seat(unit: Unit, seat: TeamSeat, _: str) -> JsonObject:
    team = team_now(unit, seat.team_id)
    return {
        "eventTeamId": team.team_id,
        "teamKey": team.key,
        "eventKey": team.event_key,
        "eventWindowId": team.window_id,
        "contribution": seat.contribution,
        "leftAt": moment(seat.left_at),
        "leftReason": seat.left_reason,
    }


def _partner_of(invite: Invite, player_id: str) -> tuple[str, str]:
    """The direction of an invitation, as the player sees it, and the other player."""
    if invite.from_id == player_id:
        return "outgoing", invite.to_id
    return "incoming", invite.from_id


def _invite(unit: Unit, invite: Invite, player_id: str) -> JsonObject:
    direction, other = _partner_of(invite, player_id)
    return {
        "direction": direction,
        "externalPlayerId": external_id_of(unit, other),
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
        further=lambda seat, _: [Get(TEAMS, (seat.team_id,))],
        show=_seat,
    ),
    TimelineSource(
        kind="partner_invite",
        about="The player invited somebody to a pair, or was invited.",
        thing="invite",
        covers=("partnerInvites",),
        tracks=lambda player_id: [Track(index, (player_id,)) for index in (SENT, RECEIVED)],
        further=lambda invite, player_id: [Get(PLAYERS, (_partner_of(invite, player_id)[1],))],
        show=_invite,
    ),
)
