"""The profile that a player's client reads."""

from __future__ import annotations

from typing import Final

from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.config import PlayersConfig, players_config
from livecore.players.identity import anonymized, display
from livecore.players.player import Player, acting
from livecore.players.rows import GetProfile, LoginStreak, Platform, Profile
from livecore.players.seen import live, streak_today

PLATFORMS: Final = frozenset({"ios", "android", "web", "windows", "macos", "linux", "editor"})
"""The platforms that every game knows; a game's configuration may add its own."""


def platform_row(config: PlayersConfig, key: str | None) -> Platform | None:
    """A reported platform, unchanged, and whether the service or the game has declared it."""
    if key is None:
        return None
    return Platform(key=key, registered=key in PLATFORMS or key in config.platforms)


def streak_row(unit: Unit, player: Player) -> LoginStreak:
    """The current and the best login streak."""
    return LoginStreak(current=streak_today(player, unit.now), best=player.best_streak)


def get_profile(unit: Unit, _: GetProfile) -> Profile:
    """The caller's profile."""
    player = live(unit, acting(unit))
    anonymous = anonymized(player)
    return Profile(
        player_id=player.player_id,
        external_player_id=player.external_id,
        display_identity=display(player),
        anonymized_identity=anonymous,
        synthetic_identity=anonymous,
        country=player.country,
        platform=platform_row(players_config(unit), player.platform),
        app_version=player.app_version,
        sessions=player.sessions,
        login_streak=streak_row(unit, player),
        first_seen_at=Timestamp(player.first_seen_at),
        last_seen_at=Timestamp(player.last_seen_at),
    )
