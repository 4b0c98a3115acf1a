"""A world at an instant, as a value and as bytes.

The bytes are JSON: rows by the columns that their tables declare, and no Python objects, so that reading them runs no code
of whoever wrote them. They are for the version that wrote them; another one refuses them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import attrs

from livecore.access.directory import require_game
from livecore.api.requests.limits import RateLimits
from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import Refusal
from livecore.kernel.scope import DIRECTORY, ENVIRONMENTS, Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.store import Write
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.ephemeral import EphemeralKind, EphemeralState, HeldValue
from livecore.kernel.wire import decode_lenient
from livecore.version import VERSION
from livecore.world.checks import require_environment
from livecore.world.draws import DrawKey
from livecore.world.emitted import Emitted

_FORMAT: Final = 1


@attrs.frozen(kw_only=True)
class Snapshot:
    """All of a world that decides what it does next. Nothing of it is shared with the world that it was taken of."""

    seed: int
    now: Millis
    flush_seconds: float
    environment: str
    limits: RateLimits
    game_id: str
    all_keys: dict[str, str]
    players: dict[str, tuple[str, str]]
    """The players that the world has made, by name: the service's id and the secret."""
    counts: dict[DrawKey, int]
    moment: Millis
    counts_now: dict[DrawKey, int]
    store: MemoryStore
    ephemeral: EphemeralState
    events: list[Emitted] | None
    """What was emitted so far, or `None` where nothing is kept."""


def written(world: Snapshot) -> bytes:
    """A world as bytes."""
    plain = ("seed", "now", "flush_seconds", "environment", "game_id", "all_keys", "players", "moment")
    values, windows = world.ephemeral.held()
    document = {
        "livecoreWorld": _FORMAT,
        "version": VERSION,
        **{name: getattr(world, name) for name in plain},
        "limits": attrs.asdict(world.limits, filter=lambda field, _: bool(field.init)),
        "counts": [[list(key), count] for key, count in world.counts.items()],
        "counts_now": [[list(key), count] for key, count in world.counts_now.items()],
        "rows": _written_rows(world.store),
        "values": [[kind.name, [_written_value(value) for value in known]] for kind, known in values.items()],
        "windows": windows,
        "events": None if world.events is None else [_written_event(event) for event in world.events],
    }
    return json.dumps(document, separators=(",", ":")).encode("ascii")


def read(data: bytes, areas: Areas) -> Snapshot:
    """The world of these bytes. Raises `ValueError` for those of another version, and for what is no saved world."""
    try:
        document = json.loads(data)
        form, version = document["livecoreWorld"], document["version"]
        found = _read(document, areas) if (form, version) == (_FORMAT, VERSION) else None
    except (AttributeError, KeyError, OverflowError, RecursionError, Refusal, TypeError, ValueError) as error:
        raise ValueError(f"these bytes are no saved world: {error!r}") from error
    if found is None:
        raise ValueError(f"this world was saved by livecore {version}, and livecore {VERSION} cannot read it")
    return found


def _read(document: Mapping[str, Any], areas: Areas) -> Snapshot:
    events, store = document["events"], _read_rows(document["rows"], areas)
    environment, game_id = require_environment(document["environment"]), str(document["game_id"])
    store.read(DIRECTORY, partial(require_game, game_id=game_id))
    names = [f"{environment}_{permission}" for environment in ENVIRONMENTS for permission in ("client", "server")]
    return Snapshot(
        seed=int(document["seed"]),
        now=int(document["now"]),
        flush_seconds=float(document["flush_seconds"]),
        environment=environment,
        limits=RateLimits(**document["limits"]),
        game_id=game_id,
        all_keys={name: str(document["all_keys"][name]) for name in names},
        players={name: (player_id, secret) for name, (player_id, secret) in document["players"].items()},
        counts={tuple(key): count for key, count in document["counts"]},
        moment=int(document["moment"]),
        counts_now={tuple(key): count for key, count in document["counts_now"]},
        store=store,
        ephemeral=_read_ephemeral(document, areas),
        events=None if events is None else [_read_event(event, areas) for event in events],
    )


# -- rows -----------------------------------------------------------------------------------------------------------------


def _written_rows(store: MemoryStore) -> list[Any]:
    written_rows = []
    for scope, table, rows in store.held():
        names = [column.name for column in table.columns]
        written_rows.append(
            [*_scope_texts(scope), table.name, names, [[getattr(row, name) for name in names] for row in rows]]
        )
    return written_rows


def _read_rows(parts: list[Any], areas: Areas) -> MemoryStore:
    store = MemoryStore()
    tables = {table.name: table for table in areas.tables}
    for game_id, environment, name, columns, rows in parts:
        table = tables[name]
        made = [table.record(**dict(zip(columns, values, strict=True))) for values in rows]
        store.apply(Scope(game_id, environment), [Write(table, table.key_of(row), None, row) for row in made])
    return store


def _scope_texts(scope: Scope) -> tuple[str, str]:
    return scope.game_id, scope.environment


# -- ephemeral state and events ------------------------------------------------------------------------------------------


def _written_value(held: HeldValue) -> list[Any]:
    scope, ref, value, place = held
    return [*_scope_texts(scope), ref, attrs.asdict(value) if attrs.has(type(value)) else value, place]


def _read_value(parts: list[Any], kind: EphemeralKind[Any]) -> HeldValue:
    game_id, environment, ref, value, place = parts
    return Scope(game_id, environment), ref, value if kind.record is None else kind.record(**value), place


def _read_ephemeral(document: Mapping[str, Any], areas: Areas) -> EphemeralState:
    kinds: dict[str, EphemeralKind[Any]] = {kind.name: kind for kind in areas.ephemeral}
    values = {kinds[name]: [_read_value(parts, kinds[name]) for parts in known] for name, known in document["values"]}
    ephemeral = EphemeralState()
    ephemeral.hold(values, {name: (ends_at, used) for name, (ends_at, used) in document["windows"].items()})
    return ephemeral


def _written_event(event: Emitted) -> list[Any]:
    return [int(event.at), event.environment, event.kind, event.data]


def _read_event(parts: list[Any], areas: Areas) -> Emitted:
    at, environment, kind, data = parts
    return Emitted(Timestamp(at), environment, kind, decode_lenient(areas.events[kind], data))
