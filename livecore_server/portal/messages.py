"""What a page says once after an action.

A cookie names one of these texts, so that it can make a page say nothing else. The page that says it takes the cookie away:
reloading it, going back to it, or passing its address on does not repeat what was true of one moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from livecore.access.sessions import cookie_at, is_secure, token_of

_MESSAGES: Final[Mapping[str, str]] = {
    "member-added": "The person is a member now, and can sign in.",
    "member-renewed": "The invitation is renewed. The next sign-in with the e-mail address binds the membership again.",
    "member-changed": "The member's role is changed. It holds from the next request on.",
    "member-removed": "The member is removed, and their sessions and personal keys have ended.",
    "studio-renamed": "The studio has its new name.",
    "banned": "The player is banned.",
    "unbanned": "The ban is lifted, and the player may play again.",
    "debug-on": "The account is marked as a debug account.",
    "debug-off": "The account is no debug account any more.",
    "merged": "The players are merged. This is the one who stays.",
    "erased": "The player is erased.",
    "balance-changed": "The balance is changed.",
    "items-changed": "The number of items is changed.",
    "attributes-set": "The attributes are set.",
    "granted": "The grant is given, and waits until the player claims it.",
    "claimed": "The grant is claimed, and the player has what was in it.",
    "endpoint-changed": "The endpoint is changed.",
    "endpoint-paused": "The endpoint is paused, and nothing is sent to it.",
    "endpoint-unpaused": "The endpoint goes on, and what has waited is sent.",
    "endpoint-removed": "The endpoint is removed.",
    "sample-sent": "The sample is on its way.",
    "replayed": "The delivery is on its way again.",
    "replayed-many": "The deliveries are on their way again, or will be soon.",
    "attempt-completed": "The attempt is completed.",
    "rewards-rolled": "What the attempt has won is granted.",
    "off-board": "The player is taken off the board.",
    "guild-changed": "The guild is changed.",
    "team-changed": "The team is changed.",
    "guild-led": "The guild has another leader.",
    "guild-ended": "The guild has ended.",
    "guild-member-removed": "The member is removed from the guild.",
    "settings-applied": "The settings hold from now on.",
    "game-made": (
        "The game is made. Make its keys now, one for the game and one for your backend, and then write its settings."
    ),
    "game-deleted": "The game is deleted.",
    "key-revoked": "The key is revoked and opens nothing any more.",
}

_NAME: Final = "livecore-notice"
_SECONDS: Final = 60
"""How long the next page may take to be opened."""


class MessageCookie:
    """The cookie that carries a message to the next page. `origin` is where browsers reach the service, or this machine."""

    def __init__(self, origin: str | None) -> None:
        self._name = cookie_at(origin, _NAME)
        self._marks = "Path=/; HttpOnly; SameSite=Strict" + ("; Secure" if is_secure(origin) else "")

    def read(self, cookies: str | None) -> str:
        """The text that a `Cookie` header asks for, or none."""
        return _MESSAGES.get(token_of(cookies, self._name) or "", "")

    def given(self, message: str) -> tuple[tuple[str, str], ...]:
        """The header that has the next page say it; none for no message."""
        return (("Set-Cookie", f"{self._name}={message}; Max-Age={_SECONDS}; {self._marks}"),) if message else ()

    def taken(self) -> tuple[tuple[str, str], ...]:
        """The header with which it has been said."""
        return (("Set-Cookie", f"{self._name}=; Max-Age=0; {self._marks}"),)
