"""A webhook receiver in Flask: verify the delivery, store the event's id with its effect, answer.

    $ export LIVECORE_WEBHOOK_SECRETS=whsec_…          # two, separated by a comma, during a rotation
    $ flask --app examples/webhook_receivers/flask_receiver.py:main run

Deliveries come at least once, so each event's id goes into a table in the same transaction as the effect: a repeated
delivery finds its id there and does nothing, and a crash in between leaves neither.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing

from flask import Flask, Response, request

from livecore_client import webhooks
from livecore_client.webhooks import GiftClaimed

SCHEMA = """
CREATE TABLE IF NOT EXISTS event (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS opened_gifts (player TEXT PRIMARY KEY, count INTEGER NOT NULL);
"""


def receive(database_path: str, event: webhooks.WebhookEvent) -> None:
    """Apply the event once, in one transaction with storing its id."""
    with closing(sqlite3.connect(database_path)) as database, database:
        fresh = database.execute("INSERT OR IGNORE INTO event VALUES (?)", [event.id]).rowcount == 1
        if fresh and isinstance(event.data, GiftClaimed):
            count = "INSERT INTO opened_gifts VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1"
            database.execute(count, [event.data.recipient_external_player_id])


def create_app(database_path: str, secrets: Sequence[str]) -> Flask:
    """The application; `secrets` are the endpoint's signing secrets, any of which verifies a delivery."""
    app = Flask(__name__)
    with closing(sqlite3.connect(database_path)) as database:
        database.executescript(SCHEMA)

    @app.post("/livecore/webhooks")
    def receive_webhook() -> Response:
        try:
            # The raw body: parsing and writing it again would change the bytes that were signed.
            event = webhooks.verify(request.get_data(), request.headers.get(webhooks.SIGNATURE_HEADER), secrets)
        except webhooks.WebhookVerificationError:
            return Response(status=400)
        if webhooks.is_sample(request.headers.get(webhooks.SAMPLE_HEADER)):
            return Response(status=204)  # its values are made up: neither applied nor stored
        receive(database_path, event)
        return Response(status=204)

    return app


def main() -> Flask:
    """The application as the environment configures it."""
    return create_app("events.db", os.environ["LIVECORE_WEBHOOK_SECRETS"].split(","))
