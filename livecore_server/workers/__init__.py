"""Several server processes on one machine, behind one address.

    supervisor   opens the sockets, starts the workers, replaces those that die, drains or renews them when it is told to
    process      a worker as the supervisor sees it
    worker       a worker as it sees itself: what `python -m livecore_server.workers` does
    orders       what the one tells the other
    sharing      what workers have in common besides the database: a private folder, counts, and whose turn it is to write

A worker is a fresh interpreter and no fork, so that replacing one takes up new code.
"""
