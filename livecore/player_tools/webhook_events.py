"""Events about a player's record as a whole: merge and erasure (specification 3.8 and 6.2)."""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ABSENT, Absent, ShownExternalId, ShownPlayerId
from livecore.players.webhook_events import Actor
from livecore.webhooks.payload import Payload


@shape
class PlayerMerged(Payload):
    """One player was folded into another; the old external id was rewritten to `anonymizedExternalPlayerId`."""

    kind: ClassVar[str] = "player.merged"
    from_player_id: ShownPlayerId
    from_external_player_id: ShownExternalId
    to_player_id: ShownPlayerId
    to_external_player_id: ShownExternalId
    anonymized_external_player_id: str
    merged_at: Timestamp
    actor: Actor


@shape
class PlayerDeleted(Payload):
    """A player is being erased: the last event that names them by their own external id.

    `mergedPlayerIds` are the service's ids of the players who were merged into this one and are erased as well, if there are
    any; their events `player.merged` had their external ids.
    """

    kind: ClassVar[str] = "player.deleted"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    reason: Literal["gdpr_erasure", "studio_request", "test"]
    anonymized_external_id: str
    merged_player_ids: tuple[ShownPlayerId, ...] | Absent = ABSENT
