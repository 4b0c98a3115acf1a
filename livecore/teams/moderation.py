"""What the studio's backend and its members change of a team's texts, in a window that is open, over or still to come.

The founder's erasure empties the name that players gave a team. Everything else that names a person can be removed here.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.units.unit import Change, Unit
from livecore.kernel.wire import compact
from livecore.kernel.wire.shapes import ABSENT
from livecore.teams.reading import row, team_in, team_of
from livecore.teams.rows import OneTeam, UpdateTeam, UpdateTeamById
from livecore.teams.team import TEAMS, Team, attributes_of

_FIELDS: Final = ("name", "attributes")


def update(unit: Unit, args: UpdateTeam) -> OneTeam:
    """Change a team's texts, in the window that is named or else in the open one.

    Refusals, in order: `EventNotFound`, `EventWindowNotFound`, `EventNotActive`, `TeamNotFound`.
    """
    return _change(unit, team_of(unit, args), args)


def update_by_id(unit: Unit, args: UpdateTeamById) -> OneTeam:
    """Change a team's texts. Raises `TeamNotFound`."""
    return _change(unit, team_in(unit, args.team_id), args)


def _change(unit: Unit, team: Team, args: UpdateTeam | UpdateTeamById) -> OneTeam:
    after = evolve(
        team,
        name=team.name if args.name is ABSENT else args.name,
        attributes=team.attributes if args.attributes is ABSENT else JsonText(compact(dict(args.attributes))),
    )
    unit.tx.put(TEAMS, after)
    unit.audit_target = ("team", team.team_id)
    unit.change = _change_for_audit(team, after)
    return OneTeam(team=row(unit, after))


def _change_for_audit(before: Team, after: Team) -> Change:
    """The texts before and after; of a team that is final only which have changed, because they are changed to go."""
    shown: JsonObject = {"eventTeamId": before.team_id}
    if before.finalized_at is None:
        return Change(shown | _texts(before), shown | _texts(after))
    changed = [field for field in _FIELDS if getattr(before, field) != getattr(after, field)]
    return Change(shown, shown | {"changed": list(changed)})


def _texts(team: Team) -> JsonObject:
    return {"name": team.name, "attributes": attributes_of(team)}  # type: ignore[dict-item] # JSON values
