"""The economy: ledgers for wallet, inventory and progression, and the grants that pay rewards."""
