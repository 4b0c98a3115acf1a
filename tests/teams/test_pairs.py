"""Pairs: inviting a partner, and every answer in every state of an invitation."""

from __future__ import annotations

from typing import Any, Final

import pytest

from livecore.teams.invites import INVITES, MOST_OPEN, MOST_SHOWN
from livecore.world import World, WorldPlayer
from tests.competition.games import event, with_events
from tests.teams.groups import crews, kinds, play, registered, sound, team_row
from tests.worlds import Reply, Since, ask, rows_of


def invite(sender: WorldPlayer, receiver: str) -> Reply:
    """Invite a player."""
    return ask(sender, "partners.invite", key="race", external_player_id=receiver)


def answer(player: WorldPlayer, verb: str, invite_id: object) -> Reply:
    """Accept, decline or cancel an invitation."""
    return ask(player, f"partners.{verb}", key="race", invite_id=invite_id)


def listed(player: WorldPlayer) -> tuple[list[str], list[str]]:
    """From and to whom a player has open invitations."""
    reply = ask(player, "partners.listInvites", key="race")
    return tuple([row["player"]["externalPlayerId"] for row in reply.list(side)] for side in ("incoming", "outgoing"))  # type: ignore[return-value,index,call-overload] # JSON


def pair(here: World, one: str = "anna", other: str = "bert") -> tuple[WorldPlayer, WorldPlayer]:
    """Two players who are a pair."""
    players = here.player(one), here.player(other)
    invited = invite(players[0], other)["invite.inviteId"]
    assert answer(players[1], "accept", invited).status == 200
    return players


def test_an_invitation_is_accepted() -> None:
    """Both sit in a pair then, of which both were told."""
    here = crews("partner", 2)
    since = Since(here)
    anna, bert = here.player("anna"), here.player("bert")
    invited = invite(anna, "bert")
    assert (invited.status, invited["invite.direction"], invited["invite.expiresAt"]) == (
        201, "outgoing", "2026-01-01T00:30:00.000Z",
    )  # fmt: skip
    assert (listed(anna), listed(bert)) == (([], ["bert"]), (["anna"], []))
    made = answer(bert, "accept", invited["invite.inviteId"])
    assert (made["team.formation"], made["team.status"], made["team.memberCount"]) == ("partner", "active", 2)
    assert listed(anna) == listed(bert) == ([], [])
    assert kinds(since) == [
        "event_team.formed", "event_team.member_joined", "event_team.member_joined", "partner.invite_accepted",
        "partner.invite_sent",
    ]  # fmt: skip
    (sent,), (accepted,) = since.of("partner.invite_sent"), since.of("partner.invite_accepted")
    assert (sent["eventTeamId"], accepted["eventTeamId"]) == (None, made["team.eventTeamId"])
    assert (sent["fromExternalPlayerId"], sent["toExternalPlayerId"]) == ("anna", "bert")
    told = [event.kind for event in here.events if event.kind.startswith(("partner.", "event_team."))]
    assert told.index("partner.invite_accepted") < told.index("event_team.formed")
    sound(here)


def test_accepting_again_gives_the_same_pair() -> None:
    """Nothing is told twice; after leaving it is too late."""
    here = crews("partner", 2)
    anna, bert = here.player("anna"), here.player("bert")
    invited = invite(anna, "bert")["invite.inviteId"]
    first = answer(bert, "accept", invited)
    since = Since(here)
    assert answer(bert, "accept", invited).data == first.data
    assert since.kinds == []
    ask(bert, "teams.leave", key="race")
    assert answer(bert, "accept", invited).refusal == (404, "invite_not_found")


def test_inviting_again_gives_the_same_invitation() -> None:
    """One event."""
    here = crews("partner", 2)
    anna = here.player("anna")
    here.player("bert")
    since = Since(here)
    first, again = invite(anna, "bert"), invite(anna, "bert")
    assert (first.status, again.status, again.data) == (201, 200, first.data)
    assert kinds(since) == ["partner.invite_sent"]


def test_two_who_invite_each_other_are_a_pair() -> None:
    """At once."""
    here = crews("partner", 2)
    anna, bert = here.player("anna"), here.player("bert")
    invite(anna, "bert")
    made = invite(bert, "anna")
    assert (made.status, made["team.memberCount"]) == (200, 2)
    assert team_row(anna) == team_row(bert) == made["team"]
    assert [row.team_id for row in rows_of(here, INVITES)] == [made["team.eventTeamId"]]
    sound(here)


def test_a_pair_ends_all_other_invitations() -> None:
    """Of both, in both directions."""
    here = crews("partner", 2)
    anna, bert, carl, dora = (here.player(name) for name in ("anna", "bert", "carl", "dora"))
    invited = invite(anna, "bert")["invite.inviteId"]
    invite(anna, "carl")
    late = invite(dora, "bert")["invite.inviteId"]
    invite(carl, "dora")
    answer(bert, "accept", invited)
    assert (listed(carl), listed(dora)) == (([], ["dora"]), (["carl"], []))
    assert answer(dora, "cancel", late).refusal == (404, "invite_not_found")
    for sender, receiver in ((anna, "carl"), (carl, "anna")):
        assert invite(sender, receiver).refusal == (409, "already_in_team")
    sound(here)


def test_who_is_left_alone_invites_anew() -> None:
    """The pair goes on with what it has, and is not formed a second time."""
    here = crews("partner", 2)
    anna, bert = pair(here)
    play(anna, 5)
    ask(bert, "teams.leave", key="race")
    carl = here.player("carl")
    since = Since(here)
    assert team_row(anna)["status"] == "active"
    invited = invite(anna, "carl")["invite.inviteId"]
    assert answer(carl, "accept", invited)["team.score"] == 5
    assert kinds(since) == ["event_team.member_joined", "partner.invite_accepted", "partner.invite_sent"]
    assert invite(bert, "carl").refusal == (409, "already_in_team")
    sound(here)


def test_who_sits_alone_is_invited_back() -> None:
    """Two who invite each other are a pair, also where one of them sits alone in one."""
    here = crews("partner", 2)
    anna, bert = pair(here)
    ask(bert, "teams.leave", key="race")
    carl = here.player("carl")
    assert invite(anna, "carl").status == 201
    made = invite(carl, "anna")
    assert (made.status, made["team.memberCount"]) == (200, 2)
    assert team_row(carl)["eventTeamId"] == team_row(anna)["eventTeamId"]
    sound(here)


def test_invitations_have_a_limit() -> None:
    """Of those that were not answered, in a window."""
    here = crews("partner", 2)
    anna = here.player("anna")
    for name in registered(here, *(f"p{number}" for number in range(MOST_OPEN))):
        assert invite(anna, name).status == 201
    reply = invite(anna, *registered(here, "last"))
    assert (reply.refusal, reply["details.limit"]) == ((409, "request_limit_reached"), MOST_OPEN)
    answer(
        here.player("p0"), "decline", ask(here.player("p0"), "partners.listInvites", key="race")["incoming.0.inviteId"]
    )
    assert invite(anna, "last").status == 201


def test_other_events_hide_no_invitation() -> None:
    """However many there are."""
    partner = {"formation": "partner"}
    here = with_events(event(teams=partner), event("other", teams=partner))
    zoe, anna = here.player("zoe"), here.player("anna")
    assert invite(anna, "zoe").status == 201
    for number in range(MOST_SHOWN):
        ask(here.player(f"p{number}"), "partners.invite", key="other", external_player_id="zoe")
    assert listed(zoe) == (["anna"], [])


def test_who_sits_alone_must_leave_to_be_invited() -> None:
    """Both may be alone in pairs of their own."""
    here = crews("partner", 2)
    for one, other in (("anna", "bert"), ("carl", "dora")):
        _, partner = pair(here, one, other)
        ask(partner, "teams.leave", key="race")
    anna, carl = here.player("anna"), here.player("carl")
    assert invite(anna, "carl").refusal == (409, "already_in_team")
    ask(carl, "teams.leave", key="race")
    assert invite(anna, "carl").status == 201


def test_whom_one_cannot_invite() -> None:
    """Oneself, nobody, and somebody with whom there is a block, in either direction."""
    here = crews("partner", 2)
    anna, bert = here.player("anna"), here.player("bert")
    assert invite(anna, "anna").refusal == (400, "cannot_invite_self")
    assert invite(anna, "nobody").refusal == (404, "player_not_found")
    ask(bert, "friends.block", external_player_id="anna")
    assert invite(anna, "bert").refusal == invite(bert, "anna").refusal == (403, "player_blocked")


def test_a_block_stands_between_an_invitation_and_the_pair() -> None:
    """It is not listed any more, until the block is lifted."""
    here = crews("partner", 2)
    anna, bert = here.player("anna"), here.player("bert")
    invited = invite(anna, "bert")["invite.inviteId"]
    ask(bert, "friends.block", external_player_id="anna")
    assert (listed(anna), listed(bert)) == (([], []), ([], []))
    assert answer(bert, "accept", invited).refusal == (403, "player_blocked")
    ask(bert, "friends.unblock", blocked_external_id="anna")
    assert answer(bert, "accept", invited).status == 200


# -- every state and every answer -----------------------------------------------------------------------------------------

_GONE: Final = (404, "invite_not_found")
_ANSWERS: Final[dict[str, dict[str, tuple[int, str | None]]]] = {
    # what: who answers how
    "open": {
        "receiver accept": (200, None), "receiver decline": (200, None), "receiver cancel": _GONE,
        "sender accept": _GONE, "sender decline": _GONE, "sender cancel": (200, None), "stranger accept": _GONE,
        "stranger decline": _GONE, "stranger cancel": _GONE,
    },
    "expired": {
        "receiver accept": (410, "invite_expired"), "receiver decline": (410, "invite_expired"),
        "sender cancel": (410, "invite_expired"), "sender accept": _GONE, "stranger accept": _GONE,
    },
    "declined": {"receiver accept": _GONE, "receiver decline": _GONE, "sender cancel": _GONE},
    "cancelled": {"receiver accept": _GONE, "receiver decline": _GONE, "sender cancel": _GONE},
    "accepted": {
        "receiver accept": (200, None), "receiver decline": _GONE, "sender cancel": _GONE,
        "sender accept": (409, "already_in_team"), "stranger accept": _GONE,
    },
    "other window": {"receiver accept": _GONE, "receiver decline": _GONE, "sender cancel": _GONE},
    "sender paired": {"receiver accept": _GONE, "receiver decline": _GONE, "sender cancel": _GONE},
    "receiver paired": {
        "receiver accept": (409, "already_in_team"), "receiver decline": _GONE, "sender cancel": _GONE,
    },
}  # fmt: skip
_CASES: Final = [(state, how, wanted) for state, answers in _ANSWERS.items() for how, wanted in answers.items()]


@pytest.mark.parametrize(("state", "how", "wanted"), _CASES)
def test_every_answer_in_every_state(state: str, how: str, wanted: tuple[int, str | None]) -> None:
    """Who may answer, and when."""
    here = crews("partner", 2, inviteSeconds=60)
    players: dict[str, Any] = {name: here.player(name) for name in ("sender", "receiver", "stranger", "third")}
    invited = invite(players["sender"], "receiver")["invite.inviteId"]
    if state == "expired":
        here.advance(seconds=60)
    if state == "other window":
        here.advance(hours=1)
    if state.endswith("paired"):
        pair(here, "third", state.split(maxsplit=1)[0])
    done = {"declined": ("receiver", "decline"), "cancelled": ("sender", "cancel"), "accepted": ("receiver", "accept")}
    if state in done:
        who, verb = done[state]
        assert answer(players[who], verb, invited).status == 200
    who, verb = how.split()
    reply = answer(players[who], verb, invited)
    assert (reply.status, reply.code) == wanted
    sound(here)


def test_one_that_has_expired_is_made_anew() -> None:
    """And is not listed before."""
    here = crews("partner", 2, inviteSeconds=60)
    anna, bert = here.player("anna"), here.player("bert")
    first = invite(anna, "bert")["invite.inviteId"]
    here.advance(seconds=60)
    assert (listed(anna), listed(bert)) == (([], []), ([], []))
    again = invite(anna, "bert")
    assert (again.status, again["invite.inviteId"] != first) == (201, True)
    assert listed(bert) == (["anna"], [])


def test_invitations_are_gone_with_their_window() -> None:
    """Also those that were accepted."""
    here = crews("partner", 2)
    pair(here)
    here.player("dora")
    invite(here.player("carl"), "dora")
    here.advance(minutes=31)
    assert rows_of(here, INVITES) == []
    sound(here)


def test_a_founder_of_a_pair_may_remove_the_other() -> None:
    """The one who was invited may not."""
    here = crews("partner", 2)
    anna, bert = pair(here)
    assert ask(bert, "teams.kick", key="race", member_external_id="anna").refusal == (403, "not_team_founder")
    assert ask(anna, "teams.kick", key="race", member_external_id="bert").status == 200
    assert ask(bert, "teams.getOwn", key="race").data == {"team": None}
