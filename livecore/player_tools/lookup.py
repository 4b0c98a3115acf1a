"""An overview of a player: identity, recent activity, and current state (specification 2.14)."""

from __future__ import annotations

import json

from livecore.economy import grants
from livecore.events import attempts
from livecore.kernel.storage.paging import PageRequest
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.lobbies import reading as seats
from livecore.player_tools.rows import BanRow, GetPlayer, PlayerDetails, PlayerOverview, PlayerSummary
from livecore.players.config import players_config
from livecore.players.identity import anonymized, display
from livecore.players.moderation import debug_account, reason_of
from livecore.players.player import Player, acting
from livecore.players.profile import platform_row, streak_row
from livecore.players.seen import live


def _ban_row(player: Player) -> BanRow | None:
    if player.banned_at is None:
        return None
    return BanRow(reason=player.ban_reason or "", banned_at=Timestamp(player.banned_at))


def details(unit: Unit, player: Player) -> PlayerDetails:
    """A player as the studio's backend sees them, combined with the ephemeral state."""
    player = live(unit, player)
    account = debug_account(unit, player)
    return PlayerDetails(
        id=player.player_id,
        external_player_id=player.external_id,
        first_seen_at=Timestamp(player.first_seen_at),
        last_seen_at=Timestamp(player.last_seen_at),
        last_context_snapshot={} if player.context is None else json.loads(player.context),
        display_identity=display(player),
        anonymized_identity=anonymized(player),
        country=player.country,
        platform=platform_row(players_config(unit), player.platform),
        app_version=player.app_version,
        sessions=player.sessions,
        login_streak=streak_row(unit, player),
        ban=_ban_row(player),
        debug=account is not None,
        debug_reason=reason_of(account),
    )


def get_player(unit: Unit, args: GetPlayer) -> PlayerOverview:
    """The player with recent attempts, grants and lobbies."""
    player = acting(unit)
    page = PageRequest(args.limit, None)
    latest, _ = grants.newest(unit, player.player_id, page)
    tries, _ = attempts.newest(unit, player.player_id, page)
    lobbies, lobbies_active = seats.overview(unit, player.player_id, page)
    counts = attempts.counts(unit, player)
    return PlayerOverview(
        player=details(unit, player),
        attempts=attempts.rows(unit, tries),
        grants=tuple(map(grants.row, latest)),
        lobbies=lobbies,
        summary=PlayerSummary(
            attempt_count=sum(counts.values()),
            attempts_completed=counts["completed"],
            attempts_expired=counts["expired"],
            grants_pending=grants.count_of(unit, player, "pending"),
            grants_claimed=grants.count_of(unit, player, "claimed"),
            lobbies_active=lobbies_active,
        ),
    )
