"""Lobbies, the seats of players in them, and their bots.

    created ──▶ forming ──full, its time is over, pushed──▶ active ──window closes, session ends──▶ closed
                   └────────nobody came, everybody left───────────────────────────────────────────────▲

A seat is a player's, and so is a row of its own; a lobby counts its seats, so that it is never overfilled. A player sits in
at most one lobby of a window that is forming or active; seats in lobbies that are closed stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, cast

from livecore.kernel.ids import derived_id
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record

PromotionReason: TypeAlias = Literal["capacity", "timeout", "external_push"]
"""Why a lobby became active: it was full, the time to fill it was over, or the studio's backend made it."""
CloseReason: TypeAlias = Literal["window_ended", "session_ended", "unfilled", "emptied"]
"""Why a lobby was closed; nobody has played in one that was not filled or that everybody left."""


# -- records --------------------------------------------------------------------------------------------------------------


@record
class Lobby:
    """One lobby. `players` and `bots` count its seats.

    `key` is the push's own key. `match` stands for the values by which players are matched, and `slot` for which of several
    forming lobbies of a match it is; `match` is emptied when the lobby fills no more, because whoever guesses a value knows
    it by its hash. The scores of its bots follow from `seed` and from when it started. `frozen_at` is when its session ended
    early, because of the trigger whose label is `fired`.
    """

    lobby_id: str
    event_key: str
    event_id: str
    window_id: str
    board_id: str
    key: str | None = None
    match: str = ""
    slot: int = 0
    status: Literal["forming", "active", "closed"] = "forming"
    capacity: int
    players: int = 0
    bots: int = 0
    seed: str
    created_at: Millis
    fill_by: Millis | None = None
    started_at: Millis | None = None
    ends_at: Millis
    closed_at: Millis | None = None
    promotion_reason: PromotionReason | None = None
    frozen_at: Millis | None = None
    fired: str | None = None
    metadata: JsonText | None = None


@record
class Seat:
    """A player in a lobby; `number` counts those who were in it by then.

    `open_in` is the window as long as the lobby is not closed. So an index holds only open seats, and a player's is found
    however many others the player had in the window.
    """

    lobby_id: str
    player_id: PlayerId
    window_id: str
    open_in: str | None
    joined_at: Millis
    number: int


@record
class Bot:
    """A bot in a lobby; the first one has the number 0."""

    bot_id: str
    lobby_id: str
    number: int
    name: str
    avatar: str | None


LOBBIES = Table("lobbies", Lobby, key=("lobby_id",))
BY_KEY = LOBBIES.unique("event_key", "key")
FORMING = LOBBIES.index("forming", prefix=("window_id", "match", "status"), order=("slot", "created_at"))
LOBBIES_OF_WINDOW = LOBBIES.index("of_window", prefix=("window_id", "status"), order=("lobby_id",))

SEATS = Table(
    "lobby_seats",
    Seat,
    key=("lobby_id", "player_id"),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.RETAIN)},
    export=("lobbies", "seats"),
)
SEATS_OF_LOBBY = SEATS.index("of_lobby", prefix=("lobby_id",), order=("joined_at", "number"))
SEATS_OF_PLAYER = SEATS.index("of_player", prefix=("player_id",), order=("joined_at",))
OPEN_SEATS = SEATS.index("open", prefix=("player_id", "open_in"), order=("joined_at",))

BOTS = Table("lobby_bots", Bot, key=("bot_id",))
BOTS_OF_LOBBY = BOTS.index("of_lobby", prefix=("lobby_id",), order=("number",))

_BOT: Final = "bot"
BOT_PREFIX: Final = f"{_BOT}_"
"""With what the ids of bots begin."""


# -- rules ----------------------------------------------------------------------------------------------------------------


def bot_id_of(lobby: Lobby, number: int) -> str:
    """The id of a bot of a lobby; with it the bot stands on the lobby's board."""
    return derived_id(_BOT, lobby.created_at, lobby.lobby_id, str(number))


def metadata_of(lobby: Lobby) -> dict[str, object] | None:
    """What the studio's backend keeps with a lobby that it has made."""
    return None if lobby.metadata is None else cast("dict[str, object]", json.loads(lobby.metadata))


# -- operations -----------------------------------------------------------------------------------------------------------


def seats_of(unit: Unit, lobby_id: str) -> list[Seat]:
    """The seats of a lobby, in the order in which they were taken."""
    return unit.tx.scan(SEATS_OF_LOBBY, lobby_id)


def open_seat_read(player_id: str, window_id: str) -> Scan[Seat]:
    """The read of a player's seat in a lobby of a window that is forming or active; there is one at most."""
    return Scan(OPEN_SEATS, (player_id, window_id), limit=1)


def lobby_now(unit: Unit, lobby_id: str) -> Lobby:
    """A lobby that there is, as the unit sees it. Raises `LookupError`."""
    return lobbies_now(unit, (lobby_id,))[0]


def lobbies_now(unit: Unit, lobby_ids: Iterable[str]) -> list[Lobby]:
    """Several lobbies that there are. Raises `LookupError`."""
    return unit.tx.existing(LOBBIES, lobby_ids)
