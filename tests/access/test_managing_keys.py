"""API keys through the operators' surface, over each store: shown once, rotated with a grace, revoked at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from livecore.access.audit import AUDIT, AuditEntry
from livecore.access.keys import GRACE
from livecore.kernel.scope import DIRECTORY
from tests.added_game import STORES, AddedGame, Said, headers_for, signed_in

KEY = "a-key-that-nobody-can-guess-0001"


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game over one of the stores, of a deployment with a secret."""
    with STORES[request.param](tmp_path) as store:
        yield AddedGame(store, secrets=[b"deployment"])


class Desk:
    """A member's requests about the keys of the game."""

    def __init__(self, game: AddedGame, headers: dict[str, str]) -> None:
        self.game = game
        self.headers = headers
        self.path = f"/admin/v1/studios/{game.made.game.studio_id}/games/{game.made.game.game_id}/keys"

    def ask(self, method: str, path: str = "", body: object = None, *, query: str = "", key: str | None = None) -> Said:
        """A request, under an idempotency key if one is given."""
        headers = self.headers if key is None else {**self.headers, "idempotency-key": key}
        return self.game.ask(method, f"{self.path}{path}", body, query=query, headers=headers)

    def create(self, environment: str = "test", permission: str = "server", **further: str) -> dict[str, Any]:
        """A new key, with its text."""
        said = self.ask("POST", "", {"environment": environment, "permission": permission, **further})
        assert said.status == 201, said.json
        data: dict[str, Any] = said.json["data"]
        return data


def desk(game: AddedGame, email: str = "owner@example.com", **further: Any) -> Desk:  # noqa: ANN401 - a role, games
    """The desk of a new member."""
    return Desk(game, signed_in(game.member(email, **further)))


def script(game: AddedGame, email: str, **further: Any) -> Desk:  # noqa: ANN401 - a role, games
    """A new member's script."""
    return Desk(game, headers_for(game.personal_key(game.member(email, **further))))


def ping(game: AddedGame, text: str) -> int:
    """How a request with this key of the studio's backend is answered."""
    return game.ask("GET", "/server/v1/ping", headers=headers_for(text)).status


def dumped(game: AddedGame) -> str:
    """Everything that is stored."""
    return repr(game.store.dump())


def entries(game: AddedGame, action: str) -> list[AuditEntry]:
    """The audit trail of the directory for an action."""
    rows: list[AuditEntry] = game.store.dump()[DIRECTORY.id][AUDIT.name]
    return [row for row in rows if row.action == action]


def test_a_made_key_works_and_is_stored_nowhere(game: AddedGame) -> None:
    """Its text is in the answer alone, and the list shows the prefix."""
    made = desk(game).create(name="night build")
    assert ping(game, made["text"]) == 200
    assert made["text"] not in dumped(game)
    assert made["text"].startswith(made["key"]["prefix"])
    listed = desk(game, "viewer@example.com", role="VIEWER").ask("GET").json["data"]["keys"]
    assert len(listed) == 5
    assert made["text"] not in json.dumps(listed)
    (row,) = [row for row in listed if row["keyId"] == made["key"]["keyId"]]
    assert (row["name"], row["status"], row["environment"], row["permission"]) == (
        "night build", "active", "test", "server",
    )  # fmt: skip


def test_keys_are_listed_by_environment(game: AddedGame) -> None:
    """Those of one environment page after page, and without a name those of both; the two lists joined are the third."""
    owner = desk(game)
    for _ in range(3):
        owner.create("test")
        owner.create("live")
        game.now += 1
    of = {}
    for environment in ("test", "live"):
        pages, query = [], f"environment={environment}&limit=2"
        while True:
            data = owner.ask("GET", query=query).json["data"]
            pages += data["keys"]
            if data["nextCursor"] is None:
                break
            query = f"environment={environment}&limit=2&cursor={data['nextCursor']}"
        assert {key["environment"] for key in pages} == {environment}
        of[environment] = [key["keyId"] for key in pages]
    every = [key["keyId"] for key in owner.ask("GET").json["data"]["keys"]]
    assert len(every) == 10
    assert [key for key in every if key in of["test"]] == of["test"]
    assert [key for key in every if key in of["live"]] == of["live"]
    assert set(every) == {*of["test"], *of["live"]}


def test_a_key_of_another_environment_is_not_found(game: AddedGame) -> None:
    """Where the request names the environment, a key of the other one is nobody's, and stays as it was."""
    owner = desk(game)
    live = owner.create("live")
    before = dumped(game)
    for action in ("rotate", "revoke"):
        said = owner.ask("POST", f"/{live['key']['keyId']}/{action}", query="environment=test")
        assert (said.status, said.code) == (404, "api_key_not_found")
    unlike = owner.ask("POST", "", {"environment": "live", "permission": "client"}, query="environment=test")
    assert (unlike.status, unlike.json["error"]["details"]["fields"]) == (
        400, {"environment": "is another one in the query than in the body"},
    )  # fmt: skip
    assert dumped(game) == before
    assert owner.ask("POST", f"/{live['key']['keyId']}/revoke", query="environment=live").status == 200


def test_a_repetition_shows_the_same_key(game: AddedGame) -> None:
    """One key is made, its text is not stored with the answer, and somebody else with the same key makes another."""
    owner, body = desk(game), {"environment": "live", "permission": "client"}
    first = owner.ask("POST", "", body, key=KEY)
    again = owner.ask("POST", "", body, key=KEY)
    assert (first.status, again.status) == (201, 201)
    assert first.json == again.json
    assert again.response.header("Idempotent-Replay") == "true"
    assert first.json["data"]["text"] not in dumped(game)
    assert owner.ask("POST", "", {**body, "permission": "server"}, key=KEY).code == "idempotency_conflict"
    other = desk(game, "second@example.com").ask("POST", "", body, key=KEY)
    assert other.json["data"]["text"] != first.json["data"]["text"]


def test_a_script_does_not_see_the_live_key_of_its_member_again(game: AddedGame) -> None:
    """What a personal key may not do, it may not have repeated."""
    cookie = game.member("owner@example.com")
    body = {"environment": "live", "permission": "server"}
    assert Desk(game, signed_in(cookie)).ask("POST", "", body, key=KEY).status == 201
    again = Desk(game, headers_for(game.personal_key(cookie))).ask("POST", "", body, key=KEY)
    assert (again.status, again.code) == (403, "dashboard_only")


def test_a_rotated_key_works_for_sixty_days(game: AddedGame) -> None:
    """To the last millisecond; the successor at once and for good, and a repetition shows the same one."""
    owner = desk(game)
    old = owner.create()
    path = f"/{old['key']['keyId']}/rotate"
    first, again = (owner.ask("POST", path, key=KEY) for _ in range(2))
    assert first.json == again.json
    data = first.json["data"]
    assert (data["rotated"]["keyId"], data["rotated"]["status"]) == (old["key"]["keyId"], "retiring")
    assert owner.ask("POST", path).code == "api_key_ended"
    assert data["text"] not in dumped(game)
    begun = game.now
    for at, works in ((begun, 200), (begun + GRACE - 1, 200), (begun + GRACE, 401)):
        game.now = at
        assert (ping(game, old["text"]), ping(game, data["text"])) == (works, 200)
    assert len(entries(game, "admin:keys.rotate")) == 1


def test_a_revoked_key_ends_with_the_next_request(game: AddedGame) -> None:
    """And a stream that it has opened; revoking it again changes nothing."""
    owner = desk(game)
    made = owner.create()
    ask = game.request("GET", "/server/v1/ping", headers=headers_for(made["text"]))
    prepared = game.store.read(DIRECTORY, lambda tx: game.application.prepare(ask, tx))
    assert prepared.refused is None
    revoked = owner.ask("POST", f"/{made['key']['keyId']}/revoke")
    assert revoked.json["data"]["key"]["status"] == "ended"
    assert ping(game, made["text"]) == 401
    with pytest.raises(Exception, match="revoked"):
        game.store.read(DIRECTORY, lambda tx: game.application.recheck(prepared, tx))
    game.now += 1_000
    again = owner.ask("POST", f"/{made['key']['keyId']}/revoke")
    assert again.json == revoked.json


def test_the_trail_says_who_made_and_ended_which_key(game: AddedGame) -> None:
    """In the directory, with the game, the key as its target and its state before and after; never its text."""
    owner = desk(game)
    made = owner.create("live", name="release")
    owner.ask("POST", f"/{made['key']['keyId']}/revoke")
    (creating,) = entries(game, "admin:keys.create")
    (revoking,) = entries(game, "admin:keys.revoke")
    for entry in (creating, revoking):
        assert (entry.target_kind, entry.target_id) == ("api_key", made["key"]["keyId"])
        assert (entry.game_id, entry.permission) == (game.made.game.game_id, "api_key.manage")
        assert entry.member_id is not None
    assert creating.before is None
    assert creating.after is not None
    assert json.loads(creating.after)["environment"] == "live"
    assert revoking.before is not None
    assert revoking.after is not None
    assert json.loads(revoking.before)["endsAt"] is None
    assert json.loads(revoking.after)["endsAt"] is not None


def test_a_developer_manages_test_keys_only(game: AddedGame) -> None:
    """By what the body says, and by what the key is."""
    owner, developer = desk(game), desk(game, "developer@example.com", role="GAME_DEVELOPER")
    own, live = developer.create("test"), owner.create("live")
    refused = developer.ask("POST", "", {"environment": "live", "permission": "client"})
    assert (refused.status, refused.code) == (403, "permission_denied")
    assert refused.json["error"]["details"] == {"permission": "api_key.manage"}
    for verb in ("rotate", "revoke"):
        assert developer.ask("POST", f"/{live['key']['keyId']}/{verb}").code == "permission_denied"
        assert developer.ask("POST", f"/{own['key']['keyId']}/{verb}").status == 200
    assert developer.ask("POST", "/key_none/revoke").code == "api_key_not_found"
    assert ping(game, live["text"]) == 200


def test_a_script_makes_test_keys_only(game: AddedGame) -> None:
    """Making a live key, rotating and revoking want somebody who is signed in."""
    bot = script(game, "owner@example.com")
    made = bot.create("test")
    assert bot.ask("POST", "", {"environment": "live", "permission": "client"}).code == "dashboard_only"
    for verb in ("rotate", "revoke"):
        assert bot.ask("POST", f"/{made['key']['keyId']}/{verb}").code == "dashboard_only"


def test_a_key_of_another_game_is_not_found(game: AddedGame) -> None:
    """Whoever names it by its id, even with the right to manage keys."""
    owner = desk(game)
    other = game.another_game()
    keys = game.store.dump()[DIRECTORY.id]["api_keys"]
    foreign = next(key for key in keys if key.game_id == other.game_id)
    for verb in ("rotate", "revoke"):
        said = owner.ask("POST", f"/{foreign.key_id}/{verb}")
        assert (said.status, said.code) == (404, "api_key_not_found")
    path = owner.path.replace(game.made.game.game_id, other.game_id)
    assert game.ask("GET", path, headers=owner.headers).code == "game_not_found"
    assert foreign.key_id not in json.dumps(owner.ask("GET").json)


def test_pages_of_keys_are_the_whole_list(game: AddedGame) -> None:
    """Newest first, whatever the limit, and a cursor of something else is refused."""
    owner = desk(game)
    for number in range(5):
        game.now += 1
        owner.create(name=f"key {number}")
    whole = owner.ask("GET").json["data"]["keys"]
    assert [row["name"] for row in whole[:5]] == [f"key {number}" for number in (4, 3, 2, 1, 0)]
    pages, cursor = [], ""
    while True:
        data = owner.ask("GET", query=f"limit=2{cursor}").json["data"]
        pages += data["keys"]
        if data["nextCursor"] is None:
            break
        cursor = f"&cursor={data['nextCursor']}"
    assert pages == whole
    assert owner.ask("GET", query="cursor=abc").code == "validation_failed"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"environment": "staging", "permission": "client"},
        {"environment": "test", "permission": "admin"},
        {"environment": "test", "permission": "client", "name": ""},
        {"environment": "test", "permission": "client", "name": "n" * 101},
        {"environment": "test", "permission": "client", "gameId": "gam_other"},
        {"environment": "test", "permission": "client", "hash": "0"},
    ],
    ids=str,
)
def test_what_is_no_key_is_refused(body: dict[str, str]) -> None:
    """With the name of each bad field, and nothing is made."""
    with STORES["memory"](Path()) as store:
        game = AddedGame(store)
        owner = desk(game)
        before = dumped(game)
        said = owner.ask("POST", "", body)
        assert (said.status, said.code) == (400, "validation_failed")
        assert dumped(game) == before
