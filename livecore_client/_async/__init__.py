"""The asynchronous clients."""
