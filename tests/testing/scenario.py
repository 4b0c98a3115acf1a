"""A scenario that is written once, for whoever calls: the callers of a World, or the clients of a server."""

from __future__ import annotations

import attrs

from livecore import errors
from livecore.surfaces import SdkSurface, ServerSurface


@attrs.frozen
class Refused:
    """How a call was refused."""

    kind: type[errors.ApiError]
    status: int
    code: str
    message: str
    details: dict[str, object]


def refusal(error: errors.ApiError) -> Refused:
    """What an exception says, without what is of one request."""
    return Refused(type(error), error.status, error.code, error.message, dict(error.details))


def play(studio: ServerSurface, alice: SdkSurface, bob: SdkSurface) -> list[object]:
    """Two players become friends, one sends the other gold and sends it too often; gives all answers and refusals."""
    story: list[object] = [
        alice.friends.send_request(external_player_id=bob.external_player_id),
        bob.friends.send_request(external_player_id=alice.external_player_id),
        alice.friends.list(),
        *(studio.wallet.credit(name, "gold", amount=50) for name in (alice.external_player_id, bob.external_player_id)),
    ]
    sent = alice.gifts.send(external_player_id=bob.external_player_id, type="currency", resource_key="gold", amount=10)
    story += [sent, *bob.gifts.iterate_inbox(page_size=1), bob.gifts.claim(sent.gift.gift_id)]
    try:
        alice.gifts.send(external_player_id=bob.external_player_id, type="currency", resource_key="gold", amount=10)
    except errors.GiftCooldown as too_soon:
        story.append(refusal(too_soon))
    try:
        bob.events.start("no-such-event")
    except errors.EventNotFound as unknown:
        story.append(refusal(unknown))
    try:
        alice.players.register()
    except errors.PlayerAlreadyRegistered as again:
        story.append(refusal(again))
    dash = bob.events.start("daily-dash")
    story += [dash, bob.events.progress("daily-dash", dash.attempt.attempt_id, metrics={"points": 120})]
    story += [bob.wallet.get(), alice.wallet.get(), studio.wallet.get(bob.external_player_id)]
    return story
