"""The audit trail as operators read it: one list over the studio's directory and all scopes of its games."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import attrs
import pytest

from livecore.access import audit_search
from livecore.access.audit import AUDIT, audit
from livecore.access.directory import STUDIOS, Game, add_game, add_studio
from livecore.access.members import MEMBERS, MEMBERSHIPS
from livecore.api.configuration.game_config import GameConfig
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import HOUR, SECOND, Timestamp
from livecore.kernel.units.unit import SYSTEM, Actor, Unit
from tests.added_game import STORES, AddedGame, Said, headers_for, signed_in

ANNA: Final = "anna"


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game with one player, over each store."""
    with STORES[request.param](tmp_path) as store:
        made = AddedGame(store)
        made.register(ANNA)
        yield made


def path(game: AddedGame, below: str = "/audit") -> str:
    """A path about the studio."""
    return f"/admin/v1/studios/{game.made.game.studio_id}{below}"


def asked(game: AddedGame, cookie: str, /, **filters: object) -> Said:
    """Ask for the trail."""
    return game.ask("GET", path(game), query=urlencode(filters), headers=signed_in(cookie))


def listed(game: AddedGame, cookie: str, /, **filters: object) -> list[dict[str, Any]]:
    """All entries that match, from all pages."""
    found: list[dict[str, Any]] = []
    more: dict[str, object] = {}
    for _ in range(1_000):
        said = asked(game, cookie, **filters, **more)
        assert said.status == 200, said.json
        page = said.json["data"]
        assert len(page["entries"]) <= int(str(filters.get("limit", 50)))
        found += page["entries"]
        if page["nextCursor"] is None:
            return found
        more = {"cursor": page["nextCursor"]}
    raise AssertionError("the list has no end")


def actions(entries: Sequence[dict[str, Any]]) -> list[object]:
    """What was done."""
    return [entry["action"] for entry in entries]


def test_one_entry_of_each_kind_of_actor(game: AddedGame) -> None:
    """A server key, a member, a member's personal key, the command line and the service, the newest first."""
    owner = game.member("owner@example.com")
    game.now += SECOND
    ban = {"reason": "spam"}
    assert game.ask("POST", "/server/v1/players/anna/ban", ban, headers=headers_for(game.key("server"))).status == 200
    game.now += SECOND
    key = game.personal_key(owner)
    game.now += SECOND
    assert game.ask("PATCH", path(game, ""), {"name": "New"}, headers=headers_for(key)).status == 200
    game.now += SECOND
    about: dict[str, Any] = {"studio_id": game.made.game.studio_id, "game_id": game.made.game.game_id}
    entropy = Entropy(b"by hand")
    game.store.write(
        DIRECTORY,
        lambda tx: audit(
            tx,
            game.now,
            entropy,
            Actor("system", "root"),
            "keys.revoke",
            via="cli",
            target=("api_key", "key_1"),
            **about,
        ),
    )
    game.now += SECOND
    game.in_unit(lambda unit: audit(unit.tx, unit.now, unit.entropy, SYSTEM, "tidied"))

    system, cli, by_key, create, banned, register, *older = listed(game, owner)
    assert actions(older) == ["games.create"]
    (member,) = [row for row in game.store.dump()[DIRECTORY.id][MEMBERS.name] if row.email == "owner@example.com"]
    here = {"gameId": game.made.game.game_id, "environment": "test", "externalPlayerId": ANNA}
    nowhere = {"gameId": None, "environment": None, "externalPlayerId": None}
    assert register["action"] == "players.register"
    assert banned == {
        "auditId": banned["auditId"],
        "at": Timestamp(game.now - 4 * SECOND).wire,
        "actor": {"kind": "api_key", "id": game.key("server")[:21], "name": None, "memberId": None},
        "via": "api",
        "address": "192.0.2.1",
        "action": "players.ban",
        "permission": None,
        "target": {"type": "player", "id": banned["target"]["id"]},
        "before": {"banned": False, "reason": None, "bannedAt": None},
        "after": {"banned": True, "reason": "spam", "bannedAt": Timestamp(game.now - 4 * SECOND).wire},
        "metadata": None,
        **here,
    }
    assert (create["action"], create["actor"], create["via"]) == (
        "personalKeys.create",
        {"kind": "member", "id": member.member_id, "name": "owner@example.com", "memberId": member.member_id},
        "session",
    )
    assert by_key == {
        "auditId": by_key["auditId"],
        "at": Timestamp(game.now - 2 * SECOND).wire,
        "actor": {
            "kind": "personal_key",
            "id": create["target"]["id"],
            "name": "owner@example.com",
            "memberId": member.member_id,
        },
        "via": "api",
        "address": "192.0.2.1",
        "action": "studios.update",
        "permission": "studio.manage",
        "target": {"type": "studio", "id": game.made.game.studio_id},
        "before": {"name": "Added"},
        "after": {"name": "New"},
        "metadata": None,
        **nowhere,
    }
    assert (cli["actor"], cli["via"]) == ({"kind": "cli", "id": "root", "name": "root", "memberId": None}, "cli")
    assert (cli["target"], cli["gameId"]) == ({"type": "api_key", "id": "key_1"}, game.made.game.game_id)
    assert (system["actor"], system["via"]) == ({"kind": "system", "id": None, "name": None, "memberId": None}, None)


def test_names_are_those_of_now(game: AddedGame) -> None:
    """A member's name is the present one; a merged player's entries show and are found by the id that they have now."""
    owner = game.member("owner@example.com")
    assert game.ask("PATCH", path(game, ""), {"name": "New"}, headers=signed_in(owner)).status == 200
    (member,) = game.store.dump()[DIRECTORY.id][MEMBERSHIPS.name]
    game.store.write(DIRECTORY, lambda tx: tx.put(MEMBERSHIPS, evolve(member, name="Olga")))
    assert listed(game, owner, member=member.member_id)[0]["actor"]["name"] == "Olga"

    server = headers_for(game.key("server"))
    game.register("bert")
    assert game.ask("POST", "/server/v1/players/anna/merge-into/bert", {}, headers=server).status == 200
    game.register("carla")
    found = listed(game, owner, player="bert")
    assert [
        (entry["action"], entry["externalPlayerId"]) for entry in found if entry["action"] == "players.register"
    ] == [
        ("players.register", "bert"),
        ("players.register", "bert"),
    ]
    assert listed(game, owner, player="anna") == []
    assert game.ask("POST", "/server/v1/players/bert/delete", {"reason": "gdpr_erasure"}, headers=server).status == 200
    assert {entry["externalPlayerId"] for entry in listed(game, owner)} == {None, "carla"}


def test_an_address_is_named_to_those_who_see_the_member(game: AddedGame) -> None:
    """Who once worked in a game that one may see is called by the name there, and the e-mail address stays unsaid."""
    owner = signed_in(game.member("owner@example.com"))
    live = game.made.game.game_id
    limited = game.member("limited@example.com", "VIEWER", [live])
    former = signed_in(game.member("former@example.com", "GAME_ADMIN", [live]))
    key = path(game, f"/games/{live}/keys")
    assert game.ask("POST", key, {"environment": "test", "permission": "client"}, headers=former).status == 201
    (made,) = [entry for entry in listed(game, limited) if entry["action"] == "keys.create"]
    assert made["actor"]["name"] == "former@example.com"
    member = path(game, f"/members/{made['actor']['memberId']}")
    assert game.ask("PATCH", member, {"games": []}, headers=owner).status == 200
    (made,) = [entry for entry in listed(game, limited) if entry["action"] == "keys.create"]
    assert made["actor"]["name"] is None
    (made,) = [entry for entry in listed(game, owner["cookie"]) if entry["action"] == "keys.create"]
    assert made["actor"]["name"] == "former@example.com"


# -- filters and pages ----------------------------------------------------------------------------------------------------

_ACTIONS: Final = ("players.ban", "grants.create", "members.invite")
_SURFACES: Final = ("admin:", "server:", "sdk:", "")


@attrs.frozen
class Trail:
    """A studio with two games, another studio, and entries in all of their scopes."""

    game: AddedGame
    owner: str
    second: Game
    members: tuple[str, ...]

    def place(self, draw: random.Random) -> tuple[Scope, dict[str, Any]]:
        """A scope, and what an entry of the directory says of its studio and game."""
        first = self.game.made.game
        if draw.random() < 0.3:
            game_id = draw.choice([None, first.game_id, self.second.game_id])
            return DIRECTORY, {
                "studio_id": draw.choice([first.studio_id, first.studio_id, "std_other"]),
                "game_id": game_id,
            }
        return Scope(draw.choice([first, self.second]).game_id, draw.choice(["live", "test"])), {}

    def add(self, draw: random.Random) -> dict[str, Any] | None:
        """Add an entry; gives what a search has to know of it, if it is the studio's."""
        scope, about = self.place(draw)
        member = draw.choice([*self.members, None])
        action = draw.choice(_SURFACES) + draw.choice(_ACTIONS)
        at, entropy = self.game.now + draw.randrange(8) * SECOND, draw.randbytes(32)
        actor = SYSTEM if member is None else Actor("member", member)
        entry = self.game.store.write(scope, lambda tx: audit(tx, at, Entropy(entropy), actor, action, **about))
        if about.get("studio_id") == "std_other":
            return None
        inside = scope != DIRECTORY
        return {
            "id": entry.audit_id,
            "at": at,
            "game": scope.game_id if inside else about.get("game_id"),
            "environment": scope.environment if inside else None,
            "member": member,
            "action": action.partition(":")[2] or action,
        }

    def fill(self, draw: random.Random, number: int) -> list[dict[str, Any]]:
        """Add entries; gives what a search has to know of the studio's, the newest first."""
        made = [entry for _ in range(number) if (entry := self.add(draw)) is not None]
        return sorted(made, key=lambda entry: (entry["at"], entry["id"]), reverse=True)


def trail_over(game: AddedGame) -> Trail:
    """A trail, empty but for what made it, and that lies before."""
    owner = game.member("owner@example.com")
    entropy = Entropy(b"second")

    def add(tx: Transaction) -> Game:
        add_studio(tx, "Other", game.now, entropy)
        studio = tx.get(STUDIOS, game.made.game.studio_id)
        assert studio is not None
        return add_game(tx, studio, GameConfig(), game.now, entropy)

    second = game.store.write(DIRECTORY, add)
    game.now += HOUR
    return Trail(game, owner, second, ("mbr_1", "mbr_2"))


def test_pages_joined_are_the_whole_list(game: AddedGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """For random filters and page sizes, and whether or not the amount that a page may read gets in the way."""
    here = trail_over(game)
    draw = random.Random(7)  # noqa: S311 - a test
    entries = here.fill(draw, 120)
    base = game.now
    for round_ in range(40):
        monkeypatch.setattr(audit_search, "MOST_READ", draw.choice([1, 5, 1_000]))
        monkeypatch.setattr(audit_search, "_MOST_IN_ALL", draw.choice([1, 40, 5_000]))
        chosen = {
            "game": draw.choice([here.second.game_id, game.made.game.game_id]),
            "environment": draw.choice(["live", "test"]),
            "member": draw.choice(here.members),
            "action": draw.choice(_ACTIONS),
        }
        filters = {name: value for name, value in chosen.items() if draw.random() < 0.4}
        since, until = base + draw.randrange(4) * SECOND, base + draw.randrange(5, 9) * SECOND
        expected = [
            entry["id"]
            for entry in entries
            if all(entry[name] == value for name, value in filters.items()) and since <= entry["at"] < until
        ]
        spans = {"from": Timestamp(since).wire, "to": Timestamp(until).wire}
        found = listed(game, here.owner, **filters, **spans, limit=draw.choice([1, 3, 50, 200]))
        assert [entry["auditId"] for entry in found] == expected, (round_, filters)


def test_a_players_entries_are_found_among_many(game: AddedGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of one action, or of one member, although no index has both the player and that."""
    owner = game.member("owner@example.com")
    player_id = listed(game, owner, player=ANNA)[0]["target"]["id"]
    game.now += HOUR

    def add(unit: Unit) -> None:
        for number in range(60):
            actor = Actor("member", f"mbr_{number % 2}")
            action = "players.ban" if number % 30 == 1 else "wallet.credit"
            audit(unit.tx, unit.now + number, unit.entropy, actor, f"server:{action}", player_id=player_id)

    game.in_unit(add)
    monkeypatch.setattr(audit_search, "MOST_READ", 7)
    found = listed(game, owner, player=ANNA, action="players.ban", limit=2)
    assert [entry["at"] for entry in found] == [Timestamp(game.now + number).wire for number in (31, 1)]
    assert len(listed(game, owner, player=ANNA, member="mbr_1", action="players.ban")) == 2
    assert listed(game, owner, player=ANNA, member="mbr_0", action="players.ban") == []
    assert len(listed(game, owner, player=ANNA, member="mbr_0")) == 30
    # A page says how far it has come, although it shows nothing.
    page = asked(game, owner, player=ANNA, member="mbr_none", limit=2).json["data"]
    assert (page["entries"], page["nextCursor"] is None) == ([], False)
    assert listed(game, owner, player="nobody") == []


@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"member": "mbr_1"},
        {"action": "players.ban"},
        {"member": "mbr_1", "action": "players.none"},
        {"player": ANNA},
        {"player": ANNA, "action": "players.none"},
        {"player": ANNA, "member": "mbr_none", "action": "players.ban"},
    ],
    ids=str,
)
def test_a_page_reads_a_bounded_number_of_entries(filters: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the filters are, and although none of thousands of entries may match."""
    game = AddedGame(MemoryStore())
    game.register(ANNA)
    owner = game.member("owner@example.com")
    player_id = listed(game, owner, player=ANNA)[0]["target"]["id"]
    actor = Actor("member", "mbr_1")

    def add(unit: Unit) -> None:
        for _ in range(4_000):
            audit(unit.tx, unit.now, unit.entropy, actor, "server:players.ban", player_id=player_id)

    game.in_unit(add)
    read = 0
    scanned = Transaction.scanned

    def counted(tx: Transaction, scan: Scan[Any]) -> list[Any]:
        nonlocal read
        rows = scanned(tx, scan)
        read += len(rows) if scan.index.table is AUDIT else 0
        return rows

    monkeypatch.setattr(Transaction, "scanned", counted)
    assert asked(game, owner, **filters).status == 200
    assert read <= 1_000 + 51


# -- who sees what --------------------------------------------------------------------------------------------------------


def test_a_member_for_named_games_sees_those(game: AddedGame) -> None:
    """Of the studio itself, what is about these games, and what is by or about the member."""
    here = trail_over(game)
    entropy = Entropy(b"seen")
    limited = game.member("limited@example.com", "GAME_ADMIN", [here.second.game_id])
    owner = signed_in(here.owner)
    (me,) = [
        row for row in game.ask("GET", path(game, "/members"), headers=owner).json["data"]["members"] if row["games"]
    ]
    member = path(game, f"/members/{me['memberId']}")
    assert game.ask("PATCH", member, {"games": [here.second.game_id], "role": "VIEWER"}, headers=owner).status == 200
    invited = {"email": "other@example.com", "role": "VIEWER"}
    assert game.ask("POST", path(game, "/members"), invited, headers=owner).status == 201
    game.personal_key(limited)
    game.personal_key(here.owner)
    studio = game.made.game.studio_id

    def add(tx: Transaction) -> None:
        for game_id in (here.second.game_id, game.made.game.game_id):
            audit(tx, game.now, entropy, SYSTEM, "settings.apply", studio_id=studio, game_id=game_id)

    game.store.write(DIRECTORY, add)
    for game_id in (here.second.game_id, game.made.game.game_id):
        game.store.write(Scope(game_id, "live"), lambda tx: audit(tx, game.now, entropy, SYSTEM, "tidied"))

    found = listed(game, limited)
    assert sorted((entry["action"], entry["gameId"] or "") for entry in found) == [
        ("members.update", ""),
        ("personalKeys.create", ""),
        ("settings.apply", here.second.game_id),
        ("tidied", here.second.game_id),
    ]
    assert listed(game, limited, game=game.made.game.game_id) == []
    assert listed(game, limited, player=ANNA) == []
    whole = actions(listed(game, here.owner))
    assert {"members.invite", "members.update", "players.register"} <= set(whole)
    assert (whole.count("tidied"), whole.count("personalKeys.create")) == (2, 2)


def test_another_studios_trail_is_not_there(game: AddedGame) -> None:
    """Neither by the path nor by a filter."""
    owner = game.member("owner@example.com")
    other = game.another_game()
    scope, entropy = Scope(other.game_id, "live"), Entropy(b"other")
    game.store.write(scope, lambda tx: audit(tx, game.now, entropy, Actor("member", "mbr_x"), "players.ban"))
    about: dict[str, Any] = {"studio_id": other.studio_id, "game_id": other.game_id}
    game.store.write(
        DIRECTORY, lambda tx: audit(tx, game.now, entropy, Actor("member", "mbr_x"), "keys.create", **about)
    )
    for filters in ({"game": other.game_id}, {"member": "mbr_x"}, {"action": "players.ban"}, {"action": "keys.create"}):
        assert listed(game, owner, **filters) == [], filters
    theirs = f"/admin/v1/studios/{other.studio_id}/audit"
    assert game.ask("GET", theirs, headers=signed_in(owner)).code == "studio_not_found"


# -- arguments ------------------------------------------------------------------------------------------------------------


def test_moments_are_timestamps_or_dates(game: AddedGame) -> None:
    """`from` is included and `to` is excluded; a date is its first moment."""
    game.now = int(Timestamp.parse("2026-02-03T00:00:00.000Z"))
    owner = game.member("owner@example.com")
    assert game.ask("PATCH", path(game, ""), {"name": "New"}, headers=signed_in(owner)).status == 200

    def seen(since: str, until: str) -> bool:
        return "studios.update" in actions(listed(game, owner, **{"from": since, "to": until}))

    assert seen("2026-02-03", "2026-02-04")
    assert not seen("2026-02-02", "2026-02-03")
    assert seen("2026-02-03T00:00:00.000Z", "2026-02-03T00:00:00.001Z")
    assert seen("2026-02-03T01:00:00+01:00", "2026-02-03T01:00:01+01:00")
    assert not seen("2026-02-03T00:00:00.001Z", "9999-12-31")
    assert seen("0001-01-01", "9999-12-31T23:59:59.999Z")


@pytest.mark.parametrize(
    "filters",
    [
        {"from": "2026-02-30"},
        {"from": "yesterday"},
        {"to": "2026-02-03T00:00:00"},
        {"to": "2026-02-03Tx"},
        {"from": "2026-02-03", "to": "2026-02-03"},
        {"from": "2026-02-04", "to": "2026-02-03"},
        {"environment": "both"},
        {"action": "players ban"},
        {"member": "a/b"},
        {"player": "__deleted_x"},
        {"limit": 0},
        {"limit": 201},
        {"cursor": "abc"},
        {"studioId": "std_other"},
        {"order": "asc"},
    ],
    ids=str,
)
def test_what_is_no_filter_is_refused(filters: dict[str, object]) -> None:
    """400 with the name of the field."""
    here = _made()
    said = asked(here, _owner(), **filters)
    assert (said.status, said.code) == (400, "validation_failed")
    assert set(said.json["error"]["details"]["fields"]) & set(filters)


@cache
def _made() -> AddedGame:
    return AddedGame(MemoryStore())


@cache
def _owner() -> str:
    return _made().member("owner@example.com")
