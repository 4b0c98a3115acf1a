"""The table of the server's settings: flag, environment variable, default and description.

The class below is the table. The command line's options, the environment variables and the reference page are generated
from it, so that a setting is added in one place. A value is checked when it is read, so the fields here hold valid values.

    serve --body-limit-bytes 65536          LIVECORE_BODY_LIMIT_BYTES=65536          Settings(body_limit_bytes=65536)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import attrs

from livecore.api.requests.limits import RateLimits
from livecore.kernel.time import DAY
from livecore.kernel.units.unit import Retention
from livecore.webhooks.addresses import Network
from livecore_server.http.origins import parse_origins
from livecore_server.http.stream_limits import StreamLimits
from livecore_server.setting_values import (
    check_client_text,
    check_issuer,
    check_public_url,
    check_workers,
    parse_address,
    parse_network_list,
    parse_rate_limits,
    parse_vault_keys,
)
from livecore_server.storage.database_urls import masked
from livecore_server.storage.limits import QueueLimits
from livecore_server.storage.sqlite.cache import CACHE_BYTES
from livecore_server.storage.sqlite.log_file import CHECKPOINT_BYTES

_ROW: Final = "setting"


@attrs.frozen(kw_only=True)
class Setting:
    """One row of the table. `least` and `most` bound a number; `check` raises `ValueError` for an invalid text."""

    name: str
    kind: type
    default: str | int | float | bool | None
    text: str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    check: Callable[[str], object] | None = None
    secret: bool = False

    @property
    def flag(self) -> str:
        """The command line's option: `--drain-seconds`."""
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """The environment's name: `LIVECORE_DRAIN_SECONDS`."""
        return "LIVECORE_" + self.name.upper()


def _setting(
    *,
    default: str | float | None,
    text: str,
    metavar: str | None = None,
    choices: tuple[str, ...] = (),
    least: float | None = None,
    most: float | None = None,
    check: Callable[[str], object] | None = None,
    secret: bool = False,
    shown: Callable[[str], str] | None = None,
) -> Any:  # noqa: ANN401 - attrs' own field has no other type either
    row = {
        "text": text,
        "metavar": metavar,
        "choices": choices,
        "least": least,
        "most": most,
        "check": check,
        "secret": secret,
    }
    return attrs.field(default=default, repr=_repr_of(shown) if shown else not secret, metadata={_ROW: row})


def _repr_of(shown: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: repr(shown(text))


@attrs.frozen(kw_only=True)
class Settings:
    """The settings of a deployment."""

    # -- where
    database: str = _setting(
        default="",
        text="Where the data is: sqlite:///relative.db, sqlite:////absolute.db or postgresql://….",
        metavar="URL",
        shown=masked,
    )
    host: str = _setting(default="127.0.0.1", text="The address to listen on.", metavar="ADDRESS")
    port: int = _setting(default=8787, text="The port to listen on; 0 takes a free one.", least=0, most=65_535)
    workers: int = _setting(
        default=1,
        text="How many server processes share the address; more than the number of processors is of no use. "
        "On Windows there is one.",
        least=1,
        most=64,
        check=check_workers,
    )

    # -- who is asking
    rate_limits: str = _setting(
        default="on",
        text="Requests a minute: 'on' for the defaults, 'off', or numbers such as 'sdk_write=300,admin=off'. The buckets "
        "and their defaults are sdk_read=600, sdk_write=120, server_api=1000 and admin=600, and for each address "
        "unauthenticated=120, sdk_address (requests with the right player secret; half as many without one) and "
        "new_players (an hour); the last two are off unless players are counted separately. player_bytes=1048576 is how "
        "much metadata and long texts a player's client may have stored a day.",
        metavar="LIMITS",
        check=parse_rate_limits,
    )
    rate_limits_per_player: bool = _setting(
        default=False,
        text="Count the client buckets for each key and player instead of each key. Switch it on for a game "
        "that is played: the heartbeats of about sixty players use up the default limit of a key. It brings limits for "
        "each address: sdk_address=3000 and new_players=200.",
    )
    cors_origins: str = _setting(
        default="",
        text="Origins of the web pages whose scripts may call the client surface from a browser, with commas, such as "
        "'https://play.example.com'; '*' for all. By default none may.",
        metavar="ORIGINS",
        check=parse_origins,
    )
    trusted_proxies: int = _setting(
        default=0,
        text="How many proxies are in front and append to X-Forwarded-For; the caller's address is read that many places "
        "from its end, with or without a port. With 0 the header is ignored.",
        least=0,
        most=10,
    )
    country_header: str = _setting(
        default="CF-IPCountry", text="The header in which a proxy names the caller's country.", metavar="NAME"
    )
    trust_country_header: bool = _setting(
        default=False, text="Trust the country header. Only behind a proxy that sets or removes it on every request."
    )
    country_file: str | None = _setting(
        default=None, text="A MaxMind DB file (.mmdb) that gives countries for addresses.", metavar="FILE"
    )

    # -- operators
    public_url: str | None = _setting(
        default=None,
        text="Where browsers reach the server, such as https://live.example.com; http only for an address of this machine. "
        "Operators sign in there, and with https their cookie is bound to it.",
        metavar="URL",
        check=check_public_url,
    )
    oidc_issuer: str | None = _setting(
        default=None,
        text="The OpenID Connect provider through which operators sign in, exactly as it calls itself, such as "
        "https://accounts.google.com; http only for an address of this machine.",
        metavar="URL",
        check=check_issuer,
    )
    oidc_client_id: str | None = _setting(
        default=None, text="The id that the provider has given to this server.", metavar="ID", check=check_client_text
    )
    oidc_client_secret: str | None = _setting(
        default=None,
        text="The secret that belongs to it. Set it in the environment, where other users cannot see it.",
        metavar="SECRET",
        check=check_client_text,
        secret=True,
    )

    # -- limits of a request
    body_limit_bytes: int = _setting(
        default=8 * 1024 * 1024,
        text="The largest body that is taken on any route. Each route has a limit of its own, which holds where it is "
        "lower: 64 KiB for games, 1 MiB for backends, 8 MiB for moving players in.",
        least=1,
        most=8 * 1024 * 1024,
    )
    body_seconds: float = _setting(
        default=30.0, text="How long a body may take to arrive, and an answer to be taken.", least=1, most=600
    )
    idle_seconds: float = _setting(default=75.0, text="How long an idle connection is kept.", least=1, most=3600)

    queue_limit: int = _setting(
        default=QueueLimits().queue,
        text="How many requests may wait in a process for the database; one more is answered 503.",
        least=1,
        most=1_000_000,
    )
    queue_seconds: float = _setting(
        default=QueueLimits().wait_seconds,
        text="How long a request may wait for the database, as estimated when it arrives; one that would wait longer is "
        "answered 503 at once.",
        least=0.1,
        most=60,
    )

    queue_bytes: int = _setting(
        default=QueueLimits().body_bytes,
        text="How many bytes the bodies of these requests may have together; one more is answered 503. They take about five "
        "times as much memory.",
        least=1,
        most=1024**4,
    )

    cache_bytes: int = _setting(
        default=CACHE_BYTES,
        text="How much memory a process may use to cache rows of a database file, in bytes. Rows with long texts are never "
        "cached. On PostgreSQL it is not used.",
        least=0,
        most=1024**4,
    )

    checkpoint_bytes: int = _setting(
        default=CHECKPOINT_BYTES,
        text="How long the write-ahead log of a database file may become, in bytes, before it is copied into the file and "
        "starts over; a quarter of the room on the disk, if that is less. It becomes longer while another process reads "
        "one state for long, as a backup does, and gives that back afterwards. On PostgreSQL it is not used.",
        least=1024**2,
        most=1024**4,
    )

    # -- streams
    stream_limit: int = _setting(
        default=StreamLimits().most,
        text="How many streams may be open in a process; one more is answered 503. Each needs a file handle.",
        least=1,
        most=1_000_000,
    )
    stream_limit_per_key: int = _setting(
        default=StreamLimits().most_per_key,
        text="How many of them may be open with one key; one more is answered 429.",
        least=1,
        most=1_000_000,
    )
    stream_limit_per_address: int = _setting(
        default=StreamLimits().most_per_address,
        text="How many of them may be open from one address, or one /64 network of IPv6; one more is answered 429. Behind "
        "a proxy, set --trusted-proxies, or all readers share the proxy's address.",
        least=1,
        most=1_000_000,
    )
    stream_heartbeat_seconds: float = _setting(
        default=StreamLimits().heartbeat_seconds,
        text="The interval after which a comment is sent on an idle stream.",
        least=0.1,
        most=600,
    )
    stream_patience_seconds: float = _setting(
        default=StreamLimits().patience_seconds,
        text="How long a stream's reader may read nothing before the stream is cut off.",
        least=0.1,
        most=600,
    )

    # -- what is going on
    log_format: Literal["text", "json"] = _setting(
        default="text",
        text="The format of log lines: text for people, or one JSON object each.",
        choices=("text", "json"),
    )
    log_level: Literal["debug", "info", "warning", "error"] = _setting(
        default="info", text="The lowest level that is logged.", choices=("debug", "info", "warning", "error")
    )
    request_log: bool = _setting(default=True, text="Log a line for each request (at level info).")
    request_log_addresses: Literal["whole", "network", "off"] = _setting(
        default="whole", choices=("whole", "network", "off"),
        text="The caller's address in these lines: whole, shortened to the network (/24 of IPv4, /48 of IPv6), or left out.",
    )  # fmt: skip
    metrics: bool = _setting(
        default=True, text="Serve Prometheus metrics at /metrics; on the main address to callers on this machine only."
    )
    metrics_address: str | None = _setting(
        default=None, text="Serve the metrics here, to everybody who can reach it, instead of on the main address.",
        metavar="HOST:PORT", check=parse_address,
    )  # fmt: skip

    # -- webhooks
    vault_key: str | None = _setting(
        default=None,
        text="The keys that seal webhook secrets, each 32 bytes in base64, with commas; the first one seals. Set it in the "
        "environment, where other users cannot see it. Without it, a key file beside the database is made and used.",
        metavar="KEYS", check=parse_vault_keys, secret=True,
    )  # fmt: skip
    production: bool | None = _setting(
        default=None,
        text="Whether the deployment is for production, where no endpoint may be http to localhost. By default it is if the "
        "public URL is https, or if the server listens on anything but loopback addresses. Given as --production, the vault "
        "key must be given as well.",
    )
    webhook_networks: str = _setting(
        default="", text="Networks where endpoints may be, besides the public internet: 10.20.0.0/16, with commas.",
        metavar="NETWORKS", check=parse_network_list,
    )  # fmt: skip
    breaker_threshold: int = _setting(
        default=5,
        text="After how many failed deliveries in a row an endpoint is paused; those that found nobody count at most once a "
        "minute.",
        least=1,
        most=1000,
    )

    # -- what is kept
    audit_retention_days: int = _setting(
        default=400,
        text="For how many days entries of the audit trail and former names of players are kept; with 0, for ever.",
        least=0, most=36_500,
    )  # fmt: skip
    audit_address_days: int = _setting(
        default=30, least=0, most=36_500,
        text="For how many days addresses in the audit trail are whole; then they are shortened to the network: /24 of "
        "IPv4, /48 of IPv6. With 0 they are whole for as long as the entries are kept.",
    )  # fmt: skip
    webhook_body_days: int = _setting(
        default=30, least=1, most=30,
        text="For how many days the bodies of webhooks are kept, which name players; then a delivery cannot be sent again. "
        "One that still waits is emptied once it was delivered or has failed.",
    )  # fmt: skip
    text_retention_days: int = _setting(
        default=90, least=0, most=36_500,
        text="For how many days what players wrote for a moment is kept once it is of no more use: a presence label after "
        "the last heartbeat, the message of a gift after its end, and that of an open request to join a guild; with 0 for "
        "ever.",
    )  # fmt: skip

    # -- rhythm
    flush_seconds: float = _setting(
        default=2.0, text="How often presence and last-seen values are written; a crash loses at most those of this time.",
        least=0.1, most=60,
    )  # fmt: skip
    drain_seconds: float = _setting(
        default=20.0,
        text="How long requests that are under way may take when the server stops.",
        least=0,
        most=600,
    )
    drain_delay_seconds: float = _setting(
        default=0.0, text="How long the server continues with readiness at 503 before that, so that load balancers notice.",
        least=0, most=600,
    )  # fmt: skip

    def __attrs_post_init__(self) -> None:
        """Check what several settings say together. Raises `ValueError`."""
        given = {
            row: getattr(self, row) for row in ("oidc_issuer", "oidc_client_id", "oidc_client_secret", "public_url")
        }
        missing = ["LIVECORE_" + name.upper() for name, text in given.items() if not text]
        provider = any(text for name, text in given.items() if name != "public_url")
        if provider and missing:
            raise ValueError(f"an identity provider wants {', '.join(missing)} as well")

    @property
    def origin(self) -> str | None:
        """The origin of the public URL; `None` without one, and for http on this machine."""
        if self.public_url is None or not self.public_url.lower().startswith("https:"):
            return None
        parts = urlsplit(self.public_url)
        port = "" if parts.port in (None, 443) else f":{parts.port}"
        host = parts.hostname or ""
        return f"https://{f'[{host}]' if ':' in host else host}{port}"

    @property
    def limits(self) -> RateLimits:
        """The rate limits, parsed."""
        return parse_rate_limits(self.rate_limits, per_player=self.rate_limits_per_player)

    @property
    def queue_limits(self) -> QueueLimits:
        """The limits of the queue for the database."""
        return QueueLimits(queue=self.queue_limit, wait_seconds=self.queue_seconds, body_bytes=self.queue_bytes)

    @property
    def stream_limits(self) -> StreamLimits:
        """How many streams may be open, and their intervals."""
        return StreamLimits(
            most=self.stream_limit,
            most_per_key=self.stream_limit_per_key,
            most_per_address=self.stream_limit_per_address,
            heartbeat_seconds=self.stream_heartbeat_seconds,
            patience_seconds=self.stream_patience_seconds,
        )

    @property
    def origins(self) -> frozenset[str]:
        """The origins that may call from a browser, parsed."""
        return parse_origins(self.cors_origins)

    @property
    def retention(self) -> Retention:
        """How long data is kept, for the core."""
        return Retention(
            audit=self.audit_retention_days * DAY or None,
            addresses=self.audit_address_days * DAY or None,
            # Events themselves are deleted after thirty days.
            bodies=None if self.webhook_body_days == 30 else self.webhook_body_days * DAY,
            texts=self.text_retention_days * DAY or None,
        )

    @property
    def networks(self) -> tuple[Network, ...]:
        """The webhook networks, parsed."""
        return parse_network_list(self.webhook_networks)


def _row(field: attrs.Attribute[Any]) -> Setting:
    kinds: Mapping[str, type] = {"int": int, "float": float, "bool": bool, "bool | None": bool}
    kind = kinds.get(str(field.type), str)
    return Setting(name=field.name, kind=kind, default=field.default, **field.metadata[_ROW])


SETTINGS: Final[tuple[Setting, ...]] = tuple(_row(field) for field in attrs.fields(Settings))
"""The rows of the table, in the order of the reference page."""
