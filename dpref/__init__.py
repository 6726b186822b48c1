"""dpref: the reference that differentially private optimizers are checked against."""

from __future__ import annotations

__version__ = "0.1.0"
