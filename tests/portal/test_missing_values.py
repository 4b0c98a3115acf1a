"""Pages about things of which little is known: whatever an answer leaves open, the page is shown, and says so in words.

What an answer may leave open is read from its shape, and every page is tried, so a new page and a new member are tried by
themselves. See `tests.portal.answers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import attrs
import pytest

from livecore_server.portal import Portal, asking
from livecore_server.portal.pages import ROUTES
from livecore_server.portal.views import Action, Route
from tests.portal.answers import Answers
from tests.portal.browsing import Member, Shown
from tests.portal.studio import made_studio, places
from tests.portal.wording import of_a_program

_ON_EVERY_PAGE: Final = {"/portal/", "/portal/studios/{studioId}/games/{gameId}/keys"}
"""The pages on which the answers of which every page is made are changed, too: who looks, and at which games."""
_FRAME: Final = {"session.get", "games.list"}
_OTHER_PLAYER: Final = "cleo"
Look = Callable[[], Shown]


@pytest.fixture(scope="module")
def answers() -> Answers:
    """The answers of a studio with something on every page."""
    return Answers(made_studio())


@pytest.fixture
def member(answers: Answers, monkeypatch: pytest.MonkeyPatch) -> Member:
    """An owner whose pages are made of these answers."""
    monkeypatch.setattr(asking, "Said", answers.said)
    owner = Member.of(answers.world)
    return attrs.evolve(owner, portal=Portal(answers.world.application, answers.ask))


def looks(member: Member, route: Route) -> Iterator[tuple[str, Look]]:
    """The ways to look at a page, by name: to open it, and of an action in two steps to send the form of the first."""
    address = places(member.world, route.path)
    yield route.path, lambda: member.open(address)
    if isinstance(route, Action) and route.review is not None:
        first = member.open(address)
        (content,) = first.page.all("main")
        empty = [one for one in content.all("input", type="text") if not one.attributes["value"]]
        form = first.form(**{one.attributes["name"]: _OTHER_PLAYER for one in empty})
        yield f"{route.path} (second step)", lambda: member.submit(address, form)


def problem_of(shown: Shown) -> str:
    """What is wrong with a page, or the empty text."""
    return f"status {shown.status}" if shown.status >= 500 else ", ".join(of_a_program(shown))


def every_look(answers: Answers, member: Member) -> Iterator[tuple[str, Look, Route]]:
    """Every page of the portal, with the answers as they are."""
    for route in ROUTES:
        answers.change, answers.bare = None, False
        yield from ((name, look, route) for name, look in looks(member, route))


def test_a_page_shows_everything_that_an_answer_may_hold(answers: Answers, member: Member) -> None:
    """With each optional member there, none null, and no list empty."""
    wrong = []
    for name, look, _ in every_look(answers, member):
        shown = look()
        if shown.status != 200 or problem_of(shown):
            wrong.append(f"{name}: {problem_of(shown)} (status {shown.status})")
    assert wrong == [], "\n".join(wrong)


def test_a_page_is_shown_without_anything_that_an_answer_may_lack(answers: Answers, member: Member) -> None:
    """With everything left out that may be, and everything null that may be, at once."""
    wrong = []
    for name, look, _ in every_look(answers, member):
        answers.bare = True
        shown = look()
        if problem_of(shown):
            wrong.append(f"{name}: {problem_of(shown)}")
    assert wrong == [], "\n".join(wrong)


def test_a_page_is_shown_whatever_is_missing(answers: Answers, member: Member) -> None:
    """One member after the other is left out, null, empty or another of its values, where the page reads it."""
    wrong, tried = [], 0
    for name, look, route in every_look(answers, member):
        answers.asked.clear()
        answers.read.clear()
        look()
        for change in answers.changes():
            if change.operation in _FRAME and route.path not in _ON_EVERY_PAGE:
                continue
            answers.change = change
            tried += 1
            if problem := problem_of(look()):
                wrong.append(f"{name}, {change}: {problem}")
    assert wrong == [], "\n".join(wrong)
    assert tried > len(ROUTES)
