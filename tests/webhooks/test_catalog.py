"""The event catalog against the table written by hand, and the samples of every kind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import UnionType
from typing import Union, get_args, get_origin

import attrs
import pytest

from livecore.api.areas import AREAS
from livecore.guilds import webhook_events as guild_events
from livecore.kernel.errors import camel
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import compact, decode, decode_lenient, encode
from livecore.kernel.wire.shapes import ABSENT, Absent
from livecore.players import webhook_events as player_events
from livecore.webhooks.payload import Payload
from tests.samples import sample
from tests.webhooks.oracle import FIELDS, NESTED, VALUES

ROOT = Path(__file__).parents[2]


def field_names(kind: type) -> set[str]:
    """The wire names of a shape's fields; `?` marks those that may be left out."""
    return {camel(field.name) + ("?" if field.default is ABSENT else "") for field in attrs.fields(kind)}


def field_type(kind: type, wire_name: str) -> object:
    """The type of one field, without null and absence."""
    attrs.resolve_types(kind)
    (found,) = (field.type for field in attrs.fields(kind) if camel(field.name) == wire_name)
    if get_origin(found) in {Union, UnionType}:
        (found,) = (part for part in get_args(found) if part not in {type(None), Absent})
    return found


def test_catalog_has_exactly_the_kinds_of_the_specification() -> None:
    """No kind is missing and none is invented."""
    assert set(AREAS.events) == set(FIELDS)
    assert len(FIELDS) == 58


def test_each_kind_that_is_emitted_is_named_by_the_area_that_emits_it() -> None:
    """What an area's modules import to emit is what its declaration says."""
    for area in AREAS.all:
        modules = [module for name, module in sys.modules.items() if name.startswith(f"livecore.{area.name}.")]
        used = {
            value.kind
            for module in modules
            if "webhook_events" not in module.__name__
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Payload) and value is not Payload
        }
        assert used == {event.kind for kinds in area.events.values() for event in kinds}, area.name


@pytest.mark.parametrize("kind", FIELDS)
def test_fields_are_the_written_ones(kind: str) -> None:
    """Each payload has the fields that the specification shows and those that we decided, no other."""
    shown, ours = FIELDS[kind]
    assert field_names(AREAS.events[kind]) == {*shown.split(), *ours.split()}


@pytest.mark.parametrize(("kind", "field"), NESTED)
def test_nested_fields_are_the_written_ones(kind: str, field: str) -> None:
    """What lies one level deeper has the written fields too."""
    found = field_type(AREAS.events[kind], field)
    nested = get_args(found)[0] if get_origin(found) is tuple else found
    assert isinstance(nested, type)
    assert field_names(nested) == set(NESTED[kind, field].split())


@pytest.mark.parametrize(("kind", "field"), VALUES)
def test_values_are_the_written_ones(kind: str, field: str) -> None:
    """Where the specification lists a field's values, the type has exactly these."""
    assert set(get_args(field_type(AREAS.events[kind], field))) == set(VALUES[kind, field].split())


@pytest.mark.parametrize("kind", FIELDS)
def test_moments_are_timestamps(kind: str) -> None:
    """Every field that tells a moment is a timestamp, and shows as one on the wire."""
    row = encode(sample(kind))
    assert isinstance(row, dict)
    for name, value in row.items():
        if name.endswith("At") or name in {"friendsSince", "fillBy"}:
            assert field_type(AREAS.events[kind], name) is Timestamp
            assert value is None or (isinstance(value, str) and value.endswith(".000Z"))


@pytest.mark.parametrize("kind", FIELDS)
def test_sample_is_complete_and_always_the_same(kind: str) -> None:
    """A sample fills each field that is always there, never with the same object's state of a call before."""
    row = encode(sample(kind))
    assert isinstance(row, dict)
    assert set(row) == {name for name in field_names(AREAS.events[kind]) if not name.endswith("?")}
    assert compact(row) == compact(encode(sample(kind)))


@pytest.mark.parametrize("kind", FIELDS)
def test_sample_is_read_back(kind: str) -> None:
    """A receiver reads each sample as the typed payload that was sent, strictly and leniently."""
    payload = sample(kind)
    row = json.loads(compact(encode(payload)))
    assert decode(type(payload), row) == payload
    assert decode_lenient(AREAS.events[kind], row) == payload


def test_receiver_keeps_values_and_ignores_fields_that_came_later() -> None:
    """A newer sender's additional field and enumeration value do not break an older receiver."""
    row = json.loads(compact(encode(sample("friend.removed"))))
    read = decode_lenient(AREAS.events["friend.removed"], {**row, "reason": "moved_away", "since": 3})
    assert encode(read) == {**row, "reason": "moved_away"}


def test_two_sides_of_a_sample_are_two_players() -> None:
    row = encode(sample("gift.sent"))
    assert isinstance(row, dict)
    assert row["senderPlayerId"] != row["recipientPlayerId"]
    assert row["senderExternalPlayerId"] != row["recipientExternalPlayerId"]


def test_unknown_kind_has_no_sample() -> None:
    """Asking for the sample of no kind is an error of its own, not an empty payload."""
    with pytest.raises(KeyError):
        sample("gift.lost")


def test_groups_hold_each_kind_once_and_say_when_it_fires() -> None:
    """The display order has every kind in one place, each with a sentence for the documents."""
    listed = [payload for group in AREAS.event_groups.values() for payload in group]
    assert [payload.kind for payload in listed] == list(AREAS.events)
    assert len(set(listed)) == len(listed)
    for payload in listed:
        assert payload.__doc__
        assert not payload.__doc__.startswith(payload.__name__)


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        (player_events.Actor.api_key("lc_live"), {"kind": "api_key", "prefix": "lc_live"}),
        (player_events.Actor.member("mbr_1"), {"kind": "member", "memberId": "mbr_1"}),
        (guild_events.By.player("plr_1", "e1"), {"kind": "player", "playerId": "plr_1", "externalPlayerId": "e1"}),
        (guild_events.By.member("mbr_1"), {"kind": "member", "memberId": "mbr_1"}),
        (guild_events.By.api_key("lc_live"), {"kind": "api_key", "apiKeyPrefix": "lc_live"}),
        (guild_events.By.system(), {"kind": "system"}),
    ],
)
def test_actors_show_only_what_belongs_to_their_kind(who: object, expected: dict[str, str]) -> None:
    """Each sort of actor has its own fields on the wire and no empty ones."""
    assert encode(who) == expected


def test_importing_one_subject_loads_no_other() -> None:
    """Whoever emits friends' events loads of the webhooks the base of all payloads alone."""
    program = (
        "import sys; import livecore.social.webhook_events as one; "
        "print(sorted(name for name in sys.modules if name.startswith('livecore.webhooks.')))"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.strip() == "['livecore.webhooks.payload']"
