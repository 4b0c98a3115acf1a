"""The ephemeral state of processes that serve together: rate counters, throttles, presence and last-seen values.

    one process               in the process (`livecore.kernel.units.ephemeral.EphemeralState`)
    several, over SQLite      in a shared file on this machine (`livecore_server.ephemeral.file`)
    any number on PostgreSQL  in unlogged tables (`livecore_server.storage.postgres.shared.ephemeral_state`)

`livecore_server.ephemeral.shared` holds the common part of the last two. None of them makes a durable write.
"""
