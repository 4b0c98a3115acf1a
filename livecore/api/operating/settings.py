"""What members do about a game's configuration: read it, compare another one, apply it, and go back to an earlier one.

Applying works in several scopes (`livecore.api.operating.configuring`), and each step may be repeated. Whoever applies names
the version whose difference was read, so that of two who apply at once only one changes something; the other one is told.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal, TypeVar, cast

from livecore.access.directory import (
    CONFIG_VERSIONS,
    VERSIONS_OF_GAME,
    ConfigVersion,
    Game,
    require_game,
)
from livecore.access.members import name_shown
from livecore.access.principals import Principal
from livecore.access.refusals import GameNotFound
from livecore.api.configuration.config_refusals import ConfiguredMeanwhile, SettingsVersionNotFound
from livecore.api.configuration.differences import differences
from livecore.api.configuration.game_config import GameConfig, config_of, parse_config, stored_config
from livecore.api.configuration.settings_rows import (
    ApplySettings,
    CompareSettings,
    GetSettings,
    GetSettingsVersion,
    ListSettingsVersions,
    RestoreSettings,
    SettingsAdvice,
    SettingsApplied,
    SettingsAuthor,
    SettingsCompared,
    SettingsShown,
    SettingsVersionRow,
    SettingsVersionsPage,
)
from livecore.api.maintenance import write_config
from livecore.api.operating.configuring import change_config, changes_hands, finish, objections_to, pending_paid_gifts
from livecore.api.operating.taken_away import taken_away
from livecore.api.requests.operator_context import OperatorContext
from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.paging import PageRequest, page_of, unpack
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Change, Unit
from livecore.kernel.wire import encode

T = TypeVar("T")


# -- reading --------------------------------------------------------------------------------------------------------------


def get(unit: Unit, args: GetSettings) -> SettingsShown:
    """The present configuration."""
    game = require_game(unit.tx, args.game_id)
    return _shown(unit, config_of(game), _present(unit, game))


def get_version(unit: Unit, args: GetSettingsVersion) -> SettingsShown:
    """A configuration of the history. Raises `SettingsVersionNotFound`."""
    row = _require_version(unit, require_game(unit.tx, args.game_id), args.version)
    return _shown(unit, stored_config(row.config), row)


def list_versions(unit: Unit, args: ListSettingsVersions) -> SettingsVersionsPage:
    """The history, the newest first."""
    game = require_game(unit.tx, args.game_id)
    page = PageRequest(args.limit, unpack(args.cursor, (int,)))
    found = unit.tx.scan(VERSIONS_OF_GAME, game.game_id, stop=page.beyond, reverse=True, limit=page.reach)
    if not found and page.beyond is None:
        found = [_present(unit, game)]
    shown, following = page_of(found, page, VERSIONS_OF_GAME.position_of)
    return SettingsVersionsPage(versions=tuple(_row(unit, row) for row in shown), next_cursor=following)


def _present(unit: Unit, game: Game) -> ConfigVersion:
    """The row of the present version; a release that kept no history may have written it."""
    version = game.config_version
    known = unit.tx.get(CONFIG_VERSIONS, game.game_id, version)
    return known or ConfigVersion(game_id=game.game_id, version=version, config=game.config)


def _require_version(unit: Unit, game: Game, version: int) -> ConfigVersion:
    if version == game.config_version:
        return _present(unit, game)
    row = unit.tx.get(CONFIG_VERSIONS, game.game_id, version)
    if row is None:
        raise SettingsVersionNotFound.of(version)
    return row


def _shown(unit: Unit, config: GameConfig, row: ConfigVersion) -> SettingsShown:
    return SettingsShown(
        config=_data(config), version=row.version, applied=_row(unit, row), advice=_advice(unit, config)
    )


def _advice(unit: Unit, config: GameConfig, now: Millis | None = None) -> tuple[SettingsAdvice, ...]:
    return tuple(SettingsAdvice(path=path, message=message) for path, message in Areas.of(unit).advice_on(config, now))


def _row(unit: Unit, row: ConfigVersion) -> SettingsVersionRow:
    return SettingsVersionRow(
        version=row.version,
        at=None if row.at is None else Timestamp(row.at),
        by=_author(unit, row),
        changes=row.changes,
        summary=tuple(json.loads(row.summary)),
        restores=row.restores,
    )


def _author(unit: Unit, row: ConfigVersion) -> SettingsAuthor | None:
    if row.actor_kind is None:
        return None
    if row.actor_kind == "member":
        principal = unit.principal
        name = name_shown(unit.tx, principal, row.actor_ref or "") if isinstance(principal, Principal) else None
        return SettingsAuthor(kind="member", id=row.actor_ref, name=name)
    kind: Literal["cli", "system"] = "cli" if row.via == "cli" else "system"
    return SettingsAuthor(kind=kind, id=row.actor_ref or None, name=row.actor_ref or None)


def _data(config: GameConfig) -> JsonObject:
    return cast(JsonObject, encode(config))


# -- comparing ------------------------------------------------------------------------------------------------------------


def compare(context: OperatorContext, args: CompareSettings) -> SettingsCompared:
    """What a configuration would change, and what stands against it. Raises `ValidationFailed`; changes nothing."""
    game, wanted = _game(context), read_configuration(args.config)
    look = _Looking(context)
    return SettingsCompared(
        version=game.config_version,
        differences=_lines(game, wanted),
        objections=tuple(objections_to(look, game, wanted)),
        pending_paid_gifts=pending_paid_gifts(look, game) if changes_hands(game, wanted) else 0,
        advice=context.read(DIRECTORY, None, lambda unit: _advice(unit, wanted, unit.now)),
        taken_away=tuple(taken_away(look, game, wanted)),
    )


class _Looking:
    """Runs units of work that only look."""

    def __init__(self, context: OperatorContext) -> None:
        self._context = context

    def __call__(self, work: Callable[[Unit], T], scope: Scope, game: Game) -> T:
        return self._context.read(scope, game, work)


def read_configuration(config: JsonObject) -> GameConfig:
    """The configuration of a request. Raises `ValidationFailed`, with the paths that its fields have in the request."""
    try:
        return parse_config(config)
    except ValidationFailed as fault:
        named = {f"config.{path}" if path else "config": text for path, text in fault.fields.items()}
        raise ValidationFailed(named) from None


def _lines(game: Game, wanted: GameConfig) -> tuple[str, ...]:
    return tuple(differences(encode(config_of(game)), encode(wanted)))


def _game(context: OperatorContext) -> Game:
    """The game of the path as it is now."""
    game = context.game
    if game is None:
        raise GameNotFound
    game_id = game.game_id
    return context.read(DIRECTORY, None, lambda unit: require_game(unit.tx, game_id))


# -- changing -------------------------------------------------------------------------------------------------------------


def apply(context: OperatorContext, args: ApplySettings) -> SettingsApplied:
    """Replace the configuration.

    Raises `ValidationFailed`, `ConfiguredMeanwhile`, `ConfigRefused`, `PaidGiftsPending`.
    """
    return _replace(context, read_configuration(args.config), args.version, refund=args.refund_pending_gifts)


def restore(context: OperatorContext, args: RestoreSettings) -> SettingsApplied:
    """Give the game an earlier configuration again, as a new version.

    Raises `SettingsVersionNotFound`, and like `apply`; `ValidationFailed` if this release refuses that configuration.
    """
    game = _game(context)
    row = context.read(DIRECTORY, None, lambda unit: _require_version(unit, game, args.version))
    wanted = read_configuration(cast("JsonObject", json.loads(row.config)))
    return _replace(context, wanted, args.present_version, refund=args.refund_pending_gifts, restores=args.version)


def _replace(
    context: OperatorContext, wanted: GameConfig, since: int | None, *, refund: bool, restores: int | None = None
) -> SettingsApplied:
    game = _game(context)
    if since is not None and game.config_version != since:
        return _applied_before(context, game, wanted, since)
    lines = _lines(game, wanted)
    if not lines:
        # An earlier call may have been interrupted.
        finish(context, game)
        return SettingsApplied(version=game.config_version, differences=(), gifts_given_back=0)

    def write(given_back: int) -> Game:
        return context.decide(
            game,
            step,
            lambda changed: SettingsApplied(
                version=changed.config_version, differences=lines, gifts_given_back=given_back
            ),
        )

    def step(unit: Unit) -> Game:
        before = require_game(unit.tx, game.game_id)
        if before.config_version != game.config_version:
            raise ConfiguredMeanwhile(version=before.config_version)
        via = context.principal.via
        changed = write_config(unit.tx, before, wanted, unit.now, unit.actor, via=via, restores=restores)
        unit.change = Change({"configVersion": before.config_version}, {"configVersion": changed.config_version})
        unit.audit_metadata = {"changes": len(lines), "restores": restores}
        return changed

    try:
        changed, given_back = change_config(context, game, wanted, write, lambda: _game(context), refund=refund)
    except ConfiguredMeanwhile:
        return _applied_before(context, _game(context), wanted, game.config_version)
    return SettingsApplied(version=changed.config_version, differences=lines, gifts_given_back=given_back)


def resume(context: OperatorContext, data: JsonObject) -> None:
    """Prepare both scopes for a configuration that was applied, if it still is the present one."""
    game = _game(context)
    if game.config_version == data["version"]:
        finish(context, game)


def _applied_before(context: OperatorContext, game: Game, wanted: GameConfig, since: int) -> SettingsApplied:
    """The answer to a request whose effect is there already: it was interrupted, or made twice at once.

    Raises `ConfiguredMeanwhile` if the game has got another configuration since that version.
    """
    if game.config_version != since + 1 or _lines(game, wanted):
        raise ConfiguredMeanwhile(version=game.config_version)
    before = context.read(DIRECTORY, None, lambda unit: unit.tx.get(CONFIG_VERSIONS, game.game_id, since))
    lines: tuple[str, ...] = ()
    if before is not None:
        lines = tuple(differences(encode(stored_config(before.config)), encode(wanted)))
    finish(context, game)
    return SettingsApplied(version=game.config_version, differences=lines, gifts_given_back=0)
