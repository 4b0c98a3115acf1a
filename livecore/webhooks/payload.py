"""The base of all payloads of the catalog: a kind.

Every kind is one shape, so its fields are declared once for the sender, the documents, the sample deliveries and the
receiver's typed events. The fields follow the event catalog of the specification (6.2). Where the specification does not
define them, an event has the fields of the most similar kind: the ids of the record and of what it belongs to, its state
and its timestamps. An event that a player caused names the player by both ids.
"""

from __future__ import annotations

from typing import ClassVar


class Payload:
    """The `data` of one webhook; each subclass is one kind."""

    __slots__ = ()

    kind: ClassVar[str]
    """The kind's name on the wire, such as `gift.sent`: the envelope's `eventName`.

    A payload with a field of this name writes it `kind_`, as grants do; the wire drops the underscore.
    """
