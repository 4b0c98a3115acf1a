"""What players own: ledgers under wallet, inventory and progression, and the grants that pay rewards."""
