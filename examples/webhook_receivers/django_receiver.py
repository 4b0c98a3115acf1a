"""A webhook receiver in Django, in one file: verify the delivery, store the event's id with its effect, answer.

    $ export LIVECORE_WEBHOOK_SECRETS=whsec_…          # two, separated by a comma, during a rotation
    $ python examples/webhook_receivers/django_receiver.py runserver

In your own project, put `receive_webhook` into an app's views and the tables into its models. Deliveries come at
least once, so each event's id goes into a table in the same transaction as the effect: a repeated delivery finds its id
there and does nothing, and a crash in between leaves neither.
"""

from __future__ import annotations

import os
import sys

import django
from django.conf import settings
from django.core.management import execute_from_command_line
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from livecore_client import webhooks
from livecore_client.webhooks import GiftClaimed

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS event (id TEXT PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS opened_gifts (player TEXT PRIMARY KEY, count INTEGER NOT NULL)",
)


def receive(event: webhooks.WebhookEvent) -> None:
    """Apply the event once, in one transaction with storing its id."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("INSERT INTO event VALUES (%s) ON CONFLICT DO NOTHING", [event.id])
        if cursor.rowcount == 1 and isinstance(event.data, GiftClaimed):
            count = "INSERT INTO opened_gifts VALUES (%s, 1) ON CONFLICT (player) DO UPDATE SET count = count + 1"
            cursor.execute(count, [event.data.recipient_external_player_id])


def receive_webhook(request: HttpRequest) -> HttpResponse:
    """Handle one delivery."""
    header = request.headers.get(webhooks.SIGNATURE_HEADER)
    try:
        # The raw body: parsing and writing it again would change the bytes that were signed.
        event = webhooks.verify(request.body, header, settings.LIVECORE_WEBHOOK_SECRETS)
    except webhooks.WebhookVerificationError:
        return HttpResponse(status=400)
    if webhooks.is_sample(request.headers.get(webhooks.SAMPLE_HEADER)):
        return HttpResponse(status=204)  # its values are made up: neither applied nor stored
    receive(event)
    return HttpResponse(status=204)


# No CSRF token, because no browser sends this: the signature proves the origin.
urlpatterns = [path("livecore/webhooks", csrf_exempt(require_POST(receive_webhook)))]


def configure(database_path: str, secrets: list[str]) -> None:
    """Settings of the smallest project that has a database; `secrets` are the endpoint's signing secrets."""
    settings.configure(
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database_path}},
        LIVECORE_WEBHOOK_SECRETS=secrets,
        ROOT_URLCONF=__name__,
        USE_TZ=True,
    )
    django.setup()
    with connection.cursor() as cursor:
        for statement in SCHEMA:
            cursor.execute(statement)


if __name__ == "__main__":
    configure("events.db", os.environ["LIVECORE_WEBHOOK_SECRETS"].split(","))
    execute_from_command_line(sys.argv)
