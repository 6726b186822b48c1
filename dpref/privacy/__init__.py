"""Notions, divergences, conversions, the ledger and the accountants that judge it."""
