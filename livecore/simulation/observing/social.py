"""Counts friendships."""

from __future__ import annotations

from livecore.simulation.observing.people import People
from livecore.social.webhook_events import FriendRemoved, FriendRequestAccepted


class SocialObserver:
    """Who is friends with whom, as a number for each player."""

    def __init__(self, people: People) -> None:
        self._people = people

    def accepted(self, event: FriendRequestAccepted) -> None:
        """Two players are friends."""
        self._count(event.external_player_id, event.friend_external_player_id, 1)

    def removed(self, event: FriendRemoved) -> None:
        """Two players are no longer friends."""
        self._count(event.external_player_id, event.friend_external_player_id, -1)

    def _count(self, one: str, other: str, change: int) -> None:
        for external_id in (one, other):
            person = self._people.get(external_id)
            if person is not None:
                person.friends += change
