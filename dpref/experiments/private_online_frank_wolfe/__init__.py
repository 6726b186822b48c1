"""The experiments of "On private online convex optimization", Section 5."""
