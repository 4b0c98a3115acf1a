"""The audit trail of a studio as one list, over the directory and every scope of the games that the member may see.

Names are those of now: members' from the directory, and players' present ids from their scopes. The internet address of a
request is shown whole only to who may read all data about a player; others see the network that it belongs to.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, Literal, cast

from livecore.access.audit import AuditEntry
from livecore.access.audit_rows import ActorKind, AuditActor, AuditPage, AuditRow, AuditTarget, ListAudit
from livecore.access.audit_search import Found, Search, find_entries, joined, short_action
from livecore.access.directory import GAMES_OF_STUDIO, Game
from livecore.access.members import names_shown
from livecore.access.principals import Principal
from livecore.api.requests.operator_context import OperatorContext
from livecore.kernel.client_network import shortened
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.scope import DIRECTORY, ENVIRONMENTS, Scope, scope_of
from livecore.kernel.storage.paging import pack, page_by_time
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.players.player import MERGED_INTO, PLAYERS, find

_WHOLE_ADDRESSES: Final = "player.export"
"""The permission of who sees the addresses of entries as they are."""
_MOST_MERGED: Final = 20
"""How many accounts that were merged into a player are searched together with it."""


def list_audit(context: OperatorContext, args: ListAudit) -> AuditPage:
    """Entries that match all filters, the newest first. Raises `ValidationFailed`."""
    page = page_by_time(args)
    limit = page.limit or 0
    search = _search(context.studio_id, args)
    searched_scopes = _searched_scopes(context, args)
    found: list[tuple[_SearchedScope, Found]] = [
        (
            searched,
            context.read(
                searched.scope, searched.game, _finder(context, args, search, page.beyond, limit, len(searched_scopes))
            ),
        )
        for searched in searched_scopes
    ]
    both = joined((part for _, part in found), limit)
    at = {row.audit_id: searched for searched, part in found for row in part.rows}
    shown = [(at[row.audit_id], row) for row in both.rows]
    following = None if both.reached is None else pack(both.reached)
    return AuditPage(entries=tuple(_shown(context, shown)), next_cursor=following)


# -- what is searched -----------------------------------------------------------------------------------------------------


@value
class _SearchedScope:
    """A scope that is searched, with its game; the directory has none."""

    scope: Scope
    game: Game | None = None


def _searched_scopes(context: OperatorContext, args: ListAudit) -> list[_SearchedScope]:
    # What was done in a game that has been deleted since stays to be read until its rows are purged.
    games = context.read(DIRECTORY, None, lambda unit: unit.tx.scan(GAMES_OF_STUDIO, context.studio_id))
    mine = context.principal.games
    seen = [game for game in games if (mine is None or game.game_id in mine) and args.game in (None, game.game_id)]
    environments = ENVIRONMENTS if args.environment is None else (args.environment,)
    searched_scopes = [_SearchedScope(scope_of(game.game_id, name), game) for game in seen for name in environments]
    # The directory is in no environment, and its entries are about no player.
    return (
        searched_scopes
        if args.environment is not None or args.player is not None
        else [_SearchedScope(DIRECTORY), *searched_scopes]
    )


def _search(studio_id: str, args: ListAudit) -> Search:
    since, until = _moment("from", args.from_), _moment("to", args.to)
    if since is not None and until is not None and since >= until:
        raise ValidationFailed({"from": "must lie before `to`"})
    return Search(studio_id=studio_id, member_id=args.member, action=args.action, since=since, until=until)


def _moment(field: str, text: str | None) -> Millis | None:
    if text is None:
        return None
    try:
        if "T" in text:
            return int(Timestamp.parse(text))
        return int(Timestamp.of(dt.datetime.combine(dt.date.fromisoformat(text), dt.time(), dt.UTC)))
    except ValueError:
        raise ValidationFailed({field: "must be a UTC date or a timestamp, such as 2026-01-31"}) from None


def _finder(
    context: OperatorContext, args: ListAudit, search: Search, beyond: Key | None, limit: int, scopes: int
) -> Callable[[Unit], Found]:
    shown = partial(_may_see, context.principal, args.game)

    def look(unit: Unit) -> Found:
        wanted = search
        if args.player is not None:
            wanted = evolve(search, player_ids=_ids_of(unit, args.player))
        return find_entries(
            unit.tx, wanted, beyond, limit, scopes=scopes, shown=shown if unit.scope == DIRECTORY else None
        )

    return look


def _ids_of(unit: Unit, external_id: str) -> tuple[str, ...]:
    player = find(unit, external_id)
    if player is None:
        return ()
    merged = unit.tx.scan(MERGED_INTO, player.player_id, limit=_MOST_MERGED)
    return (player.player_id, *(source.player_id for source in merged))


def _may_see(principal: Principal, game_id: str | None, entry: AuditEntry) -> bool:
    """Whether an entry of the directory is shown: those about a game to who may see the game, the others to all.

    To a member whose role is for named games the others are shown only if they are by or about this member.
    """
    if game_id is not None and entry.game_id != game_id:
        return False
    if principal.games is None or entry.game_id in principal.games:
        return True
    about = entry.target_kind == "member" and entry.target_id == principal.ref
    return entry.game_id is None and (about or entry.member_id == principal.ref)


# -- what is shown --------------------------------------------------------------------------------------------------------


def _shown(context: OperatorContext, entries: Sequence[tuple[_SearchedScope, AuditEntry]]) -> list[AuditRow]:
    members = _members(context, {entry.member_id for _, entry in entries if entry.member_id is not None})
    players = _present_ids(context, entries)
    return [
        _row(
            searched,
            entry,
            members,
            players.get(entry.player_id or ""),
            _address(context.principal, searched, entry.address),
        )
        for searched, entry in entries
    ]


def _address(principal: Principal, searched: _SearchedScope, address: str | None) -> str | None:
    # The directory is about both environments.
    environment = "live" if searched.game is None else searched.scope.environment
    if address is None or principal.holds(_WHOLE_ADDRESSES, environment):
        return address
    return shortened(address)


def _members(context: OperatorContext, ids: set[str]) -> dict[str, str | None]:
    """What the members with these ids are called, as far as the reader may know."""

    def look(unit: Unit) -> dict[str, str | None]:
        return names_shown(unit.tx, context.principal, sorted(ids))

    return context.read(DIRECTORY, None, look) if ids else {}


def _present_ids(context: OperatorContext, entries: Iterable[tuple[_SearchedScope, AuditEntry]]) -> dict[str, str]:
    """The present external ids of the players whom entries are about, by their own ids."""
    wanted: dict[Scope, tuple[_SearchedScope, set[str]]] = {}
    for searched, entry in entries:
        if entry.player_id is not None:
            wanted.setdefault(searched.scope, (searched, set()))[1].add(entry.player_id)
    present: dict[str, str] = {}
    for searched, ids in wanted.values():
        present.update(context.read(searched.scope, searched.game, partial(_look_up, ids=sorted(ids))))
    return present


def _look_up(unit: Unit, ids: Sequence[str]) -> dict[str, str]:
    players = unit.tx.read_all(Get(PLAYERS, (player_id,)) for player_id in ids)
    into = {player.merged_into for player in players if player is not None and player.merged_into is not None}
    targets = dict(zip(into, unit.tx.read_all(Get(PLAYERS, (target,)) for target in into), strict=True))
    found: dict[str, str] = {}
    for player_id, named in zip(ids, players, strict=True):
        player = named if named is None or named.merged_into is None else targets[named.merged_into]
        if player is not None and not player.gone:
            found[player_id] = player.external_id
    return found


def _row(
    searched: _SearchedScope,
    entry: AuditEntry,
    members: dict[str, str | None],
    external_id: str | None,
    address: str | None,
) -> AuditRow:
    target = None
    if entry.target_kind is not None and entry.target_id is not None:
        target = AuditTarget(type=entry.target_kind, id=entry.target_id)
    inside = searched.game is not None
    return AuditRow(
        audit_id=entry.audit_id,
        at=Timestamp(entry.at),
        actor=_actor(entry, members.get(entry.member_id or "")),
        via=cast("Literal['session', 'api', 'mcp', 'cli'] | None", entry.via),
        address=address,
        action=short_action(entry.action),
        permission=entry.permission,
        target=target,
        before=_read(entry.before),
        after=_read(entry.after),
        metadata=_read(entry.metadata),
        game_id=searched.scope.game_id if inside else entry.game_id,
        environment=cast("Literal['live', 'test']", searched.scope.environment) if inside else None,
        external_player_id=external_id,
    )


def _read(text: JsonText | None) -> JsonObject | None:
    return None if text is None else cast(JsonObject, json.loads(text))


def _actor(entry: AuditEntry, called: str | None) -> AuditActor:
    kind = _kind(entry)
    name = entry.actor_ref if kind == "cli" and called is None else called
    id_ = entry.key_id if kind == "personal_key" else entry.actor_ref or None
    return AuditActor(kind=kind, id=id_, name=name, member_id=entry.member_id)


def _kind(entry: AuditEntry) -> ActorKind:
    if entry.via == "cli":
        return "cli"
    if entry.member_id is not None:
        return "member" if entry.key_id is None else "personal_key"
    return "api_key" if entry.actor_kind == "api_key" else "system"
