"""Numbers without a unit are those of the code, each in its sentence. Those with one are in `quantities.py`."""

from __future__ import annotations

from typing import Final

import pytest

from tests.docs.quantities import value_of
from tests.pages import ROOT

_VALUES: Final = (
    "livecore.api.table.operation:MOST_BODY_VALUES['sdk']",
    "livecore.api.table.operation:MOST_BODY_VALUES['server']",
    "livecore.api.routes.migration:_MOST_BODY_VALUES",
)
_GUESSES: Final = "livecore.players.throttle:FAILURES_ALLOWED"
_PURCHASES: Final = "livecore.commerce.config:fields(PurchaseLimits)"
_RETRIED: Final = "livecore_client._retry:sorted(RETRIED_STATUSES)"
_NOTICES: Final = "livecore.kernel.storage.notices"

NUMBERS: Final[list[tuple[str, str, tuple[str, ...]]]] = [
    ("decisions/body-after-admission.md", "{:,} on client routes, {:,} on server routes, {:,} on migration routes", _VALUES),
    ("decisions/details-of-the-contract.md", "in US cents, 10^{} by default",
     ("livecore.commerce.config:len(str(fields(PurchaseLimits).max_amount_minor.default)) - 1",)),
    ("decisions/exact-ranks.md", "sorted runs of at most {}", ("livecore.leaderboards.ranking.order:_MOST",)),
    ("decisions/friend-code-minted-lazily.md", "six characters out of {} are limited to {} million",
     ("livecore.social.codes:len(ALPHABET)", "livecore.social.codes:len(ALPHABET) ** _LENGTH // 10**6")),
    ("decisions/notices.md", "at most {} bytes, a payload {:,}, a unit at most {} notices",
     (f"{_NOTICES}:MOST_TOPIC_BYTES", f"{_NOTICES}:MOST_PAYLOAD_BYTES", f"{_NOTICES}:MOST_OF_A_UNIT")),
    ("decisions/one-search-for-due-scopes.md", "{} steps a page", ("livecore_server.storage.due_scopes:MOST_STEPS",)),
    ("decisions/ephemeral-state.md", "address and player together ({} in ten minutes)", (f"{_GUESSES}['player_secret']",)),
    ("decisions/ephemeral-state.md", "count by player ({}) and by address ({})",
     (f"{_GUESSES}['friend_code']", f"{_GUESSES}['friend_code_of_address']")),
    ("how-to/let-players-found-guilds.md", "may found the next one: {} by default",
     ("livecore.guilds.config:fields(GuildsSettings).create_cooldown_seconds.default",)),
    ("how-to/receive-webhooks.md", "After {} failed deliveries in a row",
     ("livecore.webhooks.endpoint:{5: 'five'}[BREAKER_THRESHOLD]",)),
    ("how-to/receive-webhooks.md", "after {} seconds, {} and {} minutes, {}, {} and {} hours",
     tuple(f"livecore.webhooks.delivery:RETRY_SCHEDULE[{at}] // {unit}"
           for at, unit in enumerate(("SECOND", "MINUTE", "MINUTE", "HOUR", "HOUR", "HOUR")))),
    ("how-to/run-a-weekly-leaderboard.md", "as if they had ended at their times: up to {} of them",
     ("livecore.leaderboards.periods:_MOST_MADE_UP",)),
    ("how-to/size-a-deployment.md", "wrong secrets for one player from one address: {} in",
     (f"{_GUESSES}['player_secret']",)),
    ("how-to/size-a-deployment.md", "| {:,} updates of at most", ("livecore_server.ephemeral.shared:MOST_UPDATES",)),
    ("how-to/use-the-client.md", "or a status {}, {}, {} or {} the client tries again",
     tuple(f"{_RETRIED}[{at}]" for at in range(4))),
    ("how-to/use-the-client.md", "at most {} attempts, until its deadline",
     ("livecore_client._retry:{4: 'four'}[RetryPolicy().max_attempts]",)),
    ("how-to/watch-the-server.md", "{:,} on client routes, {:,} on server routes, {:,} for moving players in", _VALUES),
    ("how-to/watch-the-server.md", "conflicts with others on PostgreSQL | {} times",
     ("livecore_server.storage.postgres.units:ATTEMPTS",)),
    ("security.md", "and reports {} purchases", (f"{_PURCHASES}.daily_report_limit.default",)),
]  # fmt: skip


@pytest.mark.parametrize(("page", "sentence", "places"), NUMBERS)
def test_a_number_in_a_sentence_is_that_of_the_code(page: str, sentence: str, places: tuple[str, ...]) -> None:
    """The page has the sentence, with the numbers of the code."""
    text = " ".join((ROOT / "docs" / page).read_text("utf-8").split())
    assert sentence.format(*map(value_of, places)) in text
