"""Optimisation under the Kurdyka-Lojasiewicz condition: adaptive noisy gradient descent and KL Spider."""
