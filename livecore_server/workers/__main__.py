"""`python -m livecore_server.workers` runs a worker. Only a supervisor starts it."""

from livecore_server.workers.worker import main

main()
