"""Work besides requests: due work, flushing the ephemeral state, and setting up studios and games.

Hosts call these functions: the server from its loops, a simulation from its clock. Each runs in units of work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from livecore.access import directory, keys
from livecore.access.audit import audit
from livecore.access.directory import Game, Studio
from livecore.access.keys import KeyOnce
from livecore.access.principals import Via
from livecore.api.areas import AREAS
from livecore.api.configuration.config_refusals import ConfiguredMeanwhile
from livecore.api.configuration.differences import differences
from livecore.api.configuration.game_config import GameConfig, config_of
from livecore.api.deploying import new_deployment
from livecore.kernel.declarations.area import Areas
from livecore.kernel.declarations.jobs import Job
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import Scope
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis
from livecore.kernel.units import due
from livecore.kernel.units.due import DueWork
from livecore.kernel.units.ephemeral import EphemeralKind, EphemeralState
from livecore.kernel.units.unit import SYSTEM, Actor, Change, Deployment, Unit
from livecore.kernel.wire import encode

_NO_CONFIG: Final = GameConfig()


def system_unit(
    tx: Transaction,
    game: Game | None,
    now: Millis,
    seed: bytes,
    deployment: Deployment | None = None,
    *,
    actor: Actor = SYSTEM,
) -> Unit:
    """A unit of work without a request, in a scope of `game` or in the directory, which belongs to no game.

    `deployment` is that of the process; a unit without one has ephemeral state of its own.
    """
    return Unit(
        tx=tx,
        now=now,
        entropy=Entropy(seed),
        config=_NO_CONFIG if game is None else config_of(game),
        deployment=deployment or new_deployment(),
        studio_id="" if game is None else game.studio_id,
        actor=actor,
    )


def run_due(unit: Unit, work: DueWork) -> bool:
    """Run one item of due work and delete it, or a job's next step; returns whether it still existed and was due."""
    current = unit.tx.get(due.DUE, work.kind, work.ref)
    if current is None or current.due_at > unit.now:
        return False
    handler = Areas.of(unit).due[work.kind]
    if isinstance(handler, Job):
        handler.run(unit, current)
    else:
        unit.cancel(work.kind, work.ref)
        handler(unit, work.ref)
    return True


@attrs.frozen
class Taken:
    """Values of the ephemeral state for one scope that are to be written, by kind, with their ids."""

    scope: Scope
    areas: Areas
    values: dict[EphemeralKind[Any], list[tuple[str, Any]]] = attrs.Factory(dict)

    def __len__(self) -> int:
        return sum(map(len, self.values.values()))


def take(ephemeral: EphemeralState, most: int, areas: Areas = AREAS) -> list[Taken]:
    """Take the changed values of the ephemeral state, at most `most` of each kind, by scope.

    The caller writes each with `write_taken` in a transaction of its scope, which may run more than once. If that fails,
    the caller returns it with `give_back`.
    """
    taken: dict[Scope, Taken] = {}
    for kind in areas.ephemeral:
        for scope, ref, value in ephemeral.values(kind).take_dirty(most):
            part = taken.setdefault(scope, Taken(scope, areas))
            part.values.setdefault(kind, []).append((ref, value))
    return list(taken.values())


def write_taken(tx: Transaction, taken: Taken) -> list[str]:
    """Write taken values; `tx` is a transaction of their scope.

    Returns the ids that the caller must have the ephemeral state `forget` once this has been committed.
    """
    return [ref for kind, values in taken.values.items() for ref in taken.areas.ephemeral[kind](tx, values)]


def give_back(ephemeral: EphemeralState, taken: Taken) -> None:
    """Mark taken values as changed again, because writing them failed."""
    for kind, values in taken.values.items():
        ephemeral.values(kind).give_back([(taken.scope, ref, value) for ref, value in values])


# -- setting up -----------------------------------------------------------------------------------------------------------


@attrs.frozen
class NewGame:
    """A new game with its four keys, whose texts are shown only once."""

    game: Game
    keys: Mapping[tuple[str, str], KeyOnce]
    """By environment (`test`, `live`) and permission (`client`, `server`)."""


def make_game(
    tx: Transaction,
    config: GameConfig,
    now: Millis,
    entropy: Entropy,
    *,
    studio_name: str,
    actor: Actor,
    via: Via | None = None,
) -> NewGame:
    """Make a studio, a game and four keys in the directory; then prepare the scopes with `prepare_scope`."""
    studio = directory.add_studio(tx, studio_name, now, entropy)
    return make_game_of(tx, studio, config, now, entropy, actor=actor, via=via)


def make_game_of(
    tx: Transaction,
    studio: Studio,
    config: GameConfig,
    now: Millis,
    entropy: Entropy,
    *,
    actor: Actor,
    via: Via | None = None,
) -> NewGame:
    """The same for a studio that exists."""
    game = directory.add_game(tx, studio, config, now, entropy, actor=actor, via=via)
    made = {
        (environment, permission): keys.add_key(tx, Scope(game.game_id, environment), permission, now, entropy)
        for environment in ("test", "live")
        for permission in ("client", "server")
    }
    audit(
        tx, now, entropy, actor, "games.create", via=via, studio_id=game.studio_id, game_id=game.game_id,
        target=("game", game.game_id), change=Change(None, {"name": game.name}),
    )  # fmt: skip
    prepare_directory(tx, now)
    return NewGame(game, made)


def write_config(
    tx: Transaction,
    before: Game,
    config: GameConfig,
    now: Millis,
    actor: Actor,
    *,
    via: Via | None = None,
    restores: int | None = None,
) -> Game:
    """Replace a game's configuration, with the difference in its history; see `apply_config`."""
    lines = differences(encode(config_of(before)), encode(config))
    return directory.configure(tx, before, config, now, actor, via=via, lines=lines, restores=restores)


def apply_config(
    tx: Transaction,
    game_id: str,
    config: GameConfig,
    now: Millis,
    entropy: Entropy,
    actor: Actor,
    *,
    since: Game | None = None,
    via: Via | None = None,
) -> Game:
    """Replace a game's configuration; prepare its scopes again afterwards.

    A change of the economy mode must use `livecore.api.operating.configuring`, which handles paid gifts. Raises
    `ConfiguredMeanwhile` if the game has changed since `since`.
    """
    before = directory.require_game(tx, game_id)
    if since is not None and before.config_version != since.config_version:
        raise ConfiguredMeanwhile(version=before.config_version)
    game = write_config(tx, before, config, now, actor, via=via)
    audit(
        tx, now, entropy, actor, "settings.apply", via=via, studio_id=game.studio_id, game_id=game_id,
        target=("game", game_id),
        change=Change({"configVersion": before.config_version}, {"configVersion": game.config_version}),
    )  # fmt: skip
    return game


def prepare_directory(tx: Transaction, now: Millis, areas: Areas = AREAS) -> None:
    """Schedule the directory's recurring work, on its audit trail, members, sessions and personal keys.

    It can be repeated safely.
    """
    kinds = areas.recurring_in_directory
    scheduled = tx.read_all(Get(due.DUE, (kind, "")) for kind in kinds)
    for kind, work in zip(kinds, scheduled, strict=True):
        if work is None:
            due.schedule(tx, kind, "", now)


def prepare_scope(unit: Unit) -> None:
    """Schedule a scope's recurring work, and let each area adapt it to the configuration. It can be repeated safely."""
    for kind in Areas.of(unit).recurring:
        due.schedule_recurring(unit.tx, kind, unit.now)
    for area in Areas.of(unit).all:
        area.prepare(unit)
