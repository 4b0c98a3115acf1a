"""All about a player at a glance, for operators; and over each of the stores, the same of everything that operators read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import attrs

from livecore.access.audit import AUDIT
from livecore.api.configuration.game_config import parse_config
from livecore.kernel.errors import JsonObject
from livecore.world import World
from tests.added_game import STORES, AddedGame, Said, findings, signed_in
from tests.contract.stories import MARK
from tests.player_tools.marked import game, lived
from tests.worlds import ask, config, give, rows_of, studio_world, world


def look_up(here: World, name: str, **asked: object) -> JsonObject:
    """What an operator sees of a player."""
    reply = ask(here.operator(), "players.get", external_id=name, **asked)
    assert reply.status == 200, reply.body
    return reply.data


def test_it_is_what_the_backend_reads_and_more() -> None:
    """Of somebody who has everything: each part is as the studio's backend reads it elsewhere."""
    here = World(game())
    lived(here)
    for name in (MARK, "friend", "third"):
        about = {"external_id": name}
        shown = look_up(here, name)
        overview = ask(here.server, "players.get", **about).data
        exported = ask(here.server, "players.export", **about)
        assert {part: shown[part] for part in ("attempts", "grants", "lobbies", "summary")} == {
            part: overview[part] for part in ("attempts", "grants", "lobbies", "summary")
        }
        assert shown["player"] == exported["player"]
        assert shown["wallet"] == ask(here.server, "wallet.get", **about)["balances"]
        items = ask(here.server, "inventory.get", **about).list("items")
        held: list[Any] = list(shown["inventory"])  # type: ignore[arg-type] # a list
        assert [{key: row[key] for key in row if key != "ownParameters"} for row in held] == items
        guild = ask(here.server, "guilds.getOfPlayer", **about)
        mine: Any = shown["guild"]
        assert (None if mine is None else (mine["guildId"], mine["role"])) == (
            None if guild["guild"] is None else (guild["guild.guildId"], guild["role"])
        )
        spend = ask(here.server, "spend.get", **about).data
        assert shown["spend"] == {
            key: spend[key] for key in ("lifetimeAmountMinor", "purchaseCount", "verifiedAmountMinor")
        }
        requests = ask(here.server, "friends.listRequests", **about)
        assert shown["social"] == {
            "friends": len(ask(here.server, "friends.list", **about).list("friends")),
            "requestsIncoming": len(requests.list("incoming")),
            "requestsOutgoing": len(requests.list("outgoing")),
            "blocks": len(ask(here.server, "friends.listBlocks", **about).list("blocks")),
            "giftsReceivedPending": _pending(here, name, "received"),
            "giftsSentPending": _pending(here, name, "sent"),
        }


def _pending(here: World, name: str, direction: str) -> int:
    found = ask(here.server, "gifts.list", external_id=name, direction=direction).list("gifts")
    return sum(row["status"] == "pending" for row in found)


def test_of_somebody_new_there_is_little() -> None:
    """Zeros, empty lists, no guild."""
    shown = look_up(_with("anna"), "anna")
    assert (shown["attempts"], shown["grants"], shown["lobbies"], shown["inventory"]) == ([], [], [], [])
    assert (shown["guild"], shown["spend"]) == (
        None,
        {"lifetimeAmountMinor": 0, "purchaseCount": 0, "verifiedAmountMinor": 0},
    )
    assert set(dict(shown["social"]).values()) == {0}  # type: ignore[arg-type] # an object


def _with(*names: str) -> World:
    made = world()
    for name in names:
        made.player(name)
    return made


def test_the_limit_is_of_each_list() -> None:
    """And the summary counts all."""
    here = _with("anna")
    for number in range(3):
        entry = {"type": "currency", "resourceKey": "gold", "amount": 1}
        ask(here.server, "grants.create", external_id="anna", idempotency_key=f"g{number}", entries=[entry])
    shown: Any = look_up(here, "anna", limit=2)
    assert (len(shown["grants"]), shown["summary"]["grantsPending"]) == (2, 3)
    for limit in (0, 201):
        reply = ask(here.operator(), "players.get", external_id="anna", limit=limit)
        assert reply.refusal == (400, "validation_failed")


def test_where_the_studio_keeps_the_economy() -> None:
    """No items, and of the wallet only progression."""
    here = studio_world()
    here.player("anna")
    shown: Any = look_up(here, "anna")
    assert shown["inventory"] == []
    assert {row["kind"] for row in shown["wallet"]} == {"progression"}


def test_an_attribute_of_the_players_own_is_shown_apart() -> None:
    """Beside what holds in the end."""
    here = _with("anna")
    give(here.player("anna"), "sword", 1)
    ask(here.operator(), "inventory.setAttributes", external_id="anna", item_key="sword", parameters={"level": 5})
    shown: Any = look_up(here, "anna")
    assert shown["inventory"] == [
        {"itemKey": "sword", "quantity": 1, "parameters": {"level": 5, "gem": None}, "ownParameters": {"level": 5}}
    ]


# -- secrets and exports --------------------------------------------------------------------------------------------------


def test_a_new_secret_is_shown_to_the_one_who_asked() -> None:
    """The event says that an operator made it, and the trail has no more than its beginning."""
    here = _with("anna")
    old = here.player("anna")
    made = ask(here.operator(), "players.rotateSecret", external_id="anna")
    secret = made.text("playerSecret")
    assert ask(old, "players.getProfile").refusal == (401, "player_secret_invalid")
    renewed = attrs.evolve(old, headers={**old.headers, "x-player-secret": secret})
    assert ask(renewed, "players.getProfile").status == 200
    assert here.emitted("player.secret_rotated")[-1]["via"] == "admin_rotate"
    (entry,) = (row for row in rows_of(here, AUDIT) if row.action == "admin:players.rotateSecret")
    assert secret not in repr(here.store.dump())
    assert made.text("secretPrefix") in str(entry.after)


KEY: Final = "a key of more than twenty-two characters"


def test_a_repeated_rotation_is_each_members_own() -> None:
    """The same member gets the same secret; with another member's key, or the backend's, it is a new request."""
    here = _with("anna")
    owner, admin = here.operator(), here.operator("admin@example.com", "ADMIN")
    about = {"external_id": "anna", "idempotency_key": KEY}
    first = ask(owner, "players.rotateSecret", **about)
    assert ask(owner, "players.rotateSecret", **about)["playerSecret"] == first["playerSecret"]
    here.advance(seconds=1)
    other = ask(admin, "players.rotateSecret", **about)
    assert other["playerSecret"] != first["playerSecret"]
    here.advance(seconds=1)
    backend = ask(here.server, "players.rotateSecret", **about)
    assert backend["playerSecret"] not in (first["playerSecret"], other["playerSecret"])
    assert ask(owner, "players.rotateSecret", **about).refusal == (409, "idempotency_conflict")


def test_an_export_leaves_an_entry() -> None:
    """Though it only reads; a page of the player does not."""
    here = _with("anna")
    look_up(here, "anna")
    ask(here.operator(), "players.export", external_id="anna")
    (entry,) = (row for row in rows_of(here, AUDIT) if row.action.startswith("admin:"))
    assert (entry.action, entry.permission) == ("admin:players.export", "player.export")
    assert entry.player_id == here.player("anna").player_id


# -- over each of the stores ----------------------------------------------------------------------------------------------


def test_every_store_answers_alike(tmp_path: Path) -> None:
    """The same requests of operators give the same answers and the same trail, and the checker finds nothing."""
    answers: dict[str, list[Any]] = {}
    for name, store_in in STORES.items():
        with store_in(tmp_path) as store:
            here = AddedGame(store, config=parse_config(config()))
            answers[name] = [*_story(here), sorted(map(repr, here.rows(AUDIT)))]
            if name != "memory":
                assert findings(here) == []
    assert answers["sqlite"] == answers["memory"]
    assert answers["postgres"] == answers["memory"]


def _story(here: AddedGame) -> list[Any]:
    for name in ("anna", "bert", "Ünal"):
        here.register(name)
        here.now += 1_000
    for name, called in (("anna", "Amber Otter"), ("bert", "Otter am See")):
        here.as_player(name, "PUT", "/identity", {"name": called, "avatar": None})
    here.as_player("anna", "POST", "/friends/requests", {"externalPlayerId": "bert"})
    here.as_player("bert", "POST", "/friends/requests", {"externalPlayerId": "anna"})
    cookie = here.member("owner@example.com")
    below = f"/admin/v1/studios/{here.made.game.studio_id}/games/{here.made.game.game_id}"

    def desk(method: str, path: str, body: object = None, query: str = "") -> Said:
        here.now += 10
        more = "&".join(filter(None, ("environment=test", query)))
        return here.ask(method, f"{below}{path}", body, query=more, headers=signed_in(cookie))

    gold = {"type": "currency", "resourceKey": "gold", "amount": 30}
    made = desk("POST", "/grants", {"idempotencyKey": "k", "externalPlayerId": "anna", "entries": [gold]})
    grant_id = made.json["data"]["grant"]["grantId"]
    said = [
        made,
        desk("POST", f"/grants/{grant_id}/force-claim", {}),
        desk("POST", "/players/anna/wallet/gold/adjust", {"delta": -5, "reason": "r"}),
        desk("POST", "/players/anna/inventory/sword/adjust", {"delta": 2, "reason": "r"}),
        desk("PUT", "/players/anna/inventory/sword/attributes", {"parameters": {"level": 9}}),
        here.as_player("anna", "POST", "/friends/gifts", {
            "externalPlayerId": "bert", "type": "currency", "resourceKey": "gold", "amount": 5,
        }),
        desk("POST", "/players/bert/ban", {"reason": "r"}),
        desk("POST", "/players/bert/debug", {}),
    ]  # fmt: skip
    for path, query in (
        ("/players", ""), ("/players", "limit=2"), ("/players", "q=otter"), ("/players", "q=otter&limit=1"),
        ("/players", "q=am"), ("/players", "q=%C3%9Cnal"), ("/players", "q=bert"), ("/players/anna", ""),
        ("/players/anna/timeline", ""), ("/players/anna/timeline", "limit=3"), ("/players/bert/timeline", ""),
        ("/players/anna/timeline", "kinds=ledger,gift_sent"), ("/players/anna/wallet/gold/entries", "limit=2"),
        ("/players/anna/inventory/sword/entries", ""), (f"/grants/{grant_id}", ""),
    ):  # fmt: skip
        page = desk("GET", path, query=query)
        said.append(page)
        following = page.json["data"].get("nextCursor")
        if following is not None:
            said.append(desk("GET", path, query=f"{query}&cursor={following}"))
    assert [one.json for one in said if "error" in one.json] == []
    return [one.json for one in said]
