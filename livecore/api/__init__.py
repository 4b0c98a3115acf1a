"""The API: a table of operations, and the pure function from a request to a response."""
