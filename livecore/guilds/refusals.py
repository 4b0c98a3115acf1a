"""The refusals of guilds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import BadRequest, Conflict, Forbidden, Json, NotFound


class GuildNameRejected(BadRequest):
    """The game's name filter does not allow this name."""

    code = "guild_name_rejected"
    text = "This name is not allowed in this game."
    remedy = "Choose another name."


class CannotHelpSelf(BadRequest):
    """A member donates for a request of their own."""

    code = "cannot_help_self"
    text = "One cannot help oneself."
    remedy = "Donate for another member's request."


class HelpAmountInvalid(BadRequest):
    """The amount is below 1 or above what is allowed (`details.maxAmount`)."""

    code = "help_amount_invalid"
    text = "The amount is not allowed."
    remedy = "Ask for or give an amount from 1 to `details.maxAmount`; where that is 0, one has given all that one may."
    example: ClassVar[Mapping[str, Json]] = {"maxAmount": 10}


class GuildsDisabled(Forbidden):
    """The game has no guilds at present."""

    code = "guilds_disabled"
    text = "This game has no guilds."
    remedy = "Enable guilds in the game's configuration, under `guilds`."


class GuildRoleRequired(Forbidden):
    """The caller's role in the guild does not allow it (`details`: `role`, `needed`)."""

    code = "guild_role_required"
    text = "The role in the guild does not allow this."
    remedy = "Ask a member with the role of `details.needed`, or the leader."
    example: ClassVar[Mapping[str, Json]] = {"role": "member", "needed": "co_leader"}


class HelpNotAllowed(Forbidden):
    """The game has no mutual help with this resource."""

    code = "help_not_allowed"
    text = "Members cannot help one another with this resource."
    named = "Members cannot help one another with {}"
    remedy = "Use a resource that the game's configuration lists under `guilds.help`."


class GuildNotFound(NotFound):
    """There is no such guild, or not any more."""

    code = "guild_not_found"
    text = "There is no such guild."
    named = "There is no guild {}"
    remedy = "Search the guilds again."


class GuildRequestNotFound(NotFound):
    """There is no such open request, or it is not the caller's."""

    code = "guild_request_not_found"
    text = "There is no such open request."
    named = "There is no open request {}"
    remedy = "List the requests again: it may have been answered, cancelled, or ended by joining."


class GuildMemberNotFound(NotFound):
    """Nobody with this id is in the guild."""

    code = "guild_member_not_found"
    text = "There is no such member in this guild."
    named = "The player {} is not a member of this guild"
    remedy = "Read the guild again."


class HelpRequestNotFound(NotFound):
    """There is no such request in the guild, or it has expired."""

    code = "help_request_not_found"
    text = "There is no such open request for help."
    named = "There is no help request {} in this guild"
    remedy = "List the requests for help again."


class AlreadyInGuild(Conflict):
    """The player is in a guild (`details.guildId`)."""

    code = "already_in_guild"
    text = "The player is in a guild already."
    remedy = "Leave that guild first."
    example: ClassVar[Mapping[str, Json]] = {"guildId": "gld_00000000000000000000000001"}


class NotInGuild(Conflict):
    """The player is in no guild."""

    code = "not_in_guild"
    text = "The player is in no guild."
    remedy = "Join a guild first."


class GuildFull(Conflict):
    """The guild has as many members as the game allows (`details.maxMembers`)."""

    code = "guild_full"
    text = "The guild is full."
    remedy = "Choose another guild, or try again when somebody has left."
    example: ClassVar[Mapping[str, Json]] = {"maxMembers": 50}


class GuildNameTaken(Conflict):
    """Another guild has this name, apart from case, accents and punctuation."""

    code = "guild_name_taken"
    text = "Another guild has this name."
    remedy = "Choose another name."


class GuildRoleConflict(Conflict):
    """It is oneself, a role that the member has already, or a co-leader too many."""

    code = "guild_role_conflict"
    text = "The member's role does not allow this."
    remedy = "Read the guild again; `message` says what prevents it."


class GuildCooldown(Conflict):
    """The player has founded a guild too recently (`details.cooldownUntil`)."""

    code = "guild_cooldown"
    text = "The player has founded a guild too recently."
    remedy = "Found another guild from `details.cooldownUntil` on."
    example: ClassVar[Mapping[str, Json]] = {"cooldownUntil": "2026-01-31T12:00:00.000Z"}


class HelpCooldown(Conflict):
    """The member has asked for help too recently (`details.nextRequestAt`)."""

    code = "help_cooldown"
    text = "The member has asked for help too recently."
    remedy = "Ask again from `details.nextRequestAt` on."
    example: ClassVar[Mapping[str, Json]] = {"nextRequestAt": "2026-01-31T12:00:00.000Z"}


class HelpFilled(Conflict):
    """The request has received all that it asked for."""

    code = "help_filled"
    text = "This request has received everything."
    remedy = "Donate for another request."
