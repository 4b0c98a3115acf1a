"""Somebody who is signed in to the portal, without a provider: a session of an owner, written into the directory."""

from __future__ import annotations

import attrs

from livecore.access.directory import STUDIOS, require_game
from livecore.access.members import add_member
from livecore.access.sessions import start_session
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Store, Transaction
from livecore_server.system import draw_seed, now_millis


@attrs.frozen
class SignedIn:
    """An owner's studio, and the header by which the browser is known."""

    studio_id: str
    cookie: str


def sign_in(store: Store, game_id: str) -> SignedIn:
    """Make an owner of the game's studio, who has just signed in."""
    now, seed = now_millis(), draw_seed()

    def enter(tx: Transaction) -> SignedIn:
        studio = tx.get(STUDIOS, require_game(tx, game_id).studio_id)
        if studio is None:
            raise RuntimeError("the game has no studio")
        member, _ = add_member(tx, studio, "owner@example.com", "OWNER", now, Entropy(seed))
        token = start_session(tx, member.member_id, now, Entropy(seed)).token
        return SignedIn(studio.studio_id, f"livecore={token}")

    return store.write(DIRECTORY, enter)
