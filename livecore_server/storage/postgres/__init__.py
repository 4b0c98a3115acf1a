"""PostgreSQL, for when one machine is not enough: any number of server processes before one database.

It needs the extra `livecore[postgres]`; nothing else imports this package before a `postgresql://` URL asks for it.
"""

from livecore_server.storage.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
