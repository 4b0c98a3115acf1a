"""What one may do for a player, each with a page before it that says what will happen."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import attrs

from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.pages.players import PLAYER, above_player, name_of, of_player
from livecore_server.portal.problems import NotHere
from livecore_server.portal.views import Action, Step
from livecore_server.portal.words import reward

__all__ = ["ROUTES"]

_KEY_HINT: Final = "As in the game's settings; the field suggests what they declare."
_LINES: Final = 3
"""How many entries a grant can have here; by the API it can have more."""


def _reason(*, required: bool) -> Field:
    return Field(
        name="reason",
        label="Reason",
        kind="textarea",
        required=required,
        most=500,
        hint="Your colleagues read it here and in the audit trail.",
    )


async def _resources(here: Here) -> dict[str, list[tuple[str, str]]]:
    """The keys that the game's settings declare, each with its name, by what they are."""
    config = (await here.read("settings.get"))["config"]
    return {
        "economy": _keys(config.get("economy"), "currency or progression"),
        "items": _keys(config.get("items"), "item"),
        "crates": _keys(config.get("crates"), "crate"),
    }


def _keys(declared: Sequence[dict[str, Any]] | None, what: str) -> list[tuple[str, str]]:
    return [(one["key"], f"{one.get('name') or one['key']}, {one.get('kind') or what}") for one in declared or ()]


def _begin(says: str, *fields: Field, anchor: str = "") -> Callable[[Here], Awaitable[Step]]:
    """The step of an action about a player as a whole."""

    async def begin(here: Here) -> Step:
        return Step(
            says=says,
            name=await name_of(here),
            fields=fields,
            back=of_player(here, "", anchor),
            above=above_player(here),
        )

    return begin


# -- balances and items


def _change_of_amount(what: str) -> Field:
    return Field(name="delta", label="Change by", kind="number", hint=f"Such as 50, or -50 to take {what} away.")


async def _begin_wallet(here: Here) -> Step:
    key = here.places["economyKey"]
    return Step(
        says=f"The balance {key} of {{name}} changes by what you enter, with an entry in its ledger.",
        name=await name_of(here),
        fields=(_change_of_amount("some"), _reason(required=True)),
        back=of_player(here, "", "balances"),
        above=above_player(here),
    )


async def _begin_items(here: Here) -> Step:
    lists = await _resources(here)
    item = Field(name="itemKey", label="Item", hint=_KEY_HINT, suggests="items", most=64)
    return Step(
        says="The number of these items that {name} holds changes by what you enter, with an entry in the ledger.",
        name=await name_of(here),
        fields=(item, _change_of_amount("items"), _reason(required=True)),
        lists={"items": lists["items"]},
        back=of_player(here, "", "items"),
        above=above_player(here),
    )


async def _begin_attributes(here: Here) -> Step:
    key = here.places["itemKey"]
    held = (await here.read("players.get", query={"limit": "1"}))["inventory"]
    own = next((one["ownParameters"] for one in held if one["itemKey"] == key), None)
    parameters = Field(
        name="parameters",
        label="Own attributes",
        kind="json",
        required=False,
        absent="null",
        value="" if own is None else json.dumps(own, indent=2, ensure_ascii=False),
        hint='A JSON object, such as {"level": 5}. Empty: what the settings of the game say of the item.',
    )
    return Step(
        says=f"The item {key} of {{name}} has these attributes from now on, in place of those that it has.",
        name=await name_of(here),
        fields=(parameters, _reason(required=False)),
        back=of_player(here, "", "items"),
        above=above_player(here),
    )


# -- grants


def _entry_fields(number: int) -> tuple[Field, ...]:
    path, first = f"entries[{number}]", number == 0
    group = "What is granted" if first else f"And {'also' if number == 1 else 'more'} (optional)"
    kinds = (("currency", "currency or progression"), ("item", "item"), ("crate", "crate"))
    kind = Field(name=f"type{number}", path=f"{path}.type", label="Kind", kind="select", choices=kinds)
    key = Field(name=f"key{number}", path=f"{path}.resourceKey", label="Key", hint=_KEY_HINT, suggests="all", most=64)
    amount = Field(name=f"amount{number}", path=f"{path}.amount", label="Amount", kind="number")
    return tuple(attrs.evolve(field, required=first, group=group) for field in (kind, key, amount))


def _grant(body: dict[str, Any]) -> dict[str, Any]:
    """The body of a grant from the lines of the form."""
    entries = []
    for number in range(_LINES):
        kind, key, amount = (body.pop(f"{name}{number}", None) for name in ("type", "key", "amount"))
        if key is not None or amount is not None:
            entries.append({"type": kind, "resourceKey": key or "", "amount": amount or 0})
    return {**body, "entries": entries}


async def _begin_grant(here: Here) -> Step:
    note = Field(
        name="sourceRefId", label="Reference", required=False, hint="Such as the number of the support case.", most=255
    )
    return Step(
        says="{name} is granted what you enter, and finds it in the game, waiting to be claimed.",
        name=await name_of(here),
        fields=(*(field for number in range(_LINES) for field in _entry_fields(number)), note),
        lists={"all": [one for part in (await _resources(here)).values() for one in part]},
        body={"externalPlayerId": here.places["externalId"]},
        shape=_grant,
        back=of_player(here, "", "grants"),
        above=above_player(here),
    )


async def _begin_claim(here: Here) -> Step:
    found = await here.read("grants.get")
    if found["player"]["externalPlayerId"] != here.places["externalId"]:
        raise NotHere
    what = reward(found["grant"]["entries"])
    return Step(
        says=f"{{name}} has {what} at once, as if the grant had been claimed in the game.",
        name=await name_of(here),
        fields=(_reason(required=False),),
        back=of_player(here, "", "grants"),
        above=above_player(here),
    )


# -- the whole player


def _action(
    below: str,
    operation: str,
    title: str,
    button: str,
    begin: Callable[[Here], Awaitable[Step]],
    *,
    notice: str = "",
    reveals: str = "",
    downloads: str = "",
    grave: bool = False,
) -> Action:
    return Action(
        path=f"{PLAYER}{below}",
        operation=operation,
        title=title,
        button=button,
        begin=begin,
        notice=notice,
        reveals=reveals,
        downloads=downloads,
        grave=grave,
        area="players",
    )


ROUTES: Final = (
    _action(
        "/ban",
        "players.ban",
        "Ban a player",
        "Ban the player",
        _begin("{name} is refused by the game at once, until you lift the ban.", _reason(required=True)),
        notice="banned",
        grave=True,
    ),
    _action(
        "/unban",
        "players.unban",
        "Lift a ban",
        "Lift the ban",
        _begin("{name} may play again at once."),
        notice="unbanned",
    ),
    _action(
        "/debug",
        "players.flagDebug",
        "Mark as debug account",
        "Mark the account",
        _begin("{name} is left out of revenue from now on, also with earlier purchases.", _reason(required=False)),
        notice="debug-on",
    ),
    _action(
        "/debug-off",
        "players.unflagDebug",
        "No debug account any more",
        "Take the mark away",
        _begin("{name} counts in revenue again, with all purchases."),
        notice="debug-off",
    ),
    _action(
        "/secret",
        "players.rotateSecret",
        "New secret for a player",
        "Make a new secret",
        _begin("{name} gets a new secret, and with the old one the game does not get in any more."),
        reveals="playerSecret",
        grave=True,
    ),
    _action(
        "/export",
        "players.export",
        "Export a player",
        "Download the export",
        _begin("You download all data that is held about {name}, and the audit trail says that you did."),
        downloads="player.json",
    ),
    _action(
        "/wallet/{economyKey}/adjust",
        "wallet.adjust",
        "Adjust a balance",
        "Change the balance",
        _begin_wallet,
        notice="balance-changed",
    ),
    _action(
        "/items",
        "inventory.adjust",
        "Give or take items",
        "Change the number of items",
        _begin_items,
        notice="items-changed",
    ),
    _action(
        "/inventory/{itemKey}/attributes",
        "inventory.setAttributes",
        "Attributes of an item",
        "Set the attributes",
        _begin_attributes,
        notice="attributes-set",
    ),
    _action("/grant", "grants.create", "Give a grant", "Give the grant", _begin_grant, notice="granted"),
    _action(
        "/claim/{grantId}",
        "grants.forceClaim",
        "Claim for the player",
        "Claim the grant",
        _begin_claim,
        notice="claimed",
    ),
)
