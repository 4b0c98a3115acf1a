"""Settings through the operators' surface, over each store: compared, applied once, remembered, and taken back."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import pytest

from livecore.access import directory
from livecore.access.audit import AUDIT
from livecore.access.directory import CONFIG_VERSIONS, VERSIONS_OF_GAME, Game, require_game
from livecore.api.configuration.config_refusals import ConfiguredMeanwhile
from livecore.api.configuration.game_config import config_of, parse_config
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.social.gifts import GIFTS, PAID_GIFTS_CLOSED, SWITCHES
from livecore.world import World, WorldRefused
from tests.added_game import STORES, AddedGame, Said, headers_for, signed_in
from tests.between import Between, Died, die
from tests.worlds import ITEMS, RACES, befriend, config, gift, give, rows_of, world

T = TypeVar("T")


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game over one of the stores."""
    with STORES[request.param](tmp_path) as store:
        yield AddedGame(store, config=parse_config(config()))


class Desk:
    """A member's requests about the settings of the game."""

    def __init__(self, game: AddedGame, headers: dict[str, str] | None = None) -> None:
        self.game = game
        self.headers = headers or signed_in(game.member("owner@example.com"))
        self.path = f"/admin/v1/studios/{game.made.game.studio_id}/games/{game.made.game.game_id}/settings"

    def ask(self, method: str, path: str = "", body: object = None, *, query: str = "", key: str | None = None) -> Said:
        """A request."""
        headers = self.headers if key is None else {**self.headers, "idempotency-key": key}
        return self.game.ask(method, f"{self.path}{path}", body, query=query, headers=headers)

    def put(self, wanted: JsonObject, version: int, *, key: str | None = None, **further: object) -> Said:
        """Apply a configuration."""
        return self.ask("PUT", "", {"config": wanted, "version": version, **further}, key=key)

    def versions(self) -> list[dict[str, Any]]:
        """The whole history."""
        rows: list[dict[str, Any]] = self.ask("GET", "/history").json["data"]["versions"]
        return rows


def by_studio(**changes: object) -> JsonObject:
    """A configuration with the other economy mode."""
    return config(economyMode="studio", gifting={"enabled": True}, crates=[], guilds={"enabled": False}, **changes)


def present(game: AddedGame) -> Game:
    """The game as it is now."""
    return game.store.read(DIRECTORY, lambda tx: require_game(tx, game.made.game.game_id))


def test_what_is_read_can_be_applied_and_changes_nothing(game: AddedGame) -> None:
    """The configuration with all its defaults is the one that the game has; no new version is made."""
    desk = Desk(game)
    shown = desk.ask("GET").json["data"]
    assert (shown["version"], shown["applied"]["version"], shown["applied"]["by"]["kind"]) == (1, 1, "system")
    assert shown["config"]["gifting"]["cooldownSeconds"] == 86400
    compared = desk.ask("POST", "/difference", {"config": shown["config"]}).json["data"]
    assert compared["advice"] == shown["advice"]
    assert compared == {
        "version": 1,
        "differences": [],
        "objections": [],
        "pendingPaidGifts": 0,
        "advice": shown["advice"],
        "takenAway": [],
    }
    assert desk.put(shown["config"], 1).json["data"] == {"version": 1, "differences": [], "giftsGivenBack": 0}
    assert present(game) == game.made.game


def test_a_difference_is_read_and_changes_nothing(game: AddedGame) -> None:
    """Line by line, as the command line prints it; the trail stays as it was."""
    desk = Desk(game)
    before = game.store.dump()
    wanted = config(name="Another", items=[*ITEMS, {"key": "ale"}])
    lines = desk.ask("POST", "/difference", {"config": wanted}).json["data"]["differences"]
    assert len(lines) == 2
    assert '~ name: "Untitled game" -> "Another"' in lines
    assert '+ items[ale]: {"key":"ale","name":null,"parameters":null}' in lines
    assert game.store.dump() == before


def test_faults_are_named_by_their_paths(game: AddedGame) -> None:
    """All at once, as they stand in the request, by comparing and by applying."""
    desk = Desk(game)
    faulty = config(gifting={"enabled": "yes", "cooldownSeconds": -1}, unknown=1)
    for said in (desk.ask("POST", "/difference", {"config": faulty}), desk.put(faulty, 1)):
        assert (said.status, said.code) == (400, "validation_failed")
        fields = said.json["error"]["details"]["fields"]
        assert {"config.gifting.enabled", "config.gifting.cooldownSeconds", "config.unknown"} <= set(fields)
    bodies: list[dict[str, object]] = [
        {},
        {"config": []},
        {"config": {}, "version": 0},
        {"config": {}, "version": "1"},
        {"config": {}},
    ]
    for body in bodies:
        assert desk.ask("PUT", "", body).code == "validation_failed"
    assert present(game) == game.made.game


def test_a_configuration_takes_effect_and_is_remembered(game: AddedGame) -> None:
    """With the next request, in both environments; the history and the trail say who did it."""
    desk = Desk(game)
    game.now += 1_000
    said = desk.put(config(name="Another"), 1)
    assert said.json["data"]["version"] == 2
    assert said.json["data"]["differences"] == ['~ name: "Untitled game" -> "Another"']
    assert config_of(present(game)).name == "Another"
    newest, first = desk.versions()
    assert (newest["version"], newest["changes"], newest["summary"]) == (2, 1, said.json["data"]["differences"])
    assert (newest["by"]["kind"], newest["by"]["name"]) == ("member", "owner@example.com")
    assert newest["at"] == "2026-01-01T00:00:01.000Z"
    assert (first["version"], first["by"]["kind"], first["changes"]) == (1, "system", 0)
    (entry,) = [row for row in game.store.dump()[DIRECTORY.id][AUDIT.name] if row.action == "admin:settings.apply"]
    assert (entry.game_id, entry.target_kind, entry.permission) == (present(game).game_id, "game", "settings.apply")
    assert json.loads(entry.after) == {"configVersion": 2}


def test_of_two_with_the_same_version_one_changes_something(game: AddedGame) -> None:
    """The other one is told the present version, whether it came later or at the same moment."""
    desk = Desk(game)
    assert desk.put(config(name="First"), 1).status == 200
    late = desk.put(config(name="Second"), 1)
    assert (late.status, late.code) == (409, "settings_changed")
    assert late.json["error"]["details"] == {"version": 2}
    others: list[Said] = []
    body = {"config": config(name="Slower"), "version": 2}
    request = game.request("PUT", desk.path, body, headers=desk.headers)
    slow = game.store.read(DIRECTORY, lambda tx: game.application.prepare(request, tx))
    quick = Between(game.store, lambda: others.append(desk.put(config(name="Quicker"), 2)))
    with pytest.raises(ConfiguredMeanwhile) as refused:
        game.application.run_several(slow, quick)
    assert [said.status for said in others] == [200]
    assert refused.value.details == {"version": 3}
    assert config_of(present(game)).name == "Quicker"
    assert [row["version"] for row in desk.versions()] == [3, 2, 1]


def test_a_request_that_is_made_twice_at_once_has_one_effect(game: AddedGame) -> None:
    """Both are told the same, and there is one new version."""
    desk, others = Desk(game), list[Said]()
    game.application.store = Between(
        game.store, lambda: others.append(desk.put(config(name="Once"), 1, key="same-key"))
    )
    outer = desk.put(config(name="Once"), 1, key="same-key")
    assert outer.status == 200
    assert outer.json == others[0].json
    assert present(game).config_version == 2


@pytest.mark.parametrize("step", [0, 1])
def test_an_interrupted_request_is_repeated(game: AddedGame, step: int) -> None:
    """A process died after the change: the same request says what it has done, also when others have gone on since."""
    desk, wanted = Desk(game), by_studio(name="Once")
    game.application.store = Between(game.store, die, after=step, in_directory=False)
    with pytest.raises(Died):
        desk.put(wanted, 1, key="same-key")
    assert present(game).config_version == 2
    first, again = (desk.put(wanted, 1, key="same-key") for _ in range(2))
    assert first.json["data"]["version"] == 2
    assert '~ name: "Untitled game" -> "Once"' in first.json["data"]["differences"]
    assert again.json == first.json
    assert first.response.header("Idempotent-Replay") == "true"
    assert desk.put(config(name="Twice"), 1, key="same-key").code == "idempotency_conflict"
    assert desk.put(by_studio(name="Later"), 2).status == 200
    assert desk.put(wanted, 1, key="same-key").json == first.json
    assert present(game).config_version == 3


def test_what_an_interrupted_request_closed_is_opened_again(game: AddedGame) -> None:
    """Gifts that cost the sender stay closed until the same request is made again."""

    def closed() -> bool:
        return any(row.name == PAID_GIFTS_CLOSED for row in game.rows(SWITCHES))

    desk = Desk(game)
    desk.put(by_studio(), 1)
    assert closed()
    game.application.store = Between(game.store, die, in_directory=False)
    with pytest.raises(Died):
        desk.put(config(), 2, key="same-key")
    assert present(game).config_version == 3
    assert closed()
    assert desk.put(config(), 2, key="same-key").status == 200
    assert not closed()


@pytest.mark.parametrize("step", range(12))
def test_of_two_who_change_the_mode_at_once_nobody_leaves_gifts_closed(game: AddedGame, step: int) -> None:
    """Whenever the quicker one comes between the steps of the slower, which is refused or changes what there is then."""
    desk, others = Desk(game), list[Said]()
    desk.put(by_studio(), 1)
    body = {"config": config(name="Slower"), "version": 2}
    request = game.request("PUT", desk.path, body, headers=desk.headers)
    slow = game.store.read(DIRECTORY, lambda tx: game.application.prepare(request, tx))
    quick = Between(
        game.store, lambda: others.append(desk.put(config(), 2)), after=step, in_directory=False, at_first=True
    )
    with contextlib.suppress(ConfiguredMeanwhile):
        game.application.run_several(slow, quick)
    assert quick.happened
    assert others
    assert [row for row in game.rows(SWITCHES) if row.name == PAID_GIFTS_CLOSED] == []


def test_a_request_without_a_difference_is_repeated(game: AddedGame) -> None:
    """Its answer is kept too, so a late repetition does not undo what was applied since."""
    desk = Desk(game)
    assert desk.put(config(), 1, key="same-key").json["data"]["differences"] == []
    assert desk.put(config(name="Since"), 1).status == 200
    again = desk.put(config(), 1, key="same-key")
    assert (again.json["data"]["version"], again.response.header("Idempotent-Replay")) == (1, "true")
    assert config_of(present(game)).name == "Since"


def test_an_earlier_configuration_is_restored(game: AddedGame) -> None:
    """As a new version that says which one it repeats; a version that is not there, and an old present one, are refused."""
    desk = Desk(game)
    desk.put(config(name="Another"), 1)
    stale = desk.ask("POST", "/history/1/restore", {"presentVersion": 1})
    assert (stale.code, stale.json["error"]["details"]) == ("settings_changed", {"version": 2})
    said = desk.ask("POST", "/history/1/restore", {"presentVersion": 2})
    assert said.json["data"] == {
        "version": 3, "differences": ['~ name: "Another" -> "Untitled game"'], "giftsGivenBack": 0,
    }  # fmt: skip
    assert present(game).config == game.made.game.config
    assert [(row["version"], row["restores"]) for row in desk.versions()] == [(3, 1), (2, None), (1, None)]
    shown = desk.ask("GET", "/history/2").json["data"]
    assert (shown["config"]["name"], shown["version"]) == ("Another", 2)
    for path in ("/history/9", "/history/999999999999999"):
        assert desk.ask("GET", path).code == "settings_version_not_found"
        assert desk.ask("POST", f"{path}/restore").code == "settings_version_not_found"
    for path in ("/history/0", "/history/one", "/history/-1", "/history/1.0"):
        assert desk.ask("GET", path).code == "validation_failed"


def test_pages_of_the_history_are_the_whole(game: AddedGame) -> None:
    """Newest first; a cursor of something else is refused."""
    desk = Desk(game)
    for number in range(1, 6):
        desk.put(config(name=f"Name {number}"), number)
    pages, cursor = [], ""
    while True:
        data = desk.ask("GET", "/history", query=f"limit=4{cursor}").json["data"]
        pages += data["versions"]
        if data["nextCursor"] is None:
            break
        cursor = f"&cursor={data['nextCursor']}"
    assert pages == desk.versions()
    assert [row["version"] for row in pages] == [6, 5, 4, 3, 2, 1]
    assert desk.ask("GET", "/history", query="cursor=abc").code == "validation_failed"


def test_a_game_of_an_earlier_release_gets_its_history(game: AddedGame) -> None:
    """Its present version is shown without an author, and kept when the next one is written."""
    desk = Desk(game)
    desk.put(config(name="Another"), 1)

    def forget(tx: Transaction) -> None:
        for row in tx.scan(VERSIONS_OF_GAME, game.made.game.game_id):
            tx.delete(CONFIG_VERSIONS, row.game_id, row.version)

    game.store.write(DIRECTORY, forget)
    assert desk.ask("GET").json["data"]["applied"]["by"] is None
    assert [(row["version"], row["at"], row["by"]) for row in desk.versions()] == [(2, None, None)]
    assert desk.ask("GET", "/history/2").json["data"]["config"]["name"] == "Another"
    desk.put(config(name="Third"), 2)
    assert [(row["version"], row["by"] is None) for row in desk.versions()] == [(3, False), (2, True)]
    assert desk.ask("POST", "/history/2/restore").json["data"]["version"] == 4


def test_settings_are_the_same_in_both_environments(game: AddedGame) -> None:
    """Whichever the query names, what is read is the same; and what replaces them for both takes no such name."""
    desk = Desk(game)
    desk.put(config(name="Another"), 1)
    difference = {"config": config(name="Third")}
    reads: tuple[tuple[str, str, object], ...] = (
        ("GET", "", None),
        ("GET", "/history", None),
        ("GET", "/history/1", None),
        ("POST", "/difference", difference),
    )
    for method, path, body in reads:
        plain = desk.ask(method, path, body)
        assert plain.status == 200
        assert [desk.ask(method, path, body, query=f"environment={one}").json for one in ("test", "live")] == [
            plain.json
        ] * 2
    before = game.store.dump()
    changes: tuple[tuple[str, str, object], ...] = (
        ("PUT", "", {**difference, "version": 2}),
        ("POST", "/history/1/restore", {}),
    )
    for method, path, body in changes:
        for environment in ("test", "live"):
            said = desk.ask(method, path, body, query=f"environment={environment}")
            assert (said.status, said.json["error"]["details"]["fields"].keys()) == (400, {"environment"})
    assert game.store.dump() == before


def test_a_version_in_the_path_is_a_whole_number(game: AddedGame) -> None:
    """It has one spelling; anything else is refused by the name of the field."""
    desk = Desk(game)
    for version in ("0", "01", "-1", "+1", "1.0", "one", "\u0663", "9007199254740993"):
        place = f"/history/{quote(version)}"
        for said in (desk.ask("GET", place), desk.ask("POST", f"{place}/restore")):
            assert (said.status, said.code) == (400, "validation_failed"), version
            assert said.json["error"]["details"]["fields"].keys() == {"version"}, version


def test_the_history_is_bounded(game: AddedGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest versions go, one for each that comes; and one line of a difference is cut."""
    monkeypatch.setattr(directory, "VERSIONS_KEPT", 3)
    desk = Desk(game)
    for number in range(1, 6):
        desk.put(config(name=f"{number}" * 100), number)
    assert [row["version"] for row in desk.versions()] == [6, 5, 4]
    assert all(len(line) <= 200 for row in desk.versions() for line in row["summary"])


def test_who_may_change_settings(game: AddedGame) -> None:
    """Those who administer the game, also by a script; all read them."""
    bot = Desk(game, headers_for(game.personal_key(game.member("admin@example.com", role="GAME_ADMIN"))))
    assert bot.put(config(name="By a script"), 1).status == 200
    for role in ("GAME_DEVELOPER", "GAME_DEBUGGER", "VIEWER"):
        desk = Desk(game, signed_in(game.member(f"{role.lower().replace('_', '-')}@example.com", role=role)))
        assert desk.put(config(), 2).json["error"]["details"] == {"permission": "settings.apply"}
        assert desk.ask("POST", "/history/1/restore").code == "permission_denied"
        assert desk.ask("POST", "/difference", {"config": config()}).status == 200
    reader = game.personal_key(game.member("reader@example.com"), readOnly=True)
    desk = Desk(game, headers_for(reader))
    assert desk.put(config(), 2).code == "read_only_key"
    assert desk.ask("POST", "/difference", {"config": config()}).status == 200


# -- what stands against a configuration, in a world ----------------------------------------------------------------------


def call(game: World, name: str, **arguments: object) -> JsonObject:
    """Call an operation as the owner."""
    return game.operator().call(name, **arguments)


def test_an_open_window_stands_against_its_removal() -> None:
    """The difference says so beforehand, applying is refused with the reasons, and nothing is changed."""
    game = world(events=RACES)
    wanted = config(events=[])
    objections = call(game, "settings.difference", config=wanted)["objections"]
    assert isinstance(objections, list)
    assert objections
    before = {**game.store.dump(), DIRECTORY.id: {}}
    with pytest.raises(WorldRefused, match="cannot change") as refused:
        call(game, "settings.apply", config=wanted, version=1)
    assert (refused.value.status, refused.value.code) == (409, "settings_refused")
    assert refused.value.details == {"reasons": objections}
    assert ({**game.store.dump(), DIRECTORY.id: {}}, game.game.config_version) == (before, 1)


def test_pending_paid_gifts_stand_against_another_mode() -> None:
    """They are counted, and given back where that is asked for."""
    game = world()
    anna, ben = game.player("anna"), game.player("ben")
    befriend(anna, ben)
    give(anna, "gold", 10)
    assert gift(anna, ben, amount=10).status == 201
    wanted = by_studio()
    compared = call(game, "settings.difference", config=wanted)
    assert compared["pendingPaidGifts"] == 1
    with pytest.raises(WorldRefused, match="1 paid gift is pending") as refused:
        call(game, "settings.apply", config=wanted, version=1)
    assert (refused.value.code, refused.value.details) == ("paid_gifts_pending", {"number": 1})
    applied = call(game, "settings.apply", config=wanted, version=1, refund_pending_gifts=True)
    assert (applied["version"], applied["giftsGivenBack"]) == (2, 1)
    assert game.game.config_version == 2
    assert rows_of(game, GIFTS)[0].status != "pending"


def test_a_worlds_own_changes_are_remembered_too() -> None:
    """By the service itself."""
    game = world()
    game.configure(config(name="Another"))
    versions = call(game, "settings.history")["versions"]
    assert isinstance(versions, list)
    assert [row["version"] for row in versions if isinstance(row, dict)] == [2, 1]
