"""A client's settings: from an argument, else from an environment variable, else a default.

The two kinds of client need different keys: a game client is given to players, so it must never hold the studio's server
key. A key's text shows its kind, and a key of the wrong kind is refused before any request is sent.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import SplitResult, urlsplit

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
        "LIVECORE_DEADLINE_SECONDS": "how long a call may take with all its attempts and pauses; 30 when not given",
        "LIVECORE_MAX_ATTEMPTS": "how often a call is tried; 4 when not given",
    }
)
"""The environment variables that clients read, and what each means."""

_DEFAULT_TIMEOUT_SECONDS: Final = 10.0
_DEFAULT_DEADLINE_SECONDS: Final = 30.0
"""Three times the default time-out, so that a server that does not answer is tried more than once; and less than the minute
after which a rate limit begins anew, and proxies give up, so that nobody's thread sleeps through one."""
_KEY_KIND = re.compile(r"lc_(?:test|live)_(client|server)_")
_HEADER_TEXT = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OUR_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "accept": "the client reads JSON only",
        "authorization": "the client makes it of api_key",
        "connection": "the connections are the client's",
        "content-length": "the client makes it of the body",
        "content-type": "the client sends JSON only",
        "host": "the client makes it of base_url",
        "idempotency-key": "give idempotency_key to the call",
        "last-event-id": "give last_event_id to the call",
        "transfer-encoding": "the client makes it of the body",
        "user-agent": "it names this library",
        "x-player-secret": "give player_secret to the client",
        "x-svc-app-version": "give app_version to the client",
        "x-svc-platform": "give platform to the client",
        "x-svc-sdk": "it names this library",
    }
)
"""Headers that a caller cannot add, and why not."""
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
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
    """The address, the key, and limits of time and attempts; what may be secret is left out of the representation."""

    base_url: str
    api_key: str = field(repr=False)
    platform: str | None
    app_version: str | None
    timeout_seconds: float
    given_deadline_seconds: float | None
    retries: RetryPolicy
    headers: Mapping[str, str] = field(repr=False)
    """What the caller adds to every request."""

    @property
    def deadline_seconds(self) -> float:
        """How long a call may take with all its attempts and the pauses between them.

        Where none is given, a time-out or a retry policy that was given may go beyond the default.
        """
        if self.given_deadline_seconds is not None:
            return self.given_deadline_seconds
        return max(_DEFAULT_DEADLINE_SECONDS, self.timeout_seconds, self.retries.total_seconds or 0.0)

    @property
    def bounded_retries(self) -> RetryPolicy:
        """The retry policy with the deadline as its total, for what is no single call."""
        total = self.retries.total_seconds
        bound = self.deadline_seconds if total is None else min(total, self.deadline_seconds)
        return replace(self.retries, total_seconds=bound)

    def changed(
        self,
        *,
        timeout_seconds: float | None = None,
        deadline_seconds: float | None = None,
        retries: RetryPolicy | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Settings:
        """These settings with other limits, and with further headers.

        Raises `ConfigurationError` for a value that is not allowed.
        """
        given = self.given_deadline_seconds if deadline_seconds is None else deadline_seconds
        timeout = self.timeout_seconds if timeout_seconds is None else timeout_seconds
        return replace(
            self,
            timeout_seconds=_positive("timeout_seconds", timeout),
            given_deadline_seconds=None if given is None else _positive("deadline_seconds", given),
            retries=self.retries if retries is None else retries,
            headers=_merged(self.headers, checked_headers(headers or {})),
        )

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
        deadline_seconds: float | None = None,
        retries: RetryPolicy | None,
        headers: Mapping[str, str] | None = None,
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
            timeout_seconds=_seconds("timeout_seconds", timeout_seconds, environ) or _DEFAULT_TIMEOUT_SECONDS,
            given_deadline_seconds=_seconds("deadline_seconds", deadline_seconds, environ),
            retries=retries if retries is not None else _retries(environ),
            headers=checked_headers(headers or {}),
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
    """The address without a slash at its end.

    Raises `ConfigurationError`, whose text does not repeat a user name, a password or a query: these may be secret.
    """
    try:
        parts = urlsplit(value)
        _ = parts.port  # reading it checks it
    except ValueError:
        raise ConfigurationError("base_url is not a URL") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ConfigurationError(f"base_url must be an address such as {_meant(value)}")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError(f"base_url must hold no user name or password: did you mean {_origin(parts)}?")
    if parts.path.strip("/"):
        raise ConfigurationError(
            f"base_url must have no path, and has {parts.path!r} (the client adds /sdk/v1 or /server/v1 itself): "
            f"did you mean {_origin(parts)}?"
        )
    return value.rstrip("/")


def _origin(parts: SplitResult) -> str:
    """Scheme, host and port of an address."""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _meant(value: str) -> str:
    """The address that a text without a scheme was meant to be, else an example."""
    if re.fullmatch(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?(/.*)?", value) is None:
        return "https://live.example.com"
    address = value.partition("/")[0]
    scheme = "http" if address.partition(":")[0] in _LOOPBACK else "https"
    return f"{scheme}://{address}"


def checked_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """A caller's own headers, if they may be sent.

    Raises `ConfigurationError` for a name that the client sets itself, and for what no header can carry; its text does not
    repeat a value.
    """
    for name, value in headers.items():
        if not isinstance(name, str) or _HEADER_NAME.fullmatch(name) is None:
            raise ConfigurationError(f"headers: {name!r} is no name of a header")
        reason = _OUR_HEADERS.get(name.lower())
        if reason is not None:
            raise ConfigurationError(f"headers must not hold {name}: {reason}")
        if not isinstance(value, str):
            raise ConfigurationError(f"headers: the value of {name} must be a text")
        header_text(f"headers: the value of {name}", value)
    return MappingProxyType(dict(headers))


def _merged(old: Mapping[str, str], new: Mapping[str, str]) -> Mapping[str, str]:
    """Both, where a new header takes the place of the old one of the same name in any case."""
    names = {name.lower() for name in new}
    return MappingProxyType({**{name: value for name, value in old.items() if name.lower() not in names}, **new})


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


def _seconds(name: str, given: float | None, environ: Mapping[str, str]) -> float | None:
    """A number of seconds from an argument or the environment."""
    seconds = _number(f"LIVECORE_{name.upper()}", environ) if given is None else given
    return None if seconds is None else _positive(name, seconds)


def _positive(name: str, seconds: float) -> float:
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds < float("inf"):
        raise ConfigurationError(f"{name} must be a positive number")
    return seconds


def _retries(environ: Mapping[str, str]) -> RetryPolicy:
    attempts = _number("LIVECORE_MAX_ATTEMPTS", environ)
    if attempts is None:
        return RetryPolicy()
    if not attempts.is_integer():
        raise ConfigurationError("LIVECORE_MAX_ATTEMPTS must be a whole number")
    return RetryPolicy(max_attempts=int(attempts))


def _number(variable: str, environ: Mapping[str, str]) -> float | None:
    text = environ.get(variable)
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise ConfigurationError(f"{variable} must be a number") from None
