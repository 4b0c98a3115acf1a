"""The page about one player, in games that are not the demo game."""

from __future__ import annotations

import pytest

from livecore import World
from livecore.api.requests.http import Request, Response
from livecore.api.requests.limits import RateLimits
from livecore.demo import DEMO
from livecore_server.portal.pages import timeline
from tests.portal.browsing import Member
from tests.worlds import befriend, config


def test_a_player_of_a_game_without_settings_has_a_page() -> None:
    """A game that was just made has no gifts, and its players can be helped all the same."""
    world = World()
    world.player("zed")
    member = Member.of(world)
    shown = member.open(member.game("/players/zed"))
    assert shown.status == 200, shown.html
    assert "Gifts are not enabled" in shown.html
    assert member.open(member.game("/players/zed/list/gifts")).status == 200


@pytest.mark.parametrize("direction", ["", "received", "sent"])
def test_gifts_are_shown_both_ways(direction: str) -> None:
    """Those that the player has sent, too, on the page and in the list."""
    world = World(config())
    anna, ben = world.player("anna"), world.player("ben")
    befriend(anna, ben)
    world.server.call("wallet.credit", external_id="anna", economy_key="gold", amount=50)
    anna.call("gifts.send", external_player_id="ben", type="currency", resource_key="gold", amount=7)
    member = Member.of(world)
    assert "sent and received no gift" not in member.open(member.game("/players/anna")).html
    listed = member.open(member.game("/players/anna/list/gifts", **({"direction": direction} if direction else {})))
    assert ("ben" in listed.html) is (direction == "sent")


def test_gifts_are_drawn_by_the_day() -> None:
    """As bars, and as a table with the same values; on further pages there is no picture."""
    world = World(config())
    anna, ben = world.player("anna"), world.player("ben")
    befriend(anna, ben)
    world.server.call("wallet.credit", external_id="anna", economy_key="gold", amount=50)
    anna.call("gifts.send", external_player_id="ben", type="currency", resource_key="gold", amount=7)
    world.advance(days=2)
    anna.call("gifts.send", external_player_id="ben", type="currency", resource_key="gold", amount=7)
    member = Member.of(world)
    sent = member.open(member.game("/players/anna/list/gifts", direction="sent"))
    (picture,) = sent.page.all("svg")
    assert "at most 1" in picture.attributes["aria-label"]
    (table,) = sent.page.all("details")
    rows = [[cell.text for cell in row.all("th", "td")] for row in table.all("tbody")[0].all("tr")]
    assert [day for day, gifts in rows if gifts != "0"] == ["2026-01-01", "2026-01-03"]
    assert [one.attributes["height"] != "0.0" for one in picture.all("rect")] == [gifts != "0" for _, gifts in rows]
    assert len(rows) == 30
    received = member.open(member.game("/players/anna/list/gifts", direction="received"))
    assert received.page.all("svg") == []


def test_days_of_which_gifts_are_not_read_are_not_drawn() -> None:
    """With more gifts than a page has, the picture begins after the day of the oldest that was read, and says so."""
    world = World(config(), limits=RateLimits.off())
    anna = world.player("anna")
    for number in range(60):
        befriend(anna, world.player(f"friend-{number}"))
    for gifts in (30, 60, 60, 0, 60):
        for number in range(gifts):
            friend = f"friend-{number}"
            anna.call("gifts.send", external_player_id=friend, type="currency", resource_key="gems", amount=1)
        world.advance(days=1)
    member = Member.of(world)
    asked: list[str] = []
    ask = member.portal._ask

    async def counting(request: Request) -> Response:
        asked.append(request.path)
        return await ask(request)

    member.portal._ask = counting
    sent = member.open(member.game("/players/anna/list/gifts", direction="sent"))
    assert len([path for path in asked if path.endswith("/gifts")]) == 1, "the list is read once"
    (picture,) = sent.page.all("svg")
    assert "of the newest 200 gifts" in picture.attributes["aria-label"]
    (table,) = sent.page.all("details")
    assert "of the newest 200 gifts" in table.all("caption")[0].text
    rows = [[cell.text for cell in row.all("th", "td")] for row in table.all("tbody")[0].all("tr")]
    assert rows == [
        ["2026-01-02", "60"],
        ["2026-01-03", "60"],
        ["2026-01-04", "0"],
        ["2026-01-05", "60"],
        ["2026-01-06", "0"],
    ]
    (further,) = [link for link in sent.links if "cursor=" in link]
    older = member.open(further)
    (listed,) = older.page.all("tbody")
    assert (older.page.all("svg"), len(listed.all("tr"))) == ([], 10), "the further page is of those sent, too"


def test_players_are_counted_by_when_they_were_seen() -> None:
    """Who is online, and the others by the hour, the day, the week and the month; a search shows no picture."""
    world = World()
    for name, ago in (("year", 300), ("month", 20), ("week", 3), ("day", 1)):
        world.player(name).call("players.getProfile")
        world.advance(days=ago)
    for name in ("hour", "online"):
        world.player(name).call("players.getProfile")
        world.advance(minutes=5)
    world.player("online").call("presence.heartbeat")
    world.flush()
    member = Member.of(world)
    shown = member.open(member.game("/players"))
    (table,) = shown.page.all("table", class_="row-bar")
    rows = [[cell.text for cell in row.all("th", "td")][:2] for row in table.all("tbody")[0].all("tr")]
    assert rows == [
        ["online now", "1"], ["in the last hour", "1"], ["in the last 24 hours", "0"], ["in the last 7 days", "2"],
        ["in the last 30 days", "1"], ["longer ago", "1"],
    ]  # fmt: skip
    assert [one.attributes["width"] for one in table.all("rect")] == ["50", "50", "0", "100", "50", "50"]
    assert "6 players in all" in table.all("caption")[0].text
    assert "online" in [one.text for one in shown.page.all("span", class_="status good")]
    assert member.open(member.game("/players", q="hour")).page.all("svg") == []


def test_no_picture_reads_more_than_a_page() -> None:
    """With more players than a page has, it says so."""
    world = World()
    rows = [{"idempotencyKey": f"k{number}", "externalPlayerId": f"p{number}"} for number in range(230)]
    world.server.call("migrate.players", rows=rows)
    member = Member.of(world)
    (table,) = member.open(member.game("/players")).page.all("table", class_="row-bar")
    assert table.all("caption")[0].text == "The 200 players who were seen last; there are more"


def test_what_the_service_counts_itself_is_not_offered_for_change() -> None:
    """Sessions and the login streak have a ledger to look at, and no adjustment, which would be refused."""
    world = World(config())
    world.player("anna")
    member = Member.of(world)
    links = member.open(member.game("/players/anna")).links
    for key in ("sessions", "login_streak"):
        assert member.game(f"/players/anna/wallet/{key}") in links
        assert member.game(f"/players/anna/wallet/{key}/adjust") not in links
    assert member.game("/players/anna/wallet/gold/adjust") in links


def test_an_item_without_parameters_has_a_line() -> None:
    """A potion of the demo game declares none, and is an item all the same."""
    world = World(DEMO)
    world.player("anna")
    world.server.call("inventory.grant", external_id="anna", item_key="potion", quantity=3)
    member = Member.of(world)
    shown = member.open(member.game("/players/anna"))
    assert shown.status == 200, shown.heading
    (items,) = [one for one in shown.page.all("table") if one.all("caption")[0].text == "Items that the player holds"]
    (row,) = items.all("tbody")[0].all("tr")
    assert [cell.text for cell in row.all("th", "td")][:3] == ["potion", "3", "none"]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "not known"),
        ({"x-svc-platform": "android", "x-svc-app-version": "4.2.0"}, "android 4.2.0"),
        ({"x-svc-platform": "ios"}, "ios"),
        ({"x-svc-app-version": "4.2.0"}, "version 4.2.0"),
        (
            {"x-svc-platform": "goggles", "x-svc-app-version": "4.2.0"},
            "goggles 4.2.0 (the game's settings do not declare this platform)",
        ),
    ],
)
def test_a_device_is_told_in_words(sent: dict[str, str], said: str) -> None:
    """The platform and the version of the game, and whether the game knows the platform."""
    world = World(DEMO)
    world.player("anna", **sent).call("players.getProfile")
    world.flush()
    member = Member.of(world)
    facts = member.open(member.game("/players/anna")).page.all("dl", class_="facts")[0]
    shown = {fact.all("dt")[0].text: fact.all("dd")[0].text for fact in facts.all("div")}
    assert shown["Device"].replace("( ", "(").replace(" )", ")") == said


def test_every_kind_of_the_timeline_is_told_in_words() -> None:
    """None is a bare name."""
    assert set(timeline._WORDS) == set(timeline.KINDS)


def test_the_balances_that_nobody_declared_are_explained() -> None:
    """Every wallet that the service keeps has two of them."""
    world = World(config())
    world.player("anna")
    member = Member.of(world)
    shown = member.open(member.game("/players/anna")).html
    assert "<code>sessions</code> and <code>login_streak</code> are counted by the service" in shown
