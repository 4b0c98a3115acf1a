"""An endpoint that an operator has made over HTTP is sent to: samples and events, signed with what was shown."""

from __future__ import annotations

import json
from pathlib import Path

from livecore.access.directory import STUDIOS
from livecore.access.members import add_member
from livecore.access.sessions import start_session
from livecore.api.application import Application
from livecore.api.deploying import new_deployment
from livecore.api.requests.http import Request
from livecore.api.requests.limits import RateLimits
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.webhooks.addresses import NetworkRules
from livecore.webhooks.outbox import ENDPOINTS
from tests.delivery.receivers import receiver
from tests.delivery.rig import KIND, VAULT, Deployment, play


class Desk:
    """The owner of the first game's studio, signed in."""

    def __init__(self, made: Deployment) -> None:
        self.made = made
        self.application = Application(
            made.store,
            clock=lambda: made.now,
            seeds=made.seed,
            deployment=new_deployment(secrets=VAULT.derived("player secrets"), vault=VAULT, urls=NetworkRules()),
            limits=RateLimits.off(),
        )
        self.token = made.store.write(DIRECTORY, self._enter)

    def _enter(self, tx: Transaction) -> str:
        entropy = Entropy(self.made.seed())
        studio = tx.get(STUDIOS, self.made.games[0].studio_id)
        assert studio is not None
        member, _ = add_member(tx, studio, "owner@example.com", "OWNER", self.made.now, entropy)
        return start_session(tx, member.member_id, self.made.now, entropy).token

    def post(self, path: str, body: JsonObject) -> JsonObject:
        """Make a request about the endpoints of the test environment; gives the answer's data."""
        game = self.made.games[0]
        path = f"/admin/v1/studios/{game.studio_id}/games/{game.game_id}/webhooks{path}"
        headers = {
            "cookie": f"livecore={self.token}",
            "sec-fetch-site": "same-origin",
            "content-type": "application/json",
        }
        request = Request("POST", path, "environment=test", headers, json.dumps(body).encode(), "127.0.0.1")
        answer = json.loads(self.application.handle(request).body)
        assert "data" in answer, answer
        data: JsonObject = answer["data"]
        return data


def test_samples_and_events_arrive_signed_with_the_secret_that_was_shown(tmp_path: Path) -> None:
    """After a rotation with both; the database holds the secrets sealed."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook, made.sender() as sender:
            desk = Desk(made)
            created = desk.post("", {"url": hook.url})
            endpoint = created["endpoint"]
            assert isinstance(endpoint, dict)
            desk.post(f"/{endpoint['endpointId']}/sample", {"kind": KIND})
            sender.wake(made.scope)
            sample = await hook.next()
            assert sample.headers["x-svc-webhook-test"] == "1"
            assert sample.event(str(created["secret"]), now=made.now).event_name == KIND
            rotated = desk.post(f"/{endpoint['endpointId']}/rotate-secret", {})
            await made.emit()
            sender.wake(made.scope)
            event = await hook.next()
            await made.until_all("delivered")
            for answer in (created, rotated):
                assert event.event(str(answer["secret"]), now=made.now).event_name == KIND
                assert str(answer["secret"]) not in repr(made.store.dump())
            assert made.store.read(made.scope, lambda tx: tx.get(ENDPOINTS, str(endpoint["endpointId"]))) is not None

    play(tmp_path, scenario)
