"""Benchmarks that print everything they compare side by side, measured in one run."""
