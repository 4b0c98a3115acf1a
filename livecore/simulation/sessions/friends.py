"""Making friends: by codes that were told, by names, by suggestions; answering requests, and ending friendships."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.simulation.behaviour import Me

_MOST_ANSWERED = 10
_SUGGESTED_UP_TO = 12
"""With more friends than this a player looks at suggestions no more."""


def introduce(me: Me) -> Iterator[float]:
    """What a new player does once: take a name, and tell the own friend code."""
    if me.chance("own-name", 0.4 + 0.4 * me.traits.friendliness):
        name = f"{me.choose('name', _NAMES)} {me.community.order[me.name] + 1}"
        if me.do("players.setIdentity", name=name).ok:
            me.community.shown[me.name] = name
    code = me.do("friends.getCode")
    if code.ok:
        me.known.code = me.community.codes[me.name] = code.row.friend_code
    if me.game.gifts:
        me.do("gifts.catalog")
    me.known.acquaintances = me.community.acquaintances(me.name)
    yield me.wait("code", 2, 6)


def read_friends(me: Me) -> None:
    """Read the list of friends, where somebody may have accepted, and now and then."""
    if not me.known.asked and not me.chance("read-friends", 0.2):
        return
    friends = me.do("friends.list")
    if friends.ok:
        before = me.known.friends
        me.known.friends = {
            row.external_player_id: before.get(row.external_player_id, 0) for row in friends.row.friends
        }
        for name in me.known.friends:
            me.known.asked.pop(name, None)


def answer_requests(me: Me) -> Iterator[float]:
    """Accept or decline who has asked; sometimes block one, and sometimes take an own request back."""
    requests = me.do("friends.listRequests")
    if not requests.ok:
        return
    if requests.row.incoming:
        yield me.wait("answer", 2, 10)
    for request in requests.row.incoming[:_MOST_ANSWERED]:
        other = request.player.external_player_id
        if me.chance("accept", 0.35 + 0.65 * me.traits.friendliness):
            if me.do("friends.acceptRequest", request_id=request.request_id).ok:
                me.known.friends.setdefault(other, 0)
        else:
            me.do("friends.declineRequest", request_id=request.request_id)
            if me.chance("block", 0.15):
                _block(me, other)
    if requests.row.outgoing and me.chance("take-back", 0.05):
        oldest = requests.row.outgoing[-1]
        if me.do("friends.cancelRequest", request_id=oldest.request_id).ok:
            me.known.asked.pop(oldest.player.external_player_id, None)


def _block(me: Me, other: str) -> None:
    if me.do("friends.block", external_player_id=other).ok:
        me.known.blocked[other] = None
        me.known.friends.pop(other, None)


def seek_friends(me: Me) -> Iterator[float]:
    """Ask somebody to be friends."""
    eager = me.traits.friendliness
    yield me.wait("ask", 5, 30)
    for name in me.known.acquaintances:
        told = me.community.codes.get(name)
        if told is not None and _is_new(me, name) and me.chance("ask-known", 0.3 + 0.5 * eager):
            _ask(me, name, friend_code=told)
    if len(me.known.friends) < _SUGGESTED_UP_TO and me.chance("suggestions", 0.15 * eager):
        for row in me.do("friends.suggestions", limit=3).row.suggestions:
            if _is_new(me, row.external_player_id) and me.chance("ask-suggested", 0.5 * eager):
                _ask(me, row.external_player_id, external_player_id=row.external_player_id)
    if me.chance("search", 0.06 * eager):
        yield from _search(me)
    if me.known.friends and me.chance("unfriend", 0.02):
        other = me.choose("unfriended", sorted(me.known.friends))
        me.do("friends.remove", friend_external_id=other)
        me.known.friends.pop(other, None)
        me.known.refused.add(other)
    if me.known.blocked and me.chance("forgive", 0.1):
        me.do("friends.listBlocks")
        other = next(iter(me.known.blocked))
        me.do("friends.unblock", blocked_external_id=other)
        me.known.blocked.pop(other)


def _search(me: Me) -> Iterator[float]:
    hits = me.do("friends.search", q=me.choose("searched", _NAMES), limit=5)
    yield me.wait("search", 3, 10)
    for row in hits.row.players if hits.ok else ():
        if row.relationship == "none" and _is_new(me, row.external_player_id):
            _ask(me, row.external_player_id, external_player_id=row.external_player_id)
            return


def _is_new(me: Me, name: str) -> bool:
    known = me.known
    return name != me.name and not (
        name in known.friends or name in known.asked or name in known.refused or name in known.blocked
    )


def _ask(me: Me, name: str, **how: str) -> None:
    asked = me.do("friends.sendRequest", **how)
    if not asked.ok:
        me.known.refused.add(name)
    elif asked.row.status == "accepted":
        me.known.friends.setdefault(name, 0)
    else:
        me.known.asked[name] = asked.row.request.request_id


_NAMES = (
    "Anchor", "Basil", "Cinder", "Dapple", "Ember", "Fennel", "Garnet", "Harbor", "Indigo", "Juniper", "Kestrel", "Lantern",
    "Maple", "Nimbus", "Orchid", "Pixel", "Quartz", "Rocket", "Saffron", "Thistle", "Umber", "Vesper", "Willow", "Zephyr",
)  # fmt: skip
