"""What the examples in docstrings presume: for each, by its place, the lines that give it its names.

A place is the file, the name of the class or function unless it is the module, and which example it is unless the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_UNIT: Final = """
from collections.abc import Callable
from functools import partial
from typing import TypeVar
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.units.unit import Unit
from tests.webhooks.desk import opened

T = TypeVar("T")

def run_unit(work: Callable[[Unit], T]) -> T:
    return opened(MemoryStore()).unit(work)
"""
"""`run_unit` runs work in a unit of a game in memory."""
_RANKED: Final = """
from livecore.leaderboards.ranking.replica import LiveRanking
from livecore.kernel.storage.notices import Inbox, Notices
from livecore.leaderboards.ranking.order import Place, Ranking
from livecore.leaderboards.ranking.view import RankingView, Versioned
from livecore.kernel.scope import Scope

first_revision, reached_at, now, topic, scope = 1, 5, 5, "board:brd_1", Scope("gam_1", "test")
notices, inbox, live = Notices(), Inbox(most=10), LiveRanking(1)
place = Place(-1_100, reached_at, "plr_1")
rows = [Versioned("plr_1", 7, place)]

def place_of(row: Versioned) -> Place:
    assert row.place is not None
    return row.place
"""
"""A ranking in memory, what it follows, and a row of it."""
_SQLITE: Final = """
from collections.abc import Iterator
from livecore.access.directory import GAMES
from livecore.kernel.scope import DIRECTORY as scope
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.sqlite import SqliteStore

store = SqliteStore("example.db")

def work(tx: Transaction) -> int:
    return 1

def advance(rows: int) -> None:
    pass
"""
"""A store in a new file, and its directory as the scope."""
_CLIENT: Final = """
from livecore_client import {flavour}SdkClient

client = {flavour}SdkClient(
    base_url="http://game.local", api_key="lc_test_client_a", external_player_id="anna", player_secret="lcs_b"
)
leaderboard_id = "lbd_1"
"""
"""The client of a game."""
_LIMITED: Final = """
import httpx
from livecore_client import {flavour}SdkClient, NO_RETRIES

client = {flavour}SdkClient(
    base_url="http://game.local", api_key="lc_test_client_a", external_player_id="anna", player_secret="lcs_b",
    transport=httpx.MockTransport(lambda _: httpx.Response(200, json={{"data": {{"balances": []}}}})),
)
"""
"""A client whose server knows an empty wallet."""
_RECEIVER: Final = """
import json
import time
from livecore.kernel.wire import encode
from tests.samples import sample
from livecore_client import webhooks

secret = "whsec_sample"
request_body = json.dumps({
    "id": "evt_1", "eventName": "gift.claimed", "studioId": "std_1", "gameId": "gam_1",
    "occurredAt": "2026-01-31T09:00:00.000Z", "deliveryAttempt": 1, "data": encode(sample("gift.claimed")),
}).encode()

class Request:
    headers = {"X-Signature": webhooks.sign([secret], int(time.time()), request_body), "X-Svc-Webhook-Test": "1"}

request = Request()
"""
"""The request that a receiver of webhooks gets."""

CONTEXTS: Final[Mapping[str, str]] = {
    "livecore/api/clock_rollback.py:": _UNIT + "from livecore.api.clock_rollback import bring_forward",
    "livecore/api/openapi.py:": "from livecore.api.openapi import document",
    "livecore/api/assistants/tools.py:": """
        from livecore.api.requests.http import Request
        from livecore.api.operations import OPERATIONS
        from livecore.api.assistants.tools import request_for, tools_of

        request = Request("POST", "/mcp", "", {"authorization": "Bearer svc_pk_a"})
    """,
    "livecore/kernel/declarations/area.py:": """
        from livecore.kernel.declarations.area import Area, refusals_in
        from livecore.social import refusals
        from livecore.economy.grants import EXPIRE
        from livecore.social.claims import expire_due
        from livecore.social.gifts import GIFTS
        from livecore.social.relations import RELATIONS
    """,
    "livecore/kernel/wire/config.py:": """
        from livecore.commerce.config import PurchaseLimits
        from livecore.kernel.wire.config import Config, section
    """,
    "livecore/kernel/declarations/jobs.py:": """
        from livecore.api.requests.idempotency import BY_EXPIRY
        from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
        from livecore.kernel.time import next_hour
        from livecore.kernel.units.unit import Unit
    """,
    "livecore/leaderboards/ranking/replica.py:": _RANKED,
    "livecore/kernel/storage/notices.py:": _RANKED + _UNIT + "unit = run_unit(lambda unit: unit)",
    "livecore/kernel/declarations/player_lifecycle.py:": """
        from livecore.economy.ledger import HOLDINGS
        from livecore.kernel.declarations.area import Area
        from livecore.kernel.declarations.player_lifecycle import Erasing, Export, Exported, Merging, Slice
        from livecore.kernel.storage.records import PlayerId
        from livecore.kernel.units.unit import Unit
        from livecore.social.gifts import GIFTS
        from livecore.social.rows import ExportedGift
    """,
    "livecore/leaderboards/ranking/order.py:": _RANKED,
    "livecore/leaderboards/ranking/records.py:": """
        from livecore.leaderboards.ranking.order import Place, pack
        from livecore.leaderboards.ranking.records import SCORE_BYTES, Numbers, Records

        entry, version = pack(Place(-1_200, 5, "plr_1")), 1
    """,
    "livecore/leaderboards/ranking/view.py:": _RANKED,
    "livecore/leaderboards/ranking/rankings.py:": _RANKED
    + _UNIT
    + """
from livecore.leaderboards.ranking.rankings import rankings_of
from tests.kernel.boards_in_memory import Rows

SOURCE = Rows()
unit = run_unit(lambda unit: unit)
""",
    "livecore/leaderboards/ranking/rankings.py::2": """
        from collections.abc import Callable
        from typing import TypeVar
        from livecore.kernel.storage.memory import MemoryStore
        from livecore.kernel.storage.notices import Notices
        from livecore.leaderboards.ranking.rankings import Rankings
        from livecore.kernel.scope import Scope
        from livecore.kernel.storage.store import Transaction
        from tests.kernel.boards_in_memory import Rows

        T = TypeVar("T")

        class Executor:
            async def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
                return MemoryStore().read(scope, work)

        executor, rankings = Executor(), Rankings(Notices())
        rankings.find(Scope("gam_1", "test"), "lbd_1", Rows())
    """,
    "livecore/kernel/wire/schema.py:": """
        from livecore.kernel.wire.schema import Schemas
        from livecore.social.gift_rows import GiftRow, SendGift
    """,
    "livecore/kernel/wire/shapes.py:": """
        from typing import Annotated
        from livecore.kernel.wire.shapes import Int, Text
        from livecore.kernel.values import keyword_value as shape
    """,
    "livecore/kernel/storage/tables.py:": """
        from livecore.economy.ledger import Holding
        from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
        from livecore.players.player import Player

        PLAYERS = Table("players_shown", Player, key=("player_id",), players={}, export=())
    """,
    "livecore/kernel/declarations/timeline.py:": """
        from collections.abc import Sequence

        from livecore.events.attempt_records import OF_PLAYER_BY_STATUS, Attempt
        from livecore.kernel.declarations.area import Area
        from livecore.kernel.errors import JsonObject
        from livecore.kernel.declarations.timeline import TimelineSource, Track
        from livecore.kernel.units.unit import Unit

        def _shown(unit: Unit, attempt: Attempt, found: Sequence[object]) -> JsonObject:
            return {}
    """,
    "livecore/webhooks/history.py:": _UNIT
    + """
from livecore.webhooks.history import DeliveryFilter, replay_step

wanted = DeliveryFilter(before=1)
""",
    "livecore/world/game.py:": """
        from livecore.world import World
        from typing import Any
        from tests.client.local import CONFIG

        config: Any = CONFIG
    """,
    "livecore_server/operations/check.py:": _SQLITE
    + """
from livecore_server.operations.check import check

scopes = [scope]
""",
    "livecore_server/storage/postgres/connections/pipeline.py:": """
        from typing import cast
        from unittest.mock import create_autospec
        from livecore_server.storage.postgres.connections.pipeline import Statement, Wire

        connected = create_autospec(Wire, instance=True)
        connected.ask.return_value = ["rows", "none"]
        wire = cast(Wire, connected)
    """,
    "livecore_server/storage/sqlite/group_commit.py:": _SQLITE,
    "livecore_server/storage/sqlite/group_commit.py::2": _SQLITE
    + """
group = store.group_commit()
writes = group.transaction(scope).writes()
group.commit()
""",
    "livecore_client/_async/beating.py:beating": _CLIENT.format(flavour="Async"),
    "livecore_client/_async/following.py:stream": _CLIENT.format(flavour="Async"),
    "livecore_client/_async/opened.py:with_options": _LIMITED.format(flavour="Async"),
    "livecore_client/_sync/opened.py:with_options": _LIMITED.format(flavour=""),
    "livecore_client/_sync/beating.py:beating": _CLIENT.format(flavour=""),
    "livecore_client/_sync/following.py:stream": _CLIENT.format(flavour=""),
    "livecore_client/_async/sdk.py:AsyncSdkClient": "from livecore_client import AsyncSdkClient",
    "livecore_client/_async/server.py:AsyncServerClient": "from livecore_client import AsyncServerClient",
    "livecore_client/_sync/sdk.py:SdkClient": "from livecore_client import SdkClient",
    "livecore_client/_sync/server.py:ServerClient": "from livecore_client import ServerClient",
    "livecore_client/local.py:": """
        from livecore.world import World
        from livecore_client import LocalTransport, SdkClient
        from typing import Any
        from tests.client.local import CONFIG

        config: Any = CONFIG
    """,
    "livecore_client/webhooks.py:": _RECEIVER,
    "livecore_client/webhooks.py:is_sample": _RECEIVER,
}
