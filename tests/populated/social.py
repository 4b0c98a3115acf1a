"""What players of the populated game do with one another: friends, requests, blocks, gifts, guilds and their help."""

from __future__ import annotations

from typing import Any

from livecore.world import WorldPlayer
from tests.populated.playing import Play, tried


def day_of_friends(play: Play) -> None:
    """Requests that are accepted, declined, taken back or left open; blocks; gifts, some of which are claimed."""
    for player in play.some(20):
        _ask(play, player)
    for player in play.some(16):
        _give(play, player)
    for player in play.some(20):
        inbox = player.call("gifts.inbox", pending_only=True, limit=5)["gifts"]
        for gift in _rows(inbox)[:2]:
            tried(player, "gifts.claim", gift_id=gift["giftId"])
    for player in play.some(2):
        for friend in _rows(player.call("friends.list", limit=1)["friends"]):
            player.call("friends.remove", friend_external_id=friend["externalPlayerId"])


def _ask(play: Play, player: WorldPlayer) -> None:
    other, key = play.chance.choice(play.players), f"request-{play.world.now}"
    sent = tried(player, "friends.sendRequest", external_player_id=other.external_id, idempotency_key=key)
    if sent is None or "request" not in sent:
        return  # The rules forbid it, or the other one had asked before, and they are friends now.
    request = str(sent["request"]["requestId"])
    done = play.below(10)
    if done < 6:
        tried(other, "friends.acceptRequest", request_id=request)
    elif done == 6:
        tried(other, "friends.declineRequest", request_id=request)
    elif done == 7:
        tried(player, "friends.cancelRequest", request_id=request)
    elif done == 8:
        tried(player, "friends.block", external_player_id=other.external_id)


def _give(play: Play, player: WorldPlayer) -> None:
    friends = _rows(player.call("friends.list", limit=10)["friends"])
    if not friends:
        return
    kind, key, amount = play.chance.choice((("currency", "gold", 25), ("currency", "xp", 10), ("item", "potion", 2)))
    message = play.chance.choice((None, "Well played!", *play.people.texts[:2]))
    tried(
        player, "gifts.send", external_player_id=play.chance.choice(friends)["externalPlayerId"], type=kind,
        resource_key=key, amount=amount, message=message,
    )  # fmt: skip


def found_guilds(play: Play) -> None:
    """Guilds that are open or take members by request, with members of each role, open requests, and one that ended."""
    world = play.world
    for number, name in enumerate(
        ("River Watch", "Night Owls", *play.people.things[:4], "Deep Divers", "Old Guard", "Short Lived")
    ):
        leader, *members = play.players[number * 12 : (number + 1) * 12]
        founded: Any = leader.call(
            "guilds.create", name=name, join_type="request" if number % 3 == 1 else "open",
            description=None if number % 2 else f"We are {name}.\nCome and play.",
            badge=None if number % 4 else "otter-3", country="SE" if number % 5 == 0 else None,
        )["guild"]  # fmt: skip
        for place, member in enumerate(members):
            world.advance(minutes=3)
            message = play.people.texts[0] if place % 4 == 0 else None
            asked: Any = member.call("guilds.join", guild_id=founded["guildId"], message=message)
            if asked["status"] == "requested":
                request = asked["request"]["requestId"]
                step = ("guilds.acceptRequest", "guilds.declineRequest", "")[0 if place < 7 else place % 3]
                if step:
                    leader.call(step, request_id=request)
        if number % 3 != 1:
            leader.call("guilds.promote", member_external_id=members[0].external_id)
            leader.call("guilds.kick", member_external_id=members[1].external_id)
            members[2].call("guilds.leave")
        if name == "Short Lived":
            world.server.call("guilds.disband", guild_id=founded["guildId"])


def day_of_guilds(play: Play) -> None:
    """Members ask for help and help one another; now and then somebody leaves."""
    by_id = {player.external_id: player for player in play.players}
    for player in play.some(8):
        if tried(player, "guilds.requestHelp", type="item", resource_key="potion", amount=3) is None:
            continue
        own: Any = player.call("guilds.getOwn")["guild"]
        guild: Any = player.call("guilds.get", guild_id=own["guildId"])["guild"]
        donors = [by_id[one["externalPlayerId"]] for one in guild["members"] if one["externalPlayerId"] in by_id]
        for donor in play.chance.sample(donors, min(2, len(donors))):
            for asked in _rows(donor.call("guilds.listHelp")["requests"])[:2]:
                tried(donor, "guilds.donate", request_id=asked["requestId"], amount=1)
    for player in play.some(2):
        tried(player, "guilds.leave")


def _rows(found: object) -> list[dict[str, Any]]:
    assert isinstance(found, list)
    return found
