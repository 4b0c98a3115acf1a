"""Leaderboards: scores that the client submits, and looking at where one stands."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.simulation.behaviour import Me

_SCALE = 1_000


def submit_scores(me: Me) -> Iterator[float]:
    """Submit a score to each board that takes it from the client."""
    for board in me.game.boards:
        if not me.chance(f"submit-{board.key}", 0.6 * me.traits.activities.events):
            continue
        yield me.wait("submit", 10, 60)
        well = 0.3 * me.draw(f"score-{board.key}").unit_interval() + 0.7 * me.traits.skill
        score = round(_SCALE * (1.2 - well if board.order == "asc" else well))
        most = me.game.limit(board)
        me.do("leaderboards.submit", key=board.key, score=score if most is None else min(score, most))


def look_at_boards(me: Me) -> Iterator[float]:
    """Look where one stands, in the game or among friends."""
    boards = me.game.config.leaderboards
    if boards:
        board = me.choose("board", boards)
        yield me.wait("board", 2, 10)
        which = me.draw("board-view").below(3)
        if which == 0:
            me.do("leaderboards.getOwn", key=board.key)
        elif which == 1:
            me.do("leaderboards.friends", key=board.key, limit=10)
        else:
            me.do("leaderboards.get", key=board.key, limit=20)
    shown = [attempt.leaderboard_id for attempt in me.known.attempts.values() if attempt.leaderboard_id is not None]
    if shown and me.chance("event-board", 0.3):
        yield me.wait("board", 2, 10)
        me.do("leaderboards.getEvent", leaderboard_id=me.choose("event-board-shown", shown), limit=20)
