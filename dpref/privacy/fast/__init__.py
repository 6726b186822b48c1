"""Accounting by privacy loss distributions in doubles with proved errors, for Gaussians and Poisson samples of them."""
