"""What the studio's backend reads of guilds and does with them, as the specification and the wire contract show it."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from tests.contract.expected import KEY, NOON, Area, Route, ServerCall, for_operators
from tests.contract.operations.guilds import DETAIL, GUILD, OWN, REQUEST
from tests.contract.stories import MARK, Life, Step, Walk
from tests.worlds import ask

# -- samples --------------------------------------------------------------------------------------------------------------

_STINT: Final[JsonObject] = {"role": "member", "joinedAt": NOON, "leftAt": NOON, "leftReason": "kicked"}
_FULL: Final[JsonObject] = {
    **DETAIL, "requests": [REQUEST], "history": [{"externalPlayerId": "bea", **_STINT}],
}  # fmt: skip
# -- operations -----------------------------------------------------------------------------------------------------------

_ASKED: Final = "description? badge? country? joinType? metadata?"
_AT: Final = {"guildId": "gld_1"}
_SERVER: Final = (
    Route(
        "server", "guilds.list", "GET /guilds",
        below="",
        asks="q? player? includeDisbanded? limit? offset?",
        answers="guilds:guild[] total limit offset",
        calls=(
            ServerCall(
                lambda c: c.guilds.list(q="owl", player="anna", include_disbanded=True, limit=5, offset=10),
                {"guilds": [GUILD], "total": 11, "limit": 5, "offset": 10},
                query={"q": "owl", "player": "anna", "includeDisbanded": "true", "limit": "5", "offset": "10"},
            ),
        ),
    ),
    Route(
        "server", "guilds.get", "GET /guilds/{guildId}",
        below="",
        asks="guildId",
        answers="guild:guildForServer",
        refusals="guild_not_found",
        calls=(ServerCall(lambda c: c.guilds.get("gld_1"), {"guild": _FULL}, at=_AT),),
    ),
    Route(
        "server", "guilds.update", "PATCH /guilds/{guildId}",
        below="",
        asks=f"guildId name? {_ASKED} {KEY}",
        answers="guild:guildForServer",
        refusals="guild_not_found guild_name_taken",
        calls=(
            ServerCall(
                lambda c: c.guilds.update("gld_1", name="As it should be"),
                {"guild": _FULL},
                at=_AT, body={"name": "As it should be"},
            ),
        ),
    ),
    Route(
        "server", "guilds.removeMember", "POST /guilds/{guildId}/members/{memberExternalId}/remove",
        below="",
        asks=f"guildId memberExternalId {KEY}",
        answers="removed guild:guildForServer",
        refusals="guild_not_found guild_member_not_found",
        calls=(
            ServerCall(
                lambda c: c.guilds.remove_member("gld_1", "bea"),
                {"removed": True, "guild": _FULL},
                at={**_AT, **OWN},
            ),
        ),
    ),
    Route(
        "server", "guilds.transfer", "POST /guilds/{guildId}/leader",
        below="",
        asks=f"guildId externalPlayerId {KEY}",
        answers="guild:guildForServer",
        refusals="guild_not_found guild_member_not_found guild_role_conflict",
        body={"externalPlayerId": "friend"},
        calls=(
            ServerCall(
                lambda c: c.guilds.transfer("gld_1", "bea"),
                {"guild": _FULL},
                at=_AT, body={"externalPlayerId": "bea"},
            ),
        ),
    ),
    Route(
        "server", "guilds.disband", "POST /guilds/{guildId}/disband",
        below="",
        asks=f"guildId {KEY}",
        answers="guild:guildForServer",
        refusals="guild_not_found",
        calls=(ServerCall(lambda c: c.guilds.disband("gld_1"), {"guild": _FULL}, at=_AT),),
    ),
    Route(
        "server", "guilds.getOfPlayer", "GET /guild",
        answers="guild:guild role stints:stintInGuild[]",
        refusals="player_not_found",
        calls=(
            ServerCall(
                lambda c: c.guilds.get_of_player("anna"),
                {"guild": None, "role": None, "stints": [{"guildId": "gld_1", "guildName": "Night Owls", **_STINT}]},
            ),
        ),
    ),
)  # fmt: skip

_ADMIN: Final = tuple(for_operators(route, "guild.moderate" if route.writes else "guild.read") for route in _SERVER)

# -- the walk -------------------------------------------------------------------------------------------------------------


def _look(walk: Walk) -> None:
    walk.ask(walk.server, "guilds.list", player="anna")
    for name in ("carl", "anna"):
        walk.ask(walk.server, "guilds.getOfPlayer", external_id=name)


def _moderate(walk: Walk) -> None:
    """Anna leads again, and leaves; bert follows, whose guild the studio renames, and ends after carl is removed."""
    guild_id = ask(walk.player("anna"), "guilds.getOwn").text("guild.guildId")
    of_guild = {"guild_id": guild_id}
    ask(walk.player("carl"), "guilds.join", **of_guild)
    walk.ask(walk.server, "guilds.transfer", external_player_id="anna", **of_guild)
    walk.ask(walk.player("anna"), "guilds.leave")
    walk.ask(walk.server, "guilds.update", name="Day Owls", **of_guild)
    walk.ask(walk.server, "guilds.removeMember", member_external_id="carl", **of_guild)
    walk.ask(walk.server, "guilds.get", **of_guild)
    for _ in range(2):
        walk.ask(walk.server, "guilds.disband", **of_guild)


_WALK: Final = (
    Step("look", _look),
    # carl joins; the lead goes to anna and back; anna leaves, carl is removed, and bert leaves with the guild
    Step("part", _moderate, {
        "guild.member_joined": 1, "guild.role_changed": 3, "guild.member_left": 3, "guild.updated": 1,
        "guild.disbanded": 1,
    }),
)  # fmt: skip

# -- the marked life ------------------------------------------------------------------------------------------------------


def _moderate_marked(life: Life) -> None:
    """The marked player's own guild gets another member, who leads it for a while; it ends without them.

    Another one, of which they are the only member, has the marker in all of its texts, also after its end.
    """
    of_guild = {"guild_id": ask(life.marked, "guilds.getOwn").text("guild.guildId")}
    life.ask(life.friend, "guilds.leave")
    life.ask(life.friend, "guilds.join", **of_guild)
    life.ask(life.server, "guilds.list", player=MARK)
    ask(life.server, "guilds.transfer", external_player_id=life.friend.external_id, **of_guild)
    life.ask(life.server, "guilds.transfer", external_player_id=MARK, **of_guild)
    life.ask(life.server, "guilds.update", country="SE", **of_guild)
    life.ask(life.server, "guilds.removeMember", member_external_id=MARK, **of_guild)
    life.ask(life.server, "guilds.disband", **of_guild)
    life.friend.world.advance(minutes=1)  # since the friend founded another one
    larks = ask(life.friend, "guilds.create", name="Larks", join_type="request").text("guild.guildId")
    texts = {"name": MARK, "description": MARK, "badge": MARK, "metadata": {MARK: MARK}}
    alone = {"guild_id": life.ask(life.marked, "guilds.create", **texts).text("guild.guildId")}
    life.ask(life.marked, "guilds.update", **{**texts, "name": f"{MARK} again"})
    life.ask(life.server, "guilds.update", **alone, **texts)
    life.ask(life.marked, "guilds.leave")
    life.ask(life.server, "guilds.update", **alone, **{**texts, "name": f"{MARK} after all"})
    life.ask(life.marked, "guilds.join", guild_id=larks, message=MARK)


AREA: Final = Area(
    routes=(*_SERVER, *_ADMIN),
    rows={
        "guildForServer": (
            "guildId name description badge country joinType metadata memberCount maxMembers leader:counterparty createdAt "
            "disbandedAt members:guildMember[] requests:joinRequest[] history:stintOfMember[]"
        ),
        "stintOfMember": "externalPlayerId role joinedAt leftAt leftReason",
        "stintInGuild": "guildId guildName role joinedAt leftAt leftReason",
    },
    walk=_WALK,
    marked=(Step("look", _moderate_marked),),
)
