"""What a studio's support desk and data protection officer do to a player as a whole, whatever areas hold of them."""
