"""Finding and reading guilds, as a player (contract, "Guilds")."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from tests.laws.area import Area, Operation, Pages, plainly
from tests.laws.areas.guilds import Guild, Guilds, is_detail, is_guild, key_of, require_enabled
from tests.laws.areas.players import is_shown_as, last_beat_shown
from tests.laws.drawing import Draw
from tests.laws.model_state import Call, Refused, Reply, newest_first
from tests.laws.routes import Body
from tests.laws.steps import Step


def fits(call: Call, guild: Guild) -> bool:
    """Whether a search with these arguments finds the guild."""
    if call["joinType"] not in {None, guild.join_type}:
        return False
    text = call["q"]
    if text is None:
        return True
    words = key_of(guild.name).split()
    return any(" ".join(words[place:]).startswith(text) for place in range(len(words)))


def _search(call: Call) -> Reply:
    """Guilds by a word of the name, or all."""
    require_enabled(call)
    expected = {guild.guild_id for guild in call.scope.part(Guilds).existing() if fits(call, guild)}

    def check(data: Body) -> None:
        assert sorted(row["guildId"] for row in data["guilds"]) == sorted(expected)
        for row in data["guilds"]:
            is_guild(row, call.scope.part(Guilds).by_id[row["guildId"]])
        if call["q"] is None:
            newest_first(row["createdAt"] for row in data["guilds"])

    return Reply(check=check)


def known(call: Call) -> Guild:
    """The guild of the path, also one that has ended."""
    guild = call.scope.part(Guilds).by_id.get(call["guildId"])
    if guild is None:
        raise Refused(404, "guild_not_found")
    return guild


def _get(call: Call) -> Reply:
    """A guild with its members, of whom a player sees as much as each of them shows."""
    require_enabled(call)
    guild = known(call)

    def check(data: Body) -> None:
        is_detail(data["guild"], guild)
        for row in data["guild"]["members"]:
            member = call.scope.players[row["externalPlayerId"]]
            last_beat_shown(call, row, member)
            is_shown_as(call, row["displayIdentity"], member)

    return Reply(check=check)


def _get_own(call: Call) -> Reply:
    """Guild and role."""
    require_enabled(call)
    return Reply(check=partial(is_own, call))


def is_own(call: Call, data: Body) -> None:
    """The answer shows the player's own guild and role."""
    found = call.scope.part(Guilds).of(call.player)
    assert data["role"] == (None if found is None else found[1].role)
    if found is None:
        assert data["guild"] is None
    else:
        is_guild(data["guild"], found[0])


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _sought(d: Draw) -> dict[str, Any]:
    asked: dict[str, Any] = {"q": d.of("owls", "night", "la", "day owls")} if d.one_in(2) else {}
    return {**asked, **({"joinType": d.of("open", "request")} if d.one_in(3) else {}), "limit": 200}


def _one_of_them(d: Draw) -> dict[str, Any]:
    return {"guildId": "gld_of_nobody" if d.one_in(5) else d.ref("guild")}


def _ill_formed(d: Draw) -> list[Step]:
    return [d.call("sdk:guilds.search", d.one(), q="x")]


# -- the area -------------------------------------------------------------------------------------------------------------


_ON_GUILD: Final = "guild_not_found"
_OFTEN: Final = "guilds_disabled"

AREA: Final = Area(
    operations=(
        Operation(
            "sdk:guilds.search",
            _search,
            faults=lambda call: call["q"] is not None and len(call["q"]) < 2,
            read_with=_sought,
            pages=Pages("guilds"),
            seldom=_OFTEN,
        ),
        Operation("sdk:guilds.get", _get, read_with=_one_of_them, refuses=_ON_GUILD, seldom=_OFTEN),
        Operation("sdk:guilds.getOwn", _get_own, read_with=plainly, seldom=_OFTEN),
    ),
    ill_formed=_ill_formed,
)
