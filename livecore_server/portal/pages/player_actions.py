"""What one may do for a player, each with a page before it that says what will happen."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.pages.players import PLAYER, above_player, name_of, of_player
from livecore_server.portal.problems import NotHere
from livecore_server.portal.views import Action, PreparedAction
from livecore_server.portal.words import reward

_KEY_HINT: Final = "As in the game's settings; the field suggests what they declare."
_LINES: Final = 3
"""How many entries a grant can have here; by the API it can have more."""


def _reason(operation: str) -> Field:
    return Field(
        operation=operation,
        name="reason",
        label="Reason",
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


def _begin(says: str) -> Callable[[Here], Awaitable[PreparedAction]]:
    """The beginning of an action about a player as a whole."""

    async def begin(here: Here) -> PreparedAction:
        return PreparedAction(says=says, name=await name_of(here), above=above_player(here))

    return begin


def _to_part(anchor: str) -> Callable[[Here], str]:
    """Back to a part of the page about the player."""
    return lambda here: of_player(here, "", anchor)


# -- balances and items


def _change_of_amount(operation: str, what: str) -> tuple[Field, Field]:
    hint = f"Such as 50, or -50 to take {what} away."
    return Field(operation=operation, name="delta", label="Change by", hint=hint), _reason(operation)


async def _begin_wallet(here: Here) -> PreparedAction:
    key = here.places["economyKey"]
    return PreparedAction(
        says=f"The balance {key} of {{name}} changes by what you enter, with an entry in its ledger.",
        name=await name_of(here),
        above=above_player(here),
    )


async def _begin_items(here: Here) -> PreparedAction:
    lists = await _resources(here)
    item = Field(operation="inventory.adjust", name="itemKey", label="Item", hint=_KEY_HINT, suggests="items")
    return PreparedAction(
        says="The number of these items that {name} holds changes by what you enter, with an entry in the ledger.",
        name=await name_of(here),
        fields=(item, *_change_of_amount("inventory.adjust", "items")),
        lists={"items": lists["items"]},
        above=above_player(here),
    )


async def _begin_attributes(here: Here) -> PreparedAction:
    key = here.places["itemKey"]
    held = (await here.read("players.get", query={"limit": "1"}))["inventory"]
    present = next((one["ownParameters"] for one in held if one["itemKey"] == key), None)
    parameters = Field(
        operation="inventory.setAttributes",
        name="parameters",
        label="Own attributes",
        value="" if present is None else json.dumps(present, indent=2, ensure_ascii=False),
        hint='A JSON object, such as {"level": 5}. Empty: what the settings of the game say of the item.',
    )
    return PreparedAction(
        says=f"The item {key} of {{name}} has these attributes from now on, in place of those that it has.",
        name=await name_of(here),
        fields=(parameters, _reason("inventory.setAttributes")),
        above=above_player(here),
    )


# -- grants


def _entry_fields(number: int) -> tuple[Field, ...]:
    field = partial(Field, operation="grants.create", required=number == 0)
    path = f"entries[{number}]"
    group = ("What is granted", "And also (optional)", "And more (optional)")[number]
    kinds = {"currency": "currency or progression", "item": "item", "crate": "crate"}
    return (
        field(name=f"type{number}", path=f"{path}.type", label="Kind", labels=kinds, group=group),
        field(
            name=f"key{number}",
            path=f"{path}.resourceKey",
            label="Key",
            hint=_KEY_HINT,
            suggests="all",
            group=group,
        ),
        field(name=f"amount{number}", path=f"{path}.amount", label="Amount", group=group),
    )


def _grant(body: dict[str, Any]) -> dict[str, Any]:
    """The body of a grant from the lines of the form."""
    entries = []
    for number in range(_LINES):
        kind, key, amount = (body.pop(f"{name}{number}", None) for name in ("type", "key", "amount"))
        if key is not None or amount is not None:
            entries.append({"type": kind, "resourceKey": key or "", "amount": amount or 0})
    return {**body, "entries": entries}


async def _begin_grant(here: Here) -> PreparedAction:
    note = Field(
        operation="grants.create",
        name="sourceRefId",
        label="Reference",
        hint="Such as the number of the support case.",
    )
    return PreparedAction(
        says="{name} is granted what you enter, and finds it in the game, waiting to be claimed.",
        name=await name_of(here),
        fields=(*(field for number in range(_LINES) for field in _entry_fields(number)), note),
        lists={"all": [one for part in (await _resources(here)).values() for one in part]},
        body={"externalPlayerId": here.places["externalId"]},
        shape=_grant,
        above=above_player(here),
    )


async def _begin_claim(here: Here) -> PreparedAction:
    found = await here.read("grants.get")
    if found["player"]["externalPlayerId"] != here.places["externalId"]:
        raise NotHere
    what = reward(found["grant"]["entries"])
    return PreparedAction(
        says=f"{{name}} has {what} at once, as if the grant had been claimed in the game.",
        name=await name_of(here),
        fields=(_reason("grants.forceClaim"),),
        above=above_player(here),
    )


# -- the whole player


_action: Final = partial(Action, area="players", back=of_player)

ROUTES: Final = (
    _action(
        path=f"{PLAYER}/ban",
        operation="players.ban",
        title="Ban a player",
        button="Ban the player",
        begin=_begin("{name} is refused by the game at once, until you lift the ban."),
        fields=(_reason("players.ban"),),
        message="banned",
        grave=True,
    ),
    _action(
        path=f"{PLAYER}/unban",
        operation="players.unban",
        title="Lift a ban",
        button="Lift the ban",
        begin=_begin("{name} may play again at once."),
        fields=(),
        message="unbanned",
    ),
    _action(
        path=f"{PLAYER}/debug",
        operation="players.flagDebug",
        title="Mark as debug account",
        button="Mark the account",
        begin=_begin("{name} is left out of revenue from now on, also with earlier purchases."),
        fields=(_reason("players.flagDebug"),),
        message="debug-on",
    ),
    _action(
        path=f"{PLAYER}/debug-off",
        operation="players.unflagDebug",
        title="No debug account any more",
        button="Take the mark away",
        begin=_begin("{name} counts in revenue again, with all purchases."),
        fields=(),
        message="debug-off",
    ),
    _action(
        path=f"{PLAYER}/secret",
        operation="players.rotateSecret",
        title="New secret for a player",
        button="Make a new secret",
        begin=_begin("{name} gets a new secret, and with the old one the game does not get in any more."),
        fields=(),
        reveals="playerSecret",
        grave=True,
    ),
    _action(
        path=f"{PLAYER}/export",
        operation="players.export",
        title="Export a player",
        button="Download the export",
        begin=_begin("You download all data that is held about {name}, and the audit trail says that you did."),
        fields=(),
        downloads="player.json",
    ),
    _action(
        path=f"{PLAYER}/wallet/{{economyKey}}/adjust",
        operation="wallet.adjust",
        title="Adjust a balance",
        button="Change the balance",
        begin=_begin_wallet,
        fields=_change_of_amount("wallet.adjust", "some"),
        back=_to_part("balances"),
        message="balance-changed",
    ),
    _action(
        path=f"{PLAYER}/items",
        operation="inventory.adjust",
        title="Give or take items",
        button="Change the number of items",
        begin=_begin_items,
        back=_to_part("items"),
        message="items-changed",
    ),
    _action(
        path=f"{PLAYER}/inventory/{{itemKey}}/attributes",
        operation="inventory.setAttributes",
        title="Attributes of an item",
        button="Set the attributes",
        begin=_begin_attributes,
        back=_to_part("items"),
        message="attributes-set",
    ),
    _action(
        path=f"{PLAYER}/grant",
        operation="grants.create",
        title="Give a grant",
        button="Give the grant",
        begin=_begin_grant,
        back=_to_part("grants"),
        message="granted",
    ),
    _action(
        path=f"{PLAYER}/claim/{{grantId}}",
        operation="grants.forceClaim",
        title="Claim for the player",
        button="Claim the grant",
        begin=_begin_claim,
        back=_to_part("grants"),
        message="claimed",
    ),
)
