"""Several server processes on one machine, behind one address.

    supervisor   opens the sockets, starts the workers, replaces dead ones, drains or replaces all of them on a signal
    process      a worker's process, for the supervisor
    worker       the worker's own program: `python -m livecore_server.workers`
    messages     the messages between supervisor and worker
    sharing      what workers share besides the database: a private folder, metrics, and the writer lock

A worker is a new interpreter and not a fork, so that a replaced worker runs newly installed code.
"""
