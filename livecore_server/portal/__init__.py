"""The operator portal under `/portal/`: pages on which the people of a studio look after a game and its players.

A page reads and changes nothing by itself. It asks the operations of the operators' surface with the browser's own session,
so permissions, rate limits and the audit trail are those of the API. Pages are made on the server and need no script.
"""

from livecore_server.portal.rendering import prepare_all
from livecore_server.portal.site import Portal

__all__ = ["Portal", "prepare_all"]
