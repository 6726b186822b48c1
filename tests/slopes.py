"""How fast a measured value falls as a size grows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def slope(sizes: Sequence[float], values: Sequence[float], errors: Sequence[float]) -> tuple[float, float]:
    """Least-squares slope of log value over log size, and its standard error."""
    x, y = np.log(sizes), np.log(values)
    centred = x - x.mean()
    total = float(centred @ centred)
    relative = np.array(errors) / np.array(values)
    return float(centred @ y) / total, float(np.sqrt(centred**2 @ relative**2)) / total
