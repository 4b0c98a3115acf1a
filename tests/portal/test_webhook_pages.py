"""Webhook endpoints and deliveries in the portal."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.world import World
from livecore_server.portal import words
from tests.portal.browsing import Member
from tests.portal.studio import HOSTILE, made_studio
from tests.portal.test_frame import check_page
from tests.samples import sample


@pytest.fixture
def world() -> World:
    """A studio of one's own for each test."""
    return made_studio()


def _endpoints(world: World) -> dict[str, Any]:
    found: Any = world.operator().call("webhooks.list")
    return {one["key"]: one for one in found["endpoints"]}


def test_an_endpoint_from_its_beginning_to_its_end(world: World) -> None:
    """The secret is shown once; the endpoint changes, pauses, goes on, gets a new secret, and is removed."""
    owner = Member.of(world)
    assert owner.open(owner.game("/webhooks/add")).form()["events"] == ["*"]
    shown = owner.fill(owner.game("/webhooks/add"), key="new", url="https://example.com/x", events=["gift.sent", "*"])
    (secret,) = [one.text for one in shown.page.all("code") if one.text.startswith("whsec_")]
    made = _endpoints(world)["new"]
    assert made["events"] == ["*"]
    page = owner.open(owner.game("/webhooks"))
    assert secret not in page.html
    one = f"/webhooks/{made['endpointId']}"
    change = owner.game(f"{one}/change")
    assert owner.open(change).form() | {"idempotencyKey": ""} == {
        "key": "new", "url": "https://example.com/x", "events": ["*"], "idempotencyKey": "",
    }  # fmt: skip
    assert owner.fill(change, events=["gift.sent", "gift.claimed"]).gives == "endpoint-changed"
    assert sorted(_endpoints(world)["new"]["events"]) == ["gift.claimed", "gift.sent"]
    assert owner.fill(owner.game(f"{one}/pause")).gives == "endpoint-paused"
    paused = owner.open(owner.game("/webhooks")).text
    assert "by a member" in paused
    game_id = world.game.game_id
    assert f"livecore webhooks unpause --game {game_id} --environment test {made['endpointId']}" in paused
    assert owner.fill(owner.game(f"{one}/unpause")).gives == "endpoint-unpaused"
    again = owner.fill(owner.game(f"{one}/secret"))
    assert [one.text for one in again.page.all("code") if one.text.startswith("whsec_")] != [secret]
    assert owner.fill(owner.game(f"{one}/remove")).gives == "endpoint-removed"
    assert "new" not in _endpoints(world)
    assert owner.open(owner.game(f"{one}/pause")).status == 404


def test_what_waits_is_seen(world: World) -> None:
    """How many deliveries wait for an endpoint and since when, and how many a list has on all its pages."""
    owner = Member.of(world)
    active, paused = (_endpoints(world)[key] for key in (HOSTILE[0][:40], "paused"))
    assert owner.fill(owner.game(f"/webhooks/{active['endpointId']}/pause")).gives == "endpoint-paused"
    before = _endpoints(world)[HOSTILE[0][:40]]
    for _ in range(3):
        world.unit_of_work(lambda unit: unit.emit(sample("gift.sent")))
    found = _endpoints(world)[HOSTILE[0][:40]]
    assert (found["waiting"], found["held"]) == (before["waiting"] + 3, before["held"] + 3)
    text = owner.open(owner.game("/webhooks")).text
    assert f"{words.backlog(found['waiting'], found['held'])}; the oldest since" in text
    assert paused["waiting"] + 3 == _endpoints(world)["paused"]["waiting"]
    held = owner.open(owner.game("/deliveries", endpoint=active["endpointId"], status="held"))
    assert f"Deliveries, the newest first; {found['held']} in all" in held.text
    assert " in all" not in owner.open(owner.game("/deliveries", kind="gift.sent")).text


def test_faults_of_an_endpoint_stand_beside_its_fields(world: World) -> None:
    """An address that must not be, and no kind at all."""
    owner = Member.of(world)
    shown = owner.fill(owner.game("/webhooks/add"), key="x", url="http://10.0.0.1/", events=["*"])
    assert shown.status == 400
    assert shown.page.all("input", name="url")[0].attributes["aria-invalid"] == "true"
    check_page(shown)
    none = owner.fill(owner.game("/webhooks/add"), key="x", url="https://example.com/", events=[])
    assert (none.status, "must be filled in" in none.text) == (400, True)
    assert none.page.all("fieldset")[0].attributes["aria-describedby"]


def test_a_sample_is_sent_and_seen(world: World) -> None:
    """The next page lists it, and its own page shows what was sent."""
    owner = Member.of(world)
    active = _endpoints(world)[HOSTILE[0][:40]]["endpointId"]
    world.advance(minutes=1)
    sent = owner.fill(owner.game(f"/webhooks/{active}/sample"), kind="gift.sent")
    listed = owner.open(sent.location)
    assert "The sample is on its way." in listed.text
    (first, *_) = [link for link in listed.links if "/deliveries/whd_" in link]
    shown = owner.open(first)
    assert "sample" in shown.text
    assert '"eventName": "gift.sent"' in shown.html.replace("&#34;", '"')


def test_deliveries_are_found_and_sent_again(world: World) -> None:
    """By endpoint, kind, state and player; one, or all that match."""
    owner = Member.of(world)
    delivered = owner.open(owner.game("/deliveries", status="delivered"))
    assert "pending" not in {one.text for one in delivered.page.all("span", class_="status ")}
    about = owner.open(owner.game("/deliveries", player="bob", status="delivered"))
    (link, *_) = [link for link in about.links if "/deliveries/whd_" in link]
    page = owner.open(link)
    assert "https://example.com/hook" in page.text
    again = owner.fill(link.replace("?", "/replay?"))
    assert "on its way again" in owner.open(again.location).text
    many = owner.game("/deliveries/replay", status="delivered", kind="gift.sent")
    assert owner.open(many).form()["kind"] == "gift.sent"
    assert owner.fill(many).gives == "replayed-many"
    assert owner.open(owner.game("/deliveries", status="nonsense")).status == 400
    assert owner.open(owner.game("/deliveries/whd_nothing")).status == 404
    assert "No delivery matches" in owner.open(owner.game("/deliveries", kind="crate.opened")).text
    assert "Nothing has been sent" in owner.open(owner.game("/deliveries", "live")).text
    assert "Nobody is told" in owner.open(owner.game("/webhooks", "live")).text


def test_a_developer_manages_endpoints_of_the_test_environment_only(world: World) -> None:
    """In the live environment the pages offer less, and refuse the rest by address."""
    developer = Member.of(world, "GAME_DEVELOPER")
    assert developer.game("/webhooks/add") in developer.open(developer.game("/webhooks")).links
    live = developer.open(developer.game("/webhooks", "live"))
    assert developer.game("/webhooks/add", "live") not in live.links
    assert developer.open(developer.game("/webhooks/add", "live")).status == 403
    refused = developer.submit(developer.game("/webhooks/add", "live"), {"url": "https://example.com", "events": "*"})
    assert refused.status == 403


def test_the_form_says_which_addresses_will_do(world: World) -> None:
    """`localhost:9797` is told `http://localhost:9797` in Test; in Live neither the hint nor the refusal speaks of http."""
    owner = Member.of(world)
    path = "/webhooks/add"
    assert "http://localhost:9797/hooks" in owner.open(owner.game(path)).text
    assert "http://" not in owner.open(owner.game(path, "live")).text
    shown = owner.fill(owner.game(path), key="x", url="localhost:9797", events=["*"])
    assert shown.status == 400
    assert "must begin with http:// or https://: is http://localhost:9797 meant?" in shown.text
    live = owner.fill(owner.game(path, "live"), key="x", url="localhost:9797", events=["*"])
    assert "localhost is for test endpoints" in live.text


def test_the_same_address_twice_is_told(world: World) -> None:
    """An event would arrive there twice, which nobody notices until two gifts are paid."""
    owner = Member.of(world)
    assert "arrives there twice" not in owner.open(owner.game("/webhooks")).text
    owner.fill(owner.game("/webhooks/add"), key="twin", url="https://example.com/second", events=["*"])
    told = owner.open(owner.game("/webhooks")).text
    assert "paused sends to the same address: an event of a kind that both get arrives there twice" in told
    assert "twin sends to the same address" in told
