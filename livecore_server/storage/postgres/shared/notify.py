"""Sends notices by NOTIFY, over a connection that has just committed.

They are sent after the commit and not in its transaction: with NOTIFY the server commits such transactions one after the
other, and an engine without NOTIFY would refuse the whole transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from livecore.kernel.storage.notices import Notice
from livecore_server.storage.notice_texts import texts_of
from livecore_server.storage.postgres.connections.pipeline import Fault, Lost, Statement, Wire
from livecore_server.storage.postgres.sql.text import encoded

MOST_TEXT_BYTES: Final = 7_500
"""PostgreSQL takes less than 8,000."""
LISTEN: Final = Statement(b"LISTEN livecore_notices")
_NOTIFY: Final = b"SELECT pg_notify('livecore_notices', $1)"


def notify(text: str) -> Statement:
    """The statement that sends a text to every listening process."""
    return Statement(_NOTIFY, (encoded(text),))


def tell_others(wire: Wire, source: str, notices: Sequence[Notice]) -> None:
    """Send notices over an idle connection; with an engine without NOTIFY they stay in this process."""
    with suppress(Fault, Lost):
        wire.ask([notify(text) for text in texts_of(source, notices, MOST_TEXT_BYTES)])
