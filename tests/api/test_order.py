"""The order in which a request is judged, before its operation is: each reason is met together with all later ones."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import Final

import attrs
import pytest

from livecore.access.directory import API_KEYS, ApiKey
from livecore.access.keys import revoke_key
from livecore.api.requests.limits import RateLimits
from livecore.kernel.scope import DIRECTORY
from livecore.world import WorldPlayer
from tests.worlds import Reply, ask, ban, http, world

GUESSER: Final = "198.51.100.1"
ORDER: Final = (
    (404, "route_not_found"),
    (405, "method_not_allowed"),
    (401, "api_key_missing"),
    (401, "api_key_invalid"),
    (401, "api_key_revoked"),
    (403, "wrong_permission_set"),
    (429, "rate_limited by address"),
    (413, "body_too_large"),
    (400, "validation_failed id"),
    (404, "player_not_found"),
    (429, "rate_limited by throttle"),
    (401, "player_secret_invalid"),
    (429, "rate_limited by key"),
    (403, "player_banned"),
    (415, "unsupported_media_type"),
    (400, "malformed_json"),
    (400, "validation_failed"),
    (409, "idempotency_conflict"),
    (404, "economy_key_not_found"),
)
"""Route, key, rate limit of the address, size, player, secret, rate limit of the key, ban, body, arguments, idempotency, and
then the operation."""
WRONG_SECRET: Final = ("player_secret_invalid", "rate_limited by throttle")
"""Only who sends a wrong secret is throttled for it."""


@attrs.define
class Attempt:
    """A debit by a player, and what is wrong with it."""

    player: WorldPlayer
    wrong: frozenset[str]

    def has(self, *names: str) -> bool:
        """Whether the request is to earn one of these."""
        return bool(self.wrong & set(names))

    def key(self) -> str | None:
        """The `Authorization` header."""
        game = self.player.world
        if self.has("api_key_missing"):
            return None
        if self.has("api_key_invalid"):
            return "Bearer lc_test_client_unknown_00000000"
        permission = "server" if self.has("wrong_permission_set") else "client"
        if self.has("api_key_revoked"):
            self._revoke(permission)
        return f"Bearer {game.keys[permission]}"

    def _revoke(self, permission: str) -> None:
        game = self.player.world
        keys = [row for row in game.store.dump()[DIRECTORY.id][API_KEYS.name] if isinstance(row, ApiKey)]
        key = next(key for key in keys if (key.environment, key.permission) == ("test", permission))
        game.store.write(DIRECTORY, lambda tx: revoke_key(tx, key.game_id, key.key_id, game.now))

    def path(self) -> str:
        """The path."""
        who = "a%2Fb" if self.has("validation_failed id") else "nobody" if self.has("player_not_found") else "anna"
        what = "silver" if self.has("economy_key_not_found", "idempotency_conflict") else "gold"
        path = f"/sdk/v1/players/{who}/wallet/{what}/debit"
        return f"{path}/now" if self.has("route_not_found") else path

    def body(self) -> bytes:
        """The body."""
        if self.has("body_too_large"):
            return b"x" * 1_100_000
        if self.has("malformed_json"):
            return b"{"
        return b'{"amount": 0}' if self.has("validation_failed") else b'{"amount": 1}'

    def send(self) -> Reply:
        """Make the request."""
        return http(
            self.player.world,
            "GET" if self.has("method_not_allowed") else "POST",
            self.path(),
            self.body(),
            headers={
                "authorization": self.key(),
                "content-type": "text/plain" if self.has("unsupported_media_type") else "application/json",
                "x-player-secret": "lcs_guess" if self.has(*WRONG_SECRET) else self.player.secret,
                "idempotency-key": "used",
            },
            remote=GUESSER,
        )


def attempt(*wrong: str) -> Attempt:
    """A request that earns all of these."""
    limit = 30 if "rate_limited by key" in wrong else 10_000
    limits = RateLimits(
        per_minute={"sdk_write": limit, "sdk_read": 10_000},
        unauthenticated_per_minute=None,
        address_per_minute=4 if "rate_limited by address" in wrong else None,
    )
    game = world(limits=limits)
    anna = game.player("anna")
    if "idempotency_conflict" in wrong:
        ask(anna, "players.setIdentity", name="Anna", idempotency_key="used")
    if "rate_limited by throttle" in wrong:
        for _ in range(20):
            ask(anna, "wallet.get", headers={"x-player-secret": "lcs_guess"}, remote=GUESSER)
    if "player_banned" in wrong:
        ban(anna)
    if "rate_limited by key" in wrong:
        while ask(anna, "friends.remove", friend_external_id="nobody").status != 429:
            pass
    if "rate_limited by address" in wrong:
        # So many secrets may an address show; what it shows then is not compared, be it right or wrong.
        for _ in range(limits.at_address["secrets"]):
            ask(anna, "wallet.get", headers={"x-player-secret": "lcs_guess"}, remote=GUESSER)
    return Attempt(anna, frozenset(wrong))


def _told(reply: Reply) -> tuple[int, str | None]:
    return reply.refusal


@pytest.mark.parametrize(("status", "name"), ORDER)
def test_each_reason_alone(status: int, name: str) -> None:
    """Every reason of the list can be earned by itself."""
    assert _told(attempt(name).send()) == (status, name.partition(" ")[0])


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_of_all_later_reasons_the_first_wins(place: int) -> None:
    """A request that earns a reason and everything after it hears that one."""
    status, name = ORDER[place]
    later = [reason for _, reason in ORDER[place:]]
    assert _told(attempt(*later).send()) == (status, name.partition(" ")[0])


@pytest.mark.parametrize("place", range(len(ORDER) - 1))
def test_the_earlier_of_two_neighbours_wins(place: int) -> None:
    """The same for each reason and the next one alone."""
    status, name = ORDER[place]
    assert _told(attempt(name, ORDER[place + 1][1]).send()) == (status, name.partition(" ")[0])


def test_the_decision_gives_this_order() -> None:
    """The page that says why the body comes late names the statuses in the order in which they are met."""
    page = Path(__file__).parents[2] / "docs" / "decisions" / "body-after-admission.md"
    (sentence,) = re.findall(r"The order of refusals is fixed by it: (.*?)\. ", page.read_text("utf-8"), re.DOTALL)
    met = [status for status, code in ORDER if code not in {"validation_failed id", "rate_limited by throttle"}]
    until_body = met[: met.index(409)]
    assert [int(number) for number in re.findall(r"\d{3}", sentence)] == [status for status, _ in groupby(until_body)]
