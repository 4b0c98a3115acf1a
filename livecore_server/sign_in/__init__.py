"""Signing in: an OpenID Connect relying party, and the one-time link of a development server."""
