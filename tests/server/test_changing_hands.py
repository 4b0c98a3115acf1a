"""`livecore apply` and a game's economy that changes hands, on both stores, with players who go on claiming meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from livecore.access.directory import require_game
from livecore.api.configuration.game_config import config_of
from livecore.demo import DEMO
from livecore.economy.ledger import HOLDINGS
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.players.player import BY_EXTERNAL_ID
from livecore_server.storage.database import store_at
from tests.postgres.server import ready_database
from tests.server.commands import Command
from tests.server.serving import Server, make_game, serving

FRIENDS = 6


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database of either kind."""
    if request.param == "SQLite":
        yield f"sqlite:///{tmp_path / 'game.db'}"
    else:
        with ready_database() as found:
            yield found


def studio_file(folder: Path) -> Path:
    """The demo game, in the studio's hands."""
    wanted = json.loads(DEMO)
    wanted["economyMode"] = "studio"
    wanted["gifting"]["resources"] = [row for row in wanted["gifting"]["resources"] if not row["costsSender"]]
    for event in wanted["events"]:
        event.pop("entryCost", None)
    path = folder / "studio.json"
    path.write_text(json.dumps(wanted), "utf-8")
    return path


async def _sent(server: Server) -> dict[str, tuple[str, str]]:
    """Ann sends a paid gift to each friend; gives the gift's id and the secret of each."""
    ann = await server.register("ann")
    await server.studio("POST", "/players/ann/wallet/gold/credit", {"amount": 1_000})
    found: dict[str, tuple[str, str]] = {}
    for number in range(FRIENDS):
        name = f"friend{number}"
        secret = await server.register(name)
        await server.sdk("POST", "/ann/friends/requests", {"externalPlayerId": name}, secret=ann)
        await server.sdk("POST", f"/{name}/friends/requests", {"externalPlayerId": "ann"}, secret=secret)
        body = {"externalPlayerId": name, "type": "currency", "resourceKey": "gold", "amount": 10}
        sent = await server.sdk("POST", "/ann/friends/gifts", body, secret=ann)
        assert sent.status == 201, sent
        found[name] = sent.json["data"]["gift"]["giftId"], secret
    return found


def test_it_is_refused_told_and_done(livecore: Command, url: str, tmp_path: Path) -> None:
    """A dry run says what stands in the way or would be given back; only the switch makes the change."""
    made = make_game(url)

    async def play() -> None:
        async with serving(tmp_path, game=made, database=url) as server:
            await _sent(server)

    asyncio.run(play())
    file = studio_file(tmp_path)
    rehearsed = livecore("apply", "--database", url, "--dry-run", file)
    told = rehearsed.out
    assert rehearsed.status == 1
    assert f"pending paid gifts that prevent another economyMode: {FRIENDS}\n" in told
    told = livecore.done("apply", "--database", url, "--dry-run", "--refund-pending-gifts", file).out
    assert f"pending paid gifts that would be given back first: {FRIENDS}\n" in told
    refused = livecore("apply", "--database", url, file)
    assert refused.status == 1
    assert refused.err.startswith(f"livecore: economyMode cannot change while {FRIENDS} paid gifts are pending")
    done = livecore.done("apply", "--database", url, "--refund-pending-gifts", file).out
    assert f"paid gifts that were given back: {FRIENDS}\n" in done
    assert livecore.done("apply", "--database", url, file).out == "no difference\n"
    livecore.done("check", "--database", url)


def test_claims_at_the_same_moment_and_refunds_exclude_each_other(livecore: Command, url: str, tmp_path: Path) -> None:
    """Each gift is claimed or given back, never both and never neither, and the gold is all there."""
    made = make_game(url)
    scope = Scope(made.game.game_id, "test")

    async def claim(server: Server, name: str, gift_id: str, secret: str) -> int:
        return (await server.sdk("POST", f"/{name}/friends/gifts/{gift_id}/claim", secret=secret)).status

    async def play() -> list[int]:
        async with serving(tmp_path, game=made, database=url) as server:
            sent = await _sent(server)
            applying = asyncio.to_thread(
                livecore.done, "apply", "--database", url, "--refund-pending-gifts", studio_file(tmp_path)
            )
            claims = (claim(server, name, *held) for name, held in sent.items())
            statuses, _ = await asyncio.gather(asyncio.gather(*claims), applying)
            return statuses

    statuses = asyncio.run(play())
    assert set(statuses) <= {200, 410}
    livecore.done("check", "--database", url)

    def gold(tx: Transaction) -> list[int]:
        players = [tx.find(BY_EXTERNAL_ID, name) for name in ("ann", *(f"friend{n}" for n in range(FRIENDS)))]
        held = [tx.get(HOLDINGS, player.player_id, "currency", "gold") for player in players if player is not None]
        return [row.amount for row in held if row is not None]

    with store_at(url) as store:
        anns, *others = store.read(scope, gold)
        mode = store.read(DIRECTORY, lambda tx: config_of(require_game(tx, made.game.game_id))).economy_mode
    assert (anns, others, mode) == (1_000 - 10 * statuses.count(200), [10] * statuses.count(200), "studio")
