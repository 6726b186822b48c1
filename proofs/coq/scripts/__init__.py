"""Proofs for Coq, untrusted."""
