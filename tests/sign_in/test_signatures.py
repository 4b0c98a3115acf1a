"""ID tokens with other signatures than the provider's: none, by the wrong key, or by a key that is not for this."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import ECKey, OctKey

from tests.sign_in.python_provider import PythonProvider, python_provider, rsa_key
from tests.sign_in.signing_in import deployment, refused


def _alg_none(provider: PythonProvider) -> None:
    def bare(claims: dict[str, Any]) -> str:
        _, body, _ = provider.signed(claims).split(".")
        return f"eyJhbGciOiJub25lIn0.{body}."

    provider.id_token = bare


def _hmac_with_public_key(provider: PythonProvider) -> None:
    public = provider.key.as_dict(private=False)
    provider.published = [public]
    provider.key = OctKey.import_key(json.dumps(public), {"kid": "one"})
    provider.algorithm = "HS256"


def _hmac_key_in_the_set(provider: PythonProvider) -> None:
    secret = OctKey.generate_key(256, {"kid": "one"})
    provider.published = [secret.as_dict(private=True), provider.key.as_dict(private=False)]
    provider.key, provider.algorithm = secret, "HS256"


def _another_key_of_the_same_name(provider: PythonProvider) -> None:
    provider.published = [rsa_key("one").as_dict(private=False)]


def _unknown_key(provider: PythonProvider) -> None:
    provider.published = [provider.key.as_dict(private=False)]
    provider.key = rsa_key("two")


def _key_for_encryption(provider: PythonProvider) -> None:
    provider.published = [
        {**provider.key.as_dict(private=False), "use": "enc"}, rsa_key("two").as_dict(private=False)
    ]  # fmt: skip


def _key_for_another_algorithm(provider: PythonProvider) -> None:
    provider.published = [{**provider.key.as_dict(private=False), "alg": "PS512"}]


def _no_name_and_two_keys(provider: PythonProvider) -> None:
    provider.published = [key.as_dict(private=False) for key in (provider.key, rsa_key("two"))]
    provider.header = {"kid": ...}


def _changed_payload(provider: PythonProvider) -> None:
    def changed(claims: dict[str, Any]) -> str:
        head, _, signature = provider.signed(claims).split(".")
        _, body, _ = provider.signed({**claims, "email": "ben@example.com"}).split(".")
        return f"{head}.{body}.{signature}"

    provider.id_token = changed


def _critical_header(provider: PythonProvider) -> None:
    def odd(claims: dict[str, Any]) -> str:
        _, body, signature = provider.signed(claims).split(".")
        return f"eyJhbGciOiJSUzI1NiIsImtpZCI6Im9uZSIsImNyaXQiOlsieCJdLCJ4IjoxfQ.{body}.{signature}"

    provider.id_token = odd


def _text(text: object) -> Callable[[PythonProvider], None]:
    def set_token(provider: PythonProvider) -> None:
        provider.tokens = {"id_token": text}

    return set_token


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        (_alg_none, "signed by 'none', which is not taken"),
        (_hmac_with_public_key, "signed by 'HS256', which is not taken"),
        (_hmac_key_in_the_set, "signed by 'HS256', which is not taken"),
        (_another_key_of_the_same_name, "the signature of the ID token is wrong"),
        (_unknown_key, "names key 'two', and 0 keys of the provider fit RS256"),
        (_key_for_encryption, "names key 'one', and 0 keys of the provider fit RS256"),
        (_key_for_another_algorithm, "names key 'one', and 0 keys of the provider fit RS256"),
        (_no_name_and_two_keys, "names no key, and 2 keys of the provider fit RS256"),
        (_changed_payload, "the signature of the ID token is wrong"),
        (_critical_header, "is not signed as it should be: UnsupportedHeaderError"),
        (_text(...), "the provider sent no ID token"),
        (_text(7), "the provider sent no ID token"),
        (_text(""), "is not signed as it should be"),
        (_text("a.b.c"), "is not signed as it should be"),
        (_text("é.b.c"), "is not signed as it should be"),
        (_text("W10.e30.c2ln"), "is not signed as it should be"),
        (_text("eyJhbGciOltdfQ.e30.c2ln"), "is not signed as it should be"),
        (_text("x" * 100_000), "is not signed as it should be"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_signature_that_is_wrong(tmp_path: Path, lie: Callable[[PythonProvider], None], reason: str) -> None:
    """Nothing but a signature by a key that the provider publishes for it is taken."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            lie(provider)
            await refused(here, await here.sign_in(provider), 502, reason)

    asyncio.run(story())


@pytest.mark.parametrize("algorithm", ["RS512", "PS256", "ES256"])
def test_other_signatures_by_public_keys(tmp_path: Path, algorithm: str) -> None:
    """Also where the key set holds keys of kinds that nobody here knows."""

    async def story() -> None:
        key = ECKey.generate_key("P-256", {"kid": "one"}) if algorithm == "ES256" else rsa_key("one")
        async with python_provider(key=key, algorithm=algorithm) as provider, deployment(tmp_path, provider) as here:
            await here.member()
            short = {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "short"}
            provider.published = [
                {"kty": "AKP", "kid": "new"}, short, {"kty": "EC", "crv": "none"}, key.as_dict(private=False)
            ]  # fmt: skip
            assert (await here.sign_in(provider)).status == 303

    asyncio.run(story())
