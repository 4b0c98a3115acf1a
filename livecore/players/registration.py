"""First contact, secrets and their rotation.

A player's row is made at first contact of any sort (register, a server grant, …). Registering makes the player secret,
which only rotation replaces. It is stored only as a SHA-256 hash; it has 200 random bits, so a slow hash would protect
nothing more. A registered player is not registered again. A client that lost the secret repeats the request under its
idempotency key (`livecore.api.requests.registering`), or the studio's backend gives a new one. In the test
environment only, `force` also gives a new one (specification 3.8 and 5).

Whoever has the public client key may register new players, so a deployment may bound how many of them come from one address
in an hour.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from livecore.access.refusals import TestEnvironmentOnly
from livecore.kernel.client_network import SITE_TIMES, network_of, site_of
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject, RateLimited
from livecore.kernel.storage.records import JsonText, PlayerId, evolve
from livecore.kernel.time import HOUR, Millis, Timestamp, stamp
from livecore.kernel.units.unit import Change, Unit
from livecore.kernel.wire import compact
from livecore.players.config import players_config
from livecore.players.contexts import with_context
from livecore.players.country import country_seen, country_stated, with_country
from livecore.players.identity import anonymized, display, index_name
from livecore.players.player import PLAYERS, Player, find
from livecore.players.pool import compose
from livecore.players.refusals import PlayerAlreadyRegistered, PlayerBanned, PlayerSecretInvalid, RegistrationByBackend
from livecore.players.rows import PlayerRef, Register, Registered, SecretRotated
from livecore.players.seen import note_request
from livecore.players.webhook_events import PlayerRegistered, PlayerSecretRotated, PlayerSecretSet, SecretVia

Mint: TypeAlias = Callable[[Player], str]
"""Makes a player's secret."""

_SECRET_PREFIX_LENGTH = 8
"""The part of a secret that is stored and shown so that people can distinguish two: `lcs_` and four characters."""


# -- rules ----------------------------------------------------------------------------------------------------------------


def spelled(chance: bytes) -> str:
    """A player secret: `lcs_` and the first 200 of the random bits in base32."""
    return "lcs_" + base64.b32encode(chance[:25]).decode().lower()


def new_secret(entropy: Entropy) -> str:
    """A random secret, which is shown once."""
    return spelled(entropy.bytes(25))


def secret_hash(secret: str) -> str:
    """What is stored for a secret: its SHA-256 in hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def check_secret(player: Player, secret: str | None) -> None:
    """Raises `PlayerSecretInvalid` unless `secret` is the player's. Takes the same time for every wrong secret."""
    stored = player.secret_hash
    if secret is None or stored is None or not hmac.compare_digest(secret_hash(secret), stored):
        raise PlayerSecretInvalid


# -- operations -----------------------------------------------------------------------------------------------------------


def first_contact(unit: Unit, external_id: str, context: JsonObject | None = None) -> Player:
    """The player with this id; makes the row if there is none."""
    return find(unit, external_id) or new_player(unit, external_id, context)


def new_player(
    unit: Unit, external_id: str, context: JsonObject | None = None, fields: Mapping[str, Any] | None = None
) -> Player:
    """Make the row of a new player; `fields` are values from another backend."""
    name, avatar = compose(players_config(unit), unit.entropy)
    player = Player(
        player_id=PlayerId(unit.new_id("plr")),
        external_id=external_id,
        pool_name=name,
        pool_avatar=avatar,
        first_seen_at=unit.now,
        last_seen_at=unit.now,
        country_stated=country_stated(context) if unit.actor.kind == "player" else None,
        country_seen=country_seen(unit.origin) if unit.actor.kind == "player" else None,
        context=_context_text(context),
    )
    if fields:
        player = evolve(player, **fields)
    unit.tx.insert(PLAYERS, player)
    index_name(unit, player, fresh=True)
    unit.emit(
        PlayerRegistered(
            player_id=player.player_id,
            external_player_id=external_id,
            first_seen_at=Timestamp(player.first_seen_at),
            context_snapshot=dict(context or {}),
        )
    )
    return player


def _context_text(context: JsonObject | None) -> JsonText | None:
    return None if context is None else JsonText(compact(dict(context)))


def admitted(unit: Unit, external_id: str, args: Register) -> Player | None:
    """The player who registers, if there is one yet. Checks first the refusals that also hold for a repeated request.

    Refusals, in order: `TestEnvironmentOnly` (force with a live key), `PlayerBanned`, `RegistrationByBackend`.
    """
    if args.force and unit.scope.environment != "test":
        raise TestEnvironmentOnly("Only a test-environment key may force a registration.")
    known = find(unit, external_id)
    if known is not None and known.banned:
        raise PlayerBanned
    if known is not None and known.secret_hash is None and _backend_brings(unit):
        raise RegistrationByBackend
    return known


def _backend_brings(unit: Unit) -> bool:
    return players_config(unit).known_players == "backend"


def register(unit: Unit, external_id: str, args: Register, known: Player | None, mint: Mint) -> tuple[bool, Registered]:
    """Register a player who was `admitted`: give them a secret, or with `force` a new one. Returns whether it replaced one.

    Refusals, in order: `PlayerAlreadyRegistered`, `RateLimited` (too many new players of this address).
    """
    if known is not None and known.secret_hash is not None and not args.force:
        raise PlayerAlreadyRegistered
    if known is None:
        _count_newcomer(unit)
    player = first_contact(unit, external_id, args.player_context)
    if known is not None:
        player = with_country(player, unit.origin, args.player_context)
        player = with_context(player, _context_text(args.player_context))
    forced = player.secret_hash is not None
    secret = mint(player)
    player = _give_secret(unit, player, secret, "force_rotate" if forced else "sdk_register")
    return forced, registered(unit, player, secret)


def _count_newcomer(unit: Unit) -> None:
    """Count a new player of the caller's address. A transaction that runs again finds that it has been counted."""
    limit = unit.quotas.new_players_per_hour
    if limit is None:
        return
    _count_new(unit, network_of(unit.origin.address), limit)
    site = site_of(unit.origin.address)
    if site is not None:
        # After the network: what is refused to one network uses up nothing of the others.
        _count_new(unit, site, limit * SITE_TIMES)


def _count_new(unit: Unit, network: str, limit: int) -> None:
    name = f"new_players:{unit.scope.id}:{network}"
    counted = unit.misses.get(name)
    if counted is None:
        counted = unit.misses[name] = unit.ephemeral.hit(name, limit, HOUR, unit.now)
    if not counted.allowed:
        raise RateLimited(counted.reset_seconds)


def registered(unit: Unit, player: Player, secret: str) -> Registered:
    """The answer to a registration. Registering counts as a heartbeat."""
    note_request(unit, player)
    return Registered(
        player_secret=secret,
        player=PlayerRef(player_id=player.player_id, external_player_id=player.external_id),
        country=player.country,
        synthetic_identity=anonymized(player),
        display_identity=display(player),
        anonymized_identity=anonymized(player),
    )


def rotate_secret(
    unit: Unit, player: Player, secret: str, via: Literal["server_rotate", "admin_rotate"] = "server_rotate"
) -> SecretRotated:
    """Replace a player's secret, for the studio."""
    after = _give_secret(unit, player, secret, via)
    unit.change = Change(_secret_of(player), _secret_of(after))
    return rotated(secret, unit.now)


def _secret_of(player: Player) -> JsonObject:
    """What the audit trail may know of a player's secret."""
    since = stamp(player.secret_rotated_at)
    return {"secretPrefix": player.secret_prefix, "secretRotatedAt": None if since is None else since.wire}


def rotated(secret: str, at: Millis) -> SecretRotated:
    """The answer to the studio about a secret that was made at the time `at`."""
    return SecretRotated(
        player_secret=secret, secret_prefix=secret[:_SECRET_PREFIX_LENGTH], secret_rotated_at=Timestamp(at)
    )


def _give_secret(unit: Unit, player: Player, secret: str, via: SecretVia) -> Player:
    first = player.secret_hash is None
    player = evolve(
        player,
        secret_hash=secret_hash(secret),
        secret_prefix=secret[:_SECRET_PREFIX_LENGTH],
        registered_at=player.registered_at if player.registered_at is not None else unit.now,
        secret_rotated_at=None if first else unit.now,
    )
    unit.tx.put(PLAYERS, player)
    event = PlayerSecretSet if first else PlayerSecretRotated
    unit.emit(
        event(
            player_id=player.player_id,
            external_player_id=player.external_id,
            secret_prefix=secret[:_SECRET_PREFIX_LENGTH],
            registered_at=Timestamp(player.registered_at or unit.now),
            secret_rotated_at=None if first else Timestamp(unit.now),
            via=via,
        )
    )
    return player
