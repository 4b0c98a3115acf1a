"""What schemathesis is told: which values an operation is likely to be asked about, so that random requests succeed too."""

from __future__ import annotations

from typing import Final

SETTINGS: Final = """
[auth.openapi]
{credentials}

[dictionaries.asking]
values = ["{anna}"]
[dictionaries.players]
values = ["{ben}", "stranger-0", "stranger-1", "{anna}"]
[dictionaries.requests]
values = {requests}
[dictionaries.acceptable]
values = {acceptable}
[dictionaries.declinable]
values = {declinable}
[dictionaries.cancellable]
values = {cancellable}
[dictionaries.blocked]
values = {blocked}
[dictionaries.grants]
values = {grants}
[dictionaries.crates]
values = ["chest"]
[dictionaries.held]
values = {held}
[dictionaries.economy]
values = ["gold", "xp", "sessions"]
[dictionaries.items]
values = ["potion"]
[dictionaries.resources]
values = ["potion", "gold"]
[dictionaries.currencies]
values = ["USD"]
[dictionaries.events]
values = ["race"]
[dictionaries.ended]
values = ["ended"]
[dictionaries.finals]
values = ["{final}"]
[dictionaries.leaderboards]
values = ["all"]
[dictionaries.boards]
values = ["{board}"]
[dictionaries.attempts]
values = ["{attempt}"]
[dictionaries.guilds]
values = ["{guild}"]
[dictionaries.joining]
values = {joining}
[dictionaries.helping]
values = {helping}
[dictionaries.lobbies]
values = ["{lobby}"]
[dictionaries.arenas]
values = ["arena"]
[dictionaries.crews]
values = ["crews"]
[dictionaries.duos]
values = ["duo"]
[dictionaries.wars]
values = ["war"]
[dictionaries.teams]
values = ["owls"]
[dictionaries.invites]
values = ["{invite}"]
[dictionaries.games]
values = ["{game}"]

[parameters]
"path.externalId" = {{ dictionary = "asking", probability = 0.9 }}
"path.friendExternalId" = {{ dictionary = "players", probability = 0.7 }}
"path.blockedExternalId" = {{ dictionary = "blocked", probability = 0.8 }}
"path.economyKey" = {{ dictionary = "economy", probability = 0.8 }}
"path.itemKey" = {{ dictionary = "items", probability = 0.8 }}
"path.requestId" = {{ dictionary = "requests", probability = 0.8 }}
"path.grantId" = {{ dictionary = "grants", probability = 0.8 }}
"path.crateId" = {{ dictionary = "held", probability = 0.8 }}
"path.eventKey" = {{ dictionary = "ended", probability = 0.8 }}
"path.leaderboardKey" = {{ dictionary = "leaderboards", probability = 0.8 }}
"path.leaderboardId" = {{ dictionary = "boards", probability = 0.8 }}
"path.attemptId" = {{ dictionary = "attempts", probability = 0.8 }}
"path.guildId" = {{ dictionary = "guilds", probability = 0.8 }}
"path.memberExternalId" = {{ dictionary = "players", probability = 0.8 }}
"path.lobbyId" = {{ dictionary = "lobbies", probability = 0.8 }}
"path.teamKey" = {{ dictionary = "teams", probability = 0.8 }}
"path.inviteId" = {{ dictionary = "invites", probability = 0.8 }}
"path.gameId" = {{ dictionary = "games", probability = 0.8 }}
"body.guildId" = {{ dictionary = "guilds", probability = 0.8 }}
"body.externalPlayerId" = {{ dictionary = "players", probability = 0.7 }}
"body.resourceKey" = {{ dictionary = "resources", probability = 0.8 }}
"body.currency" = {{ dictionary = "currencies", probability = 0.9 }}

# Each takes a request once, and only one that goes the right way: so each has its own.
[[operations]]
include-operation-id = "friends.acceptRequest"
[operations.parameters]
"path.requestId" = {{ dictionary = "acceptable", probability = 0.8 }}

[[operations]]
include-operation-id = "friends.declineRequest"
[operations.parameters]
"path.requestId" = {{ dictionary = "declinable", probability = 0.8 }}

[[operations]]
include-operation-id = "friends.cancelRequest"
[operations.parameters]
"path.requestId" = {{ dictionary = "cancellable", probability = 0.8 }}

[[operations]]
include-path-regex = "/guild/requests/"
[operations.parameters]
"path.requestId" = {{ dictionary = "joining", probability = 0.8 }}

[[operations]]
include-path-regex = "/guild/help/"
[operations.parameters]
"path.requestId" = {{ dictionary = "helping", probability = 0.8 }}

[[operations]]
include-path-regex = "/events/"
[operations.parameters]
"path.key" = {{ dictionary = "events", probability = 0.8 }}

[[operations]]
include-path-regex = "/team"
[operations.parameters]
"path.key" = {{ dictionary = "crews", probability = 0.8 }}
"path.eventKey" = {{ dictionary = "wars", probability = 0.8 }}

[[operations]]
include-path-regex = "/partner/"
[operations.parameters]
"path.key" = {{ dictionary = "duos", probability = 0.8 }}

[[operations]]
include-operation-id = "lobbies.push"
[operations.parameters]
"path.eventKey" = {{ dictionary = "arenas", probability = 0.8 }}

[[operations]]
include-path-regex = "/leaderboards/"
[operations.parameters]
"path.key" = {{ dictionary = "leaderboards", probability = 0.8 }}

[[operations]]
include-operation-id = "crates.odds"
[operations.parameters]
"path.key" = {{ dictionary = "crates", probability = 0.8 }}

# The stream of a board that is final ends, and nobody waits for it.
[[operations]]
include-operation-id = "leaderboards.stream"
[operations.parameters]
"path.leaderboardId" = {{ dictionary = "finals", probability = 0.8 }}

# Registering with `force` would replace the secret of the one who asks.
[[operations]]
include-operation-id = "players.register"
[operations.parameters]
"path.externalId" = "somebody-new"

# Who asks must not be gone: others are merged and erased.
[[operations]]
include-operation-id = "players.merge"
[operations.parameters]
"path.externalId" = "spare-0"
"path.toExternalId" = "{ben}"

[[operations]]
include-operation-id = "players.erase"
[operations.parameters]
"path.externalId" = "spare-1"

# A bad row is no bad request: it fails alone, and the answer is 200.
[[operations]]
include-path-regex = "/migrate/"
[operations.checks]
negative_data_rejection.enabled = false
"""
