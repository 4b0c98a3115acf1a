"""Plans: equal where the seed is, with the events of production, and exactly what is forged is wrong."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain

import pytest

from livecore.kernel.errors import Json
from livecore.kernel.time import DAY, Timestamp
from livecore.rehearsal.deliveries import FORGERIES, Delivery
from livecore.rehearsal.plan import Plan, make_plan
from livecore.rehearsal.scenario import STEPS, Scenario, parse_scenario
from livecore.webhooks.signature import SAMPLE_HEADER, SIGNATURE_HEADER
from livecore_client import webhooks

NOW = int(Timestamp.parse("2026-06-01T12:00:00.000Z"))
SECRETS = ("whsec_new", "whsec_old")


@pytest.fixture(scope="module")
def plan() -> Plan:
    """The plan of the scenario that is built in."""
    return make_plan(Scenario(), SECRETS, seed=b"plan", now=NOW)


def _all(plan: Plan) -> list[Delivery]:
    return list(chain.from_iterable(plan.groups))


def _verified(delivery: Delivery, *secrets: str) -> webhooks.WebhookEvent:
    header = delivery.headers(NOW // 1000).get(SIGNATURE_HEADER)
    return webhooks.verify(delivery.body, header, secrets or SECRETS[:1], now=NOW / 1000)


def test_equal_seeds_give_equal_plans(plan: Plan) -> None:
    """Byte for byte; another seed shares no event with it."""
    assert make_plan(Scenario(), SECRETS, seed=b"plan", now=NOW) == plan
    other = make_plan(Scenario(), SECRETS, seed=b"other", now=NOW)
    ids = [{delivery.event.id for delivery in _all(each)} for each in (plan, other)]
    assert not ids[0] & ids[1]


def test_exactly_the_forged_deliveries_are_refused(plan: Plan) -> None:
    """By the verifier of the client, with the newest secret."""
    assert {delivery.step for delivery in _all(plan)} == set(STEPS)
    assert {delivery.forgery for delivery in _all(plan)} == {None, *FORGERIES}
    for delivery in _all(plan):
        if delivery.right:
            assert _verified(delivery).id == delivery.event.id
        else:
            with pytest.raises(webhooks.WebhookVerificationError):
                _verified(delivery, *SECRETS)


def test_a_receiver_with_the_earlier_secret_accepts_all_but_the_last_step_of_a_rotation(plan: Plan) -> None:
    """While two secrets overlap, deliveries are signed with both, as the service does it."""
    newest_only = [delivery for delivery in _all(plan) if delivery.secrets == SECRETS[:1]]
    assert [delivery.step for delivery in newest_only] == ["rotation"]
    for delivery in _all(plan):
        if delivery.right and delivery not in newest_only:
            assert _verified(delivery, SECRETS[1])


def test_an_event_is_forged_or_delivered_and_never_both(plan: Plan) -> None:
    """So a forged delivery that is applied can be told by the event's id."""
    right = {delivery.event.id for delivery in _all(plan) if delivery.right}
    forged = [delivery.event.id for delivery in _all(plan) if not delivery.right]
    assert not right & set(forged)
    assert len(set(forged)) == len(forged)


def test_the_payloads_are_those_that_the_game_emits(plan: Plan) -> None:
    """Each is read as the class of its kind, and every event says when it happened by the virtual clock."""
    for delivery in _all(plan):
        if delivery.step != "unknown_events" and delivery.right:
            event = _verified(delivery)
            assert isinstance(event.data, webhooks.Payload)
            age = NOW - event.occurred_at
            assert 29 * DAY < age <= 30 * DAY if delivery.step == "late" else 0 <= age <= DAY // 24


def test_the_steps_send_what_they_say(plan: Plan) -> None:
    """Twice, at one moment, thrice with a sender that hangs up, in reverse, large, and with the header of samples."""
    by_step = {step: [group for group in plan.groups if group[0].step == step] for step in STEPS}
    copies = {
        step: set(Counter(each.event.id for group in groups for each in group).values())
        for step, groups in by_step.items()
    }
    assert copies["deliver"] == copies["disorder"] == copies["unknown_members"] == {1}
    assert copies["duplicates"] == copies["late"] == copies["samples"] == copies["concurrent_duplicates"] == {2}
    assert copies["retry_after_timeout"] == {3}
    assert {len(group) for group in by_step["concurrent_duplicates"]} == {2}
    assert [group[0].hangs_up for group in by_step["retry_after_timeout"]][:3] == [True, False, False]
    moments = [group[0].event.occurred_at for group in by_step["disorder"]]
    assert moments == sorted(moments, reverse=True)
    assert len(set(moments)) > 1
    assert all(len(group[0].body) > 65_536 for group in by_step["large_bodies"])
    sampled = [SAMPLE_HEADER in group[0].headers(0) for group in by_step["samples"]]
    assert sampled == [True, False] * (len(sampled) // 2)
    attempts = [json.loads(group[0].body)["deliveryAttempt"] for group in by_step["late"]]
    assert set(attempts) == {7, 8}


def test_a_scenario_chooses_steps_kinds_and_numbers() -> None:
    """Kinds that the players do not cause have placeholders; the envelope names the studio and the game."""
    steps: list[Json] = [{"step": "concurrent_duplicates", "times": 2}, {"step": "late", "times": 3}]
    kinds: list[Json] = ["lobby.created", "gift.sent"]
    scenario = parse_scenario({"steps": steps, "events": kinds, "players": ["x", "y"], "copies": 5})
    made = make_plan(scenario, SECRETS, seed=b"chosen", now=NOW, origin=("std_1", "gam_1"))
    assert Counter(delivery.step for delivery in _all(made)) == {"concurrent_duplicates": 20, "late": 12}
    assert Counter(delivery.event.kind for delivery in _all(made)) == {"lobby.created": 16, "gift.sent": 16}
    bodies = [json.loads(delivery.body) for delivery in _all(made)]
    assert {(body["studioId"], body["gameId"]) for body in bodies} == {("std_1", "gam_1")}
    assert {body["data"]["senderExternalPlayerId"] for body in bodies if body["eventName"] == "gift.sent"} == {"x"}
