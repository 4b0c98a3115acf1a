"""What a studio needs to test its own game against the rules."""
