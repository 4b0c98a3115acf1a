"""Crates: rewards whose contents are drawn when they are opened, with chances that everybody can read.

    held (a pending grant) ──open──▶ opened (claimed), and its contents wait in a grant of their own

A player holds a crate as a pending grant of kind `crate`; the id of the grant is the id of the crate. Opening draws the
contents from a new seed. The seed, the definition by which was drawn and the result are recorded, so that each roll can be
derived again (`livecore crates verify`).
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Final

from livecore.economy.config import economy_config
from livecore.economy.crate_config import CrateDefinition
from livecore.economy.crate_draws import Draw, Rolled, draw, probabilities
from livecore.economy.crate_rows import (
    CrateOdds,
    CrateRowOdds,
    Crates,
    GetOdds,
    HeldCrate,
    ListCrates,
    OpenCrate,
    Opened,
    OpenedCrate,
    RollOdds,
    RollResult,
)
from livecore.economy.grants import (
    CRATES_OF_PLAYER,
    GRANTS,
    OF_PLAYER_BY_STATUS,
    Grant,
    award,
    close,
    entries_of,
    is_past,
    require_claimable,
    row,
)
from livecore.economy.refusals import CrateNotFound, CrateUndefined, GrantExpired
from livecore.economy.webhook_events import CrateOpened
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire import compact, decode
from livecore.players.player import Player, acting

_MOST_SHOWN: Final = 200
_SEED_BYTES: Final = 32


@record
class CrateOpening:
    """How the contents of one crate were drawn.

    `waits` and `waits_after` say for each row of pity, before and after this opening, how many openings in a row have not
    given it.
    """

    crate_id: str
    player_id: PlayerId
    crate_key: str
    definition: str
    """The digest of the definition."""
    seed: str
    """As hexadecimal digits."""
    waits: JsonText
    rolls: JsonText
    """The pairs of roll and row."""
    waits_after: JsonText
    contents_id: str
    """The grant with the contents."""
    opened_at: Millis


@record
class CrateWaits:
    """How many openings in a row of a player have not given each row of pity of one kind of crate."""

    player_id: PlayerId
    crate_key: str
    waits: JsonText


@record
class StoredDefinition:
    """A definition by which crates were opened."""

    digest: str
    definition: JsonText


OPENINGS = Table(
    "crate_openings",
    CrateOpening,
    key=("crate_id",),
    players={"player_id": PlayerColumn(Merge.REASSIGN, Erase.RETAIN)},
    export="crateOpenings",
)
OPENING_BY_CONTENTS = OPENINGS.unique("contents_id")
OPENINGS_OF_PLAYER = OPENINGS.index("of_player", prefix=("player_id",), order=("opened_at",))
WAITS = Table(
    "crate_waits",
    CrateWaits,
    key=("player_id", "crate_key"),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export=(),  # each count follows from the crates that the player has opened
)
WAITS_OF_PLAYER = WAITS.index("of_player", prefix=("player_id",), order=("crate_key",))
DEFINITIONS = Table("crate_definitions", StoredDefinition, key=("digest",))


# -- rules ----------------------------------------------------------------------------------------------------------------


def digest_of(text: JsonText) -> str:
    """The digest by which a definition is stored."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


def waits_in(text: JsonText) -> dict[str, int]:
    """Stored counts for pity."""
    found: dict[str, int] = json.loads(text)
    return found


def definition_in(stored: StoredDefinition) -> CrateDefinition:
    """A stored definition."""
    return decode(CrateDefinition, json.loads(stored.definition))


def drawn_again(opening: CrateOpening, definition: CrateDefinition) -> Draw:
    """What the recorded seed gives."""
    return draw(definition, bytes.fromhex(opening.seed), waits_in(opening.waits))


def rolls_of(opening: CrateOpening) -> tuple[Rolled, ...]:
    """The recorded rolls."""
    return tuple(Rolled(*pair) for pair in json.loads(opening.rolls))


# -- operations -----------------------------------------------------------------------------------------------------------


def _held(player_id: str) -> Scan[Grant]:
    return Scan(CRATES_OF_PLAYER, (player_id, "pending"), reverse=True, limit=_MOST_SHOWN)


def list_crates(unit: Unit, _: ListCrates) -> Crates:
    """The newest crates that the player can open."""
    held = unit.tx.scanned(_held(acting(unit).player_id))
    return Crates(
        crates=tuple(
            HeldCrate(
                crate_id=grant.grant_id,
                crate_key=key,
                name=_name_of(unit, key),
                created_at=Timestamp(grant.created_at),
                expires_at=stamp(grant.expires_at),
            )
            for grant in held
            if (key := grant.crate_key) is not None and not is_past(grant, unit.now)
        )
    )


def _name_of(unit: Unit, key: str) -> str:
    definition = economy_config(unit).crate(key)
    return key if definition is None else definition.name


def odds(unit: Unit, args: GetOdds) -> CrateOdds:
    """What a crate may hold, and with which chances. Raises `CrateNotFound`."""
    definition = economy_config(unit).crate(args.key)
    if definition is None:
        raise CrateNotFound.of(args.key, known=economy_config(unit).crate_keys)
    return CrateOdds(
        crate_key=definition.key,
        guaranteed=definition.guaranteed,
        rolls=tuple(
            RollOdds(
                times=roll.times,
                rows=tuple(
                    CrateRowOdds(entries=each.entries, probability=probability)
                    for each, probability in zip(roll.rows, probabilities(roll), strict=True)
                ),
                pity=roll.pity,
            )
            for roll in definition.rolls
        ),
    )


def open_crate(unit: Unit, args: OpenCrate) -> Opened:
    """Draw the contents of a crate into a grant.

    Refusals, in order: `CrateNotFound`, `GrantExpired`, `GrantAlreadyClaimed`, `CrateUndefined`, with which the player still
    holds the crate.
    """
    me = acting(unit)
    crate, definition = _require_openable(unit, me, args.crate_id)
    stored = _stored(unit, definition)
    counted, known = unit.tx.read_together(
        Get(WAITS, (me.player_id, definition.key)), Get(DEFINITIONS, (stored.digest,))
    )
    waits = {} if counted is None else waits_in(counted.waits)
    seed = unit.entropy.bytes(_SEED_BYTES)
    drawn = draw(definition, seed, waits)
    close(unit, me, crate, "player")
    contents = award(unit, me, drawn.entries, "crate", crate.grant_id)
    if known is None:
        unit.tx.insert(DEFINITIONS, stored)
    opening = CrateOpening(
        crate_id=crate.grant_id,
        player_id=me.player_id,
        crate_key=definition.key,
        definition=stored.digest,
        seed=seed.hex(),
        waits=JsonText(compact(dict(waits))),
        rolls=JsonText(compact([[rolled.roll, rolled.row] for rolled in drawn.rolls])),
        waits_after=JsonText(compact(dict(drawn.waits))),
        contents_id=contents.grant_id,
        opened_at=unit.now,
    )
    unit.tx.insert(OPENINGS, opening)
    if drawn.waits or counted is not None:
        after = CrateWaits(player_id=me.player_id, crate_key=definition.key, waits=opening.waits_after)
        unit.tx.put(WAITS, after)
    _emit_opened(unit, me, opening, drawn)
    return Opened(
        crate=OpenedCrate(crate_id=crate.grant_id, crate_key=definition.key, opened_at=Timestamp(unit.now)),
        rolls=tuple(RollResult(roll=rolled.roll, row=rolled.row) for rolled in drawn.rolls),
        grant=row(contents),
    )


def _require_openable(unit: Unit, player: Player, crate_id: str) -> tuple[Grant, CrateDefinition]:
    """A crate that the player may open now, and its definition. Raises the refusals of `open_crate`, in their order."""
    crate = unit.tx.get(GRANTS, crate_id)
    if crate is None or crate.player_id != player.player_id or crate.crate_key is None:
        raise _not_held(unit, player, crate_id, crate)
    if is_past(crate, unit.now):
        raise GrantExpired
    require_claimable(crate, unit.now)
    definition = economy_config(unit).crate(crate.crate_key)
    if definition is None:
        raise CrateUndefined
    return crate, definition


def _not_held(unit: Unit, player: Player, crate_id: str, grant: Grant | None) -> CrateNotFound:
    """The refusal for an id that is no crate of the player; it tells only of the player's own grants."""
    if grant is not None and grant.player_id != player.player_id:
        grant = None
    if grant is None and economy_config(unit).crate(crate_id) is not None:
        # Whoever gives the key of a crate means one of those that they hold, or are about to.
        if any(held.crate_key == crate_id for held in unit.tx.scanned(_held(player.player_id))):
            return CrateNotFound.of(
                crate_id, "this is the key of a crate that the player holds, which is opened by its id"
            )
        waiting = unit.tx.scanned(
            Scan(OF_PLAYER_BY_STATUS, (player.player_id, "pending"), reverse=True, limit=_MOST_SHOWN)
        )
        grant = next((one for one in waiting if crate_id in _crates_in(one)), None)
    if grant is None or grant.status == "expired" or is_past(grant, unit.now) or not _crates_in(grant):
        return CrateNotFound.of(crate_id)
    if grant.status == "pending":
        return CrateNotFound(
            "The crate lies in a reward that is not claimed: claim the grant of details.grantId first, then open the crate "
            "by the id that it has from then on.",
            grant_id=grant.grant_id,
        )
    return CrateNotFound.of(crate_id, "this is the reward that held it, and its crates have ids of their own")


def _crates_in(grant: Grant) -> list[str]:
    """The keys of the crates in a reward."""
    return [entry.resource_key for entry in entries_of(grant) if entry.type == "crate" and grant.crate_key is None]


def _stored(unit: Unit, definition: CrateDefinition) -> StoredDefinition:
    text = economy_config(unit).crate_text(definition.key)
    return StoredDefinition(digest=digest_of(text), definition=text)


def opening_of(unit: Unit, grant_id: str) -> CrateOpening:
    """How a crate was opened, by its own id or by that of the grant with its contents. Raises `CrateNotFound`."""
    found = unit.tx.get(OPENINGS, grant_id) or unit.tx.find(OPENING_BY_CONTENTS, grant_id)
    if found is None:
        raise CrateNotFound("No crate with this id has been opened.")
    return found


def _emit_opened(unit: Unit, player: Player, opening: CrateOpening, drawn: Draw) -> None:
    unit.emit(
        CrateOpened(
            crate_id=opening.crate_id,
            crate_key=opening.crate_key,
            player_id=player.player_id,
            external_player_id=player.external_id,
            contents_grant_id=opening.contents_id,
            entries=drawn.entries,
            opened_at=Timestamp(opening.opened_at),
        )
    )
