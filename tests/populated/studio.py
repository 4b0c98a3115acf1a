"""What the studio of the populated game does: members, keys, settings, and endpoints of webhooks in every state."""

from __future__ import annotations

from typing import Any, Final

from livecore.access.roles import ROLES
from livecore.kernel.units.unit import Unit
from livecore.webhooks.dispatch import Attempt, lease_due, record_attempt
from livecore.webhooks.outcome import Outcome, answered, unanswered
from livecore.world import World
from tests.populated.playing import Play
from tests.worlds import sign_in_with_account

_KINDS: Final = ("gift.sent", "friend.request_accepted", "guild.help_requested")


def manage_members(play: Play) -> None:
    """A member of each role, one with a single game, some who have not signed in yet or are gone; keys of their own."""
    owner, world = play.member(), play.world
    owner.call("studios.update", name=f"{play.people.things[0]} Studio")
    for role in ROLES:
        play.member(role).call(
            "personalKeys.create", name=play.people.things[0], expires_in_days=90, read_only=role == "VIEWER"
        )
    for email, role in (
        ("invited+\u00e9@example.com", "VIEWER"),
        ("viewer_in@example.com", "VIEWER"),
        ("gone@example.com", "ADMIN"),
    ):
        owner.call("members.invite", email=email, role=role)
    sign_in_with_account(world, "viewer_in@example.com")
    listed: Any = owner.call("members.list")
    ids = {one["email"]: one["memberId"] for one in listed["members"]}
    owner.call("members.remove", member_id=ids["gone@example.com"])
    owner.call("games.create", name=f"Second game {play.people.things[5]}")
    owner.call(
        "members.update", member_id=ids["game_developer@example.com"], role="GAME_DEVELOPER", games=[world.game.game_id]
    )


def manage_keys(play: Play) -> None:
    """Keys that are active, that retire after a rotation, and that have ended, in both environments."""
    owner = play.member()
    for environment in ("live", "test"):
        for name in ("backend", play.people.things[0], "old"):
            made: Any = owner.call("keys.create", environment=environment, permission="server", name=name)["key"]
            if name == "old":
                owner.call("keys.revoke", key_id=made["keyId"])
            if name == "backend":
                owner.call("keys.rotate", key_id=made["keyId"])


def add_endpoints(play: Play) -> None:
    """One for each thing that can become of a delivery, and one in the test environment."""
    owner = play.member()
    for key in ("backend", "broken", "gone", "slow", "removed", play.people.things[0]):
        owner.call(
            "webhooks.create", url=f"https://example.com/{key if key.isalpha() else 'hooks'}?token=abc", key=key,
            events=["*"] if key == "backend" else list(_KINDS),
        )  # fmt: skip
    owner.call("webhooks.create", url="https://example.com/test", key="test", events=["*"], environment="test")


def send(world: World) -> None:
    """Attempt what is due in both environments."""

    def attempt(unit: Unit) -> int:
        leased = lease_due(unit, 500)
        for one in leased:
            record_attempt(unit, one.delivery_id, one.number, _outcome(one, unit.now))
        return len(leased)

    for scope in world.scopes:
        while world.unit_of_work(attempt, scope):
            pass


def _outcome(one: Attempt, now: int) -> Outcome:
    if "/broken" in one.url or "/removed" in one.url:
        return answered(500, now=now)
    if "/gone" in one.url:
        return answered(410, now=now)
    if "/slow" in one.url:
        return unanswered("timeout")
    if "/backend" in one.url and one.kind == "webhook.endpoint.failed":
        return answered(503, now=now)
    refused = "/backend" in one.url and sum(one.body) % 17 == 0 and one.number < 3
    return unanswered("connection_reset") if refused else answered(204, now=now)


def tidy_endpoints(play: Play) -> None:
    """Send samples, pause one endpoint, remove one, rotate a secret, and send some of what failed again."""
    owner = play.member()
    listed: Any = owner.call("webhooks.list")["endpoints"]
    ids = {one["key"]: one["endpointId"] for one in listed}
    owner.call("webhooks.sample", endpoint_id=ids["backend"], kind="gift.sent")
    owner.call("webhooks.rotateSecret", endpoint_id=ids["backend"])
    owner.call("webhooks.remove", endpoint_id=ids["removed"])
    failed: Any = owner.call("deliveries.list", status="failed", limit=2)["deliveries"]
    for one in failed:
        owner.call("deliveries.replay", delivery_id=one["deliveryId"])
    send(play.world)
    owner.call("webhooks.pause", endpoint_id=ids[play.people.things[0]])


def manage_settings(play: Play) -> None:
    """Versions of the settings, one of which restores an earlier one."""
    owner = play.member()
    present: Any = owner.call("settings.get")
    version, config = present["version"], present["config"]
    for name in (play.people.things[0], "Otter Kingdom \U0001f9a6"):
        applied: Any = owner.call("settings.apply", config={**config, "name": name}, version=version)
        version = applied["version"]
    owner.call("settings.restore", version=1, present_version=version)
