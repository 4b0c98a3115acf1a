"""What the commands of `livecore webhooks` share: where they work, what they understand, and how they print."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, TypeVar

import click

from livecore.webhooks.catalog import CATALOG
from livecore.webhooks.outbox import Delivery
from livecore.webhooks.subscription import EVERYTHING
from livecore_server.cli.options import game_option, setting_option
from livecore_server.cli.output import show
from livecore_server.cli.scopes import ENVIRONMENTS, GameScopes
from livecore_server.storage.database import store_at

__all__ = ["environment_option", "known_kind", "placed", "scopes_of", "show_queued"]

F = TypeVar("F", bound=Callable[..., Any])


# -- where, and what ------------------------------------------------------------------------------------------------------


def environment_option(*, required: bool) -> Callable[[F], F]:
    """`--environment test|live`."""
    text = "The environment." if required else "The environment; may be left out where the id or key is in one only."
    return click.option("--environment", type=click.Choice(ENVIRONMENTS), required=required, help=text)


def placed(command: F) -> F:
    """`--database`, `--game`, `--environment`."""
    return setting_option("database")(game_option(environment_option(required=False)(command)))


def known_kind(kind: str) -> str:
    """A kind of event, or all of them. Raises `click.BadParameter` with what may have been meant."""
    if kind == EVERYTHING or kind in CATALOG:
        return kind
    meant = get_close_matches(kind, CATALOG, n=1)
    raise click.BadParameter(f"{kind!r} is no kind of event" + (f"; is {meant[0]} meant?" if meant else ""))


@contextmanager
def scopes_of(database: str, game_id: str | None, environment: str | None) -> Iterator[GameScopes]:
    """The game and the environments that a command was pointed at."""
    with store_at(database) as store:
        yield GameScopes.find(store, game_id, environment)


# -- what is printed ------------------------------------------------------------------------------------------------------


def show_queued(row: Delivery, *, as_json: bool) -> None:
    """Say that a delivery will be sent."""
    said = f"{row.delivery_id} is queued; `livecore webhooks deliveries` shows how it went"
    show({"deliveryId": row.delivery_id, "eventId": row.event_id}, (said,), as_json=as_json)
