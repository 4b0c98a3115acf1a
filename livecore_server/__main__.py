"""`python -m livecore_server` is `livecore`."""

from livecore_server.cli import main

main()
