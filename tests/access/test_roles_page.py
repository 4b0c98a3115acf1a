"""The page about roles has the table of permissions as it is in the code."""

from __future__ import annotations

import re
from pathlib import Path

from livecore.access.member_rows import Role
from livecore.access.roles import PERMISSIONS, ROLES, Permission

PAGE = Path(__file__).parents[2] / "docs/how-to/decide-who-may-do-what.md"
HEAD = f"| Permission | Allows | {' | '.join(ROLES)} |\n|---|---|{'---|' * len(ROLES)}\n"


def cell(permission: Permission, role: Role) -> str:
    """What the table says of a role."""
    return "yes" if role in permission.roles else "test only" if role in permission.test_only else ""


def line(permission: Permission) -> str:
    """A permission's line."""
    cells = " | ".join(cell(permission, role) for role in ROLES)
    return re.sub(" +", " ", f"| `{permission.name}` | {permission.about.rstrip('.')} | {cells} |") + "\n"


def test_the_page_has_the_table_of_permissions() -> None:
    """Every permission in the order of the code, and no other."""
    assert HEAD + "".join(map(line, PERMISSIONS.values())) + "\n" in PAGE.read_text("utf-8")


def test_the_page_has_every_role() -> None:
    """With what it is for, in the same order."""
    assert tuple(re.findall(r"^\| `([A-Z_]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)) == ROLES
