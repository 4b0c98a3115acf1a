"""Players and the studio's backend on a server that runs already, for the examples that also play in a World."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from livecore_client import SdkClient, ServerClient

__all__ = ["players_of", "studio_of"]


@contextmanager
def players_of(base_url: str, client_key: str, names: Sequence[str]) -> Iterator[list[SdkClient]]:
    """A registered player for each name. What is appended to a name is new, so that it can be repeated on one server."""
    suffix = secrets.token_hex(3)
    with ExitStack() as stack:
        players = [
            stack.enter_context(SdkClient(base_url=base_url, api_key=client_key, external_player_id=f"{name}-{suffix}"))
            for name in names
        ]
        for player in players:
            player.players.register()
        yield players


def studio_of(base_url: str, server_key: str) -> ServerClient:
    """The studio's backend."""
    return ServerClient(base_url=base_url, api_key=server_key)
