"""How merging and erasing change the player's own row.

A merge keeps the target's identity: names, secret, friend code. It combines the values of both: the earlier first contact,
the later last activity, the sum of the sessions, the longer streak, the stricter privacy. A ban of the source becomes a ban
of the target. After a merge or an erasure, an empty row under a placeholder is left of the player (specification 3.8).
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.config import players_config
from livecore.players.contexts import united_first_context
from livecore.players.player import PLAYERS, Player, by_id
from livecore.players.privacy import with_stricter
from livecore.players.seen import live, streak_today
from livecore.players.webhook_events import Actor, PlayerBanned

MERGED: Final = "__merged_"
DELETED: Final = "__deleted_"


# -- rules ----------------------------------------------------------------------------------------------------------------


def placeholder(unit: Unit, prefix: str) -> str:
    """An external id that no caller can use and that reveals nothing: `__merged_<uuid>__` or `__deleted_<uuid>__`."""
    return f"{prefix}{unit.new_uuid()}__"


def emptied(player: Player, external_id: str) -> Player:
    """The row of a merged or erased player: ids, the time of first contact, and the end; search and lists leave it out.

    The identity from the pool stays: it says nothing about a person, and final leaderboards go on showing it.
    """
    return Player(
        player_id=player.player_id,
        external_id=external_id,
        pool_name=player.pool_name,
        pool_avatar=player.pool_avatar,
        first_seen_at=player.first_seen_at,
        last_seen_at=0,
        merged_into=player.merged_into,
        erased_at=player.erased_at,
        epoch=player.epoch + 1,
    )


def united(source: Player, target: Player, *, source_streak: int, target_streak: int) -> Player:
    """The target combined with the source; both are current, with their running streaks."""
    fresher = source if source.last_seen_at > target.last_seen_at else target
    beat = source if (source.beat_at or 0) > (target.beat_at or 0) else target
    context = target.context if target.context is not None else source.context
    first_context = united_first_context(source, target)
    return evolve(
        target,
        first_seen_at=min(source.first_seen_at, target.first_seen_at),
        last_seen_at=fresher.last_seen_at,
        platform=fresher.platform or source.platform or target.platform,
        app_version=fresher.app_version or source.app_version or target.app_version,
        country_override=target.country_override or source.country_override,
        country_stated=target.country_stated or source.country_stated,
        country_seen=target.country_seen or source.country_seen,
        context=context,
        first_context=None if first_context == context else first_context,
        sessions=source.sessions + target.sessions,
        streak=max(source_streak, target_streak),
        best_streak=max(source.best_streak, target.best_streak),
        streak_day=_later_day(source.streak_day, target.streak_day),
        beat_at=beat.beat_at,
        presence_status=beat.presence_status,
        ban_reason=source.ban_reason if source.banned else target.ban_reason,
        banned_at=source.banned_at if source.banned else target.banned_at,
        epoch=target.epoch + 1,
    )


def _later_day(one: int | None, other: int | None) -> int | None:
    return max((day for day in (one, other) if day is not None), default=None)


# -- what the player tools call --------------------------------------------------------------------------------------------


def unite(unit: Unit, merging: Merging) -> None:
    """Store the target combined with the source, and empty the source's row.

    The new epoch of the row makes the source's values in the ephemeral state void. They are not dropped here, because a
    retried transaction must read them again.
    """
    source = live(unit, by_id(unit, merging.source_id))
    target = live(unit, by_id(unit, merging.target_id))
    streaks = {"source_streak": streak_today(source, unit.now), "target_streak": streak_today(target, unit.now)}
    unit.tx.put(PLAYERS, evolve(emptied(source, placeholder(unit, MERGED)), merged_into=target.player_id))
    target = with_stricter(players_config(unit).privacy_of_players, source, target)
    unit.tx.put(PLAYERS, united(source, target, **streaks))
    if source.banned:
        _emit_banned(unit, source, target)


def _emit_banned(unit: Unit, source: Player, target: Player) -> None:
    unit.emit(
        PlayerBanned(
            player_id=target.player_id,
            external_player_id=target.external_id,
            reason=source.ban_reason or "",
            banned_at=Timestamp(source.banned_at or unit.now),
            actor=Actor.of(unit.actor),
        )
    )


def empty(unit: Unit, player: Player, external_id: str) -> None:
    """Empty the row of an erased player, under a placeholder."""
    unit.tx.put(PLAYERS, evolve(emptied(player, external_id), erased_at=unit.now))
