"""A game whose players have much of everything, and every read of one who has something to do with many of them."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from livecore.access.directory import STUDIOS
from livecore.access.members import add_member
from livecore.access.sessions import start_session
from livecore.api.operations import OPERATIONS
from livecore.api.requests.http import Request
from livecore.api.table.operation import EventStream, Operation
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore_server.system import now_millis
from tests.laws.arena import Rows
from tests.postgres.rig import CONFIG, Game, game_over

KEYS: Final = ("gold", "gems", "xp", "dust")
READS: Final = [
    entry for entry in OPERATIONS
    if entry.method == "GET" and EventStream not in entry.answers.values() and entry.credential != "none"
    and entry.reach != "several" and not entry.path.endswith("/openapi.json")
]  # fmt: skip
_PROGRESSION: Final = f"progression={','.join((*KEYS, 'sessions'))}"
QUERIES: Final = {
    "sdk:friends.getCode": _PROGRESSION,
    "sdk:friends.list": _PROGRESSION,
    "sdk:friends.listRequests": _PROGRESSION,
    "sdk:friends.suggestions": f"limit=25&{_PROGRESSION}",
    "sdk:friends.search": f"q=crowd&limit=50&{_PROGRESSION}",
    "server:friends.list": _PROGRESSION,
    "server:friends.listRequests": _PROGRESSION,
    "server:gifts.list": "direction=received",
    "admin:friends.list": _PROGRESSION,
    "admin:friends.listRequests": _PROGRESSION,
    "admin:players.search": "q=crowd&limit=200",
    "admin:players.timeline": "limit=200",
    "admin:spend.get": "windows=1,7,30",
    "server:spend.get": "windows=1,7,30",
    "server:spend.listPlayers": "windowDays=30",
}
"""What makes an operation read the most; the others are asked for without a query."""
RACE: Final[dict[str, Any]] = {
    "key": "race",
    "name": "Race",
    "schedule": {"startsAt": "2020-01-01T00:00:00Z", "everySeconds": 315_360_000, "durationSeconds": 315_360_000},
    "metrics": [{"key": "points"}],
    "target": 1,
    "attempts": {"maxPerWindow": None},
}
"""An event that is open for ten years, in which one attempt is completed after another."""
ARENA: Final[dict[str, Any]] = {
    "key": "arena",
    "name": "Arena",
    "schedule": RACE["schedule"],
    "metrics": [{"key": "points"}],
    "lobby": {"capacity": 200, "fillSeconds": 86_400},
}
"""An event with a lobby that is never full."""
CREWS: Final[dict[str, Any]] = {
    **RACE,
    "key": "crews",
    "target": None,
    "teams": {"formation": "open", "size": {"max": 200}},
}
DUO: Final[dict[str, Any]] = {**CREWS, "key": "duo", "teams": {"formation": "partner"}}
"""Events with teams, and with pairs."""
OTHERS: Final[list[dict[str, Any]]] = [{**RACE, "key": f"race-{number}"} for number in range(9)]
EVENTS: Final = {"/partner/": "duo", "/team": "crews", "/lobbies": "arena"}
"""Which event an operation is asked about."""
GIFT: Final[dict[str, Any]] = {"type": "currency", "resourceKey": "gold", "amount": 1}
_numbers = itertools.count(1)


STRICT: Final = {"strangers": {"presence": False, "status": False, "country": False}, "presenceTo": "friends"}
"""What is shown of a player depends on whether the caller is a friend."""


class Crowd:
    """Somebody who has something to do with many."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.me = game.player(gold=1_000)
        self.attempt: dict[str, Any] = {}
        """An attempt of theirs."""
        self._post(f"{self.me}/guild", name="The guild")
        self.lobby = self._wait(self.me)
        self.team: str = self._team_up(self.me)
        self.cookie = f"livecore={self.game.stores[0].write(DIRECTORY, self._member)}"
        self.guild: str = self.game.ask("GET", f"{self.me}/guild").data["guild"]["guildId"]
        self.things: dict[str, str] = {"version": "1"}
        """What operators' paths name besides."""

    def grow(self, size: int) -> None:
        """So many more of everything that a read may show."""
        for _ in range(size):
            self._grow()

    def _grow(self) -> None:
        me = self.me
        friend, asked, asker, blocked, stranger = (self._somebody() for _ in range(5))
        for one, other in ((me, friend), (friend, me), (me, asked), (asker, me)):
            self._post(f"{one}/friends/requests", externalPlayerId=other)
        self._post(f"{me}/friends/blocks", externalPlayerId=blocked)
        for one, other in ((me, friend), (friend, me)):
            self._post(f"{one}/friends/gifts", externalPlayerId=other, **GIFT)
        number = next(_numbers)
        self._post(f"{me}/grants", server=True, idempotencyKey=f"grant {number}", entries=[GIFT])
        crate = {"type": "crate", "resourceKey": "race", "amount": 1}
        self._post(f"{me}/grants", server=True, idempotencyKey=f"crate {number}", kind="crate", entries=[crate])
        for buyer in (me, friend, stranger):
            self._post(f"{buyer}/purchases", server=True, transactionId=f"{buyer} {number}", store="s",
                       productId=f"product {number}", productType="x", amountMinor=100, currency="USD")  # fmt: skip
        for account in (friend, stranger):
            self._post(f"{account}/debug", server=True)
        for racer in (friend, stranger, me):
            self._race(racer)
        self._wait(stranger)
        self._team_up(stranger)
        self._post(f"{friend}/events/crews/team/join", teamKey=self.team)
        self._post(f"{me}/events/duo/partner/invites", externalPlayerId=friend)
        self._post(f"{stranger}/events/duo/partner/invites", externalPlayerId=me)
        self._join(friend, number)
        self._post(f"{asked}/guild/join", guildId=self.guild)
        self._post(f"{stranger}/guild", name=f"Guild {number}")
        self._operated(number)

    def _operated(self, number: int) -> None:
        """One more of what operators have."""
        operate, person = self._operate, {"email": f"viewer-{number}@example.com", "role": "VIEWER"}
        operate("POST", "/members", person)
        operate("POST", "/personal-keys", {"name": f"key {number}", "expiresInDays": 7})
        hook = {"key": f"hook {number}", "url": "https://studio.example/hook", "events": ["gift.sent"]}
        endpoint = operate("POST", f"{self._here}/webhooks", hook)["endpoint"]["endpointId"]
        operate("POST", f"{self._here}/webhooks/{endpoint}/sample", {"kind": "gift.sent"})
        delivery = operate("GET", f"{self._here}/deliveries")["deliveries"][0]["deliveryId"]
        grant = {"externalPlayerId": self.me, "idempotencyKey": f"operator's {number}", "entries": [GIFT]}
        made = operate("POST", f"{self._here}/grants", grant)["grant"]["grantId"]
        teams = operate("GET", f"{self._here}/events/crews/windows/{self._window('crews')}/teams")["teams"]
        self.things |= {"deliveryId": delivery, "grantId": made, "teamId": teams[0]["eventTeamId"]}
        settings = operate("GET", f"{self._here}/settings")
        config = {**settings["config"], "name": f"Race {number}"}
        operate("PUT", f"{self._here}/settings", {"config": config, "version": settings["version"]})

    @property
    def _here(self) -> str:
        return f"/games/{self.game.made.game.game_id}"

    def _operate(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """Ask as the owner; gives the answer's data."""
        headers = {"cookie": self.cookie, "sec-fetch-site": "same-origin", "content-type": "application/json"}
        where = f"/admin/v1/studios/{self.game.made.game.studio_id}{path}"
        content = b"" if body is None else json.dumps(body).encode()
        response = self.game.processes[0].perform(Request(method, where, "", headers, content, "192.0.2.1")).response
        assert response.status in (200, 201), response
        return json.loads(response.body)["data"]

    def _window(self, event: str) -> str:
        """The window of an event that is open; the next one is there as well."""
        return str(self._operate("GET", f"{self._here}/events/{event}/windows")["windows"][-1]["eventWindowId"])

    def _join(self, member: str, number: int) -> None:
        """One more member, who needs help, and was in another guild before."""
        self._post(f"{member}/guild", name=f"Earlier {number}")
        self._post(f"{member}/guild/leave")
        request = self.game.ask("POST", f"{member}/guild/join", {"guildId": self.guild}).data["request"]["requestId"]
        self._post(f"{self.me}/guild/requests/{request}/accept")
        for one in (member, self.me):
            self._post(f"{one}/guild/help", type="currency", resourceKey="gold", amount=5)

    def _member(self, tx: Transaction) -> str:
        """A member of the studio; gives a session."""
        studio, now, entropy = tx.get(STUDIOS, self.game.made.game.studio_id), now_millis(), Entropy(b"member")
        assert studio is not None
        member, _ = add_member(tx, studio, "owner@example.com", "OWNER", now, entropy)
        return start_session(tx, member.member_id, now, entropy).token

    def _wait(self, player: str) -> str:
        reply = self.game.ask("POST", f"{player}/events/arena/start", {})
        assert reply.status == 202, reply
        return str(self.game.ask("GET", player, server=True).data["lobbies"][0]["lobbyId"])

    def _team_up(self, founder: str) -> str:
        return str(self.game.ask("POST", f"{founder}/events/crews/team", {}).data["team"]["teamKey"])

    def _race(self, racer: str) -> None:
        self.attempt = self.game.ask("POST", f"{racer}/events/race/start", {}).data["attempt"]
        self._post(f"{racer}/events/race/attempts/{self.attempt['attemptId']}/progress", metrics={"points": 1})
        self._post(f"{racer}/leaderboards/race/scores", score=1)

    def _somebody(self) -> str:
        name = self.game.player()
        self._post(f"{name}/identity", method="PUT", name=f"Crowd {name}", avatar=None)
        for key in KEYS:
            self._post(f"{name}/wallet/{key}/credit", server=True, amount=5)
        return name

    def _post(self, path: str, *, method: str = "POST", server: bool = False, **body: object) -> None:
        reply = self.game.ask(method, path, body, server=server)
        assert reply.status in (200, 201), (path, reply)

    def rounds(self, store_rounds: Callable[[], int]) -> dict[str, int]:
        """How many rounds each read takes in a process that has seen the player before.

        `store_rounds` says how many there were in the store's units since it was asked last.
        """
        return {entry.id: self._asked(entry, store_rounds) for entry in READS}

    def _asked(self, operation: Operation, store_rounds: Callable[[], int]) -> int:
        application, game = self.game.processes[0], self.game
        permission = "server" if operation.credential == "server_key" else "client"
        headers = {
            "authorization": f"Bearer {game.made.keys['live', permission].text}",
            "x-player-secret": game.secrets[self.me],
        }
        if operation.credential == "member":
            headers = {"cookie": self.cookie, "sec-fetch-site": "same-origin"}
        owned = {"studioId": game.made.game.studio_id, "gameId": game.made.game.game_id}
        things = {"guildId": self.guild, "lobbyId": self.lobby, "economyKey": "gold", "itemKey": "potion", **owned}
        event = next((key for word, key in EVENTS.items() if word in operation.path), "race")
        if "{windowId}" in operation.path:
            things["windowId"] = self._window(event)
        named = {
            **self.attempt,
            **self.things,
            **things,
            "externalId": self.me,
            "key": event,
            "eventKey": event,
            "teamKey": self.team,
        }
        path = re.sub(r"\{(\w+)\}", lambda variable: str(named[variable[1]]), operation.path)
        request = Request("GET", path, QUERIES.get(operation.id, ""), headers, b"", "192.0.2.1")
        rounds = 0
        for _ in range(2):
            store_rounds()
            response = application.perform(request).response
            assert response.status == 200, (operation.id, response)
            rounds = store_rounds()
        return rounds


def crowd_over(store: Rows, privacy: Mapping[str, Any] | None = None) -> Crowd:
    """The game, over an empty store."""
    gifting = {**CONFIG["gifting"], "dailySendLimit": None}
    divided = {"divisions": [{"key": key} for key in ("low", "high")], "cohortSize": 2}
    boards: list[dict[str, Any]] = [{"key": key, "name": key.title()} for key in ("race", "second", "third", "fourth")]
    boards[2] |= divided
    economy = [{"key": key} for key in KEYS]
    crate = {"key": "race", "name": "Race", "guaranteed": [GIFT]}
    gold = {"type": "currency", "key": "gold", "maxRequest": 5, "maxDonation": 5}
    guilds = {"enabled": True, "joinTypes": ["request"], "help": {"resources": [gold]}}
    events = [RACE, ARENA, CREWS, DUO, *OTHERS]
    config = {**CONFIG, "economy": economy, "crates": [crate], "gifting": gifting, "events": events,
              "leaderboards": boards, "guilds": guilds, "privacy": privacy}  # fmt: skip
    return Crowd(game_over([store], config))
