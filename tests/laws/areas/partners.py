"""Pairs, and invitations to them (contract, "Teams and partners")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.laws.area import Area, Operation
from tests.laws.areas.relations import Graph, Pair
from tests.laws.competing import owner
from tests.laws.model_state import Call, Player, Refused, Reply, newest_first, stamps
from tests.laws.routes import Body
from tests.laws.teaming import Invite, Place, Team, Teams, form, held, seat
from tests.laws.teaming_up import answer_late, pair_up
from tests.laws.teams_shown import is_team, learn_window

# -- finding --------------------------------------------------------------------------------------------------------------


def _between(call: Call, place: Place, sender: Player, receiver: Player) -> Invite | None:
    wanted = (place.key, sender, receiver)
    invites = call.scope.part(Teams).invites
    return next((one for one in invites if (one.where, one.sender, one.receiver) == wanted), None)


def _lone_pair(call: Call, place: Place, player: Player) -> Team | None:
    """The pair in which somebody sits alone. Raises 409 where that is a pair of two."""
    found = held(call.scope, player, place.key)
    if found is not None and not found[0].free:
        raise Refused(409, "already_in_team")
    return None if found is None else found[0]


def _refuse_seated(call: Call, place: Place, player: Player) -> None:
    if held(call.scope, player, place.key) is not None:
        raise Refused(409, "already_in_team")


def _blocked(call: Call, one: Player, other: Player) -> bool:
    return bool(call.scope.part(Graph).pairs.get(frozenset((one.name, other.name)), Pair()).blocked_at)


def _is_invite(call: Call, row: Body, invite: Invite) -> None:
    invite.id_ = invite.id_ or row["inviteId"]
    sent = invite.sender is call.me
    other = owner(call.scope, invite.receiver if sent else invite.sender)
    assert other is not None
    assert (row["inviteId"], row["direction"]) == (invite.id_, "outgoing" if sent else "incoming")
    assert row["eventKey"] == invite.where[0]
    learn_window(call.scope, row["eventWindowId"], invite.where)
    assert stamps(row, "createdAt", "expiresAt") == [invite.created_at, invite.expires_at]
    # An export shows nothing of the other player but the service's own id.
    assert "player" not in row or row["player"]["externalPlayerId"] == other.name


# -- inviting -------------------------------------------------------------------------------------------------------------


def _invite(call: Call) -> Reply:
    """A new invitation, the same one again, or a pair where the other has asked first."""
    place = Place.of(call, "partner")
    if call["externalPlayerId"] == call.player:
        raise Refused(400, "cannot_invite_self")
    me, other = call.me, call.scope.known(call["externalPlayerId"])
    alone = _lone_pair(call, place, me)
    received, sent = _between(call, place, other, me), _between(call, place, me, other)
    mutual = received if received is not None and received.is_open(call.now) and alone is None else None
    if mutual is None:
        _refuse_seated(call, place, other)
    if _blocked(call, me, other):
        raise Refused(403, "player_blocked")
    if mutual is not None:
        return _paired(call, place, mutual, "invite: open -invited too-> accepted")
    if sent is not None and sent.is_open(call.now):
        return Reply(check=lambda data: _is_invite(call, data["invite"], sent), move="invite: open -again-> open")
    part = call.scope.part(Teams)
    move = "invite: none -invite-> open" if sent is None else "invite: ended -invite-> open"
    part.invites = [one for one in part.invites if one is not sent]
    opened = place.enter()
    lasts = place.event.declared["teams"].get("inviteSeconds", 86_400) * 1_000
    made = Invite(place.key, me, other, call.now, min(call.now + lasts, place.ends_at))
    part.invites.append(made)
    return Reply(201, (*opened, "partner.invite_sent"), lambda data: _is_invite(call, data["invite"], made), move)


def _paired(call: Call, place: Place, invite: Invite, move: str) -> Reply:
    """Both are a pair, and every other invitation of either ends."""
    part, both = call.scope.part(Teams), {invite.sender, invite.receiver}
    part.invites = [
        one
        for one in part.invites
        if one is invite or one.where != place.key or one.team is not None or not both & {one.sender, one.receiver}
    ]
    team = _lone_pair(call, place, invite.sender)
    if team is None:
        team, events = form(call.scope, place, [invite.sender, invite.receiver], call.now)
    else:
        events = seat(call.scope, team, [invite.receiver], call.now)
    invite.team = pair = team
    return Reply(200, ("partner.invite_accepted", *events), lambda data: is_team(call.scope, data["team"], pair), move)


# -- answering ------------------------------------------------------------------------------------------------------------


def _named(call: Call, place: Place) -> Invite | None:
    invites = call.scope.part(Teams).invites
    return next((one for one in invites if one.id_ == call["inviteId"] and one.where == place.key), None)


def _accept(call: Call) -> Reply:
    """Accept; what one has accepted is the same pair again."""
    place = Place.of(call, "partner")
    found, own = _named(call, place), held(call.scope, call.me, place.key)
    if found is not None and found.receiver is not call.me:
        found = None
    if found is not None and found.team is not None and own is not None and own[0] is found.team:
        pair = own[0]
        move = "invite: accepted -accept-> accepted"
        return Reply(check=lambda data: is_team(call.scope, data["team"], pair), move=move)
    _refuse_seated(call, place, call.me)
    if found is None or found.team is not None:
        raise Refused(404, "invite_not_found")
    _lone_pair(call, place, found.sender)
    if _blocked(call, call.me, found.sender):
        raise Refused(403, "player_blocked")
    if not found.is_open(call.now):
        raise Refused(410, "invite_expired")
    return _paired(call, place, found, "invite: open -accept-> accepted")


def _end(call: Call, *, sent: bool) -> Reply:
    place = Place.of(call, "partner")
    found = _named(call, place)
    if found is None or found.team is not None or (found.sender if sent else found.receiver) is not call.me:
        raise Refused(404, "invite_not_found")
    if not found.is_open(call.now):
        raise Refused(410, "invite_expired")
    call.scope.part(Teams).invites.remove(found)
    move = f"invite: open -{'cancel' if sent else 'decline'}-> none"
    return Reply(check=lambda data: _is_invite(call, data["invite"], found), move=move)


# -- reading --------------------------------------------------------------------------------------------------------------


def _list(call: Call) -> Reply:
    """Open ones in both directions, newest first, none between players of whom one blocks the other."""
    place = Place.of(call, "partner")
    shown = [
        one
        for one in call.scope.part(Teams).invites
        if one.where == place.key and one.is_open(call.now) and not _blocked(call, one.sender, one.receiver)
    ]

    def check(data: Body) -> None:
        sides = {"incoming": "receiver", "outgoing": "sender"}
        for name, side in sides.items():
            own = {one.id_: one for one in shown if getattr(one, side) is call.me}
            assert {row["inviteId"] for row in data[name]} == set(own)
            newest_first(row["createdAt"] for row in data[name])
            for row in data[name]:
                _is_invite(call, row, own[row["inviteId"]])

    return Reply(check=check)


# -- the area -------------------------------------------------------------------------------------------------------------


def _ids(_: str, data: Body) -> Iterator[tuple[str, str]]:
    if "invite" in data:
        yield "invite", data["invite"]["inviteId"]


def _is_exported(call: Call, data: Body) -> None:
    invites = call.scope.part(Teams).invites
    own = {one.id_: one for one in invites if one.team is None and call.me in {one.sender, one.receiver}}
    assert {row["inviteId"] for row in data["partnerInvites"]} == set(own)
    for row in data["partnerInvites"]:
        _is_invite(call, row, own[row["inviteId"]])


_EVENT: Final = "event_not_found event_not_active wrong_formation"
_ENDED: Final = "invite_not_found invite_expired"

AREA: Final = Area(
    operations=(
        Operation(
            "sdk:partners.invite",
            _invite,
            refuses=f"{_EVENT} cannot_invite_self player_not_found already_in_team player_blocked",
            # There are too few players for that, and no sequence goes from pair to pair so often.
            seldom="request_limit_reached team_limit_reached",
        ),
        Operation("sdk:partners.listInvites", _list, refuses=_EVENT),
        Operation(
            "sdk:partners.accept",
            _accept,
            refuses=f"{_EVENT} already_in_team player_blocked {_ENDED}",
            seldom="team_limit_reached",
        ),
        Operation("sdk:partners.decline", lambda call: _end(call, sent=False), refuses=f"{_EVENT} {_ENDED}"),
        Operation("sdk:partners.cancel", lambda call: _end(call, sent=True), refuses=f"{_EVENT} {_ENDED}"),
    ),
    transitions=(
        "invite: none -invite-> open",
        "invite: ended -invite-> open",
        "invite: open -again-> open",
        "invite: open -invited too-> accepted",
        "invite: open -accept-> accepted",
        "invite: accepted -accept-> accepted",
        "invite: open -decline-> none",
        "invite: open -cancel-> none",
    ),
    is_exported=_is_exported,
    ids=_ids,
    broad_scenes=((4, pair_up), (1, answer_late)),
)
