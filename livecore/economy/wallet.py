"""The wallet: currencies and progression resources, spent by players and adjusted by the studio's backend.

A wallet lists every key that the game defines. Only the server credits. The service counts the two system keys, and nobody
can change them. Where the studio keeps the economy, changes are refused and the player's own wallet is empty. But the
service still keeps progression, which is shown with players and to the studio's backend (specification 4.3; the table of
operations says who may change what).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from livecore.economy import adjusting
from livecore.economy.config import SYSTEM_KEYS, EconomyKey, economy_config
from livecore.economy.ledger import (
    HOLDINGS_OF_PLAYER,
    Asset,
    Holding,
    holding_read,
)
from livecore.economy.refusals import EconomyKeyNotFound, SystemResourceLocked
from livecore.economy.rows import (
    AdjustWallet,
    AdjustWalletAsOperator,
    BalanceRow,
    DebitWallet,
    GetWallet,
    Wallet,
    WalletChange,
)
from livecore.kernel.storage.reads import Get
from livecore.kernel.units.unit import Unit
from livecore.players.player import Player, acting
from livecore.players.seen import live, streak_today

# -- reading --------------------------------------------------------------------------------------------------------------


def _system_value(unit: Unit, player: Player, key: str) -> int:
    player = live(unit, player)
    return player.sessions if key == "sessions" else streak_today(player, unit.now)


def progression_of(
    unit: Unit, player: Player, keys: tuple[str, ...], *, own: bool, activity: bool = True
) -> dict[str, int]:
    """The balances that `progression` asks for. A key that is not public reads 0 for other players.

    So do the two system keys without `activity`: they tell when the player was there.
    """
    found = unit.tx.read_all(progression_reads(unit, player.player_id, keys, own=own))
    balances = {holding.asset_key: holding.amount for holding in found if holding is not None}
    if activity:
        counted = (key for key in keys if key in SYSTEM_KEYS and _readable(unit, key, own=own))
        balances |= {key: _system_value(unit, player, key) for key in counted}
    return {key: balances.get(key, 0) for key in keys}


def progression_reads(unit: Unit, player_id: str, keys: tuple[str, ...], *, own: bool) -> Iterator[Get[Holding]]:
    """The reads of a player's balances of these keys, without those that are not public or that the service counts."""
    for key in keys:
        if key not in SYSTEM_KEYS and _readable(unit, key, own=own):
            yield holding_read(player_id, Asset("currency", key))


def _readable(unit: Unit, key: str, *, own: bool) -> bool:
    declared = economy_config(unit).economy_key(key)
    return declared is not None and (own or declared.public or unit.actor.kind != "player")


def get_wallet(unit: Unit, _: GetWallet) -> Wallet:
    """The caller's balance of every key that the game defines; empty where the studio keeps them."""
    return _wallet(unit, economy_config(unit).economy) if economy_config(unit).platform_managed else Wallet(balances=())


def get_wallet_as_server(unit: Unit, _: GetWallet) -> Wallet:
    """A player's balance of every key that the service keeps: where the studio keeps the economy, only progression."""
    kept = economy_config(unit).economy
    if not economy_config(unit).platform_managed:
        kept = tuple(entry for entry in kept if entry.kind == "progression")
    return _wallet(unit, kept)


def _wallet(unit: Unit, listed: Iterable[EconomyKey]) -> Wallet:
    player = acting(unit)
    amounts = {row.asset_key: row.amount for row in unit.tx.scan(HOLDINGS_OF_PLAYER, player.player_id, "currency")}
    rows = [BalanceRow(key=entry.key, kind=entry.kind, balance=amounts.get(entry.key, 0)) for entry in listed]
    rows += [BalanceRow(key=key, kind="progression", balance=_system_value(unit, player, key)) for key in SYSTEM_KEYS]
    return Wallet(balances=tuple(rows))


# -- changing -------------------------------------------------------------------------------------------------------------


def debit_own(unit: Unit, args: DebitWallet) -> WalletChange:
    """Spend an amount, as the player."""
    return _change(unit, args.economy_key, -args.amount, args.reason, None)


def credit(unit: Unit, args: AdjustWallet) -> WalletChange:
    """Credit an amount, as the studio's backend."""
    return _change(unit, args.economy_key, args.amount, args.reason, args.source_ref_id)


def debit(unit: Unit, args: AdjustWallet) -> WalletChange:
    """Debit an amount, as the studio's backend."""
    return _change(unit, args.economy_key, -args.amount, args.reason, args.source_ref_id)


def adjust(unit: Unit, args: AdjustWalletAsOperator) -> WalletChange:
    """Change a balance up or down, as an operator."""
    return _change(unit, args.economy_key, args.delta, args.reason, None)


def _change(unit: Unit, key: str, delta: int, reason: str | None, source_ref_id: str | None) -> WalletChange:
    """Refusals, in order: unknown key, system key, a studio-managed economy, the balance itself."""
    player = acting(unit)
    if economy_config(unit).economy_key(key) is None:
        raise EconomyKeyNotFound.of(key, known=economy_config(unit).economy_keys)
    if key in SYSTEM_KEYS:
        raise SystemResourceLocked
    entry = adjusting.adjust(unit, player, Asset("currency", key), delta, reason=reason, source_ref_id=source_ref_id)
    return WalletChange(economy_key=entry.asset_key, balance=entry.balance, delta=entry.delta, entry_id=entry.entry_id)
