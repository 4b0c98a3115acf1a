"""Events, attempts, leaderboards, guilds and revenue in the portal."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.world import World
from tests.portal.browsing import Member
from tests.portal.studio import PLAYER, made_studio, places
from tests.portal.test_frame import check_page

_GAME = "/portal/studios/{studioId}/games/{gameId}"


@pytest.fixture
def world() -> World:
    """A studio of one's own for each test."""
    return made_studio()


def test_an_attempt_is_completed_with_a_score(world: World) -> None:
    """From the player's page to the attempt, and the grants that it wins are shown."""
    owner = Member.of(world)
    attempt = places(world, f"{_GAME}/attempts/{{attemptId}}")
    player = owner.open(places(world, f"{_GAME}/players/{{externalId}}"))
    assert attempt in player.links
    address = attempt.replace("?", "/complete?")
    wrong = owner.fill(address, score="lots", reason="hung")
    assert (wrong.status, wrong.form()["reason"]) == (400, "hung")
    sent = owner.fill(address, score="700", reason="the game hung, case 9")
    shown = owner.open(sent.location)
    assert "The attempt is completed." in shown.text
    assert "700" in shown.text
    assert "Nothing has been granted" not in shown.text
    again = owner.fill(address, score="800", reason="again")
    assert again.status == 409
    check_page(again)
    debugger = Member.of(world, "GAME_DEBUGGER")
    assert debugger.open(attempt.replace("?", "/rewards?")).status == 200


def test_an_attempt_leads_to_its_board_also_before_it_has_a_score(world: World) -> None:
    """Without progress the player is not on the board, so the link does not ask for the ranks around them."""
    world.server.call("wallet.credit", external_id="dora", economy_key="gold", amount=5)
    started: Any = world.player("dora").call("events.start", key="daily-dash")["attempt"]
    owner = Member.of(world)
    shown = owner.open(owner.game(f"/attempts/{started['attemptId']}"))
    (board,) = [link for link in shown.links if "/leaderboards/" in link]
    assert owner.open(board).status == 200, owner.open(board).text


def test_a_player_is_taken_off_a_board(world: World) -> None:
    """The board is read by rank, around a player, and without the one who was taken off."""
    owner = Member.of(world)
    address = places(world, f"{_GAME}/leaderboards/{{leaderboardId}}")
    board = owner.open(address)
    assert board.page.all("svg")
    around = owner.open(f"{address}&around=bob")
    assert "1 000" in around.text.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert owner.open(f"{address}&around=nobody").status == 404
    removal = address.replace("?", "/players/bob/remove?")
    assert removal in board.links
    assert owner.fill(removal).gives == "off-board"
    assert removal not in owner.open(address).links
    league = owner.open(owner.game("/leaderboards/league", division="bronze", period="current"))
    assert (league.status, league.heading) == (200, "Weekly league")
    assert owner.open(owner.game("/leaderboards/league", period="previous")).status in (200, 404)
    assert owner.open(owner.game("/leaderboards/lbd_nothing")).status == 404


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ({"period": "previous"}, 200, "This leaderboard has no earlier period."),
        ({"around": "nobody"}, 404, "The player 'nobody' has no entry on the leaderboard."),
    ],
)
def test_a_choice_that_finds_nothing_on_a_board_leaves_the_filters(
    world: World, query: dict[str, str], status: int, said: str
) -> None:
    """The page says so beside them, and what was chosen stays."""
    shown = Member.of(world).open(Member.of(world).game("/leaderboards/league", **query))
    assert (shown.status, said in shown.text) == (status, True)
    (form,) = shown.page.all("form", role="search")
    chosen = [one.attributes["value"] for one in form.all("option") if "selected" in one.attributes]
    typed = [one.attributes["value"] for one in form.all("input", name="around")]
    assert next(iter(query.values())) in [*chosen, *typed]
    check_page(shown)


def test_a_board_without_periods_offers_none() -> None:
    """One that never begins anew has only what it has now."""
    world = World(
        {"leaderboards": [{"key": "hall", "name": "Hall"}, {"key": "week", "name": "Week", "reset": "weekly"}]}
    )
    owner = Member.of(world)
    offers = {key: "The last period" in owner.open(owner.game(f"/leaderboards/{key}")).text for key in ("hall", "week")}
    assert offers == {"hall": False, "week": True}


def test_the_lists_of_a_window_go_on(world: World) -> None:
    """Each list of a window has a page of its own, with filters and further pages."""
    owner = Member.of(world)
    window = places(world, f"{_GAME}/events/{{eventKey}}/windows/{{windowId}}")
    for what in ("attempts", "leaderboards"):
        assert window.replace("?", f"/{what}?") in owner.open(window).links
    attempts = window.replace("?", "/attempts?")
    done = owner.open(f"{attempts}&status=completed")
    assert "completed" in [one.text for one in done.page.all("span", class_="status good")]
    assert "bob" in done.html
    assert "nothing in this state" in owner.open(f"{attempts}&status=expired").text
    assert owner.open(f"{attempts}&status=odd").status == 400
    event = places(world, f"{_GAME}/events/{{eventKey}}")
    assert window in owner.open(event).links
    assert owner.open(owner.game("/events/nothing")).status == 404


def test_a_guild_is_moderated(world: World) -> None:
    """Found by its name, changed, led by another one, without a member, and ended."""
    owner = Member.of(world)
    guild = places(world, f"{_GAME}/guilds/{{guildId}}")
    assert guild in owner.open(owner.game("/guilds")).links
    assert "No guild has such a name." in owner.open(owner.game("/guilds", q="zzz")).text
    assert "no guild here yet" in owner.open(owner.game("/guilds", "live")).text
    below = guild.replace("?", "{}?").format
    assert owner.fill(below("/change"), name="The Otters", description="kind").gives == "guild-changed"
    assert owner.open(guild).heading == "The Otters"
    short = owner.fill(below("/change"), name="x")
    assert (short.status, short.form()["description"]) == (400, "kind")
    assert owner.fill(below("/leader"), externalPlayerId="bob").gives == "guild-led"
    member = places(world, f"{_GAME}/guilds/{{guildId}}/members/{{memberExternalId}}/remove")
    assert owner.fill(member).gives == "guild-member-removed"
    assert owner.open(member).status == 404
    assert owner.open(below("/leader")).status == 404
    assert owner.fill(below("/end")).gives == "guild-ended"
    assert guild not in owner.open(owner.game("/guilds")).links
    assert guild in owner.open(owner.game("/guilds", includeDisbanded="true")).links
    assert "Ended" in owner.open(guild).text
    assert "nobody is told of your changes" in owner.open(below("/change")).text
    assert owner.fill(below("/change"), name="Ended otters", description="").gives == "guild-changed"
    assert owner.open(guild).heading == "Ended otters"
    assert owner.open(owner.game("/guilds", offset="9" * 30)).status == 200


def test_revenue_is_shown_by_day_and_by_product(world: World) -> None:
    """With a picture that is a table as well; days that make no sense are told beside their field."""
    owner = Member.of(world)
    shown = owner.open(owner.game("/revenue"))
    assert "4.99" in shown.text
    (picture,) = shown.page.all("svg")
    assert picture.attributes["aria-label"] == "US dollars by day, at most 4.99"
    assert "0.00 verified, 4.99 only reported by game clients" in shown.text
    player = owner.open(places(world, "/portal/studios/{studioId}/games/{gameId}/players/{externalId}"))
    assert "0.00 verified, 4.99 only reported by game clients" in player.text
    assert len(picture.all("rect")) == len(shown.page.all("details")[0].all("tr")) - 1
    wrong = owner.open(f"{owner.game('/revenue')}&from=yesterday")
    assert wrong.status == 400
    check_page(wrong)
    assert "Nothing was bought" in owner.open(owner.game("/revenue", "live")).text


def test_a_lobby_and_a_team_lead_to_their_players(world: World) -> None:
    """And say how many seats are taken."""
    owner = Member.of(world)
    lobby = owner.open(places(world, f"{_GAME}/lobbies/{{lobbyId}}"))
    assert "1 player and 0 bots of 4" in lobby.text
    assert owner.game("/players/cleo") in lobby.links
    place = places(world, f"{_GAME}/teams/{{teamId}}")
    team = owner.open(place)
    assert places(world, f"{_GAME}/players/{{externalId}}") in team.links
    change = place.replace("?", "/change?")
    assert change in team.links
    assert owner.fill(change, name="The Herons", attributes='{"colour": "grey"}').gives == "team-changed"
    assert owner.open(place).heading == "The Herons"
    assert owner.open(change).form()["attributes"] == '{\n  "colour": "grey"\n}'
    assert owner.fill(change, name="").gives == "team-changed"
    assert owner.open(place).heading != "The Herons"
    assert owner.fill(change, name="x" * 41).status == 400
    found: Any = world.operator().call("players.get", external_id=PLAYER)
    assert found["guild"]["name"] in owner.open(places(world, f"{_GAME}/players/{{externalId}}")).text
