"""Invitations to form a pair.

    none ──invite──▶ open ──accept, or the other invites too──▶ accepted
                      ├──decline, cancel, either is in another pair──▶ none
                      └──its time is over──▶ expired, until either invites again

One that was accepted stays as a row, so that accepting it again gives the same pair; all are deleted when the window closes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.storage.paging import page_by_time, page_of
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.player import Player
from livecore.social.others import counterparty
from livecore.teams.rows import ExportedInvite, InviteRow

MOST_SHOWN = 200
"""How many invitations a list shows in each direction, the newest first."""
MOST_OPEN = 100
"""How many invitations a player may have sent in a window that were not answered; those that have expired count."""


@record
class Invite:
    """An invitation of one player to another; `team_id` is the pair once it was accepted.

    `open_in` is the window until then, so that lists of a window read no others.
    """

    invite_id: str
    window_id: str
    event_key: str
    from_id: PlayerId
    to_id: PlayerId
    created_at: Millis
    expires_at: Millis
    open_in: str | None
    team_id: str | None = None


INVITES = Table(
    "partner_invites",
    Invite,
    key=("invite_id",),
    players={
        "from_id": PlayerColumn(Merge.FOLD, Erase.DELETE),
        "to_id": PlayerColumn(Merge.FOLD, Erase.DELETE),
    },
    export="partnerInvites",
)
SENT = INVITES.index("sent", prefix=("from_id",), order=("created_at",))
RECEIVED = INVITES.index("received", prefix=("to_id",), order=("created_at",))
SENT_IN = INVITES.index("sent_in", prefix=("from_id", "open_in"), order=("created_at",))
RECEIVED_IN = INVITES.index("received_in", prefix=("to_id", "open_in"), order=("created_at",))
INVITES_OF_WINDOW = INVITES.index("of_window", prefix=("window_id",), order=("invite_id",))


# -- rules ----------------------------------------------------------------------------------------------------------------


def is_open(invite: Invite, now: Millis) -> bool:
    """Whether an invitation can be answered."""
    return invite.team_id is None and now < invite.expires_at


# -- operations -----------------------------------------------------------------------------------------------------------


def both_sides(player_id: str, window_id: str) -> tuple[Scan[Invite], Scan[Invite]]:
    """The scans of a player's newest invitations in a window: received, then sent."""
    own = (player_id, window_id)
    return (
        Scan(RECEIVED_IN, own, reverse=True, limit=MOST_SHOWN),
        Scan(SENT_IN, own, reverse=True, limit=MOST_SHOWN),
    )


def invite_between(unit: Unit, window_id: str, from_id: str, to_id: str) -> Invite | None:
    """The invitation of one player to another in a window, also one that has expired; not one that was accepted."""
    sent = unit.tx.scanned(sent_read(window_id, from_id))
    return next((invite for invite in sent if invite.to_id == to_id), None)


def sent_read(window_id: str, from_id: str) -> Scan[Invite]:
    """The read of a player's invitations in a window that were not accepted; there are at most `MOST_OPEN`."""
    return Scan(SENT_IN, (from_id, window_id))


def invite_row(unit: Unit, invite: Invite, other: Player) -> InviteRow:
    """An invitation as one of its players sees it; `other` is the other one."""
    return InviteRow(
        invite_id=invite.invite_id,
        direction="outgoing" if invite.to_id == other.player_id else "incoming",
        player=counterparty(unit, other),
        event_key=invite.event_key,
        event_window_id=invite.window_id,
        created_at=Timestamp(invite.created_at),
        expires_at=Timestamp(invite.expires_at),
    )


def end_invites_of(unit: Unit, player_ids: Sequence[str], window_ids: Sequence[str]) -> None:
    """End all invitations in these windows of players who are in pairs now; those that were accepted stay as rows."""
    own = product(player_ids, window_ids)
    for invite in unit.tx.scan_all(Scan(index, place) for place in own for index in (RECEIVED_IN, SENT_IN)):
        unit.tx.delete(INVITES, invite.invite_id)


def exported_invites(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """The part of an export for open invitations, newest first."""
    page = page_by_time(wanted)
    found = unit.tx.scan_all(page.newest(index, player_id) for index in (RECEIVED, SENT))
    found.sort(key=_by_time, reverse=True)
    shown, cursor = page_of(found, page, _by_time)
    return Exported(tuple(_exported(invite, player_id) for invite in shown if invite.team_id is None), cursor)


def _by_time(invite: Invite) -> tuple[Millis, str]:
    return invite.created_at, invite.invite_id


def _exported(invite: Invite, player_id: PlayerId) -> ExportedInvite:
    outgoing = invite.from_id == player_id
    return ExportedInvite(
        invite_id=invite.invite_id,
        direction="outgoing" if outgoing else "incoming",
        player_id=invite.to_id if outgoing else invite.from_id,
        event_key=invite.event_key,
        event_window_id=invite.window_id,
        created_at=Timestamp(invite.created_at),
        expires_at=Timestamp(invite.expires_at),
    )
