"""`livecore webhooks`: what operators type, what it prints, what it changes, and how it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import attrs
import pytest

from livecore.access.audit import AUDIT_BY_TIME
from livecore.access.directory import Game
from livecore.api.upkeep import make_game
from livecore.kernel.config import GameConfig
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.unit import Actor
from livecore.webhooks.outbox import ALL_ENDPOINTS, Endpoint
from livecore_server.cli import main
from livecore_server.sqlite import SqliteStore
from livecore_server.vault import KeyVault, key_file, new_key

URL = "https://hooks.example/in"


@attrs.frozen
class Answer:
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        """What was printed, as the one JSON object that it must be."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


@attrs.frozen
class Operator:
    """Somebody at a terminal, with a database of two games."""

    path: Path
    games: tuple[Game, Game]
    capture: pytest.CaptureFixture[str]

    def run(self, *words: str, game: int | None = 0) -> Answer:
        """Run `livecore webhooks …` on the database and a game."""
        place = ["--database", f"sqlite:///{self.path}"]
        if game is not None:
            place += ["--game", self.games[game].game_id]
        with pytest.raises(SystemExit) as ended:
            main(["webhooks", words[0], *place, *words[1:]])
        printed = self.capture.readouterr()
        assert isinstance(ended.value.code, int)
        return Answer(ended.value.code, printed.out, printed.err)

    def add(self, *words: str, environment: str = "live") -> dict[str, object]:
        """Add an endpoint; gives what `--json` prints."""
        answer = self.run("add", "--environment", environment, "--url", URL, "--events", "*", "--json", *words)
        assert (answer.status, answer.err) == (0, "")
        return answer.json

    def endpoints(self, environment: str = "live") -> list[Endpoint]:
        """The first game's endpoints as they are stored."""
        with closing(SqliteStore(self.path)) as store:
            return store.read(Scope(self.games[0].game_id, environment), lambda tx: tx.scan(ALL_ENDPOINTS))

    def noted(self, environment: str = "live") -> list[str]:
        """The actions of the audit trail, oldest first."""
        with closing(SqliteStore(self.path)) as store:
            rows = store.read(Scope(self.games[0].game_id, environment), lambda tx: tx.scan(AUDIT_BY_TIME))
        assert all(row.actor_kind == "system" and row.actor_ref for row in rows)
        return [row.action for row in rows]


@pytest.fixture
def operator(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Operator:
    """An operator of a fresh database."""
    for name in ("DATABASE", "GAME", "VAULT_KEY", "PRODUCTION", "WEBHOOK_NETWORKS"):
        monkeypatch.delenv(f"LIVECORE_{name}", raising=False)
    path = tmp_path / "cli.db"
    with closing(SqliteStore(path)) as store:
        first, second = (_make_game(store, number) for number in (1, 2))
    return Operator(path, (first, second), capsys)


def _make_game(store: SqliteStore, number: int) -> Game:
    entropy, actor = Entropy(bytes([number])), Actor("system")
    return store.write(
        DIRECTORY, lambda tx: make_game(tx, GameConfig(), number, entropy, studio_name="S", actor=actor)
    ).game


def test_add_prints_exactly_the_id_and_the_secret(operator: Operator) -> None:
    """With `--json` nothing else is on standard output, and the secret is stored sealed."""
    made = operator.add("--key", "main")
    assert set(made) == {"endpointId", "secret"}
    (row,) = operator.endpoints()
    assert (row.endpoint_id, row.key, row.url, row.events) == (made["endpointId"], "main", URL, '["*"]')
    assert str(made["secret"]) not in row.secrets
    vault = KeyVault.parse(key_file(operator.path.with_name("cli.db.vault-key")))
    assert vault.unseal(json.loads(row.secrets)[0]["text"]) == made["secret"]
    assert operator.noted() == ["webhook.add_endpoint"]


def test_add_for_people_says_what_it_did(operator: Operator) -> None:
    """Without `--json` the lines name the endpoint, its key and its secret."""
    answer = operator.run("add", "--environment", "test", "--url", "http://localhost:9/x", "--events", "gift.sent")
    assert answer.status == 0
    assert "endpoint-1" in answer.out
    assert "whsec_" in answer.out


def test_events_may_be_listed_in_either_way(operator: Operator) -> None:
    """Kinds come with commas between, or by repeating the option."""
    operator.run(
        "add", "--environment", "live", "--url", URL, "--events", "gift.sent,gift.claimed", "--events", "grant.created"
    )
    (row,) = operator.endpoints()
    assert set(json.loads(row.events)) == {"gift.sent", "gift.claimed", "grant.created"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--environment", "live", "--url", "http://example.com/"], "https://"),
        (["--environment", "live", "--url", "http://localhost:9/"], "https://"),
        (["--environment", "test", "--url", "https://169.254.169.254/"], "public address"),
        (["--environment", "test", "--url", "http://localhost:9/", "--production"], "https://"),
        (["--environment", "live", "--url", "https://10.0.0.1/", "--webhook-networks", "10.1.0.0/16"], "public"),
        (
            ["--environment", "live", "--url", URL, "--events", "gift.send"],
            "'gift.send' is no kind of event; is gift.sent meant?",
        ),
        (["--environment", "prod", "--url", URL], "'prod' is not one of"),
        (["--environment", "live"], "--url"),
        (["--environment", "live", "--url", URL, "--vault-key", "short"], "openssl rand"),
    ],
)
def test_add_refuses_in_one_line(operator: Operator, words: Sequence[str], told: str) -> None:
    """Whatever is wrong is said on standard error, in words that help, and nothing is stored."""
    answer = operator.run("add", *words)
    assert answer.status in {1, 2}
    assert told in answer.err
    assert len(answer.err.splitlines()) == 1
    assert answer.out == ""
    assert operator.endpoints("live") == operator.endpoints("test") == []


def test_a_key_of_an_endpoint_is_taken_once(operator: Operator) -> None:
    """A second endpoint of the same name is refused; without a name the next free one is found."""
    operator.add("--key", "endpoint-1")
    refused = operator.run("add", "--environment", "live", "--url", URL, "--key", "endpoint-1")
    assert (refused.status, refused.out) == (1, "")
    assert "there is a webhook endpoint with this key" in refused.err.lower()
    operator.add()
    assert [row.key for row in operator.endpoints()] == ["endpoint-1", "endpoint-2"]


def test_a_vault_key_that_the_server_cannot_have_seals_nothing(operator: Operator) -> None:
    """Where a stored secret tells that the server's key is another one, the command says so and adds nothing."""
    operator.add("--vault-key", new_key())
    refused = operator.run("add", "--environment", "live", "--url", URL, "--vault-key", new_key())
    assert refused.status == 1
    assert "the vault key does not fit this database" in refused.err
    assert len(operator.endpoints()) == 1


def test_list_shows_both_environments(operator: Operator) -> None:
    """Both environments of the game are listed unless one is named, and never a secret."""
    live, test = operator.add(), operator.add("--key", "t", environment="test")
    rows = operator.run("list", "--json").json["endpoints"]
    assert isinstance(rows, list)
    assert [(row["endpointId"], row["environment"]) for row in rows] == [
        (test["endpointId"], "test"),
        (live["endpointId"], "live"),
    ]
    shown = operator.run("list", "--environment", "live")
    assert str(live["endpointId"]) in shown.out
    assert str(test["endpointId"]) not in shown.out
    assert "whsec" not in shown.out
    assert "v1." not in shown.out
    empty = operator.run("list", game=1)
    assert (empty.status, empty.out) == (0, "")


def test_pause_and_unpause(operator: Operator) -> None:
    """An endpoint is named by id, by key, or not at all where there is one; each change is noted."""
    made = operator.add("--key", "main")
    assert operator.run("pause", "main").status == 0
    assert operator.endpoints()[0].status == "paused"
    again = operator.run("pause", str(made["endpointId"]))
    assert (again.status, again.err) == (1, "livecore: This endpoint is paused already.\n")
    assert operator.run("unpause").status == 0
    assert operator.endpoints()[0].status == "active"
    assert operator.noted() == ["webhook.add_endpoint", "webhook.pause_endpoint", "webhook.unpause_endpoint"]


def test_remove(operator: Operator) -> None:
    """A removed endpoint is gone, and another game's command cannot remove it."""
    made = operator.add()
    stranger = operator.run("remove", str(made["endpointId"]), game=1)
    assert stranger.status == 1
    assert len(operator.endpoints()) == 1
    assert operator.run("remove", str(made["endpointId"])).status == 0
    assert operator.endpoints() == []
    assert operator.noted()[-1] == "webhook.remove_endpoint"
    none = operator.run("pause")
    assert (none.status, len(none.err.splitlines())) == (1, 1)


def test_an_endpoint_must_be_named_where_there_are_several(operator: Operator) -> None:
    """The refusal lists what there is; one key in both environments wants the environment."""
    operator.add("--key", "a")
    operator.add("--key", "a", environment="test")
    several = operator.run("pause")
    assert several.status == 2
    assert several.err.count("whe_") == 2
    assert "--environment" in operator.run("pause", "a").err
    assert operator.run("pause", "a", "--environment", "test").status == 0
    assert [row.status for row in operator.endpoints("live") + operator.endpoints("test")] == ["active", "paused"]


def test_rotate_secret_prints_the_new_one(operator: Operator) -> None:
    """The new secret is shown once, and two are stored: the old one signs for a day more."""
    made = operator.add()
    rotated = operator.run("rotate-secret", "--json").json
    assert rotated["endpointId"] == made["endpointId"]
    assert rotated["secret"] != made["secret"]
    assert len(json.loads(operator.endpoints()[0].secrets)) == 2
    assert operator.noted()[-1] == "webhook.rotate_secret"


def test_a_sample_is_queued_and_listed(operator: Operator) -> None:
    """A sample shows among the deliveries; it cannot be replayed while it is on its way."""
    made = operator.add("--events", "gift.sent")
    queued = operator.run("sample", "--event", "friend.removed", "--json").json
    rows = operator.run("deliveries", "--json").json["deliveries"]
    assert isinstance(rows, list)
    (row,) = rows
    assert row["deliveryId"] == queued["deliveryId"]
    assert (row["endpointId"], row["event"], row["sample"]) == (made["endpointId"], "friend.removed", True)
    assert (row["status"], row["attempts"], row["environment"]) == ("pending", 0, "live")
    assert str(queued["deliveryId"]) in operator.run("deliveries").out
    refused = operator.run("replay", str(queued["deliveryId"]))
    assert (refused.status, refused.err) == (1, "livecore: This delivery is still on its way.\n")
    assert operator.noted() == ["webhook.add_endpoint", "webhook.send_sample"]


def test_what_is_unknown_is_said_in_one_line(operator: Operator) -> None:
    """Unknown kinds, deliveries, endpoints, games and databases."""
    operator.add()
    for answer in (
        operator.run("sample", "--event", "no.such"),
        operator.run("sample"),
        operator.run("replay", "whd_nothing"),
        operator.run("replay"),
        operator.run("pause", "nobody"),
        operator.run("list", "--game", "gam_nothing", game=None),
        operator.run("list", game=None),
        operator.run("list", "--database", "sqlite:///nowhere/at.db"),
        operator.run("list", "--database", "mysql://x"),
    ):
        assert answer.status in {1, 2}
        assert answer.out == ""
        assert len(answer.err.splitlines()) == 1, answer.err


# -- another vault key


def sealed_with(operator: Operator, key: str, environment: str = "live") -> list[str]:
    """The secrets of the first game as this key alone opens them."""
    vault = KeyVault.parse(key)
    stored = [entry for row in operator.endpoints(environment) for entry in json.loads(row.secrets)]
    return [vault.unseal(entry["text"]) for entry in stored]


def test_reseal_lets_the_old_vault_key_go(operator: Operator) -> None:
    """Every secret that signs, in both environments, the one before a rotation included; and then there is nothing left."""
    old, new = new_key(), new_key()
    first = operator.add("--vault-key", old)
    second = operator.run("rotate-secret", "--vault-key", old, "--json").json
    other = operator.add("--vault-key", old, environment="test")
    keys = ("--vault-key", f"{new},{old}")
    told = operator.run("reseal", *keys, game=None)
    assert (told.status, told.out) == (0, "3 secrets are sealed anew; all are sealed with the first key\n")
    assert sealed_with(operator, new) == [second["secret"], first["secret"]]
    assert sealed_with(operator, new, "test") == [other["secret"]]
    assert operator.noted()[-1] == operator.noted("test")[-1] == "webhook.reseal"
    before, trail = operator.endpoints(), operator.noted()
    again = operator.run("reseal", *keys, game=None)
    assert again.out == "0 secrets are sealed anew; all are sealed with the first key\n"
    assert (operator.endpoints(), operator.noted()) == (before, trail)


def test_reseal_changes_nothing_where_a_key_is_missing(operator: Operator) -> None:
    """Not even what it could open."""
    old, new = new_key(), new_key()
    operator.add("--vault-key", old)
    operator.add("--vault-key", new_key(), environment="test")
    before = operator.endpoints(), operator.endpoints("test")
    told = operator.run("reseal", "--vault-key", f"{new},{old}", game=None)
    assert told.status == 1
    assert "nothing is sealed anew: a secret was sealed with vault key" in told.err
    assert (operator.endpoints(), operator.endpoints("test")) == before
