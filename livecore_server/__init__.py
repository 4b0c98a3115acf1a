"""The server: a host that provides HTTP, a database and a clock for the rules of `livecore`."""
