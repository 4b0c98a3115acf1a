"""Merging, erasing and exporting a whole player (specification 3.8 and 4.3, and the contract's player tools).

The simplest way to say what a merge does: whatever names the source names the target from then on. An erasure renames as
well, to a placeholder that nobody can ask for. What becomes of each area's own part is said there, in its hooks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.laws import areas
from tests.laws.area import Area, Operation
from tests.laws.areas.friends import become_friends
from tests.laws.areas.moderation import is_shown
from tests.laws.areas.players import come_back
from tests.laws.drawing import DAY_MS, MOST, NOBODY, PLAYERS, STRANGER, Draw
from tests.laws.model_state import Call, Former, Player, Refused, Reply, Scope
from tests.laws.routes import Body
from tests.laws.steps import Step, Wait


def _rename(scope: Scope, old: str, new: str) -> None:
    for area in areas.AREAS.values():
        area.on_rename(scope, old, new)


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
    if source is target or any(area.cannot_merge(scope, source, target) for area in areas.AREAS.values()):
        raise Refused(422, "invalid_merge")
    events = ["player.merged"]
    for area in areas.AREAS.values():
        events += area.on_merge(scope, source, target, call.now)
    _rename(scope, source_name, target_name)
    scope.answers.merged(source_name, target_name)
    target.first_seen = min(source.first_seen, target.first_seen)
    target.last_seen = max(source.last_seen, target.last_seen)
    target.absorbed += [source, *source.absorbed]
    del scope.players[source_name]
    former = scope.former[source_name] = Former(source, target, [])

    def learn(data: Body) -> None:
        target.player_id = data["toPlayerId"]
        _is_merge(data, "merged", former)

    return Reply(200, tuple(events), learn, "player: merged")


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


# -- erasing --------------------------------------------------------------------------------------------------------------


def _erase(call: Call) -> Reply:
    scope, name = call.scope, call.player
    player, known = scope.players.get(name), scope.former.get(name)
    if player is None and known is None:
        return Reply(check=lambda data: _is_erasure(data, "no_op_never_existed", []), move="nobody -erase-> nobody")
    if player is None and known is not None and known.into is not None:
        return _erase_merged(scope, known)
    if player is None:
        before = known.placeholder if known is not None else []
        return Reply(check=lambda data: _is_erasure(data, "no_op_already_erased", before), move="player: erased again")
    events = ["player.deleted"]
    for area in areas.AREAS.values():
        events += area.on_erase(scope, player, call.now)
    del scope.players[name]
    for area in areas.AREAS.values():
        events += area.after_erase(scope, player, call.now)
    scope.answers.erased(name, [player, *player.absorbed])
    former = scope.former[name] = Former(player, None, [])

    def learn(data: Body) -> None:
        _is_erasure(data, "erased", [data["anonymizedExternalId"]])
        former.placeholder[:] = [data["anonymizedExternalId"]]
        _rename(scope, name, data["anonymizedExternalId"])

    return Reply(200, tuple(events), learn, "player: erased")


def _erase_merged(scope: Scope, known: Former) -> Reply:
    """An id that was merged: the answer says who has the data, or that it was erased with theirs."""
    owner = _owner(scope, known)
    if owner is None:
        return Reply(check=_is_erased_with_another, move="player: erased again")
    shown = {"status": "no_op_merged", "mergedIntoExternalId": owner.name}

    def check(data: Body) -> None:
        assert {**shown, "anonymizedExternalId": data["anonymizedExternalId"]} == data
        assert data["anonymizedExternalId"].startswith("__merged_")
        assert known.placeholder in ([], [data["anonymizedExternalId"]])

    return Reply(check=check, move="nobody -erase-> nobody")


def _owner(scope: Scope, known: Former) -> Player | None:
    """Who has the data of a merged player, if anybody has."""
    return next((player for player in scope.players.values() if known.player in player.absorbed), None)


def _is_erased_with_another(data: Body) -> None:
    _is_erasure(data, "no_op_already_erased", [data["anonymizedExternalId"]])


def _is_erasure(data: Body, status: str, placeholder: list[str]) -> None:
    assert data == {"status": status, "anonymizedExternalId": placeholder[0] if placeholder else None}
    assert all(text.startswith("__deleted_") for text in placeholder)


# -- exporting ------------------------------------------------------------------------------------------------------------


def _export(call: Call) -> Reply:
    def check(data: Body) -> None:
        is_shown(call, data["player"])
        for area in areas.AREAS.values():
            area.is_exported(call, data)
        assert not any(data["truncated"].values())

    return Reply(check=check)


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _become_one(d: Draw) -> Iterator[Step]:
    """One player is folded into another, perhaps twice, and perhaps comes back as somebody new."""
    one, other = d.two()
    if d.one_in(10):
        other = d.of(one, "nobody")
    if d.one_in(4):
        yield d.call(d.of("server:players.ban", "server:players.flagDebug"), one, reason="before the merge")
    key = d.key()
    for _ in range(1 + d.one_in(2)):
        yield d.call("server:players.merge", one, key=key, toExternalId=other)
    yield from come_back(d, one)
    if d.one_in(4):
        yield d.call("server:players.unban", other)


def _gift_to_oneself(d: Draw) -> Iterator[Step]:
    """A gift whose two sides become one player, who may claim it, or let its time pass, or be erased."""
    one, other = d.two()
    yield from become_friends(d, one, other)
    yield d.call("server:wallet.credit", one, economyKey="gold", amount=30)
    yield d.call("sdk:gifts.send", one, type="currency", resourceKey="gold", amount=20, externalPlayerId=other)
    yield d.call("server:players.merge", one, toExternalId=other)
    yield d.of(
        d.call("sdk:gifts.claim", other, giftId="@gift:-1"),
        d.call("server:players.erase", other),
        d.call("sdk:gifts.inbox", other),
        d.call("sdk:gifts.sent", other),
    )
    yield from come_back(d, one)


def _overflow(d: Draw) -> Iterator[Step]:
    """Two balances that have no room in one, and a row that has none either."""
    one, other = d.two()
    for player in (one, other):
        yield d.call("server:wallet.credit", player, economyKey="gems", amount=MOST)
    yield d.call("server:players.merge", one, toExternalId=other)
    row = {"idempotencyKey": f"o{d.chance.below(2**40)}", "externalPlayerId": one, "economyKey": "gems", "amount": 1}
    yield d.call("server:migrate.wallet", NOBODY, rows=[row, {**row, "amount": MOST}])
    for player in (one, other):
        yield d.call("server:wallet.debit", player, economyKey="gems", amount=MOST - 100)


def _leave(d: Draw) -> Iterator[Step]:
    """Somebody is erased, perhaps twice, perhaps amid gifts; mostly the id is registered anew."""
    player = d.of("nobody", STRANGER) if d.one_in(12) else d.one()
    other = d.of(*(name for name in PLAYERS if name != player))
    if d.one_in(2):
        yield from become_friends(d, player, other)
        sender, recipient = d.of((player, other), (player, other), (other, player))
        yield d.call("server:inventory.grant", sender, itemKey="potion", quantity=2)
        yield d.call("sdk:gifts.send", sender, type="item", resourceKey="potion", amount=1, externalPlayerId=recipient)
    reason = {"reason": d.of("gdpr_erasure", "test", "boredom")} if d.one_in(2) else {}
    key = d.key()
    for _ in range(1 + d.one_in(2)):
        yield d.call("server:players.erase", player, key=key, **reason)
    if d.one_in(6):
        yield d.call("server:players.merge", other, toExternalId=player)
    if d.one_in(2):
        yield Wait(2 * DAY_MS)
    if player in PLAYERS:
        yield from come_back(d, player)


# -- the area -------------------------------------------------------------------------------------------------------------

_REASONS: Final = {None, "gdpr_erasure", "studio_request", "test"}

AREA: Final = Area(
    operations=(
        Operation(
            "server:players.merge",
            _merge,
            about="a player, also a former one",
            refuses="invalid_merge player_not_found",
        ),
        Operation(
            "server:players.erase",
            _erase,
            about="anybody",
            faults=lambda call: call["reason"] not in _REASONS,
            refuses="validation_failed",
        ),
        Operation(
            "server:players.export",
            _export,
            faults=lambda call: call["cursor"] is not None and call["list"] is None,
            read_with=lambda d: {"cursor": "here"} if d.one_in(10) else {},
            broad=True,
            refuses="player_not_found validation_failed",
        ),
    ),
    transitions=(
        "player: merged",
        "player: merged again",
        "player: erased",
        "player: erased again",
        "nobody -erase-> nobody",
    ),
    broad_scenes=((6, _become_one), (1, _gift_to_oneself), (1, _overflow), (5, _leave)),
)
