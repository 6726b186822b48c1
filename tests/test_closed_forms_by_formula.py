"""Every closed form against the same formula in mpmath, at numbers that no two operations agree on."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import pytest
from flint import arb
from mpmath import mpf

from dpref.privacy.closed_forms.variance_reduction import Distances
from dpref.reals import BALL, ball, precision

FORMS = "dpref.privacy.closed_forms"
DIGITS = 40


class Case(NamedTuple):
    """A formula, exact arguments, and what mpmath makes of them."""

    module: str
    name: str
    arguments: str
    expected: Callable[..., Any]


def log(x: mpf) -> mpf:
    return mpmath.log(x)


def exp(x: mpf) -> mpf:
    return mpmath.exp(x)


def root(x: mpf) -> mpf:
    return mpmath.sqrt(x)


def cdf(x: mpf) -> mpf:
    """The normal law's, by its integral."""
    return mpf(1) / 2 + mpmath.quad(lambda z: exp(-z * z / 2), [0, x]) / root(2 * mpmath.pi)


def hockey_stick(epsilon: mpf, mu: mpf) -> mpf:
    """The Gaussian's delta."""
    return cdf(mu / 2 - epsilon / mu) - exp(epsilon) * cdf(-mu / 2 - epsilon / mu)


def truth(loss: mpf) -> mpf:
    """The probability of a true answer of two."""
    return exp(loss) / (1 + exp(loss))


def response(epsilon: mpf, k: int) -> list[tuple[mpf, mpf, mpf]]:
    """The losses of randomized response: the two values that differ, and the other ones together."""
    high, low = exp(epsilon) / (exp(epsilon) + k - 1), 1 / (exp(epsilon) + k - 1)
    rest = [(mpf(0), (k - 2) * low, (k - 2) * low)] if k > 2 else []
    return [(epsilon, high, low), (-epsilon, low, high), *rest]


def response_to_null(epsilon: mpf, k: int) -> list[tuple[mpf, mpf, mpf]]:
    """Its losses against a uniform answer: the true value, and the other ones together."""
    high, low = exp(epsilon) / (exp(epsilon) + k - 1), 1 / (exp(epsilon) + k - 1)
    return [(log(k * high), high, mpf(1) / k), (log(k * low), (k - 1) * low, mpf(k - 1) / k)]


def tradeoff(a: mpf, epsilon: mpf, delta: mpf) -> mpf:
    """The largest of three lines."""
    return max(mpf(0), 1 - delta - exp(epsilon) * a, (1 - delta - a) / exp(epsilon))


def density(z: mpf, mean: mpf) -> mpf:
    """A normal law's over that of mean zero."""
    return exp(mean * z - mean * mean / 2)


def theta(variance: mpf) -> mpf:
    """Twice the first term of a series, over one less the ratio that bounds the others."""
    q = exp(-2 * mpmath.pi**2 * variance)
    return 2 * q / (1 - q**3)


def gain(rate: mpf, r: mpf, d: mpf, a: mpf, x: mpf, v: mpf) -> mpf:
    """What two rays give: of the law without the record, and of the one with it."""
    without = cdf(v - a + r) - exp(x) * cdf(v - a)
    return (1 - rate) * without + rate * (cdf(v) - exp(x) * cdf(v - d))


CASES = [
    Case("allocations", "upper_share", "3/4 7/5 1/3 9/2", lambda m, t, a, b: (t - m * a) / (b - a)),
    Case("allocations", "joint_doubt", "3/7 5/3", lambda a, b: (1 + a) * (1 + b) - 1),
    Case("allocations", "in_two_steps", "3/7 5/3 11/4", lambda a, b, c: a + b * c),
    Case("amplification", "sampled_loss", "3/7 5/3", lambda g, e: log(1 - g + g * exp(e))),
    Case("amplification", "sampled_loss_reversed", "3/7 5/3", lambda g, e: -log(1 - g + g * exp(-e))),
    Case(
        "amplification", "sampled_response_removed", "3/7 5/3 1/50",
        lambda g, e, d: log(1 - g + (g * truth(e) - d) / (1 - truth(e))),
    ),
    Case(
        "amplification", "sampled_response_added", "3/7 5/3 1/50",
        lambda g, e, d: log((truth(e) - d) / ((1 - g) * truth(e) + g * (1 - truth(e)))),
    ),
    Case("best_of", "expected_repetitions", "5/3 3/7", lambda n, g: n * (1 - g) / (g * (1 - g**n))),
    Case("best_of", "expected_repetitions", "-2/3 3/7", lambda n, g: n * (1 - g) / (g * (1 - g**n))),
    Case("best_of", "expected_repetitions_logarithmic", "3/7", lambda g: (1 / g - 1) / log(1 / g)),
    Case("best_of", "poisson_shift", "5/3 3/7", lambda m, t: m * t),
    Case("best_of", "negative_binomial_ratio", "3/7 1/5", lambda g, d: 1 + (1 / g - 1) * d),
    Case("best_of", "negative_binomial_shift", "5/3 7/2", lambda n, r: log(r) + n * log(r)),
    Case("best_of", "poisson_generating", "5/3 1/5", lambda m, z: exp(-m * z)),
    Case(
        "best_of", "negative_binomial_generating", "5/3 3/7 1/5",
        lambda n, g, z: ((g + (1 - g) * z) ** -n - 1) / (g**-n - 1),
    ),
    Case("best_of", "logarithmic_generating", "3/7 1/5", lambda g, z: log(g + (1 - g) * z) / log(g)),
    Case(
        "composition", "advanced_epsilon", "3/7 #5 11",
        lambda e, k, length: root(2 * k * length) * e + k * e * (exp(e) - 1),
    ),
    Case("composition", "expected_loss", "5/3", lambda e: e * (exp(e) - 1) / (exp(e) + 1)),
    Case("composition", "concentrated_epsilon", "3/7 5/3 11", lambda m, s, length: m + root(2 * s * length)),
    Case(
        "composition", "small_loss_epsilon", "3/7 5/3 1/50",
        lambda m, s, d: m + root(2 * s * log(mpmath.e + root(s) / d)),
    ),
    Case("conversions", "renyi_epsilon", "3/7 5/3 11", lambda r, a, length: r + length / (a - 1)),
    Case(
        "conversions", "renyi_epsilon_optimised", "3/7 5/3 11",
        lambda r, a, length: r + log((a - 1) / a) + (length - log(a)) / (a - 1),
    ),
    Case("conversions", "renyi_delta", "3/7 5/3 2", lambda r, a, e: exp((a - 1) * (r - e))),
    Case(
        "conversions", "renyi_delta_optimised", "3/7 5/3 2",
        lambda r, a, e: exp((a - 1) * (r - e)) * (1 - 1 / a) ** a / (a - 1),
    ),
    Case("conversions", "zcdp_renyi", "3/7 5/3", lambda r, a: r * a),
    Case("conversions", "zcdp_epsilon", "3/7 11", lambda r, length: r + root(4 * r * length)),
    Case("conversions", "zcdp_rho", "5/3 11", lambda e, length: (root(e + length) - root(length)) ** 2),
    Case("conversions", "zcdp_delta", "3/7 5/3", lambda r, e: exp(-((e - r) ** 2) / (4 * r))),
    Case(
        "conversions", "zcdp_rho_optimised", "5/3 7/2 11",
        lambda e, a, length: (e - log((a - 1) / a) - (length - log(a)) / (a - 1)) / a,
    ),
    Case("conversions", "pure_zcdp", "5/3", lambda e: e**2 / 2),
    Case("conversions", "bounded_range_zcdp", "5/3", lambda e: e**2 / 8),
    Case("conversions", "classical_gaussian_multiplier", "5/3 11", lambda e, t: root(2 * (t + log(mpf("1.25")))) / e),
    Case("curves", "gaussian_curve", "3/7 5/3", lambda x, m: (hockey_stick(x, m), cdf(-m / 2 - x / m))),
    Case("curves", "laplace_delta", "3/7 5/3", lambda x, s: 1 - exp((x - s) / 2)),
    Case("curves", "laplace_mass", "3/7 5/3", lambda x, s: exp(-(s + x) / 2) / 2),
    Case("curves", "exponential_delta", "3/7 5/3", lambda x, e: (1 - exp((x - e) / 2)) ** 2 / (1 - exp(-e))),
    Case(
        "curves", "exponential_mass", "3/7 5/3",
        lambda x, e: exp(-(x + e) / 2) * (1 - exp((x - e) / 2)) / (1 - exp(-e)),
    ),
    *(Case("curves", "randomized_response_atoms", f"5/3 #{k}", response) for k in (2, 3, 7)),
    *(Case("curves", "randomized_response_null_atoms", f"5/3 #{k}", response_to_null) for k in (2, 3, 7)),
    Case("curves", "removed_order", "3/7 5/3", lambda g, x: (exp(x) - 1 + g) / g),
    Case("curves", "added_factor", "3/7 1/5", lambda g, x: 1 - g * exp(x)),
    Case("curves", "added_order", "3/7 1/5 5/3", lambda g, f, x: g * exp(x) / f),
    Case("divergences", "normal_cdf", "-5/3", cdf),
    Case("divergences", "gaussian_renyi", "5/3 3/7", lambda a, m: a * m**2 / 2),
    Case("divergences", "regular_gaussian_renyi", "5/3 3/7 11/4", lambda a, m, k: a * k * m**2 / 2),
    Case("divergences", "regular_gaussian_mu_squared", "5/3 11/4", lambda z, k: k / z**2),
    Case("divergences", "gaussian_zcdp", "5/3", lambda m: m**2 / 2),
    Case("divergences", "gaussian_delta", "3/7 5/3", hockey_stick),
    Case("divergences", "gaussian_delta_slope", "3/7 5/3", lambda e, m: -exp(e) * cdf(-m / 2 - e / m)),
    Case(
        "divergences", "gaussian_delta_mu_slope", "3/7 5/3",
        lambda e, m: exp(-((m / 2 - e / m) ** 2) / 2) / root(2 * mpmath.pi),
    ),
    Case("guarantees", "reversed_delta", "3/7 1/50", lambda a, d: 1 - a * (1 - d)),
    Case("smoothing", "theta_excess", "3/70", theta),
    Case("smoothing", "distortion", "3/7", lambda x: log(1 + x) - log(1 - x)),
    Case("smoothing", "smaller_variance", "5/3 3/7", lambda v, s: v - s),
    Case("smoothing", "larger_variance", "5/3 3/7", lambda v, s: v**2 / (v - s)),
    *(Case("tradeoff", "dp_tradeoff", a, tradeoff) for a in ("1/20 3/7 1/50", "2/5 3/7 1/50", "99/100 3/7 1/50")),
    Case("tradeoff", "gaussian_tradeoff", "3/7 5/3", lambda t, m: (cdf(-t), cdf(t - m))),
    Case("tradeoff", "tradeoff_delta", "1/20 3/7 2/5", lambda a, b, e: 1 - b - exp(e) * a),
    Case(
        "variance_reduction", "replaced", "5/3 3/7 1/5 9/5",
        lambda c, f, low, high: (f * high, 2 * c + (c - f) * high, 3 * c + root(c**2 - f * (c - f) * low**2)),
    ),
    Case("variance_reduction", "nulled", "5/3 3/7", lambda c, f: (f, 2 * c - f, 4 * c - f)),
    Case("variance_reduction", "filled", "5/3 3/7", lambda c, f: (f, 2 * c - f, 2 * c + f)),
    Case(
        "variance_reduction", "separate_until", "(3/7 5/3 7/2)",
        lambda r, d, a: r * d * (2 * a - r - d) / (2 * (d - r)),
    ),
    Case("variance_reduction", "peak", "5/3 3/7", lambda d, x: d / 2 - x / d),
    Case(
        "variance_reduction", "revealed", "1/5 (3/7 5/3 7/2) 2/3",
        lambda g, r, d, _, x: (1 - g) * hockey_stick(x, r) + g * hockey_stick(x, d),
    ),
    Case("variance_reduction", "gain", "1/5 (3/7 5/3 7/2) 2/3 1/4", gain),
    Case(
        "variance_reduction", "gain_rate", "1/5 (3/7 5/3 7/2) 2/3 1/4",
        lambda g, r, d, a, x, v: mpmath.diff(lambda w: gain(g, r, d, a, x, w), v) * root(2 * mpmath.pi) * exp(v**2 / 2),
    ),
    Case(
        "variance_reduction", "mass", "1/5 (3/7 5/3 7/2) 2/3 1/4",
        lambda g, r, d, _, u, v: (1 - g) * cdf(u - r) + g * cdf(v - d),
    ),
    Case(
        "variance_reduction", "attained_ratio", "1/5 3/7 5/3 1/4",
        lambda g, b, f, z: (1 - g) * density(z, -b) + g * density(z, f),
    ),
]  # fmt: skip


def read(text: str) -> list[int | Fraction | list[Fraction]]:
    """Exact numbers; ``#`` before one that stays an integer, parentheses around distances."""
    found: list[Any] = []
    inside: list[Fraction] | None = None
    for word in text.replace("(", "( ").replace(")", " )").split():
        if word == "(":
            inside = []
        elif word == ")":
            found.append(inside)
            inside = None
        elif inside is not None:
            inside.append(Fraction(word))
        else:
            found.append(int(word[1:]) if word[0] == "#" else Fraction(word))
    return found


def as_ball(argument: Any) -> Any:
    if isinstance(argument, list):
        return Distances(*map(ball, argument))
    return argument if isinstance(argument, int) else ball(argument)


def flat(result: Any) -> Iterator[Any]:
    if isinstance(result, list | tuple):
        for part in result:
            yield from flat(part)
    else:
        yield result


def near(found: arb, expected: mpf) -> bool:
    """Whether both agree to as many digits as are asked for, and the ball is as narrow."""
    middle = mpf(found.mid().str(60, radius=False))
    least = mpf(10) ** -DIGITS * max(1, abs(expected))
    return bool(abs(middle - expected) <= least) and bool(found.rad() < arb(10) ** -DIGITS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}({case.arguments})")
def test_a_closed_form_is_its_formula(case: Case) -> None:
    arguments = read(case.arguments)
    with precision(220), mpmath.workdps(55):
        found = getattr(importlib.import_module(f"{FORMS}.{case.module}"), case.name)(BALL, *map(as_ball, arguments))
        parts = [x if isinstance(x, int) else mpf(x.numerator) / x.denominator for x in flat(arguments)]
        expected = case.expected(*parts)
        pairs = list(zip(flat(found), flat(expected), strict=True))
        assert pairs
        assert all(near(arb(x), mpf(y)) for x, y in pairs), [(x, y) for x, y in pairs if not near(arb(x), mpf(y))]


def test_every_closed_form_that_takes_any_number_system_is_here() -> None:
    there = set[tuple[str, str]]()
    for module in {case.module for case in CASES}:
        functions = inspect.getmembers(importlib.import_module(f"{FORMS}.{module}"), inspect.isfunction)
        own = (f for _, f in functions if f.__module__ == f"{FORMS}.{module}")
        there |= {(module, f.__name__) for f in own if next(iter(inspect.signature(f).parameters), "") == "o"}
    assert there == {(case.module, case.name) for case in CASES}
