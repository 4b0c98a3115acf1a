"""The quantities of pages, each with the place of the code that has it.

A place is a module and an expression in it, or `schema`, a surface, a shape and its field, whose upper bound is meant. In
`EXAMPLES` are the quantities of a page that no code has: what an example does, what was measured, and what others do.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import attrs

_ANSWERS: Final = "livecore.api.requests.idempotency:KEPT_FOR"
_BEATS: Final = "livecore_client._sync.beating:BeatingPresence.beating.__kwdefaults__['interval_seconds']"
_EVENTS: Final = "livecore.webhooks.delivery:KEPT_FOR"
_FREE_JSON: Final = "livecore.kernel.wire.shapes:ObjectSize().most_bytes"
_FEW: Final = "livecore.players.stored_bytes:FEW"
_GUESSES: Final = "livecore.players.throttle:_WINDOW"
_NAME: Final = "livecore.players.rows:LONGEST_NAME"
_CHECKPOINT: Final = "livecore_server.storage.sqlite.log_file:CHECKPOINT_BYTES"
_CLIENT_BODY: Final = "livecore.api.table.operation:_MOST_BODY_BYTES['sdk']"
_SERVER_BODY: Final = "livecore.api.table.operation:_MOST_BODY_BYTES['server']"
_MIGRATION_BODY: Final = "livecore.api.routes.migration:_MOST_BODY_BYTES"
_MIGRATION_ROWS: Final = "livecore.player_tools.migration_rows:MOST_ROWS"
_PERSONAL_KEY: Final = "schema:admin:CreatePersonalKey.expiresInDays"
_RETRIES: Final = "livecore.webhooks.delivery:RETRY_SCHEDULE"
_IN_ONE_STEP: Final = "livecore.teams.membership:_MOST_SEATS"
_HEAD: Final = "livecore_server.http.head_limits:MOST_HEAD_BYTES"
_LINE: Final = "livecore_server.http.head_limits:MOST_LINE_BYTES"
_BUSY: Final = "livecore_server.storage.sqlite.admission:SqliteLimits().busy_seconds"
_ABSENCE: Final = "livecore.webhooks.endpoint:BREAKER_THRESHOLD * _ABSENCE_SPACING"
_PATIENCE: Final = "livecore_server.http.stream_limits:StreamLimits().patience_seconds"
_AUDIT: Final = "livecore.kernel.units.unit:Retention().audit"
_TEXTS: Final = "livecore.kernel.units.unit:Retention().texts"
_ADDRESSES: Final = "livecore.kernel.units.unit:Retention().addresses"

PLACES: Final[Mapping[str, Mapping[str, str]]] = {
    "docs/how-to/answer-a-data-subject-request.md": {
        "1,000 rows": "livecore.player_tools.export:MOST_ROWS",
        "30 days": _EVENTS,
        "400 days": _AUDIT,
        "24 hours": _ANSWERS,
        "90 days": _TEXTS,
        "1 hour": "livecore_server.ephemeral.shared:OLDEST_UPDATE",
        "7 days": "livecore.access.sessions:LONGEST",
    },
    "docs/how-to/change-a-games-settings.md": {
        "20,000 rows": "livecore.api.operating.taken_away:MOST_ROWS",
        "five seconds": "livecore_server.background.loops:_LOOK_AROUND_SECONDS",
    },
    "docs/how-to/connect-an-identity-provider.md": {
        "ten minutes": "livecore_server.sign_in.state_cookie:LASTS",
        "twelve hours": "livecore.access.sessions:IDLE",
        "seven days": "livecore.access.sessions:LONGEST",
    },
    "docs/how-to/decide-who-may-do-what.md": {
        "365 days": _PERSONAL_KEY,
        "30 days": "livecore.access.personal_keys:KEPT_FOR",
    },
    "docs/how-to/gate-a-configuration-in-ci.md": {"seven days": "livecore.simulation.figures:_RETENTION_DAYS"},
    "docs/how-to/give-to-everybody.md": {
        "1,000 requests": "livecore.api.requests.limits:DEFAULT_PER_MINUTE['server_api']",
    },
    "docs/how-to/help-a-player.md": {
        "500 characters": "schema:server:Ban.reason",
        "24 hours": _ANSWERS,
        "thirty days": _EVENTS,
    },
    "docs/how-to/let-an-assistant-help.md": {
        "365 days": _PERSONAL_KEY,
        "512 KiB": "livecore_server.assistants.site:MOST_ANSWER_BYTES",
        "48 kB": "tests.assistants.test_listing:MOST_BYTES",
        "20 kB": "tests.assistants.test_listing:MOST_BYTES_OF_A_SET",
        "600 requests": "livecore.api.requests.limits:DEFAULT_PER_MINUTE['admin']",
    },
    "docs/how-to/let-players-play-in-teams.md": {
        "50 members": _IN_ONE_STEP,
        "24 hours": "livecore.teams.config:fields(TeamRules).invite_seconds.default",
    },
    "docs/how-to/match-players-into-lobbies.md": {"40 characters": _NAME},
    "docs/how-to/moderate-guilds.md": {"thirty days": "livecore.guilds.forgetting:_KEPT"},
    "docs/how-to/move-from-playfab.md": {"512 characters": "schema:server:MigratePlayerRowInput.avatar"},
    "docs/how-to/move-players-in.md": {
        "128 characters": "schema:server:MigratePlayerRowInput.externalPlayerId",
        "40 characters": "schema:server:MigratePlayerRowInput.name",
        "512 characters": "schema:server:MigratePlayerRowInput.avatar",
        "16 KiB": _FREE_JSON,
        "1,000 rows": _MIGRATION_ROWS,
        "8 MiB": _MIGRATION_BODY,
        "1 MiB": "livecore_server.operations.migrate_in.files:_MOST_LINE_BYTES",
        "100 rows": "livecore_server.operations.migrate_in.run:_ROWS_AT_ONCE",
    },
    "docs/how-to/operate-the-server.md": {
        "400 days": _AUDIT,
        "30 days": _ADDRESSES,
        "90 days": _TEXTS,
        "24 hours": _ANSWERS,
    },
    "docs/how-to/play-from-a-browser.md": {"30 seconds": _BEATS},
    "docs/how-to/play-from-another-engine.md": {"30 seconds": _BEATS},
    "docs/how-to/receive-webhooks.md": {
        "ten seconds": "livecore.webhooks.outcome:TIMEOUT_SECONDS",
        "30 seconds": f"{_RETRIES}[0]",
        "10 minutes": f"{_RETRIES}[2]",
        "24 hours": f"{_RETRIES}[5]",
        "five minutes": _ABSENCE,
        "30 days": _EVENTS,
    },
    "docs/how-to/rehearse-your-webhooks.md": {
        "240 deliveries": (
            "livecore.rehearsal.plan:round(make_plan(Scenario(), ('whsec_a',), seed=bytes(32), now=10**12).deliveries, -1)"
        ),
        "ten seconds": "livecore.rehearsal.scenario:Scenario().timeout_seconds",
        "64 KiB": "livecore.rehearsal.scenario:Scenario().large_bytes",
        "ten minutes": "livecore.rehearsal.deliveries:WRONG_BY_SECONDS",
    },
    "docs/how-to/restart-without-downtime.md": {
        "three seconds": "livecore_server.stopping:KILLING_SECONDS",
        "37 seconds": "livecore_server.stopping:round(AFTER_DRAIN_SECONDS)",
    },
    "docs/how-to/rotate-keys-and-secrets.md": {
        "60 more days": "livecore.access.keys:GRACE",
        "24 hours": "livecore.webhooks.rotation:_OVERLAP",
        "30 days": _EVENTS,
    },
    "docs/how-to/run-a-guild-war.md": {
        "10,000 players": "livecore.events.definition_rows:MOST_SEATS",
        "50 members": _IN_ONE_STEP,
    },
    "docs/how-to/run-a-weekly-tournament.md": {
        "5 seconds": "livecore.events.definition:LEAST_PERIOD_SECONDS",
        "five seconds": "livecore.events.attempt_ending:_DEBOUNCE",
    },
    "docs/how-to/run-in-production.md": {
        "8 MiB": _MIGRATION_BODY,
        "1 MiB": _SERVER_BODY,
        "64 KiB": _CLIENT_BODY,
        "two hours": "livecore_server.http.cors:_REMEMBERED_SECONDS",
    },
    "docs/how-to/show-a-live-leaderboard.md": {
        "30 seconds": _PATIENCE,
        "64 streams": "livecore_server.http.stream_limits:StreamLimits().most_per_address",
    },
    "docs/how-to/size-a-deployment.md": {
        "24 hours": _ANSWERS,
        "32 MiB": _CHECKPOINT,
        "256 bytes": _FEW,
        "ten minutes": _GUESSES,
        "3,000 requests": "livecore.api.requests.limits:ADDRESS_PER_MINUTE",
        "200 players": "livecore.api.requests.limits:NEW_PLAYERS_PER_HOUR",
        "64 MB": "livecore_server.storage.sqlite.cache:CACHE_BYTES",
        "8 KB": "livecore_server.storage.sqlite.cache:_MOST_ROW_BYTES",
        "32 MB": "livecore_server.storage.sqlite.connections:_CACHE_KIBIBYTES * 1024",
        "64 KiB": _CLIENT_BODY,
        "1 MiB": _SERVER_BODY,
        "8 MiB": _MIGRATION_BODY,
        "16 bytes": "livecore.kernel.remembered:_BYTES_OF_A_CHARACTER",
        "16 MB": "livecore.events.format:_DEFINITION_BYTES",
        "512 MB": "livecore.leaderboards.ranking.rankings:MOST_BYTES",
        "16 KB": "livecore_server.http.streams:_MOST_BUFFERED",
        "10,000 streams": "livecore_server.http.stream_limits:StreamLimits().most",
        "256 messages": "livecore.kernel.units.streams:fields(Stream).most_waiting.default",
        "256 deliveries": "livecore_server.background.webhooks.sender:SenderOptions().under_way",
        "256 requests": "livecore_server.storage.sqlite.admission:SqliteLimits().units",
        "2 KB": "livecore.kernel.storage.notices:MOST_PAYLOAD_BYTES",
    },
    "docs/how-to/test-your-game-with-a-world.md": {"twelve hours": "livecore.access.sessions:IDLE"},
    "docs/how-to/track-purchases.md": {
        "64 characters": "schema:server:TrackPurchaseAsServer.productId",
        "16 KiB": _FREE_JSON,
        "1,100 days": "livecore.commerce.revenue:_MOST_DAYS",
        "30 days": "livecore.commerce.revenue:_USUAL_DAYS",
    },
    "docs/how-to/use-the-client.md": {
        "24 hours": _ANSWERS,
        "22 characters": "livecore.players.derived:LEAST_KEY",
        "4 attempts": "livecore_client._retry:RetryPolicy().max_attempts",
        "90 seconds": "livecore.players.seen:_ONLINE_FOR",
    },
    "docs/how-to/verify-a-webhook-yourself.md": {
        "five minutes": "livecore.webhooks.signature:PAST_SECONDS",
        "300 seconds": "livecore.webhooks.signature:PAST_SECONDS",
        "60 seconds": "livecore.webhooks.signature:FUTURE_SECONDS",
        "ten seconds": "livecore.webhooks.outcome:TIMEOUT_SECONDS",
    },
    "docs/how-to/watch-the-server.md": {
        "10 seconds": "livecore_server.service:_RANKINGS_SECONDS",
        "30 seconds": "livecore_server.background.webhooks.backlogs:_BACKLOG_SECONDS",
        "64 characters": "livecore.api.requests.http:_MOST_SDK_CHARACTERS",
        "32 MiB": _CHECKPOINT,
        "30 days": _EVENTS,
        "2,592,000 seconds": _EVENTS,
        "5 seconds": _BUSY,
        "2 seconds": "livecore_server.storage.postgres.batches.batch_scheduler:PostgresLimits().connect_seconds",
        "32 KiB": _HEAD,
        "16 KiB": _LINE,
        "64 KiB": _CLIENT_BODY,
        "1 MiB": _SERVER_BODY,
        "8 MiB": _MIGRATION_BODY,
    },
    "docs/how-to/when-something-breaks.md": {
        "5 seconds": _BUSY,
        "30 seconds": f"{_RETRIES}[0]",
        "five minutes": _ABSENCE,
        "30 days": _EVENTS,
        "ten seconds": "livecore_server.readiness:_FLICKER_SECONDS",
        "24 hours": _ANSWERS,
    },
    "docs/decisions/a-client-key-proves-nothing.md": {
        "16,384 secrets": "livecore.api.requests.counting:ProvenLately()._capacity",
        "256 bytes": _FEW,
        "ten minutes": _GUESSES,
    },
    "docs/decisions/body-after-admission.md": {
        "64 KiB": _CLIENT_BODY,
        "1 MiB": _SERVER_BODY,
        "8 MiB": _MIGRATION_BODY,
        "4 KiB": "livecore_server.http.dispatch:AT_ONCE_BYTES",
        "32 KiB": _HEAD,
        "16 KiB": _FREE_JSON,
    },
    "docs/decisions/bulk-writes.md": {"200 rows": "livecore.kernel.declarations.player_lifecycle:FEW"},
    "docs/decisions/crates-drawn-when-opened.md": {"32 bytes": "livecore.economy.crates:_SEED_BYTES"},
    "docs/decisions/details-of-the-contract.md": {
        "24 hours": _ANSWERS,
        "30 days": "livecore.social.suggestions:_HORIZON",
        "64 characters": "livecore.events.solo:_LONGEST_SEGMENT",
    },
    "docs/decisions/ephemeral-state.md": {"ten minutes": _GUESSES},
    "docs/decisions/exact-ranks.md": {
        "10 seconds": "livecore_server.service:_RANKINGS_SECONDS",
        "2,000 entries": "livecore.leaderboards.standings:MOST_COUNTED",
        "46 bytes": "livecore.leaderboards.ranking.records:ENTRY_BYTES",
        "5 seconds": "livecore_server.http.dispatch:LOADING_SECONDS",
        "5,000 rows": "livecore_server.service:_ROWS_ASIDE",
        "50 bytes": "livecore.leaderboards.ranking.records:RECORD_BYTES",
        "500 rows": "livecore.leaderboards.ranking.rankings:PAGE_ROWS",
        "512 MB": "livecore.leaderboards.ranking.rankings:MOST_BYTES",
        "ten minutes": "livecore.leaderboards.ranking.rankings:VERIFIED_AFTER",
        "twenty minutes": "livecore_server.background.rankings_in_use:_NOTED_AFTER",
    },
    "docs/decisions/merge-erase-export.md": {
        "1,000 rows": "livecore.player_tools.export:MOST_ROWS",
        "24 hours": _ANSWERS,
        "30 days": _EVENTS,
    },
    "docs/decisions/notices.md": {
        "200 bytes": "livecore.kernel.storage.notices:MOST_TOPIC_BYTES",
        "256 messages": "livecore_server.workers.notice_sockets:_MOST_WAITING",
        "five seconds": "livecore_server.storage.postgres.shared.notice_channel:_LOOK_SECONDS",
    },
    "docs/decisions/one-search-for-due-scopes.md": {
        "65.5 seconds": "livecore_server.storage.layout:round(2**PERIOD_BITS, -2)",
        "five seconds": "livecore_server.background.loops:_LOOK_AROUND_SECONDS",
    },
    "docs/decisions/postgres-leases.md": {
        "16 deliveries": "livecore_server.background.webhooks.sender:_MOST_AT_ONCE",
        "20 ms": "livecore_server.background.webhooks.sender:_NEXT_TRY",
        "two seconds": "livecore_server.background.webhooks.sender:SenderOptions().poll_seconds",
    },
    "docs/decisions/register-again.md": {
        "22 characters": "livecore.players.derived:LEAST_KEY",
        "24 hours": _ANSWERS,
        "25 bytes": "livecore.access.keys:SECRET_BYTES",
    },
    "docs/decisions/sign-in-state-in-a-cookie.md": {"ten minutes": "livecore_server.sign_in.state_cookie:LASTS"},
    "docs/decisions/sqlite-commits.md": {"32 MiB": _CHECKPOINT},
    "docs/decisions/streams.md": {
        "0.05 ms": "livecore_server.http.stream_limits:StreamLimits().gathering_seconds",
        "30 seconds": _PATIENCE,
        "two seconds": "livecore_server.http.streams:_LOADING_SECONDS",
    },
    "docs/decisions/workers.md": {"five seconds": "livecore_server.storage.sqlite.log_file:_LONGEST_DELAY_SECONDS"},
    "docs/decisions/webhooks-delivery.md": {
        "ten seconds": "livecore.webhooks.outcome:TIMEOUT_SECONDS",
        "thirty days": _EVENTS,
        "four minutes": "livecore.webhooks.endpoint:(BREAKER_THRESHOLD - 1) * _ABSENCE_SPACING",
    },
    "docs/decisions/webhooks-sender.md": {
        "16 KiB": "livecore.webhooks.outcome:MAX_ANSWER_BYTES",
        "32 KiB": "livecore.webhooks.outcome:MAX_HEAD_BYTES",
        "ten seconds": "livecore.webhooks.outcome:TIMEOUT_SECONDS",
        "256 attempts": "livecore_server.background.webhooks.sender:SenderOptions().under_way",
        "30 seconds": "livecore_server.background.webhooks.backlogs:_BACKLOG_SECONDS",
    },
    "docs/security.md": {
        "1 MiB": "livecore.api.requests.limits:STORED_BYTES_PER_DAY",
        "256 bytes": _FEW,
        "30 days": "livecore.guilds.forgetting:_KEPT",
        "five minutes": "livecore.webhooks.signature:PAST_SECONDS",
        "30,000 secrets": "livecore.api.requests.limits:ADDRESS_PER_MINUTE * _SECRETS_FOR_A_REQUEST",
    },
    "docs/what-livecore-does-not-do.md": {"16 KiB": _FREE_JSON},
}
"""By page, its quantities."""

EXAMPLES: Final[Mapping[str, str]] = {
    "CONTRIBUTING.md": "seven minutes",
    "docs/decisions/a-client-key-proves-nothing.md": "500 requests",
    "docs/decisions/bulk-writes.md": "0.3 MiB; 1.0 MiB; 1.6 MiB",
    "docs/decisions/ephemeral-state.md": "30 seconds",
    "docs/decisions/exact-ranks.md": (
        "200 MB; 200 bytes; 4 bytes; 64 MB; 64 bytes; 0.8 ms; 1 ms; 2 ms; 6 ms; 10 ms; 24 ms; 49 ms; 936 ms; "
        "1,001 ms; 1,267 ms"
    ),
    "docs/decisions/notices.md": "8,000 bytes",
    "docs/decisions/one-search-for-due-scopes.md": "10 seconds",
    "docs/decisions/postgres-leases.md": "3,000 deliveries",
    "docs/decisions/postgres-store.md": "ten seconds",
    "docs/decisions/sqlite-commits.md": "1.3 GB; 15 ms; 192 MB; 36 ms; 40 MB; 6,000 rows; 80 KB",
    "docs/decisions/streams.md": "1.5 ms; 38 ms",
    "docs/decisions/webhooks-sender.md": "1,700 deliveries; 287 MiB; six seconds",
    "docs/how-to/back-up-and-restore.md": "10 GB",
    "docs/how-to/gate-a-configuration-in-ci.md": "thirty days; 30 days",
    "docs/how-to/give-to-everybody.md": "100,000 players; 100 minutes",
    "docs/how-to/replay-with-other-settings.md": "1,000 days; 1.1 MB; 9 MB",
    "docs/how-to/restart-without-downtime.md": ("45 seconds; 5 seconds; 0.8 seconds; 2 seconds; 16 seconds; 1 second"),
    "docs/how-to/run-a-support-desk.md": "thirty days; 14 requests",
    "docs/how-to/run-a-weekly-leaderboard.md": "two weeks",
    "docs/how-to/run-in-production.md": "two weeks",
    "docs/how-to/size-a-deployment.md": (
        "30 seconds; 40 MB; 44 MB; 15 KB; 120 players; 50 MB; 230 MB; 427 MB; 256 MB; 1 KB; 140 MB; 60 MB; "
        "3 MB; 11 MB; 200,000 keys; 10 MB; 20,000 requests; 8 MB; 64 bytes"
    ),
    "docs/how-to/track-purchases.md": "24 hours; 3,650 days; 100,000 players",
    "docs/how-to/use-the-client.md": "54 seconds; 20 players",
    "docs/how-to/watch-the-server.md": "20 ms; five minutes; 250 ms; ten minutes; 25 days; 100 ms; 1 GB",
    "docs/how-to/when-something-breaks.md": "10 seconds",
    "docs/security.md": "20 seconds; 20 players; 44 MB",
    "docs/tutorial.md": "three days",
    "docs/why.md": "seven days",
}
"""By page, quantities of examples and measurements, and those that a test of their own asserts."""


def value_of(place: str) -> Any:  # noqa: ANN401 - whatever the expression gives
    """The value at a place of the code: `module:expression`."""
    module, _, expression = place.partition(":")
    names = {**vars(import_module(module)), "fields": attrs.fields}
    return eval(expression, names)  # noqa: S307 - our own expressions
