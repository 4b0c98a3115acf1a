"""A database that has been lived in: two games in two environments after a sequence of the laws, on a real store."""

from __future__ import annotations

import shutil
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from livecore.access.directory import all_scopes
from livecore.api.requests.idempotency import keep
from livecore.commerce.purchases import track
from livecore.commerce.rows import TrackPurchase
from livecore.economy.ledger import Asset, post
from livecore.events.webhook_events import LeaderboardFinalized
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.webhook_events import RankRow
from livecore.players.player import find
from livecore.players.registration import first_contact
from livecore.social.codes import code_of
from livecore.social.gift_rows import SendGift
from livecore.social.gifts import send
from livecore.social.relations import RELATIONS, Relation, pair
from livecore_server.storage.database import Database
from livecore_server.storage.sqlite import SqliteStore
from tests.laws.arena import START, Arena
from tests.laws.games import Place
from tests.laws.playing import play
from tests.laws.sequences import seeded

_FOLDERS: Final[list[TemporaryDirectory[str]]] = []


PLACE: Final = Place(0, "test")
BOUGHT_AT: Final = START + 1
"""When the giver bought something, whatever the sequence was."""


def stage(arena: Arena) -> None:
    """What the first scope has afterwards: two friends, a gift that one of them paid for, and something bought.

    And two texts that name more players than fit into their own rows: an event and a kept answer. In the live scope of the
    same game somebody has earned gold a few times.
    """
    arena.in_scope(PLACE, "befriend", _befriend)
    arena.in_scope(PLACE, "give", _give)
    arena.in_scope(PLACE, "buy", _buy)
    arena.in_scope(PLACE, "settle", _settle)
    arena.in_scope(PLACE, "answer", _answer)
    arena.in_scope(Place(0, "live"), "earn", _earn)


def _earn(unit: Unit) -> None:
    earner = first_contact(unit, "earner")
    for amount in (10, 20, 30):
        post(unit, earner, Asset("currency", "gold"), amount)


def _befriend(unit: Unit) -> None:
    giver, taker = (code_of(unit, first_contact(unit, name)) for name in ("giver", "taker"))
    low, high = pair(giver.player_id, taker.player_id)
    unit.tx.insert(
        RELATIONS,
        Relation(low_id=low, high_id=high, friendship="friends", since=unit.now, request_id="frq_1", accepted_by="low"),
    )
    post(unit, giver, Asset("currency", "gold"), 50)
    post(unit, giver, Asset("currency", "gold"), -10)


def _give(unit: Unit) -> None:
    giver = find(unit, "giver")
    assert giver is not None
    unit.player_id = giver.player_id
    send(unit, SendGift(external_player_id="taker", type="currency", resource_key="gold", amount=5))


def _buy(unit: Unit) -> None:
    giver = find(unit, "giver")
    assert giver is not None
    unit.player_id = giver.player_id
    track(
        unit,
        TrackPurchase(
            transaction_id="t1", store="app_store", product_id="gems", product_type="consumable", amount_minor=999,
            currency="USD",
            purchased_at=Timestamp(BOUGHT_AT),
        ),
    )  # fmt: skip


def _settle(unit: Unit) -> None:
    """Ten players share a board; whether they are there does not matter to what is told of them."""
    moment = Timestamp(unit.now)
    names = [f"rank_{number}" for number in range(10)]
    ranks = [RankRow(rank=1, score=1, name=name, player_id=f"plr_{name}", external_player_id=name) for name in names]
    unit.emit(
        LeaderboardFinalized(
            leaderboard_id="lbd_1", event_id="evn_1", event_key="race", event_window_id="win_1", lobby_id=None,
            status="finalized", starts_at=moment, ends_at=moment, entry_count=10, top_ranks=tuple(ranks),
            finalized_at=moment,
        )
    )  # fmt: skip


def _answer(unit: Unit) -> None:
    keep(unit, "server", "party", 200, '{"data":{}}', named=["rank_0", "rank_1", "rank_2"])


@cache
def _template() -> Path:
    folder = TemporaryDirectory(prefix="livecore-lived-in-")
    _FOLDERS.append(folder)
    path = Path(folder.name) / "game.db"
    with closing(SqliteStore(path)) as store:
        store.connections.writing.execute("PRAGMA synchronous = OFF")
        arena = Arena(store)
        play(seeded(7, 60), arena=arena)
        arena.flush()
        stage(arena)
    return path


def lived_in(folder: Path) -> str:
    """The URL of a database file of one's own."""
    path = folder / "lived-in.db"
    shutil.copyfile(_template(), path)
    return f"sqlite:///{path}"


def busiest_scope(store: Database) -> Scope:
    """The scope in which most has happened: the first game's test environment."""
    dump = store.dump()
    scopes = [scope for scope, _ in store.read(DIRECTORY, all_scopes)]
    return max(scopes, key=lambda scope: sum(map(len, dump[scope.id].values())))
