"""The webhook receiver examples, each run with its own framework's means and held to the same behaviour."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest
from aiohttp.test_utils import TestClient, TestServer

from examples.webhook_receivers import aiohttp_receiver, django_receiver, fastapi_receiver, flask_receiver
from livecore.kernel.wire import encode
from livecore_client import webhooks
from tests.samples import sample

NOW = 1_769_850_000
OLD, NEW = "whsec_old", "whsec_new"
ROUTE = "/livecore/webhooks"
Delivery: TypeAlias = tuple[bytes, dict[str, str]]
Receiver: TypeAlias = Callable[[str, list[Delivery]], list[int]]
"""Starts the example on a database, hands it deliveries, and gives the status of each answer."""


def _flask(database_path: str, deliveries: list[Delivery]) -> list[int]:
    client = flask_receiver.create_app(database_path, [OLD, NEW]).test_client()
    return [client.post(ROUTE, data=body, headers=headers).status_code for body, headers in deliveries]


def _fastapi(database_path: str, deliveries: list[Delivery]) -> list[int]:
    app = fastapi_receiver.create_app(database_path, [OLD, NEW])

    async def play() -> list[int]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://receiver") as client:
            return [
                (await client.post(ROUTE, content=body, headers=headers)).status_code for body, headers in deliveries
            ]

    return asyncio.run(play())


def _aiohttp(database_path: str, deliveries: list[Delivery]) -> list[int]:
    async def play() -> list[int]:
        app = aiohttp_receiver.create_app(database_path, [OLD, NEW])
        async with TestClient(TestServer(app)) as client:
            return [(await client.post(ROUTE, data=body, headers=headers)).status for body, headers in deliveries]

    return asyncio.run(play())


def _django(database_path: str, deliveries: list[Delivery]) -> list[int]:
    from django.conf import settings  # noqa: PLC0415 - Django reads its settings when it is imported further
    from django.db import connections  # noqa: PLC0415 - the same

    if not settings.configured:
        django_receiver.configure(database_path, [OLD, NEW])
    from django.test import Client  # noqa: PLC0415 - the same

    client = Client()
    try:
        return [
            client.post(ROUTE, data=body, content_type="application/json", headers=headers).status_code
            for body, headers in deliveries
        ]
    finally:
        connections.close_all()


def _delivery(event_id: str, kind: str, data: object, *, attempt: int = 1, secret: str = NEW) -> Delivery:
    envelope = {
        "id": event_id,
        "eventName": kind,
        "studioId": "std_1",
        "gameId": "gam_1",
        "occurredAt": "2026-01-31T09:00:00.000Z",
        "deliveryAttempt": attempt,
        "data": data,
    }
    body = json.dumps(envelope).encode()
    return body, {webhooks.SIGNATURE_HEADER: webhooks.sign([secret], NOW, body)}


def _sample(delivery: Delivery) -> Delivery:
    """The same delivery with the header that tells a sample."""
    body, headers = delivery
    return body, headers | {webhooks.SAMPLE_HEADER: "1"}


@pytest.mark.parametrize("receiver", [_flask, _fastapi, _aiohttp, _django], ids=lambda receiver: receiver.__name__)
def test_a_receiver_acts_once_on_what_is_proven_and_never_on_what_is_not(
    receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First and repeated delivery, a second event, an unknown kind, samples, a forgery, a missing and a doctored signature.

    A sample is answered and leaves nothing behind, so that the event whose id it bears is still taken when it comes.
    """
    monkeypatch.setattr("livecore_client.webhooks.time.time", lambda: float(NOW))
    gift = encode(sample("gift.claimed"))
    first = _delivery("evt_1", "gift.claimed", gift)
    again = _delivery("evt_1", "gift.claimed", gift, attempt=2, secret=OLD)
    other = _delivery("evt_2", "gift.claimed", gift)
    unknown = _delivery("evt_3", "weather.changed", {"sky": "green"})
    forged = _delivery("evt_4", "gift.claimed", gift, secret="whsec_guessed")
    bare: Delivery = (first[0], {})
    sampled = _sample(_delivery("evt_6", "gift.claimed", gift))
    taken_for_a_sample = _sample(other)
    forged_sample = _sample(forged)
    doctored = (first[0].replace(b"evt_1", b"evt_5"), first[1])

    database_path = str(tmp_path / "events.db")
    proven = [first, again, sampled, taken_for_a_sample, other, unknown]
    statuses = receiver(database_path, [*proven, forged, forged_sample, bare, doctored])

    assert statuses == [204] * 6 + [400] * 4
    with closing(sqlite3.connect(database_path)) as database:
        assert [row[0] for row in database.execute("SELECT id FROM event ORDER BY id")] == ["evt_1", "evt_2", "evt_3"]
        assert [row[0] for row in database.execute("SELECT count FROM opened_gifts")] == [2]
