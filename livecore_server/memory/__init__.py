"""The ephemeral state of processes that serve together: rate counters, throttles, presence and last-seen facts.

    one process               in the process (`livecore.kernel.units.ephemeral.EphemeralState`)
    several, over SQLite      in a scratch file on this machine (`livecore_server.memory.scratch`)
    any number on PostgreSQL  in unlogged tables (`livecore_server.storage.postgres.shared.short_memory`)

`livecore_server.memory.shared` holds the common part of the last two. None of them makes a durable write.
"""
