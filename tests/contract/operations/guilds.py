"""Guilds, as the wire contract shows them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from livecore.world import WorldPlayer
from tests.contract.expected import KEY, NOON, PAGE, Area, Route, SdkCall
from tests.contract.operations.friends import COUNTERPARTY
from tests.contract.operations.players import IDENTITY
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk
from tests.worlds import ask, give

# -- samples --------------------------------------------------------------------------------------------------------------

_PROFILE: Final[JsonObject] = {
    "name": "Night Owls", "description": "We play late.", "badge": "owl", "country": "SE", "joinType": "request",
    "metadata": {"level": 3},
}  # fmt: skip
GUILD: Final[JsonObject] = {
    "guildId": "gld_1", **_PROFILE, "memberCount": 2, "maxMembers": 50, "leader": COUNTERPARTY, "createdAt": NOON,
    "disbandedAt": None,
}  # fmt: skip
DETAIL: Final[JsonObject] = {
    **GUILD,
    "members": [
        {
            "externalPlayerId": "bea", "displayIdentity": IDENTITY, "role": "leader", "joinedAt": NOON,
            "lastActiveAt": None,
        }
    ],
}  # fmt: skip
REQUEST: Final[JsonObject] = {
    "requestId": "grq_1", "direction": "outgoing", "guildId": "gld_1", "player": COUNTERPARTY, "message": "Hi",
    "createdAt": NOON,
}  # fmt: skip
_HELP: Final[JsonObject] = {
    "requestId": "ghr_1", "player": COUNTERPARTY, "type": "item", "resourceKey": "potion", "amount": 5, "received": 2,
    "status": "open", "createdAt": NOON, "expiresAt": NOON,
}  # fmt: skip
_DONATION: Final[JsonObject] = {
    "donationId": "gdn_1", "amount": 2, "filled": False, "grantId": "0190-1", "rewardGrantId": None,
}  # fmt: skip

# -- operations -----------------------------------------------------------------------------------------------------------

_ASKED: Final = "description? badge? country? joinType? metadata?"
_LEADS: Final = "guilds_disabled not_in_guild guild_role_required"
_MEMBER: Final = f"player_banned {_LEADS} guild_member_not_found guild_role_conflict"
OWN: Final = {"memberExternalId": "bea"}


def _guild_of(scene: Scene) -> str:
    """The scene's guild, which `me` leads, and whose member `friend` is."""
    if "guildId" not in scene.variables:
        founded = ask(scene.me, "guilds.create", name="The scene")
        scene.variables["guildId"] = founded.text("guild.guildId")
        ask(scene.friend, "guilds.join", guild_id=scene.variables["guildId"])
        ask(scene.me, "guilds.update", join_type="request")
    return scene.variables["guildId"]


def _asks(scene: Scene) -> str:
    """A request of the third player to join."""
    third = scene.world.player("third")
    return ask(third, "guilds.join", guild_id=_guild_of(scene)).text("request.requestId")


def _needs_help(scene: Scene) -> str:
    """A request of the friend for help."""
    _guild_of(scene)
    asked = ask(scene.friend, "guilds.requestHelp", type="currency", resource_key="gold", amount=10)
    return asked.text("request.requestId")


def _leave(scene: Scene) -> None:
    """Be in no guild."""
    ask(scene.me, "guilds.leave")


def _leave_and_wait(scene: Scene) -> None:
    """Be in no guild, and have founded none lately."""
    _leave(scene)
    scene.world.advance(minutes=1)


def _leave_it_open(scene: Scene) -> None:
    """Leave a guild that anybody may join."""
    _leave(scene)
    ask(scene.friend, "guilds.update", join_type="open")


def _ask_to_return(scene: Scene) -> None:
    """Leave the guild, and ask to join it again."""
    _leave(scene)
    asked = ask(scene.me, "guilds.join", guild_id=scene.variables["guildId"])
    scene.variables["sdk:guilds.cancelRequest requestId"] = asked.text("request.requestId")


def _promote(scene: Scene) -> None:
    """Have a co-leader."""
    ask(scene.me, "guilds.promote", member_external_id="friend")


def _request(code: str | None = None) -> dict[str, Thing]:
    return {"requestId": Thing(_asks, code)}


_SDK: Final = (
    Route(
        "sdk", "guilds.search", "GET /guilds",
        asks=f"q? joinType? country? {PAGE}",
        answers="guilds:guild[] nextCursor",
        refusals="guilds_disabled",
        calls=(
            SdkCall(
                lambda c: c.guilds.search(q="owl", join_type="open", country="SE", limit=5),
                {"guilds": [GUILD], "nextCursor": None},
                query={"q": "owl", "joinType": "open", "country": "SE", "limit": "5"},
            ),
        ),
    ),
    Route(
        "sdk", "guilds.get", "GET /guilds/{guildId}",
        asks="guildId",
        answers="guild:guildDetail",
        refusals="guilds_disabled guild_not_found",
        calls=(SdkCall(lambda c: c.guilds.get("gld_1"), {"guild": DETAIL}, at={"guildId": "gld_1"}),),
    ),
    Route(
        "sdk", "guilds.getOwn", "GET /guild",
        answers="guild:guild role",
        refusals="guilds_disabled",
        calls=(
            SdkCall(lambda c: c.guilds.get_own(), {"guild": GUILD, "role": "co_leader"}),
            SdkCall(lambda c: c.guilds.get_own(), {"guild": None, "role": None}, note="none"),
        ),
    ),
    Route(
        "sdk", "guilds.create", "POST /guild",
        statuses=(201,),
        asks=f"name {_ASKED} {KEY}",
        answers="guild:guild",
        refusals=(
            "player_banned guilds_disabled guild_name_rejected already_in_guild guild_cooldown guild_name_taken "
            "insufficient_balance storage_limit_reached"
        ),
        ready=_leave_and_wait,
        calls=(
            SdkCall(
                lambda c: c.guilds.create(
                    name="Night Owls", description="We play late.", badge="owl", country="SE", join_type="request",
                    metadata={"level": 3},
                ),
                {"guild": GUILD},
                body=_PROFILE,
            ),
        ),
    ),
    Route(
        "sdk", "guilds.update", "PATCH /guild",
        asks=f"name? {_ASKED} {KEY}",
        answers="guild:guild",
        refusals=f"player_banned {_LEADS} guild_name_rejected guild_name_taken storage_limit_reached",
        calls=(
            SdkCall(
                lambda c: c.guilds.update(description=None, join_type="open"),
                {"guild": GUILD},
                body={"description": None, "joinType": "open"},
            ),
        ),
    ),
    Route(
        "sdk", "guilds.join", "POST /guild/join",
        statuses=(200, 201),
        asks=f"guildId message? {KEY}",
        answers="status guild?:guild request?:joinRequest",
        refusals="player_banned guilds_disabled already_in_guild guild_not_found guild_full request_limit_reached "
                 "storage_limit_reached",
        body={"guildId": "@guildId"},
        ready=_leave_it_open,
        calls=(
            SdkCall(
                lambda c: c.guilds.join("gld_1"),
                {"status": "joined", "guild": GUILD},
                body={"guildId": "gld_1"},
            ),
            SdkCall(
                lambda c: c.guilds.join("gld_1", message="Hi"),
                {"status": "requested", "request": REQUEST},
                body={"guildId": "gld_1", "message": "Hi"}, status=201, note="asked",
            ),
        ),
    ),
    Route(
        "sdk", "guilds.leave", "POST /guild/leave",
        asks=KEY,
        answers="left disbanded",
        refusals="player_banned guilds_disabled not_in_guild",
        calls=(SdkCall(lambda c: c.guilds.leave(), {"left": True, "disbanded": False}),),
    ),
    Route(
        "sdk", "guilds.listRequests", "GET /guild/requests",
        answers="incoming:joinRequest[] outgoing:joinRequest[]",
        refusals="guilds_disabled",
        calls=(SdkCall(lambda c: c.guilds.list_requests(), {"incoming": [], "outgoing": [REQUEST]}),),
    ),
    Route(
        "sdk", "guilds.acceptRequest", "POST /guild/requests/{requestId}/accept",
        asks=f"requestId {KEY}",
        answers="guild:guild",
        refusals=f"player_banned {_LEADS} guild_request_not_found guild_full",
        things=_request(),
        calls=(SdkCall(lambda c: c.guilds.accept_request("grq_1"), {"guild": GUILD}, at={"requestId": "grq_1"}),),
    ),
    Route(
        "sdk", "guilds.declineRequest", "POST /guild/requests/{requestId}/decline",
        asks=f"requestId {KEY}",
        answers="request:joinRequest",
        refusals=f"player_banned {_LEADS} guild_request_not_found",
        things=_request(),
        calls=(SdkCall(lambda c: c.guilds.decline_request("grq_1"), {"request": REQUEST}, at={"requestId": "grq_1"}),),
    ),
    Route(
        "sdk", "guilds.cancelRequest", "POST /guild/requests/{requestId}/cancel",
        asks=f"requestId {KEY}",
        answers="request:joinRequest",
        refusals="player_banned guilds_disabled guild_request_not_found",
        things=_request("guild_request_not_found"),
        ready=_ask_to_return,
        calls=(SdkCall(lambda c: c.guilds.cancel_request("grq_1"), {"request": REQUEST}, at={"requestId": "grq_1"}),),
    ),
    Route(
        "sdk", "guilds.promote", "POST /guild/members/{memberExternalId}/promote",
        asks=f"memberExternalId {KEY}",
        answers="guild:guild",
        refusals=_MEMBER,
        calls=(SdkCall(lambda c: c.guilds.promote("bea"), {"guild": GUILD}, at=OWN),),
    ),
    Route(
        "sdk", "guilds.demote", "POST /guild/members/{memberExternalId}/demote",
        asks=f"memberExternalId {KEY}",
        answers="guild:guild",
        refusals=_MEMBER,
        ready=_promote,
        calls=(SdkCall(lambda c: c.guilds.demote("bea"), {"guild": GUILD}, at=OWN),),
    ),
    Route(
        "sdk", "guilds.kick", "POST /guild/members/{memberExternalId}/kick",
        asks=f"memberExternalId {KEY}",
        answers="guild:guild",
        refusals=_MEMBER,
        calls=(SdkCall(lambda c: c.guilds.kick("bea"), {"guild": GUILD}, at=OWN),),
    ),
    Route(
        "sdk", "guilds.transfer", "POST /guild/leader",
        asks=f"externalPlayerId {KEY}",
        answers="guild:guild",
        refusals=_MEMBER,
        body={"externalPlayerId": "friend"},
        calls=(
            SdkCall(
                lambda c: c.guilds.transfer("bea"),
                {"guild": GUILD},
                body={"externalPlayerId": "bea"},
            ),
        ),
    ),
    Route(
        "sdk", "guilds.requestHelp", "POST /guild/help",
        statuses=(201,),
        asks=f"type resourceKey amount {KEY}",
        answers="request:help",
        refusals="player_banned guilds_disabled not_in_guild help_not_allowed help_amount_invalid help_cooldown",
        body={"type": "item", "resourceKey": "potion", "amount": 2},
        calls=(
            SdkCall(
                lambda c: c.guilds.request_help(type="item", resource_key="potion", amount=5),
                {"request": _HELP},
                body={"type": "item", "resourceKey": "potion", "amount": 5},
            ),
        ),
    ),
    Route(
        "sdk", "guilds.listHelp", "GET /guild/help",
        answers="requests:help[]",
        refusals="guilds_disabled not_in_guild",
        calls=(SdkCall(lambda c: c.guilds.list_help(), {"requests": [_HELP]}),),
    ),
    Route(
        "sdk", "guilds.donate", "POST /guild/help/{requestId}/donate",
        statuses=(201,),
        asks=f"requestId amount {KEY}",
        answers="donation:donation",
        refusals=(
            "player_banned guilds_disabled not_in_guild help_request_not_found cannot_help_self help_not_allowed "
            "help_amount_invalid help_filled insufficient_balance"
        ),
        things={"requestId": Thing(_needs_help)},
        calls=(
            SdkCall(
                lambda c: c.guilds.donate("ghr_1", amount=2),
                {"donation": _DONATION},
                at={"requestId": "ghr_1"}, body={"amount": 2},
            ),
        ),
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _found_guild(walk: Walk) -> None:
    """Anna founds a guild; bert asks to join, is declined, cancels, asks again and joins; carl joins when it is open."""
    anna, bert, carl = (walk.player(name) for name in ("anna", "bert", "carl"))
    walk.ask(anna, "guilds.getOwn")
    founded = walk.ask(anna, "guilds.create", name="Night Owls", join_type="request", metadata={"level": 3})
    guild_id = founded.text("guild.guildId")
    for operation, caller in (("guilds.declineRequest", anna), ("guilds.cancelRequest", bert)):
        asked = walk.ask(bert, "guilds.join", guild_id=guild_id, message="Hi")
        walk.ask(bert, "guilds.listRequests")
        walk.ask(caller, operation, request_id=asked["request.requestId"])
    asked = walk.ask(bert, "guilds.join", guild_id=guild_id)
    walk.ask(bert, "guilds.join", guild_id=guild_id)
    walk.ask(anna, "guilds.listRequests")
    walk.ask(walk.server, "guilds.get", guild_id=guild_id)
    walk.ask(anna, "guilds.acceptRequest", request_id=asked["request.requestId"])
    walk.ask(anna, "guilds.update", description="We play late.", join_type="open")
    walk.ask(carl, "guilds.join", guild_id=guild_id)
    _help(walk, anna, bert)
    walk.ask(anna, "guilds.promote", member_external_id="bert")
    walk.ask(anna, "guilds.demote", member_external_id="bert")
    walk.ask(anna, "guilds.transfer", external_player_id="bert")
    walk.ask(bert, "guilds.kick", member_external_id="carl")


def _help(walk: Walk, one: WorldPlayer, other: WorldPlayer) -> None:
    give(other, "potion", 3)
    asked = walk.ask(one, "guilds.requestHelp", type="item", resource_key="potion", amount=3)
    walk.ask(other, "guilds.donate", request_id=asked["request.requestId"], amount=2)
    free = walk.ask(other, "guilds.requestHelp", type="currency", resource_key="gold", amount=3)
    walk.ask(one, "guilds.donate", request_id=free["request.requestId"], amount=3)
    walk.ask(one, "guilds.listHelp")


def _look(walk: Walk) -> None:
    anna = walk.player("anna")
    walk.ask(anna, "guilds.getOwn")
    found = walk.ask(anna, "guilds.search", q="owl")
    walk.ask(anna, "guilds.get", guild_id=found["guilds.0.guildId"])


_WALK: Final = (
    # three requests; three members; two donations, of which the one that is paid has a reward; bert is promoted and demoted,
    # and takes the lead of anna, who becomes a co-leader
    Step("trade", _found_guild, {
        "guild.created": 1, "guild.join_requested": 3, "guild.member_joined": 3, "guild.updated": 1,
        "guild.help_requested": 2, "guild.help_donated": 2, "grant.created": 3, "inventory.changed": 2,
        "guild.role_changed": 4, "guild.member_left": 1,
    }),
    Step("look", _look),
)  # fmt: skip

# -- the marked life ------------------------------------------------------------------------------------------------------


def _join_marked(life: Life) -> None:
    """The marked player asks to join, leads a guild and is led, asks for help and gives it."""
    guild_id = life.ask(life.friend, "guilds.create", name="Marked", join_type="request").text("guild.guildId")
    asked = life.ask(life.marked, "guilds.join", guild_id=guild_id, message=MARK)
    life.ask(life.friend, "guilds.acceptRequest", request_id=asked["request.requestId"])
    life.ask(life.friend, "guilds.promote", member_external_id=MARK)
    life.ask(life.friend, "guilds.demote", member_external_id=MARK)
    life.ask(life.friend, "guilds.transfer", external_player_id=MARK)
    needed = life.ask(life.marked, "guilds.requestHelp", type="currency", resource_key="gold", amount=3)
    life.ask(life.friend, "guilds.donate", request_id=needed["request.requestId"], amount=1)
    other = life.ask(life.friend, "guilds.requestHelp", type="currency", resource_key="gold", amount=3)
    life.ask(life.marked, "guilds.donate", request_id=other["request.requestId"], amount=1)
    life.ask(life.marked, "guilds.leave")
    for operation, caller in (("guilds.declineRequest", life.friend), ("guilds.cancelRequest", life.marked)):
        asked = life.ask(life.marked, "guilds.join", guild_id=guild_id, message=MARK)
        life.ask(caller, operation, request_id=asked["request.requestId"])
    life.ask(life.friend, "guilds.update", join_type="open")
    life.ask(life.marked, "guilds.join", guild_id=guild_id)
    life.ask(life.friend, "guilds.kick", member_external_id=MARK)
    life.ask(life.marked, "guilds.create", name="Of the marked")


AREA: Final = Area(
    routes=_SDK,
    rows={
        "guild": (
            "guildId name description badge country joinType metadata memberCount maxMembers leader:counterparty createdAt "
            "disbandedAt"
        ),
        "guildDetail": (
            "guildId name description badge country joinType metadata memberCount maxMembers leader:counterparty createdAt "
            "disbandedAt members:guildMember[]"
        ),
        "guildMember": "externalPlayerId displayIdentity:identity role joinedAt lastActiveAt",
        "joinRequest": "requestId direction guildId player:counterparty message createdAt",
        "help": "requestId player:counterparty type resourceKey amount received status createdAt expiresAt",
        "donation": "donationId amount filled grantId rewardGrantId",
        "exportedJoinRequest": "requestId guildId message createdAt",
        "exportedHelp": "requestId guildId type resourceKey amount received createdAt expiresAt",
        "exportedDonation": "donationId guildId direction playerId type resourceKey amount donatedAt",
    },
    refusals={
        400: "guild_name_rejected cannot_help_self help_amount_invalid",
        403: "guilds_disabled guild_role_required help_not_allowed",
        404: "guild_not_found guild_request_not_found guild_member_not_found help_request_not_found",
        409: (
            "already_in_guild not_in_guild guild_cooldown guild_full guild_name_taken guild_role_conflict help_cooldown "
            "help_filled"
        ),
    },
    walk=_WALK,
    marked=(Step("trade", _join_marked),),
    names_nobody={
        "sdk:guilds.requestHelp resourceKey": "of what the game declares",
    },
    things={"guildId": Thing(_guild_of), "memberExternalId": Thing(lambda scene: (_guild_of(scene), "friend")[1])},
)
