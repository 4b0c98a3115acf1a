"""What players let others see of them, and what a game lets strangers see (contract, "Privacy").

A stranger is whoever is no friend. A game says for strangers whether presence, status and country are shown, and what holds
for a player who has chosen nothing. A choice of the player's own can only show less than the game allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

import attrs

from tests.laws.area import Area, Operation
from tests.laws.areas.relations import Graph
from tests.laws.drawing import Draw
from tests.laws.model_state import Call, Player, Reply, Scope, equal
from tests.laws.routes import Body
from tests.laws.steps import Step

_FROM_WIDE_TO_NARROW: Final = ("everybody", "friends", "nobody")
_FOUND: Final = (False, False, True, None)


# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define
class _Chosen:
    """What a player has chosen; `None` is nothing, so that the game's own holds."""

    discoverable: bool | None = None
    presence_to: str | None = None


def _game(scope: Scope) -> dict[str, Any]:
    given = scope.config.get("privacy") or {}
    shown = {"presence": True, "status": True, "country": True, **(given.get("strangers") or {})}
    return {"discoverable": True, "presenceTo": "everybody", **given, "strangers": shown}


def _settings(scope: Scope, player: Player) -> Body:
    chosen, game = player.part(_Chosen), _game(scope)
    return {
        "discoverable": game["discoverable"] if chosen.discoverable is None else chosen.discoverable,
        "presenceTo": chosen.presence_to or game["presenceTo"],
    }


# -- who sees what --------------------------------------------------------------------------------------------------------


def _sees_all(call: Call, other: Player) -> bool:
    """The studio does, and the player does of themselves."""
    return not call.name.startswith("sdk:") or call.player == other.name


def _are_friends(call: Call, other: Player) -> bool:
    pair = call.scope.part(Graph).pairs.get(frozenset((call.player, other.name)))
    return pair is not None and pair.state == "friends"


def presence_shown(call: Call, other: Player) -> Literal["nothing", "without the status", "all"]:
    """How much of another player's presence an answer shows."""
    if _sees_all(call, other):
        return "all"
    to, strangers = _settings(call.scope, other)["presenceTo"], _game(call.scope)["strangers"]
    if to == "nobody":
        return "nothing"
    if _are_friends(call, other):
        return "all"
    if to == "friends" or not strangers["presence"]:
        return "nothing"
    return "all" if strangers["status"] else "without the status"


def hides_country(call: Call, other: Player) -> bool:
    """Whether an answer leaves the country of another player out."""
    shown = _sees_all(call, other) or _game(call.scope)["strangers"]["country"]
    return not shown and not _are_friends(call, other)


def is_discoverable(scope: Scope, player: Player) -> bool:
    """Whether searches and suggestions show the player."""
    return bool(_settings(scope, player)["discoverable"])


# -- the operation --------------------------------------------------------------------------------------------------------


def _set_privacy(call: Call) -> Reply:
    """What is left out stays, and null takes a choice back."""
    chosen = call.me.part(_Chosen)
    if "discoverable" in call.arguments:
        chosen.discoverable = call["discoverable"]
    if "presenceTo" in call.arguments:
        chosen.presence_to = call["presenceTo"]
    expected = {"privacy": _settings(call.scope, call.me)}
    return Reply(check=lambda data: equal(data, expected), move=f"presence: to {expected['privacy']['presenceTo']}")


def _nobody_we_know(call: Call) -> bool:
    return call["presenceTo"] not in {None, *_FROM_WIDE_TO_NARROW}


def _on_merge(scope: Scope, source: Player, target: Player, _now: int) -> list[str]:
    """The target's choices stay, but where the source had chosen to show less; where it chose what holds, that is chosen."""
    old, new, held = source.part(_Chosen), target.part(_Chosen), _settings(scope, target)
    if old.discoverable is False:
        new.discoverable = False
    if old.presence_to is not None:
        order = _FROM_WIDE_TO_NARROW.index
        if order(old.presence_to) >= order(held["presenceTo"]):
            new.presence_to = old.presence_to
    return []


def _is_exported(call: Call, data: Body) -> None:
    assert data["player"]["privacy"] == _settings(call.scope, call.me)


# -- in scenes ------------------------------------------------------------------------------------------------------------


def choices(d: Draw) -> Iterator[Step]:
    """Somebody chooses, is there, and is looked for by another player: how scenes about being there and being seen end."""
    one, other = d.two()
    chosen: dict[str, Any] = {}
    if not d.one_in(3):
        chosen["presenceTo"] = d.of("everybody", "friends", "nobody", "nobody", None)
    if not d.one_in(4):
        chosen["discoverable"] = d.of(*_FOUND)
    yield d.call("sdk:players.setPrivacy", one, key=d.key(), **chosen)
    if d.one_in(2):
        yield d.call("sdk:presence.heartbeat", one, status="Around")
        yield d.call("sdk:friends.suggestions", other)
        yield d.call("sdk:friends.list", other)


AREA: Final = Area(
    operations=(Operation("sdk:players.setPrivacy", _set_privacy, faults=_nobody_we_know, seldom="validation_failed"),),
    transitions=tuple(f"presence: to {whom}" for whom in _FROM_WIDE_TO_NARROW),
    on_merge=_on_merge,
    is_exported=_is_exported,
)
