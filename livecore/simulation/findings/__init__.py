"""What a run shows that its designer should know: sentences about the configuration, found after the run."""

from __future__ import annotations

from livecore.api.configuration.game_config import GameConfig
from livecore.simulation.findings.economy import economy_findings
from livecore.simulation.findings.finding import Finding as Finding
from livecore.simulation.findings.limits import limit_findings
from livecore.simulation.findings.play import play_findings
from livecore.simulation.findings.social import social_findings
from livecore.simulation.observed import Observed


def findings_of(observed: Observed, config: GameConfig) -> list[Finding]:
    """The findings of a run: the warnings first, each in the order of the configuration."""
    found = [
        finding
        for look in (economy_findings, social_findings, play_findings, limit_findings)
        for finding in look(observed, config)
    ]
    return sorted(found, key=lambda finding: finding.weight == "note")
