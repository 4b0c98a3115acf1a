"""What waits for the reader of a stream: bounded, in order, each thing once, and never silently less than it should be."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import notice_of
from livecore.kernel.units.streams import Follower, Message, Stream
from livecore.kernel.values import keyword_value as shape

HERE: Final = Scope("gam_1", "test")


@shape
class Said:
    """Some data."""

    text: str


def said(text: str, *, about: str | None = None, droppable: bool = False, last: bool = False) -> Message:
    """A message."""
    return Message(event="said", data=Said(text=text), replaces=about, droppable=droppable, last=last)


def hear(
    follower: Follower, text: str, *, about: str | None = None, droppable: bool = False, last: bool = False
) -> None:
    """Have the follower hear of a message."""
    follower.receive(notice_of(HERE, "t", {"text": text, "about": about, "droppable": droppable, "last": last}))


def _following(payload: JsonObject) -> tuple[Message, ...]:
    about = payload["about"]
    return (
        said(
            str(payload["text"]),
            about=None if about is None else str(about),
            droppable=bool(payload["droppable"]),
            last=bool(payload["last"]),
        ),
    )


def stream(*first: str, most: int = 3) -> Stream:
    """A stream whose notices are messages."""
    return Stream(
        topics=("t",),
        first=tuple(map(said, first)),
        following=_following,
        closing=lambda reason: said(reason, last=True),
        most_waiting=most,
    )


def texts(follower: Follower) -> list[str]:
    """What is taken."""
    return [message.data.text for message in follower.take()]


def test_what_was_heard_while_it_was_read_comes_after_the_first_messages() -> None:
    """Nothing is lost between subscribing and reading, and nothing overtakes how things stood."""
    follower = Follower()
    hear(follower, "early")
    assert texts(follower) == []
    follower.begin(stream("first", "second"))
    hear(follower, "later")
    assert texts(follower) == ["first", "second", "early", "later"]


def test_another_reading_voids_what_was_heard_before() -> None:
    """It knows it already."""
    follower = Follower()
    hear(follower, "early")
    follower.restart()
    follower.begin(stream("first"))
    assert texts(follower) == ["first"]


def test_of_what_is_about_the_same_the_newest_waits() -> None:
    """At the place of the newest, and the one that was taken already is not taken back."""
    follower = Follower()
    follower.begin(stream())
    for text in ("a1", "b1", "a2"):
        hear(follower, text, about=text[0])
    assert texts(follower) == ["b1", "a2"]
    hear(follower, "a3", about="a")
    assert texts(follower) == ["a3"]


def test_what_may_be_dropped_is_where_there_is_no_room() -> None:
    """And the stream goes on."""
    follower = Follower()
    follower.begin(stream())
    for text in "abcde":
        hear(follower, text, droppable=True)
    assert texts(follower) == ["a", "b", "c"]
    assert not follower.too_slow
    hear(follower, "f")
    assert texts(follower) == ["f"]


def test_without_room_the_reader_is_too_slow() -> None:
    """For what may not be dropped; nothing more waits then, and whoever sends hears of it."""
    woken: list[bool] = []
    follower = Follower(woken=lambda: woken.append(follower.too_slow))
    follower.begin(stream())
    for text in "abcd":
        hear(follower, text)
    assert follower.too_slow
    assert woken[-1]
    hear(follower, "e")
    assert texts(follower) == ["a", "b", "c"]


def test_who_can_send_at_once_is_asked_before() -> None:
    """A burst is no sign of a slow reader: what waits is taken while there is no room."""
    taken: list[str] = []
    follower = Follower(relieved=lambda: taken.extend(texts(follower)))
    follower.begin(stream())
    for text in "abcdefgh":
        hear(follower, text)
    assert not follower.too_slow
    assert taken + texts(follower) == list("abcdefgh")


def test_the_last_message_ends_it() -> None:
    """It finds room even where there is none, and nothing comes after it."""
    follower = Follower()
    follower.begin(stream())
    for text in ("a", "b", "c", "end", "after"):
        hear(follower, text, last=text == "end")
    assert follower.ended
    assert texts(follower) == ["a", "b", "c", "end"]


def test_it_is_ended_from_without_once() -> None:
    """With the stream's own message for the reason; before it has begun there is nothing to say."""
    follower = Follower()
    follower.begin(stream())
    follower.end("key_revoked")
    follower.end("server_draining")
    assert texts(follower) == ["key_revoked"]
    unbegun = Follower()
    unbegun.end("server_draining")
    unbegun.begin(stream("first"))
    assert (unbegun.ended, texts(unbegun)) == (True, [])


@given(
    most=st.integers(1, 5),
    steps=st.lists(st.one_of(st.just("take"), st.tuples(st.sampled_from("abc"), st.booleans())), max_size=40),
)
def test_a_reader_misses_nothing_that_counts(most: int, steps: list[Any]) -> None:
    """Law: whatever the order of hearing and taking, the newest of each thing is taken in the end, unless it says too slow.

    What may be dropped is left out of it; never do more than `most` wait.
    """
    follower, newest, got = Follower(), {}, {}
    follower.begin(stream(most=most))
    for number, step in enumerate(steps):
        if step == "take":
            got.update({message.replaces: message.data.text for message in follower.take()})
            continue
        about, droppable = step
        hear(follower, str(number), about=about, droppable=droppable)
        if not droppable:
            newest[about] = str(number)
        assert len(follower._waiting) <= most
    got.update({message.replaces: message.data.text for message in follower.take()})
    if not follower.too_slow:
        assert all(int(got[about]) >= int(number) for about, number in newest.items())


def test_what_was_missed_is_read_anew() -> None:
    """What waits is still sent, what is heard meanwhile comes after the new first messages, and the last id is known."""
    follower = Follower()
    follower.begin(stream("first"))
    missed = [follower.missed]
    follower.miss()
    missed.append(follower.missed)
    follower.restart()
    assert [*missed, follower.missed] == [False, True, False]
    hear(follower, "meanwhile")
    follower.begin(stream("again"))
    assert texts(follower) == ["first", "again", "meanwhile"]
    assert follower.last_id is None
    follower.begin(Stream(topics=(), first=(Message(event="said", data=Said(text="x"), id="7"),), following=_following))
    follower.take()
    assert follower.last_id == "7"


@pytest.mark.parametrize("early", [10_000, 10_001])
def test_hearing_too_much_before_it_begins(early: int) -> None:
    """What is kept while the first messages are read is bounded, too."""
    follower = Follower()
    for _ in range(early):
        hear(follower, "x", droppable=True)
    assert follower.too_slow is (early > 10_000)
