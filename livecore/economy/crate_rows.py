"""Crates on the wire: requests and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar

from livecore.economy.rows import Entries, GrantRow
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import DefinitionKey, Id, IdempotencyKey, Int

# -- requests -------------------------------------------------------------------------------------------------------------


@shape
class ListCrates:
    """The crates that a player holds."""


@shape
class OpenCrate:
    """Open a crate."""

    crate_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class GetOdds:
    """What a crate may hold, and with which chances."""

    key: DefinitionKey


# -- answers --------------------------------------------------------------------------------------------------------------


@shape
class HeldCrate:
    """A crate that can be opened; after `expiresAt` it cannot."""

    crate_id: str
    crate_key: str
    name: str
    created_at: Timestamp
    expires_at: Timestamp | None

    example: ClassVar = {"crate_key": "starter-chest", "name": "Starter chest"}


@shape
class Crates:
    """The newest 200 crates that a player holds, newest first."""

    crates: tuple[HeldCrate, ...]


@shape
class OpenedCrate:
    """A crate that has been opened."""

    crate_id: str
    crate_key: str
    opened_at: Timestamp

    example: ClassVar = {"crate_key": "starter-chest"}


@shape
class RollResult:
    """Which row a roll gave; the numbers are those of the definition and begin with 0."""

    roll: int
    row: int

    example: ClassVar = {"roll": 0, "row": 1}


@shape
class Opened:
    """The opened crate, what was rolled, and the contents as a grant that waits to be claimed."""

    crate: OpenedCrate
    rolls: tuple[RollResult, ...]
    grant: GrantRow


@shape
class ExportedOpening:
    """How the contents of a crate were drawn, in the export of the player who opened it.

    With the crate's definition, which `definitionDigest` names, `seed` and `waits` give the same rolls again. `waits` and
    `waitsAfter` say for each row of pity, before and after this opening, how many openings in a row have not given it.
    """

    crate_id: str
    crate_key: str
    opened_at: Timestamp
    rolls: tuple[RollResult, ...]
    contents_grant_id: str
    definition_digest: str
    seed: str
    waits: dict[str, int]
    waits_after: dict[str, int]

    example: ClassVar = {"crate_key": "starter-chest", "waits": {"0": 3}, "waits_after": {"0": 4}}


@shape
class CrateRowOdds:
    """One possible outcome of a roll, and its chance as a decimal number."""

    entries: Entries
    probability: str

    example: ClassVar = {"probability": "0.25"}


@shape
class Pity:
    """Gives the row with this number (the first is 0) when `after` openings in a row of a player have not given it."""

    after: Annotated[int, Int(1, 1_000_000)]
    row: Annotated[int, Int(0, 99)]

    example: ClassVar = {"after": 9, "row": 0}


@shape
class RollOdds:
    """A roll, which is made `times` times with these chances; the chances of its rows add up to 1."""

    times: int
    rows: tuple[CrateRowOdds, ...]
    pity: Pity | None


@shape
class CrateOdds:
    """What a crate always holds, and the chances of all else."""

    crate_key: str
    guaranteed: Entries
    rolls: tuple[RollOdds, ...]

    example: ClassVar = {"crate_key": "starter-chest"}
