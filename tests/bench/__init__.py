"""Benchmarks: a program of its own (`python -m tests.bench`), never part of the tests; it measures and asserts nothing."""
