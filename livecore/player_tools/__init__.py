"""Tools for a studio's support and data protection: they work on all data of a player, whichever area holds it."""
