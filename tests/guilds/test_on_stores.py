"""Guilds over each of the stores: the same rows everywhere, and many players at once in two processes."""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from livecore.api.configuration.game_config import parse_config
from livecore.guilds.guild import GUILDS, SEATS, STINTS
from livecore.guilds.help_requests import DONATIONS, HELP
from livecore.guilds.helping import donate
from livecore.guilds.join_requests import REQUESTS
from livecore.guilds.membership import join, leave
from livecore.guilds.rows import Donate, JoinGuild, LeaveGuild
from livecore.kernel.units.unit import Unit
from livecore_server.storage.database import store_at
from tests.added_game import STORES, AddedGame, Rows, findings
from tests.at_once import at_once
from tests.worlds import GUILDS as SETTINGS
from tests.worlds import config

_MANY: Final = 64
_MOST: Final = 20


def game_over(store: Rows, *names: str) -> AddedGame:
    """A game with small guilds, and players."""
    guilds = {**SETTINGS, "maxMembers": _MOST}
    game = AddedGame(store, config=parse_config(config(guilds=guilds)))
    for name in names:
        game.register(name)
    return game


def found(game: AddedGame, name: str, **more: str) -> str:
    """Found a guild; gives its id."""
    said = game.as_player(name, "POST", "/guild", {"name": f"Guild of {name}", **more})
    assert said.status == 201, said.json
    return str(said.json["data"]["guild"]["guildId"])


def test_every_store_keeps_the_same(tmp_path: Path) -> None:
    """The same requests give the same answers and rows, and the checker finds nothing."""
    rows: dict[str, list[Any]] = {}
    for name, store_in in STORES.items():
        with store_in(tmp_path) as store:
            game = game_over(store, "lea", "cole", "mia")
            guild_id = found(game, "lea", joinType="request")
            answers = [game.as_player("cole", "POST", "/guild/join", {"guildId": guild_id}).json]
            request = answers[0]["data"]["request"]["requestId"]
            steps: list[tuple[str, str, str, dict[str, object]]] = [
                ("lea", "POST", f"/guild/requests/{request}/accept", {}),
                ("mia", "POST", "/guild/join", {"guildId": guild_id}),
                ("lea", "PATCH", "/guild", {"name": "Ünder another name", "joinType": "open"}),
                ("cole", "POST", "/guild/help", {"type": "currency", "resourceKey": "gold", "amount": 5}),
                ("lea", "POST", "/guild/leave", {}),
                ("lea", "POST", "/guild/join", {"guildId": guild_id}),
            ]
            answers += [game.as_player(who, method, path, body).json for who, method, path, body in steps]
            answers += [game.as_player("mia", "GET", path).json for path in ("/guilds", f"/guilds/{guild_id}")]
            assert [answer for answer in answers if "error" in answer] == []
            tables = (GUILDS, SEATS, STINTS, REQUESTS, HELP)
            rows[name] = [answers, *(sorted(map(repr, game.rows(table))) for table in tables)]
            if name != "memory":
                assert findings(game) == []
    assert rows["sqlite"] == rows["memory"]
    assert rows["postgres"] == rows["memory"]


# -- at once --------------------------------------------------------------------------------------------------------------


def test_a_guild_never_has_too_many_members(url: str) -> None:
    """64 players join one guild in two processes at once; then all of them leave it, and it ends."""
    names = [f"p{number}" for number in range(_MANY)]
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0], "lea", *names)
        guild_id = found(game, "lea", joinType="open")
        joined = at_once(game, stores, names, lambda unit: join(unit, JoinGuild(guild_id=guild_id)))
        assert joined == {"done": _MOST - 1, "guild_full": _MANY - _MOST + 1}
        assert [row.member_count for row in game.rows(GUILDS)] == [_MOST]
        assert findings(game) == []
        left = at_once(game, stores, ["lea", *names], lambda unit: leave(unit, LeaveGuild()))
        assert left == {"done": _MOST, "not_in_guild": _MANY - _MOST + 1}
        assert [row.disbanded_for for row in game.rows(GUILDS)] == ["last_member_left"]
        assert (game.rows(SEATS), len(game.rows(STINTS))) == ([], _MOST)
        assert findings(game) == []


def test_one_player_joins_one_guild(url: str) -> None:
    """However many at once."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        leaders = [f"leader{number}" for number in range(8)]
        game = game_over(stores[0], "eve", *leaders)
        guilds = deque(found(game, leader, joinType="open") for leader in leaders)

        def join_one(unit: Unit) -> None:
            guilds.rotate()
            join(unit, JoinGuild(guild_id=guilds[0]))

        assert at_once(game, stores, ["eve"] * 16, join_one) == {"done": 1, "already_in_guild": 15}
        assert len(game.rows(SEATS)) == 9
        assert findings(game) == []


def test_a_request_receives_what_it_asked_for(url: str) -> None:
    """Of 19 who give 4 each at once, as many give as are needed."""
    names = [f"p{number}" for number in range(_MOST - 1)]
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = game_over(stores[0], "lea", *names)
        guild_id = found(game, "lea", joinType="open")
        at_once(game, stores, names, lambda unit: join(unit, JoinGuild(guild_id=guild_id)))
        body = {"type": "currency", "resourceKey": "gold", "amount": 30}
        request = game.as_player("lea", "POST", "/guild/help", body).json["data"]["request"]["requestId"]
        given = at_once(game, stores, names, lambda unit: donate(unit, Donate(request_id=request, amount=4)))
        assert given == {"done": 8, "help_filled": len(names) - 8}
        assert sum(row.amount for row in game.rows(DONATIONS)) == 30
        assert [row.received for row in game.rows(HELP)] == [30]
        assert findings(game) == []
