"""`livecore members`: who may operate the games of a studio, and in which role.

The first owner comes from here, since nobody can sign in before there is a member. A running server heeds every change with
its next request.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

import click

from livecore.access import members as rules
from livecore.access.binding import renew_invitation
from livecore.access.directory import Studio
from livecore.access.member_rows import MemberRow, Role
from livecore.access.members import Member, Membership
from livecore.access.roles import ROLES
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Change
from livecore.kernel.wire import encode
from livecore_server.cli.directory import choose_studio, directory_at, noted_in_directory
from livecore_server.cli.groups import Group
from livecore_server.cli.options import json_option, setting_option
from livecore_server.cli.output import show
from livecore_server.storage.database import Database
from livecore_server.system import draw_seed, now_millis

F = TypeVar("F", bound=Callable[..., Any])
Changed = tuple[Member, Membership, Change]


def _studio_option(command: F) -> F:
    text = "The studio; may be left out where there is only one."
    return click.option("--studio", "studio_id", metavar="ID", help=text)(command)


def _email_option(command: F) -> F:
    return click.option("--email", required=True, metavar="ADDRESS", help="The person's e-mail address.")(command)


def _games_option(text: str) -> Callable[[F], F]:
    return click.option("--game", "games", multiple=True, metavar="ID", help=text)


@click.group(cls=Group)
def members() -> None:
    """The people who may operate a studio's games, each with a role."""


@members.command()
@setting_option("database")
@_studio_option
@_email_option
@click.option("--role", type=click.Choice(ROLES), required=True, help="What the person may do.")
@_games_option("A game that the role is for, once for each; without it the role is for all games of the studio.")
@json_option
def add(database: str, studio_id: str | None, email: str, role: str, games: tuple[str, ...], *, as_json: bool) -> None:
    """Make somebody a member, who may then sign in with this e-mail address. Nobody is sent a message."""

    def change(tx: Transaction, studio: Studio, now: Millis, entropy: Entropy) -> Changed:
        chosen = cast(Role, role)
        member, held = rules.add_member(tx, studio, email, chosen, now, entropy, games=games or None)
        return member, held, Change(None, rules.shown_for_audit(held))

    _print_changed(_change(database, studio_id, "members.invite", change), as_json=as_json)


@members.command("list")
@setting_option("database")
@_studio_option
@click.option("--email", metavar="ADDRESS", help="Only the member with this address.")
@json_option
def list_(database: str, studio_id: str | None, email: str | None, *, as_json: bool) -> None:
    """List a studio's members with their roles, the oldest first."""
    with directory_at(database) as store:
        studio = choose_studio(store, studio_id)
        rows = [rules.member_row(*found) for found in store.read(DIRECTORY, lambda tx: _found(tx, studio, email))]
    nothing = "no members: `livecore members add --email ADDRESS --role OWNER` makes the first"
    show({"members": [encode(row) for row in rows]}, map(_line, rows), as_json=as_json, nothing=nothing)


def _found(tx: Transaction, studio: Studio, email: str | None) -> list[tuple[Member, Membership]]:
    if email is not None:
        return [rules.membership_named(tx, studio.studio_id, email)]
    return rules.present_members(tx, studio.studio_id)


@members.command()
@setting_option("database")
@_studio_option
@click.option("--email", metavar="ADDRESS", help="The person's e-mail address.")
@click.option("--all", "everybody", is_flag=True, help="Every member, for instance after a change of the provider.")
@json_option
def renew(database: str, studio_id: str | None, email: str | None, *, everybody: bool, as_json: bool) -> None:
    """Renew an invitation: the next sign-in with the address binds the membership to its account, whichever that is.

    Until then the person has no access: sessions of the account before open the studio no more, and personal keys end.
    """
    if (email is None) is not everybody:
        raise click.UsageError("say whose: --email or --all")

    with directory_at(database) as store:
        studio = choose_studio(store, studio_id)
        found = store.read(DIRECTORY, lambda tx: _found(tx, studio, email))
        rows = [
            _write(store, studio, "members.invite", partial(_renewed, member.email), {"renewed": True})
            for member, held in found
            if held.subject is not None or not everybody
        ]
    lines = (f"{row.email} is invited again as {row.role}" for row in rows)
    show({"members": [encode(row) for row in rows]}, lines, as_json=as_json)


def _renewed(email: str, tx: Transaction, studio: Studio, now: Millis, _: Entropy) -> Changed:
    member, before = rules.membership_named(tx, studio.studio_id, email)
    shown = rules.shown_for_audit(before)
    return member, renew_invitation(tx, before, now), Change(shown, shown)


@members.command()
@setting_option("database")
@_studio_option
@_email_option
@json_option
def remove(database: str, studio_id: str | None, email: str, *, as_json: bool) -> None:
    """End a membership, and with it the person's personal keys here; a person without another one is signed out."""

    def change(tx: Transaction, studio: Studio, now: Millis, _: Entropy) -> Changed:
        member, held = rules.membership_named(tx, studio.studio_id, email)
        ended = rules.end_membership(tx, held, now)
        return member, ended, Change(rules.shown_for_audit(held), None)

    row = _change(database, studio_id, "members.remove", change)
    show({"removed": True, "memberId": row.member_id}, (f"{row.email} is not a member any more",), as_json=as_json)


@members.command("role")
@setting_option("database")
@_studio_option
@_email_option
@click.option("--role", type=click.Choice(ROLES), help="Another role; without it the role stays.")
@_games_option("A game that the role is for, once for each; without it the games stay.")
@click.option("--all-games", is_flag=True, help="The role is for all games of the studio.")
@json_option
def role_(
    database: str,
    studio_id: str | None,
    email: str,
    role: str | None,
    games: tuple[str, ...],
    *,
    all_games: bool,
    as_json: bool,
) -> None:
    """Give a member another role, or the role for other games. OWNER and ADMIN are always for all games."""
    if games and all_games:
        raise click.UsageError("--game and --all-games exclude each other")
    if role is None and not games and not all_games:
        raise click.UsageError("say what to change: --role, --game or --all-games")

    def change(tx: Transaction, studio: Studio, _: Millis, __: Entropy) -> Changed:
        member, before = rules.membership_named(tx, studio.studio_id, email)
        chosen = before.role if role is None else cast(Role, role)
        kept = None if all_games else rules.games_kept(before, chosen)
        after = rules.change_role(tx, before, chosen, games or kept)
        return member, after, Change(rules.shown_for_audit(before), rules.shown_for_audit(after))

    _print_changed(_change(database, studio_id, "members.update", change), as_json=as_json)


def _change(
    database: str,
    studio_id: str | None,
    action: str,
    change: Callable[[Transaction, Studio, Millis, Entropy], Changed],
) -> MemberRow:
    """Change a membership and leave an audit entry, in one transaction."""
    with directory_at(database) as store:
        return _write(store, choose_studio(store, studio_id), action, change)


def _write(
    store: Database,
    studio: Studio,
    action: str,
    change: Callable[[Transaction, Studio, Millis, Entropy], Changed],
    metadata: JsonObject | None = None,
) -> MemberRow:
    now, seed = now_millis(), draw_seed()

    def step(tx: Transaction) -> MemberRow:
        entropy = Entropy(seed)
        member, held, states = change(tx, studio, now, entropy)
        noted_in_directory(
            tx, now, entropy, action, studio_id=studio.studio_id, target=("member", member.member_id), change=states,
            metadata={"email": member.email, **(metadata or {})},
        )  # fmt: skip
        return rules.member_row(member, held)

    return store.write(DIRECTORY, step)


def _print_changed(row: MemberRow, *, as_json: bool) -> None:
    show({"member": encode(row)}, (_line(row),), as_json=as_json)


def _line(row: MemberRow) -> str:
    games = "all games" if row.games is None else f"games {', '.join(row.games) or 'none'}"
    seen = "has not signed in yet" if row.last_sign_in_at is None else f"last signed in {row.last_sign_in_at.wire}"
    account = "" if row.bound or row.last_sign_in_at is None else ", not bound to an account"
    return f"{row.member_id}  {row.email}  {row.role}  {games}  {seen}{account}"
