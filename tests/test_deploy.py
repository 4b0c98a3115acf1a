"""The files that operators copy (`examples/deploy`): every option, variable, path, port and metric in them exists.

They cannot be run by the suite, for want of an init system and of containers; so whatever they take from the program is
looked up in the program, and what they say to each other is compared.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from packaging.requirements import Requirement
from prometheus_client.parser import text_string_to_metric_families

from livecore_server.backlog_gauges import BacklogGauges, WatchedEndpoint
from livecore_server.http.probes import METRICS_PATH, READY_PATH
from livecore_server.metrics import Metrics
from livecore_server.settings import Settings
from livecore_server.stopping import SUPERVISED_SECONDS
from livecore_server.vault import new_key
from tests.commands_shown import require_command, settings_with
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "examples" / "deploy"
SYSTEMD, CONTAINERS = DEPLOY / "systemd", DEPLOY / "containers"
RESTARTING = ROOT / "docs" / "how-to" / "restart-without-downtime.md"
WATCHING = ROOT / "docs" / "how-to" / "watch-the-server.md"
COMPOSED = ("compose.sqlite.yaml", "compose.postgres.yaml")

SECRETS: Final = {"LIVECORE_VAULT_KEY": new_key(), "POSTGRES_PASSWORD": "secret"}
"""What an operator gives from outside."""


# -- systemd


def unit(name: str) -> dict[str, list[str]]:
    """The lines of a unit by their names; the sections have none in common."""
    found: dict[str, list[str]] = {}
    for line in (SYSTEMD / name).read_text("utf-8").splitlines():
        key, sign, value = line.partition("=")
        if sign and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def environment_of(name: str) -> dict[str, str]:
    """The variables of a unit, with those of the file that it reads."""
    lines = [*unit(name).get("Environment", []), *(SYSTEMD / "livecore.env").read_text("utf-8").splitlines()]
    found = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    assert found["LIVECORE_VAULT_KEY"] == "", "no key in a file that everybody copies"
    return found | {"LIVECORE_VAULT_KEY": SECRETS["LIVECORE_VAULT_KEY"]}


def started_by(name: str) -> Iterator[list[str]]:
    """What follows `livecore` in each command of a unit."""
    for line in (*unit(name).get("ExecStart", []), *unit(name).get("ExecReload", [])):
        words = shlex.split(line)
        if words[:2] == ["/bin/sh", "-c"]:
            words = shlex.split(words[2].removeprefix("exec "))
        if Path(words[0]).name == "livecore":
            yield words[1:]


def service_settings() -> Settings:
    """What the service runs with."""
    ((command, *arguments),) = started_by("livecore.service")
    assert command == "serve"
    return settings_with(environment_of("livecore.service"), *arguments)


@pytest.mark.parametrize("name", ["livecore.service", "livecore-backup.service"])
def test_the_commands_of_a_unit_exist(name: str) -> None:
    """With their options; and the variables are settings, with values that will do."""
    commands = list(started_by(name))
    assert commands
    for words in commands:
        require_command(words)
    settings_with(environment_of(name))


def test_the_service_is_marked_as_production_and_can_be_reloaded() -> None:
    """A reload replaces workers, so there has to be more than one; and its players do not share one rate limit."""
    settings = service_settings()
    assert settings.production
    assert settings.limits.per_player
    assert settings.workers > 1
    assert unit("livecore.service")["ExecReload"] == ["/bin/kill -HUP $MAINPID"]


def test_the_service_has_time_to_drain() -> None:
    """The service manager kills what has not ended by then."""
    settings = service_settings()
    (seconds,) = unit("livecore.service")["TimeoutStopSec"]
    assert float(seconds) >= settings.drain_delay_seconds + settings.drain_seconds + SUPERVISED_SECONDS


def test_the_socket_is_where_the_server_would_listen() -> None:
    """So that it makes no difference to the proxy whether systemd or the server has opened it."""
    settings = service_settings()
    assert unit("livecore.socket")["ListenStream"] == [f"{settings.host}:{settings.port}"]
    assert unit("livecore.socket")["RequiredBy"] == ["livecore.service"]
    assert "livecore.socket" in unit("livecore.service")["After"][0].split()


def test_units_write_only_into_their_own_folders() -> None:
    """The file system is read-only but for these; the backup reads the database of the service."""
    for name, writes in (("livecore.service", "livecore"), ("livecore-backup.service", "livecore livecore-backups")):
        assert unit(name)["ProtectSystem"] == ["strict"]
        assert unit(name)["StateDirectory"] == [writes]
        assert settings_with(environment_of(name)).database == "sqlite:////var/lib/livecore/game.db"
    (words,) = started_by("livecore-backup.service")
    assert words[-1].startswith("/var/lib/livecore-backups/")


def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    """Where systemd is installed, its own check has the last word on the units."""
    analyze = shutil.which("systemd-analyze")
    units = [path for path in sorted(SYSTEMD.iterdir()) if path.suffix in {".service", ".socket", ".timer"}]
    for path in units:
        # The check wants the program to be there.
        (tmp_path / path.name).write_text(path.read_text("utf-8").replace("/opt/livecore/bin/livecore", "/bin/true"))
    if analyze is not None:
        names = [str(tmp_path / path.name) for path in units]
        done = subprocess.run(
            [analyze, "verify", *names], capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS
        )
        assert (done.returncode, done.stderr) == (0, "")
    assert {path.suffix for path in units} == {".service", ".socket", ".timer"}


# -- containers


def composed(name: str) -> dict[str, Any]:
    """A compose file with what comes from outside put in."""
    text = (CONTAINERS / name).read_text("utf-8")
    text = re.sub(r"\$\{(\w+)(?::[?-]([^}]*))?\}", lambda found: SECRETS.get(found[1], found[2] or ""), text)
    document: dict[str, Any] = yaml.safe_load(text)
    return document


def servers_in(name: str) -> dict[str, dict[str, Any]]:
    """The services of a compose file that are servers of ours."""
    return {service: held for service, held in composed(name)["services"].items() if held["image"] == "livecore"}


def dockerfile() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile."""
    text = (CONTAINERS / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def image_environment() -> dict[str, str]:
    """The variables of the image that are ours."""
    (given,) = (rest for word, rest in dockerfile() if word == "ENV")
    pairs = dict(part.split("=", 1) for part in given.split())
    return {name: value for name, value in pairs.items() if name.startswith("LIVECORE_")}


def image_command() -> list[str]:
    """What a container runs, after `livecore`."""
    found = {word: json.loads(rest) for word, rest in dockerfile() if word in {"ENTRYPOINT", "CMD"}}
    assert found["ENTRYPOINT"] == ["livecore"]
    command: list[str] = found["CMD"]
    return command


def container_settings(service: dict[str, Any]) -> Settings:
    """What a container of ours runs with."""
    command, *arguments = service.get("command", image_command())
    assert command == "serve"
    return settings_with(image_environment() | service["environment"], *arguments)


SERVERS = [
    pytest.param(held, id=f"{name} {service}") for name in COMPOSED for service, held in servers_in(name).items()
]


def test_the_image_is_made_of_what_is_there() -> None:
    """Sources that are in the repository and not shut out, one pinned minor version of Python, and a user without rights."""
    shut_out = (CONTAINERS / "Dockerfile.dockerignore").read_text("utf-8").split()
    copied = [rest.split()[:-1] for word, rest in dockerfile() if word == "COPY" and not rest.startswith("--from")]
    for source in (name for names in copied for name in names):
        assert (ROOT / source).exists()
        assert f"!{source}" in shut_out
    (python,) = (rest for word, rest in dockerfile() if word == "ARG")
    assert re.fullmatch(r"PYTHON=3\.\d+", python)
    assert all(rest.startswith("python:${PYTHON}-slim") for word, rest in dockerfile() if word == "FROM")
    assert ("USER", "livecore") in dockerfile()


@pytest.mark.parametrize(
    ("lock", "asked"),
    [
        ("server.lock", ["dependencies", "server", "postgres"]),
        ("build.lock", ["build-system"]),
    ],
)
def test_the_image_is_made_of_versions_that_are_proven(lock: str, asked: list[str]) -> None:
    """What pyproject.toml asks for stands in the list, within its bounds, and everything there has its hashes."""
    text = (CONTAINERS / lock).read_text("utf-8")
    assert "://" not in text
    entries = [entry for entry in re.split(r"\n(?=[a-z0-9])", text) if not entry.startswith("#")]
    assert [entry for entry in entries if not re.search(r"\\\n    --hash=sha256:[0-9a-f]{64}", entry)] == []
    found = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE))
    assert len(found) == len(entries)
    for wanted in (Requirement(text) for part in asked for text in asked_for(part)):
        assert wanted.specifier.contains(found.get(wanted.name, "0")), f"{wanted}: `nox -s lock` writes the list anew"
    assert any(f"pip install --no-cache-dir --require-hashes -r {lock}" in rest for _, rest in dockerfile())


def asked_for(part: str) -> list[str]:
    """What a part of pyproject.toml asks for, our own extras aside."""
    text = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    parts = {
        "build-system": text["build-system"]["requires"],
        "dependencies": text["project"]["dependencies"],
        **text["project"]["optional-dependencies"],
    }
    return [line for line in parts[part] if not line.startswith("livecore")]


def test_the_image_listens_where_it_says() -> None:
    """The port, the page that its health is asked on, and the volume of the database are the program's."""
    settings = settings_with(image_environment() | {"LIVECORE_VAULT_KEY": SECRETS["LIVECORE_VAULT_KEY"]})
    instructions = dict(dockerfile())
    assert instructions["EXPOSE"] == str(settings.port)
    assert f"http://127.0.0.1:{settings.port}{READY_PATH}" in instructions["HEALTHCHECK"]
    assert settings.database == f"sqlite:///{instructions['VOLUME']}/game.db"
    assert settings.limits.per_player
    require_command(image_command())


@pytest.mark.parametrize("service", SERVERS)
def test_a_container_is_given_settings_that_exist(service: dict[str, Any]) -> None:
    """With values that will do; marked as production; reachable on the published port; with time to drain.

    And its players do not share one rate limit.
    """
    settings = container_settings(service)
    assert settings.production
    assert settings.limits.per_player
    assert settings.host == "0.0.0.0"  # noqa: S104 - within its container
    published = [entry.rpartition(":")[2] for entry in (*service.get("ports", []), *service.get("expose", []))]
    wanted = [str(settings.port), *([] if settings.metrics_address is None else [settings.metrics_address[-4:]])]
    assert published == wanted
    patience = float(service["stop_grace_period"].removesuffix("s"))
    assert patience >= settings.drain_delay_seconds + settings.drain_seconds + SUPERVISED_SECONDS


@pytest.mark.parametrize("name", COMPOSED)
def test_a_compose_file_names_what_it_has(name: str) -> None:
    """Services, volumes, build files; and nothing is published to the whole network."""
    document = composed(name)
    named, mounted = set(document["services"]), set()
    for service in document["services"].values():
        assert set(service.get("depends_on", [])) <= named
        assert all(entry.startswith("127.0.0.1:") for entry in service.get("ports", []))
        sources = [entry.split(":")[0] for entry in service.get("volumes", [])]
        mounted |= {source for source in sources if not source.startswith(".")}
        assert all((CONTAINERS / source).is_file() for source in sources if source.startswith("."))
        if "build" in service:
            context = (CONTAINERS / service["build"]["context"]).resolve()
            assert context == ROOT
            assert (context / service["build"]["dockerfile"]).is_file()
    assert mounted == set(document["volumes"])


def test_the_embedded_database_is_in_the_volume() -> None:
    """A container that is replaced must not take it along."""
    (service,) = servers_in("compose.sqlite.yaml").values()
    (volume,) = service["volumes"]
    assert container_settings(service).database == f"sqlite:///{volume.partition(':')[2]}/game.db"


def test_the_servers_share_the_database_of_the_file() -> None:
    """Its service, its user, its name."""
    document = composed("compose.postgres.yaml")
    account = document["services"]["db"]["environment"]
    user, name, password = (account[f"POSTGRES_{word}"] for word in ("USER", "DB", "PASSWORD"))
    servers = servers_in("compose.postgres.yaml").values()
    assert len(servers) > 1
    assert {container_settings(one).database for one in servers} == {f"postgresql://{user}:{password}@db:5432/{name}"}


def test_the_proxy_knows_every_server_and_notices_in_time_that_one_drains() -> None:
    """It asks for readiness; before a server takes no more connections, the proxy has stopped sending it requests."""
    text = (CONTAINERS / "Caddyfile").read_text("utf-8")
    lines = [line.split() for line in text.splitlines()]
    words = {line[0]: line[1:] for line in lines if line}
    servers = servers_in("compose.postgres.yaml")
    settings = [container_settings(one) for one in servers.values()]
    upstreams = [f"{name}:{one.port}" for name, one in zip(servers, settings, strict=True)]
    assert words["reverse_proxy"] == [*upstreams, "{"]
    assert words["health_uri"] == [READY_PATH]
    assert METRICS_PATH in words["@operators"]
    interval, timeout = (float(words[name][0].removesuffix("s")) for name in ("health_interval", "health_timeout"))
    notices_seconds = int(words["health_fails"][0]) * interval + timeout
    assert all(one.drain_delay_seconds > notices_seconds for one in settings)
    assert all(one.trusted_proxies == 1 for one in settings)


# -- nginx


def test_nginx_has_let_go_of_a_server_before_it_stops_listening() -> None:
    """The page's delay is longer than nginx keeps a connection or leaves a server out; and nothing is sent twice."""
    text = (DEPLOY / "nginx" / "livecore.conf").read_text("utf-8")
    settings = service_settings()
    assert re.findall(r"server \S+?:(\d+) max_fails=1 fail_timeout=\d+s;", text) == [
        str(settings.port),
        str(settings.port + 1),
    ]
    seconds = [int(found) for found in re.findall(r"(?:keepalive_timeout|fail_timeout)[ =](\d+)s;", text)]
    (delay,) = re.findall(r"nginx.*?`LIVECORE_DRAIN_DELAY_SECONDS=(\d+)`", RESTARTING.read_text("utf-8"), re.DOTALL)
    assert len(seconds) == 3
    assert all(one < int(delay) == settings.drain_delay_seconds for one in seconds)
    assert re.findall(r"proxy_next_upstream (.*);", text) == ["error timeout"]
    assert all(f"location = {path} {{ return 404; }}" in text for path in (METRICS_PATH, READY_PATH))
    assert f"client_max_body_size {settings.body_limit_bytes // 1024 // 1024}m;" in text
    assert settings.trusted_proxies == text.count("X-Forwarded-For") == 1


# -- metrics and alerts


def families() -> dict[str, str]:
    """What `/metrics` exposes, as rules and tables name it, with the kind of each."""
    metrics = Metrics()
    metrics.silent_seconds = lambda: {"loop": 0.0}
    found = {}
    for family in text_string_to_metric_families(metrics.text().decode()):
        found[f"{family.name}_total" if family.type == "counter" else family.name] = family.type
    return found


def samples() -> set[str]:
    """The names of samples that the families have."""
    endings = {"histogram": ("_bucket", "_count", "_sum")}
    return {name + ending for name, kind in families().items() for ending in endings.get(kind, ("",))}


def rules() -> list[dict[str, Any]]:
    """The alert rules."""
    document = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yaml").read_text("utf-8"))
    return [rule for group in document["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule["alert"]) for rule in rules()])
def test_an_alert_is_about_metrics_that_exist(rule: dict[str, Any]) -> None:
    """Every name in its expression is a sample's that a server exposes; it says who is to be told, and what."""
    named = set(re.findall(r"\b(?:livecore|process|python)_\w+", rule["expr"]))
    assert named | {"up"} <= samples() | {"up"}
    assert named or rule["expr"].startswith("up{")
    assert rule["labels"]["severity"] in {"page", "ticket"}
    assert rule["annotations"]["summary"]
    assert rule["expr"].count("(") == rule["expr"].count(")")


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule["alert"]) for rule in rules()])
def test_what_all_servers_read_of_one_database_is_not_added_up(rule: dict[str, Any]) -> None:
    """Two servers on one PostgreSQL give an endpoint's backlog twice, and it is one backlog and one alert."""
    by_endpoint = {family.name for family in _with_an_endpoint().collect() if family.samples[0].labels}
    if by_endpoint & set(re.findall(r"\w+", rule["expr"])):
        assert rule["expr"].startswith("max by (game, environment, endpoint) (")
        assert "$labels.instance" not in rule["annotations"]["summary"]


def _with_an_endpoint() -> BacklogGauges:
    gauges = BacklogGauges()
    endpoint = ("gam_1", "live", "whe_1")
    gauges.seen = [
        WatchedEndpoint(labels=endpoint, waiting=0, held=0, oldest_at=None, paused_at=None, sealed=False),
    ]
    return gauges


@pytest.mark.parametrize(
    "name", ["LivecoreWebhookEndpointPaused", "LivecoreWebhookBacklog", "LivecoreWebhookUnsealable"]
)
def test_a_state_is_alerted_as_long_as_it_lasts(name: str) -> None:
    """A rule on a change would end while nothing is better."""
    (rule,) = [rule for rule in rules() if rule["alert"] == name]
    assert not re.search(r"\[\w+\]|\b(?:rate|increase|delta|changes)\(", rule["expr"])
    used = set(re.findall(r"\blivecore_\w+", rule["expr"]))
    assert {families()[metric] for metric in used} == {"gauge"}


def test_every_family_is_explained() -> None:
    """The table has each family that `/metrics` exposes, and no other."""
    rows = re.findall(r"^\| `((?:livecore|process|python)_\w+)` \|", WATCHING.read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(families())


def test_every_alert_is_explained() -> None:
    """The page has each rule with the reason for its threshold, and no other."""
    rows = re.findall(r"^\| `(Livecore\w+)` \|", WATCHING.read_text("utf-8"), re.MULTILINE)
    assert rows == [rule["alert"] for rule in rules()]
