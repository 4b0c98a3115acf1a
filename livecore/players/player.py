"""The player record: one row for each player of a game and environment, and the ways to find it.

The row holds identity, credentials (a hash only), country and platform, the session and streak counts and the last
heartbeat. The fields that change with every request are kept in the ephemeral state between flushes. `live` adds them to the
row, so every reader sees the current state (see `seen`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.refusals import PlayerNotFound
from livecore.players.rows import PresenceTo


@record
class Player:
    """One player of one game in one environment.

    A player who was merged into another, or erased, keeps an empty row under a placeholder, because other rows refer to it.
    `epoch` counts merges and erasure. A value in the ephemeral state from an earlier epoch is void.
    """

    player_id: PlayerId
    external_id: str
    pool_name: str
    pool_avatar: str | None = None
    first_seen_at: Millis
    name: str | None = None
    avatar: str | None = None
    country_override: str | None = None
    country_stated: str | None = None
    country_seen: str | None = None
    context: JsonText | None = None
    first_context: JsonText | None = None
    """The first context, once the client has stated another one; see `livecore.players.contexts`."""
    friend_code: str | None = None
    secret_hash: str | None = None
    secret_prefix: str | None = None
    registered_at: Millis | None = None
    secret_rotated_at: Millis | None = None
    last_seen_at: Millis
    platform: str | None = None
    app_version: str | None = None
    sessions: int = 0
    streak: int = 0
    best_streak: int = 0
    streak_day: int | None = None
    beat_at: Millis | None = None
    presence_status: str | None = None
    discoverable: bool | None = None
    """Whether searches and suggestions show the player; `None` is no choice, so the game's setting holds."""
    presence_to: PresenceTo | None = None
    """Who sees the player's presence; `None` is no choice."""
    ban_reason: str | None = None
    banned_at: Millis | None = None
    merged_into: PlayerId | None = None
    erased_at: Millis | None = None
    epoch: int = 0

    @property
    def country(self) -> str | None:
        """The operator's override, else the client's last statement, else the last one from a proxy or the offline file."""
        return self.country_override or self.country_stated or self.country_seen

    @property
    def gone(self) -> bool:
        """Whether the player was merged into another or erased."""
        return self.merged_into is not None or self.erased_at is not None

    @property
    def banned(self) -> bool:
        """Whether the player's writes are refused."""
        return self.banned_at is not None


PLAYERS = Table(
    "players",
    Player,
    key=("player_id",),
    players={
        "player_id": PlayerColumn(Merge.FOLD, Erase.ANONYMISE),
        "merged_into": PlayerColumn(Merge.REASSIGN, Erase.RETAIN),
    },
    export=("player", "countries", "contexts"),
)
BY_EXTERNAL_ID = PLAYERS.unique("external_id")
BY_FRIEND_CODE = PLAYERS.unique("friend_code")
MERGED_INTO = PLAYERS.index("merged_into", prefix=("merged_into",), order=("player_id",))
RECENTLY_SEEN = PLAYERS.index("recently_seen", order=("last_seen_at",))
FINDABLE = PLAYERS.index("findable", prefix=("discoverable",), order=("last_seen_at",))
"""Only the players who have chosen whether they are found."""
LABELLED = PLAYERS.index("labelled", order=("beat_at", "presence_status"))
"""Only players who have a presence label, by their last heartbeat."""


def find(unit: Unit, external_id: str) -> Player | None:
    """The player with the studio's id, as stored."""
    return unit.tx.find(BY_EXTERNAL_ID, external_id)


def require(unit: Unit, external_id: str) -> Player:
    """The player with the studio's id. Raises `PlayerNotFound`."""
    player = find(unit, external_id)
    if player is None:
        raise PlayerNotFound.of(external_id)
    return player


def by_id(unit: Unit, player_id: str) -> Player:
    """The player with the service's own id. The id is from another row, so the player must exist."""
    return present(unit.tx.get(PLAYERS, player_id))


def players_by_id(unit: Unit, player_ids: Iterable[str]) -> dict[str, Player]:
    """The players with these ids of the service's own, each by its id. The ids are from other rows, as for `by_id`."""
    rows = unit.tx.read_all(player_reads(dict.fromkeys(player_ids)))
    return {player.player_id: player for player in map(present, rows)}


def player_reads(player_ids: Iterable[str]) -> Iterator[Get[Player]]:
    """The reads of the players with these ids of the service's own."""
    return (Get(PLAYERS, (player_id,)) for player_id in player_ids)


def present(row: Player | None) -> Player:
    """The player of a row that another row names, so that it must exist."""
    if row is None:
        raise PlayerNotFound
    return row


def external_id_of(unit: Unit, player_id: str) -> str:
    """The studio's id of the player with the service's own id, by which rows name other players."""
    return by_id(unit, player_id).external_id


def acting(unit: Unit) -> Player:
    """The player whom the request's path names: on the client surface the caller, on the server surface the target."""
    if unit.player_id is None:
        raise PlayerNotFound if unit.external_id is None else PlayerNotFound.of(unit.external_id)
    return present(unit.tx.get(PLAYERS, unit.player_id))
