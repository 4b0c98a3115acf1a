"""What members of a studio do about their games: make them, configure them, and read what was done."""
