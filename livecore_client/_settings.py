"""A client's settings: from an argument, else from an environment variable, else a default.

The two kinds of client need different keys: a game client is given to players, so it must never hold the studio's server
key. A key's text shows its kind, and a key of the wrong kind is refused before any request is sent.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import urlsplit

from livecore.version import VERSION
from livecore_client._failures import ConfigurationError
from livecore_client._retry import RetryPolicy

__all__ = ["ENVIRONMENT", "SDK_NAME", "Settings", "detect_platform", "header_text", "optional_setting", "setting"]

SDK_NAME: Final = f"livecore-python/{VERSION}"
"""The value of `X-Svc-SDK` in every request."""

ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "LIVECORE_BASE_URL": "where the service is, such as https://live.example.com",
        "LIVECORE_API_KEY": (
            "the game's API key, a client key; the server client takes a server key from here where it has no other"
        ),
        "LIVECORE_SERVER_KEY": "the studio's API key, a server key: for the server client, and never in a game",
        "LIVECORE_EXTERNAL_PLAYER_ID": "the player that a game client acts for, by the studio's own id",
        "LIVECORE_PLAYER_SECRET": "the player's secret, from registering or from a rotation",
        "LIVECORE_PLATFORM": "the player's platform, where it should not be detected",
        "LIVECORE_APP_VERSION": "the game's build",
        "LIVECORE_TIMEOUT_SECONDS": "how long a connection and each part of an answer may take; 10 when not given",
        "LIVECORE_MAX_ATTEMPTS": "how often a call is tried; 4 when not given",
    }
)
"""The environment variables that clients read, and what each means."""

_DEFAULT_TIMEOUT_SECONDS: Final = 10.0
_KEY_KIND = re.compile(r"lc_(?:test|live)_(client|server)_")
_HEADER_TEXT = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_PLATFORMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "android": "android",
        "cygwin": "windows",
        "darwin": "macos",
        "emscripten": "web",
        "ios": "ios",
        "linux": "linux",
        "wasi": "web",
        "win32": "windows",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The address, the key, and limits of time and attempts; the key is left out of the representation."""

    base_url: str
    api_key: str = field(repr=False)
    platform: str | None
    app_version: str | None
    timeout_seconds: float
    retries: RetryPolicy

    @classmethod
    def resolve(
        cls,
        kind: Literal["client", "server"],
        *,
        base_url: str | None,
        api_key: str | None,
        platform: str | None = None,
        detected_platform: str | None = None,
        app_version: str | None = None,
        timeout_seconds: float | None,
        retries: RetryPolicy | None,
        environ: Mapping[str, str] = os.environ,
    ) -> Settings:
        """Take settings that were not given from the environment, and check all of them.

        Raises `ConfigurationError`, naming the argument and the environment variable.
        """
        return cls(
            base_url=_base_url(setting("base_url", base_url, environ)),
            api_key=_api_key(kind, _given_key(kind, api_key, environ)),
            platform=_optional_text("platform", platform, environ) or detected_platform,
            app_version=_optional_text("app_version", app_version, environ),
            timeout_seconds=_timeout_seconds(timeout_seconds, environ),
            retries=retries if retries is not None else _retries(environ),
        )


def optional_setting(name: str, given: str | None, environ: Mapping[str, str] = os.environ) -> str | None:
    """A setting from an argument or the environment; an empty text counts as not given."""
    return given or environ.get(f"LIVECORE_{name.upper()}") or None


def setting(name: str, given: str | None, environ: Mapping[str, str] = os.environ) -> str:
    """A required setting from an argument or the environment; raises `ConfigurationError` when neither has it."""
    value = optional_setting(name, given, environ)
    if value is None:
        raise ConfigurationError(f"give {name}, or set LIVECORE_{name.upper()}")
    return value


def detect_platform(name: str = sys.platform, *, android: bool = hasattr(sys, "getandroidapilevel")) -> str | None:
    """The service's name for this machine's platform, or `None` when it has none."""
    if android:  # Python before 3.13 calls Android "linux"
        return "android"
    return _PLATFORMS.get(name)


def _base_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        _ = parts.port  # reading it checks it
    except ValueError:
        raise ConfigurationError("base_url is not a URL") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ConfigurationError("base_url must be an address such as https://live.example.com")
    return value.rstrip("/")


def _given_key(kind: str, given: str | None, environ: Mapping[str, str]) -> str:
    """The key from an argument or the environment; a backend's key has a separate variable, so that both keys can be set."""
    if kind == "client":
        return setting("api_key", given, environ)
    value = given or optional_setting("server_key", None, environ) or optional_setting("api_key", None, environ)
    if value is None:
        raise ConfigurationError("give api_key, or set LIVECORE_SERVER_KEY")
    return value


def _api_key(kind: str, value: str) -> str:
    found = _KEY_KIND.match(value)
    if found and found[1] != kind:
        reason = "a server key must never be in a game client" if kind == "client" else "this client needs a server key"
        raise ConfigurationError(f"api_key is a {found[1]} key: {reason}")
    return header_text("api_key", value)


def header_text(name: str, value: str) -> str:
    """`value`, if it is allowed in a header.

    Otherwise raises `ConfigurationError`, whose text does not repeat the value, because it may be a key.
    """
    if not _HEADER_TEXT.fullmatch(value):
        raise ConfigurationError(f"{name} must be printable ASCII without spaces around it")
    return value


def _optional_text(name: str, given: str | None, environ: Mapping[str, str]) -> str | None:
    value = optional_setting(name, given, environ)
    return None if value is None else header_text(name, value)


def _timeout_seconds(given: float | None, environ: Mapping[str, str]) -> float:
    seconds = given
    if seconds is None:
        seconds = _number("LIVECORE_TIMEOUT_SECONDS", environ, _DEFAULT_TIMEOUT_SECONDS)
    if not 0 < seconds < float("inf"):
        raise ConfigurationError("timeout_seconds must be a positive number")
    return seconds


def _retries(environ: Mapping[str, str]) -> RetryPolicy:
    default = RetryPolicy()
    attempts = _number("LIVECORE_MAX_ATTEMPTS", environ, default.max_attempts)
    if not attempts.is_integer():
        raise ConfigurationError("LIVECORE_MAX_ATTEMPTS must be a whole number")
    return RetryPolicy(max_attempts=int(attempts))


def _number(variable: str, environ: Mapping[str, str], default: float) -> float:
    text = environ.get(variable)
    if not text:
        return float(default)
    try:
        return float(text)
    except ValueError:
        raise ConfigurationError(f"{variable} must be a number") from None
