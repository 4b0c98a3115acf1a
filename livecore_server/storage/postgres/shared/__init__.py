"""What the processes of one database share: leases, notices, the ephemeral state, and versions of the directory."""
