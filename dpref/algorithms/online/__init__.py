"""Algorithms that publish a parameter after every record of a stream."""
