"""The service as data: one table of operations, and the pure function from a request to a response over it."""
