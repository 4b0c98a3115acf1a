"""The path of a request: from its head to its answer, step by step."""
