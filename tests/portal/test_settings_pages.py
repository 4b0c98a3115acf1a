"""The settings of a game in the portal, and the whole timeline of a player."""

from __future__ import annotations

import json
from typing import Any

import pytest

from livecore.world import World
from tests.portal.browsing import Member
from tests.portal.studio import PLAYER, made_studio, places
from tests.portal.test_frame import check_page


@pytest.fixture
def world() -> World:
    """A studio of one's own for each test."""
    return made_studio()


def _config(world: World) -> Any:  # noqa: ANN401 - JSON
    present: Any = world.operator().call("settings.get")
    return present["config"]


def test_settings_change_after_their_difference_was_read(world: World) -> None:
    """The first form only shows what would change; the second one applies it, and the history has it."""
    owner = Member.of(world)
    address = owner.game("/settings/change")
    config = json.loads(str(owner.open(address).form()["config"]))
    assert config == _config(world)
    config["gifting"]["cooldownSeconds"] = 3600
    second = owner.fill(address, config=json.dumps(config))
    check_page(second)
    assert "~ gifting.cooldownSeconds: 86400 -> 3600" in second.text
    assert _config(world)["gifting"]["cooldownSeconds"] == 86400
    sent = owner.submit(address, second.form())
    assert "The settings hold from now on." in owner.open(sent.location).text
    assert _config(world)["gifting"]["cooldownSeconds"] == 3600
    history = owner.open(owner.game("/settings/history"))
    assert "owner@example.com" in history.text
    assert "gifting.cooldownSeconds" in history.text
    version = owner.game("/settings/history/2")
    assert version in history.links
    assert "gifting.cooldownSeconds" not in owner.open(version).page.all("ul")[-1].text


def test_a_difference_that_is_out_of_date_is_not_applied(world: World) -> None:
    """Somebody else was faster: nothing changes, and what was typed is kept."""
    owner = Member.of(world)
    address = owner.game("/settings/change")
    config = _config(world)
    config["gifting"]["cooldownSeconds"] = 60
    second = owner.fill(address, config=json.dumps(config))
    config["gifting"]["cooldownSeconds"] = 120
    world.operator().call("settings.apply", config=config, version=2)
    late = owner.submit(address, second.form())
    assert late.status == 409
    check_page(late)
    assert json.loads(str(late.form()["config"]))["gifting"]["cooldownSeconds"] == 60
    assert _config(world)["gifting"]["cooldownSeconds"] == 120


def test_faults_of_settings_stand_at_the_top_with_their_lines(world: World) -> None:
    """Each with its place in the text, which stays as it was typed; a byte order mark that was pasted is read over."""
    owner = Member.of(world)
    address = owner.game("/settings/change")
    config = _config(world)
    config["events"][0]["target"] = "ten"
    text = json.dumps(config, indent=2)
    line = 1 + text[: text.index('"ten"')].count("\n")
    faulty = owner.fill(address, config="\ufeff" + text)
    told = f"Please correct: Settings , line {line}: events[0].target must be an integer; it is 'ten'"
    assert told in " ".join(faulty.text.split())
    assert faulty.html.index('id="problem" role="alert" tabindex="-1" autofocus') < faulty.html.index("<textarea")
    assert str(faulty.form()["config"]).endswith(text)
    assert "line 1 column 2" in owner.fill(address, config="{").text


def test_faults_of_settings_are_named_by_their_places(world: World) -> None:
    """What is no JSON, what is no configuration, what changes nothing, and what must not be."""
    owner = Member.of(world)
    address = owner.game("/settings/change")
    assert "is not JSON" in owner.fill(address, config="{").text
    config = _config(world)
    faulty = owner.fill(address, config=json.dumps({**config, "economyMode": "<planted data-planted>", "odd": 1}))
    assert faulty.status == 400
    page = check_page(faulty)
    (field,) = page.all("textarea")
    assert field.attributes["aria-invalid"] == "true"
    assert {"economyMode", "odd"} <= {one.text.rpartition(".")[2] for one in page.all("code")}
    same = owner.fill(address, config=json.dumps(config))
    assert "would change" in same.text
    assert [one.text for one in same.page.all("main")[0].all("button")] == []
    gone = owner.fill(address, config=json.dumps({**config, "events": [], "leaderboards": []}))
    assert "It cannot be done" in gone.text
    check_page(gone)
    assert _config(world) == config


def test_advice_is_shown_before_and_after_settings_are_applied(world: World) -> None:
    """It names the field, and the change may be made all the same."""
    owner = Member.of(world)
    address = owner.game("/settings/change")
    assert "Advice" not in owner.open(owner.game("/settings")).text
    reward = [{"type": "currency", "resourceKey": "gold", "amount": 1}]
    resource = {"type": "currency", "key": "gold", "maxRequest": 9, "maxDonation": 9, "donorReward": reward}
    config = _config(world)
    config["guilds"] = {**config["guilds"], "enabled": True, "help": {"resources": [resource]}}
    second = owner.fill(address, config=json.dumps(config))
    check_page(second)
    assert "guilds.help.resources[0].donorReward" in [one.text for one in second.page.all("code")]
    assert owner.submit(address, second.form()).gives == "settings-applied"
    shown = owner.open(owner.game("/settings"))
    check_page(shown)
    assert "up to 9 rewards for one request" in shown.text


def test_one_goes_back_to_an_earlier_version(world: World) -> None:
    """After reading what changes by it; it becomes a new version."""
    owner = Member.of(world)
    address = owner.game("/settings/history/1/restore")
    shown = owner.open(address)
    assert "~ name:" in shown.text
    assert owner.fill(address).gives == "settings-applied"
    assert _config(world)["name"] == "Demo"
    assert "as version 1" in owner.open(owner.game("/settings/history")).text
    assert owner.open(owner.game("/settings/history/99")).status == 404
    assert owner.open(owner.game("/settings/history/x/restore")).status in (400, 404)
    present = owner.open(owner.game("/settings/history/3"))
    assert "present version" in present.text
    assert owner.game("/settings/history/3/restore") not in present.links
    viewer = Member.of(world, "VIEWER")
    assert viewer.open(address).status == 403
    assert address not in viewer.open(owner.game("/settings/history/1")).links


def test_the_whole_timeline_goes_on_and_is_filtered(world: World) -> None:
    """Everything in words, by kind, and page after page."""
    owner = Member.of(world)
    address = places(world, "/portal/studios/{studioId}/games/{gameId}/players/{externalId}/timeline")
    whole = owner.open(address)
    assert "Webhook" in whole.text
    assert "Give or take items, by member owner@example.com" in owner.open(f"{address}&kinds=audit").text
    gifts = owner.open(f"{address}&kinds=gift_sent").text
    assert "10 gold, pending, to bob" in gifts
    assert "Grant" not in gifts.partition("Search")[2]
    assert owner.open(f"{address}&kinds=odd").status == 400
    assert "Nothing of this kind" in owner.open(f"{address}&kinds=crate").text
    for number in range(60):
        world.operator().call("wallet.adjust", external_id=PLAYER, economy_key="xp", delta=1, reason=f"r{number}")
    first = owner.open(f"{address}&kinds=ledger")
    (older,) = [link for link in first.links if "cursor=" in link]
    assert "kinds=ledger" in older
    assert "+1 sword, then 1" in owner.open(older).text


def test_what_players_hold_and_lose_is_said_before_it_is_applied(world: World) -> None:
    """The page with the difference says it, in the words of the command line; nothing is prevented."""
    config = _config(world)
    owned = {**config, "items": [*config["items"], {"key": "cup"}]}
    world.configure(owned)
    world.player("carla")
    world.server.call("inventory.grant", external_id="carla", item_key="cup", quantity=3)
    owner = Member.of(world)
    second = owner.fill(owner.game("/settings/change"), config=json.dumps(config))
    check_page(second)
    assert (
        "Players hold what is taken away: items[cup]: 1 player in test holds 3 of it: it stays in the inventories, "
        "where nobody can use or get any until the key is declared again"
    ) in second.text
    assert second.form()["version"]


def test_the_settings_say_what_wallets_have_besides(world: World) -> None:
    """The two balances that the service counts, which nobody finds in the configuration."""
    owner = Member.of(world)
    assert "<code>sessions</code> and <code>login_streak</code>" in owner.open(owner.game("/settings")).html
