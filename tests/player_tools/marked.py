"""A marker in every place where the API takes free text or an identity, and the search for it afterwards.

The marker has what encodings change: a capital, a letter beyond ASCII, a quotation mark and a space. Where only ASCII is
taken its core stands alone, and is searched for as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

import attrs

from livecore import World
from livecore.world import Caller, WorldPlayer
from tests.worlds import ask, befriend, config, give

__all__ = ["CORE", "MARK", "MARKED_FIELDS", "lived", "spellings", "traces"]

CORE: Final = "ZqxMarker7"
MARK: Final = f'{CORE} "Å'
"""Also the studio's id of the player."""

MARKED_FIELDS: Final = {
    "externalId", "playerContext", "idempotencyKey", "name", "avatar", "status", "message", "reason", "sourceRefId",
    "metadata", "parameters", "transactionId", "X-Svc-App-Version", "X-Svc-Platform", "X-Request-Id", "X-Svc-SDK",
    "externalPlayerId", "friendExternalId", "blockedExternalId", "toExternalId",
}  # fmt: skip
"""Where `lived` puts it."""


def spellings() -> set[str]:
    """The marker as it may have been written down, folded: plain, in a URL, and in JSON; and its core."""
    spelled = {
        MARK,
        quote(MARK),
        quote(MARK, safe=""),
        json.dumps(MARK)[1:-1],
        json.dumps(MARK, ensure_ascii=False)[1:-1],
    }
    return {text.casefold() for text in (*spelled, CORE)}


def traces(value: object) -> Iterator[str]:
    """Every spelling of the marker that is found in the text of a value."""
    text = repr(value).casefold().replace("\\\\", "\\")
    return (spelling for spelling in spellings() if spelling in text)


def game(**changes: object) -> dict[str, Any]:
    """A game in which everything can be done."""
    return {**config(exchangeRates={"EUR": "1.08"}), **changes}


def lived(world: World) -> tuple[WorldPlayer, WorldPlayer]:
    """A player who is the marker all over, and a friend; the marker has done everything, and everything was done to them."""
    server = world.server
    headers = {"x-svc-app-version": CORE, "x-svc-platform": CORE, "x-request-id": CORE, "x-svc-sdk": f"{CORE}/1"}
    marked = world.player(MARK, **headers)
    again = ask(marked, "players.register", force=True, player_context={MARK: [MARK]})
    marked = attrs.evolve(marked, headers={**marked.headers, "x-player-secret": again.text("playerSecret")})
    friend = world.player("friend")
    _as_player(marked, friend)
    _as_friend(friend, marked)
    _as_studio(server, marked)
    return marked, friend


def _key(number: list[int]) -> dict[str, str]:
    number[0] += 1
    return {"idempotency_key": f"{CORE}-{number[0]}"}


_NUMBER: Final = [0]


def _as_player(marked: WorldPlayer, friend: WorldPlayer) -> None:
    ask(marked, "players.setIdentity", name=MARK, avatar=MARK, **_key(_NUMBER))
    ask(marked, "presence.heartbeat", status=MARK, **_key(_NUMBER))
    ask(marked, "friends.getCode")
    befriend(marked, friend)
    for key in ("gold", "potion", "sword"):
        give(marked, key, 50)
        give(friend, key, 50)
    gold = {"type": "currency", "resource_key": "gold", "amount": 5}
    ask(marked, "gifts.send", external_player_id="friend", message=MARK, **gold, **_key(_NUMBER))
    ask(marked, "wallet.debit", economy_key="gold", amount=1, reason=MARK, **_key(_NUMBER))
    ask(marked, "inventory.consume", item_key="potion", quantity=1, reason=MARK, **_key(_NUMBER))
    bought = {"store": "app", "product_id": "gems", "product_type": "x", "amount_minor": 5, "currency": "EUR"}
    ask(marked, "purchases.track", transaction_id=MARK, metadata={MARK: MARK}, **bought, **_key(_NUMBER))


def _as_friend(friend: WorldPlayer, marked: WorldPlayer) -> None:
    """The marker in what others did: in their requests, their answers and their gifts."""
    gold = {"type": "currency", "resource_key": "gold", "amount": 5}
    ask(friend, "gifts.send", external_player_id=MARK, message=f"For {MARK}", **gold, **_key(_NUMBER))
    third = friend.world.player("third")
    ask(third, "friends.sendRequest", external_player_id=MARK, **_key(_NUMBER))
    ask(third, "friends.block", external_player_id=MARK, **_key(_NUMBER))
    ask(third, "friends.unblock", blocked_external_id=MARK, headers={"idempotency-key": f"{CORE}-unblock"})
    ask(third, "friends.sendRequest", external_player_id=MARK, **_key(_NUMBER))
    fourth = friend.world.player("fourth")
    befriend(fourth, marked)
    ask(fourth, "friends.remove", friend_external_id=MARK, headers={"idempotency-key": f"{CORE}-remove"})


def _as_studio(server: Caller, marked: WorldPlayer) -> None:
    about = {"external_id": MARK}
    ask(server, "players.setIdentity", name=MARK, avatar=MARK, country="SE", **about, **_key(_NUMBER))
    named = {"reason": MARK, "source_ref_id": MARK}
    for operation in ("wallet.credit", "wallet.debit"):
        ask(server, operation, economy_key="gold", amount=2, **named, **about, **_key(_NUMBER))
    parameters = {"parameters": {MARK: {MARK: [MARK]}}}
    ask(server, "inventory.grant", item_key="sword", quantity=2, **parameters, **named, **about, **_key(_NUMBER))
    ask(server, "inventory.revoke", item_key="sword", quantity=1, **named, **about, **_key(_NUMBER))
    entry = {"type": "item", "resourceKey": "sword", "amount": 1, **parameters}
    more = {"entries": [entry], "metadata": {MARK: MARK}, "source_ref_id": MARK}
    made = [ask(server, "grants.create", **more, **about, **_key(_NUMBER)) for _ in range(2)]
    ask(marked, "grants.claim", grant_id=made[0].text("grant.grantId"), **_key(_NUMBER))
    ask(server, "players.flagDebug", reason=MARK, **about, **_key(_NUMBER))
    bought = {"store": "app", "product_id": "gems", "product_type": "x", "amount_minor": 5, "currency": "EUR"}
    ask(
        server, "purchases.track", transaction_id=f"{MARK} 2", metadata={MARK: MARK}, **bought, **about, **_key(_NUMBER)
    )
    _merge_in(marked)
    ask(server, "players.ban", reason=MARK, **about, **_key(_NUMBER))


def _merge_in(marked: WorldPlayer) -> None:
    """Somebody who is the marker as well, and of whom others hold answers, has become the marked player."""
    guest = marked.world.player(f"{MARK} as guest")
    ask(guest, "players.setIdentity", name=CORE, avatar=MARK, **_key(_NUMBER))
    ask(guest, "presence.heartbeat", status=MARK)
    ask(marked.world.player("fifth"), "friends.sendRequest", external_player_id=f"{MARK} as guest", **_key(_NUMBER))
    give(guest, "gold", 5)
    merged = ask(marked.world.server, "players.merge", external_id=f"{MARK} as guest", to_external_id=MARK)
    assert merged["status"] == "merged"
