"""Founding, joining, leading and leaving guilds (contract, "Guilds")."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.guilds.guild import GUILDS as TABLE
from livecore.guilds.guild import SEATS, STINTS
from livecore.guilds.join_requests import REQUESTS
from livecore.guilds.roles import ACTIONS, MAY, ROLES
from livecore.kernel.errors import Json
from livecore.world import World
from tests.commerce.shop import found_wrong
from tests.guilds.clubs import NAMES, club, found, game, members, own
from tests.worlds import GUILDS, Since, ask, ban, config, give, rows_of, studio_world, total, world

# -- roles ----------------------------------------------------------------------------------------------------------------

_ACTS: Final[dict[str, tuple[str, dict[str, object]]]] = {
    "edit_profile": ("guilds.update", {"description": "changed"}),
    "answer_requests": ("guilds.declineRequest", {}),
    "kick_member": ("guilds.kick", {"member_external_id": "max"}),
    "kick_co_leader": ("guilds.kick", {"member_external_id": "cole2"}),
    "promote": ("guilds.promote", {"member_external_id": "max"}),
    "demote": ("guilds.demote", {"member_external_id": "cole2"}),
    "transfer": ("guilds.transfer", {"external_player_id": "max"}),
}
"""How each action is tried."""
_ACTORS: Final = {"leader": "lea", "co_leader": "cole", "member": "mia"}


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("role", ROLES)
def test_every_role_and_action(role: str, action: str) -> None:
    """What the table permits succeeds; everything else is 403, and says who may."""
    here = game()
    guild_id, players = club(here, "lea", "cole", "mia", "max", "cole2")
    for name in ("cole", "cole2"):
        ask(players[0], "guilds.promote", member_external_id=name)
    ask(players[0], "guilds.update", join_type="request")
    request = ask(here.player("eve"), "guilds.join", guild_id=guild_id).text("request.requestId")
    operation, arguments = _ACTS[action]
    more = {"request_id": request} if action == "answer_requests" else arguments
    reply = ask(here.player(_ACTORS[role]), operation, **more)
    if MAY[role, action]:  # type: ignore[index] # a role and an action
        assert reply.status == 200, reply.body
    else:
        assert reply.refusal == (403, "guild_role_required")
        # Who may not kick anybody is told who kicks members, whoever is named.
        tried = "kick_member" if (role, action) == ("member", "kick_co_leader") else action
        least = "co_leader" if MAY["co_leader", tried] else "leader"  # type: ignore[index] # an action
        assert (reply["details.role"], reply["details.needed"]) == (role, least)
    assert found_wrong(here) == []


def test_a_co_leader_does_not_kick_the_leader() -> None:
    """Neither the leader nor another co-leader; the leader kicks a co-leader."""
    here = game()
    _, (lea, cole, *_) = club(here)
    assert ask(cole, "guilds.kick", member_external_id="lea").refusal == (403, "guild_role_required")
    assert ask(lea, "guilds.kick", member_external_id="cole").status == 200


@pytest.mark.parametrize("operation", ["guilds.promote", "guilds.demote", "guilds.kick"])
def test_nobody_acts_on_themself(operation: str) -> None:
    """A conflict; somebody who is not in the guild is not found."""
    _, (lea, *_) = club(game())
    assert ask(lea, operation, member_external_id="lea").refusal == (409, "guild_role_conflict")
    for stranger in ("nobody", "eve"):
        assert ask(lea, operation, member_external_id=stranger).refusal == (404, "guild_member_not_found")


def test_there_are_as_many_co_leaders_as_the_game_allows() -> None:
    """One too many is a conflict, as is one who is one already; handing over the lead may exceed the limit."""
    here = game(maxCoLeaders=1)
    guild_id, (lea, *_) = club(here)
    assert ask(lea, "guilds.promote", member_external_id="cole").refusal == (409, "guild_role_conflict")
    refused = ask(lea, "guilds.promote", member_external_id="mia")
    assert (refused.code, refused["details.maxCoLeaders"]) == ("guild_role_conflict", 1)
    assert ask(lea, "guilds.demote", member_external_id="mia").code == "guild_role_conflict"
    assert ask(lea, "guilds.transfer", external_player_id="mia").status == 200
    assert members(here, guild_id) == [
        ("mia", "leader"),
        ("lea", "co_leader"),
        ("cole", "co_leader"),
        ("max", "member"),
    ]


# -- names ----------------------------------------------------------------------------------------------------------------


def test_a_name_is_unique_when_folded() -> None:
    """Among guilds that exist: case, accents and punctuation make no difference, and a name that is free again is free."""
    here = game()
    lea, eve = here.player("lea"), here.player("eve")
    found(lea, "Night Öwls")
    for name in ("night owls", "NIGHT-OWLS", "Níght  Owls!"):
        assert ask(eve, "guilds.create", name=name).refusal == (409, "guild_name_taken")
    assert ask(lea, "guilds.update", name="NIGHT OWLS")["guild.name"] == "NIGHT OWLS"
    ask(lea, "guilds.leave")
    found(eve, "Night Owls")


def test_names_without_letters_differ_as_they_stand() -> None:
    """Two of hearts are one name, hearts and stars are two."""
    here = game()
    found(here.player("lea"), "♥♥♥")
    for name in ("♥♥♥", "♥♥♥ ", "♥♥ ♥", "♥\ufe0f♥♥\ufe0f"):
        assert ask(here.player("eve"), "guilds.create", name=name).code == "guild_name_taken"
    found(here.player("eve"), "★★★")


@pytest.mark.parametrize("name", ["ab", "a" * 41, "   ", "\u200b\u200b\u200b", "a\nbc", ""])
def test_a_name_has_three_to_forty_characters(name: str) -> None:
    """One of them visible, on one line."""
    reply = ask(game().player("lea"), "guilds.create", name=name)
    assert (reply.refusal, reply.fields) == ((400, "validation_failed"), ["name"])


def test_the_filter_looks_inside_the_folded_name() -> None:
    """Players are refused, also when they change a name; the studio is not."""
    here = game(nameFilter=["Dârn", "two words"])
    lea = here.player("lea")
    for name in ("The DARNED", "undarn", "These two  words!"):
        assert ask(lea, "guilds.create", name=name).refusal == (400, "guild_name_rejected")
    guild_id = found(lea)
    assert ask(lea, "guilds.update", name="Darn").code == "guild_name_rejected"
    assert ask(here.server, "guilds.update", guild_id=guild_id, name="Darn")["guild.name"] == "Darn"


# -- founding -------------------------------------------------------------------------------------------------------------


def _costly(mode: str) -> World:
    cost: Json = [
        {"type": "currency", "resourceKey": "gold", "amount": 3},
        {"type": "item", "resourceKey": "potion", "amount": 1},
    ]
    return world(economyMode=mode, gifting={"enabled": False}, guilds={"enabled": True, "createCost": cost})


def test_founding_takes_the_whole_cost_or_nothing() -> None:
    """The first resource that lacks is named; nothing is taken then, and no guild is there."""
    here = _costly("platform")
    lea = here.player("lea")
    give(lea, "gold", 3)
    refused = ask(lea, "guilds.create", name="Night Owls")
    assert (refused.code, refused["details"]) == (
        "insufficient_balance",
        {"resource": "potion", "needed": 1, "have": 0},
    )
    assert (total(lea, "gold"), rows_of(here, TABLE)) == (3, [])
    give(lea, "potion", 1)
    since = Since(here)
    found(lea)
    assert (total(lea, "gold"), total(lea, "potion")) == (0, 0)
    (told,) = since.of("guild.created")
    assert (told["costsChargedBy"], len(str(told["cost"])) > 2) == ("platform", True)
    assert since.kinds == ["guild.created", "guild.member_joined", "inventory.changed", "wallet.changed"]


def test_a_studio_is_told_what_to_charge() -> None:
    """Where it keeps the economy, nothing is taken."""
    here = _costly("studio")
    found(here.player("lea"))
    told = next(event.data for event in here.events if event.kind == "guild.created")
    assert told["costsChargedBy"] == "studio"
    assert told["cost"] == [
        {"type": "currency", "key": "gold", "amount": 3},
        {"type": "item", "key": "potion", "amount": 1},
    ]


def test_without_guilds_players_are_refused_and_the_studio_is_not() -> None:
    """The default of a game."""
    here = world(guilds={})
    lea = here.player("lea")
    assert ask(lea, "guilds.create", name="Night Owls").refusal == (403, "guilds_disabled")
    for operation in ("guilds.search", "guilds.getOwn", "guilds.leave", "guilds.listRequests", "guilds.listHelp"):
        assert ask(lea, operation).refusal == (403, "guilds_disabled")
    assert ask(here.server, "guilds.list")["total"] == 0


def test_one_is_in_one_guild() -> None:
    """Whoever is in one neither founds nor joins another."""
    here = game()
    guild_id, (_, cole, *_) = club(here)
    other = found(here.player("eve"), "Larks", join_type="open")
    for reply in (ask(cole, "guilds.create", name="Mine"), ask(cole, "guilds.join", guild_id=other)):
        assert (reply.refusal, reply["details.guildId"]) == ((409, "already_in_guild"), guild_id)


def test_a_join_type_that_the_game_does_not_offer_is_refused() -> None:
    """The default is the first that it offers."""
    here = game(joinTypes=["request"])
    lea = here.player("lea")
    assert ask(lea, "guilds.create", name="Night Owls", join_type="open").fields == ["joinType"]
    assert ask(lea, "guilds.create", name="Night Owls")["guild.joinType"] == "request"
    assert ask(lea, "guilds.update", join_type="open").fields == ["joinType"]


# -- joining --------------------------------------------------------------------------------------------------------------


def test_a_full_guild_takes_nobody() -> None:
    """Neither an open one, nor by a request, old or new; a smaller limit removes nobody."""
    here = game(maxMembers=2)
    lea, cole, eve, dan = (here.player(name) for name in ("lea", "cole", "eve", "dan"))
    guild_id = found(lea, join_type="request")
    asked = ask(eve, "guilds.join", guild_id=guild_id).text("request.requestId")
    accepted = ask(cole, "guilds.join", guild_id=guild_id).text("request.requestId")
    assert ask(lea, "guilds.acceptRequest", request_id=accepted)["guild.memberCount"] == 2
    assert ask(lea, "guilds.acceptRequest", request_id=asked).refusal == (409, "guild_full")
    assert ask(eve, "guilds.join", guild_id=guild_id).status == 200  # her open request
    refused = ask(dan, "guilds.join", guild_id=guild_id)
    assert (refused.refusal, refused["details.maxMembers"]) == ((409, "guild_full"), 2)
    ask(lea, "guilds.update", join_type="open")
    assert ask(dan, "guilds.join", guild_id=guild_id).code == "guild_full"


_STATES: Final = ("open", "none")
_TRIGGERS: Final = ("ask", "accept", "decline", "cancel", "join another", "end of the guild", "erase")


@pytest.mark.parametrize("trigger", _TRIGGERS)
@pytest.mark.parametrize("state", _STATES)
def test_every_state_and_trigger_of_a_request(state: str, trigger: str) -> None:
    """What each makes of a request to join, and what is refused."""
    here = game()
    lea, eve = here.player("lea"), here.player("eve")
    guild_id = found(lea, join_type="request")
    other = found(here.player("dan"), "Larks", join_type="open")
    request = ask(eve, "guilds.join", guild_id=guild_id).text("request.requestId")
    if state == "none":
        ask(eve, "guilds.cancelRequest", request_id=request)
    answers = {
        "ask": lambda: ask(eve, "guilds.join", guild_id=guild_id),
        "accept": lambda: ask(lea, "guilds.acceptRequest", request_id=request),
        "decline": lambda: ask(lea, "guilds.declineRequest", request_id=request),
        "cancel": lambda: ask(eve, "guilds.cancelRequest", request_id=request),
        "join another": lambda: ask(eve, "guilds.join", guild_id=other),
        "end of the guild": lambda: ask(lea, "guilds.leave"),
        "erase": lambda: ask(here.server, "players.erase", external_id="eve"),
    }
    reply = answers[trigger]()
    answered = trigger in {"accept", "decline", "cancel"}
    expected = (404, "guild_request_not_found") if state == "none" and answered else (reply.status, None)
    assert reply.refusal == expected
    if trigger == "ask":
        assert reply.status == (200 if state == "open" else 201)
    assert [row.player_id for row in rows_of(here, REQUESTS)] == ([eve.player_id] if trigger == "ask" else [])
    assert found_wrong(here) == []


def test_a_player_has_so_many_open_requests() -> None:
    """A hundred; one that is there already is shown all the same."""
    here = game()
    eve = here.player("eve")
    guilds = [found(here.player(f"p{number}"), f"Guild {number}", join_type="request") for number in range(101)]
    for guild_id in guilds[:100]:
        assert ask(eve, "guilds.join", guild_id=guild_id).status == 201
    refused = ask(eve, "guilds.join", guild_id=guilds[100])
    assert (refused.refusal, refused["details.limit"]) == ((409, "request_limit_reached"), 100)
    assert ask(eve, "guilds.join", guild_id=guilds[0]).status == 200


def test_requests_of_others_are_not_found() -> None:
    """A leader answers those to the own guild, a player cancels the own ones."""
    here = game()
    lea, eve, dan = (here.player(name) for name in ("lea", "eve", "dan"))
    guild_id = found(lea, join_type="request")
    found(dan, "Larks")
    request = ask(eve, "guilds.join", guild_id=guild_id, message="Hi\nthere").text("request.requestId")
    for operation in ("guilds.acceptRequest", "guilds.declineRequest", "guilds.cancelRequest"):
        assert ask(dan, operation, request_id=request).refusal == (404, "guild_request_not_found")
    assert ask(lea, "guilds.cancelRequest", request_id=request).code == "guild_request_not_found"
    assert ask(dan, "guilds.listRequests").data == {"incoming": [], "outgoing": []}
    assert ask(lea, "guilds.listRequests")["incoming.0.message"] == "Hi\nthere"
    assert ask(eve, "guilds.acceptRequest", request_id=request).refusal == (409, "not_in_guild")


def test_a_banned_player_reads_and_does_nothing() -> None:
    """The seat stays."""
    here = game()
    guild_id, (_, cole, *_) = club(here)
    ban(cole)
    assert ask(cole, "guilds.get", guild_id=guild_id).status == 200
    assert ask(cole, "guilds.leave").refusal == (403, "player_banned")
    assert ("cole", "co_leader") in members(here, guild_id)


# -- leaving --------------------------------------------------------------------------------------------------------------


def test_a_leader_who_leaves_is_followed_by_rank_and_standing() -> None:
    """The co-leader first, then the member who came first; the last one ends the guild."""
    here = game()
    guild_id, players = club(here)
    led = []
    for _ in NAMES:
        leader = members(here, guild_id)[0][0]
        led.append(leader)
        since = Since(here)
        answer = ask(here.player(leader), "guilds.leave").data
        assert answer == {"left": True, "disbanded": leader == NAMES[-1]}
        reasons = [row["reason"] for row in since.of("guild.role_changed")]
        assert reasons == ([] if leader == NAMES[-1] else ["succession_leader_left"])
    assert led == list(NAMES)
    assert [event.data["reason"] for event in here.events if event.kind == "guild.disbanded"] == ["last_member_left"]
    assert ask(players[0], "guilds.get", guild_id=guild_id)["guild.leader"] is None
    assert ask(players[0], "guilds.join", guild_id=guild_id).refusal == (404, "guild_not_found")
    assert (rows_of(here, SEATS), len(rows_of(here, STINTS))) == ([], 4)
    assert found_wrong(here) == []


def test_a_leader_who_is_away_is_followed_and_becomes_co_leader() -> None:
    """After exactly the days that the game says since the last session."""
    here = game(inactiveLeaderDays=7)
    guild_id, (lea, *_) = club(here)
    here.advance(days=3)
    ask(lea, "guilds.getOwn")
    here.advance(days=7, seconds=-1)
    assert members(here, guild_id)[0] == ("lea", "leader")
    since = Since(here)
    here.advance(seconds=1)
    assert members(here, guild_id)[:2] == [("cole", "leader"), ("lea", "co_leader")]
    assert {row["reason"] for row in since.of("guild.role_changed")} == {"succession_leader_inactive"}
    assert {str(row["by"]) for row in since.of("guild.role_changed")} == {"{'kind': 'system'}"}


def test_the_lead_does_not_go_round_among_those_who_are_away() -> None:
    """Each follows once; who has been back may follow again."""
    here = game(inactiveLeaderDays=1)
    guild_id, players = club(here)
    here.advance(days=60)
    changed = [
        event.data for event in here.events if event.kind == "guild.role_changed" and event.data["to"] == "leader"
    ]
    assert [row["externalPlayerId"] for row in changed] == ["cole", "mia", "max"]
    ask(players[0], "guilds.getOwn")
    here.advance(days=2)
    assert members(here, guild_id)[0] == ("lea", "leader")


def test_a_leader_may_stay_away() -> None:
    """Where the game does not mind, and while it has no guilds; from the day on which it minds, it does."""
    here = game(inactiveLeaderDays=None)
    guild_id, _ = club(here)
    here.advance(days=90)
    here.configure(config(guilds={**GUILDS, "enabled": False, "inactiveLeaderDays": 1}))
    here.advance(days=2)
    assert members(here, guild_id)[0] == ("lea", "leader")
    here.configure(config(guilds={**GUILDS, "inactiveLeaderDays": 1}))
    here.advance(days=1)
    assert members(here, guild_id)[0] == ("cole", "leader")


# -- whole players --------------------------------------------------------------------------------------------------------


def test_of_two_guilds_the_targets_stays() -> None:
    """The source leaves its guild, which another leads from then on."""
    here = game()
    guild_id, players = club(here)
    other = found(here.player("eve"), "Larks")
    since = Since(here)
    ask(here.server, "players.merge", external_id="lea", to_external_id="eve")
    assert (own(here.player("eve")), members(here, guild_id)[0]) == (other, ("cole", "leader"))
    assert [row["reason"] for row in since.of("guild.member_left")] == ["merged"]
    assert players[0].external_id == "lea"
    assert found_wrong(here) == []


def test_a_seat_moves_to_the_target_with_its_role() -> None:
    """And with its standing; the target's requests end."""
    here = game()
    guild_id, _ = club(here)
    eve = here.player("eve")
    larks = found(here.player("dan"), "Larks", join_type="request")
    ask(eve, "guilds.join", guild_id=larks)
    since = Since(here)
    ask(here.server, "players.merge", external_id="lea", to_external_id="eve")
    assert members(here, guild_id)[0] == ("eve", "leader")
    assert since.kinds == ["guild.member_joined", "player.merged"]
    assert since.of("guild.member_joined")[0]["via"] == "merge"
    assert rows_of(here, REQUESTS) == []
    assert ask(here.server, "guilds.getOfPlayer", external_id="eve")["stints.0.leftAt"] is None
    assert found_wrong(here) == []


def test_requests_move_unless_the_target_has_the_same() -> None:
    """Of two to one guild the target's stays."""
    here = game()
    both = found(here.player("lea"), join_type="request")
    one = found(here.player("dan"), "Larks", join_type="request")
    eve, ida = here.player("eve"), here.player("ida")
    for player, guild_id in ((eve, both), (eve, one), (ida, both)):
        ask(player, "guilds.join", guild_id=guild_id)
    ask(here.server, "players.merge", external_id="eve", to_external_id="ida")
    asked = ask(ida, "guilds.listRequests").list("outgoing")
    assert sorted(str(row["guildId"]) for row in asked) == sorted([both, one])
    assert found_wrong(here) == []


def test_an_erased_leader_is_followed() -> None:
    """And stays in the history without a name."""
    here = game()
    guild_id, _ = club(here)
    since = Since(here)
    ask(here.server, "players.erase", external_id="lea")
    assert members(here, guild_id)[0] == ("cole", "leader")
    assert [row["reason"] for row in since.of("guild.member_left")] == ["erased"]
    history = ask(here.server, "guilds.get", guild_id=guild_id).list("guild.history")
    assert [row["leftReason"] for row in history if row["leftAt"] is not None] == ["erased"]
    assert "lea" not in {row["externalPlayerId"] for row in history}
    assert found_wrong(here) == []


def test_a_studio_keeps_the_same_guilds() -> None:
    """A game whose studio keeps the economy has guilds as well."""
    here = studio_world()
    club(here)
    assert found_wrong(here) == []
