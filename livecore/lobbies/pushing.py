"""Lobbies that the studio's backend makes, of players whom it has matched itself. All of it happens, or nothing."""

from __future__ import annotations

from collections.abc import Mapping

from livecore.events.definition import EventDefinition
from livecore.events.window_records import EventWindow, definition_of
from livecore.events.windows import not_active, open_window, require_declared
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.reads import Find
from livecore.kernel.storage.records import JsonText
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact
from livecore.lobbies.config import LOBBY_RULES, bots_of
from livecore.lobbies.lifecycle import activate, announce, announce_joined, join, new_lobby
from livecore.lobbies.lobby import BY_KEY, Lobby, open_seat_read
from livecore.lobbies.reading import require_own_game, row
from livecore.lobbies.refusals import AlreadyInLobby, EventHasNoLobbies
from livecore.lobbies.rows import OneLobby, PushLobby
from livecore.players.player import BY_EXTERNAL_ID, Player
from livecore.players.registration import new_player


def push(unit: Unit, args: PushLobby) -> tuple[bool, OneLobby]:
    """Make a lobby and start it at once; the first value says whether it was made by this request.

    Refusals, in order: `GameNotFound`, `EventNotFound`; [a known key gives its lobby]; `EventHasNoLobbies`,
    `AlreadyInLobby`, `ValidationFailed` for more players than seats, and for bots that the event does not have,
    `EventNotActive`.
    """
    require_own_game(unit, args.game_id)
    _, definition = require_declared(unit, args.event_key)
    known = unit.tx.find(BY_KEY, args.event_key, args.key)
    if known is not None:
        return False, OneLobby(lobby=row(unit, known))
    window = open_window(unit, args.event_key)
    if window is not None:
        definition = definition_of(window)
    rules = LOBBY_RULES.of(definition)
    if rules is None:
        raise EventHasNoLobbies
    players = _known(unit, args)
    if window is not None:
        _refuse_seated(unit, window, players)
    capacity = rules.capacity if args.capacity is None else args.capacity
    _refuse_what_does_not_fit(args, definition, capacity)
    if window is None:
        raise not_active(unit, args.event_key)
    return True, OneLobby(lobby=row(unit, _made(unit, window, definition, args, capacity, players)))


def _known(unit: Unit, args: PushLobby) -> dict[str, Player | None]:
    """The players of a push by their external ids; `None` for those who come into contact by it."""
    found = unit.tx.read_all(Find(BY_EXTERNAL_ID, (external_id,)) for external_id in args.external_player_ids)
    return dict(zip(args.external_player_ids, found, strict=True))


def _refuse_seated(unit: Unit, window: EventWindow, players: Mapping[str, Player | None]) -> None:
    known = {player.player_id: external_id for external_id, player in players.items() if player is not None}
    seats = unit.tx.scan_all(open_seat_read(player_id, window.window_id) for player_id in known)
    seated = [known[seat.player_id] for seat in seats]
    if seated:
        raise AlreadyInLobby(external_player_ids=list(seated))


def _refuse_what_does_not_fit(args: PushLobby, definition: EventDefinition, capacity: int) -> None:
    if len(args.external_player_ids) > capacity:
        raise ValidationFailed({"externalPlayerIds": f"must have at most {capacity} members, one for each seat"})
    if args.fill_bots and bots_of(definition) is None:
        raise ValidationFailed({"fillBots": "cannot be true: the event declares no bots for its lobbies"})


def _made(
    unit: Unit,
    window: EventWindow,
    definition: EventDefinition,
    args: PushLobby,
    capacity: int,
    known: Mapping[str, Player | None],
) -> Lobby:
    metadata = None if args.metadata is None else JsonText(compact(dict(args.metadata)))
    lobby = new_lobby(unit, window, definition, capacity=capacity, key=args.key, metadata=metadata)
    players = [player or new_player(unit, external_id) for external_id, player in known.items()]
    for player in players:
        lobby = join(unit, lobby, player)
    announce(unit, lobby, pushed=True)
    for number, player in enumerate(players, 1):
        announce_joined(unit, lobby, player, number, pushed=True)
    return activate(unit, lobby, window, "external_push", with_bots=args.fill_bots)
