"""What the processes of one database share: leases, notices, the short memory, and versions of the directory."""
