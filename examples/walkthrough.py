"""From two registrations to a claimed gift, over HTTP, with a webhook receiver that must receive each event once.

    $ python -m examples.walkthrough            # starts its own server, in a temporary directory

For a server that runs already, such as `livecore dev`, give its address and its two keys; and if it has a webhook endpoint
at http://localhost:9797/, also the port and the secret of the endpoint:

    $ python -m examples.walkthrough http://127.0.0.1:8787 lc_test_client_… lc_test_server_… [9797 whsec_…]
"""

from __future__ import annotations

import secrets
import sys
from collections import Counter

from examples.own_server import own_server
from examples.webhook_receiver import Receiver
from livecore_client import SdkClient, ServerClient

EXPECTED = Counter(
    {
        "player.registered": 2,
        "player.secret_set": 2,
        "friend.request_sent": 1,
        "friend.request_accepted": 1,
        "gift.sent": 1,
        "grant.created": 1,  # the gift is delivered as a grant
        "gift.claimed": 1,
        "grant.claimed": 1,
        "wallet.changed": 3,  # the studio's welcome, what Alice gives, what Bob gets
    }
)
"""All events of the walkthrough. The server may deliver one twice; the receiver counts it once."""


def say(what: str) -> None:
    """Print a line for the reader."""
    print(f"{what}\n", end="", flush=True)  # in one piece: the receiver's thread prints, too


def play(base_url: str, client_key: str, server_key: str) -> None:
    """Play the walkthrough."""
    run = secrets.token_hex(3)  # new names, so that it can be repeated on one server
    studio = ServerClient(base_url=base_url, api_key=server_key)
    alice = SdkClient(base_url=base_url, api_key=client_key, external_player_id=f"alice-{run}")
    bob = SdkClient(base_url=base_url, api_key=client_key, external_player_id=f"bob-{run}")
    with studio, alice, bob:
        for client in (alice, bob):
            name = client.players.register().display_identity.name
            say(f"{client.external_player_id} registers, and is called {name!r} until choosing a name")

        code = bob.friends.get_code().friend_code
        request = alice.friends.send_request(friend_code=code).request
        say(f"Bob tells Alice his friend code, {code}; she asks him to be friends")
        assert request
        bob.friends.accept_request(request.request_id)
        say("Bob accepts")

        with alice.presence.beating(status="in the garden"):
            bob.presence.heartbeat(status="at the well")
            (row,) = alice.friends.list().friends
            say(f"Alice sees Bob online, {row.status}")
            assert row.online

            studio.wallet.credit(f"alice-{run}", "gold", amount=100, reason="welcome")
            gift = alice.gifts.send(
                friend_code=code, type="currency", resource_key="gold", amount=25, message="For a rainy day"
            ).gift
            say(f"the studio gives Alice 100 gold, and she sends Bob 25 of it: {gift.message}")

        (waiting,) = bob.gifts.inbox(pending_only=True).gifts
        bob.gifts.claim(waiting.gift_id)
        balances = [
            next(row.balance for row in client.wallet.get().balances if row.key == "gold") for client in (alice, bob)
        ]
        say(f"Bob claims it; Alice has {balances[0]} gold and Bob {balances[1]}")
        assert balances == [75, 25]


def check(receiver: Receiver, came: Counter[str]) -> None:
    """Compare the events that the receiver got with the expected ones."""
    assert came == EXPECTED, f"missing {dict(EXPECTED - came)}, too much {dict(came - EXPECTED)}"
    assert receiver.refused == 0
    say(f"{came.total()} events came, every signature was right, none is missing and none too much")


def main(arguments: list[str]) -> None:
    """Play on the server that the arguments name, or on a new one."""
    if arguments:
        base_url, client_key, server_key, *webhook = arguments
        if not webhook:
            play(base_url, client_key, server_key)
            return
        with Receiver(int(webhook[0]), webhook[1]) as receiver:
            play(base_url, client_key, server_key)
            check(receiver, receiver.wait_for(EXPECTED, seconds=20))
        return
    with Receiver() as receiver:
        with own_server() as server:
            receiver.secrets.append(server.add_webhook(receiver.url))
            play(server.base_url, server.client_key, server.server_key)
            receiver.wait_for(EXPECTED, seconds=20)
        check(receiver, receiver.kinds())  # now that the server has ended, nothing can follow


if __name__ == "__main__":
    main(sys.argv[1:])
