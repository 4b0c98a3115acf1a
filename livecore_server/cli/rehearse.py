"""`livecore rehearse`: sends right and wrong deliveries to a receiver of webhooks and judges its answers.

The secrets come from the call, or from the endpoint with the receiver's address in a database. Nothing is written there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs
import click
from click.core import ParameterSource
from yarl import URL

from livecore.kernel.errors import ValidationFailed
from livecore.rehearsal.answers import Exchange
from livecore.rehearsal.plan import Plan, make_plan
from livecore.rehearsal.report import json_of, lines_of
from livecore.rehearsal.scenario import Scenario, load_scenario
from livecore.rehearsal.verdict import judge
from livecore.webhooks import endpoints
from livecore.webhooks.outbox import Endpoint
from livecore.webhooks.rotation import secrets_of, signing
from livecore.webhooks.signature import MAX_SIGNATURES
from livecore.webhooks.subscription import EVERYTHING
from livecore_server.cli.options import json_option, setting_option
from livecore_server.cli.output import show
from livecore_server.cli.progress import progress
from livecore_server.cli.scopes import GameScopes, placed, scopes_of
from livecore_server.operations.rehearse import rehearse
from livecore_server.storage.database import vault_for
from livecore_server.system import draw_seed, now_millis
from livecore_server.vault import VaultError

_PREFIX: Final = "whsec_"
_OF_DATABASES: Final = {
    "database": "--database",
    "game_id": "--game",
    "environment": "--environment",
    "vault_key": "--vault-key",
}
_NOBODY: Final = {
    "connection_failed": "nothing answers there",
    "dns_failed": "there is no such name",
    "tls_failed": "its certificate is not valid for this name, or nobody whom this machine trusts has signed it",
}
"""Why no delivery can arrive, by the fault."""


@attrs.frozen(kw_only=True)
class _Sender:
    """In whose name the deliveries are sent."""

    secrets: tuple[str, ...] = attrs.field(repr=False)
    origin: tuple[str, str] | None = None
    kinds: tuple[str, ...] | None = None


def _url(_: click.Context, __: click.Parameter, text: str) -> str:
    """The address of a receiver. Raises `click.BadParameter`."""
    try:
        url = URL(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no URL") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise click.BadParameter("give the receiver's URL, such as http://localhost:8000/livecore/webhooks")
    if url.user is not None or url.fragment:
        raise click.BadParameter("the URL must have no user, no password and no #")
    return text


def _secrets(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[str, ...]:
    """The secrets of the call. Raises `click.BadParameter`."""
    for text in texts:
        if not text.startswith(_PREFIX) or len(text) == len(_PREFIX):
            raise click.BadParameter("a secret begins with whsec_; give all of it")
    if len(texts) > MAX_SIGNATURES:
        raise click.BadParameter(f"a delivery carries at most {MAX_SIGNATURES} signatures")
    return tuple(texts)


def _scenario(_: click.Context, __: click.Parameter, file: Path | None) -> Scenario:
    """The scenario of a file, or the one that is built in. Raises `click.BadParameter` with every fault."""
    if file is None:
        return Scenario()
    try:
        return load_scenario(file.read_text("utf-8"))
    except UnicodeDecodeError:
        raise click.BadParameter(f"{file.name} is not UTF-8") from None
    except ValidationFailed as fault:
        faults = "; ".join(f"{path or 'the file'} {text}" for path, text in fault.fields.items())
        raise click.BadParameter(f"{file.name}: {faults}") from None


@click.command("rehearse")
@click.option("--to", "url", metavar="URL", required=True, callback=_url, help="The receiver, also http://localhost.")
@click.option(
    "--secret", "secrets", metavar="whsec_…", multiple=True, callback=_secrets,
    help="The secret that the receiver verifies with; during a rotation two, the newer one first.",
)  # fmt: skip
@placed
@setting_option("vault_key")
@setting_option("production", default=False)
@click.option(
    "--scenario", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path), callback=_scenario,
    help="Which steps, how often, with which events: JSON; by default every step.",
)  # fmt: skip
@json_option
@click.pass_context
def rehearse_command(
    context: click.Context, url: str, secrets: tuple[str, ...], database: str, game_id: str | None,
    *, environment: str | None, scenario: Scenario, vault_key: str | None, production: bool, as_json: bool,
) -> int:  # fmt: skip
    """Send right and wrong deliveries to a receiver and judge its answers; ends with status 1 where something is wrong.

    Some come twice, at the same moment, late, out of order, or with events of a later release; others are forged. Without
    --secret, the secrets are those of the game's endpoint with this URL in the database, and nothing is written there. The
    effects at the receiver are real: point it at a test database.
    """
    _require_one_source(context, secrets, database)
    if secrets:
        sender = _Sender(secrets=secrets)
    else:
        with scopes_of(database, game_id, environment) as found:
            sender = _registered(found, url, lambda: vault_for(database, vault_key, production=production).unseal)
    plan = make_plan(
        scenario, sender.secrets, seed=draw_seed(), now=now_millis(), origin=sender.origin, kinds=sender.kinds
    )
    exchanges = _send(plan, url)
    verdict = judge(exchanges, planned=plan.deliveries, timeout_seconds=plan.timeout_seconds)
    show({"receiver": url, **json_of(verdict)}, lines_of(verdict), as_json=as_json)
    return 0 if verdict.sound else 1


def _require_one_source(context: click.Context, secrets: Sequence[str], database: str) -> None:
    """The secrets come from one place; what the environment says of a database does not count beside --secret.

    Raises `click.UsageError`.
    """
    if not secrets and not database:
        raise click.UsageError("give --secret, or --database with the endpoint that has this URL")
    for name, option in _OF_DATABASES.items():
        if secrets and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option} is for secrets from a database: leave it out, or leave out --secret")


def _send(plan: Plan, url: str) -> list[Exchange]:
    """Send all deliveries. Raises `click.ClickException` where none can arrive."""
    with progress("Rehearsing", plan.deliveries) as advance:
        exchanges = asyncio.run(rehearse(plan, url, advance=advance))
    faults = {exchange.answer.fault for exchange in exchanges}
    if len(faults) == 1 and (why := _NOBODY.get(str(*faults))) is not None:
        raise click.ClickException(f"no delivery can reach {url}: {why}")
    return exchanges


def _registered(found: GameScopes, url: str, opened: Callable[[], Callable[[str], str]]) -> _Sender:
    """The sender of the game's endpoint with this URL. Raises `click.ClickException`."""
    known = [(scope, row) for scope in found.scopes for row in found.read(scope, endpoints.list_endpoints)]
    meant = [(scope, row) for scope, row in known if row.url == url]
    if not known:
        raise click.ClickException("the game has no webhook endpoint yet: `livecore webhooks add` makes one")
    if not meant:
        there = ", ".join(sorted({row.url for _, row in known}))
        raise click.UsageError(f"the game has no endpoint with this URL; its endpoints: {there}")
    if len(meant) > 1:
        names = ", ".join(f"{row.key} ({scope.environment})" for scope, row in meant)
        raise click.UsageError(f"several endpoints have this URL: {names}; say --environment, or give --secret")
    (_, endpoint), *_ = meant
    unseal = opened()
    try:
        secrets = tuple(unseal(secret.text) for secret in signing(secrets_of(endpoint.secrets), now_millis()))
    except VaultError as fault:
        raise click.ClickException(f"the endpoint's secret cannot be read: {fault}") from None
    game = found.game
    return _Sender(secrets=secrets, origin=(game.studio_id, game.game_id), kinds=_kinds(endpoint))


def _kinds(endpoint: Endpoint) -> tuple[str, ...] | None:
    """The kinds of events that the endpoint is sent; `None` for all."""
    kinds: list[str] = json.loads(endpoint.events)
    return None if EVERYTHING in kinds else tuple(kinds)
