"""Accountants as people write them, each with one popular mistake: golden vectors must tell."""

from __future__ import annotations

import math
from typing import Any


def pure_epsilon(event: dict[str, Any]) -> float | None:
    """Epsilon of one answer of a pure mechanism."""
    if event["type"] == "laplace":
        return 1 / float(event["scale"])
    return float(event["epsilon"]) if event["type"] == "randomized_response" else None


def repeated(event: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """The event that is composed with itself, and how often."""
    if event["type"] == "compose" and "count" in event:
        return event["event"], event["count"]
    return event, 1


def strong_composition(test: dict[str, Any], factor: float) -> float | None:
    """The composition theorem of pure mechanisms, with a factor in place of ln(1/delta)."""
    event, steps = repeated(test["event"])
    epsilon = pure_epsilon(event)
    if epsilon is None or test["family"] != "accountant" or "delta" not in test or test["result"] != "valid":
        return None
    return min(steps * epsilon, math.sqrt(2 * steps * factor) * epsilon + steps * epsilon * math.expm1(epsilon))


def with_logarithm(test: dict[str, Any]) -> float | None:
    """The theorem as it is."""
    return strong_composition(test, math.log(1 / float(test.get("delta", "1"))))


def without_logarithm(test: dict[str, Any]) -> float | None:
    """The bug: the logarithm is left out."""
    return strong_composition(test, 1.0)


def sampled(test: dict[str, Any]) -> tuple[float, float, int, float] | None:
    """Rate, noise multiplier, steps and delta of a sampled Gaussian."""
    event, steps = repeated(test["event"])
    inner = event.get("event", {})
    if (
        event["type"] != "poisson"
        or inner.get("type") != "gaussian"
        or "delta" not in test
        or test["result"] != "valid"
    ):
        return None
    return float(event["rate"]), float(inner["noise_multiplier"]), steps, float(test["delta"])


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Delta of a Gaussian pair."""
    tail = math.erfc((epsilon / mu - mu / 2) / math.sqrt(2)) / 2
    other = math.erfc((epsilon / mu + mu / 2) / math.sqrt(2)) / 2
    return tail - math.exp(min(epsilon, 700.0)) * other


def central_limit(test: dict[str, Any]) -> float | None:
    """The bug: the central limit mu = q sqrt(T (exp(1/sigma^2) - 1)) is reported as an upper bound."""
    numbers = sampled(test)
    if numbers is None:
        return None
    rate, sigma, steps, delta = numbers
    mu, low, high = rate * math.sqrt(steps * math.expm1(sigma**-2)), 0.0, 500.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(mu, middle) > delta else (low, middle)
    return high


def renyi(test: dict[str, Any], power: int) -> float | None:
    """Rényi accounting at integer orders, where the rate enters each binomial term with a power times its own."""
    numbers = sampled(test)
    if numbers is None or numbers[0] == 1:
        return None
    rate, sigma, steps, delta = numbers
    best = math.inf
    for order in range(2, 200):
        terms = [
            math.lgamma(order + 1)
            - math.lgamma(k + 1)
            - math.lgamma(order - k + 1)
            + power * k * math.log(rate)
            + (order - k) * math.log1p(-(rate**power))
            + k * (k - 1) / (2 * sigma**2)
            for k in range(order + 1)
        ]
        top = max(terms)
        divergence = steps * (top + math.log(sum(math.exp(t - top) for t in terms))) / (order - 1)
        best = min(best, divergence + math.log(1 / delta) / (order - 1))
    return best


def renyi_accountant(test: dict[str, Any]) -> float | None:
    """The bound as it is: the divergence grows with the square of the rate."""
    return renyi(test, 1)


def rate_squared_twice(test: dict[str, Any]) -> float | None:
    """The bug: the rate is squared before it enters a formula that squares it."""
    return renyi(test, 2)


def square_forgotten(test: dict[str, Any]) -> dict[str, float] | None:
    """The bug: q in place of q^2 in rho = q^2 T / (2 sigma^2), which is reported as exact."""
    numbers = sampled(test)
    if numbers is None:
        return None
    rate, sigma, steps, delta = numbers
    rho = rate * steps / (2 * sigma**2)
    return {"exact": rho + 2 * math.sqrt(rho * math.log(1 / delta))}
