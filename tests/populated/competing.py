"""What players of the populated game do at events: attempts in every state, boards, lobbies, sessions and teams."""

from __future__ import annotations

from typing import Any

from livecore.world import WorldPlayer
from tests.populated.playing import Play, enter_lobby, tried


def day_of_events(play: Play, day: int) -> None:
    """Attempts, of which some are completed, some flagged, and some end with their window or their time."""
    play.spread(lambda player: _dash(play, player), 18, 240)
    play.spread(lambda player: _climb(play, player), 8, 60)
    for player in play.some(9 if day < 3 else 0):
        started: Any = tried(player, "events.start", key="opening")
        if started is not None:
            _score(player, "opening", started, points=play.below(500))
    _play_in_lobbies(play)
    for player in play.some(5):
        tried(player, "leaderboards.submit", key="hall-of-fame", score=play.below(100_000))
        tried(player, "leaderboards.submit", key="hall-of-fame", score=10**12)  # which the validator rejects
    for player in play.some(5):
        play.world.server.call(
            "leaderboards.submit", external_id=player.external_id, key="rating", score=1_000 + play.below(900)
        )


def _dash(play: Play, player: WorldPlayer) -> None:
    started: Any = tried(
        player, "events.start", key="daily-dash", player_context={"level": play.below(40), "theme": None}
    )
    for _ in range(play.below(4) if started is not None else 0):
        _score(player, "daily-dash", started, points=50 + play.below(800))


def _climb(play: Play, player: WorldPlayer) -> None:
    country = play.chance.choice(("SE", "BR", "JP"))
    started: Any = tried(player, "events.start", key="hill-climb", player_context={"country": country})
    if started is not None:
        _score(player, "hill-climb", started, seconds=15 + play.below(200), crashes=play.below(5))


def _score(player: WorldPlayer, key: str, started: Any, **metrics: int) -> None:  # noqa: ANN401 - an answer's data
    tried(player, "events.progress", key=key, attempt_id=started["attempt"]["attemptId"], metrics=metrics)


def _play_in_lobbies(play: Play) -> None:
    """Lobbies that fill up with players or with bots, are left, or were matched by the studio; two for a duel."""
    world = play.world
    for size in (4, 2, 1):
        together = [player for player in play.some(size) if enter_lobby(player, "arena")]
        world.advance(seconds=20)
        for player in together:
            started = tried(player, "events.start", key="arena")
            if started is not None:
                _score(player, "arena", started, points=play.below(120))
        world.advance(minutes=3)
    pair = play.some(2)
    for player in pair:
        enter_lobby(player, "duel")
    for player in pair:
        started = tried(player, "events.start", key="duel")
        if started is not None:
            _score(player, "duel", started, points=30 + play.below(40))
    for player in play.some(2):
        lobby = enter_lobby(player, "duel")
        if lobby and play.below(2):
            tried(player, "lobbies.leave", lobby_id=lobby)


def week_of_teams(play: Play) -> None:
    """Teams that players form, pairs who invite each other, and rosters that the studio sends."""
    for number, founder in enumerate(play.some(6)):
        made: Any = tried(founder, "teams.create", key="expedition", name=play.people.things[number % 5])
        if made is None:
            continue
        members = [
            one for one in play.some(3) if tried(one, "teams.join", key="expedition", team_key=made["team"]["teamKey"])
        ]
        for member in (founder, *members):
            started = tried(member, "events.start", key="expedition")
            if started is not None:
                _score(member, "expedition", started, steps=50 + play.below(400))
        if members and number == 1:
            tried(founder, "teams.kick", key="expedition", member_external_id=members[0].external_id)
        if members and number == 2:
            tried(members[0], "teams.leave", key="expedition")
    _pairs(play)
    for number in range(3):
        roster = [player.external_id for player in play.players[number * 20 : number * 20 + 12]]
        tried(
            play.world.server, "teams.putRoster", event_key="guild-war", team_key=f"team-{number}",
            external_player_ids=roster, name=play.people.things[number] if number else None, attributes={"colour": "red"},
        )  # fmt: skip
        for player in play.players[number * 20 : number * 20 + 6]:
            started = tried(player, "events.start", key="guild-war")
            if started is not None:
                _score(player, "guild-war", started, points=10 + play.below(200))
    pushed = [player.external_id for player in play.some(3)]
    tried(
        play.world.server, "lobbies.push", game_id=play.world.game.game_id, event_key="arena",
        key=f"match <{play.world.now}>", external_player_ids=pushed, capacity=4, fill_bots=True,
    )  # fmt: skip


def _pairs(play: Play) -> None:
    for number, player in enumerate(play.some(8)):
        other = play.chance.choice(play.players)
        invited: Any = tried(player, "partners.invite", key="tandem", external_player_id=other.external_id)
        if invited is None:
            continue
        invite = invited["invite"]["inviteId"]
        who, step = ((other, "accept"), (other, "accept"), (other, "decline"), (player, "cancel"), (player, ""))[
            number % 5
        ]
        if step:
            tried(who, f"partners.{step}", key="tandem", invite_id=invite)
        if step == "accept":
            for member in (player, other):
                started = tried(member, "events.start", key="tandem")
                if started is not None:
                    _score(member, "tandem", started, laps=3 + play.below(6))
