"""The populated game: a few hundred players over three virtual weeks, with every kind of thing that there is.

Ordinary operations make it in a `World`, by chance from a fixed seed. `tests.populated.shared` makes it once for a suite.
"""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Final, get_args

from livecore import World
from livecore.kernel.time import DAY, Timestamp
from livecore.players.rows import PresenceTo
from livecore.world import Caller, WorldPlayer
from tests.populated import competing, earning, social, studio, support
from tests.populated.config import START, populated_config
from tests.populated.people import HOSTILE, PLATFORMS, VERSIONS, People, usual_id
from tests.populated.playing import Play, enter_lobby, tried

_SEEN_BY: Final[tuple[PresenceTo, ...]] = get_args(PresenceTo)
_PLAYERS: Final = 240
_WHO_PLAY: Final = 160
"""The others come with what another backend had, and do not play."""
_DAYS: Final = 21
_LAST_DAYS: Final = 3
"""For so long webhooks tell of everything."""
_IN_TEST: Final = 12


def populated(people: People = HOSTILE) -> Play:
    """The game, in the middle of a day; most of it in the live environment, a little in the test one."""
    world = World(populated_config(people), environment="live", start=Timestamp.parse(START), seed=26)
    play = Play(world, people, random.Random(26))  # noqa: S311 - the same game at every run
    studio.manage_members(play)
    studio.manage_keys(play)
    names = [*people.ids, *(usual_id(number) for number in range(_PLAYERS - len(people.ids)))]
    earning.move_in(play, names)
    for number, name in enumerate(names[:_WHO_PLAY]):
        play.players.append(_come(world, people, number, name))
        world.advance(minutes=2)
    _try_out(play)
    social.found_guilds(play)
    for day in range(_DAYS):
        _pass(play, day)
    support.help_players(play)
    studio.manage_settings(play)
    studio.tidy_endpoints(play)
    _be_there(play)
    world.flush()
    return play


def _come(world: World, people: People, number: int, name: str) -> WorldPlayer:
    """A player with a device, of whom some choose a name."""
    reported = {
        "x-svc-platform": PLATFORMS[number % len(PLATFORMS)], "x-svc-app-version": VERSIONS[number % len(VERSIONS)],
        "x-svc-sdk": "otter-game/4.2.0",
    }  # fmt: skip
    player = world.player(name, **{key: text for key, text in reported.items() if text})
    if number < len(people.ids):
        player.call("players.setIdentity", name=people.names[number % len(people.names)])
    player.call("friends.getCode")
    if number % 10 < len(_SEEN_BY):
        player.call("players.setPrivacy", presence_to=_SEEN_BY[number % 10])
    return player


def _pass(play: Play, day: int) -> None:
    """One day: people come back, play, give and buy; every other day is a quiet one. Webhooks are sent every two hours."""
    if day == _DAYS - _LAST_DAYS:
        studio.add_endpoints(play)
    if day % 2 == 0 or day > _DAYS - 7:
        for player in play.some(20):
            player.call("presence.heartbeat", status=play.chance.choice((None, "in the lobby", play.people.texts[1])))
        social.day_of_friends(play)
        play.world.advance(hours=4)
        competing.day_of_events(play, day)
        if day % 7 == 0:
            competing.week_of_teams(play)
        earning.day_of_earning(play, day)
        social.day_of_guilds(play)
    end = int(Timestamp.parse(START)) + (day + 1) * DAY
    for _ in range(8 if day >= _DAYS - _LAST_DAYS else 0):
        studio.send(play.world)
        play.world.advance(hours=2)
    play.world.advance_to(end)


def _try_out(play: Play) -> None:
    """The developers' own players in the test environment, with a little of what there is in the live one."""
    world = play.world
    server = Caller(world, "server", {"authorization": f"Bearer {world.all_keys['test_server']}"}, None)
    players = []
    for number in range(_IN_TEST):
        name = play.people.ids[number] if number < 3 else f"tester-{number}"
        key = {"authorization": f"Bearer {world.all_keys['test_client']}"}
        secret = Caller(world, "sdk", key, name).call("players.register")["playerSecret"]
        players.append(Caller(world, "sdk", {**key, "x-player-secret": str(secret)}, name))
        server.call("wallet.credit", external_id=name, economy_key="gold", amount=500)
    for one, other in pairwise(players):
        one.call("friends.sendRequest", external_player_id=other.external_id)
        other.call("friends.sendRequest", external_player_id=one.external_id)
        one.call("gifts.send", external_player_id=other.external_id, type="currency", resource_key="gold", amount=5)
        started = one.call("events.start", key="daily-dash")["attempt"]
        assert isinstance(started, dict)
        one.call("events.progress", key="daily-dash", attempt_id=started["attemptId"], metrics={"points": 250})
    players[0].call("guilds.create", name="Testers only")
    players[0].call("teams.create", key="expedition", name="Test team")
    enter_lobby(players[0], "arena")
    server.call("dev.endWindow", event_key="hill-climb")


def _be_there(play: Play) -> None:
    """Some have just started, some are online, and somebody waits for an opponent."""
    competing.week_of_teams(play)
    competing.day_of_events(play, _DAYS)
    play.spread(lambda player: tried(player, "players.getProfile"), 40, 90)
    studio.send(play.world)
    # Whoever comes to a duel either finds an opponent or is the one for whom a lobby stays open.
    assert any(tried(player, "events.start", key="duel") is None for player in play.some(10))
    play.spread(lambda player: tried(player, "presence.heartbeat"), 20, 1)
