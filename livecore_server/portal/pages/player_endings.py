"""What ends a player: merging into another one, after reading who is who, and erasing, after typing who it is.

Neither can be undone, so both ask for more than a click.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote

from livecore.economy.config import SYSTEM_KEYS
from livecore_server.portal.asking import Data
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here
from livecore_server.portal.pages.players import PLAYER, above_player, called, of_player
from livecore_server.portal.views import Action, Comparison, PreparedAction
from livecore_server.portal.words import counted, moment, money, number, reward

_FEW: Final = {"limit": "1"}


async def _player(here: Here, **places: str) -> Data:
    return await here.read("players.get", query=_FEW, **places)


# -- merging


def _target_field(*, shown: bool) -> Field:
    return Field(
        operation="players.merge",
        name="toExternalId",
        label="Id of the other player in your game",
        hint="Of the player who stays. Nothing is done yet: you read first what will become of both.",
        shown=shown,
    )


async def _begin_merge(here: Here) -> PreparedAction:
    return PreparedAction(
        says="Everything of {name} goes to the other player, and this one is gone afterwards. It cannot be undone.",
        name=called((await _player(here))["player"]),
        fields=(_target_field(shown=True),),
        above=above_player(here),
    )


async def _review_merge(here: Here, body: Data) -> PreparedAction:
    """Who is merged into whom, side by side. Raises `Refused` where there is no such player."""
    source, target = await _player(here), await _player(here, externalId=body["toExternalId"])
    ids = [about["player"]["id"] for about in (source, target)]
    objections = tuple(_objections(ids, target))
    return PreparedAction(
        says="{name} is folded into the other player, who stays. Read who is who: it cannot be undone.",
        name=called(source["player"]),
        fields=(_target_field(shown=False),),
        compared=_side_by_side(source, target),
        parts=_what_becomes(source, target),
        objections=objections,
        blocked=bool(objections),
        seen=" ".join(ids),
        above=above_player(here),
    )


def _objections(ids: list[str], target: Data) -> Iterable[str]:
    if ids[0] == ids[1]:
        yield "Both are the same player."
    elif target["player"]["ban"]:
        yield "The player who would stay is banned. Lift the ban first."


def _side_by_side(source: Data, target: Data) -> Comparison:
    facts = [_facts(about) for about in (source, target)]
    return Comparison(
        "Player",
        tuple(f"{way}: {called(about['player'])}" for way, about in (("Goes", source), ("Stays", target))),
        tuple((what, facts[0][what], facts[1][what]) for what in facts[0]),
    )


def _facts(about: Data) -> dict[str, str]:
    player, social, spend = about["player"], about["social"], about["spend"]
    return {
        "Id in your game": player["externalPlayerId"],
        "Id in Livecore": player["id"],
        "State": ", ".join(_states(player)),
        "First seen": moment(player["firstSeenAt"]),
        "Last seen": moment(player["lastSeenAt"]),
        "Balances": _balances(about) or "none",
        "Items": _items(about) or "none",
        "Grants": f"{number(about['summary']['grantsPending'])} to claim",
        "Gifts": f"{number(social['giftsReceivedPending'])} to claim",
        "Friends": number(social["friends"]),
        "Guild": about["guild"]["name"] if about["guild"] else "none",
        "Purchases": f"{number(spend['purchaseCount'])}, {money(spend['lifetimeAmountMinor'])} US dollars",
    }


def _states(player: Mapping[str, Any]) -> Iterable[str]:
    yield "banned" if player["ban"] else "active"
    if player["debug"]:
        yield "debug account"


def _balances(about: Data) -> str:
    return reward(
        {"amount": row["balance"], "resourceKey": row["key"]}
        for row in about["wallet"]
        if row["balance"] and row["key"] not in SYSTEM_KEYS
    )


def _items(about: Data) -> str:
    return reward({"amount": row["quantity"], "resourceKey": row["itemKey"]} for row in about["inventory"])


def _what_becomes(source: Data, target: Data) -> tuple[tuple[str, tuple[str, ...]], ...]:
    moves = [
        "Balances and items are added to those of the player who stays; of login streaks the longer one counts.",
        "Grants, gifts, friends, blocks, purchases and what was played become those of the player who stays.",
    ]
    ends = ["The name, the friend code and the secret of the player who goes: a game that still uses them is refused."]
    if source["guild"] and target["guild"]:
        ends.append(f"The membership in the guild {source['guild']['name']}: a player is in one guild.")
    elif source["guild"]:
        moves.append(f"The membership in the guild {source['guild']['name']} moves as well.")
    if source["player"]["ban"]:
        moves.append("The ban moves as well: the player who stays is banned afterwards.")
    return (("What moves", tuple(moves)), ("What ends", tuple(ends)))


def _to_target(here: Here, body: Mapping[str, Any], _: object) -> str:
    return here.to(f"/players/{quote(body['toExternalId'], safe='')}")


# -- erasing


_REASONS: Final = {
    "studio_request": "the studio decided so",
    "gdpr_erasure": "the player demanded it (data protection)",
    "test": "it was a test",
}


async def _begin_erase(here: Here) -> PreparedAction:
    about = await _player(here)
    player = about["player"]
    named = tuple(text for text in (player["externalPlayerId"], player["displayIdentity"]["name"]) if text)
    return PreparedAction(
        says="All that could tell who {name} is goes away for ever, and the player is gone. It cannot be undone.",
        name=called(player),
        parts=_what_goes(about),
        fields=(
            Field(operation="players.erase", name="reason", label="Because", labels=_REASONS),
            Field(name="confirm", label="The player's id or name", hint="Type it to confirm.", expects=named, most=255),
        ),
        above=above_player(here),
    )


def _what_goes(about: Data) -> tuple[tuple[str, tuple[str, ...]], ...]:
    social, spend = about["social"], about["spend"]
    goes = [
        "Names, picture, country, device, context, friend code, secret and presence.",
        f"{counted(social['friends'], 'friend')}, {counted(social['blocks'], 'block')} and open requests.",
        f"{counted(social['giftsReceivedPending'], 'gift')} to claim: a sender who has paid gets it back.",
        "The bodies of webhooks about the player, once they are sent, and the details of the audit trail.",
    ]
    if about["guild"]:
        goes.append(f"The seat in the guild {about['guild']['name']}.")
    held = " and ".join(part for part in (_balances(about), _items(about)) if part)
    stays = [
        f"The amounts in ledgers, so that sums stay right: {held or 'nothing at present'}.",
        f"{counted(spend['purchaseCount'], 'purchase')} with price and product, without the store's transaction id.",
        "What was played, under the name that strangers have seen.",
    ]
    return (("What goes away", tuple(goes)), ("What stays, without a name", tuple(stays)))


def _to_search(here: Here, *_: object) -> str:
    return here.to("/players")


ROUTES: Final = (
    Action(
        path=f"{PLAYER}/merge",
        operation="players.merge",
        title="Merge into another player",
        button="Look at both players",
        begin=_begin_merge,
        back=of_player,
        review=_review_merge,
        second_button="Merge the players for ever",
        message="merged",
        then=_to_target,
        grave=True,
        area="players",
    ),
    Action(
        path=f"{PLAYER}/erase",
        operation="players.erase",
        title="Erase a player",
        button="Erase the player for ever",
        begin=_begin_erase,
        back=of_player,
        message="erased",
        then=_to_search,
        grave=True,
        area="players",
    ),
)
