"""The server: a host that puts the rules of `livecore` behind HTTP, a database and a clock."""
