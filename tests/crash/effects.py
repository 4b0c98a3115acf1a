"""What writes have brought about in guilds, lobbies and crates, and attempts at events: each effect once, and no other.

The effects are found in the rows, and compared with the answers that the service keeps, and with what the senders know.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from tests.crash.attempts import Attempt
from tests.crash.halves_of_lobbies import joined
from tests.crash.halves_of_teams import removed_seats
from tests.laws.routes import Body
from tests.laws.rows import PlaceRows

Effect: TypeAlias = tuple[Any, ...]
"""What was done, and the ids of what it was done with."""
_LEAVING: Final = frozenset({"sdk:lobbies.leave", "sdk:teams.leave"})


# -- answers and rows -----------------------------------------------------------------------------------------------------


def check_answers_and_rows(rows: PlaceRows) -> None:
    """Each answer that is kept has its rows, and each of these rows its answer: they were written together.

    For this every write must have carried a key, and no answer may be so old that it was deleted.
    """
    claimed: Counter[Effect] = Counter()
    waiting: set[tuple[str, str]] = set()
    for answer in rows.tables.get("idempotent_answers", []):
        body = json.loads(answer.body)
        if answer.status == 202:
            waiting.add((body["error"]["details"]["lobbyId"], answer.owner))
        else:
            claimed.update(_claims(answer.owner, answer.status, body["data"]))
    facts = Counter(_facts(rows))
    assert claimed == facts, (claimed - facts, facts - claimed)
    _check_waiting(rows, waiting)


def _claims(owner: str, status: int, data: Body) -> Iterator[Effect]:
    """What an answer says that its write has done; the owner is the player, or the studio's backend."""
    match data:
        case {"guild": _} | {"disbanded": _}:
            yield from _claims_of_guild(owner, data)
        case {"left": True}:
            # Lobbies and teams give the same answer.
            yield "left", owner
        case {"team": {"eventTeamId": team_id}}:
            yield "came into a team", team_id, owner
        case {"request": {"requestId": request_id, "resourceKey": key, "amount": amount}}:
            yield "asked for help", request_id, owner, key, amount
        case {"donation": given}:
            yield "donated", given["donationId"], owner, given["amount"], given["grantId"], given["rewardGrantId"]
        case {"crate": {"crateId": crate_id}, "grant": {"grantId": grant_id}}:
            yield "opened a crate", crate_id, owner, grant_id
        case {"attempt": {"attemptId": attempt_id, "lobbyId": lobby_id}} if status == 201:
            yield "began", attempt_id, owner, lobby_id
        case {"lobby": {"lobbyId": lobby_id, "key": key}}:
            yield "pushed", lobby_id, key
        case _:
            pass


def _claims_of_guild(owner: str, data: Body) -> Iterator[Effect]:
    if "disbanded" in data:
        yield "left a guild", owner
        return
    guild_id = data["guild"]["guildId"]
    if "status" not in data:
        yield "founded", guild_id
    yield "came into a guild", guild_id, owner


def _facts(rows: PlaceRows) -> Iterator[Effect]:
    """What has been done, as the rows say."""
    yield from _facts_of_guilds(rows)
    for (_, player_id), times in _left_lobbies(rows).items():
        yield from [("left", player_id)] * times
    for seat in rows.tables.get("event_team_seats", []):
        yield "came into a team", seat.team_id, seat.player_id
        if seat.left_at is not None:
            yield "left", seat.player_id
    for team_id, player_id in removed_seats(rows):
        yield "came into a team", team_id, player_id
        yield "left", player_id
    for row in rows.tables.get("crate_openings", []):
        yield "opened a crate", row.crate_id, row.player_id, row.contents_id
    for row in rows.tables.get("attempts", []):
        yield "began", row.attempt_id, row.player_id, row.lobby_id
    for row in rows.tables.get("lobbies", []):
        if row.key is not None:
            yield "pushed", row.lobby_id, row.key


def _facts_of_guilds(rows: PlaceRows) -> Iterator[Effect]:
    for guild in rows.tables.get("guilds", []):
        yield "founded", guild.guild_id
    for stint in rows.tables.get("guild_stints", []):
        yield "came into a guild", stint.guild_id, stint.player_id
        if stint.left_at is not None:
            yield "left a guild", stint.player_id
    for row in rows.tables.get("guild_help", []):
        yield "asked for help", row.request_id, row.player_id, row.asset_key, row.amount
    for row in rows.tables.get("guild_donations", []):
        yield "donated", row.donation_id, row.donor_id, row.amount, row.grant_id, row.reward_grant_id


def _left_lobbies(rows: PlaceRows) -> Counter[tuple[str, str]]:
    """How often each player has left each lobby: as often as they came and do not sit there."""
    return joined(rows) - Counter((seat.lobby_id, seat.player_id) for seat in rows.tables.get("lobby_seats", []))


def _check_waiting(rows: PlaceRows, waiting: set[tuple[str, str]]) -> None:
    """Who has come into a lobby was told so: to wait in it, that an attempt in it has begun, or by the push."""
    pushed = {lobby.lobby_id for lobby in rows.tables.get("lobbies", []) if lobby.key is not None}
    plays = {(row.lobby_id, row.player_id) for row in rows.tables.get("attempts", []) if row.lobby_id is not None}
    came = set(joined(rows))
    assert waiting | plays <= came
    assert {(lobby_id, player_id) for lobby_id, player_id in came if lobby_id not in pushed} <= waiting | plays


# -- senders and rows -----------------------------------------------------------------------------------------------------


def check_told(rows: PlaceRows, attempts: Iterable[Attempt]) -> None:
    """What acknowledged writes say of guilds, lobbies and crates is there, once for each, however long ago it was.

    Who has left a lobby is known from events only, which are not kept for ever.
    """
    ids = {player.external_id: player.player_id for player in rows.players}
    claimed: Counter[Effect] = Counter()
    waiting: set[str] = set()
    for attempt in attempts:
        if attempt.waits_in is not None:
            waiting.add(attempt.waits_in)
        elif attempt.name not in _LEAVING and attempt.status is not None and attempt.status < 300:
            claimed.update(_claims(ids[attempt.player], attempt.status, attempt.data))
    lost = claimed - Counter(_facts(rows))
    assert not lost, lost
    # A lobby that everybody left is removed once its window is closed; then its events say that it was there.
    gone = {json.loads(row.data)["lobbyId"] for row in rows.tables["webhook_events"] if row.kind == "lobby.closed"}
    assert waiting <= {lobby.lobby_id for lobby in rows.tables.get("lobbies", [])} | gone


def check_effects(rows: PlaceRows, attempts: Iterable[Attempt]) -> None:
    """Of everything that was ever sent, what was acknowledged has its effect once, and what is unknown at most once.

    Nothing else has had an effect. Once it is known of everything what became of it, the effects are known exactly.
    """
    done: Counter[Effect] = Counter()
    possible: Counter[Effect] = Counter()
    for attempt in attempts:
        # A start that was told to wait, or gave the attempt that was running, has begun none.
        if attempt.unknown or (attempt.succeeded and (attempt.name != "sdk:events.start" or attempt.status == 201)):
            (possible if attempt.unknown else done).update(_effects(attempt))
    there = Counter(_named(rows))
    lost, doubled = done - there, there - done - possible
    assert not lost, lost
    assert not doubled, doubled


def _effects(attempt: Attempt) -> Iterator[Effect]:
    """What a write does if it succeeds, in words that are known before it is answered."""
    match attempt.name:
        case "sdk:guilds.create":
            yield "founded", attempt.arguments["name"]
            yield "came into a guild", attempt.player
        case "server:lobbies.push":
            yield "pushed", attempt.arguments["key"]
        case "sdk:crates.open":
            yield "opened a crate", attempt.arguments["crateId"]
        case name if name in _OF_PLAYER:
            yield _OF_PLAYER[name], attempt.player


_OF_PLAYER: Final = {
    "sdk:guilds.join": "came into a guild",
    "sdk:guilds.leave": "left a guild",
    "sdk:guilds.requestHelp": "asked for help",
    "sdk:guilds.donate": "donated",
    "sdk:events.start": "began",
    "sdk:lobbies.leave": "left",
    "sdk:teams.leave": "left",
    "sdk:teams.join": "came into a team",
}
"""What a player does with each kind of write."""


def _named(rows: PlaceRows) -> Iterator[Effect]:
    """The effects that there are, in the same words."""
    names = {player.player_id: player.external_id for player in rows.players}
    guilds = {guild.guild_id: guild.name for guild in rows.tables.get("guilds", [])}
    for what, *ids in _facts(rows):
        match what:
            case "founded":
                yield what, guilds[ids[0]]
            case "pushed":
                yield what, ids[1]
            case "opened a crate":
                yield what, ids[0]
            case _:
                (player,) = (names[id_] for id_ in ids if id_ in names)
                yield what, player
