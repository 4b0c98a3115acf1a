"""`livecore webhooks deliveries` and `replay`: lists deliveries, and sends them again.

Both choose deliveries by the same options. A list is read page by page, and a replay of many is done step by step, each in a
transaction of its own, so that a server beside it goes on serving.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, Final, cast, get_args

import attrs
import click

from livecore.kernel.errors import JsonObject, NotFound
from livecore.kernel.scope import Scope
from livecore.kernel.storage.paging import pack, unpack
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.player import find
from livecore.players.refusals import PlayerNotFound
from livecore.webhooks import endpoints
from livecore.webhooks.backlog import count_matching
from livecore.webhooks.delivery import DeliveryStatus
from livecore.webhooks.history import CURSOR, DeliveryFilter, Replayed, find_deliveries, replay_step
from livecore.webhooks.outbox import DELIVERIES_BY_TIME, EVENTS, Delivery, require_delivery
from livecore.webhooks.refusals import WebhookEndpointNotFound
from livecore_server.cli.moments import MOMENT
from livecore_server.cli.options import json_option
from livecore_server.cli.output import show, show_rows
from livecore_server.cli.scopes import GameScopes, noted, placed, scopes_of
from livecore_server.cli.sending import known_kind, show_queued
from livecore_server.system import now_millis

_STATUSES: Final[tuple[str, ...]] = get_args(DeliveryStatus)


# -- which deliveries -----------------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class _Choice:
    """The options that choose deliveries, as they were typed."""

    status: str | None
    endpoint: str | None
    kind: str | None
    player: str | None
    since: Millis | None
    until: Millis | None

    @property
    def given(self) -> bool:
        """Whether there is any."""
        return self != _Choice(status=None, endpoint=None, kind=None, player=None, since=None, until=None)

    def filters(self, found: GameScopes) -> list[tuple[Scope, DeliveryFilter]]:
        """The filter for each environment. Raises `WebhookEndpointNotFound`, `PlayerNotFound`."""
        meant = [(scope, wanted) for scope in found.scopes if (wanted := found.read(scope, self._filter)) is not None]
        if meant:
            return meant
        # No environment knows both; which of the two is missing?
        raise WebhookEndpointNotFound if self.player is None else PlayerNotFound

    def _filter(self, unit: Unit) -> DeliveryFilter | None:
        """The filter in one environment; `None` where it does not know the player or the endpoint."""
        player = None if self.player is None else find(unit, self.player)
        if self.player is not None and player is None:
            return None
        try:
            endpoint = None if self.endpoint is None else endpoints.require_endpoint(unit, self.endpoint)
        except NotFound:
            return None
        return DeliveryFilter(
            status=cast(DeliveryStatus | None, self.status),
            endpoint_id=None if endpoint is None else endpoint.endpoint_id,
            kind=self.kind,
            player_id=None if player is None else player.player_id,
            since=self.since,
            before=self.until,
        )


def _kind(_: click.Context, __: click.Parameter, kind: str | None) -> str | None:
    return None if kind is None else known_kind(kind)


def _chosen(command: Callable[..., None]) -> Callable[..., None]:
    """The options that choose deliveries; the command receives them together, as `choice`."""

    @wraps(command)
    def with_choice(**options: Any) -> None:  # noqa: ANN401 - click's options
        names = [field.name for field in attrs.fields(_Choice)]
        command(choice=_Choice(**{name: options.pop(name) for name in names}), **options)

    for option in reversed(_OPTIONS):
        option(with_choice)
    return with_choice


_OPTIONS: Final = (
    click.option("--status", type=click.Choice(_STATUSES), help="Those in this state."),
    click.option("--event", "kind", metavar="KIND", callback=_kind, help="Those of this kind of event."),
    click.option("--endpoint", metavar="ENDPOINT", help="Those to the endpoint of this id or key."),
    click.option("--player", metavar="ID", help="Those whose event names the player of this external id."),
    click.option(
        "--since", type=MOMENT, metavar="TIME",
        help="Those that were queued, or last replayed, then or later: 2026-01-31T09:30:00Z, 2026-01-31, 24h or 7d (ago).",
    ),
    click.option("--until", type=MOMENT, metavar="TIME", help="Those that were queued, or last replayed, before."),
)  # fmt: skip


# -- the list -------------------------------------------------------------------------------------------------------------


@click.command()
@placed
@_chosen
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many to list.")
@click.option("--cursor", metavar="CURSOR", help="Go on where a list ended, with the same options.")
@json_option
def deliveries(
    database: str, game_id: str | None, environment: str | None, *, choice: _Choice, limit: int, cursor: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """List deliveries, newest first: all, or those to which every option given applies."""
    beyond = unpack(cursor, CURSOR)
    with scopes_of(database, game_id, environment) as found:
        rows = [
            (DELIVERIES_BY_TIME.position_of(row), scope, row)
            for scope, wanted in choice.filters(found)
            for row in _newest(found, scope, wanted, beyond, limit + 1)
        ]
        rows.sort(key=lambda entry: entry[0], reverse=True)
        listed = [found.read(scope, partial(_delivery_row, row=row)) for _, scope, row in rows[:limit]]
        total = _total(found, choice)
    more = pack(rows[limit - 1][0]) if len(rows) > limit else None
    show_rows("deliveries", listed, as_json=as_json, nextCursor=more, total=total)
    if more is not None and not as_json:
        of_all = "" if total is None else f", {total} in all"
        click.echo(f"there are more{of_all}: --cursor {more}", err=True)


def _total(found: GameScopes, choice: _Choice) -> int | None:
    """How many deliveries the options choose, on all pages; `None` where these would have to be read to be counted."""
    counts = [found.read(scope, partial(_count_matching, wanted=wanted)) for scope, wanted in choice.filters(found)]
    return None if None in counts else sum(count for count in counts if count is not None)


def _count_matching(unit: Unit, wanted: DeliveryFilter) -> int | None:
    return count_matching(unit.tx, wanted, limit=None)


def _newest(
    found: GameScopes, scope: Scope, wanted: DeliveryFilter, beyond: Key | None, limit: int
) -> Sequence[Delivery]:
    """Up to `limit` of an environment's deliveries, each look in a transaction of its own."""
    rows: list[Delivery] = []
    while len(rows) < limit:
        look = partial(find_deliveries, wanted=wanted, beyond=beyond, limit=limit - len(rows))
        page = found.read(scope, look)
        rows += page.rows
        beyond = page.position
        if beyond is None:
            break
    return rows


def _delivery_row(unit: Unit, row: Delivery) -> JsonObject:
    event = unit.tx.get(EVENTS, row.event_id)
    return {
        "deliveryId": row.delivery_id,
        "environment": unit.scope.environment,
        "endpointId": row.endpoint_id,
        "eventId": row.event_id,
        "event": None if event is None else event.kind,
        "sample": row.sample,
        "status": row.status,
        "attempts": row.attempt,
        "queuedAt": Timestamp(row.queued_at).wire,
        "dueAt": None if row.due_at is None else Timestamp(row.due_at).wire,
        "lastStatus": row.last_status,
        "lastError": row.last_error,
    }


# -- once more ------------------------------------------------------------------------------------------------------------


@click.command()
@placed
@click.argument("delivery", required=False)
@_chosen
@click.option("--dry-run", is_flag=True, help="Only say how many there are.")
@click.option("--yes", is_flag=True, help="Do not ask before many are sent.")
@json_option
def replay(
    database: str, game_id: str | None, environment: str | None, delivery: str | None, *, choice: _Choice,
    dry_run: bool, yes: bool, as_json: bool,
) -> None:  # fmt: skip
    """Send DELIVERY once more, or all that the options choose: the same event, attempts counted on, no automatic retries.

    Without --status, the options choose among those that have failed. How many they are is said before anything is sent.
    """
    if (delivery is None) != choice.given:
        raise click.UsageError(
            "name one DELIVERY, or choose some by --status, --event, --endpoint, --player or --since"
        )
    with scopes_of(database, game_id, environment) as found:
        if delivery is None:
            _replay_chosen(found, choice, dry_run=dry_run, yes=yes, as_json=as_json)
            return
        scope, _ = found.only(lambda unit: require_delivery(unit, delivery))
        step = partial(_replay_one, delivery_id=delivery)
        row = found.read(scope, step) if dry_run else found.write(scope, step)
    if dry_run and not as_json:
        click.echo(f"{row.delivery_id} would be sent once more")
    else:
        show_queued(row, as_json=as_json)


def _replay_one(unit: Unit, delivery_id: str) -> Delivery:
    row = endpoints.replay(unit, delivery_id)
    noted(unit, "deliveries.replay", ("webhook_delivery", delivery_id), endpointId=row.endpoint_id)
    return row


def _replay_chosen(found: GameScopes, choice: _Choice, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    # A replay sets `queued_at` to a later time, so no delivery is found a second time.
    until = min(choice.until or now_millis(), now_millis())
    chosen = attrs.evolve(choice, status=choice.status or "failed", until=until).filters(found)
    matched = sum(_in_steps(found.read, scope, wanted) for scope, wanted in chosen)
    if matched and not dry_run:
        if not yes:
            _ask(matched, as_json=as_json)
        click.echo(f"if this is interrupted, the same command with --until {Timestamp(until).wire} goes on", err=True)
    queued = 0 if dry_run else sum(_in_steps(found.write, scope, wanted) for scope, wanted in chosen)
    said = f"{_counted(queued)} queued; `livecore webhooks deliveries` shows how it went"
    if dry_run:
        said = f"{_counted(matched)} would be sent once more"
    show({"matched": matched, "queued": queued, "until": Timestamp(until).wire}, (said,), as_json=as_json)


def _ask(matched: int, *, as_json: bool) -> None:
    """Ask for confirmation. Raises `click.UsageError` if there is no terminal, `click.Abort` if it is refused."""
    if as_json or not sys.stdin.isatty():
        raise click.UsageError(f"{_counted(matched)} would be sent once more: say --yes, or --dry-run to see how many")
    click.confirm(f"send {_counted(matched)} once more?", abort=True, err=True)


def _in_steps(
    run: Callable[[Scope, Callable[[Unit], Replayed]], Replayed], scope: Scope, wanted: DeliveryFilter
) -> int:
    """Replay the chosen deliveries, each step in its own transaction; in a dry run, `run` drops the writes."""
    count, position = 0, None
    while True:
        step = run(scope, partial(_noted_step, wanted=wanted, beyond=position))
        count, position = count + step.count, step.position
        if position is None:
            return count


def _noted_step(unit: Unit, wanted: DeliveryFilter, beyond: Key | None) -> Replayed:
    step = replay_step(unit, wanted, beyond)
    if step.count:
        details = {"status": wanted.status, "endpointId": wanted.endpoint_id, "event": wanted.kind}
        given = {name: value for name, value in details.items() if value is not None}
        noted(unit, "deliveries.replayMany", count=str(step.count), **given)
    return step


def _counted(count: int) -> str:
    return f"{count} {'delivery' if count == 1 else 'deliveries'}"
