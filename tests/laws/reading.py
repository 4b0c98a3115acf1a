"""Reading beside a sequence: what a place looks like to the studio's backend and to its players, asked over the wire."""

from __future__ import annotations

from tests.laws.games import Place
from tests.laws.playing import Answered, Play
from tests.laws.routes import Arguments, Body
from tests.laws.rows import PlaceRows
from tests.laws.steps import Call


def names_in(play: Play, place: Place) -> list[str]:
    """The external ids of every player of a place."""
    return sorted(player.external_id for player in PlaceRows.of(play.arena, place).players)


def registered_in(play: Play, place: Place) -> list[str]:
    """The players of a place whose secret is known."""
    return sorted(name for name, secrets in play.books[place].secrets.items() if secrets)


def as_server(play: Play, place: Place, name: str, player: str, **arguments: object) -> Body:
    """What the studio's backend reads."""
    call = Call(place, f"server:{name}", player)
    answer = play.probe(play.asked(call, dict(arguments), None))
    assert answer.status == 200, answer.body
    return answer.data


def as_player(play: Play, place: Place, name: str, player: str, **arguments: object) -> Body:
    """What a player's client reads."""
    answer = call_as_player(play, place, name, player, arguments)
    assert answer.status == 200, answer.body
    return answer.data


def call_as_player(play: Play, place: Place, name: str, player: str, arguments: Arguments) -> Answered:
    """What a player's client is answered."""
    secret = play.books[place].secrets[player][-1]
    return play.probe(play.asked(Call(place, f"sdk:{name}", player), dict(arguments), secret))


def every_page(
    play: Play, place: Place, name: str, player: str, list_: str, limit: int, **arguments: object
) -> list[Body]:
    """A list read page by page; `name` is an operation of either surface."""
    secrets = play.books[place].secrets[player]
    rows: list[Body] = []
    secret = secrets[-1] if secrets else None
    cursor: dict[str, object] = {}
    while True:
        asked = play.asked(Call(place, name, player), {**arguments, "limit": limit, **cursor}, secret)
        data = play.probe(asked).data
        assert len(data[list_]) <= limit
        rows += data[list_]
        if data["nextCursor"] is None:
            return rows
        cursor = {"cursor": data["nextCursor"]}
