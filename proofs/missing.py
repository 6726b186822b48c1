"""Why what is assumed is not proved in Coq: what is missing, one sentence a step.

`MISSING` has the steps of ``certificates/assumptions.json`` that are assumed outright, `BEYOND` those that Coq proves
where outputs are finitely many and that are assumed elsewhere; a test compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

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
    "gonzalez2024mirror: Lemma 3.8: the gap is at most the regrets and the bias, by a ghost sequence":
        "Expectations over runs of an adaptive algorithm, and mirror steps in a general norm with their three-point "
        "inequality.",
    "han2022online: polar coordinates of a density that depends on a norm alone (Section 4)":
        "Cone measure, and a change of variables in several dimensions; the theory has shifts and scales alone.",
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

_PURE: Final = (
    "The part of a mechanism that stays outside of its delta, as a law: masses are cut outcome by outcome; a law on "
    "events or means has no outcomes to cut; it takes densities, the theorem of Radon and Nikodym."
)
_PRODUCT: Final = (
    "A comparison of the convex functions of a likelihood ratio, of which the hockey sticks are the extreme ones: it "
    "takes the ratio, the theorem of Radon and Nikodym, where masses are divided one by one."
)
_RANKS: Final = (
    "The law of the best of several runs is an integral over the chance that a run is worse, with ties broken by a "
    "uniform number; the theory has ranks of finitely many outcomes, and no distribution functions with jumps."
)

BEYOND: Final[Mapping[str, str]] = MappingProxyType({
    "dwork2010boosting: advanced composition (Theorem III.3)": _PURE,
    "kairouz2015composition: heterogeneous composition (Theorem 3.5)": _PURE,
    "kairouz2015composition: the optimal composition theorem (Theorem 3.3)":
        f"A guarantee is dominated by its pair on any output space; that pairs compose is missing. {_PRODUCT}",
    "papernot2022hyperparameter: pure privacy of the best of K runs (Corollary 3)": _RANKS,
    "papernot2022hyperparameter: the divergence of the best of K runs (Theorem 2)": _RANKS,
    "papernot2022hyperparameter: the divergence of the best of a Poisson number of runs (Theorem 6)": _RANKS,
    "papernot2022hyperparameter: the law of the best of K runs (Lemma 7)": _RANKS,
    "whitehouse2023fully: fully adaptive composition (Theorem 1)": _PURE,
    "zhu2022optimal: adaptive composition of dominating pairs (Theorem 10)": _PRODUCT,
    "zhu2022optimal: dominating pairs compose (Theorem 10)": _PRODUCT,
    "zhu2022optimal: pairs with one curve dominate each other, in compositions too (Lemma 4 and Theorem 10)": _PRODUCT,
    "zhu2022optimal: what is dominated stays dominated under composition (Theorem 10)": _PRODUCT,
})  # fmt: skip
