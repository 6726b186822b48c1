"""Audits of code that dpref cannot see into: runs refute what it claims, or stay silent."""
