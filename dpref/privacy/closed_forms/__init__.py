"""closed_forms."""
