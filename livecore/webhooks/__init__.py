"""Webhooks: the catalog of events, their signature, and the rules by which they are delivered."""
