"""What an export shows of a player's own record besides the record itself: countries, contexts and former names."""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape


@shape
class ExportedCountry:
    """A country that is stored of a player.

    `override` is what the studio has set, `stated` what the client's context said last, and `seen` what a trusted proxy or
    the offline file last said of the address of a request. The first of these that is there is the player's `country`.
    """

    source: Literal["override", "stated", "seen"]
    country: str

    example: ClassVar = {"source": "stated", "country": "SE"}


@shape
class ExportedContext:
    """The first or the last context that the client has stated; the same one twice, where it has stated only one."""

    which: Literal["first", "last"]
    context: dict[str, object]


@shape
class FormerNameRow:
    """A name and a picture that the player had chosen, until they got others."""

    name: str
    avatar: str | None
    until: Timestamp
