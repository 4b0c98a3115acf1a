"""An operator at work: looks a player up, helps, bans and forgives, and reads what the audit trail says of it.

    $ python -m examples.studio_operator         # in a world, without a server

The same program works on a server that runs already, with its address, a personal key, a game and a player, of the live
environment unless it says `test`. A personal key is made in the operator portal; the player is banned for a moment:

    $ python -m examples.studio_operator https://live.example.com svc_pk_… gam_… anna test

Operators' operations are plain HTTP with JSON; the address and the arguments of each are in the reference.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import httpx

from livecore import World
from livecore.demo import DEMO
from livecore_client import LocalTransport

Texts: TypeAlias = Mapping[str, str | int]
Data: TypeAlias = dict[str, Any]


class Desk:
    """The operators' API of one game, by the personal key of a member."""

    def __init__(self, client: httpx.Client, game_id: str) -> None:
        self._client = client
        shown = self._ask("GET", "/admin/v1/session")
        (studio,) = shown["studios"]  # a personal key is of one studio
        self.who = f"{shown['member']['email']} ({studio['role']})"
        self._studio = f"/admin/v1/studios/{studio['studioId']}"
        self._game = f"{self._studio}/games/{game_id}"
        self.game_id = game_id

    def player(self, method: str, player: str, below: str = "", *, params: Texts, json: Texts | None = None) -> Data:
        """Ask about a player."""
        return self._ask(method, f"{self._game}/players/{player}{below}", params=params, json=json)

    def audit(self, **filters: str) -> list[Data]:
        """The newest entries of the audit trail that match."""
        answer = self._ask("GET", f"{self._studio}/audit", params={"game": self.game_id, **filters})
        entries: list[Data] = answer["entries"]
        return entries

    def _ask(self, method: str, path: str, *, params: Texts | None = None, json: Texts | None = None) -> Data:
        answer = self._client.request(method, path, params=dict(params or {}), json=json).json()
        if "error" in answer:
            sys.exit(f"{answer['error']['code']}: {answer['error']['message']}")
        data: Data = answer["data"]
        return data


def work(
    client: httpx.Client, game_id: str, player: str, environment: str, wait: Callable[[], object] = lambda: None
) -> None:
    """Help a player, ban them, forgive them, and read the audit trail; `wait` lets a world's time pass."""
    desk, place = Desk(client, game_id), {"environment": environment}
    print(f"{desk.who} looks {player} up")
    before = desk.player("GET", player, params=place)
    print(f"  seen {before['player']['lastSeenAt']}, {before['summary']['grantsPending']} grants to claim")
    given: Texts = {"delta": 25, "reason": "a lost chest, ticket 4709"}
    balance = desk.player("POST", player, "/wallet/gold/adjust", params=place, json=given)["balance"]
    print(f"  gets 25 gold and has {balance} now")
    wait()
    desk.player("POST", player, "/ban", params=place, json={"reason": "insults in chat, ticket 4711"})
    print("  is banned")
    wait()
    desk.player("POST", player, "/unban", params=place)
    print("  may play again")
    print("the audit trail says:")
    for entry in reversed(desk.audit(player=player, limit="3")):
        reason = entry["after"]["reason"] or entry["before"]["reason"]
        print(f"  {entry['at']} {entry['actor']['name']}, via {entry['via']}: {entry['action']} ({reason})")


def main(arguments: list[str]) -> None:
    """Work in a world, or on the server of the command line."""
    if arguments:
        base_url, key, game_id, player, *place = arguments
        with httpx.Client(base_url=base_url, headers={"Authorization": f"Bearer {key}"}) as client:
            work(client, game_id, player, place[0] if place else "live")
        return
    world = World(DEMO)
    world.player("anna")
    made = world.operator("olga@example.com", "GAME_ADMIN").call("personalKeys.create", name="desk", expires_in_days=7)
    headers = {"Authorization": f"Bearer {made['key']}"}
    with httpx.Client(base_url="http://world", headers=headers, transport=LocalTransport(world)) as client:
        work(client, world.game.game_id, "anna", world.environment, lambda: world.advance(minutes=1))


if __name__ == "__main__":
    main(sys.argv[1:])
