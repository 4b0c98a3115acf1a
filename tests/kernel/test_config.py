"""Reading a configuration, shown on parts that no area has: the kernel knows how to read, and not what is declared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import pytest

from livecore.api.configuration.game_config import GameConfig
from livecore.api.configuration.game_config import load_config as load_game
from livecore.kernel.errors import Json, ValidationFailed
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire import encode
from livecore.kernel.wire.config import Config, ConfigReader, Fault, declared_twice, section
from livecore.kernel.wire.shapes import Int, Items, Key


@shape
class Page:
    """A page of a guestbook."""

    key: Key
    lines: Annotated[int, Int(1, 100)] = 10


@section
class GuestbookConfig(Config):
    """A part of the configuration, such as an area declares."""

    pages: Annotated[tuple[Page, ...], Items(0, 10)] = ()


@section
class DoorConfig(Config):
    """Another part."""

    most_guests: Annotated[int, Int(1, 50)] = 5


@section
class Whole(DoorConfig, GuestbookConfig):
    """Both parts."""


def _pages_twice(config: GuestbookConfig) -> Iterator[Fault]:
    yield from declared_twice("pages", (page.key for page in config.pages))


def _too_few_pages(config: Whole) -> Iterator[Fault]:
    if len(config.pages) > config.most_guests:
        yield "mostGuests", "must be as many as there are pages"


READER = ConfigReader(
    Whole,
    faults=(_pages_twice, _too_few_pages),
    in_words=lambda path, text: "must be a number of people" if path == "mostGuests" else text,
)


def faults(data: Json) -> dict[str, str]:
    """What is wrong with a configuration."""
    with pytest.raises(ValidationFailed) as caught:
        READER.parse(data)
    return dict(caught.value.fields)


def test_the_kernel_declares_a_name_and_no_feature() -> None:
    """Everything else is declared by areas."""
    assert encode(Config()) == {"name": "Untitled game"}


def test_parts_are_read_as_one() -> None:
    """Each part has its fields, the last named part first, and every field keeps its default."""
    config = READER.load('{"$schema": "https://example.org/", "pages": [{"key": "front"}], "mostGuests": 7}')
    assert config == Whole(pages=(Page(key="front"),), most_guests=7)
    assert encode(config) == {
        "name": "Untitled game", "pages": [{"key": "front", "lines": 10}], "mostGuests": 7,
    }  # fmt: skip
    assert READER.load("{}") == Whole()


def test_an_area_more_declares_a_part_beside_the_games() -> None:
    """The game's own parts are read as before, and the part of the area beside them."""

    @section
    class Larger(GuestbookConfig, GameConfig):
        """The game's configuration, and a guestbook."""

    text = '{"name": "Demo", "items": [{"key": "potion"}], "pages": [{"key": "front"}]}'
    config = ConfigReader(Larger).load(text)
    assert ([page.key for page in config.pages], config.item("potion") is not None) == (["front"], True)
    with pytest.raises(ValidationFailed) as caught:
        load_game(text)
    assert list(caught.value.fields) == ["pages"]


def test_faults_of_every_part_are_told_at_once_with_path_and_key() -> None:
    """Those of single fields, and those of fields that stand against each other."""
    doubled: list[Json] = [{"key": "front"}, {"key": "front"}]
    assert faults({"pages": doubled, "mostGuests": 1}) == {
        "pages[1].key": "is declared twice (the entry with key 'front')",
        "mostGuests": "must be as many as there are pages; it is 1",
    }
    told = faults({"pages": [*doubled, {"key": "back", "lines": 0}], "colour": "red"})
    assert set(told) == {"pages[1].key", "pages[2].lines", "colour"}
    assert told["pages[2].lines"].endswith("(the entry with key 'back')")


def test_a_part_may_say_in_its_own_words_what_cannot_be_read() -> None:
    """For the fields that it knows."""
    assert faults({"mostGuests": "many", "name": 7})["mostGuests"] == "must be a number of people; it is 'many'"
    assert "people" not in faults({"mostGuests": "many", "name": 7})["name"]


def test_what_was_stored_is_not_judged_again() -> None:
    """Only what a file demands is left out; the text is still read as it is."""
    assert READER.stored('{"pages": [{"key": "front"}, {"key": "front"}]}').pages[1].key == "front"
