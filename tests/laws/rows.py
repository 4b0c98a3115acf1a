"""The rows of one place as the laws look at them: who there is, what they hold, and what is in transit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, TypeAlias, cast

from livecore.api.requests.idempotency import ANSWERS
from livecore.commerce.totals import PURCHASES, Purchase
from livecore.economy.grants import GRANTS, Grant
from livecore.economy.ledger import ENTRIES, HOLDINGS, Entry, Holding
from livecore.leaderboards.boards import BOARDS, Leaderboard
from livecore.players.player import PLAYERS, Player
from livecore.social.gifts import GIFTS, Gift
from livecore.social.relations import RELATIONS, Relation
from tests.laws.arena import Arena
from tests.laws.games import Place

Amounts: TypeAlias = Counter[tuple[str, str]]
"""How much there is, by kind and key of the asset."""


class PlaceRows:
    """Every row of one place, read once; `tables` are the place's part of a store's dump."""

    def __init__(self, tables: dict[str, list[Any]]) -> None:
        self.tables = tables

    @classmethod
    def of(cls, arena: Arena, place: Place) -> PlaceRows:
        """The rows of a place of an arena, as they are now."""
        return cls(arena.store.dump().get(arena.scope(place).id, {}))

    @property
    def players(self) -> list[Player]:
        """The players."""
        return cast("list[Player]", self.tables.get(PLAYERS.name, []))

    @property
    def relations(self) -> list[Relation]:
        """The pairs of players."""
        return cast("list[Relation]", self.tables.get(RELATIONS.name, []))

    @property
    def holdings(self) -> list[Holding]:
        """What players have."""
        return cast("list[Holding]", self.tables.get(HOLDINGS.name, []))

    @property
    def entries(self) -> list[Entry]:
        """How they came to have it."""
        return cast("list[Entry]", self.tables.get(ENTRIES.name, []))

    @property
    def gifts(self) -> list[Gift]:
        """The gifts."""
        return cast("list[Gift]", self.tables.get(GIFTS.name, []))

    @property
    def grants(self) -> list[Grant]:
        """The grants."""
        return cast("list[Grant]", self.tables.get(GRANTS.name, []))

    @property
    def purchases(self) -> list[Purchase]:
        """The purchases."""
        return cast("list[Purchase]", self.tables.get(PURCHASES.name, []))

    def final_boards(self) -> set[str]:
        """The ids of the leaderboards of lobbies that do not change any more."""
        boards = cast("list[Leaderboard]", self.tables.get(BOARDS.name, []))
        return {row.board_id for row in boards if row.lobby_id is not None and row.finalized_at is not None}

    @property
    def kept_answers(self) -> int:
        """How many idempotent answers are kept."""
        return len(self.tables.get(ANSWERS.name, []))

    def owned(self) -> Amounts:
        """What all players hold together, and what is in transit in gifts that their senders have paid for."""
        total: Amounts = Counter()
        for holding in self.holdings:
            total[holding.asset_kind, holding.asset_key] += holding.amount
        for gift in self.pending_paid():
            total[gift.asset_kind, gift.asset_key] += gift.amount
        return total

    def pending_paid(self) -> Iterable[Gift]:
        """Gifts that hold an amount of their sender's."""
        return [gift for gift in self.gifts if gift.paid and gift.status == "pending"]
