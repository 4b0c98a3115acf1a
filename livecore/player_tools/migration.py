"""Migration of players from another backend, up to a thousand rows at a time. Each row fails or succeeds alone.

Every row has an idempotency key in the namespace of its route, and the key never expires: a file may be sent several times,
and each of its rows takes effect once. A row that names an unknown player makes that player, without a secret: players
register when they first start the game. No webhooks are sent unless the request asks for them (specification 4.3).

A row is checked completely before the first write, so a row that fails has changed nothing.

The rows of a request are applied in steps, each a transaction of its own, so that others need not wait for all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, TypeVar

from livecore.economy.config import SYSTEM_KEYS, economy_config
from livecore.economy.ledger import Asset, holding_read, managed_here, post
from livecore.economy.refusals import (
    EconomyKeyNotFound,
    EconomyNotPlatformManaged,
    ItemNotFound,
    SystemResourceLocked,
)
from livecore.kernel.errors import IdempotencyConflict, Json, Refusal, ValidationFailed
from livecore.kernel.storage.reads import Count, Find, Get, Read, Scan
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis, stamp
from livecore.kernel.units.permanent_idempotency import hidden
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire import compact, decode, encode
from livecore.kernel.wire.shapes import ABSENT
from livecore.player_tools.migration_rows import (
    MigrateInventory,
    MigrateInventoryRow,
    MigratePlayerRow,
    MigratePlayers,
    MigrateWallet,
    MigrateWalletRow,
    MigrationFailure,
    MigrationOutcome,
)
from livecore.players.contexts import with_context
from livecore.players.former_names import NAMES_OF_PLAYER, note_former_name
from livecore.players.identity import SEARCH_OF_PLAYER, index_name
from livecore.players.player import BY_EXTERNAL_ID, PLAYERS, Player, find
from livecore.players.registration import new_player
from livecore.players.seen import live

R = TypeVar("R", MigratePlayerRow, MigrateWalletRow, MigrateInventoryRow)
_Route: TypeAlias = Literal["players", "wallet", "inventory"]
_SOURCE = "migration"
ROWS_OF_A_STEP: Final = 25
"""How many rows a transaction applies: about ten milliseconds of work, in which others wait."""


@record
class MigratedRow:
    """A row that has been applied: a hash of its route and key, and a hash of its contents. Neither names a player."""

    key_hash: str
    fingerprint: str
    at: Millis


MIGRATED_ROWS = Table("migrated_rows", MigratedRow, key=("key_hash",))


# -- operations -----------------------------------------------------------------------------------------------------------


def migrate_players(unit: Unit, args: MigratePlayers) -> MigrationOutcome:
    """Make players, or change existing ones."""
    return _migrate(unit, "players", args, MigratePlayerRow, _migrate_player)


def migrate_wallet(unit: Unit, args: MigrateWallet) -> MigrationOutcome:
    """Add to balances."""
    return _migrate(unit, "wallet", args, MigrateWalletRow, _migrate_balance)


def migrate_inventory(unit: Unit, args: MigrateInventory) -> MigrationOutcome:
    """Add items."""
    return _migrate(unit, "inventory", args, MigrateInventoryRow, _migrate_item)


def _migrate(
    unit: Unit,
    route: _Route,
    args: MigratePlayers | MigrateWallet | MigrateInventory,
    kind: type[R],
    apply: Callable[[Unit, R], None],
) -> MigrationOutcome:
    unit.silent = not args.emit_webhooks
    replayed = 0
    failures: list[MigrationFailure] = []
    decoded = [_decoded(raw, kind) for raw in args.rows]
    _ask_for(unit, route, [row for row in decoded if not isinstance(row, Refusal)])
    for index, (raw, row) in enumerate(zip(args.rows, decoded, strict=True)):
        try:
            replayed += not _apply_once(unit, route, row, apply)
        except Refusal as refusal:
            failures.append(_failure(index, raw, refusal))
    return MigrationOutcome(
        received=len(args.rows),
        applied=len(args.rows) - replayed - len(failures),
        replayed=replayed,
        failed=len(failures),
        failures=tuple(failures),
    )


def _decoded(raw: object, kind: type[R]) -> R | Refusal:
    """A row, or why it is none."""
    if not isinstance(raw, dict):
        return ValidationFailed({"row": "must be a JSON object"})
    try:
        return decode(kind, raw)
    except Refusal as refusal:
        return refusal


def _ask_for(unit: Unit, route: _Route, rows: Sequence[R]) -> None:
    """Ask at once for what the rows read: whether each was applied before, the players, and then what these hold."""
    _, players = unit.tx.read_lists(
        (Get(MIGRATED_ROWS, (_key_hash(unit, route, row),)) for row in rows),
        (Find(BY_EXTERNAL_ID, (row.external_player_id,)) for row in rows),
    )
    known = [(row, player.player_id) for row, player in zip(rows, players, strict=True) if player is not None]
    unit.tx.read_all(read for row, player_id in known for read in _player_reads(row, player_id))


def _player_reads(row: MigratePlayerRow | MigrateWalletRow | MigrateInventoryRow, player_id: str) -> list[Read[Any]]:
    """What a row reads of a player who is known."""
    if isinstance(row, MigrateWalletRow):
        return [holding_read(player_id, Asset("currency", row.economy_key))]
    if isinstance(row, MigrateInventoryRow):
        return [holding_read(player_id, Asset("item", row.item_key))]
    return (
        [Scan(SEARCH_OF_PLAYER, (player_id,)), Count(NAMES_OF_PLAYER, (player_id,))] if row.name is not ABSENT else []
    )


def _key_hash(unit: Unit, route: _Route, row: MigratePlayerRow | MigrateWalletRow | MigrateInventoryRow) -> str:
    return hidden(unit.scope, route, row.idempotency_key)


def _apply_once(unit: Unit, route: _Route, row: R | Refusal, apply: Callable[[Unit, R], None]) -> bool:
    """Apply a row unless it was applied before; returns whether it was applied now. Raises the row's refusal."""
    if isinstance(row, Refusal):
        raise row
    key_hash = _key_hash(unit, route, row)
    fingerprint = hidden(unit.scope, json.dumps(encode(row), sort_keys=True))
    known = unit.tx.get(MIGRATED_ROWS, key_hash)
    if known is not None:
        if known.fingerprint != fingerprint:
            raise IdempotencyConflict
        return False
    apply(unit, row)
    unit.tx.insert(MIGRATED_ROWS, MigratedRow(key_hash=key_hash, fingerprint=fingerprint, at=unit.now))
    return True


def _failure(index: int, raw: object, refusal: Refusal) -> MigrationFailure:
    key = raw.get("idempotencyKey") if isinstance(raw, dict) else None
    details: Any = refusal.details
    return MigrationFailure(
        index=index,
        idempotency_key=key if isinstance(key, str) else None,
        code=refusal.code,
        message=str(refusal),
        details=details or None,
    )


# -- in steps -------------------------------------------------------------------------------------------------------------


def parts(args: Any) -> list[Any]:  # noqa: ANN401 - the arguments of any of the three routes
    """The arguments with a few rows each: what one transaction applies while others wait."""
    starts = range(0, len(args.rows), ROWS_OF_A_STEP)
    return [evolve(args, rows=args.rows[start : start + ROWS_OF_A_STEP]) for start in starts]


def joined(outcomes: Sequence[MigrationOutcome]) -> MigrationOutcome:
    """The outcome of all rows; failures name the places of their rows among them."""
    failures: list[MigrationFailure] = []
    before = 0
    for outcome in outcomes:
        failures += (evolve(failure, index=before + failure.index) for failure in outcome.failures)
        before += outcome.received
    return MigrationOutcome(
        received=before,
        applied=sum(outcome.applied for outcome in outcomes),
        replayed=sum(outcome.replayed for outcome in outcomes),
        failed=len(failures),
        failures=tuple(failures),
    )


# -- one row --------------------------------------------------------------------------------------------------------------


def _migrate_player(unit: Unit, row: MigratePlayerRow) -> None:
    stored = find(unit, row.external_player_id)
    # Include the ephemeral state: a row with a later time must not hide earlier observations.
    known = None if stored is None else live(unit, stored)
    first_seen_at = _check_times(unit, row, known)
    changes = _changes(row)
    if known is None:
        fields = {**changes, "first_seen_at": first_seen_at}
        new_player(unit, row.external_player_id, row.player_context or None, fields)
    elif changes:
        _change(unit, known, changes)


def _change(unit: Unit, player: Player, changes: Mapping[str, Any]) -> None:
    changed = unit.tx.put(PLAYERS, evolve(with_context(player, changes.get("context")), **changes))
    note_former_name(unit, player, changed)
    if changed.name != player.name:
        index_name(unit, changed)


def _check_times(unit: Unit, row: MigratePlayerRow, known: Player | None) -> Millis:
    """When the player was first seen: the row's time, or the known one, or for a new player at most the time last seen.

    Raises `ValidationFailed` for a time in the future, and where the last time is before the first.
    """
    faults: dict[str, str] = {}
    last = row.last_seen_at if row.last_seen_at is not ABSENT else (known.last_seen_at if known else unit.now)
    first = row.first_seen_at if row.first_seen_at is not ABSENT else (known.first_seen_at if known else last)
    for name, at in (("firstSeenAt", row.first_seen_at), ("lastSeenAt", row.last_seen_at)):
        if at is not ABSENT and at > unit.now:
            faults[name] = "must not lie in the future"
    if not faults and last < first:
        faults["lastSeenAt"] = f"must not lie before `firstSeenAt`, which is {stamp(first)}"
    if faults:
        raise ValidationFailed(faults)
    return int(first)


def _changes(row: MigratePlayerRow) -> dict[str, Any]:
    """The fields of the player that the row gives."""
    fields: dict[str, Any] = {
        "name": row.name,
        "avatar": row.avatar,
        "country_override": row.country,
        "first_seen_at": row.first_seen_at,
        "last_seen_at": row.last_seen_at,
        "context": row.player_context,
    }
    changes = {name: value for name, value in fields.items() if value is not ABSENT}
    if changes.get("context") is not None:
        changes["context"] = JsonText(compact(changes["context"]))
    return {name: int(value) if name.endswith("_at") else value for name, value in changes.items()}


def _migrate_balance(unit: Unit, row: MigrateWalletRow) -> None:
    if economy_config(unit).economy_key(row.economy_key) is None:
        raise EconomyKeyNotFound.of(row.economy_key, known=economy_config(unit).economy_keys)
    if row.economy_key in SYSTEM_KEYS:
        raise SystemResourceLocked
    _add(unit, row.external_player_id, Asset("currency", row.economy_key), row.amount)


def _migrate_item(unit: Unit, row: MigrateInventoryRow) -> None:
    if economy_config(unit).item(row.item_key) is None:
        raise ItemNotFound.of(row.item_key, known=economy_config(unit).item_keys)
    parameters: Any = row.parameters
    _add(unit, row.external_player_id, Asset("item", row.item_key), row.quantity, parameters)


def _add(unit: Unit, external_id: str, asset: Asset, amount: int, parameters: Mapping[str, Json] | None = None) -> None:
    """Add an amount to a player's holding; makes an unknown player, whose holding cannot overflow."""
    if not managed_here(unit, asset):
        raise EconomyNotPlatformManaged
    known = find(unit, external_id)
    player = new_player(unit, external_id) if known is None else known
    given = None if parameters is None else dict(parameters)
    fresh = known is None
    post(unit, player, asset, amount, reason=_SOURCE, source_ref_id=None, parameters=given, fresh=fresh)
