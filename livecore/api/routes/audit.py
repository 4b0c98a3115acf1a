"""The audit trail."""

from __future__ import annotations

from typing import Final

from livecore.access.audit_rows import AuditPage, ListAudit
from livecore.api.operating.audit_reading import list_audit
from livecore.api.table.admin_routes import STUDIO, member_read
from livecore.api.table.operation import Operation

OPERATIONS: Final[tuple[Operation, ...]] = (
    member_read(
        "audit.list",
        f"{STUDIO}/audit",
        ListAudit,
        AuditPage,
        list_audit,
        permission="audit.read",
        reach="several",
        summary="List who changed what, the newest first.",
        about=(
            "Entries that match all given filters. `action` is the name of an operation, such as `players.ban`, on whatever "
            "surface. `player` is an external id, `member` a member's id. `from_` is included and `to` is excluded; both "
            "are timestamps, or UTC dates, which mean their first moment. With `environment` or `player` the entries "
            "of the studio itself are left out. A page may have fewer than `limit` (1 to 200) entries although there are "
            "more: read on with `cursor` until there is none. Members whose role is for named games see the entries of "
            "these games, and those of the studio that are by or about themselves. Without `player.export` an `address` is "
            "shortened to its network: /24 of IPv4, /48 of IPv6."
        ),
    ),
)
