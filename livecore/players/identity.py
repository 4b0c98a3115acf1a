"""The identities of players: the display identity that they chose, and the anonymised one that never changes.

The anonymised (synthetic) identity is composed once, at first contact, from the game's identity pool. The player or the
studio can set the display identity; until then the anonymised one is shown in its place. The search compares the name that
others see, through its own rows (specification 2.2).
"""

from __future__ import annotations

from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.units.unit import Change, Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire import encode
from livecore.kernel.wire.shapes import ABSENT
from livecore.kernel.words import beginnings
from livecore.players.former_names import note_former_name
from livecore.players.player import PLAYERS, Player, acting
from livecore.players.rows import Identity, IdentitySet, SetIdentity, SetIdentityAsServer


@record
class SearchEntry:
    """The end of a folded name from one of its words on: 'Amber-Otter' has two, 'amber otter ' and 'otter '."""

    player_id: PlayerId
    text: str


SEARCH_ENTRIES = Table(
    "search_entries",
    SearchEntry,
    key=("player_id", "text"),
    players={"player_id": PlayerColumn(Merge.KEEP_TARGET, Erase.DELETE)},
    export=(),
)
SEARCH_OF_PLAYER = SEARCH_ENTRIES.index("of_player", prefix=("player_id",), order=("text",))
SEARCH_BY_TEXT = SEARCH_ENTRIES.index("by_text", order=("text",))


# -- rules ----------------------------------------------------------------------------------------------------------------


def shown_name(player: Player) -> str:
    """The name that others see."""
    return player.name if player.name is not None else player.pool_name


def shown_avatar(player: Player) -> str | None:
    """The picture that others see. A player who chose a name may have none."""
    return player.pool_avatar if player.name is None and player.avatar is None else player.avatar


def search_texts(player: Player) -> tuple[str, ...]:
    """The texts by which the search finds the player, from the name that others see."""
    return beginnings(shown_name(player))


def display(player: Player) -> Identity:
    """The display identity, or the anonymised one where none was set."""
    return Identity(name=shown_name(player), avatar=shown_avatar(player), country=player.country)


def anonymized(player: Player) -> Identity:
    """The synthetic identity, composed once and never changed."""
    return Identity(name=player.pool_name, avatar=player.pool_avatar, country=player.country)


def _rechosen(player: Player, args: SetIdentityAsServer) -> Player:
    """The player with the studio's changes: a field that is left out stays as it is shown, `None` gives the pool's value."""
    shown = display(player)
    name = shown.name if args.name is ABSENT else args.name or player.pool_name
    avatar = shown.avatar if args.avatar is ABSENT else args.avatar or player.pool_avatar
    country = player.country_override if args.country is ABSENT else args.country
    if (name, avatar) == (player.pool_name, player.pool_avatar):
        return evolve(player, name=None, avatar=None, country_override=country)
    return evolve(player, name=name, avatar=avatar, country_override=country)


# -- operations -----------------------------------------------------------------------------------------------------------


def index_name(unit: Unit, player: Player, *, fresh: bool = False) -> None:
    """Update the rows by which the search finds the player; a `fresh` player has none yet.

    For a fresh player no rows are read, and that matters. New players are neighbours in every index, so in a store that
    tracks reads, two registrations at the same moment would conflict.
    """
    wanted = set(search_texts(player))
    for entry in () if fresh else unit.tx.scan(SEARCH_OF_PLAYER, player.player_id):
        if entry.text in wanted:
            wanted.discard(entry.text)
        else:
            unit.tx.delete(SEARCH_ENTRIES, player.player_id, entry.text)
    for text in sorted(wanted):
        unit.tx.insert(SEARCH_ENTRIES, SearchEntry(player_id=player.player_id, text=text))


def set_identity(unit: Unit, args: SetIdentity) -> IdentitySet:
    """Set the display identity, as the player."""
    before = acting(unit)
    return _store(unit, before, evolve(before, name=args.name, avatar=args.avatar))


def set_identity_as_server(unit: Unit, args: SetIdentityAsServer) -> IdentitySet:
    """Change name, picture and country, as the studio's backend."""
    before = acting(unit)
    after = _rechosen(before, args)
    unit.change = Change(_seen_as(before), _seen_as(after))
    return _store(unit, before, after)


def _seen_as(player: Player) -> JsonObject:
    """A player's identity for the audit trail."""
    return {"displayIdentity": encode(display(player)), "countryOverride": player.country_override}


def _store(unit: Unit, before: Player, after: Player) -> IdentitySet:
    unit.tx.put(PLAYERS, after)
    note_former_name(unit, before, after)
    index_name(unit, after)
    return IdentitySet(display_identity=display(after))
