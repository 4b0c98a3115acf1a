"""Changing an endpoint: the subscription counts when an event happens, the URL when it is sent; on every store."""

from __future__ import annotations

from functools import partial

import pytest

from livecore.kernel.errors import ValidationFailed
from livecore.webhooks import endpoints
from livecore.webhooks.endpoints import PlainVault, update_endpoint
from livecore.webhooks.outbox import ENDPOINTS
from livecore.webhooks.refusals import EndpointKeyTaken, WebhookEndpointNotFound
from tests.samples import sample
from tests.webhooks.desk import Desk

NEW = "https://hooks.example/new"


def test_what_is_on_its_way_goes_to_the_new_url_and_is_still_sent(desk: Desk) -> None:
    """An event from before the change is delivered though its kind is asked for no more; a later one is not queued."""
    desk.emit()
    desk.unit(partial(update_endpoint, ref="first", url=NEW, events=["gift.sent"]))
    desk.emit()
    desk.unit(lambda unit: unit.emit(sample("gift.sent")))
    assert [(attempt.kind, attempt.url) for attempt in desk.lease()] == [("friend.removed", NEW), ("gift.sent", NEW)]


def test_a_refused_change_changes_nothing(desk: Desk) -> None:
    """Unknown kinds, a name that is taken or no name, an unknown endpoint, each beside a change that would do."""
    url = "https://hooks.example/second"
    desk.unit(lambda unit: endpoints.add_endpoint(unit, PlainVault(), key="second", url=url, events=["*"]))
    before = desk.unit(endpoints.list_endpoints)
    with pytest.raises(ValidationFailed):
        desk.unit(partial(update_endpoint, ref="first", url=NEW, events=["gift.send"]))
    with pytest.raises(ValidationFailed):
        desk.unit(partial(update_endpoint, ref="first", url=NEW, key=""))
    with pytest.raises(EndpointKeyTaken):
        desk.unit(partial(update_endpoint, ref="first", url=NEW, key="second"))
    with pytest.raises(WebhookEndpointNotFound):
        desk.unit(partial(update_endpoint, ref="third", url=NEW))
    assert desk.unit(endpoints.list_endpoints) == before


def test_an_endpoint_may_be_given_the_name_that_it_has(desk: Desk) -> None:
    """To say what is so already is no fault."""
    (before,) = desk.unit(endpoints.list_endpoints)
    desk.unit(partial(update_endpoint, ref="first", key="first"))
    assert desk.unit(lambda unit: unit.tx.get(ENDPOINTS, before.endpoint_id)) == before
