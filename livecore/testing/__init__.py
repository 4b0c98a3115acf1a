"""Tools for a studio's tests of its own game."""
