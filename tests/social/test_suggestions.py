"""Suggestions: who may be drawn, how many, and that the recently active are drawn more often."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from livecore import World
from livecore.kernel.storage.memory import MemoryReader
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import SECOND
from livecore.players.player import PLAYERS, Player
from livecore.social.relations import RELATIONS, Relation, pair
from livecore.world import WorldPlayer
from tests.worlds import ask, ban, befriend, grant, http, player_row, put, world


def _draw(player: WorldPlayer, **more: object) -> list[str]:
    return [str(row["externalPlayerId"]) for row in ask(player, "friends.suggestions", **more).list("suggestions")]


def test_who_is_left_out() -> None:
    """The caller, friends, requests either way, blocks either way, the banned, and who has never come."""
    game = world()
    anna = game.player("anna")
    names = ("friend", "asked", "asker", "blocked", "blocker", "banned", "stranger")
    players = {name: game.player(name) for name in names}
    befriend(anna, players["friend"])
    ask(anna, "friends.sendRequest", external_player_id="asked")
    ask(players["asker"], "friends.sendRequest", external_player_id="anna")
    ask(anna, "friends.block", external_player_id="blocked")
    ask(players["blocker"], "friends.block", external_player_id="anna")
    ban(players["banned"])
    grant(anna, named="other")
    game.server.call(
        "grants.create", external_id="never_there", idempotency_key="n",
        entries=[{"type": "currency", "resourceKey": "gold", "amount": 1}],
    )  # fmt: skip
    moved_in = {"idempotencyKey": "m", "externalPlayerId": "moved_in"}
    game.server.call("migrate.players", rows=[moved_in])
    assert _draw(anna, limit=25) == ["stranger"]


def test_a_row_has_the_friend_rows_fields_without_the_friendships() -> None:
    """No `friendsSince` and no `giftCooldownUntil`; presence is shown."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    ask(bert, "presence.heartbeat", status="Around")
    (row,) = ask(anna, "friends.suggestions").list("suggestions")
    assert set(row) == {"externalPlayerId", "displayIdentity", "online", "lastActiveAt", "status"}
    assert (row["online"], row["status"]) == (True, "Around")


@pytest.mark.parametrize(
    ("limit", "drawn"), [("", 5), ("1", 1), ("25", 25), ("26", 25), ("0", 1), ("-7", 1), ("1000000", 25)]
)
def test_the_limit_is_moved_into_its_bounds(limit: str, drawn: int) -> None:
    """Five by default; less than one is one, more than 25 is 25."""
    game = world()
    anna, *_ = [game.player(name) for name in ("anna", *(f"p{number}" for number in range(30)))]
    query = f"limit={limit}" if limit else ""
    reply = http(anna, "GET", "/sdk/v1/players/anna/friends/suggestions", query=query)
    assert len(reply.list("suggestions")) == drawn


@pytest.mark.parametrize("limit", ["", "five", "1.5", "--5", "+5", "5 "])
def test_a_limit_is_an_integer(limit: str) -> None:
    """Anything else is refused."""
    anna = world().player("anna")
    reply = http(anna, "GET", "/sdk/v1/players/anna/friends/suggestions", query=f"limit={limit}")
    assert reply.refusal == (400, "validation_failed")


def test_every_call_draws_anew() -> None:
    """The sample differs from call to call, has nobody twice, and equal seeds give equal draws."""
    runs = []
    for _ in range(2):
        game = world()
        anna, *_ = [game.player(name) for name in ("anna", *(f"p{number}" for number in range(20)))]
        runs.append([tuple(_draw(anna)) for _ in range(10)])
    assert runs[0] == runs[1]
    assert len(set(runs[0])) > 5
    assert all(len(set(drawn)) == 5 for drawn in runs[0])


def test_the_recently_active_are_drawn_more_often() -> None:
    """Of two players, the one seen just now comes first far more often than the one seen a day ago."""
    game = world()
    anna = game.player("anna")
    game.player("yesterday")
    game.advance(hours=24)
    game.player("today")
    firsts = Counter(_draw(anna, limit=1)[0] for _ in range(200))
    assert firsts["today"] > 150
    assert firsts["yesterday"] > 0


def _crowd(game: World, size: int, *, apart_seconds: int) -> list[Player]:
    """Registered players, the first of them seen last; the others each so much earlier than the one before."""
    anna = player_row(game.player("anna"))
    crowd = [
        evolve(
            anna,
            player_id=f"plr_{number:026}",
            external_id=f"p{number}",
            last_seen_at=anna.last_seen_at - (number + 1) * apart_seconds * SECOND,
        )
        for number in range(size)
    ]
    put(game, PLAYERS, *crowd)
    return crowd


@pytest.mark.parametrize(("size", "apart_seconds"), [(60, 60), (400, 60), (400, 0)])
def test_whoever_was_around_may_be_drawn(size: int, apart_seconds: int) -> None:
    """Not only the newest, however few are asked for, and also where all were seen at the same moment."""
    game = world()
    _crowd(game, size, apart_seconds=apart_seconds)
    drawn = Counter(name for _ in range(300) for name in _draw(game.player("anna"), limit=5))
    halves = [sum(drawn[f"p{number}"] for number in numbers) for numbers in (range(size // 2), range(size // 2, size))]
    assert len(drawn) > size / 2
    assert min(halves) > 100
    assert halves[0] > halves[1] or not apart_seconds


def test_the_farther_are_weighed_like_the_near() -> None:
    """In a large crowd of ten days about as much is drawn of each span of equal weight as in a small one, read whole."""
    game = world()
    crowd = _crowd(game, 5_000, apart_seconds=172)
    drawn = Counter(name for _ in range(400) for name in _draw(game.player("anna"), limit=5))
    weights = [1 / (1 + (number + 1) * 172 / 3600) for number in range(len(crowd))]
    for span in (range(63), range(63, 500), range(500, 5_000)):
        wanted = sum(weights[number] for number in span) / sum(weights)
        found = sum(drawn[f"p{number}"] for number in span) / drawn.total()
        assert abs(found - wanted) < 0.08


def _rows_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each scan gives from now on."""
    read: list[int] = []
    scan = MemoryReader.scan

    def counted(self: MemoryReader, *args: Any, **options: Any) -> list[Any]:  # noqa: ANN401 - passed on
        rows = scan(self, *args, **options)
        read.append(len(rows))
        return rows

    monkeypatch.setattr(MemoryReader, "scan", counted)
    return read


def test_a_call_reads_as_many_rows_of_a_large_crowd_as_of_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few hundred."""
    game = world()
    _crowd(game, 3_000, apart_seconds=60)
    read = _rows_read(monkeypatch)
    assert len(_draw(game.player("anna"), limit=25)) == 25
    assert sum(read) < 250


def test_where_hardly_anybody_wants_to_be_found_nobody_else_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those who do are found behind thousands who were seen later, and a call reads a few rows."""
    game = world(privacy={"discoverable": False})
    crowd = _crowd(game, 6_000, apart_seconds=60)
    put(game, PLAYERS, *(evolve(player, discoverable=True) for player in crowd[-10:]))
    put(game, PLAYERS, *(evolve(player, discoverable=False) for player in crowd[:10]))
    read = _rows_read(monkeypatch)
    assert set(_draw(game.player("anna"), limit=25)) == {player.external_id for player in crowd[-10:]}
    assert sum(read) < 50


@pytest.mark.parametrize("apart_seconds", [0, 1, 3600])
def test_a_stranger_is_found_behind_all_whom_one_knows(apart_seconds: int) -> None:
    """Of seven hundred players seen last the caller knows all but the three who were seen first."""
    game = world()
    me = player_row(game.player("anna")).player_id
    crowd = _crowd(game, 700, apart_seconds=apart_seconds)
    known = sorted(crowd, key=lambda player: (player.last_seen_at, player.player_id), reverse=True)[:-3]
    relations = []
    for place, player in enumerate(known):
        low, high = pair(me, player.player_id)
        blocked = game.now if place % 2 else None
        relations.append(Relation(
            low_id=low, high_id=high, friendship="none" if blocked else "friends", blocked_by_low_at=blocked
        ))  # fmt: skip
    put(game, RELATIONS, *relations)
    strangers = {player.external_id for player in crowd} - {player.external_id for player in known}
    assert set(_draw(game.player("anna"), limit=25)) == strangers
    assert len(_draw(game.player("anna"), limit=2)) == 2


def test_players_of_the_other_environment_are_never_drawn() -> None:
    """A sample is of one scope."""
    game = world()
    anna = game.player("anna")
    live = {"authorization": f"Bearer {game.all_keys['live_client']}"}
    assert http(game, "POST", "/sdk/v1/players/elsewhere/register", headers=live).status == 201
    assert _draw(anna) == []
