"""The observer of a run: it is told what the players do and what the world emits, and counts it into an `Observed`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from livecore.api.configuration.game_config import GameConfig
from livecore.commerce.webhook_events import PurchaseTracked
from livecore.economy import webhook_events as economy
from livecore.events import webhook_events as events
from livecore.guilds import webhook_events as guilds
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.unit import Event
from livecore.leaderboards.divisions import MEMBERSHIPS, Membership
from livecore.lobbies import webhook_events as lobbies
from livecore.players.webhook_events import PlayerRegistered
from livecore.simulation.observed import Behaviour, Day, Observed
from livecore.simulation.observing.economy import EconomyObserver
from livecore.simulation.observing.origins import Origins
from livecore.simulation.observing.people import People
from livecore.simulation.observing.play import PlayObserver
from livecore.simulation.observing.social import SocialObserver
from livecore.simulation.population import Population
from livecore.social import webhook_events as social
from livecore.teams import webhook_events as teams
from livecore.webhooks.envelope import body_of, data_text
from livecore.world.emitted import Emitted
from livecore.world.game import World

_REFUSED: Final = 400
"""Below this status a code, such as `lobby_forming`, is no refusal."""
_MEASURED: Final = 128
"""One body of so many of a kind is written, to know its size."""


class Observer:
    """Counts what happens in one run; `observed` is complete after `ended`."""

    def __init__(self, observed: Observed) -> None:
        self.observed = observed
        self._handlers: Mapping[type[Event], Callable[[Any], None]] = {}
        self._measured: dict[str, list[int]] = {}
        self._player_ids: dict[str, str] = {}

    def began(self, world: World, config: GameConfig, population: Population) -> None:  # noqa: ARG002 - a watcher's
        """A run begins in this world, before anybody has registered."""
        self.world = world
        self._people = people = People(self.observed, world.now)
        origins = Origins(world)
        self._economy = EconomyObserver(self.observed, people, origins, config, world)
        self._play = PlayObserver(self.observed, people, origins)
        self._handlers = {
            PlayerRegistered: self._note_id,
            **_handlers(self._economy, self._play, SocialObserver(people)),
        }
        self._boards = [board.key for board in config.leaderboards if board.divisions]

    # -- what players do

    def registered(self, player: str, behaviour: Behaviour) -> None:
        """A player has registered."""
        self._people.register(player, behaviour)

    def session(self, player: str, behaviour: Behaviour) -> None:  # noqa: ARG002 - a watcher's
        """A player begins a session."""
        if self._people.open_session(player, self.world.now):
            self._play.session(player)

    def left(self, player: str, behaviour: Behaviour) -> None:  # noqa: ARG002 - a watcher's
        """A player stays away from now on."""
        self.observed.churned[self._people.day, behaviour] += 1

    def came_back(self, player: str, behaviour: Behaviour) -> None:  # noqa: ARG002 - a watcher's
        """A player who stayed away is there again."""
        self.observed.came_back[self._people.day, behaviour] += 1

    def called(self, operation: str, behaviour: Behaviour, status: int, code: str | None, answer: Any) -> None:  # noqa: ANN401, ARG002 - a watcher's
        """A call was answered; `code` is that of a refusal."""
        self.observed.calls[operation, behaviour] += 1
        if code is not None and status >= _REFUSED:
            self.observed.refusals[operation, code, behaviour] += 1

    # -- what the world emits

    def event(self, emitted: Emitted) -> None:
        """Something happened in the world."""
        if emitted.environment != self.world.environment:
            return
        kind = emitted.kind
        self.observed.webhooks[self._people.day, kind] += 1
        self._measure(emitted)
        handle = self._handlers.get(type(emitted.payload))
        if handle is not None:
            handle(emitted.payload)

    def _note_id(self, event: PlayerRegistered) -> None:
        self._player_ids[event.external_player_id] = event.player_id

    def _measure(self, emitted: Emitted) -> None:
        measured = self._measured.get(emitted.kind)
        if measured is None:
            measured = self._measured[emitted.kind] = [0, 0, 0]
        if measured[0] % _MEASURED == 0:
            body = body_of(
                event_id="evt_00000000000000000000000000",
                kind=emitted.kind,
                studio_id=self.world.game.studio_id,
                game_id=self.world.game.game_id,
                occurred_at=emitted.at,
                delivery_attempt=1,
                data=data_text(emitted.payload),
            )
            measured[1] += 1
            measured[2] += len(body)
        measured[0] += 1

    # -- time

    def day_ended(self, day: Day) -> None:
        """A day of the run is over."""
        self._play.end_day()
        self._people.day = day
        self._people.end_day()

    def ended(self, world: World) -> None:  # noqa: ARG002 - a watcher's
        """The run is over."""
        self._economy.end()
        self._play.end()
        self._people.end()
        for kind, (count, measured, size) in sorted(self._measured.items()):
            self.observed.webhook_bytes[kind] = round(count * size / measured)
        self._count_divisions()

    def _count_divisions(self) -> None:
        world, divisions = self.world, self.observed.divisions
        players = [self._player_ids[external_id] for external_id in self._people.ids]
        for key in self._boards:
            counted = divisions.setdefault(key, Counter())
            for found in world.store.read(world.scope, partial(_memberships, key=key, players=players)):
                if found is not None:
                    counted[found.division or ""] += 1


def _memberships(tx: Transaction, key: str, players: Sequence[str]) -> list[Membership | None]:
    return [tx.get(MEMBERSHIPS, key, player_id) for player_id in players]


def _handlers(
    economy_: EconomyObserver, play: PlayObserver, friends: SocialObserver
) -> Mapping[type[Event], Callable[[Any], None]]:
    return {**_of_economy(economy_), **_of_friends(friends), **_of_play(play), **_of_guilds(economy_, play)}


def _of_economy(observer: EconomyObserver) -> Mapping[type[Event], Callable[[Any], None]]:
    return {
        economy.WalletChanged: observer.wallet,
        economy.InventoryChanged: observer.inventory,
        economy.GrantCreated: observer.grant_created,
        economy.GrantClaimed: observer.grant_claimed,
        economy.GrantExpired: observer.grant_expired,
        economy.CrateOpened: observer.crate_opened,
        events.EntryCostCharged: observer.entry_cost,
        events.MilestoneGranted: observer.milestone,
        social.GiftSent: observer.gift_sent,
        social.GiftClaimed: observer.gift_claimed,
        PurchaseTracked: observer.purchase,
    }


def _of_friends(observer: SocialObserver) -> Mapping[type[Event], Callable[[Any], None]]:
    return {social.FriendRequestAccepted: observer.accepted, social.FriendRemoved: observer.removed}


def _of_play(observer: PlayObserver) -> Mapping[type[Event], Callable[[Any], None]]:
    return {
        events.WindowOpened: observer.window_opened,
        events.WindowClosed: observer.window_closed,
        events.AttemptStarted: observer.attempt_started,
        events.EventProgressUpdated: observer.progress,
        events.EventCompleted: observer.completed,
        events.EventExpired: observer.expired,
        events.LeaderboardFinalized: observer.board_finalized,
        lobbies.LobbyCreated: observer.lobby_created,
        lobbies.LobbyPlayerJoined: observer.lobby_joined,
        lobbies.LobbyStarted: observer.lobby_started,
        lobbies.LobbyClosed: observer.lobby_closed,
        teams.TeamFormed: observer.team_formed,
        teams.TeamMemberJoined: observer.team_joined,
        teams.TeamMemberLeft: observer.team_left,
        teams.TeamGoalCompleted: observer.team_completed,
    }


def _of_guilds(observer: EconomyObserver, play: PlayObserver) -> Mapping[type[Event], Callable[[Any], None]]:
    def help_donated(event: guilds.GuildHelpDonated) -> None:
        observer.help_donated(event)
        play.help_donated(event)

    return {
        guilds.GuildCreated: play.guild_created,
        guilds.GuildMemberJoined: play.guild_joined,
        guilds.GuildMemberLeft: play.guild_left,
        guilds.GuildDisbanded: play.guild_ended,
        guilds.GuildRoleChanged: play.role_changed,
        guilds.GuildHelpRequested: play.help_requested,
        guilds.GuildHelpDonated: help_donated,
    }
