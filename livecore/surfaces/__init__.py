"""What games and backends call, as methods: written once for the synchronous clients and for a World."""
