"""What the body says about what a caller may do is judged before the body's form, and before a key that only reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs
import pytest

from livecore.access.member_rows import Role
from livecore.api.operations import OPERATIONS
from tests.added_game import STORES, AddedGame, Said, headers_for, signed_in


@pytest.fixture
def game(tmp_path: Path) -> Iterator[AddedGame]:
    """A game."""
    with STORES["memory"](tmp_path) as store:
        yield AddedGame(store, secrets=[b"deployment"])


class Caller:
    """A member's requests about the game."""

    def __init__(self, game: AddedGame, headers: dict[str, str]) -> None:
        self.game = game
        self.headers = headers
        self.studio = f"/admin/v1/studios/{game.made.game.studio_id}"
        self.path = f"{self.studio}/games/{game.made.game.game_id}"

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        environment: str | None = None,
        further: Mapping[str, str] | None = None,
    ) -> Said:
        """A request; `path` is below the game."""
        query = "" if environment is None else f"environment={environment}"
        headers = {**self.headers, **(further or {})}
        return self.game.ask(method, f"{self.path}{path}", body, query=query, headers=headers)


def member(game: AddedGame, role: Role = "OWNER") -> Caller:
    """A member who is signed in."""
    return Caller(game, signed_in(game.member(f"{role}@example.com", role)))


def script(game: AddedGame, role: Role = "OWNER", *, read_only: bool = False) -> Caller:
    """A member's personal key."""
    cookie = game.member(f"script-{role}-{read_only}@example.com", role)
    return Caller(game, headers_for(game.personal_key(cookie, readOnly=read_only)))


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"environment": "live"}, "permission_denied"),
        ({"environment": "live", "permission": 5, "unknown": 1}, "permission_denied"),
        ({"environment": "test", "permission": 5}, "validation_failed"),
        ({"environment": ["live"], "permission": "server"}, "validation_failed"),
        ({}, "validation_failed"),
        ([], "validation_failed"),
    ],
    ids=str,
)
def test_a_developer_with_a_bad_body(game: AddedGame, body: object, refusal: str) -> None:
    """Who may make no live key is told so, whatever else is wrong."""
    assert member(game, "GAME_DEVELOPER").ask("POST", "/keys", body).code == refusal


@pytest.mark.parametrize(
    ("role", "body", "refusal"),
    [
        ("OWNER", {"environment": "live", "permission": "server"}, "dashboard_only"),
        ("OWNER", {"environment": "live", "permission": 5}, "dashboard_only"),
        ("OWNER", {"environment": "test", "permission": "server"}, "read_only_key"),
        ("OWNER", {"environment": 5}, "read_only_key"),
        ("OWNER", {}, "read_only_key"),
        ("OWNER", "live", "read_only_key"),
        ("GAME_DEVELOPER", {"environment": "live"}, "permission_denied"),
        ("GAME_DEVELOPER", {"environment": "test"}, "read_only_key"),
        ("VIEWER", {"environment": "test"}, "permission_denied"),
    ],
    ids=str,
)
def test_a_key_that_only_reads_asks_for_an_api_key(game: AddedGame, role: Role, body: object, refusal: str) -> None:
    """The permission, then dashboard only, then read only, then the form of the body."""
    assert script(game, role, read_only=True).ask("POST", "/keys", body).code == refusal


def test_a_body_that_cannot_be_read_says_nothing(game: AddedGame) -> None:
    """A key that only reads is told so; any other caller, what is wrong with the body."""
    reader, developer = script(game, read_only=True), member(game, "GAME_DEVELOPER")
    for raw, media, fault in (
        (b"{", "application/json", "malformed_json"),
        (b'{"environment": "live"}', "text/plain", "unsupported_media_type"),
    ):
        for caller, refusal in ((reader, "read_only_key"), (developer, fault)):
            headers = {**caller.headers, "content-type": media}
            request = game.request("POST", f"{caller.path}/keys", headers=headers)
            said = Said(game.application.perform(type(request)("POST", request.path, "", headers, raw, "192.0.2.1")))
            assert said.code == refusal


def test_a_script_that_makes_no_owner_is_told_so_first(game: AddedGame) -> None:
    """The permission comes before what only somebody who is signed in may do."""
    expected: dict[Role, str] = {"ADMIN": "permission_denied", "OWNER": "dashboard_only"}
    for role, refusal in expected.items():
        bot = script(game, role)
        for method, path in (("POST", "/members"), ("PATCH", "/members/mbr_none")):
            said = game.ask(method, f"{bot.studio}{path}", {"role": "OWNER", "email": 5}, headers=bot.headers)
            assert said.code == refusal


def test_what_reaches_several_scopes_is_judged_too(tmp_path: Path) -> None:
    """By its body, and a key that only reads is refused."""
    seen: list[object] = []
    (made,) = (one for one in OPERATIONS if one.name == "games.create")
    path = "/admin/v1/studios/{studioId}/inventions"
    added = attrs.evolve(made, name="games.invent", path=path, judge=lambda _, body: seen.append(body))
    with STORES["memory"](tmp_path) as store:
        game = AddedGame(store, [added], secrets=[b"deployment"])
        bot = script(game, read_only=True)
        said = game.ask("POST", f"{bot.studio}/inventions", {"name": "Other"}, headers=bot.headers)
    assert (said.code, seen) == ("read_only_key", [{"name": "Other"}])


def test_who_makes_no_owner_is_told_so_first(game: AddedGame) -> None:
    """By inviting one and by changing a role, whatever else is wrong."""
    admin = member(game, "ADMIN")
    for method, path in (("POST", "/members"), ("PATCH", "/members/mbr_none")):
        said = game.ask(method, f"{admin.studio}{path}", {"role": "OWNER", "email": 5}, headers=admin.headers)
        assert (said.code, said.json["error"]["details"]) == ("permission_denied", {"permission": "owner.manage"})
        said = game.ask(method, f"{admin.studio}{path}", {"role": "VIEWER", "email": 5}, headers=admin.headers)
        assert said.code == "validation_failed"
