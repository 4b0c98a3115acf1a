"""`livecore rehearse` at a terminal: where the secrets come from, what is refused, and what it prints."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest

from livecore_client import webhooks
from tests.rehearsal.receivers import SECRET, Receiver, Reply, listening
from tests.server.commands import Command

SHORT = {"steps": [{"step": "deliver"}, {"step": "rotation"}, {"step": "wrong_signatures"}]}


@attrs.frozen
class Studio:
    """A database with one game, and a scenario that is short."""

    livecore: Command
    database: str
    game_id: str
    studio_id: str
    scenario: Path

    def add(self, url: str, environment: str = "test", events: str = "*") -> str:
        """An endpoint; gives its secret."""
        place = ["--database", self.database, "--environment", environment, "--url", url, "--events", events]
        return str(self.livecore.done("webhooks", "add", *place, "--json").json["secret"])


@pytest.fixture
def studio(livecore: Command, tmp_path: Path) -> Studio:
    """A new database, and the scenario in a file."""
    database, scenario = f"sqlite:///{tmp_path / 'game.db'}", tmp_path / "short.json"
    made = livecore.done("init", "--database", database, "--json").json
    scenario.write_text(json.dumps(SHORT), "utf-8")
    return Studio(livecore, database, made["gameId"], made["studioId"], scenario)


class Keeps(Receiver):
    """A right receiver that keeps the events and the headers of what it accepts."""

    def __init__(self, *secrets: str) -> None:
        super().__init__(*secrets)
        self.events: list[webhooks.WebhookEvent] = []
        self.signatures: list[int] = []

    def reply(self, headers: Mapping[str, str], body: bytes) -> Reply:
        """Keep how many signatures came."""
        self.signatures.append(headers.get("X-Signature", "").count("v1="))
        return super().reply(headers, body)

    def take(self, event: webhooks.WebhookEvent) -> Reply:
        """Keep the event."""
        self.events.append(event)
        return super().take(event)


def test_the_secrets_and_the_kinds_are_those_of_the_endpoint_with_this_url(studio: Studio) -> None:
    """The envelopes name the game, only subscribed kinds come, and nothing is written but the vault key that was there."""
    receiver = Keeps()
    with listening(receiver.reply) as url:
        receiver.secrets = (studio.add(url, events="gift.claimed,lobby.created"),)
        before = Path(studio.database.removeprefix("sqlite:///")).read_bytes()
        ended = studio.livecore(
            "rehearse", "--to", url, "--database", studio.database, "--game", studio.game_id,
            "--scenario", studio.scenario, "--json",
        )  # fmt: skip
    assert (ended.status, ended.json["findings"], ended.json["receiver"]) == (0, [], url)
    assert {event.event_name for event in receiver.events} == {"gift.claimed", "lobby.created"}
    assert {(event.studio_id, event.game_id) for event in receiver.events} == {(studio.studio_id, studio.game_id)}
    assert Path(studio.database.removeprefix("sqlite:///")).read_bytes() == before


@pytest.mark.parametrize(("knows", "found"), [(0, []), (1, ["rotation"])], ids=["the newer", "the older"])
def test_during_a_rotation_both_secrets_sign(studio: Studio, knows: int, found: list[str]) -> None:
    """A receiver with either of them passes; one that lacks the newer is told by the delivery that only this one signs."""
    receiver = Keeps()
    with listening(receiver.reply) as url:
        older = studio.add(url)
        rotated = studio.livecore.done("webhooks", "rotate-secret", "--database", studio.database, "--json").json
        receiver.secrets = ((rotated["secret"], older)[knows],)
        ended = studio.livecore(
            "rehearse", "--to", url, "--database", studio.database, "--scenario", studio.scenario, "--json"
        )
    assert [finding["step"] for finding in ended.json["findings"]] == found
    assert receiver.signatures[0] == 2


def test_two_secrets_of_the_call_sign_as_well(studio: Studio) -> None:
    """The newer one first; a database of the environment does not count beside them."""
    receiver = Keeps("whsec_newer")
    with listening(receiver.reply) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIVECORE_DATABASE", "sqlite:///nowhere.db")
        ended = studio.livecore(
            "rehearse", "--to", url, "--secret", "whsec_newer", "--secret", "whsec_older", "--scenario", studio.scenario
        )
    assert (ended.status, receiver.signatures[0]) == (0, 2)


URL = "http://localhost:9/hook"
MISUSE: dict[str, tuple[list[str], str]] = {
    "no receiver": (["--secret", SECRET], "--to"),
    "no secret": (["--to", URL], "give --secret, or --database"),
    "both": (["--to", URL, "--secret", SECRET, "--database", "sqlite:///game.db"], "--database is for secrets from"),
    "a game beside": (["--to", URL, "--secret", SECRET, "--game", "gam_1"], "--game is for secrets from"),
    "another scheme": (["--to", "ftp://localhost/hook", "--secret", SECRET], "give the receiver's URL"),
    "no host": (["--to", "http:///hook", "--secret", SECRET], "URL"),
    "a port that is none": (["--to", "http://localhost:port/", "--secret", SECRET], "URL"),
    "a password": (["--to", "http://me:secret@localhost/", "--secret", SECRET], "no password"),
    "no whole secret": (["--to", URL, "--secret", "whsec_"], "begins with whsec_"),
    "a key": (["--to", URL, "--secret", "lc_test_server_1"], "begins with whsec_"),
    "no file": (["--to", URL, "--secret", SECRET, "--scenario", "nowhere.json"], "nowhere.json"),
}


@pytest.mark.parametrize(("words", "told"), MISUSE.values(), ids=MISUSE)
def test_a_wrong_call_ends_with_status_2_in_one_line(livecore: Command, words: list[str], told: str) -> None:
    """Nothing is sent, and standard output stays empty."""
    ended = livecore("rehearse", *words)
    assert (ended.status, ended.out) == (2, "")
    assert told in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'{"steps": [{"step": "lates"}], "copies": 1}', "copies must be from 2 to 16"),
        (b'{"events": ["gift.claim"]}', "is gift.claimed meant?"),
        (b"{", "is not JSON"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_a_wrong_scenario_ends_with_status_2_and_every_fault(
    livecore: Command, tmp_path: Path, text: bytes, told: str
) -> None:
    """With the file's name and the path of each fault."""
    file = tmp_path / "wrong.json"
    file.write_bytes(text)
    ended = livecore("rehearse", "--to", URL, "--secret", SECRET, "--scenario", file)
    assert (ended.status, ended.out) == (2, "")
    assert "wrong.json" in ended.err
    assert told in ended.err


def test_an_endpoint_that_is_not_there_or_there_twice_is_told(studio: Studio) -> None:
    """With the URLs that there are, or with what to say."""
    words = ["rehearse", "--to", URL, "--database", studio.database]
    none = studio.livecore(*words)
    assert (none.status, "the game has no webhook endpoint yet: `livecore webhooks add`" in none.err) == (1, True)
    studio.add("http://localhost:9/other")
    another = studio.livecore(*words)
    assert (another.status, "its endpoints: http://localhost:9/other" in another.err) == (2, True)
    studio.add(URL)
    studio.add(URL)
    twice = studio.livecore(*words)
    assert (twice.status, "say --environment, or give --secret" in twice.err) == (2, True)


def test_a_secret_that_another_vault_key_sealed_is_told(studio: Studio) -> None:
    """In one line, without the sealed text."""
    studio.add(URL)
    other = "A" * 43 + "="
    ended = studio.livecore("rehearse", "--to", URL, "--database", studio.database, "--vault-key", other)
    assert (ended.status, ended.out) == (1, "")
    assert "the endpoint's secret cannot be read" in ended.err


def test_an_address_where_nobody_listens_is_told_in_one_line(livecore: Command) -> None:
    """Status 1, and no verdict."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        ended = livecore("rehearse", "--to", f"http://127.0.0.1:{free.getsockname()[1]}/", "--secret", SECRET)
    assert (ended.status, ended.out) == (1, "")
    assert "nothing answers there" in ended.err


def test_a_receiver_with_another_secret_is_told_at_once(livecore: Command) -> None:
    """After ten right deliveries; the last lines say that it stopped, and how many findings there are."""
    with listening(Receiver("whsec_another").reply) as url:
        ended = livecore("rehearse", "--to", url, "--secret", SECRET)
    lines = ended.out.splitlines()
    assert ended.status == 1
    assert "deliver: refused_everything, 10 times" in lines
    assert "Note: The rehearsal stopped after 10 of 236 deliveries, because it could learn nothing more." in lines
    assert lines[-1] == "1 found wrong."


def test_a_receiver_that_says_nothing_of_its_effects_is_told_so(livecore: Command) -> None:
    """It may be right, and whether it applies events twice stays open."""
    receiver = Receiver()
    with listening(lambda headers, body: (receiver.reply(headers, body)[0], None)) as url:
        ended = livecore("rehearse", "--to", url, "--secret", SECRET)
    assert ended.status == 0
    assert "Note: Whether an event was applied twice is not known" in ended.out
