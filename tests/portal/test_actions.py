"""What the forms of the portal do: as said on their page, once, and with the faults beside their fields."""

from __future__ import annotations

import json
import unicodedata
from typing import Any
from urllib.parse import quote

import pytest

from livecore.api.operations import OPERATIONS
from livecore.world import World
from livecore_server.portal.pages import ROUTES
from livecore_server.portal.views import Action
from tests.portal.browsing import Element, Member
from tests.portal.studio import HOSTILE, PLAYER, made_studio
from tests.portal.test_frame import check_page


@pytest.fixture
def world() -> World:
    """A studio of one's own for each test."""
    return made_studio()


def _about(world: World, player: str = PLAYER) -> Any:  # noqa: ANN401 - JSON
    return world.operator().call("players.get", external_id=player)


def _fault_of(page: Element, name: str) -> str:
    """The fault that is tied to a field."""
    (field,) = [one for one in page.all("input", "textarea", "select") if one.attributes.get("name") == name]
    assert field.attributes["aria-invalid"] == "true"
    ids = field.attributes["aria-describedby"].split()
    return next(
        one.text for one in page.walk() if one.attributes.get("id") in ids and "fault" in one.attributes["class"]
    )


def _player(member: Member, below: str, player: str = "dora") -> str:
    return member.game(f"/players/{player}{below}")


def test_a_ban_and_its_end(world: World) -> None:
    """The player is banned with the reason, the next page says so, and lifting the ban undoes it."""
    owner = Member.of(world)
    page = owner.open(_player(owner, "/ban"))
    assert "W" * 40 in page.text
    assert "is refused by the game at once" in page.text
    sent = owner.fill(_player(owner, "/ban"), reason="spam\nand more")
    assert sent.location == _player(owner, "")
    shown = owner.open(sent.location)
    assert shown.message == "The player is banned."
    assert owner.open(sent.location).message == "", "it is said once"
    assert _about(world, "dora")["player"]["ban"]["reason"] == "spam\nand more"
    assert "lifted" in owner.open(owner.fill(_player(owner, "/unban")).location).text
    assert _about(world, "dora")["player"]["ban"] is None


def test_a_form_that_is_sent_twice_takes_effect_once(world: World) -> None:
    """Each form has a key of its own, so a second click changes nothing."""
    owner = Member.of(world)
    address = _player(owner, "/wallet/gold/adjust")
    form = owner.open(address).form(delta="70", reason="contest")
    for _ in range(2):
        assert owner.submit(address, form).gives == "balance-changed"
    assert _about(world, "dora")["wallet"][0]["balance"] == 70


@pytest.mark.parametrize(
    ("typed", "field", "fault"),
    [
        ({"delta": "many", "reason": "x"}, "delta", "must be a whole number"),
        ({"delta": "0", "reason": "x"}, "delta", ""),
        ({"delta": "", "reason": "x"}, "delta", "must be filled in"),
        ({"delta": "5", "reason": " "}, "reason", "must be filled in"),
        ({"delta": "9" * 19, "reason": "x"}, "delta", ""),
    ],
)
def test_a_fault_stands_beside_its_field_and_what_was_typed_is_kept(
    world: World, typed: dict[str, str], field: str, fault: str
) -> None:
    """Whether the form or the operation finds it; nothing is done."""
    owner = Member.of(world)
    address = _player(owner, "/wallet/gold/adjust")
    shown = owner.submit(address, owner.open(address).form(**typed))
    assert shown.status == 400
    page = check_page(shown)
    assert fault in _fault_of(page, field)
    assert {name: shown.form()[name] for name in typed} == typed
    assert "Nothing was done." in shown.text
    assert _about(world, "dora")["wallet"][0]["balance"] == 0


def test_a_refusal_of_the_operation_is_shown_with_the_form(world: World) -> None:
    """A balance cannot fall below nothing: the page says so, and keeps what was typed."""
    owner = Member.of(world)
    shown = owner.fill(_player(owner, "/wallet/gold/adjust"), delta="-5", reason="took too much")
    assert shown.status == 409
    assert shown.page.all("div", role="alert")
    assert shown.form()["reason"] == "took too much"
    check_page(shown)


def test_what_a_player_typed_cannot_leave_its_field(world: World) -> None:
    """Markup in a form that is shown again is text in its field."""
    owner = Member.of(world)
    hostile = "</textarea><planted data-planted>\"'"
    shown = owner.fill(_player(owner, "/wallet/gold/adjust"), delta=hostile, reason=hostile)
    assert shown.form()["delta"] == shown.form()["reason"] == hostile
    check_page(shown)


def test_items_and_their_attributes(world: World) -> None:
    """Items are given by their key, attributes are JSON, and what is no JSON is told."""
    owner = Member.of(world)
    assert owner.fill(_player(owner, "/items"), itemKey="sword", delta="2", reason="lost").gives == "items-changed"
    address = _player(owner, "/inventory/sword/attributes")
    refused = owner.fill(address, parameters="{level: 5}")
    assert "is not JSON" in _fault_of(check_page(refused), "parameters")
    assert "is nested too deeply" in owner.fill(address, parameters="[" * 100_000).text
    assert owner.fill(address, parameters='{"level": 5}').gives == "attributes-set"
    (sword,) = _about(world, "dora")["inventory"]
    assert (sword["quantity"], sword["ownParameters"]) == (2, {"level": 5})
    assert json.loads(str(owner.open(address).form()["parameters"])) == {"level": 5}
    assert owner.fill(address, parameters="").gives == "attributes-set"
    assert _about(world, "dora")["inventory"][0]["ownParameters"] is None
    unknown = owner.fill(_player(owner, "/items"), itemKey="none", delta="2", reason="x")
    assert unknown.status in (400, 404)


def test_a_grant_is_given_and_claimed_for_the_player(world: World) -> None:
    """Several entries; a fault of one stands beside its line; the claim credits once."""
    owner = Member.of(world)
    address = _player(owner, "/grant")
    wrong = owner.fill(address, key0="gold", amount0="5", key1="gems", amount1="-1")
    assert wrong.status == 400
    assert _fault_of(check_page(wrong), "amount1")
    sent = owner.fill(address, key0="gold", amount0="5", key1="gems", amount1="2", sourceRefId="case 7")
    assert sent.gives == "granted"
    (grant,) = _about(world, "dora")["grants"]
    assert [(one["resourceKey"], one["amount"]) for one in grant["entries"]] == [("gold", 5), ("gems", 2)]
    assert grant["sourceRefId"] == "case 7"
    claim = _player(owner, f"/claim/{grant['grantId']}")
    assert "5 gold, 2 gems" in owner.open(claim).text
    for _ in range(2):
        assert owner.fill(claim).gives == "claimed"
    assert _about(world, "dora")["wallet"][0]["balance"] == 5
    assert owner.open(_player(owner, f"/claim/{grant['grantId']}", "cleo")).status == 404


def test_a_new_secret_is_shown_once(world: World) -> None:
    """On the answer of the form and nowhere else; it is the player's."""
    owner = Member.of(world)
    shown = owner.fill(_player(owner, "/secret"))
    check_page(shown)
    (secret,) = [one.text for one in shown.page.all("code") if one.text.startswith("lcs_")]
    assert secret not in owner.open(_player(owner, "")).html
    assert secret not in owner.open(owner.studio("/audit")).html
    assert secret.startswith(_about(world, "dora")["player"]["secretPrefix"])


def test_merging_leads_to_the_player_who_stays(world: World) -> None:
    """What the other one had is there."""
    owner = Member.of(world)
    world.operator().call("wallet.adjust", external_id="dora", economy_key="gems", delta=3, reason="x")
    address = _player(owner, "/merge")
    second = owner.fill(address, toExternalId="cleo")
    check_page(second)
    buttons = [one.attributes["class"] for step in (owner.open(address), second) for one in step.page.all("button")]
    assert [kind for kind in buttons if kind in ("main", "grave")] == ["main", "grave"], "the first step only looks"
    assert [one.text for one in second.page.all("th", scope="col")][1:] == [
        f"Goes: {HOSTILE[3][:40]} (dora)", f"Stays: {HOSTILE[2][:40]} (cleo)",
    ]  # fmt: skip
    assert "3 gems" in second.text
    assert _about(world, "dora")["player"]["externalPlayerId"] == "dora", "nothing is done before the second step"
    sent = owner.submit(address, second.form())
    assert "/players/cleo?" in sent.location
    assert _about(world, "cleo")["wallet"][1]["balance"] == 3
    nobody = owner.fill(_player(owner, "/merge", "cleo"), toExternalId="nobody")
    assert nobody.status == 404
    assert nobody.heading == "Merge into another player"


def test_a_merge_is_reviewed_anew_when_the_players_are_others(world: World) -> None:
    """Who is merged is whom the person has read about: an id that names somebody else by then is shown again."""
    owner = Member.of(world)
    address = _player(owner, "/merge")
    second = owner.fill(address, toExternalId="cleo")
    world.operator().call("players.erase", external_id="cleo", reason="test")
    gone = owner.submit(address, second.form())
    assert (gone.status, gone.form()["toExternalId"]) == (404, "cleo")
    gold = {"type": "currency", "resourceKey": "gold", "amount": 1}
    world.operator().call("grants.create", idempotency_key="n", external_player_id="cleo", entries=[gold])
    anew = owner.submit(address, second.form())
    assert (anew.status, anew.form()["reviewed"] == second.form()["reviewed"]) == (409, False)
    assert "Read it again" in check_page(anew).all("div", role="alert")[0].text
    assert _about(world, "dora")["player"]["externalPlayerId"] == "dora"
    assert owner.submit(address, anew.form()).gives == "merged"


@pytest.mark.parametrize(("source", "target", "said"), [("dora", "dora", "same player"), ("dora", "bob", "is banned")])
def test_a_merge_that_cannot_be_is_told_before_it_is_tried(world: World, source: str, target: str, said: str) -> None:
    """The second step says what stands against it, and has nothing to send."""
    owner = Member.of(world)
    second = owner.fill(_player(owner, "/merge", source), toExternalId=target)
    assert said in second.page.all("div", role="alert")[0].text
    assert second.page.all("main")[0].all("form") == []


def test_an_export_is_a_file(world: World) -> None:
    """With everything, and kept by no cache; the audit trail has it."""
    owner = Member.of(world)
    said = owner.fill(_player(owner, "/export", "bob"))
    assert said.response.header("Content-Disposition") == 'attachment; filename="player.json"'
    assert said.response.header("Cache-Control") == "no-store"
    whole = json.loads(said.html)
    assert whole["player"]["externalPlayerId"] == "bob"
    assert "players.export" in owner.open(owner.studio("/audit")).text


def test_an_erased_player_is_gone(world: World) -> None:
    """The search follows, and the page is no more."""
    owner = Member.of(world)
    address = _player(owner, "/erase")
    asked = owner.open(address)
    assert "What goes away" in asked.text
    for typed in ("", "cleo", "DORA"):
        wrong = owner.fill(address, reason="gdpr_erasure", confirm=typed)
        assert wrong.status == 400
        assert _fault_of(check_page(wrong), "confirm")
    assert _about(world, "dora")["player"]["externalPlayerId"] == "dora"
    sent = owner.fill(address, reason="gdpr_erasure", confirm=" dora ")
    assert (sent.location, sent.gives) == (owner.game("/players"), "erased")
    gone = owner.open(_player(owner, ""))
    assert (gone.status, gone.heading) == (404, "Not found")
    check_page(gone)


@pytest.mark.parametrize("player", [PLAYER, "bob"])
def test_an_erasure_is_confirmed_by_the_name_as_well(world: World, player: str) -> None:
    """As it stands above the form, whatever it is made of."""
    owner = Member.of(world)
    name = _about(world, player)["player"]["displayIdentity"]["name"]
    address = _player(owner, "/erase", quote(player, safe=""))
    assert owner.fill(address, confirm=unicodedata.normalize("NFD", name)).gives == "erased"


def test_members_come_change_and_go(world: World) -> None:
    """With a role, and the last owner stays."""
    owner = Member.of(world)
    added = owner.fill(owner.studio("/members/add"), email="new@example.com", role="GAME_ADMIN")
    assert added.gives == "member-added"
    again = owner.fill(owner.studio("/members/add"), email="new@example.com", role="VIEWER")
    assert (again.status, again.form()["email"]) == (409, "new@example.com")
    listed: Any = world.operator().call("members.list")
    ids = {one["email"]: one["memberId"] for one in listed["members"]}
    new = ids["new@example.com"]
    assert owner.fill(owner.studio(f"/members/{new}/role"), role="VIEWER").gives == "member-changed"
    assert owner.fill(owner.studio(f"/members/{new}/remove")).gives == "member-removed"
    assert "new@example.com" not in owner.open(owner.studio("/members")).text
    renewal = f"/members/{ids['colleague@example.com']}/renew"
    assert owner.studio(renewal) in owner.open(owner.studio("/members")).links
    assert owner.fill(owner.studio(renewal)).gives == "member-renewed"
    assert owner.studio(renewal) not in owner.open(owner.studio("/members")).links
    last = owner.fill(owner.studio(f"/members/{ids['owner@example.com']}/remove"))
    assert (last.status, "A studio needs an owner." in last.text) == (409, True)
    assert owner.open(owner.studio("/members/mbr_nobody/role")).status == 404
    admin = Member.of(world, "ADMIN")
    refused = admin.fill(admin.studio(f"/members/{ids['viewer@example.com']}/role"), role="OWNER")
    assert (refused.status, "Your role does not allow this." in refused.text) == (403, True)


def test_a_game_is_made_and_deleted(world: World) -> None:
    """It is deleted only by typing its name, and is in no list any more."""
    owner = Member.of(world)
    made = owner.open(owner.fill(owner.studio("/games/make"), name="Second <b>").location)
    assert (made.heading, "Make its keys now" in made.message) == ("API keys", True)
    assert made.page.all("body", class_="in-test")
    assert [link for link in made.links if "/keys/make" in link]
    games: Any = world.operator().call("games.list")
    second = next(one["gameId"] for one in games["games"] if one["name"] == "Second <b>")
    address = owner.studio(f"/games/{second}/delete?environment=live")
    wrong = owner.fill(address, confirm="Second")
    assert wrong.status == 400
    assert _fault_of(check_page(wrong), "confirm")
    assert "The game is deleted." in owner.open(owner.fill(address, confirm="Second <b>").location).text
    assert second not in owner.open("/portal/").html
    assert owner.open(address).status == 404
    assert Member.of(world, "ADMIN").open(owner.game("/delete")).status == 403


def test_every_change_that_operators_can_make_has_a_page(world: World) -> None:
    """All operations that write, but for signing out, which is a button on every page."""
    assert world
    offered = {route.operation for route in ROUTES if isinstance(route, Action)}
    writes = {one.name for one in OPERATIONS if one.surface == "admin" and one.writes}
    assert writes - offered == {"session.signOut"}


def test_keys_are_shown_once_and_end(world: World) -> None:
    """A key of the environment of the page, its successor, and its end."""
    owner = Member.of(world)
    shown = owner.fill(owner.game("/keys/make"), permission="client", name="build")
    (text,) = [one.text for one in shown.page.all("code") if one.text.startswith("lc_test_client_")]
    assert text not in owner.open(owner.game("/keys")).html
    listed: Any = world.operator().call("keys.list")
    key = next(one["keyId"] for one in listed["keys"] if one["name"] == "build")
    assert "lc_test_client_" in owner.fill(owner.game(f"/keys/{key}/rotate")).text
    assert "retiring" in owner.open(owner.game("/keys")).text
    assert owner.fill(owner.game(f"/keys/{key}/revoke")).gives == "key-revoked"
    assert owner.open(owner.game(f"/keys/{key}/revoke", "live")).status == 404


def test_personal_keys_of_many_members_are_on_several_pages(world: World) -> None:
    """The newest first; each is revoked from its own page, wherever it stands in the list."""
    for number in range(60):
        world.now += 1
        member = world.operator(f"member-{number}@example.com", "VIEWER")
        member.call("personalKeys.create", name=f"script {number}", expires_in_days=7)
    owner = Member.of(world)
    first = owner.open(owner.studio("/personal-keys"))
    assert "script 59" in first.text
    assert "script 3 " not in first.text
    (older,) = [link for link in first.links if "cursor=" in link]
    second = owner.open(older)
    assert "script 3 " in second.text
    assert not [link for link in second.links if "cursor=" in link]
    (revoke,) = [
        link.attributes["href"]
        for link in second.page.all("a")
        if link.attributes.get("href", "").endswith("/revoke") and link.text.endswith("script 3")
    ]
    assert owner.fill(revoke).gives == "key-revoked"
    assert "script 3 " not in owner.open(older).text


def test_searching_players_and_the_audit_trail(world: World) -> None:
    """Filters stand in the address and in the form; pages go on by a link."""
    owner = Member.of(world)
    found = owner.open(owner.game("/players", q="W" * 10))
    assert [one.text for one in found.page.all("bdi") if one.text == "W" * 40]
    assert found.page.all("input", name="q")[0].attributes["value"] == "W" * 10
    assert "No player" in owner.open(owner.game("/players", q="nobody at all")).text
    assert "no player yet" in owner.open(owner.game("/players", "live")).text
    wrong = owner.open(owner.studio("/audit?from=yesterday&player=anna"))
    assert wrong.status == 400
    assert _fault_of(check_page(wrong), "from")
    assert wrong.page.all("input", name="player")[0].attributes["value"] == "anna"
    for number in range(60):
        world.operator().call("wallet.adjust", external_id="dora", economy_key="xp", delta=1, reason=f"r{number}")
    first = owner.open(owner.studio("/audit?action=wallet.adjust"))
    (older,) = [link for link in first.links if "cursor=" in link]
    assert "action=wallet.adjust" in older
    assert "wallet.adjust" in owner.open(older).text
    ledger = owner.open(_player(owner, "/list/ledger"))
    (older,) = [link for link in ledger.links if "cursor=" in link]
    assert owner.open(older).status == 200
    assert owner.open(_player(owner, "/list/nonsense")).status == 404
