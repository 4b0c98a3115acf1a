"""The throw-away area's rows of the table of operations."""

from __future__ import annotations

from typing import Final

from livecore.api.table.operation import Operation
from livecore.api.table.player_routes import SDK
from tests.contract.throw_away import guestbook, rows

OPERATIONS: Final[tuple[Operation, ...]] = (
    SDK.write(
        "guestbook.sign",
        "POST /guestbook",
        rows.Sign,
        {200: rows.Signed},
        guestbook.sign,
        guestbook.GuestbookFull,
        summary="Sign the guestbook.",
        examples={200: {rows.GuestbookRow: {"message": "Hello.", "signatures": 1}}},
    ),
)
