"""`python -m livecore_server.workers` is a worker. A supervisor starts it; it is of no use to anybody else."""

from livecore_server.workers.worker import main

main()
