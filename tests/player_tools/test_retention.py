"""What players have written is kept for as long as it is of use, and then for as long as the deployment says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from livecore import World
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import system_unit
from livecore.guilds import forgetting
from livecore.guilds.join_requests import REQUESTS
from livecore.kernel.declarations.jobs import Job
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY
from livecore.kernel.units import due
from livecore.kernel.units.unit import Retention, Unit
from livecore.players import seen
from livecore.players.player import PLAYERS
from livecore.social import forgetting as gift_texts
from livecore.social.gifts import GIFTS
from livecore.webhooks.dispatch import lease_due, record_attempt
from livecore.webhooks.endpoints import PlainVault, add_endpoint, replay
from livecore.webhooks.forgetting import FORGET_BODIES
from livecore.webhooks.outbox import DELIVERIES, EVENTS
from livecore.webhooks.outcome import Outcome
from livecore.webhooks.refusals import WebhookStateConflict
from livecore_server.settings import Settings
from tests.commerce.shop import found_wrong
from tests.guilds.clubs import found
from tests.worlds import GIFTING, ask, befriend, gift, give, rows_of, world


def labels(here: World) -> list[str]:
    """The presence labels in the players' rows."""
    here.flush()
    return sorted(row.presence_status for row in rows_of(here, PLAYERS) if row.presence_status is not None)


def messages(here: World) -> list[str]:
    """The messages in the rows of gifts."""
    return sorted(row.message for row in rows_of(here, GIFTS) if row.message is not None)


def asked_with(here: World) -> list[str]:
    """The messages in the rows of requests to join a guild."""
    return sorted(row.message for row in rows_of(here, REQUESTS) if row.message is not None)


def test_a_label_is_emptied_ninety_days_after_the_last_heartbeat() -> None:
    """Of everybody, by then, in several steps; who has been there since keeps theirs."""
    here = world()
    players = [here.player(f"player-{at}") for at in range(103)]
    for at, player in enumerate(players):
        ask(player, "presence.heartbeat", status=f"label {at:03}")
    here.advance(days=50)
    ask(players[102], "presence.heartbeat")
    here.advance(days=39)
    assert len(labels(here)) == 103
    here.advance(days=2)
    assert labels(here) == ["label 102"]


def test_a_label_that_is_too_old_does_not_come_back() -> None:
    """A heartbeat without a label keeps the one of before, also of long ago, but none that has been emptied."""
    here = world()
    anna = here.player("anna")
    ask(anna, "presence.heartbeat", status="in the woods")
    here.advance(days=89)
    assert ask(anna, "presence.heartbeat")["status"] == "in the woods"
    here.advance(days=92)
    assert ask(anna, "presence.heartbeat")["status"] is None
    assert labels(here) == []


def test_the_message_of_a_gift_is_emptied_ninety_days_after_its_end() -> None:
    """Whether it was claimed or has expired; one that waits keeps its message, which perhaps nobody has read."""
    here = world(gifting={**GIFTING, "claimExpirySeconds": 86_400 * 60, "cooldownSeconds": 0})
    anna, bert = here.player("anna"), here.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 100)
    claimed = gift(anna, bert, message="claimed")
    assert ask(bert, "gifts.claim", gift_id=claimed["gift.giftId"]).status == 200
    gift(anna, bert, message="expires")
    here.advance(days=89)
    assert messages(here) == ["claimed", "expires"]
    here.advance(days=2)
    assert messages(here) == ["expires"]
    here.advance(days=30)
    gift(anna, bert, message="waits")
    here.advance(days=28)
    assert messages(here) == ["expires", "waits"]
    here.advance(days=3)
    assert messages(here) == ["waits"]
    first = ask(here.server, "gifts.list", external_id="anna", direction="sent").list("gifts")[-1]
    assert (first["message"], first["amount"]) == (None, 10)


def test_a_request_to_a_guild_keeps_its_message_for_ninety_days() -> None:
    """The request itself stays open."""
    here = world()
    guild_id = found(here.player("lea"), join_type="request")
    assert ask(here.player("eve"), "guilds.join", guild_id=guild_id, message="Let me in").status == 201
    here.advance(days=89)
    assert asked_with(here) == ["Let me in"]
    here.advance(days=2)
    assert asked_with(here) == []
    assert len(rows_of(here, REQUESTS)) == 1


def test_bodies_of_webhooks_are_emptied_before_their_events_go() -> None:
    """All that are old, in steps; what still waits once it is delivered, and then it is known that it was sent."""
    here = world()
    vault = PlainVault()
    here.unit_of_work(lambda unit: add_endpoint(unit, vault, key="all", url="https://studio.example/", events=["*"]))
    for at in range(130):
        here.player(f"player-{at}")
    here.unit_of_work(_deliver_all)
    here.player("waits")
    here.now += 8 * DAY
    here.player("new")
    assert [_bodies(here, name) for name in ("player-0", "player-129", "waits", "new")] == [True] * 4

    _run(here, FORGET_BODIES, Retention(bodies=7 * DAY))
    assert [_bodies(here, name) for name in ("player-0", "player-129", "waits", "new")] == [False, False, True, True]
    here.unit_of_work(_deliver_all)
    assert [_bodies(here, name) for name in ("waits", "new")] == [False, True]
    assert found_wrong(here) == []
    delivered = next(row for row in rows_of(here, DELIVERIES) if row.status == "delivered")
    with pytest.raises(WebhookStateConflict, match="too old"):
        here.unit_of_work(lambda unit: replay(unit, delivered.delivery_id))


def _bodies(here: World, name: str) -> bool:
    """Whether a body names this player."""
    return any(f'"{name}"' in event.data for event in rows_of(here, EVENTS))


def _deliver_all(unit: Unit) -> None:
    while attempts := lease_due(unit, 100):
        for attempt in attempts:
            outcome = Outcome(delivered=True, status=200)
            record_attempt(unit, attempt.delivery_id, attempt.number, outcome, threshold=10_000)


def _run(here: World, job: Job, retention: Retention) -> None:
    """Run a job to its end for a deployment that keeps data for so long."""

    def start(tx: Transaction) -> None:
        job.start_now(system_unit(tx, here.game, here.now, b"seed", new_deployment(retention=retention)))

    def go_on(tx: Transaction) -> bool:
        work = tx.get(due.DUE, job.kind, "")
        if work is None or work.due_at > here.now:
            return False
        job.run(system_unit(tx, here.game, here.now, b"seed", new_deployment(retention=retention)), work)
        return True

    here.store.write(here.scopes[0], start)
    while here.store.write(here.scopes[0], go_on):
        pass


@pytest.mark.parametrize(
    ("job", "left"),
    [(seen.FORGET_LABELS, labels), (gift_texts.FORGET, messages), (forgetting.FORGET_MESSAGES, asked_with)],
    ids=lambda part: part.kind if isinstance(part, Job) else "",
)
@pytest.mark.parametrize(("texts", "kept"), [(None, True), (3 * DAY, False), (500 * DAY, True)])
def test_the_deployment_says_for_how_long(
    job: Job, left: Callable[[World], list[str]], texts: int | None, kept: bool
) -> None:
    """Longer, shorter or for ever."""
    here = world()
    anna, bert = here.player("anna"), here.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 10)
    claimed = gift(anna, bert, message="For you")
    ask(bert, "gifts.claim", gift_id=claimed["gift.giftId"])
    ask(anna, "presence.heartbeat", status="In the woods")
    ask(bert, "guilds.join", guild_id=found(anna, join_type="request"), message="Let me in")
    here.flush()
    here.now += 4 * DAY

    _run(here, job, Retention(texts=texts))
    assert bool(left(here)) is kept


def test_the_setting_is_in_days_and_0_is_for_ever() -> None:
    """The host reads the setting; the core is given milliseconds."""
    assert Settings().retention.texts == Retention().texts == 90 * DAY
    assert Settings(text_retention_days=1).retention.texts == DAY
    assert Settings(text_retention_days=0).retention.texts is None
    assert Settings().retention == Retention()
    assert Settings(webhook_body_days=7).retention.bodies == 7 * DAY
