"""The reference of errors, events and permissions as short Markdown, for readers who have only a running server.

The pages of `docs/reference` say more, and are made from the same declarations.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from livecore.access.roles import PERMISSIONS, ROLES
from livecore.api.documents.components import envelope_example
from livecore.kernel.declarations.area import Areas
from livecore.kernel.wire.schema import described


def errors_page(areas: Areas) -> str:
    """Every error code: its status, what it means, and what to do."""
    rows = (f"- `{kind.code}` ({kind.status}): {described(kind)} What to do: {kind.remedy}" for kind in areas.refusals)
    return _page("Errors", "Match on the code; a refused request has changed nothing.", rows)


def events_page(areas: Areas) -> str:
    """Every kind of webhook, with a sample delivery."""
    parts: list[str] = []
    for group, kinds in areas.event_groups.items():
        parts += [f"## {group}", ""]
        for kind in kinds:
            sample = json.dumps(envelope_example(kind), ensure_ascii=False)
            parts += [f"### {kind.kind}", "", described(kind), "", "```json", sample, "```", ""]
    return _page("Events", "Every kind of webhook, each with a sample delivery.", parts)


def permissions_page() -> str:
    """Every permission, and the roles that hold it."""
    head = ["| Permission | What it allows | " + " | ".join(ROLES) + " |", "|" + "---|" * (len(ROLES) + 2)]
    rows = [
        f"| `{row.name}` | {row.about} | "
        + " | ".join("yes" if role in row.roles else "test only" if role in row.test_only else "" for role in ROLES)
        + " |"
        for row in PERMISSIONS.values()
    ]
    return _page(
        "Permissions", "What each role may do. A personal key may do what its member's role allows.", head + rows
    )


def _page(title: str, lead: str, lines: Iterable[str]) -> str:
    return "\n".join([f"# {title}", "", lead, "", *lines, ""])
