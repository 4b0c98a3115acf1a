"""Finding and reading guilds, as a player.

A search without `q` lists the guilds that exist, newest first. With `q` it finds those with a word of the name that begins
with it, in the order of the names, as the search for players does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from livecore.guilds.guild import (
    NEWEST,
    SEATS,
    WORDS_BY_TEXT,
    Guild,
    Word,
    detail,
    guilds_by_id,
    require_enabled,
    require_guild,
    row_of_seat,
    rows,
)
from livecore.guilds.rows import GetOwnGuild, Guilds, OfGuild, OneGuildInDetail, OwnGuild, SearchGuilds
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.paging import pack, unpack
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.unit import Unit
from livecore.kernel.words import beginnings, sought
from livecore.players.player import acting

_END: Final = "\U0010ffff"
_NOTHING: Final = _END
"""What no name begins with: a query without two letters or digits finds nothing."""
_CHUNK: Final = 100
_LISTED: Final = 10_000
"""The most words that a list for the studio reads."""
_SCANNED: Final = 1_000
"""The most rows that one search reads; a page may be short because of it, and still have a next one."""


def get(unit: Unit, args: OfGuild) -> OneGuildInDetail:
    """A guild with its members, also one that was disbanded. Raises `GuildsDisabled`, `GuildNotFound`."""
    require_enabled(unit)
    return OneGuildInDetail(guild=detail(unit, require_guild(unit, args.guild_id)))


def get_own(unit: Unit, _: GetOwnGuild) -> OwnGuild:
    """The player's guild and role. Raises `GuildsDisabled`."""
    require_enabled(unit)
    held = unit.tx.get(SEATS, acting(unit).player_id)
    if held is None:
        return OwnGuild(guild=None, role=None)
    return OwnGuild(guild=row_of_seat(unit, held), role=held.role)


# -- searching ------------------------------------------------------------------------------------------------------------


def query_of(text: str | None) -> str | None:
    """The text to search for, or `None` where there is none. Raises `ValidationFailed` for a query of the wrong length."""
    if text is None:
        return None
    if not 2 <= len(text.strip()) <= 40:
        raise ValidationFailed({"q": "must have 2 to 40 characters"})
    return sought(text) or _NOTHING


def search(unit: Unit, args: SearchGuilds) -> Guilds:
    """Guilds that exist, of a join type and a country where these are given. Raises `GuildsDisabled`."""
    require_enabled(unit)
    query = query_of(args.q)

    def fits(guild: Guild) -> bool:
        return (
            guild.disbanded_at is None
            and args.join_type in (None, guild.join_type)
            and args.country in (None, guild.country)
        )

    if query is None:
        found, cursor = _page_of_newest(unit, args, fits)
    else:
        found, cursor = _page_by_words(unit, query, args, fits)
    return Guilds(guilds=rows(unit, found), next_cursor=None if cursor is None else pack(cursor))


def _page_of_newest(unit: Unit, args: SearchGuilds, fits: Callable[[Guild], bool]) -> tuple[list[Guild], Key | None]:
    found: list[Guild] = []
    before = _after_newest(args)
    for _ in range(_SCANNED // _CHUNK):
        chunk = unit.tx.scanned(_newest(before))
        for guild in chunk:
            if fits(guild):
                if len(found) == args.limit:
                    return found, before
                found.append(guild)
            before = NEWEST.position_of(guild)
        if len(chunk) < _CHUNK:
            return found, None
    return found, before


def _page_by_words(
    unit: Unit, query: str, args: SearchGuilds, fits: Callable[[Guild], bool]
) -> tuple[list[Guild], Key | None]:
    found: list[Guild] = []
    after = _after_word(args)
    for _ in range(_SCANNED // _CHUNK):
        words = unit.tx.scanned(_words(query, after))
        guilds = guilds_by_id(unit, (word.guild_id for word in words))
        for word in words:
            guild = guilds[word.guild_id]
            if fits(guild) and _is_first(guild, word, query):
                if len(found) == args.limit:
                    return found, after
                found.append(guild)
            after = (word.text, word.guild_id)
        if len(words) < _CHUNK:
            return found, None
    return found, after


def _is_first(guild: Guild, word: Word, query: str) -> bool:
    """Whether this is the first fitting word of the name: a guild is found once, also on several pages."""
    return word.text == min((text for text in beginnings(guild.name) if text.startswith(query)), default=None)


def with_words(unit: Unit, query: str) -> list[Guild]:
    """The guilds that exist with a word of the name that begins with the query."""
    words = unit.tx.scan(WORDS_BY_TEXT, start=(query,), stop=(query + _END,), limit=_LISTED)
    return list(guilds_by_id(unit, (word.guild_id for word in words)).values())


def is_named(guild: Guild, query: str) -> bool:
    """Whether a word of the name begins with the query."""
    return any(text.startswith(query) for text in beginnings(guild.name))


def _newest(before: Key | None) -> Scan[Guild]:
    return Scan(NEWEST, (), stop=before, reverse=True, limit=_CHUNK)


def _words(query: str, after: Key | None) -> Scan[Word]:
    # A cursor of another search gains nothing.
    beyond = after if after is not None and str(after[0]) >= query else None
    start = None if beyond else (query,)
    return Scan(WORDS_BY_TEXT, (), start=start, after=beyond, stop=(query + _END,), limit=_CHUNK)


def _after_newest(args: SearchGuilds) -> Key | None:
    return unpack(args.cursor, (int, str))


def _after_word(args: SearchGuilds) -> Key | None:
    return unpack(args.cursor, (str, str))
