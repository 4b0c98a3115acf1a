"""What it costs to search the audit trail of a studio with a million entries: the whole request but for sockets.

The entries are those of a year in one environment of a game. Nineteen of twenty are by the studio's backend, the others by
twenty members. One player in ten thousand has a fiftieth of all entries, and one action has ten entries in all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Final

import attrs

from livecore.access.audit import AUDIT, AuditEntry
from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.store import StoreWrite, Write
from livecore.kernel.time import DAY, Millis, Timestamp
from livecore.players.player import PLAYERS, Player
from livecore_server.storage.database import store_at
from livecore_server.system import now_millis
from tests.programs.bench import game
from tests.programs.bench.databases import Database, StoreName, fresh, settle
from tests.programs.bench.figures import AuditRow
from tests.programs.bench.inside import Inside, inside
from tests.programs.bench.load import wire_request
from tests.programs.bench.operators import sign_in
from tests.programs.bench.processes import make_game
from tests.programs.bench.shop import Shelf

_TARGET_ENTRIES: Final = 1_000_000
_TARGET_MS: Final = 100.0
_TOGETHER: Final = 10_000
_PLAYERS: Final = 10_000
_MEMBERS: Final = 20
_RARE: Final = "members.rare"
_RARE_ENTRIES: Final = 10
_ACTIONS: Final = tuple(f"area{number}.change" for number in range(30))
_SPAN: Final[Millis] = 365 * DAY


@attrs.frozen
class _Questions:
    """The filters of each question, by what it asks."""

    now: Millis

    def __iter__(self) -> Iterator[tuple[str, str]]:
        month = f"from={Timestamp(self.now - 90 * DAY).wire}&to={Timestamp(self.now - 60 * DAY).wire}"
        yield "everything", ""
        yield "a month", month
        yield "a member", "member=mbr_7"
        yield "an action", f"action={_ACTIONS[3]}"
        yield "a rare action", f"action={_RARE}"
        yield "an action in a month", f"action={_ACTIONS[3]}&{month}"
        yield "a member's action", f"member=mbr_7&action={_ACTIONS[3]}"
        yield "a member's rare action", f"member=mbr_7&action={_RARE}"
        yield "a player", "player=player-7"
        yield "a busy player", "player=player-0"
        yield "a busy player's action", f"player=player-0&action={_ACTIONS[3]}"
        yield "a busy player, nothing found", f"player=player-0&action={_RARE}"
        yield "200 at once", "limit=200"


def measure(store: StoreName, entries: int, count: int, *, told: Callable[[AuditRow], None]) -> None:
    """Ask every question `count` times of so many entries; each row is told. Raises `CannotRun`."""
    with fresh(store) as database:
        made = make_game(database, game.CONFIG)
        now = now_millis()
        with store_at(database.url) as opened:
            _fill(opened, Scope(made.game_id, "test"), now, entries)
            member = sign_in(opened, made.game_id)
        settle(database)
        for name, query in _Questions(now):
            path = f"/admin/v1/studios/{member.studio_id}/audit?{query}"
            told(_asked(database, name, wire_request("GET", path, {"Cookie": member.cookie}), entries, count))


def _fill(store: Shelf, scope: Scope, now: Millis, entries: int) -> None:
    store.apply(scope, [Write(PLAYERS, PLAYERS.key_of(player), None, player) for player in _players(now)])
    steps: list[StoreWrite] = []
    for entry in _entries(now, entries):
        steps.append(Write(AUDIT, AUDIT.key_of(entry), None, entry))
        if len(steps) == _TOGETHER:
            store.apply(scope, steps)
            steps = []
    store.apply(scope, steps)


def _players(now: Millis) -> Iterator[Player]:
    for number in range(_PLAYERS):
        yield Player(
            player_id=PlayerId(f"plr_{number}"),
            external_id=f"player-{number}",
            pool_name="Player",
            first_seen_at=now - _SPAN,
            last_seen_at=now,
        )


def _entries(now: Millis, number: int) -> Iterator[AuditEntry]:
    """In the order of their times, spread evenly."""
    draw = Random(1)  # noqa: S311 - to measure with
    rare = set(range(number // 2, number, max(1, number // (2 * _RARE_ENTRIES))))
    state = JsonText('{"banned":false,"reason":null,"bannedAt":null}')
    for place in range(number):
        player = 0 if draw.random() < 0.02 else draw.randrange(_PLAYERS)
        by_member = place in rare or draw.random() < 0.05
        member = f"mbr_{draw.randrange(_MEMBERS)}" if by_member else None
        yield AuditEntry(
            audit_id=f"aud_{place:026d}",
            at=now - _SPAN + _SPAN * place // number,
            actor_kind="member" if by_member else "api_key",
            actor_ref=member or "lc_test_server_abcdef",
            action=f"{'admin' if by_member else 'server'}:{_RARE if place in rare else draw.choice(_ACTIONS)}",
            player_id=PlayerId(f"plr_{player}"),
            address="192.0.2.1",
            principal="session" if by_member else "server_key",
            permission="player.ban" if by_member else None,
            before=state,
            after=state,
            via="session" if by_member else "api",
            member_id=member,
            target_kind="player",
            target_id=f"plr_{player}",
        )


def _asked(database: Database, name: str, wire: bytes, entries: int, count: int) -> AuditRow:
    with inside(database) as asked:
        timed = [_timed(asked, wire) for _ in range(count + 1)]
    again = sorted(wall for wall, _, _ in timed[1:])
    return AuditRow(
        store=database.store,
        entries=entries,
        question=name,
        found=timed[0][2],
        first_ms=timed[0][0],
        p50_ms=again[len(again) // 2],
        p99_ms=again[len(again) * 99 // 100],
        cpu_ms=sum(processor for _, processor, _ in timed[1:]) / count,
        target_ms=_TARGET_MS if entries == _TARGET_ENTRIES else None,
    )


def _timed(asked: Inside, wire: bytes) -> tuple[float, float, int]:
    """Milliseconds of wall and of processor time, and the number of entries in the answer."""
    prepared = asked.prepared(wire)
    wall, processor = time.perf_counter(), time.process_time()
    data = asked.run(prepared)
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3, len(data["entries"])
