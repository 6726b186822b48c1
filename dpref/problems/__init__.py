"""Losses with their constants, data sets, instances, neighbours."""
