"""Teams and pairs that play an event together, and what they win together."""
