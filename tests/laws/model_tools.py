"""The model of merging, erasing and exporting (specification 3.8 and 4.3, and the contract's player tools).

The simplest way to say what a merge does: whatever names the source names the target from then on. What the two were to
each other goes; towards everybody else their relations become one, where any block wins, then a friendship, then a request,
and of two alike the older one stands. An erasure renames as well, to a placeholder that nobody can ask for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.laws.model_players import is_shown
from tests.laws.model_state import MOST, Call, Former, Pair, Player, Refused, Reply, Scope
from tests.laws.model_value import change_event, expire
from tests.laws.routes import Body

__all__ = ["TOOLS"]

_RANK: Final = {"friends": 0, "asked": 1, "none": 2}


# -- renaming -------------------------------------------------------------------------------------------------------------


def _rename(scope: Scope, old: str, new: str) -> None:
    """Make everything somebody else's that says whose it is."""
    for grant in scope.grants.values():
        grant.player = new if grant.player == old else grant.player
        if grant.gift is not None:
            gift = grant.gift
            gift.sender = new if gift.sender == old else gift.sender
            gift.recipient = new if gift.recipient == old else gift.recipient
    for purchase in scope.purchases.values():
        purchase.player = new if purchase.player == old else purchase.player


# -- merging --------------------------------------------------------------------------------------------------------------


def _merge(call: Call) -> Reply:
    scope, source_name, target_name = call.scope, call.player, call["toExternalId"]
    source, target = scope.players.get(source_name), scope.players.get(target_name)
    if source is None:
        return _merged_before(scope, source_name, target_name)
    if target is None:
        known = scope.former.get(target_name)
        if known is not None and known.into is None:
            raise Refused(422, "invalid_merge")
        raise Refused(404, "player_not_found")
    if source is target or target.ban is not None or _too_much(scope, source, target):
        raise Refused(422, "invalid_merge")
    carried = [change_event(asset) for asset, amount in source.held.items() if amount] if scope.platform else []
    events = ["player.merged", *carried, *carried, *(["player.banned"] if source.ban else [])]
    _unite(source, target, call.now)
    _unite_pairs(scope, source_name, target_name)
    _rename(scope, source_name, target_name)
    scope.answers.merged(source_name, target_name)
    scope.debug.pop(source_name, None)
    del scope.players[source_name]
    former = scope.former[source_name] = Former(source, target, [])
    return Reply(200, tuple(events), lambda data: _is_merge(data, "merged", former), "player: merged")


def _merged_before(scope: Scope, source_name: str, target_name: str) -> Reply:
    former, target = scope.former.get(source_name), scope.players.get(target_name)
    if target is None and target_name in scope.former:
        target = scope.former[target_name].player
    if former is None or target is None or former.into is not target:
        raise Refused(404, "player_not_found")
    return Reply(200, (), lambda data: _is_merge(data, "no_op_already_merged", former), "player: merged again")


def _is_merge(data: Body, status: str, former: Former) -> None:
    assert data["status"] == status
    placeholder = data["anonymizedExternalPlayerId"]
    assert placeholder.startswith("__merged_")
    assert former.placeholder in ([], [placeholder])
    former.placeholder[:] = [placeholder]


def _too_much(scope: Scope, source: Player, target: Player) -> bool:
    """Whether a balance would overflow, or what the two have spent."""
    if any(amount + target.holds(asset) > MOST for asset, amount in source.held.items() if amount):
        return True
    spent = {player: [row.cents for row in scope.purchases.values() if row.player == player.name] for player in
             (source, target)}  # fmt: skip
    return bool(spent[source]) and sum(spent[source]) + sum(spent[target]) > MOST


def _unite(source: Player, target: Player, now: int) -> None:
    for asset, amount in source.held.items():
        target.add(asset, amount, {**source.attributes.get(asset, {}), **target.attributes.get(asset, {})})
    for day, sent in source.sent_on.items():
        target.sent_on[day] = target.sent_on.get(day, 0) + sent
    target.streak = max(source.streak_on(now), target.streak_on(now))
    target.streak_day = max(source.streak_day, target.streak_day)
    target.best_streak = max(source.best_streak, target.best_streak)
    target.sessions += source.sessions
    target.first_seen = min(source.first_seen, target.first_seen)
    target.last_seen = max(source.last_seen, target.last_seen)
    if (source.beat_at or 0) > (target.beat_at or 0):
        target.beat_at, target.label = source.beat_at, source.label
    target.ban = source.ban or target.ban
    target.absorbed += [source, *source.absorbed]


def _unite_pairs(scope: Scope, source: str, target: str) -> None:
    scope.pairs.pop(frozenset((source, target)), None)
    for other, pair in scope.pairs_of(source):
        del scope.pairs[frozenset((source, other))]
        for names in (pair.blocked_at, pair.gifted_at):
            if source in names:
                names[target] = names.pop(source)
        pair.asker = target if pair.asker == source else pair.asker
        pair.acceptor = target if pair.acceptor == source else pair.acceptor
        scope.pairs[frozenset((target, other))] = _united(pair, scope.pair(target, other))


def _united(one: Pair, other: Pair) -> Pair:
    stands = min(one, other, key=lambda pair: (_RANK[pair.state], pair.since, pair.request_id or ""))
    both = {**one.blocked_at, **other.blocked_at}
    united = Pair(
        stands.state,
        stands.since,
        stands.asker,
        stands.acceptor,
        stands.request_id,
        {name: min(pair.blocked_at[name] for pair in (one, other) if name in pair.blocked_at) for name in both},
        {
            name: max(pair.gifted_at.get(name, 0) for pair in (one, other))
            for name in {**one.gifted_at, **other.gifted_at}
        },
    )
    if united.blocked_at:
        united.state, united.request_id = "none", None
    return united


# -- erasing --------------------------------------------------------------------------------------------------------------


def _erase(call: Call) -> Reply:
    scope, name = call.scope, call.player
    player, known = scope.players.get(name), scope.former.get(name)
    if player is None and (known is None or known.into is not None):
        return Reply(check=lambda data: _is_erasure(data, "no_op_never_existed", []), move="nobody -erase-> nobody")
    if player is None:
        before = known.placeholder if known is not None else []
        return Reply(check=lambda data: _is_erasure(data, "no_op_already_erased", before), move="player: erased again")
    # Before the player is gone: a gift of theirs to themselves, which a merge can leave, goes back into their ledger.
    events = ["player.deleted", *_end_gifts(scope, name, call.now)]
    del scope.players[name]
    for other, _ in scope.pairs_of(name):
        del scope.pairs[frozenset((name, other))]
    scope.answers.erased(name, [player, *player.absorbed])
    former = scope.former[name] = Former(player, None, [])

    def learn(data: Body) -> None:
        _is_erasure(data, "erased", [data["anonymizedExternalId"]])
        former.placeholder[:] = [data["anonymizedExternalId"]]
        _rename(scope, name, data["anonymizedExternalId"])
        if name in scope.debug:
            del scope.debug[name]
            scope.debug[data["anonymizedExternalId"]] = None

    return Reply(200, tuple(events), learn, "player: erased")


def _end_gifts(scope: Scope, name: str, now: int) -> list[str]:
    """What the player could still have claimed ends as if its time had passed."""
    events: list[str] = []
    for grant in scope.grants.values():
        if grant.gift is not None and grant.player == name and grant.status == "pending":
            grant.expires_at = now
            events += expire(scope, grant, now).events
    return events


def _is_erasure(data: Body, status: str, placeholder: list[str]) -> None:
    assert data == {"status": status, "anonymizedExternalId": placeholder[0] if placeholder else None}
    assert all(text.startswith("__deleted_") for text in placeholder)


# -- exporting ------------------------------------------------------------------------------------------------------------


def _export(call: Call) -> Reply:
    scope, me = call.scope, call.player
    pairs = [pair for _, pair in scope.pairs_of(me)]
    gifts = {
        id_ for id_, grant in scope.gifts.items() if grant.gift and me in {grant.gift.sender, grant.gift.recipient}
    }

    def check(data: Body) -> None:
        is_shown(call, data["player"])
        assert data["player"]["friendCode"] == call.me.code
        assert {row["grantId"] for row in data["grants"]} == {
            id_ for id_, grant in scope.grants.items() if grant.player == me
        }
        assert {row["giftId"] for row in data["gifts"]} == gifts
        assert len(data["friends"]) == sum(pair.state == "friends" for pair in pairs)
        assert len(data["friendRequests"]) == sum(pair.state == "asked" for pair in pairs)
        assert len(data["blocks"]) == sum(me in pair.blocked_at for pair in pairs)
        assert {row["purchaseId"] for row in data["purchases"]} == {
            row.purchase_id for row in scope.purchases.values() if row.player == me
        }
        held = {("currency", row["key"]): row["balance"] for row in data["wallet"]}
        held |= {("item", row["itemKey"]): row["quantity"] for row in data["inventory"]}
        assert {asset: amount for asset, amount in held.items() if amount} == {
            asset: amount for asset, amount in call.me.held.items() if amount
        }
        assert not any(data["truncated"].values())

    return Reply(check=check)


TOOLS: Final[dict[str, Callable[[Call], Reply]]] = {
    "server:players.merge": _merge,
    "server:players.erase": _erase,
    "server:players.export": _export,
}
"""The rules of this part by operation."""
