"""PostgreSQL, for deployments of several machines: any number of server processes with one database.

It needs the extra `livecore[postgres]`; other code imports this package only for a `postgresql://` URL.
"""

from livecore_server.storage.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
