"""Attacks that are measured: what a server pays for expensive requests, and what many addresses can do to it."""
