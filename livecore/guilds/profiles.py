"""A guild's profile: founding a guild, and changing what it says of itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from livecore.economy.costs import Cost, charge, cost_reads, total_of
from livecore.economy.refusals import InsufficientBalance
from livecore.guilds.config import guilds_config
from livecore.guilds.forgetting import metadata_until
from livecore.guilds.founding import check_cooldown, note_founding
from livecore.guilds.guild import (
    BY_NAME,
    GUILDS,
    SEATS,
    WORDS,
    WORDS_OF_GUILD,
    Guild,
    Word,
    acting_by,
    guild_of,
    leader_of,
    name_key,
    require_enabled,
    require_seat,
    row,
    row_led_by,
)
from livecore.guilds.refusals import AlreadyInGuild, GuildNameRejected, GuildNameTaken
from livecore.guilds.roles import require
from livecore.guilds.rows import CreateGuild, JoinType, OneGuild, UpdateGuild
from livecore.guilds.seating import schedule_check, seat
from livecore.guilds.webhook_events import GuildCost, GuildCreated, GuildUpdated
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.storage.reads import Find, Get
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact
from livecore.kernel.wire.shapes import ABSENT
from livecore.kernel.words import beginnings
from livecore.players.player import Player, acting

_FIELDS: Final = ("name", "description", "badge", "country", "join_type", "metadata")


# -- rules ----------------------------------------------------------------------------------------------------------------


def _check_name(unit: Unit, name: str) -> None:
    if guilds_config(unit).is_name_filtered(name):
        raise GuildNameRejected


def _require_offered(unit: Unit, join_type: JoinType) -> None:
    offered = guilds_config(unit).guilds.join_types
    if join_type not in offered:
        raise ValidationFailed({"joinType": f"must be one that the game offers: {', '.join(map(repr, offered))}"})


def check_join_type(unit: Unit, args: UpdateGuild, guild: Guild | None) -> None:
    """Raises `ValidationFailed` for another join type than the guild's that the game does not offer."""
    if args.join_type is not ABSENT and (guild is None or args.join_type != guild.join_type):
        _require_offered(unit, args.join_type)


def _require_free(unit: Unit, name: str, but: str | None = None) -> str:
    """The name as it is compared. Raises `GuildNameTaken` where another guild has it."""
    key = name_key(name)
    other = unit.tx.find(BY_NAME, key)
    if other is not None and other.guild_id != but:
        raise GuildNameTaken
    return key


def _text(metadata: object) -> JsonText | None:
    return None if metadata is None else JsonText(compact(dict(metadata)))  # type: ignore[call-overload] # an object


# -- founding -------------------------------------------------------------------------------------------------------------


def create(unit: Unit, args: CreateGuild) -> OneGuild:
    """Found a guild and lead it.

    Refusals, in order: `GuildsDisabled`, a join type that the game does not offer, `GuildNameRejected`, `AlreadyInGuild`,
    `GuildCooldown`, `GuildNameTaken`, `InsufficientBalance` for the cost.
    """
    require_enabled(unit)
    settings = guilds_config(unit).guilds
    join_type = args.join_type or settings.join_types[0]
    _require_offered(unit, join_type)
    _check_name(unit, args.name)
    me = acting(unit)
    cost = total_of(settings.create_cost) if guilds_config(unit).platform_managed else []
    # Nothing of this depends on the other, so it is asked for at once.
    (held,), *_ = unit.tx.read_lists(
        [Get(SEATS, (me.player_id,))], [Find(BY_NAME, (name_key(args.name),))], cost_reads(me.player_id, cost)
    )
    if held is not None:
        raise AlreadyInGuild(guild_id=held.guild_id)
    check_cooldown(unit, me)
    guild = Guild(
        guild_id=unit.new_id("gld"),
        name=args.name,
        name_key=_require_free(unit, args.name),
        description=args.description,
        badge=args.badge,
        country=args.country,
        join_type=join_type,
        metadata=_text(args.metadata),
        member_count=0,
        created_at=unit.now,
        listed_at=unit.now,
    )
    charge(unit, me, cost, reason="guild_cost", source_ref_id=guild.guild_id, refusal=InsufficientBalance)
    unit.tx.insert(GUILDS, guild)
    note_founding(unit, me)
    _note_words(unit, guild, fresh=True)
    _emit_created(unit, guild, me, total_of(settings.create_cost))
    guild = seat(unit, guild, me, "leader", "created")
    schedule_check(unit, guild.guild_id, unit.now, fresh=True)
    return OneGuild(guild=row_led_by(unit, guild, unit.tx.get(SEATS, me.player_id)))


def _emit_created(unit: Unit, guild: Guild, leader: Player, cost: Cost) -> None:
    unit.emit(
        GuildCreated(
            guild_id=guild.guild_id,
            guild_name=guild.name,
            by=acting_by(unit),
            join_type=guild.join_type,
            country=guild.country,
            leader_player_id=leader.player_id,
            leader_external_player_id=leader.external_id,
            cost=tuple(GuildCost(type=asset.kind, key=asset.key, amount=amount) for asset, amount in cost),
            costs_charged_by="platform" if guilds_config(unit).platform_managed else "studio",
            created_at=Timestamp(guild.created_at),
        )
    )


def _note_words(unit: Unit, guild: Guild, *, fresh: bool = False) -> None:
    """Update the rows by which a guild is found."""
    wanted = set(beginnings(guild.name))
    for word in () if fresh else unit.tx.scan(WORDS_OF_GUILD, guild.guild_id):
        if word.text in wanted:
            wanted.discard(word.text)
        else:
            unit.tx.delete(WORDS, guild.guild_id, word.text)
    for text in sorted(wanted):
        unit.tx.insert(WORDS, Word(guild_id=guild.guild_id, text=text))


# -- changing -------------------------------------------------------------------------------------------------------------


def update(unit: Unit, args: UpdateGuild) -> OneGuild:
    """Change the profile of one's guild. What stays as it is may be given too, also if it could not be chosen any more.

    Refusals, in order: `GuildsDisabled`, a join type that the game does not offer, `GuildNameRejected`, `NotInGuild`,
    `GuildRoleRequired`, `GuildNameTaken`.
    """
    require_enabled(unit)
    me = acting(unit)
    names = [] if args.name is ABSENT else [Find(BY_NAME, (name_key(args.name),))]
    (held,), _ = unit.tx.read_lists([Get(SEATS, (me.player_id,))], names)
    guild = None if held is None else guild_of(unit, held)
    check_join_type(unit, args, guild)
    if args.name is not ABSENT and (guild is None or args.name != guild.name):
        _check_name(unit, args.name)
    held = require_seat(unit, me.player_id)
    require(held.role, "edit_profile")
    return OneGuild(guild=row(unit, change(unit, guild_of(unit, held), args)))


def change(unit: Unit, guild: Guild, args: UpdateGuild) -> Guild:
    """Change the fields that are given, and tell of those that are different then. Raises `GuildNameTaken`.

    A guild that has ended has its name free for others, is found by no word, and its change is told to nobody.
    """
    given: dict[str, Any] = {field: getattr(args, field) for field in _FIELDS}
    given = {field: value for field, value in given.items() if value is not ABSENT}
    if "metadata" in given:
        given["metadata"] = _text(given["metadata"])
    changed = {field: value for field, value in given.items() if _value(field, value) != _shown(guild, field)}
    if not changed:
        return guild
    after = evolve(guild, **changed)
    if guild.disbanded_at is not None:
        after = evolve(after, metadata_until=metadata_until(after, unit.now))
        unit.tx.put(GUILDS, after)
        return after
    if "name" in changed:
        after = evolve(after, name_key=_require_free(unit, after.name, guild.guild_id))
        _note_words(unit, after)
    unit.tx.put(GUILDS, after)
    unit.emit(
        GuildUpdated(
            guild_id=after.guild_id,
            guild_name=after.name,
            by=acting_by(unit),
            changes=_changes(guild, after, changed),
            updated_at=Timestamp(unit.now),
        ),
        about=_leading(unit, guild),
    )
    return after


def _leading(unit: Unit, guild: Guild) -> str | None:
    """The leader, who answers for what a guild says of itself."""
    leader = leader_of(unit, guild.guild_id)
    return None if leader is None else leader.player_id


def changed_fields(before: Guild, after: Guild) -> tuple[str, ...]:
    """The fields of the profile in which two states of a guild differ, as they are called on the wire."""
    return tuple(_WIRE[field] for field in _FIELDS if _shown(before, field) != _shown(after, field))


def _changes(before: Guild, after: Guild, changed: Mapping[str, object]) -> dict[str, object]:
    return {
        _WIRE[field]: {"before": _shown(before, field), "after": _shown(after, field)}
        for field in _FIELDS
        if field in changed
    }


_WIRE: Final = {**dict(zip(_FIELDS, _FIELDS, strict=True)), "join_type": "joinType"}


def _shown(guild: Guild, field: str) -> object:
    return _value(field, getattr(guild, field))


def _value(field: str, stored: Any) -> object:  # noqa: ANN401 - of any field
    return json.loads(stored) if field == "metadata" and stored is not None else stored


def profile_of(guild: Guild) -> JsonObject:
    """A guild's profile for the audit trail."""
    profile = {_WIRE[field]: _shown(guild, field) for field in _FIELDS}
    return {"guildId": guild.guild_id, **profile, "disbanded": guild.disbanded_at is not None}  # type: ignore[dict-item] # JSON values
