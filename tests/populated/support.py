"""What operators and the backend of the populated game do for players, and against them."""

from __future__ import annotations

from typing import Any

from livecore.world import WorldOperator
from tests.populated.playing import Play, tried


def help_players(play: Play) -> None:
    """Bans, debug accounts, amounts and grants by hand, merges, erasures, attempts, boards and guilds."""
    names = [str(player.external_id) for player in play.players]
    admin, debugger = play.member("GAME_ADMIN"), play.member("GAME_DEBUGGER")
    _moderate(play, admin, names)
    for name in (names[0], names[1], names[46]):
        _give(play, name, admin, debugger)
    _end(play, admin, names)
    _at_events(admin, debugger)
    _in_guilds(play, admin)


def _moderate(play: Play, admin: WorldOperator, names: list[str]) -> None:
    for name in (names[3], names[40], names[41]):
        admin.call("players.ban", external_id=name, reason=play.people.texts[0])
    play.world.server.call("players.ban", external_id=names[42], reason="a mistake")
    play.world.server.call("players.unban", external_id=names[42])
    for name in (names[4], names[43], names[44]):
        admin.call("players.flagDebug", external_id=name, reason=None if name == names[4] else "QA device")
    admin.call("players.unflagDebug", external_id=names[44])
    admin.call("players.rotateSecret", external_id=names[45])
    play.world.server.call(
        "players.setIdentity", external_id=names[0], name=play.people.names[0], country="SE", avatar="otter-9"
    )


def _give(play: Play, name: str, admin: WorldOperator, debugger: WorldOperator) -> None:
    admin.call("wallet.adjust", external_id=name, economy_key="gold", delta=-3, reason=play.people.texts[1])
    admin.call("inventory.adjust", external_id=name, item_key="banner", delta=2, reason="ticket 4711")
    own = {play.people.texts[0]: play.people.texts[5]}
    admin.call("inventory.setAttributes", external_id=name, item_key="banner", parameters=own)
    given: Any = admin.call(
        "grants.create", idempotency_key=f"ticket-{play.below(10**9)}", external_player_id=name, source_ref_id="ticket 4711",
        entries=[{"type": "currency", "resourceKey": "gems", "amount": 250}],
    )["grant"]  # fmt: skip
    debugger.call("grants.forceClaim", external_id=name, grant_id=given["grantId"], reason="not shown in the game")


def _end(play: Play, admin: WorldOperator, names: list[str]) -> None:
    """Two players are merged into others, and two are erased."""
    play.world.server.call("players.merge", external_id=names[50], to_external_id=names[2])
    admin.call("players.merge", external_id=names[51], to_external_id=names[52])
    play.world.server.call("players.erase", external_id=names[53], reason="gdpr_erasure")
    play.member("ADMIN").call("players.erase", external_id=names[54], reason="test")
    gone = {names[place] for place in (50, 51, 53, 54)}
    play.players = [player for player in play.players if player.external_id not in gone]


def _at_events(admin: WorldOperator, debugger: WorldOperator) -> None:
    """Attempts that operators complete, and an entry that they take off a board."""
    event: Any = debugger.call("events.get", event_key="daily-dash")["event"]
    running: Any = debugger.call(
        "attempts.listOfWindow",
        event_key="daily-dash",
        window_id=event["window"]["eventWindowId"],
        status="in_progress",
    )["attempts"]
    for attempt in running[:2]:
        debugger.call("attempts.forceComplete", attempt_id=attempt["attemptId"], reason="it hung", score=1_000)
        tried(debugger, "attempts.retryRewardRoll", attempt_id=attempt["attemptId"])
    board: Any = debugger.call("leaderboards.get", leaderboard_id="hall-of-fame")
    first = board["entries"][0]["externalPlayerId"]
    admin.call("leaderboards.removeEntry", leaderboard_id="hall-of-fame", external_id=first)


def _in_guilds(play: Play, admin: WorldOperator) -> None:
    listed: Any = admin.call("guilds.list")["guilds"]
    for one in listed[:2]:
        guild: Any = admin.call("guilds.get", guild_id=one["guildId"])["guild"]
        others = [member for member in guild["members"] if member["role"] != "leader"]
        admin.call("guilds.update", guild_id=one["guildId"], description=play.people.texts[5], country=None)
        admin.call("guilds.transfer", guild_id=one["guildId"], external_player_id=others[0]["externalPlayerId"])
        admin.call("guilds.removeMember", guild_id=one["guildId"], member_external_id=others[1]["externalPlayerId"])
