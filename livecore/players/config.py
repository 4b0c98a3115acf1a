"""The players' part of a game's configuration: the pool of names, the platforms, and who registers players there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Annotated, Final, Literal

from livecore.kernel.config import Advice, Config, section
from livecore.kernel.shapes import Items, Key, Text, shape
from livecore.kernel.unit import Unit

__all__ = ["MOVED_IN", "IdentityPool", "PlayersConfig", "Registration", "advice_on", "players_config"]

MOVED_IN: Final = (
    "A player who is moved in belongs to whoever registers that id first, unless the configuration's "
    "`registration.knownPlayers` is `backend`."
)
"""What whoever moves players in has to know before anything else."""

_WORD = Annotated[str, Text(1, 19, name=True)]


@shape
class IdentityPool:
    """Words and pictures for anonymised identities: one of each is drawn once for each player."""

    first_words: Annotated[tuple[_WORD, ...], Items(1, 2_000, unique=True)]
    second_words: Annotated[tuple[_WORD, ...], Items(1, 2_000, unique=True)]
    avatars: Annotated[tuple[Annotated[str, Text(1, 512)], ...], Items(0, 2_000, unique=True)] = ()


@shape
class Registration:
    """How a player gets the first secret whom the studio's backend has brought: by a migration, a grant or a push.

    `knownPlayers` says who registers such a player. With `client` it is whoever knows the client key and the id, so a
    stranger may be first. With `backend` a client's registration is refused with `registration_by_backend`, and the studio,
    which knows the person, hands out the secret that rotate-secret gives. Ids that nobody has brought are not concerned.
    """

    known_players: Literal["client", "backend"] = "client"


@section
class PlayersConfig(Config):
    """The players' part of the configuration."""

    identity_pool: IdentityPool | None = None
    platforms: Annotated[tuple[Key, ...], Items(0, 100, unique=True)] = ()
    registration: Registration | None = None
    """Where it is left out clients register known players, as with `client`, and there is advice to decide it."""

    @property
    def known_players(self) -> Literal["client", "backend"]:
        """Who registers a player whom the backend has brought."""
        return "client" if self.registration is None else self.registration.known_players


players_config: Final[Callable[[Unit], PlayersConfig]] = attrgetter("config")
"""The players' part of a unit's configuration."""


def advice_on(config: PlayersConfig) -> Iterator[Advice]:
    """Who may become a player whom the backend has brought, until that is decided."""
    if config.registration is None:
        message = (
            "is not given: a player who is moved in, or is granted something before the first start, belongs to whoever "
            "registers that id first, unless it is 'backend', where your own server hands out the first secret; write "
            "'client' if that is meant"
        )
        yield "registration.knownPlayers", message
