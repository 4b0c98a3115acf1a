"""A unit of work, and what it reaches besides its rows: due work, the ephemeral state, streams, quotas."""
