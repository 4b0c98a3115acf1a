"""Receivers with one mistake each, rehearsed as functions and over sockets: exactly the mistake is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from livecore.rehearsal.advice import CHANGES
from livecore.rehearsal.deliveries import FORGERIES
from livecore.testing import Rehearsal
from tests.rehearsal.mistakes import MISTAKES, Mistake
from tests.rehearsal.receivers import SECRET, Receiver, listening
from tests.server.commands import Command

EVERY = pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.receiver.__name__)


@EVERY
def test_a_function_with_a_mistake_is_found_out(mistake: Mistake) -> None:
    """By its own count of effects; the findings name the step or the forgery, and say what to change."""
    receiver = mistake.receiver()
    verdict = Rehearsal().verdict(receiver, secret=SECRET, applied=receiver.applied, scenario=mistake.scenario)
    found = {(finding.code, finding.exchange.delivery.forgery or finding.step) for finding in verdict.findings}
    assert found == mistake.findings
    assert all(finding.message.startswith("It ") and finding.change for finding in verdict.findings)


@EVERY
def test_a_receiver_on_a_socket_with_a_mistake_is_found_out(
    mistake: Mistake, tmp_path: Path, livecore: Command
) -> None:
    """By the command, which believes the header of the answers and ends with status 1."""
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps(mistake.scenario), "utf-8")
    with listening(mistake.receiver().reply) as url:
        ended = livecore("rehearse", "--to", url, "--secret", SECRET, "--scenario", scenario, "--json")
    assert ended.status == 1
    found: list[dict[str, Any]] = ended.json["findings"]
    assert {(finding["code"], finding["forgery"] or finding["step"]) for finding in found} == mistake.findings
    assert ended.json["sound"] is False


def test_a_right_receiver_passes_every_step() -> None:
    """All steps of the scenario that is built in, with many events at the same moment."""
    receiver = Receiver()
    verdict = Rehearsal()(receiver, secret=SECRET, applied=receiver.applied)
    assert (verdict.sound, verdict.notes, verdict.sent) == (True, (), verdict.planned)
    assert all(step.as_expected == step.sent for step in verdict.steps)
    assert set(receiver.effects.values()) == {1}


def test_a_right_receiver_on_a_socket_passes_every_step(livecore: Command) -> None:
    """The command ends with status 0, and its last line says so."""
    receiver = Receiver()
    with listening(receiver.reply) as url:
        ended = livecore("rehearse", "--to", url, "--secret", SECRET)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.splitlines()[-1] == "Nothing is wrong with the receiver."
    assert set(receiver.effects.values()) == {1}


def test_every_mistake_is_planted() -> None:
    """Each forgery, and each right step of which the words of a refusal speak, fails at some receiver."""
    found = {place for mistake in MISTAKES for _, place in mistake.findings}
    assert set(FORGERIES) <= found
    assert {"duplicates", "late", "rotation", "unknown_events", "unknown_members"} <= found & set(CHANGES)
