"""The papers' algorithms, one folder each."""
