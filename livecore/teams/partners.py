"""Pairs: inviting a partner, and answering an invitation.

A pair is a team with two seats that no one joins but by an invitation. Who sits alone in a pair, because the partner has
left, may invite anew. Where each of two players invites the other, they are a pair at once, as with requests of friends.

Both take a seat with the pair, but for a sender who sits alone in one. A player who takes no more seats in the window can
neither invite nor accept, and the open invitations of such a player are none any more for whoever received them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import SECOND, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.player import PLAYERS, Player, acting, by_id, require
from livecore.social.graph import relation_between
from livecore.social.refusals import PlayerBlocked, RequestLimitReached
from livecore.social.relations import RELATIONS, is_blocked, pair
from livecore.teams.invites import (
    INVITES,
    MOST_OPEN,
    SENT_IN,
    Invite,
    both_sides,
    end_invites_of,
    invite_between,
    invite_row,
    is_open,
)
from livecore.teams.membership import is_restless, refuse_restless, refuse_seated
from livecore.teams.reading import row
from livecore.teams.refusals import AlreadyInTeam, CannotInviteSelf, InviteExpired, InviteNotFound
from livecore.teams.rows import AnswerInvite, InviteAnswer, InvitePartner, Invites, ListInvites, OneInvite, OneTeam
from livecore.teams.seating import form, join_team, known_team_reads
from livecore.teams.team import Team, goal_for, held_seat, held_seat_read, members_read, team_now
from livecore.teams.webhook_events import PartnerInviteAccepted, PartnerInviteSent
from livecore.teams.windows import TeamWindow, open_team_window, team_window_to_read

# -- inviting -------------------------------------------------------------------------------------------------------------


def invite(unit: Unit, args: InvitePartner) -> tuple[bool, InviteAnswer]:
    """Invite a player to form a pair; the first value says whether a new invitation was made.

    Refusals, in order: `EventNotFound`, `EventNotActive`, `WrongFormation`, `CannotInviteSelf`, `PlayerNotFound`,
    `AlreadyInTeam` for either of the two, `PlayerBlocked`, `TeamLimitReached` for the one who invites,
    `RequestLimitReached`.
    """
    window = open_team_window(unit, args.key, "partner")
    me = acting(unit)
    if args.external_player_id == me.external_id:
        raise CannotInviteSelf
    other = require(unit, args.external_player_id)
    alone = _lone_pair(unit, window, me)
    received = invite_between(unit, window.window_id, other.player_id, me.player_id)
    answers = received is not None and is_open(received, unit.now) and alone is None
    if received is not None and answers and _has_seat_for_pair(unit, window, other):
        # The other one may sit alone in a pair.
        _refuse_blocked(unit, me, other)
        refuse_restless(unit, window, me)
        return False, InviteAnswer(team=row(unit, _pair(unit, window, received, unit.new_id("etm"))))
    refuse_seated(unit, window, other)
    _refuse_blocked(unit, me, other)
    sent = invite_between(unit, window.window_id, me.player_id, other.player_id)
    if sent is not None and is_open(sent, unit.now):
        return False, InviteAnswer(invite=invite_row(unit, sent, other))
    if alone is None:
        refuse_restless(unit, window, me)
    if sent is not None:
        unit.tx.delete(INVITES, sent.invite_id)
    if unit.tx.count(SENT_IN, me.player_id, window.window_id) >= MOST_OPEN:
        raise RequestLimitReached(limit=MOST_OPEN)
    return True, InviteAnswer(invite=invite_row(unit, _send(unit, window, me, other), other))


def _send(unit: Unit, window: TeamWindow, sender: Player, receiver: Player) -> Invite:
    """Keep a new invitation and tell of it."""
    made = Invite(
        invite_id=unit.new_id("inv"),
        window_id=window.window_id,
        event_key=window.event_key,
        from_id=sender.player_id,
        to_id=receiver.player_id,
        created_at=unit.now,
        open_in=window.window_id,
        expires_at=min(unit.now + window.rules.invite_seconds * SECOND, window.span.ends_at),
    )
    unit.tx.insert(INVITES, made)
    unit.emit(
        PartnerInviteSent(
            **_of_both(made, sender, receiver),
            event_team_id=None,
            status="pending",
            sent_at=Timestamp(made.created_at),
            expires_at=Timestamp(made.expires_at),
        )
    )
    return made


def _of_both(made: Invite, sender: Player, receiver: Player) -> dict[str, str]:
    return {
        "invite_id": made.invite_id,
        "event_key": made.event_key,
        "event_window_id": made.window_id,
        "from_player_id": sender.player_id,
        "from_external_player_id": sender.external_id,
        "to_player_id": receiver.player_id,
        "to_external_player_id": receiver.external_id,
    }


def _lone_pair(unit: Unit, window: TeamWindow, player: Player) -> Team | None:
    """The pair in which a player sits alone; `None` without a seat. Raises `AlreadyInTeam` in a pair of two."""
    held = held_seat(unit, player.player_id, window.window_id)
    team = None if held is None else team_now(unit, held.team_id)
    if team is not None and team.members >= window.rules.seats.max:
        raise AlreadyInTeam(external_player_id=player.external_id, event_team_id=team.team_id)
    return team


def _has_seat_for_pair(unit: Unit, window: TeamWindow, sender: Player) -> bool:
    """Whether the sender of an invitation can form the pair: sits alone in one, or may take another seat."""
    return held_seat(unit, sender.player_id, window.window_id) is not None or not is_restless(unit, window, sender)


def _refuse_blocked(unit: Unit, one: Player, other: Player) -> None:
    if is_blocked(relation_between(unit, one, other)):
        raise PlayerBlocked


# -- answering ------------------------------------------------------------------------------------------------------------


def accept(unit: Unit, args: AnswerInvite) -> OneTeam:
    """Form the pair. Accepting again what one has accepted changes nothing, and gives the pair.

    Refusals, in order: `EventNotFound`, `EventNotActive`, `WrongFormation`, `AlreadyInTeam` for either of the two,
    `PlayerBlocked`, `InviteNotFound`, `InviteExpired`, `TeamLimitReached`, `InviteNotFound` for a sender who takes no
    more seats.
    """
    window = open_team_window(unit, args.key, "partner")
    me = acting(unit)
    received = unit.tx.get(INVITES, args.invite_id)
    own = received is not None and received.to_id == me.player_id and received.window_id == window.window_id
    if own and received is not None and received.team_id is not None:
        held = held_seat(unit, me.player_id, window.window_id)
        if held is not None and held.team_id == received.team_id:
            return OneTeam(team=row(unit, team_now(unit, held.team_id)))
    team_id = unit.new_id("etm")
    # That somebody sits in the pair is found as for others, although it may be new.
    unit.tx.read_together(held_seat_read(me.player_id, window.window_id), members_read(team_id))
    refuse_seated(unit, window, me)
    if not own or received is None or received.team_id is not None:
        raise InviteNotFound.of(args.invite_id)
    sender = by_id(unit, received.from_id)
    _lone_pair(unit, window, sender)
    _refuse_blocked(unit, me, sender)
    if not is_open(received, unit.now):
        raise InviteExpired
    refuse_restless(unit, window, me)
    if not _has_seat_for_pair(unit, window, sender):
        raise InviteNotFound.of(args.invite_id)
    return OneTeam(team=row(unit, _pair(unit, window, received, team_id)))


def _pair(unit: Unit, window: TeamWindow, accepted: Invite, new_id: str) -> Team:
    """Make a pair of the two players of an invitation; the one who was invited has no seat.

    It has the new id, unless the other one sits alone in a pair.
    """
    sender, receiver = by_id(unit, accepted.from_id), by_id(unit, accepted.to_id)
    team = _lone_pair(unit, window, sender)
    team_id = new_id if team is None else team.team_id
    if team is not None:
        unit.tx.read_all(known_team_reads(unit, team))
    unit.tx.put(INVITES, evolve(accepted, team_id=team_id, open_in=None))
    end_invites_of(unit, (sender.player_id, receiver.player_id), (window.window_id,))
    unit.emit(
        PartnerInviteAccepted(
            **_of_both(accepted, sender, receiver),
            event_team_id=team_id,
            status="accepted",
            goal_target=goal_for(window.rules, window.rules.seats.max),
            accepted_at=Timestamp(unit.now),
        )
    )
    if team is None:
        return form(unit, window, (sender, receiver), team_id=team_id)
    return join_team(unit, team, receiver, window.definition)


def decline(unit: Unit, args: AnswerInvite) -> OneInvite:
    """Decline an invitation; no event is emitted. Refusals: as those of `_end`."""
    return _end(unit, args, "to_id")


def cancel(unit: Unit, args: AnswerInvite) -> OneInvite:
    """Cancel one's own invitation; no event is emitted. Refusals: as those of `_end`."""
    return _end(unit, args, "from_id")


def _end(unit: Unit, args: AnswerInvite, side: Literal["from_id", "to_id"]) -> OneInvite:
    """End an invitation of which the caller is on this side.

    Refusals, in order: `EventNotFound`, `EventNotActive`, `WrongFormation`, `InviteNotFound`, `InviteExpired`.
    """
    window = open_team_window(unit, args.key, "partner")
    me = acting(unit)
    found = unit.tx.get(INVITES, args.invite_id)
    if found is None or getattr(found, side) != me.player_id or found.open_in != window.window_id:
        raise InviteNotFound.of(args.invite_id)
    if not is_open(found, unit.now):
        raise InviteExpired
    unit.tx.delete(INVITES, found.invite_id)
    other = by_id(unit, found.from_id if side == "to_id" else found.to_id)
    return OneInvite(invite=invite_row(unit, found, other))


# -- reading --------------------------------------------------------------------------------------------------------------


def list_invites(unit: Unit, args: ListInvites) -> Invites:
    """The player's open invitations in the open window; not those from or to players between whom there is a block.

    Refusals, in order: `EventNotFound`, `EventNotActive`, `WrongFormation`.
    """
    window_id, _ = team_window_to_read(unit, args.key, "partner")
    me = acting(unit)
    received, sent = unit.tx.read_together(*both_sides(me.player_id, window_id))
    known = _not_blocked(unit, me, [*(one.from_id for one in received), *(one.to_id for one in sent)])
    return Invites(
        incoming=tuple(
            invite_row(unit, one, known[one.from_id])
            for one in received
            if one.from_id in known and is_open(one, unit.now)
        ),
        outgoing=tuple(
            invite_row(unit, one, known[one.to_id]) for one in sent if one.to_id in known and is_open(one, unit.now)
        ),
    )


def _not_blocked(unit: Unit, me: Player, others: Sequence[str]) -> dict[str, Player]:
    """Those of these players between whom and the player there is no block, by their ids."""
    players, relations = unit.tx.read_lists(
        [Get(PLAYERS, (other,)) for other in others], [Get(RELATIONS, pair(me.player_id, other)) for other in others]
    )
    return {
        other.player_id: other
        for other, relation in zip(players, relations, strict=True)
        if other is not None and (relation is None or not is_blocked(relation))
    }
