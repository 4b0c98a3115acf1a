"""Filters of a list: fields that stand in the address, so that a filtered page can be kept and passed on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import attrs

from livecore_server.portal.asking import Data, Refused
from livecore_server.portal.forms import Field, Form
from livecore_server.portal.here import Here

_NONE: Final[Mapping[str, int]] = MappingProxyType({})


@attrs.frozen(kw_only=True)
class Filtered:
    """A page of a list with its filters. `data` is nothing where the filters make no sense."""

    form: Form
    data: Data | None
    chosen: dict[str, str]
    """The filters that are set."""
    status: int = 200

    def rows(self, name: str) -> Sequence[Data]:
        """The rows of the list, which has this name in the answer; none where the filters make no sense."""
        return self.data[name] if self.data else ()

    @property
    def next_cursor(self) -> str | None:
        """Where the list goes on."""
        return self.data.get("nextCursor") if self.data else None


async def filtered(
    here: Here,
    operation: str,
    fields: Sequence[Field],
    limit: int | None = 50,
    *,
    beside: Mapping[str, int] = _NONE,
) -> Filtered:
    """The page of the list that the address asks for.

    Filters that make no sense are shown with what is wrong; so are those that the operation refuses with one of the codes
    `beside`, each with the status that the page has then. Raises `Refused` for every other refusal.
    """
    names = [field.name for field in fields]
    chosen = {name: value for name in names if (value := here.query.get(name, "").strip())}
    query = dict(chosen) if limit is None else {**chosen, "limit": str(limit)}
    if cursor := here.query.get("cursor"):
        query["cursor"] = cursor
    typed = {name: [value] for name, value in chosen.items()}
    try:
        data = await here.read(operation, query=query)
    except Refused as refused:
        status = 400 if refused.status == 400 else beside.get(refused.code)
        if status is None:
            raise
        faults = dict(refused.fields) or {"": refused.message}
        form = Form(tuple(fields), typed, faults)
        return Filtered(form=form, data=None, chosen=chosen, status=status)
    return Filtered(form=Form(tuple(fields), typed), data=data, chosen=chosen)
