"""The players' part of a game's configuration: names, platforms, who registers known players, and what others see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Final, Literal

from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.config import Advice, Config, section
from livecore.kernel.wire.shapes import Items, Key, Text
from livecore.players.rows import PresenceTo

MOVED_IN: Final = (
    "A player who is moved in belongs to the first client that registers that id, unless the configuration's "
    "`registration.knownPlayers` is `backend`."
)
"""What a studio that moves players in has to know before anything else."""

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

    `knownPlayers` says who registers such a player. With `client` it is the first who knows the client key and the id,
    which may be a stranger. With `backend` a client's registration is refused with `registration_by_backend`, and the
    studio, which knows the person, hands out the secret that rotate-secret gives. Ids that nobody has brought are not
    concerned.
    """

    known_players: Literal["client", "backend"] = "client"


@shape
class Strangers:
    """What strangers are shown of a player. A stranger is every player who is not a friend, also a member of the same guild.

    `presence` is whether the player is online and when they were last there. `status` is the label that the player wrote,
    which is shown with the presence only. `country` is the player's country.
    """

    presence: bool = True
    status: bool = True
    country: bool = True


@shape
class Privacy:
    """What players see of each other.

    `discoverable` and `presenceTo` hold for every player who has not chosen otherwise. A player who is not
    discoverable is in no search or suggestion, and is found by friend code and external id. `presenceTo` says who sees
    whether the player is online, when they were last there, and the status: to `everybody` it is shown as far as `strangers`
    allows.
    """

    strangers: Strangers | None = None
    """Where it is left out strangers are shown everything, and there is advice to decide it."""
    discoverable: bool = True
    presence_to: PresenceTo = "everybody"


_EVERYTHING: Final = Strangers()
_UNDECIDED: Final = Privacy()


@section
class PlayersConfig(Config):
    """The players' part of the configuration."""

    identity_pool: IdentityPool | None = None
    platforms: Annotated[tuple[Key, ...], Items(0, 100, unique=True)] = ()
    registration: Registration | None = None
    """Where it is left out clients register known players, as with `client`, and there is advice to decide it."""

    privacy: Privacy | None = None

    @property
    def privacy_of_players(self) -> Privacy:
        """What players see of each other."""
        return self.privacy or _UNDECIDED

    @cached_property
    def to_strangers(self) -> Strangers:
        """What strangers are shown of players."""
        return self.privacy_of_players.strangers or _EVERYTHING

    @property
    def known_players(self) -> Literal["client", "backend"]:
        """Who registers a player whom the backend has brought."""
        return "client" if self.registration is None else self.registration.known_players


players_config: Final[Callable[[Unit], PlayersConfig]] = attrgetter("config")
"""The players' part of a unit's configuration."""


def advice_on(config: PlayersConfig) -> Iterator[Advice]:
    """Who may become a player whom the backend has brought, and who reads what players write, until that is decided."""
    if config.registration is None:
        message = (
            "is not given: a player who is moved in, or is granted something before the first start, belongs to the first "
            "client that registers that id, unless it is 'backend', where your own server hands out the first secret; write "
            "'client' if that is meant"
        )
        yield "registration.knownPlayers", message
    privacy = config.privacy_of_players
    if privacy.strangers is None and privacy.presence_to == "everybody":
        message = (
            "is not given, so every player can read, in suggestions, the free text that a player has written as a status; "
            "write false, and only friends read it, or true if that is meant"
        )
        yield "privacy.strangers.status", message
