"""Replaces a game's configuration, also where that changes the economy mode.

`economyMode` decides whether the service pays anything out. After a change of it, a pending gift that cost its sender could
be neither claimed nor given back. So the change is refused while there are such gifts, or they are given back first:

    close gifts that cost the sender ──> give back ──> count: none ──> the new configuration ──> open again, if it may
                                                           some ──> open again, refused

The configuration is in the directory and gifts are in the game's two scopes, so this cannot be one transaction. Closing is
the first step: then a request that still uses the earlier configuration cannot send a gift that is not counted. Each step
is a unit of work that may be repeated. After an interruption gifts that cost the sender stay closed, and the same call
continues.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from livecore.access.directory import Game
from livecore.api.configuration.config_refusals import ConfigRefused, PaidGiftsPending
from livecore.api.configuration.game_config import GameConfig, config_of
from livecore.api.maintenance import prepare_scope
from livecore.kernel.declarations.area import Areas
from livecore.kernel.scope import Scope, scope_of
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.unit import Unit
from livecore.social.refunds import RefundProgress, close_paid_gifts, count_page, give_page_back, open_paid_gifts

T = TypeVar("T")


class RunUnit(Protocol):
    """Runs a unit of work of the service itself in a scope of a game, in a transaction that writes."""

    def __call__(self, work: Callable[[Unit], T], scope: Scope, game: Game) -> T:
        """What the work returns; it may run more than once."""


def scopes_of(game: Game) -> tuple[Scope, Scope]:
    """Both environments of a game."""
    return scope_of(game.game_id, "test"), scope_of(game.game_id, "live")


def changes_hands(game: Game, wanted: GameConfig) -> bool:
    """Whether a configuration changes the economy mode."""
    return config_of(game).economy_mode != wanted.economy_mode


def pending_paid_gifts(run: RunUnit, game: Game) -> int:
    """How many paid gifts are pending in both environments."""
    return sum(page.pending for page in _pages(run, game, count_page))


def objections_to(run: RunUnit, game: Game, wanted: GameConfig) -> list[str]:
    """What stands against a configuration in either environment, such as an event that it lacks and that is under way."""

    def found(unit: Unit) -> list[str]:
        return [text for area in Areas.of(unit).all for text in area.objections(unit, wanted)]

    return [text for scope in scopes_of(game) for text in run(found, scope, game)]


def change_config(
    run: RunUnit,
    game: Game,
    wanted: GameConfig,
    write: Callable[[int], Game],
    present: Callable[[], Game],
    *,
    refund: bool = False,
) -> tuple[Game, int]:
    """Replace a game's configuration by `write`; returns the new game, and how many gifts were given back.

    `write` is told that number. `present` reads the game as it is now: where somebody else was quicker, their configuration
    says whether gifts may cost the sender.

    Raises `ConfigRefused` and `PaidGiftsPending`; then nothing has changed except the gifts that `refund` has given back. A
    window that opens in the very moment of the change keeps its definition and closes at its time.
    """
    given_back = 0
    _refuse_objections(run, game, wanted)
    if changes_hands(game, wanted):
        if not refund:
            _refuse_pending(pending_paid_gifts(run, game))
        for scope in scopes_of(game):
            run(close_paid_gifts, scope, game)
        try:
            if refund:
                given_back = sum(page.given_back for page in _pages(run, game, give_page_back))
            # Also without a refund: a gift may have been sent before they were closed.
            _refuse_pending(pending_paid_gifts(run, game), given_back if refund else None)
            # Giving back may have taken long.
            _refuse_objections(run, game, wanted)
            changed = write(given_back)
        except Exception:
            _open(run, present())
            raise
    else:
        changed = write(given_back)
    finish(run, changed)
    return changed, given_back


def finish(run: RunUnit, game: Game) -> None:
    """Prepare both scopes for a new configuration; it can be repeated safely, also after an interruption."""
    for scope in scopes_of(game):
        run(_ready, scope, game)


def _ready(unit: Unit) -> None:
    prepare_scope(unit)
    open_paid_gifts(unit)


def _open(run: RunUnit, game: Game) -> None:
    for scope in scopes_of(game):
        run(open_paid_gifts, scope, game)


def _refuse_objections(run: RunUnit, game: Game, wanted: GameConfig) -> None:
    if reasons := objections_to(run, game, wanted):
        raise ConfigRefused(reasons)


def _refuse_pending(number: int, given_back: int | None = None) -> None:
    if number:
        raise PaidGiftsPending(number, given_back)


def _pages(run: RunUnit, game: Game, read: Callable[[Unit, Key | None], RefundProgress]) -> Sequence[RefundProgress]:
    pages: list[RefundProgress] = []
    for scope in scopes_of(game):
        after: Key | None = None
        while True:
            page = run(_turning(read, after), scope, game)
            pages.append(page)
            after = page.after
            if after is None:
                break
    return pages


def _turning(read: Callable[[Unit, Key | None], RefundProgress], after: Key | None) -> Callable[[Unit], RefundProgress]:
    return lambda unit: read(unit, after)
