"""`livecore webhooks`: what operators type, what it prints, what it changes, and how it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from livecore.kernel.time import Timestamp
from livecore_server.vault import KeyVault, key_file, new_key
from tests.delivery.operators import URL, Operator


def test_add_prints_exactly_the_id_and_the_secret(operator: Operator) -> None:
    """With `--json` nothing else is on standard output, and the secret is stored sealed."""
    made = operator.add("--key", "main")
    assert set(made) == {"endpointId", "secret"}
    (row,) = operator.endpoints()
    assert (row.endpoint_id, row.key, row.url, row.events) == (made["endpointId"], "main", URL, '["*"]')
    assert str(made["secret"]) not in row.secrets
    vault = KeyVault.parse(key_file(operator.path.with_name("cli.db.vault-key")))
    assert vault.unseal(json.loads(row.secrets)[0]["text"]) == made["secret"]
    assert operator.noted() == ["webhooks.create"]


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
    assert refused.status == 2
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


def test_list_says_what_waits_and_since_when(operator: Operator) -> None:
    """A backend that reads the list can tell that it is sent nothing: how many wait for it, and since when it is paused."""
    operator.add("--key", "main")
    operator.add("--key", "other")
    operator.run("sample", "main", "--event", "gift.sent")
    operator.run("pause", "main")
    main, other = operator.listed()
    assert (main["key"], main["waiting"], main["pauseReason"]) == ("main", 1, "operator")
    assert main["pausedSince"] == Timestamp(operator.endpoints()[0].paused_at or 0).wire
    assert (other["waiting"], other["pausedSince"]) == (0, None)
    assert (main["held"], other["held"], other["oldestWaitingAt"]) == (0, 0, None)
    assert str(main["createdAt"]) <= str(main["oldestWaitingAt"]) <= str(main["pausedSince"])
    operator.run("unpause", "main")
    assert [(row["waiting"], row["pausedSince"]) for row in operator.listed()] == [(1, None), (0, None)]
    assert operator.run("update", "main", "--key", "more", "--json").json["waiting"] == 1


def test_pause_and_unpause(operator: Operator) -> None:
    """An endpoint is named by id, by key, or not at all where there is one; each change is noted."""
    made = operator.add("--key", "main")
    assert operator.run("pause", "main").status == 0
    assert operator.endpoints()[0].status == "paused"
    again = operator.run("pause", str(made["endpointId"]))
    assert (again.status, again.err) == (1, "livecore: This endpoint is paused already.\n")
    assert operator.run("unpause").status == 0
    assert operator.endpoints()[0].status == "active"
    assert operator.noted() == ["webhooks.create", "webhooks.pause", "webhooks.unpause"]


def test_remove(operator: Operator) -> None:
    """A removed endpoint is gone, and another game's command cannot remove it."""
    made = operator.add()
    stranger = operator.run("remove", str(made["endpointId"]), game=1)
    assert stranger.status == 2
    assert len(operator.endpoints()) == 1
    assert operator.run("remove", str(made["endpointId"])).status == 0
    assert operator.endpoints() == []
    assert operator.noted()[-1] == "webhooks.remove"
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
    assert operator.noted()[-1] == "webhooks.rotateSecret"


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
    assert operator.noted() == ["webhooks.create", "webhooks.sample"]


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
    assert (told.status, told.out) == (0, "3 secrets are resealed; all are sealed with the first key\n")
    assert sealed_with(operator, new) == [second["secret"], first["secret"]]
    assert sealed_with(operator, new, "test") == [other["secret"]]
    assert operator.noted()[-1] == operator.noted("test")[-1] == "webhooks.reseal"
    before, trail = operator.endpoints(), operator.noted()
    again = operator.run("reseal", *keys, game=None)
    assert again.out == "0 secrets are resealed; all are sealed with the first key\n"
    assert (operator.endpoints(), operator.noted()) == (before, trail)


def test_reseal_changes_nothing_where_a_key_is_missing(operator: Operator) -> None:
    """Not even what it could open."""
    old, new = new_key(), new_key()
    operator.add("--vault-key", old)
    operator.add("--vault-key", new_key(), environment="test")
    before = operator.endpoints(), operator.endpoints("test")
    told = operator.run("reseal", "--vault-key", f"{new},{old}", game=None)
    assert told.status == 1
    assert "nothing is resealed: a secret was sealed with vault key" in told.err
    assert (operator.endpoints(), operator.endpoints("test")) == before


# -- update


def test_update_changes_what_is_given_and_nothing_else(operator: Operator) -> None:
    """URL, events and name, one by one or together; the secret and the state stay."""
    operator.add("--key", "main", "--events", "gift.sent")
    (before,) = operator.endpoints()
    moved = operator.run("update", "main", "--url", "https://hooks.example/new", "--json").json
    assert (moved["endpointId"], moved["url"]) == (before.endpoint_id, "https://hooks.example/new")
    told = operator.run("update", "--events", "gift.claimed,gift.sent", "--events", "grant.created", "--key", "other")
    assert told.out == (
        f"{before.endpoint_id} (other) sends gift.sent, gift.claimed, grant.created to https://hooks.example/new\n"
    )
    (after,) = operator.endpoints()
    assert (after.key, after.url) == ("other", "https://hooks.example/new")
    assert (after.secrets, after.status, after.created_at) == (before.secrets, before.status, before.created_at)
    assert operator.noted() == ["webhooks.create", "webhooks.update", "webhooks.update"]


def test_update_of_a_paused_endpoint_says_that_it_stays_paused(operator: Operator) -> None:
    """A receiver that has moved is not sent to before somebody says so."""
    operator.add()
    operator.run("pause")
    told = operator.run("update", "--url", "https://hooks.example/new")
    assert told.out.endswith("it is paused, `livecore webhooks unpause` sends again\n")
    assert operator.endpoints()[0].status == "paused"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "say what to change"),
        (["--url", "http://example.com/"], "https://"),
        (["--url", "https://10.0.0.1/"], "public"),
        (["--events", "gift.send"], "is gift.sent meant?"),
        (["--events", ","], "at least one kind"),
        (["--key", "taken"], "with this key"),
        (["--key", "x" * 65], "1 to 64"),
    ],
    ids=" ".join,
)
def test_update_refuses_what_add_refuses(operator: Operator, words: Sequence[str], told: str) -> None:
    """In one line, and everything stays as it was."""
    operator.add("--key", "main")
    operator.add("--key", "taken")
    before, trail = operator.endpoints(), operator.noted()
    answer = operator.run("update", "main", *words)
    assert answer.status in {1, 2}
    assert told in answer.err
    assert (answer.out, len(answer.err.splitlines())) == ("", 1)
    assert (operator.endpoints(), operator.noted()) == (before, trail)


def test_a_test_endpoint_may_move_to_localhost_and_a_live_one_may_not(operator: Operator) -> None:
    """The rules are those of the endpoint's own environment."""
    operator.add("--key", "t", environment="test")
    operator.add("--key", "l")
    assert operator.run("update", "t", "--url", "http://localhost:9/in").status == 0
    assert operator.run("update", "t", "--url", "http://localhost:9/in", "--production").status == 2
    assert operator.run("update", "l", "--url", "http://localhost:9/in").status == 2
