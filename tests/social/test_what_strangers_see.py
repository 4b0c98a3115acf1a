"""What a player is shown of another one: presence, status, country and last activity, on every route that shows players.

A friend sees all that the player shows to friends. A stranger, who is anybody else and also a member of the same guild, sees
what the game lets strangers see and what the player shows to everybody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs
import pytest

from livecore.kernel.errors import Json, JsonObject
from livecore.world import Caller, World, WorldPlayer
from tests.worlds import RACES, ask, befriend, gift, give, world

HIDDEN: Final = (False, None, None)
NOTHING: Final[JsonObject] = {"presence": False, "status": False, "country": False}
CREW: Final = [event for event in RACES if isinstance(event, dict) and event["key"] in {"crews", "duo", "arena"}]


@attrs.frozen
class Two:
    """Anna looks at bert, who is there with a label and comes from Norway."""

    game: World
    anna: WorldPlayer
    bert: WorldPlayer

    @property
    def now(self) -> str:
        """When bert was last there."""
        return str(ask(self.bert, "presence.heartbeat", status="Around")["lastActiveAt"])


def two(choice: JsonObject | None = None, /, **privacy: Json) -> Two:
    """Two players of a game with this privacy, of whom bert has chosen something."""
    game = world(privacy=privacy, events=CREW)
    anna, bert = game.player("anna"), game.player("bert")
    ask(game.server, "players.setIdentity", external_id="bert", name="Bert", country="NO")
    if choice:
        assert ask(bert, "players.setPrivacy", **choice).status == 200
    return Two(game, anna, bert)


def presence(row: JsonObject) -> tuple[Json, Json, Json]:
    """What a row says of somebody's presence."""
    return row["online"], row["lastActiveAt"], row["status"]


def country(row: JsonObject) -> Json:
    """The country in the identity of a row."""
    identity = row["displayIdentity"]
    assert isinstance(identity, dict)
    return identity["country"]


def the_row(caller: Caller, name: str, rows: str, **more: object) -> JsonObject:
    """The only row of a list."""
    (row,) = ask(caller, name, **more).list(rows)
    return row


def suggested(here: Two) -> tuple[Json, Json, Json]:
    """Bert's presence among the suggestions for anna."""
    return presence(the_row(here.anna, "friends.suggestions", "suggestions"))


# -- presence -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("privacy", [{}, {"strangers": {}}, {"presenceTo": "everybody", "discoverable": True}])
def test_without_settings_strangers_see_what_friends_see(privacy: JsonObject) -> None:
    """As the specification has it."""
    here = two(**privacy)
    now = here.now
    assert suggested(here) == (True, now, "Around")
    assert country(the_row(here.anna, "friends.suggestions", "suggestions")) == "NO"


@pytest.mark.parametrize(
    ("strangers", "seen"),
    [
        ({"status": False}, (True, "now", None)),
        ({"presence": False}, HIDDEN),
        ({"presence": False, "status": False}, HIDDEN),
    ],
)
def test_a_game_hides_presence_from_strangers(strangers: JsonObject, seen: tuple[Json, Json, Json]) -> None:
    """A status says that somebody is there, so it is hidden with the presence."""
    here = two(strangers=strangers)
    now = here.now
    assert suggested(here) == tuple(now if value == "now" else value for value in seen)
    befriend(here.anna, here.bert)
    assert presence(the_row(here.anna, "friends.list", "friends")) == (True, now, "Around")


@pytest.mark.parametrize(
    ("presence_to", "to_stranger", "to_friend"),
    [("everybody", True, True), ("friends", False, True), ("nobody", False, False)],
)
@pytest.mark.parametrize("by_default", [True, False])
def test_a_player_chooses_who_sees_the_presence(
    presence_to: str,
    to_stranger: bool,
    to_friend: bool,
    by_default: bool,
) -> None:
    """Or the game does, for players who have chosen nothing."""
    here = two(presenceTo=presence_to) if by_default else two({"presence_to": presence_to})
    now = here.now
    whole = (True, now, "Around")
    assert suggested(here) == (whole if to_stranger else HIDDEN)
    befriend(here.anna, here.bert)
    assert presence(the_row(here.anna, "friends.list", "friends")) == (whole if to_friend else HIDDEN)
    assert presence(the_row(here.game.server, "friends.list", "friends", external_id="anna")) == whole


def test_a_choice_shows_no_more_than_the_game_allows() -> None:
    """To everybody is to every friend, where strangers see no presence."""
    here = two({"presence_to": "everybody"}, strangers={"presence": False})
    assert here.now
    assert suggested(here) == HIDDEN


def test_a_new_friend_is_shown_in_the_answer_that_makes_them_one() -> None:
    """On both ways to a friendship, and not in the request before."""
    here = two(strangers=NOTHING)
    now = here.now
    asked = ask(here.anna, "friends.sendRequest", external_player_id="bert")
    assert asked["request.player.displayIdentity.country"] is None
    answered = ask(here.bert, "friends.sendRequest", external_player_id="anna")
    assert answered["status"] == "accepted"
    friend = the_row(here.anna, "friends.list", "friends")
    assert presence(friend) == (True, now, "Around")
    ask(here.anna, "friends.remove", friend_external_id="bert")
    ask(here.bert, "friends.sendRequest", external_player_id="anna")
    (incoming,) = ask(here.anna, "friends.listRequests").list("incoming")
    accepted = ask(here.anna, "friends.acceptRequest", request_id=incoming["requestId"])
    assert accepted["friend.displayIdentity.country"] == "NO"
    assert (accepted["friend.online"], accepted["friend.status"]) == (True, "Around")


def test_sessions_and_streaks_are_hidden_with_the_presence() -> None:
    """They say on which day somebody was there; who may not know that reads 0, as of a key that is not public."""
    here = two(presenceTo="friends")
    assert here.now
    give(here.bert, "gold", 7)

    def read(name: str, rows: str) -> Json:
        return the_row(here.anna, name, rows, progression=["gold", "sessions", "login_streak"])["progression"]

    assert read("friends.suggestions", "suggestions") == {"gold": 7, "sessions": 0, "login_streak": 0}
    befriend(here.anna, here.bert)
    assert read("friends.list", "friends") == {"gold": 7, "sessions": 1, "login_streak": 1}
    ask(here.bert, "players.setPrivacy", presence_to="nobody")
    assert read("friends.list", "friends") == {"gold": 7, "sessions": 0, "login_streak": 0}


# -- guilds ---------------------------------------------------------------------------------------------------------------


def together(here: Two) -> str:
    """Bert's guild, in which anna is as well; gives its id."""
    guild_id = ask(here.bert, "guilds.create", name="Owls", join_type="open").text("guild.guildId")
    assert ask(here.anna, "guilds.join", guild_id=guild_id).status == 200
    return guild_id


def member(caller: Caller, guild_id: str, name: str = "bert") -> JsonObject:
    """One member of a guild, as the guild's page shows it."""
    (row,) = (
        one
        for one in ask(caller, "guilds.get", guild_id=guild_id).list("guild.members")
        if one["externalPlayerId"] == name
    )
    return row


def test_members_of_ones_guild_are_strangers() -> None:
    """Unless they are friends; to oneself one is always shown, and to the studio everybody is."""
    here = two(strangers=NOTHING)
    now, guild_id = here.now, together(here)
    assert (member(here.anna, guild_id)["lastActiveAt"], country(member(here.anna, guild_id))) == (None, None)
    for caller in (here.bert, here.game.server, here.game.operator()):
        assert (member(caller, guild_id)["lastActiveAt"], country(member(caller, guild_id))) == (now, "NO")
    befriend(here.anna, here.bert)
    assert member(here.anna, guild_id)["lastActiveAt"] == now
    ask(here.bert, "players.setPrivacy", presence_to="nobody")
    assert member(here.anna, guild_id)["lastActiveAt"] is None
    assert member(here.bert, guild_id)["lastActiveAt"] == now


# -- the country ----------------------------------------------------------------------------------------------------------


def _suggestions(here: Two) -> Json:
    return ask(here.anna, "friends.suggestions")["suggestions.0.displayIdentity.country"]


def _search(here: Two) -> Json:
    return ask(here.anna, "friends.search", q="Bert")["players.0.displayIdentity.country"]


def _outgoing(here: Two) -> Json:
    ask(here.anna, "friends.sendRequest", external_player_id="bert")
    return ask(here.anna, "friends.listRequests")["outgoing.0.player.displayIdentity.country"]


def _incoming(here: Two) -> Json:
    ask(here.bert, "friends.sendRequest", external_player_id="anna")
    return ask(here.anna, "friends.listRequests")["incoming.0.player.displayIdentity.country"]


def _declined(here: Two) -> Json:
    asked = ask(here.bert, "friends.sendRequest", external_player_id="anna").text("request.requestId")
    return ask(here.anna, "friends.declineRequest", request_id=asked)["request.player.displayIdentity.country"]


def _blocks(here: Two) -> Json:
    blocked = ask(here.anna, "friends.block", external_player_id="bert")
    assert blocked["block.displayIdentity"] == ask(here.anna, "friends.listBlocks")["blocks.0.displayIdentity"]
    return blocked["block.displayIdentity.country"]


def _gifts(here: Two) -> Json:
    """The giver of a gift is no friend any more."""
    befriend(here.anna, here.bert)
    give(here.bert, "gold", 10)
    assert gift(here.bert, here.anna).status == 201
    ask(here.anna, "friends.remove", friend_external_id="bert")
    return ask(here.anna, "gifts.inbox")["gifts.0.player.displayIdentity.country"]


def _leader(here: Two) -> Json:
    together(here)
    return ask(here.anna, "guilds.getOwn")["guild.leader.displayIdentity.country"]


def _found_leader(here: Two) -> Json:
    ask(here.bert, "guilds.create", name="Owls")
    return ask(here.anna, "guilds.search")["guilds.0.leader.displayIdentity.country"]


def _member(here: Two) -> Json:
    return country(member(here.anna, together(here)))


def _join_request(here: Two) -> Json:
    guild_id = ask(here.anna, "guilds.create", name="Owls", join_type="request").text("guild.guildId")
    ask(here.bert, "guilds.join", guild_id=guild_id)
    return ask(here.anna, "guilds.listRequests")["incoming.0.player.displayIdentity.country"]


def _help(here: Two) -> Json:
    together(here)
    assert ask(here.bert, "guilds.requestHelp", type="currency", resource_key="gold", amount=5).status == 201
    return ask(here.anna, "guilds.listHelp")["requests.0.player.displayIdentity.country"]


def _lobby(here: Two) -> Json:
    pushed = ask(
        here.game.server, "lobbies.push", game_id=here.game.game.game_id, event_key="arena", key="one",
        external_player_ids=["anna", "bert"],
    )  # fmt: skip
    lobby_id = pushed.text("lobby.lobbyId")
    shown = ask(here.anna, "lobbies.get", lobby_id=lobby_id).list("lobby.participants")
    return next(country(one) for one in shown if one["externalPlayerId"] == "bert")


def _team(here: Two) -> Json:
    made = ask(here.bert, "teams.create", key="crews", name="Reds")
    team = ask(here.anna, "teams.join", key="crews", team_key=made["team.teamKey"])
    shown = team.list("team.members")
    return next(country(one) for one in shown if one["externalPlayerId"] == "bert")


def _partner(here: Two) -> Json:
    assert ask(here.bert, "partners.invite", key="duo", external_player_id="anna").status == 201
    return ask(here.anna, "partners.listInvites", key="duo")["incoming.0.player.displayIdentity.country"]


def _leaderboard(here: Two) -> Json:
    """A request for a leaderboard names no player, so everybody is a stranger to it."""
    ask(here.bert, "leaderboards.submit", key="best", score=5)
    return ask(here.anna, "leaderboards.get", key="best")["entries.0.country"]


ROUTES: Final[dict[str, Callable[[Two], Json]]] = {
    named.__name__: named
    for named in (
        _suggestions, _search, _outgoing, _incoming, _declined, _blocks, _gifts, _leader, _found_leader, _member,
        _join_request, _help, _lobby, _team, _partner, _leaderboard,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", ROUTES)
def test_a_country_is_shown_to_strangers_where_the_game_shows_it(name: str) -> None:
    """On each route that shows a player to a player who is no friend."""
    assert ROUTES[name](two()) == "NO"
    assert ROUTES[name](two(strangers={"country": False})) is None
    assert ROUTES[name](two(strangers={"presence": False, "status": False}, presenceTo="nobody")) == "NO"


def test_friends_and_the_player_see_the_country() -> None:
    """On a friend's row, and the player in the own row of whatever shows players."""
    here = two(strangers=NOTHING)
    befriend(here.anna, here.bert)
    assert ask(here.anna, "friends.list")["friends.0.displayIdentity.country"] == "NO"
    assert ask(here.anna, "friends.search", q="Bert")["players.0.displayIdentity.country"] == "NO"
    for player in (here.anna, here.bert):
        ask(player, "leaderboards.submit", key="best", score=5)
    entries = ask(here.anna, "leaderboards.friends", key="best").list("entries")
    assert [row["country"] for row in entries if row["externalPlayerId"] == "bert"] == ["NO"]
    assert ask(here.bert, "leaderboards.getOwn", key="best")["entry.country"] == "NO"
    assert ask(here.bert, "leaderboards.submit", key="best", score=9)["entry.country"] == "NO"
    assert ask(here.bert, "players.getProfile")["displayIdentity.country"] == "NO"
    assert ask(here.game.operator(), "leaderboards.get", leaderboard_id="best")["entries.0.country"] == "NO"


# -- being found ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_default", [True, False])
def test_who_is_not_discoverable_is_found_by_code_and_id_alone(by_default: bool) -> None:
    """Not by a search, not even of a friend, and by no suggestion."""
    here = two(discoverable=False) if by_default else two({"discoverable": False})
    assert ask(here.anna, "friends.suggestions").list("suggestions") == []
    assert ask(here.anna, "friends.search", q="Bert").list("players") == []
    code = ask(here.bert, "friends.getCode").text("friendCode")
    assert ask(here.anna, "friends.sendRequest", friend_code=code).status == 201
    assert ask(here.anna, "friends.sendRequest", external_player_id="bert").status == 200
    befriend(here.anna, here.bert)
    assert ask(here.anna, "friends.search", q="Bert").list("players") == []
    assert [
        row["externalPlayerId"] for row in ask(here.game.operator(), "players.search", q="Bert").list("players")
    ] == ["bert"]


def test_who_wants_to_be_found_is_found_in_a_game_where_others_are_not() -> None:
    """Against the game's own setting."""
    here = two({"discoverable": True}, discoverable=False)
    here.game.player("carl")
    assert the_row(here.anna, "friends.suggestions", "suggestions")["externalPlayerId"] == "bert"
    assert the_row(here.anna, "friends.search", "players", q="Bert")["externalPlayerId"] == "bert"
    ask(here.bert, "players.setPrivacy", discoverable=None)
    assert ask(here.anna, "friends.suggestions").list("suggestions") == []


def test_the_order_of_suggestions_tells_no_hour_of_who_hides_it() -> None:
    """Who was there just now is not drawn before who was there some hours ago; among the others they are."""

    def firsts(**privacy: Json) -> int:
        game = world(privacy=privacy)
        anna = game.player("anna")
        game.player("earlier")
        game.advance(hours=20)
        game.player("now")
        drawn = [ask(anna, "friends.suggestions")["suggestions.0.externalPlayerId"] for _ in range(200)]
        return drawn.count("now")

    assert firsts() > 170
    assert 70 < firsts(presenceTo="friends") < 130
    assert 70 < firsts(strangers={"presence": False}) < 130


@pytest.mark.parametrize("privacy", [{"presenceTo": "friends"}, {"strangers": {"presence": False}}])
def test_in_a_large_game_who_was_there_last_is_not_drawn_before_the_others(privacy: JsonObject) -> None:
    """More players than are read as the newest: of these as many are candidates as of those who were there hours ago."""
    game = world(privacy=privacy)
    anna = game.player("anna")
    names = [f"p{number}" for number in range(300)]
    for name in names:
        game.player(name)
        game.advance(minutes=4)
    drawn = [
        row["externalPlayerId"]
        for _ in range(80)
        for row in ask(anna, "friends.suggestions", limit=10).list("suggestions")
    ]
    assert 0.1 < sum(name in names[-50:] for name in drawn) / len(drawn) < 0.25


def test_the_order_of_suggestions_tells_no_hour_a_day_later_either() -> None:
    """Weights change at midnight (UTC) alone, and of nobody who was there since yesterday, so they tell no hour."""
    game = world(privacy={"presenceTo": "friends"})
    anna = game.player("anna")
    game.advance(hours=6)
    game.player("morning")
    game.advance(hours=6)
    game.player("noon")
    game.advance(hours=20)

    def firsts() -> int:
        drawn = [ask(anna, "friends.suggestions")["suggestions.0.externalPlayerId"] for _ in range(200)]
        return drawn.count("noon")

    assert 70 < firsts() < 130
    game.advance(hours=17)
    game.player("midnight")
    drawn = [ask(anna, "friends.suggestions")["suggestions.0.externalPlayerId"] for _ in range(200)]
    assert drawn.count("midnight") > 150
    assert 0 < drawn.count("noon") + drawn.count("morning") < 50


def test_who_was_there_last_is_suggested_where_nobody_else_is_left() -> None:
    """To a player who has blocked all others, each of them in every call."""
    game = world(privacy={"presenceTo": "friends"})
    anna = game.player("anna")
    names = [f"p{number}" for number in range(300)]
    for name in names:
        game.player(name)
        game.advance(minutes=4)
    for name in names[:-20]:
        assert ask(anna, "friends.block", external_player_id=name).status == 201
    for _ in range(3):
        rows = ask(anna, "friends.suggestions", limit=25).list("suggestions")
        assert sorted(str(row["externalPlayerId"]) for row in rows) == sorted(names[-20:])
