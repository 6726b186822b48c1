"""Why what is assumed everywhere is not proved in Coq: what is missing, one sentence a step.

The steps are those of ``certificates/assumptions.json`` that are assumed outright, not on infinite output spaces alone;
a test compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_DIMENSIONS: Final = "a change of variables in several dimensions, of which the theory has shifts and scales alone"

MISSING: Final[Mapping[str, str]] = MappingProxyType({
    "boucheron2013concentration: Var f(v) <= E |grad f(v)|^2 for Lipschitz f (Theorem 3.20)":
        "The inequality on the line, by Hermite polynomials or a limit of coin flips, and its tensor form.",
    "brent2007error: a complex product of doubles is off by at most sqrt(5) u":
        "Relative errors of the six operations, which Doubles has, give a larger constant: sqrt(5) compares the last "
        "places of four roundings, binade by binade.",
    "canonne2020discrete: Poisson summation: the sum of exp(-(y - x)^2 / (2 s^2)) over the integers is a theta series":
        "Fourier series of smooth periodic functions and their convergence; coquelicot has none.",
    "choquette2023banded: the release of banded matrices is a composition of sampled Gaussians":
        "Programs that release rows of a noisy matrix product, and the independence of rows that share no noise.",
    "denisov2022improved: streams that adapt spend no more than fixed ones (Theorem 2.1)":
        f"A rotation of normal vectors that depends on the past: {_DIMENSIONS}.",
    "gonzalez2024mirror: Lemma 3.8: the gap is at most the regrets and the bias, by a ghost sequence":
        "Expectations over runs of an adaptive algorithm, and mirror steps in a general norm with their three-point "
        "inequality.",
    "han2022online: polar coordinates of a density that depends on a norm alone (Section 4)":
        f"Cone measure and {_DIMENSIONS}.",
    "higham2002accuracy: Gauss-Legendre rules of n nodes are exact to degree 2n - 1; Cauchy's estimates":
        "The nodes as roots of a polynomial of degree eight, and analytic functions on a disc; coquelicot has no "
        "complex integrals.",
    "juditsky2008large: Azuma-Hoeffding in regular spaces (Proposition A.1)":
        "Martingales of vectors in a norm with a smooth square; the theory's martingales are real.",
    "juditsky2008large: squared l_r norms are (r-1)-smooth for r >= 2":
        "The second derivative of |x + t v|_r^2, Hoelder's inequality for it, and the points where coordinates vanish.",
    "karimi2016linear: PL gives quadratic growth (Theorem 2)":
        "The gradient flow: that it exists for all times, its length, and its limit.",
    "mironov2019sampled: the sampled pair dominates, and removal is the worse direction (Theorems 4 and 5)":
        "Quasi-convexity of Renyi divergences of normal vectors under rotations, and the comparison of the two "
        "directions.",
    "Mironov, Talwar and Zhang 2019, Theorem 5: the reverse direction is not larger":
        "The integral of (1 - q + q r)^(1 - a) - (1 - q + q r)^a is compared by a reflection that exchanges r and "
        "1 / r; moments of real order of mixtures on the line are to be shown to exist first.",
    "shariff2018bandits: the confidence sets (Theorem 4)":
        "Extreme eigenvalues of Wishart matrices, and self-normalised martingales.",
})  # fmt: skip
