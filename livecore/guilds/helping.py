"""Mutual help: a member asks the guild for a resource, and others give it.

What is given waits in a grant for the recipient, and the donor's reward in one for the donor. Where the game says so, the
donor pays: from the wallet or the inventory, if the service keeps them, else the studio takes it when `guild.help_donated`
says so. What a request receives is the sum of its donations.
"""

from __future__ import annotations

from typing import Final

from livecore.economy.costs import charge
from livecore.economy.grants import award
from livecore.economy.ledger import Asset
from livecore.economy.refusals import InsufficientBalance
from livecore.economy.rows import RewardEntry
from livecore.guilds.config import HelpResource, guilds_config
from livecore.guilds.guild import Guild, Seat, acting_by, guild_of, require_enabled, require_seat
from livecore.guilds.help_requests import (
    DONATIONS,
    DONATIONS_FOR,
    HELP,
    HELP_OF_GUILD,
    HELP_OF_PLAYER,
    Donation,
    HelpRequest,
    help_row,
    lasting_help_of,
    status_of,
)
from livecore.guilds.join_requests import MOST_SHOWN
from livecore.guilds.refusals import (
    CannotHelpSelf,
    HelpAmountInvalid,
    HelpCooldown,
    HelpFilled,
    HelpNotAllowed,
    HelpRequestNotFound,
)
from livecore.guilds.rows import Donate, Donated, DonationRow, HelpRequested, HelpRequests, ListHelp, RequestHelp
from livecore.guilds.webhook_events import GuildHelpDonated, GuildHelpRequested
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import SECOND, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.player import Player, acting, by_id
from livecore.social.others import counterparties, counterparty

_MOST_AT_ONCE: Final = 20
"""How many requests of one member last at once; with more, all other members' lists would be full of them."""


def _require_resource(unit: Unit, kind: str, key: str) -> HelpResource:
    """The resource of mutual help. Raises `HelpNotAllowed`."""
    resource = guilds_config(unit).help_resource(kind, key)
    if resource is None:
        help_rules = guilds_config(unit).guilds.help
        known = () if help_rules is None else help_rules.resources
        raise HelpNotAllowed.of(key, known=[one.key for one in known if one.type == kind])
    return resource


# -- asking ---------------------------------------------------------------------------------------------------------------


def request_help(unit: Unit, args: RequestHelp) -> HelpRequested:
    """Ask the guild for a resource.

    Refusals, in order: `GuildsDisabled`, `NotInGuild`, `HelpNotAllowed`, `HelpAmountInvalid`, `HelpCooldown`.
    """
    require_enabled(unit)
    me = acting(unit)
    held = require_seat(unit, me.player_id)
    resource = _require_resource(unit, args.type, args.resource_key)
    if not 1 <= args.amount <= resource.max_request:
        raise HelpAmountInvalid(max_amount=resource.max_request)
    rules = guilds_config(unit).guilds.help
    assert rules is not None  # noqa: S101 - it lists the resource
    _refuse_too_soon(unit, me, rules.cooldown_seconds)
    request = HelpRequest(
        request_id=unit.new_id("ghr"),
        player_id=me.player_id,
        guild_id=held.guild_id,
        asset_kind=args.type,
        asset_key=args.resource_key,
        amount=args.amount,
        received=0,
        created_at=unit.now,
        expires_at=unit.now + rules.expiry_seconds * SECOND,
    )
    unit.tx.insert(HELP, request)
    _emit_requested(unit, guild_of(unit, held), me, request)
    return HelpRequested(request=help_row(unit, request, counterparty(unit, me)))


def _refuse_too_soon(unit: Unit, player: Player, cooldown_seconds: int) -> None:
    """Raises `HelpCooldown` for a player who has asked lately, or for whom many requests last."""
    last = next(iter(unit.tx.scan(HELP_OF_PLAYER, player.player_id, reverse=True, limit=1)), None)
    again_at = None if last is None else last.created_at + cooldown_seconds * SECOND
    lasting = lasting_help_of(unit, player.player_id)
    if len(lasting) >= _MOST_AT_ONCE:
        again_at = max(again_at or 0, lasting[-_MOST_AT_ONCE].expires_at)
    if again_at is not None and unit.now < again_at:
        raise HelpCooldown(next_request_at=Timestamp(again_at).wire)


def _emit_requested(unit: Unit, guild: Guild, player: Player, request: HelpRequest) -> None:
    unit.emit(
        GuildHelpRequested(
            guild_id=guild.guild_id,
            guild_name=guild.name,
            by=acting_by(unit),
            player_id=player.player_id,
            external_player_id=player.external_id,
            request_id=request.request_id,
            type=request.asset_kind,
            resource_key=request.asset_key,
            amount=request.amount,
            requested_at=Timestamp(request.created_at),
            expires_at=Timestamp(request.expires_at),
        )
    )


def list_help(unit: Unit, _: ListHelp) -> HelpRequests:
    """What members have asked for and has not expired, newest first. Refusals, in order: `GuildsDisabled`, `NotInGuild`."""
    require_enabled(unit)
    held = require_seat(unit, acting(unit).player_id)
    found = unit.tx.scan(HELP_OF_GUILD, held.guild_id, start=(unit.now + 1,), reverse=True, limit=MOST_SHOWN)
    found.sort(key=lambda request: (request.created_at, request.request_id), reverse=True)
    players = counterparties(unit, (request.player_id for request in found))
    return HelpRequests(requests=tuple(help_row(unit, request, players[request.player_id]) for request in found))


# -- giving ---------------------------------------------------------------------------------------------------------------


def donate(unit: Unit, args: Donate) -> Donated:
    """Give for another member's request, at most what is missing.

    Refusals, in order: `GuildsDisabled`, `NotInGuild`, `HelpRequestNotFound`, `CannotHelpSelf`, `HelpNotAllowed`,
    `HelpAmountInvalid` for less than 1, `HelpFilled`, `HelpAmountInvalid` for more than one donor may give for a request,
    `InsufficientBalance`.
    """
    require_enabled(unit)
    me = acting(unit)
    held = require_seat(unit, me.player_id)
    request = _require_open(unit, held, args.request_id)
    if request.player_id == me.player_id:
        raise CannotHelpSelf
    resource = _require_resource(unit, request.asset_kind, request.asset_key)
    left = resource.max_donation - _given(unit, request, me)
    if args.amount < 1:
        raise HelpAmountInvalid(max_amount=max(0, left))
    if status_of(request, unit.now) == "filled":
        raise HelpFilled
    amount = min(args.amount, request.amount - request.received)
    if amount > left:
        raise HelpAmountInvalid(max_amount=max(0, left))
    return _give(unit, guild_of(unit, held), me, request, resource, amount)


def _require_open(unit: Unit, held: Seat, request_id: str) -> HelpRequest:
    """A request of the guild that has not expired. Raises `HelpRequestNotFound`."""
    request = unit.tx.get(HELP, request_id)
    if request is None or request.guild_id != held.guild_id or status_of(request, unit.now) == "expired":
        raise HelpRequestNotFound.of(request_id)
    return request


def _given(unit: Unit, request: HelpRequest, donor: Player) -> int:
    donations = unit.tx.scan(DONATIONS_FOR, request.request_id)
    return sum(donation.amount for donation in donations if donation.donor_id == donor.player_id)


def _give(
    unit: Unit, guild: Guild, donor: Player, request: HelpRequest, resource: HelpResource, amount: int
) -> Donated:
    """Let the donor pay, give what was asked for and the donor's reward, and keep the donation."""
    donation_id = unit.new_id("gdn")
    asset = Asset(request.asset_kind, request.asset_key)
    if resource.costs_donor and guilds_config(unit).platform_managed:
        charge(
            unit, donor, [(asset, amount)], reason="guild_help", source_ref_id=donation_id, refusal=InsufficientBalance
        )
    recipient = by_id(unit, request.player_id)
    entry = RewardEntry(type=asset.kind, resource_key=asset.key, amount=amount)
    grant = award(unit, recipient, (entry,), "guild_help", donation_id)
    reward = (
        award(unit, donor, resource.donor_reward, "guild_help_reward", donation_id) if resource.donor_reward else None
    )
    request = evolve(request, received=request.received + amount)
    unit.tx.put(HELP, request)
    donation = Donation(
        donation_id=donation_id,
        request_id=request.request_id,
        guild_id=guild.guild_id,
        donor_id=donor.player_id,
        recipient_id=recipient.player_id,
        asset_kind=asset.kind,
        asset_key=asset.key,
        amount=amount,
        grant_id=grant.grant_id,
        reward_grant_id=None if reward is None else reward.grant_id,
        donated_at=unit.now,
    )
    unit.tx.insert(DONATIONS, donation)
    _emit_donated(unit, guild, donor, recipient, request, donation, costs_donor=resource.costs_donor)
    return Donated(donation=_donation_row(request, donation))


def _emit_donated(
    unit: Unit,
    guild: Guild,
    donor: Player,
    recipient: Player,
    request: HelpRequest,
    donation: Donation,
    *,
    costs_donor: bool,
) -> None:
    unit.emit(
        GuildHelpDonated(
            guild_id=guild.guild_id,
            guild_name=guild.name,
            by=acting_by(unit),
            request_id=request.request_id,
            donation_id=donation.donation_id,
            grant_id=donation.grant_id,
            reward_grant_id=donation.reward_grant_id,
            donor_player_id=donor.player_id,
            donor_external_player_id=donor.external_id,
            recipient_player_id=recipient.player_id,
            recipient_external_player_id=recipient.external_id,
            type=donation.asset_kind,
            resource_key=donation.asset_key,
            amount=donation.amount,
            costs_donor=costs_donor,
            costs_charged_by="platform" if guilds_config(unit).platform_managed else "studio",
            amount_received=request.received,
            amount_requested=request.amount,
            filled=_is_filled(request),
            donated_at=Timestamp(donation.donated_at),
        )
    )


def _donation_row(request: HelpRequest, donation: Donation) -> DonationRow:
    return DonationRow(
        donation_id=donation.donation_id,
        amount=donation.amount,
        filled=_is_filled(request),
        grant_id=donation.grant_id,
        reward_grant_id=donation.reward_grant_id,
    )


def _is_filled(request: HelpRequest) -> bool:
    return request.received >= request.amount
