"""Typed clients, synchronous and asynchronous, for the two HTTP surfaces, and webhook verification."""
