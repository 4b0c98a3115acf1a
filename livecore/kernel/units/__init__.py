"""A unit of work, and what it reaches besides its rows: due work, the short memory, streams, quotas."""
