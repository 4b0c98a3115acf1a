"""Erases again in a backup who was erased after it was made, before it takes the place of the database that knows of it.

    read     the erasures that the database knows of, and those that it knows of from databases which it replaced
    erase    each of these players whom a copy of the backup has, by the server's own operation
    note     the erasures in the copy, so that the next restore knows of them as well

What is restored is the copy, so nobody can be served who was erased. With the same time and seed the same rows come out: an
interrupted restore into PostgreSQL goes on with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import TypeVar

import attrs

from livecore.access.directory import Game, every_scope
from livecore.api.maintenance import system_unit
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.examination import PAGE_ROWS, in_key_order
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import SYSTEM, Actor
from livecore.players.player import PLAYERS, Player
from livecore_server.operations.copy.known_erasures import KnownErasures
from livecore_server.operations.erasing import erase_player
from livecore_server.storage.database import Database
from livecore_server.storage.host_tables import EARLIER_ERASURES, EarlierErasure
from livecore_server.storage.snapshot import views_of
from livecore_server.system import draw_seed, now_millis

T = TypeVar("T")


@attrs.frozen
class Applied:
    """How many players a restore has erased again, and why these may not be all of them."""

    erased: int = 0
    missing: str | None = None
    """Why the erasures are not known, or not all of them: `there was no database before`."""


@attrs.frozen
class Moment:
    """When the players are erased again, by whom, and from what is drawn that must be random."""

    now: Millis = attrs.field(factory=now_millis)
    seed: bytes = attrs.field(factory=draw_seed)
    actor: Actor = SYSTEM


def erase_again(store: Database, known: KnownErasures, moment: Moment) -> int:
    """Erase each player whom the list has, and note the list in the database; returns how many players there were."""
    erased = 0
    for scope, game in store.read(DIRECTORY, every_scope):
        if not known.any_of(scope.id):
            continue
        keys = known.keys(scope.id)
        for player in _players(store, scope):
            if not player.gone and known.has(scope.id, keys, player):
                erased += _erase(store, scope, game, player, moment)
        _note(store, scope, known)
    return erased


def _players(store: Database, scope: Scope) -> Iterator[Player]:
    """The players of a scope, a page at a time, while the caller changes them."""
    order = in_key_order(PLAYERS)
    after: Key | None = None
    while True:
        with views_of(store) as views:
            page = views(scope)().scan(Scan(order, (), after=after, limit=PAGE_ROWS))
        yield from page
        if len(page) < PAGE_ROWS:
            return
        after = order.position_of(page[-1])


def _erase(store: Database, scope: Scope, game: Game, player: Player, moment: Moment) -> bool:
    seed = blake2b(player.player_id.encode(), key=moment.seed, digest_size=32, person=b"restore").digest()

    def work(tx: Transaction) -> bool:
        unit = system_unit(tx, game, moment.now, seed, actor=moment.actor)
        return erase_player(unit, player.external_id, "studio_request").status == "erased"

    return store.write(scope, work)


def _note(store: Database, scope: Scope, known: KnownErasures) -> None:
    rows = (EarlierErasure(ref=ref, hash_key=key or None, at=at) for ref, key, at in known.of_scope(scope.id))
    for page in _paged(rows):
        store.write(scope, partial(_put, rows=page))


def _put(tx: Transaction, rows: list[EarlierErasure]) -> None:
    for row in rows:
        tx.put(EARLIER_ERASURES, row)


def _paged(rows: Iterable[T]) -> Iterator[list[T]]:
    ahead = iter(rows)
    while page := list(islice(ahead, PAGE_ROWS)):
        yield page
