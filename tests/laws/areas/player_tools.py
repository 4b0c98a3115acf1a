"""Merging, erasing and exporting a whole player (specification 3.8 and 4.3, and the contract's player tools).

The simplest way to say what a merge does: whatever names the source names the target from then on. An erasure renames as
well, to a placeholder that nobody can ask for. What becomes of each area's own part is said there, in its hooks.
"""

from __future__ import annotations

from typing import Final

from tests.laws import areas
from tests.laws.area import Area, Operation
from tests.laws.areas.moderation import is_shown
from tests.laws.model_state import Call, Former, Refused, Reply, Scope
from tests.laws.routes import Body

__all__ = ["AREA"]


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


# -- erasing --------------------------------------------------------------------------------------------------------------


def _erase(call: Call) -> Reply:
    scope, name = call.scope, call.player
    player, known = scope.players.get(name), scope.former.get(name)
    if player is None and (known is None or known.into is not None):
        return Reply(check=lambda data: _is_erasure(data, "no_op_never_existed", []), move="nobody -erase-> nobody")
    if player is None:
        before = known.placeholder if known is not None else []
        return Reply(check=lambda data: _is_erasure(data, "no_op_already_erased", before), move="player: erased again")
    events = ["player.deleted"]
    for area in areas.AREAS.values():
        events += area.on_erase(scope, player, call.now)
    del scope.players[name]
    scope.answers.erased(name, [player, *player.absorbed])
    former = scope.former[name] = Former(player, None, [])

    def learn(data: Body) -> None:
        _is_erasure(data, "erased", [data["anonymizedExternalId"]])
        former.placeholder[:] = [data["anonymizedExternalId"]]
        _rename(scope, name, data["anonymizedExternalId"])

    return Reply(200, tuple(events), learn, "player: erased")


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


_REASONS: Final = {None, "gdpr_erasure", "studio_request", "test"}

AREA: Final = Area(
    operations=(
        Operation("server:players.merge", _merge, about="a player, also a former one"),
        Operation("server:players.erase", _erase, about="anybody", faults=lambda call: call["reason"] not in _REASONS),
        Operation(
            "server:players.export",
            _export,
            faults=lambda call: call["cursor"] is not None and call["list"] is None,
        ),
    ),
)
