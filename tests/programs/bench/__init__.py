"""Benchmarks: a program of its own (`python -m tests.programs.bench`); it measures and asserts nothing."""
