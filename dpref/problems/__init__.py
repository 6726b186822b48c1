"""Losses with their constants, data sets, instances, neighbours, and small problems to begin with."""
