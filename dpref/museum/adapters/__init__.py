"""Auditors of other packages with the signature of the museum's; each file imports its package, so only who asks."""
