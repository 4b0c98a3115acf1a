"""What an operator does with a whole database: check, copy, back up, move players in, rehearse."""
