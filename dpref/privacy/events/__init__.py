"""What is spent: the mechanism events and the ledger that holds them, walks over their trees, and their texts."""
