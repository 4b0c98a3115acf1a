"""The portal's page about a player with a year of history: the whole request, over a real socket, one after another.

Every day the player sends gifts and gets gifts, which are claimed, buys something, scores, and gets gold from the backend;
all through the application, with its clock put back. An endpoint has been told of the gifts of the last four weeks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from livecore.api.maintenance import prepare_scope
from livecore.economy.ledger import ENTRIES_OF_PLAYER
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore.players.player import BY_EXTERNAL_ID
from livecore.webhooks import endpoints
from livecore_server.storage.database import vault_for
from tests.programs.bench import game
from tests.programs.bench.boards import CONFIG
from tests.programs.bench.databases import StoreName, fresh, settle
from tests.programs.bench.figures import PlayerPageRow
from tests.programs.bench.inside import Inside, inside
from tests.programs.bench.load import Result, run_load, wire_request
from tests.programs.bench.operators import SignedIn, sign_in
from tests.programs.bench.over_http import on_quick_loop
from tests.programs.bench.processes import Made, Receiver, make_game, receiver, serve

_TARGET_DAYS: Final = 365
_TARGET_MS: Final[dict[StoreName, float]] = {"sqlite": 150.0, "postgres": 250.0}
_WHO: Final = "veteran"
_FRIENDS: Final = tuple(f"friend-{number}" for number in range(40))
_GIFTS: Final = 40
"""How many the player sends in a day, and gets."""
_SCORES: Final = 3
"""How often the player scores in a day."""
_TOLD_DAYS: Final = 28
"""Deliveries are kept for 30 days."""
_PATIENCE_SECONDS: Final = 120.0


def measure(store: StoreName, days: int, count: int) -> PlayerPageRow:
    """Live for so many days, and then have the page shown `count` times. Raises `CannotRun`."""
    told = min(days, _TOLD_DAYS) * 2 * _GIFTS
    with fresh(store) as database, receiver(told) as receiving:
        made = make_game(database, CONFIG)
        vault = vault_for(database.url, None)
        with inside(database) as asked:
            add = partial(endpoints.add_endpoint, vault=vault, key="gifts", url=receiving.address, events=["gift.sent"])
            secrets = _enter(asked, made, days)
            for day in range(days, 0, -1):
                asked.hours_ago = day * 24
                if day == min(days, _TOLD_DAYS):
                    asked.as_service(Scope(made.game_id, "test"), add)
                _live(asked, made, secrets, day)
            member = sign_in(asked.application.store, made.game_id)
            ledger_entries = asked.application.store.read(Scope(made.game_id, "test"), _entries)
        settle(database)
        with serve(database, made) as served:
            _await_deliveries(receiving)
            request = _request(member, made)
            first = _shown(served.address, [request])
            before = served.usage()
            again = _shown(served.address, [request] * count)
            used = served.usage()
    gifts = 2 * _GIFTS * days
    return PlayerPageRow(
        store=store,
        days=days,
        ledger_entries=ledger_entries,
        gifts=gifts,
        page_bytes=again.mean_body_bytes,
        first_ms=first.milliseconds(1.0),
        p50_ms=again.milliseconds(0.50),
        p99_ms=again.milliseconds(0.99),
        cpu_ms=(used.cpu_seconds - before.cpu_seconds) / count * 1e3,
        target_ms=_TARGET_MS[store] if days == _TARGET_DAYS else None,
    )


def _enter(asked: Inside, made: Made, days: int) -> dict[str, str]:
    """Everybody's secret. All are friends of the player, and have gold."""
    asked.hours_ago = (days + 1) * 24
    asked.as_service(Scope(made.game_id, "test"), prepare_scope)
    names = (_WHO, *_FRIENDS)
    registered = list(asked.ask_all(game.register(made.client_key, name) for name in names))
    secrets = {name: str(data["playerSecret"]) for name, data in zip(names, registered, strict=True)}
    asks = [game.add(made.client_key, _WHO, secrets[_WHO], friend) for friend in _FRIENDS]
    asks += [game.add(made.client_key, friend, secrets[friend], _WHO) for friend in _FRIENDS]
    asks += [game.credit(made.server_key, name, 10**9) for name in names]
    for _ in asked.ask_all(iter(asks)):
        pass
    return secrets


def _live(asked: Inside, made: Made, secrets: dict[str, str], day: int) -> None:
    """One day of the player."""
    key, secret = made.client_key, secrets[_WHO]
    pairs = [(_WHO, _FRIENDS[number % len(_FRIENDS)], number) for number in range(_GIFTS)]
    pairs += [(friend, _WHO, number) for _, friend, number in pairs]
    sent = list(
        asked.ask_all(
            game.send_gift(key, giver, secrets[giver], taker, day * _GIFTS + number) for giver, taker, number in pairs
        )
    )
    requests = [
        game.claim(key, taker, secrets[taker], data["gift"]["giftId"])
        for (_, taker, _), data in zip(pairs, sent, strict=True)
    ]
    requests += [game.submit(key, _WHO, secret, day * _SCORES + number) for number in range(_SCORES)]
    requests.append(game.buy(made.server_key, _WHO, f"bought-{day}"))
    requests.append(game.credit(made.server_key, _WHO, 1, day))
    for _ in asked.ask_all(iter(requests)):
        pass


def _entries(tx: Transaction) -> int:
    """How long the player's ledger is."""
    player = tx.find(BY_EXTERNAL_ID, _WHO)
    assert player is not None
    return tx.count(ENTRIES_OF_PLAYER, player.player_id)


def _await_deliveries(receiving: Receiver) -> None:
    receiving.go()
    receiving.line(_PATIENCE_SECONDS)


def _request(member: SignedIn, made: Made) -> bytes:
    path = f"/portal/studios/{member.studio_id}/games/{made.game_id}/players/{_WHO}?environment=test"
    return wire_request("GET", path, {"Cookie": member.cookie})


def _shown(address: str, requests: Sequence[bytes]) -> Result:
    result = on_quick_loop(run_load(address, iter(requests), connections=1))
    if result.statuses != {200: len(requests)}:
        raise RuntimeError(f"the page was not shown: {result.statuses}")
    return result
