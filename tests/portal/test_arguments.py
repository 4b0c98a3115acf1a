"""What forms know of the operations that they fill: read from the shapes of the arguments, and said nowhere else."""

from __future__ import annotations

import asyncio

import pytest

from livecore.api.requests.http import Request
from livecore_server.portal.arguments import Argument, argument_of
from livecore_server.portal.asking import Asking, admin_operation
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here, enter_game, enter_studio, look
from livecore_server.portal.pages import ROUTES
from livecore_server.portal.views import Action, find, patterns
from tests.portal.browsing import Member
from tests.portal.studio import made_studio, places


@pytest.mark.parametrize(
    ("operation", "path", "expected"),
    [
        ("players.ban", "reason", Argument("textarea", most=500)),
        ("players.flagDebug", "reason", Argument("textarea", required=False, most=500)),
        ("guilds.update", "badge", Argument(required=False, missing="null", most=512)),
        ("webhooks.update", "key", Argument(required=False, most=64)),
        ("inventory.setAttributes", "parameters", Argument("json", required=False, missing="null")),
        ("wallet.adjust", "delta", Argument("number")),
        ("keys.create", "permission", Argument("select", values=("client", "server"))),
        ("grants.create", "entries[2].resourceKey", Argument(most=64)),
        ("grants.create", "entries[0].amount", Argument("number")),
        ("members.invite", "games", Argument("checkboxes", required=False)),
        ("settings.apply", "refundPendingGifts", Argument("checkbox", required=False)),
        ("players.merge", "toExternalId", Argument(most=128)),
    ],
)
def test_what_a_shape_says_of_an_argument(operation: str, path: str, expected: Argument) -> None:
    """Also of one inside a list, and of one in the operation's path."""
    assert argument_of(operation, path) == expected


@pytest.mark.parametrize("path", ["", "nothing", "entries[0].nothing"])
def test_what_is_no_argument_has_no_field(path: str) -> None:
    """A field of that name would fill nothing."""
    with pytest.raises(LookupError):
        argument_of("grants.create", path)


def test_a_name_that_is_longer_than_names_may_be_stays() -> None:
    """It is from before the limit, and whoever changes something else must be able to send it again."""
    field = Field(operation="guilds.update", name="name", label="Name", value="x" * 41)
    assert field.most == 41


def test_values_have_labels_and_stand_in_their_order() -> None:
    """A value of which nothing is said is called by its own words, and a label of no value is not shown."""
    labels = {"server": "the backend", "nobody": "nobody"}
    field = Field(operation="keys.create", name="permission", label="For", labels=labels, nothing="any")
    assert field.choices == (("", "any"), ("server", "the backend"), ("client", "client"))


def test_every_field_fills_its_own_operation() -> None:
    """One that only confirms what the form does has no operation."""
    world = made_studio()
    owner = Member.of(world)
    table = patterns(ROUTES)

    async def fields_of(action: Action) -> tuple[Field, ...]:
        path, _, query = places(world, action.path).partition("?")
        asking = Asking(owner.portal._ask, Request("GET", path, query, owner.headers), "")
        found = find(table, path)
        assert found is not None
        here = Here(asking, await look(asking), found[1], {}, "test", world.now)
        step = await action.begin(await enter_game(enter_studio(here)))
        return step.fields if action.fields is None else action.fields

    seen = 0
    for action in ROUTES:
        if isinstance(action, Action):
            for field in asyncio.run(fields_of(action)):
                operation = "" if field.expects else action.operation
                assert field.operation == operation, (action.path, field.name)
                assert not operation or argument_of(admin_operation(operation).name, field.path or field.name)
                seen += 1
    assert seen > 30
