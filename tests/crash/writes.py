"""What a load sends: writes of every kind, each of which goes on with what earlier ones have made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from livecore.kernel.entropy import Entropy, derive_seed
from tests.crash.attempts import Attempt
from tests.crash.game import PLAYERS

_GUESTS: Final = 40
"""How many players there are whom the studio's backend brings along for a lobby, and who do nothing else."""
_LATEST: Final = 12
"""How many requests for help are looked at to find one that a player may give for."""


class Writes:
    """The next write, again and again: the same for a seed and the same answers."""

    def __init__(self, game_id: str, seed: int) -> None:
        self._game_id = game_id
        self._root = seed.to_bytes(8, "big")
        self._number = 0
        self._gifts: list[tuple[str, str, str]] = []
        self._grants: list[tuple[str, str]] = []
        self._requests: list[tuple[str, str]] = []
        self._crates: list[tuple[str, str]] = []
        self._guilds: list[str] = []
        self._member_of: dict[str, str] = {}
        self._help: list[tuple[str, str, str]] = []
        """Who has asked for help, in which guild, and the request's id."""
        self._running: dict[tuple[str, str], str] = {}
        """The attempt that each player started last at each event."""
        self._waiting: dict[str, str] = {}
        """The lobby in which each player was told to wait last."""

    def fresh(self, name: str, player: str, /, **arguments: object) -> Attempt:
        """A write with a key of its own."""
        self._number += 1
        return Attempt(name, player, arguments, f"key-{self._number}")

    def next(self) -> Attempt:
        """The next write."""
        chance = Entropy(derive_seed(self._root, "attempt", self._number))
        at = chance.below(len(PLAYERS))
        player, friend = PLAYERS[at], PLAYERS[(at + 1) % len(PLAYERS)]
        return chance.choice(_KINDS)(self, chance, player, friend)

    # -- what was made

    def learn(self, attempt: Attempt) -> None:
        """Remember what an attempt that succeeded has made, to go on with it."""
        data = attempt.data
        if attempt.name == "sdk:gifts.send":
            gift = data["gift"]
            self._gifts.append((gift["player"]["externalPlayerId"], gift["giftId"], gift["grantId"]))
        elif attempt.name == "sdk:friends.sendRequest" and "request" in data:
            row = data["request"]
            self._requests.append((row["player"]["externalPlayerId"], row["requestId"]))
        elif attempt.name == "server:grants.create":
            grant = data["grant"]
            made = self._crates if grant["kind"] == "crate" else self._grants
            made.append((attempt.player, grant["grantId"]))
        elif attempt.name == "sdk:crates.open":
            self._crates = [crate for crate in self._crates if crate[1] != attempt.arguments["crateId"]]
            self._grants.append((attempt.player, data["grant"]["grantId"]))
        elif attempt.name == "sdk:events.start":
            self._learn_start(attempt)
        else:
            self._learn_of_guild(attempt)

    def _learn_start(self, attempt: Attempt) -> None:
        lobby_id = attempt.waits_in
        if lobby_id is None:
            self._running[attempt.player, attempt.arguments["key"]] = attempt.data["attempt"]["attemptId"]
            if attempt.data["attempt"]["lobbyId"] is not None:
                self._waiting.pop(attempt.player, None)
        else:
            self._waiting[attempt.player] = lobby_id

    def _learn_of_guild(self, attempt: Attempt) -> None:
        data = attempt.data
        if attempt.name == "sdk:guilds.create":
            self._guilds.append(data["guild"]["guildId"])
        if attempt.name in {"sdk:guilds.create", "sdk:guilds.join"}:
            self._member_of[attempt.player] = data["guild"]["guildId"]
        elif attempt.name == "sdk:guilds.leave":
            self._member_of.pop(attempt.player, None)
        elif attempt.name == "sdk:guilds.requestHelp":
            guild_id = self._member_of.get(attempt.player, "")
            self._help.append((attempt.player, guild_id, data["request"]["requestId"]))
        elif attempt.name == "sdk:guilds.donate":
            given = data["donation"]
            asking = [player for player, _, request_id in self._help if request_id == attempt.arguments["requestId"]]
            self._grants += [(player, given["grantId"]) for player in asking]
            if given["rewardGrantId"] is not None:
                self._grants.append((attempt.player, given["rewardGrantId"]))

    def forget(self, most: int) -> None:
        """Remember at most so many of each thing: the latest are those that writes go on with."""
        del self._gifts[:-most], self._help[:-most], self._guilds[:-most]
        for made in (self._grants, self._requests, self._crates):
            del made[:-most]

    # -- wallets, gifts and grants

    def _credit(self, chance: Entropy, player: str, _: str) -> Attempt:
        return self.fresh("server:wallet.credit", player, economyKey="gold", amount=1 + chance.below(200))

    def _debit(self, chance: Entropy, player: str, _: str) -> Attempt:
        return self.fresh("sdk:wallet.debit", player, economyKey="gold", amount=1 + chance.below(50))

    def _items(self, chance: Entropy, player: str, _: str) -> Attempt:
        return self.fresh("server:inventory.grant", player, itemKey="potion", quantity=1 + chance.below(9))

    def _gift(self, chance: Entropy, player: str, friend: str) -> Attempt:
        kind, key = chance.choice((("currency", "gold"), ("item", "potion"), ("currency", "xp")))
        amount = 1 + chance.below(5)
        return self.fresh("sdk:gifts.send", player, externalPlayerId=friend, type=kind, resourceKey=key, amount=amount)

    def _claim(self, chance: Entropy, player: str, friend: str) -> Attempt:
        if not self._gifts:
            return self._gift(chance, player, friend)
        recipient, gift_id, grant_id = self._gifts[-1 - chance.below(min(8, len(self._gifts)))]
        if chance.below(3) == 0:
            return self.fresh("server:grants.ack", recipient, grantId=grant_id)
        return self.fresh("sdk:gifts.claim", recipient, giftId=gift_id)

    def _grant(self, chance: Entropy, player: str, _: str) -> Attempt:
        entries = [{"type": "currency", "resourceKey": "gold", "amount": 1 + chance.below(9)},
                   {"type": "item", "resourceKey": "potion", "amount": 1}]  # fmt: skip
        return self.fresh("server:grants.create", player, entries=entries)

    def _take_grant(self, chance: Entropy, player: str, friend: str) -> Attempt:
        if not self._grants:
            return self._grant(chance, player, friend)
        owner, grant_id = self._grants[-1 - chance.below(min(4, len(self._grants)))]
        return self.fresh("sdk:grants.claim", owner, grantId=grant_id)

    # -- crates

    def _crate(self, _: Entropy, player: str, __: str) -> Attempt:
        entries = [{"type": "crate", "resourceKey": "chest", "amount": 1}]
        return self.fresh("server:grants.create", player, kind="crate", entries=entries)

    def _open(self, chance: Entropy, player: str, friend: str) -> Attempt:
        if not self._crates:
            return self._crate(chance, player, friend)
        owner, crate_id = self._crates[-1 - chance.below(min(3, len(self._crates)))]
        return self.fresh("sdk:crates.open", owner, crateId=crate_id)

    # -- events and boards

    def _start(self, _: Entropy, player: str, __: str) -> Attempt:
        return self.fresh("sdk:events.start", player, key="race")

    def _progress(self, chance: Entropy, player: str, friend: str) -> Attempt:
        return self._on("race", chance, player) or self._start(chance, player, friend)

    def _on(self, event: str, chance: Entropy, player: str) -> Attempt | None:
        """Progress in the attempt that a player started last at an event."""
        attempt_id = self._running.get((player, event))
        if attempt_id is None:
            return None
        points = {"points": 1 + chance.below(5)}
        return self.fresh("sdk:events.progress", player, key=event, attemptId=attempt_id, metrics=points)

    def _submit(self, chance: Entropy, player: str, _: str) -> Attempt:
        return self.fresh("sdk:leaderboards.submit", player, key="all", score=chance.below(1_000))

    # -- lobbies

    def _enter(self, _: Entropy, player: str, __: str) -> Attempt:
        return self.fresh("sdk:events.start", player, key="arena")

    def _play(self, chance: Entropy, player: str, friend: str) -> Attempt:
        return self._on("arena", chance, player) or self._enter(chance, player, friend)

    def _leave_lobby(self, chance: Entropy, player: str, friend: str) -> Attempt:
        lobby_id = self._waiting.get(player)
        if lobby_id is None:
            return self._enter(chance, player, friend)
        return self.fresh("sdk:lobbies.leave", player, lobbyId=lobby_id)

    def _push(self, chance: Entropy, player: str, _: str) -> Attempt:
        # Guests sit in no lobby for most of the time; a player mostly does.
        first, second = (f"guest-{(self._number + more) % _GUESTS}" for more in range(2))
        return self.fresh(
            "server:lobbies.push",
            player,
            gameId=self._game_id,
            eventKey="arena",
            key=f"match-{self._number}",
            externalPlayerIds=[first, second if chance.below(4) else player],
            fillBots=True,
        )

    # -- teams

    def _join_team(self, _: Entropy, player: str, __: str) -> Attempt:
        return self.fresh("sdk:teams.join", player, key="crews")

    def _leave_team(self, _: Entropy, player: str, __: str) -> Attempt:
        return self.fresh("sdk:teams.leave", player, key="crews")

    def _play_in_team(self, chance: Entropy, player: str, friend: str) -> Attempt:
        if chance.below(3) == 0:
            return self.fresh("sdk:events.start", player, key="crews")
        return self._on("crews", chance, player) or self._join_team(chance, player, friend)

    # -- guilds

    def _found(self, _: Entropy, player: str, __: str) -> Attempt:
        return self.fresh("sdk:guilds.create", player, name=f"Guild {self._number}", joinType="open")

    def _join(self, chance: Entropy, player: str, friend: str) -> Attempt:
        if not self._guilds:
            return self._found(chance, player, friend)
        guild_id = self._guilds[-1 - chance.below(min(2, len(self._guilds)))]
        return self.fresh("sdk:guilds.join", player, guildId=guild_id)

    def _leave_guild(self, _: Entropy, player: str, __: str) -> Attempt:
        return self.fresh("sdk:guilds.leave", player)

    def _ask_for_help(self, chance: Entropy, player: str, _: str) -> Attempt:
        kind, key = chance.choice((("currency", "gold"), ("item", "potion")))
        amount = 1 + chance.below(9)
        return self.fresh("sdk:guilds.requestHelp", player, type=kind, resourceKey=key, amount=amount)

    def _donate(self, chance: Entropy, player: str, friend: str) -> Attempt:
        if not self._help:
            return self._ask_for_help(chance, player, friend)
        latest = self._help[-_LATEST:]
        own = self._member_of.get(player)
        fit = [request for request in latest if request[0] != player and request[1] == own]
        *_, request_id = chance.choice(fit or latest)
        return self.fresh("sdk:guilds.donate", player, requestId=request_id, amount=1 + chance.below(4))

    # -- friends

    def _ask(self, chance: Entropy, player: str, _: str) -> Attempt:
        other = PLAYERS[(PLAYERS.index(player) + 2) % len(PLAYERS)]
        if self._requests and chance.below(2):
            asked, request_id = self._requests[-1]
            return self.fresh("sdk:friends.acceptRequest", asked, requestId=request_id)
        if chance.below(2):
            return self.fresh("sdk:friends.remove", player, friendExternalId=other)
        return self.fresh("sdk:friends.sendRequest", player, externalPlayerId=other)


_KINDS: Final[tuple[Callable[[Writes, Entropy, str, str], Attempt], ...]] = (
    Writes._credit,
    Writes._credit,
    Writes._debit,
    Writes._items,
    Writes._gift,
    Writes._gift,
    Writes._claim,
    Writes._claim,
    Writes._grant,
    Writes._take_grant,
    Writes._take_grant,
    Writes._crate,
    Writes._open,
    Writes._open,
    Writes._ask,
    Writes._start,
    Writes._progress,
    Writes._progress,
    Writes._submit,
    Writes._enter,
    Writes._enter,
    Writes._enter,
    Writes._play,
    Writes._play,
    Writes._leave_lobby,
    Writes._leave_lobby,
    Writes._push,
    Writes._join_team,
    Writes._join_team,
    Writes._leave_team,
    Writes._play_in_team,
    Writes._play_in_team,
    Writes._play_in_team,
    Writes._found,
    Writes._join,
    Writes._join,
    Writes._leave_guild,
    Writes._ask_for_help,
    Writes._donate,
    Writes._donate,
    Writes._donate,
)
"""Each kind as often as it is to be drawn."""
