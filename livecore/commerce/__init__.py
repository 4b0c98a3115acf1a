"""What players buy from the app stores: purchases, and what they come to."""
