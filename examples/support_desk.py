"""A small support tool: what support does for a player, over the server API.

    $ export LIVECORE_BASE_URL=https://live.example.com LIVECORE_SERVER_KEY=lc_live_server_…
    $ python examples/support_desk.py look anna
    $ python examples/support_desk.py ban anna "insults in chat, ticket 4711"
    $ python examples/support_desk.py compensate anna gold 100 "ticket 4712"

`--help` lists the commands. The ticket is a part of a compensation's key, so that two people who answer it pay it once.
"""

from __future__ import annotations

import argparse
import inspect
import sys

from livecore_client import LivecoreError, ServerClient, errors
from livecore_client.rows import RewardEntry


def look(desk: ServerClient, player: str) -> str:
    """Show who a player is, how they stand, and what waits for them."""
    found, spent = desk.players.get(player, limit=5), desk.spend.get(player, windows=[30])
    who = found.player
    lines = [
        f"{who.display_identity.name} ({who.country or 'country unknown'}), {who.id}",
        f"seen {who.first_seen_at} to {who.last_seen_at}, {who.sessions} sessions",
        f"banned since {who.ban.banned_at}: {who.ban.reason}" if who.ban else "not banned",
        f"spent {spent.lifetime_amount_minor / 100:.2f} USD, {spent.windows[0].amount_minor / 100:.2f} in 30 days",
        *(["debug account: not in revenue reports"] if who.debug else []),
        *(f"grant {row.grant_id} of {row.created_at}: {row.status}" for row in found.grants),
    ]
    return "\n".join(lines)


def ban(desk: ServerClient, player: str, reason: str) -> str:
    """Refuse everything that a player does but reading, or refresh the reason."""
    return "banned" if desk.players.ban(player, reason=reason).applied else "was banned already; the reason is new"


def unban(desk: ServerClient, player: str) -> str:
    """Lift a ban."""
    return "may play again" if desk.players.unban(player).applied else "was not banned"


def flag(desk: ServerClient, player: str, reason: str) -> str:
    """Leave a tester out of revenue reports, past purchases included."""
    return "flagged" if desk.players.flag_debug(player, reason=reason).applied else "was flagged already"


def unflag(desk: ServerClient, player: str) -> str:
    """Count a player in revenue reports again."""
    return "counts again" if desk.players.unflag_debug(player).applied else "was not flagged"


def compensate(desk: ServerClient, player: str, currency: str, amount: int, ticket: str) -> str:
    """Leave a player some currency to claim, once for each ticket."""
    desk.players.get(player, limit=1)  # a grant would make a player of a mistyped id
    entries, key = [RewardEntry(type="currency", resource_key=currency, amount=amount)], f"support: {player}, {ticket}"
    grant = desk.grants.create(player, entries=entries, idempotency_key=key, source_ref_id=ticket).grant
    return f"grant {grant.grant_id} is {grant.status}"


def purchases(desk: ServerClient, player: str) -> str:
    """List what a player bought, newest first."""
    found = desk.purchases.iterate(player)
    lines = [f"{row.purchased_at} {row.product_id}: {row.amount_minor} {row.currency}, {row.validation_status}, "
             f"{row.store} {row.transaction_id}" for row in found]  # fmt: skip
    return "\n".join(lines) or "nothing"


COMMANDS = (look, ban, unban, flag, unflag, compensate, purchases)


def main() -> None:
    """Run the command of the command line, or print why it cannot be done."""
    parser = argparse.ArgumentParser(description="A support desk.")
    commands = parser.add_subparsers(required=True)
    for command in COMMANDS:
        added = commands.add_parser(command.__name__, help=command.__doc__)
        added.set_defaults(command=command)
        for parameter in list(inspect.signature(command, eval_str=True).parameters.values())[1:]:
            added.add_argument(parameter.name, type=parameter.annotation)
    arguments = vars(parser.parse_args())
    try:
        with ServerClient() as desk:
            print(arguments.pop("command")(desk, **arguments))
    except errors.PlayerNotFound:
        sys.exit(f"There is no player {arguments['player']!r}.")
    except errors.IdempotencyConflict:
        sys.exit("Something else was given for this ticket.")
    except LivecoreError as refused:
        sys.exit(str(refused))


if __name__ == "__main__":
    main()
