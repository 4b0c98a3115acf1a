"""Answers with a player's secret: a repetition with the same idempotency key gets the same secret again.

Such an answer is never stored. The key has only a record without an answer, for 24 hours. The secret is derived again
(`livecore.players.derived`), and returned if it still is the player's. The rest of the answer has its current values.
Without a key, with a key that could be guessed, or without a secret of the deployment, player secrets are random, and each
request is a new one.
"""

from __future__ import annotations

import hmac
from typing import Literal

from livecore.api.requests import idempotency
from livecore.api.table.operation import Answer
from livecore.kernel.errors import IdempotencyConflict, Json
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.players import registration
from livecore.players.derived import LEAST_KEY, derived_bytes, record_name
from livecore.players.player import Player, acting
from livecore.players.refusals import PlayerAlreadyRegistered
from livecore.players.rows import Register, RotateSecret, SecretRotated

_REGISTER = "register"
_ROTATE = "rotate-secret"


@value
class _Given:
    """A secret that was given under a key before: the status, the time, and whether it still is the player's."""

    status: int
    at: Millis
    secret: str
    current: bool


# -- operations -----------------------------------------------------------------------------------------------------------


def register(unit: Unit, args: Register) -> Answer:
    """Register the path's player, or repeat the answer that was given under this key.

    Refusals, in order: `TestEnvironmentOnly`, `PlayerBanned`, `RegistrationByBackend`, `IdempotencyConflict`,
    `PlayerAlreadyRegistered`.
    """
    known = registration.admitted(unit, unit.external_id or "", args)
    key = _key_of(unit, args)
    given = None
    if key is not None:
        fields: dict[str, Json] = {"force": args.force}
        if args.player_context is not None:
            fields["playerContext"] = args.player_context
        unit.fingerprint = _fingerprint(unit, _REGISTER, fields)
        given = None if known is None else _given(unit, _REGISTER, known, key)
    if known is not None and given is not None:
        if not given.current:
            raise PlayerAlreadyRegistered
        unit.replayed = True
        return Answer(given.status, registration.registered(unit, known, given.secret))
    replaced, registered = registration.register(
        unit, unit.external_id or "", args, known, lambda player: _minted(unit, _REGISTER, player, key)
    )
    status = 200 if replaced else 201
    unit.player_id = registered.player.player_id
    _keep(unit, _REGISTER, key, status)
    return Answer(status, registered)


def rotate(unit: Unit, args: RotateSecret) -> SecretRotated:
    """Give the path's player a new secret, or repeat the one that was given under this key.

    Raises `IdempotencyConflict` if the key was used for another player or another write, or if that secret was replaced
    since.
    """
    player = acting(unit)
    key = _key_of(unit, args)
    if key is not None:
        unit.fingerprint = _fingerprint(unit, _ROTATE, {})
        given = _given(unit, _ROTATE, player, key)
        if given is not None:
            if not given.current:
                raise IdempotencyConflict("The secret that was given under this key was replaced since.")
            unit.replayed = True
            return registration.rotated(given.secret, given.at)
    via: Literal["admin_rotate", "server_rotate"] = "admin_rotate" if unit.actor.kind == "member" else "server_rotate"
    rotated = registration.rotate_secret(unit, player, _minted(unit, _ROTATE, player, key), via)
    _keep(unit, _ROTATE, key, 200)
    return rotated


# -- what they share ------------------------------------------------------------------------------------------------------


def _key_of(unit: Unit, args: Register | RotateSecret) -> str | None:
    """The key, if a secret may be derived from it."""
    key = args.idempotency_key
    return key if key is not None and len(key) >= LEAST_KEY and unit.deployment.secrets else None


def _fingerprint(unit: Unit, what: str, fields: dict[str, Json]) -> str:
    return idempotency.fingerprint_of("POST", f"{what}/{unit.external_id}", fields)


def _minted(unit: Unit, what: str, player: Player, key: str | None) -> str:
    if key is None:
        return registration.new_secret(unit.entropy)
    return _derived(unit, what, player, key, unit.deployment.secrets[0], unit.now)


def _derived(unit: Unit, what: str, player: Player, key: str, deployment: bytes, at: Millis) -> str:
    """The secret that a request derives, which is the member's own where a member makes it."""
    by = f"{what} by {unit.actor.ref}" if what == _ROTATE and unit.actor.kind == "member" else what
    return registration.spelled(derived_bytes(deployment, unit.scope, by, player.player_id, key, at))


def _answer_key(unit: Unit, what: str, player_id: str, key: str, deployment: bytes) -> tuple[str, str]:
    """The owner and the name of the record.

    The key of a rotation is in the namespace of all keys of the studio's backend, so it is unique there; a member has a
    namespace of their own, so that nobody else is shown what they were. A stranger who guesses the key of a registration
    would get the secret, so nothing is stored by which guesses could be tested.
    """
    if what == _REGISTER:
        return what, record_name(deployment, unit.scope, player_id, key)
    return (f"admin:{unit.actor.ref}" if unit.actor.kind == "member" else "server"), key


def _keep(unit: Unit, what: str, key: str | None, status: int) -> None:
    if key is not None:
        owner, name = _answer_key(unit, what, unit.player_id or "", key, unit.deployment.secrets[0])
        idempotency.keep(unit, owner, name, status, "")


def _given(unit: Unit, what: str, player: Player, key: str) -> _Given | None:
    """The secret that was given to the player under this key. Raises `IdempotencyConflict` for another request."""
    given: _Given | None = None
    for deployment in unit.deployment.secrets:
        kept = idempotency.kept(unit, *_answer_key(unit, what, player.player_id, key, deployment))
        if kept is None:
            continue
        if kept.fingerprint != unit.fingerprint:
            raise IdempotencyConflict
        at = kept.expires_at - idempotency.KEPT_FOR
        secret = _derived(unit, what, player, key, deployment, at)
        given = _Given(kept.status, at, secret, _is_secret_of(player, secret))
        if given.current:
            break
    return given


def _is_secret_of(player: Player, secret: str) -> bool:
    return player.secret_hash is not None and hmac.compare_digest(registration.secret_hash(secret), player.secret_hash)
