"""The Gaussian mechanism, composed: an upper bound by zero-concentrated differential privacy."""

import math


def answer(test):
    """Epsilon of composed Gaussians, or None."""
    event = test.get("event", {})
    count = event.get("count", 1)
    if event.get("type") == "compose" and "count" in event:
        event = event["event"]
    if test["family"] != "accountant" or event.get("type") != "gaussian" or "delta" not in test:
        return None
    if not (0 < float(test["delta"]) < 1 and float(event["noise_multiplier"]) > 0):
        raise ValueError("no mechanism, or no budget")
    rho = count / (2 * float(event["noise_multiplier"]) ** 2)
    return rho + 2 * math.sqrt(rho * math.log(1 / float(test["delta"])))
