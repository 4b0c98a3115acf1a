"""Batches: units of one scope that share a transaction, and the queues from which they come."""
