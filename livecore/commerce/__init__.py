"""Purchases from app stores, and the sums of them: spend and revenue."""
