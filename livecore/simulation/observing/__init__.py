"""Watches a season and counts what happens, by subject: people, economy, play, social life."""
