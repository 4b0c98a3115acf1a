"""The records of guilds, their members and open requests, and how rows of them are shown.

A player is in at most one guild of a scope: the player is the key of a seat. The stints are the history: one for each time
that somebody was in a guild, also while it lasts. A disbanded guild keeps its row and its history, and gives its name free.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from livecore.guilds.config import guilds_config
from livecore.guilds.refusals import GuildNotFound, GuildsDisabled, NotInGuild
from livecore.guilds.roles import ROLES
from livecore.guilds.rows import GuildDetail, GuildMember, GuildRow, JoinType, LeftReason, Role
from livecore.guilds.webhook_events import By
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.words import folded
from livecore.players.player import by_id
from livecore.social.others import counterparties, counterparty
from livecore.social.rows import Counterparty
from livecore.social.sight import Viewed, identity_shown, presence_shown, viewed_by_id

DisbandReason: TypeAlias = Literal["last_member_left", "admin"]


@record
class Guild:
    """A guild; `name_key` is the name as it is compared, and `listed_at` when it was founded, both only while it exists.

    `metadata_until` is when the metadata of a disbanded guild is removed, empty where there is none to remove.
    """

    guild_id: str
    name: str
    name_key: str | None
    description: str | None = None
    badge: str | None = None
    country: str | None = None
    join_type: JoinType
    metadata: JsonText | None = None
    member_count: int
    created_at: Millis
    listed_at: Millis | None
    disbanded_at: Millis | None = None
    disbanded_for: DisbandReason | None = None
    metadata_until: Millis | None = None


@record
class Seat:
    """A player's place in a guild.

    `role_since` is when the player got the present role, and `away_at` when they were last replaced as a leader who was
    away.
    """

    player_id: PlayerId
    guild_id: str
    role: Role
    joined_at: Millis
    role_since: Millis
    away_at: Millis | None = None
    stint_id: str


@record
class Stint:
    """One time that a player was in a guild, with the last role in it."""

    stint_id: str
    player_id: PlayerId
    guild_id: str
    role: Role
    joined_at: Millis
    left_at: Millis | None = None
    left_reason: LeftReason | None = None


@record
class Word:
    """The end of a folded name from one of its words on, by which a guild is found."""

    guild_id: str
    text: str


GUILDS = Table("guilds", Guild, key=("guild_id",))
BY_NAME = GUILDS.unique("name_key")
NEWEST = GUILDS.index("newest", order=("listed_at",))
"""Only the guilds that exist."""
NEWEST_OF_ALL = GUILDS.index("newest_of_all", order=("created_at",))
METADATA_UNTIL = GUILDS.index("metadata_until", order=("metadata_until",))
"""Only the disbanded guilds that have metadata."""

SEATS = Table(
    "guild_seats",
    Seat,
    key=("player_id",),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export="guildHistory",
)
MEMBERS_BY_ROLE = SEATS.index("by_role", prefix=("guild_id", "role"), order=("joined_at",))

STINTS = Table(
    "guild_stints",
    Stint,
    key=("stint_id",),
    players={"player_id": PlayerColumn(Merge.REASSIGN, Erase.RETAIN)},
    export=("guilds", "guildHistory"),
)
STINTS_OF_PLAYER = STINTS.index("of_player", prefix=("player_id",), order=("joined_at",))
STINTS_OF_GUILD = STINTS.index("of_guild", prefix=("guild_id",), order=("joined_at",))

WORDS = Table("guild_words", Word, key=("guild_id", "text"))
WORDS_OF_GUILD = WORDS.index("of_guild", prefix=("guild_id",), order=("text",))
WORDS_BY_TEXT = WORDS.index("by_text", order=("text",))


# -- rules ----------------------------------------------------------------------------------------------------------------


def name_key(name: str) -> str:
    """A name as it is compared with others: by its words, or, without letters and digits, by what is visible of it."""
    return folded(name) or "".join(
        [character for character in unicodedata.normalize("NFKC", name) if unicodedata.category(character)[0] in "LNPS"]
    )


def require_enabled(unit: Unit) -> None:
    """Raises `GuildsDisabled`."""
    if not guilds_config(unit).guilds.enabled:
        raise GuildsDisabled


def require_guild(unit: Unit, guild_id: str) -> Guild:
    """The guild with this id, also a disbanded one. Raises `GuildNotFound`."""
    return _found(unit.tx.get(GUILDS, guild_id), guild_id)


def guilds_by_id(unit: Unit, guild_ids: Iterable[str]) -> dict[str, Guild]:
    """The guilds with these ids, also disbanded ones, each by its id, read in one call. Raises `GuildNotFound`."""
    ids = list(dict.fromkeys(guild_ids))
    found = unit.tx.read_all(Get(GUILDS, (guild_id,)) for guild_id in ids)
    return {guild_id: _found(guild, guild_id) for guild_id, guild in zip(ids, found, strict=True)}


def _found(guild: Guild | None, guild_id: str) -> Guild:
    if guild is None:
        raise GuildNotFound.of(guild_id)
    return guild


def guild_of(unit: Unit, seat: Seat) -> Guild:
    """The guild of a seat."""
    return require_guild(unit, seat.guild_id)


def require_seat(unit: Unit, player_id: str) -> Seat:
    """The player's seat. Raises `NotInGuild`."""
    seat = unit.tx.get(SEATS, player_id)
    if seat is None:
        raise NotInGuild
    return seat


_SYSTEM: Final = By.system()


def acting_by(unit: Unit) -> By:
    """Who acts, as the events name it."""
    actor = unit.actor
    if actor.kind == "player":
        return By.player(actor.ref, by_id(unit, actor.ref).external_id)
    if actor.kind == "api_key":
        return By.api_key(actor.ref)
    return By.member(actor.ref) if actor.kind == "member" else _SYSTEM


# -- members --------------------------------------------------------------------------------------------------------------


def member_scans(guild_id: str) -> list[Scan[Seat]]:
    """The scans that find the members of a guild, one for each role in the order of lists, the leader's first."""
    return [Scan(MEMBERS_BY_ROLE, (guild_id, role)) for role in ROLES]


def seats_of(unit: Unit, guild_id: str) -> list[Seat]:
    """The members of a guild in the order of lists, in which they also follow a leader."""
    return unit.tx.scan_all(member_scans(guild_id))


def leader_of(unit: Unit, guild_id: str) -> Seat | None:
    """The leader's seat; a guild that exists has one."""
    return next(iter(unit.tx.scanned(_leader(guild_id))), None)


def _leader(guild_id: str) -> Scan[Seat]:
    return Scan(MEMBERS_BY_ROLE, (guild_id, "leader"))


# -- rows -----------------------------------------------------------------------------------------------------------------


def rows(unit: Unit, guilds: Sequence[Guild]) -> tuple[GuildRow, ...]:
    """Several guilds as lists show them."""
    found = unit.tx.read_all(_leader(guild.guild_id) for guild in guilds)
    return _rows(unit, [(guild, next(iter(seats), None)) for guild, seats in zip(guilds, found, strict=True)])


def row(unit: Unit, guild: Guild) -> GuildRow:
    """A guild as lists show it."""
    return _rows(unit, [(guild, leader_of(unit, guild.guild_id))])[0]


def row_led_by(unit: Unit, guild: Guild, leader: Seat | None) -> GuildRow:
    """A guild as lists show it, whose leader's seat was read before."""
    return _rows(unit, [(guild, leader)])[0]


def row_of_seat(unit: Unit, seat: Seat) -> GuildRow:
    """The guild of a seat as lists show it."""
    guild, leaders = unit.tx.read_together(Get(GUILDS, (seat.guild_id,)), _leader(seat.guild_id))
    return _rows(unit, [(_found(guild, seat.guild_id), next(iter(leaders), None))])[0]


def _rows(unit: Unit, guilds: Sequence[tuple[Guild, Seat | None]]) -> tuple[GuildRow, ...]:
    """Guilds, each with its leader's seat."""
    shown = counterparties(unit, (leader.player_id for _, leader in guilds if leader is not None))
    return tuple(
        GuildRow(**_fields(unit, guild, None if leader is None else shown[leader.player_id]))
        for guild, leader in guilds
    )


def detail(unit: Unit, guild: Guild) -> GuildDetail:
    """A guild with its members."""
    seats = seats_of(unit, guild.guild_id)
    return detail_of(unit, guild, seats, viewed_by_id(unit, (seat.player_id for seat in seats), presence=True))


def detail_of(unit: Unit, guild: Guild, seats: Sequence[Seat], viewed: Mapping[str, Viewed]) -> GuildDetail:
    """A guild with its members, whose seats are given in the order of lists."""
    leader = next((seat for seat in seats if seat.role == "leader"), None)
    shown = None
    if leader is not None:
        player, friend = viewed[leader.player_id]
        shown = counterparty(unit, player, friend=friend)
    members = tuple(_member(unit, seat, viewed[seat.player_id]) for seat in seats)
    return GuildDetail(**_fields(unit, guild, shown), members=members)


def _fields(unit: Unit, guild: Guild, leader: Counterparty | None) -> dict[str, Any]:
    return {
        "guild_id": guild.guild_id,
        "name": guild.name,
        "description": guild.description,
        "badge": guild.badge,
        "country": guild.country,
        "join_type": guild.join_type,
        "metadata": None if guild.metadata is None else json.loads(guild.metadata),
        "member_count": guild.member_count,
        "max_members": guilds_config(unit).guilds.max_members,
        "leader": leader,
        "created_at": Timestamp(guild.created_at),
        "disbanded_at": stamp(guild.disbanded_at),
    }


def _member(unit: Unit, seat: Seat, viewed: Viewed) -> GuildMember:
    player, friend = viewed
    return GuildMember(
        external_player_id=player.external_id,
        display_identity=identity_shown(unit, player, friend=friend),
        role=seat.role,
        joined_at=Timestamp(seat.joined_at),
        last_active_at=presence_shown(unit, player, friend=friend).last_active_at,
    )
