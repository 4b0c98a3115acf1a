"""Tables of the store tests' own, with one of everything that a table can declare, and no more meaning than that."""

from __future__ import annotations

from typing import Literal

from livecore.kernel.storage.records import JsonText
from livecore.kernel.storage.tables import Table
from livecore.kernel.values import keyword_value as record


@record
class Hero:
    """Every kind of column, some of them nullable."""

    id: str
    name: str = "nobody"
    level: int = 0
    code: str | None = None
    realm: str = "home"
    seat: int | None = None
    guild: str | None = None
    seen_at: int | None = None
    rank: Literal["page", "knight"] = "page"
    active: bool = True
    famous: bool | None = None
    notes: JsonText | None = None


HEROES = Table("store_test_heroes", Hero, key=("id",))
BY_CODE = HEROES.unique("code")
BY_SEAT = HEROES.unique("realm", "seat")
BY_LEVEL = HEROES.index("by_level", order=("level",))
IN_GUILD = HEROES.index("in_guild", prefix=("guild",), order=("level", "name"))
BY_SEEN = HEROES.index("by_seen", prefix=("realm", "active"), order=("seen_at",))


@record
class Pair:
    """A key of two columns, the first of which is also the prefix of an index."""

    left: str
    right: str
    at: int = 0


PAIRS = Table("store_test_pairs", Pair, key=("left", "right"))
OF_LEFT = PAIRS.index("of_left", prefix=("left",), order=("at",))


@record
class Counter:
    """Found by its key alone; its columns are words of SQL."""

    key: str
    order: int = 0
    group: str = ""


COUNTERS = Table("store_test_counters", Counter, key=("key",))

STORE_TABLES = (HEROES, PAIRS, COUNTERS)
