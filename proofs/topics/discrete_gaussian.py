"""Discrete Gaussian noise between continuous noise of nearby variances: the smoothing lemma, and its converse."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.mechanisms.gaussian import log_density
from dpref.privacy.closed_forms import smoothing
from dpref.terms import TERM
from proofs.registry import Goal, Paper, cited, goal, proven
from proofs.search import bisect, nonnegative, numbers, positive

obligation = Paper("discrete-gaussian", "canonne2020discrete").obligation
X, Y, M, S, W, J, Q, TAU, R = sp.symbols("x y mu s w j q tau r")
P, G, H, U, V = sp.symbols("p g h u v")
_POISSON = "Poisson summation: the sum of exp(-(y - x)^2 / (2 s^2)) over the integers is a theta series"
_PLANE = numbers("x", "y", "mu") + positive("s", "w")


def _log(variance: sp.Expr, x: sp.Expr, mean: sp.Expr) -> sp.Expr:
    """The logarithm of a normal density."""
    value: sp.Expr = log_density(TERM, x, mean, sp.sqrt(variance))
    return value


@obligation("series", about=("smoothing.theta_excess", "smoothing.distortion"))
def series() -> Sequence[Goal]:
    r"""The theta series is below a geometric one, and for s = 2 it is nothing.

    $k^2\ge3k-2$ for every integer $k\ge1$, so that with $0<q<1$ the sum of $q^{k^2}$ is at most that of
    $q\,(q^3)^{k-1}$, which is $\frac q{1-q^3}$: $\tau=2\sum_{k\ge1}e^{-2\pi^2s^2k^2}\le\frac{2q}{1-q^3}$. Cosines are
    within $[-1,1]$, so that the sum in Poisson's formula is within $[1-\tau,1+\tau]$. For $s^2=4$ the factor of a
    coordinate has the logarithm $\eta\le2.1\cdot10^{-34}$.
    """
    k = 2 + J
    found = smoothing.theta_excess(TERM, S)
    base = sp.exp(-2 * sp.pi * sp.pi * S)
    whole = Q / (1 - Q**3)
    most = smoothing.distortion(TERM, smoothing.theta_excess(TERM, sp.Integer(4)))
    return [
        goal(k**2 - 3 * k + 2, ">=", nonnegative("j"), note="from the second term on"),
        goal(whole - Q - Q**3 * whole, "==", numbers("q", lo=0, hi=1), note="a geometric series"),
        goal(found - 2 * base / (1 - base**3), "==", positive("s"), note="the library's bound"),
        goal(sp.Rational(21, 10**35) - most, ">", (), lambda c: bisect(c, prec=512), "s^2 = 4"),
    ]


@obligation(
    "smoothing",
    about=("smoothing.smaller_variance", "smoothing.distortion", "gaussian-mechanism.log_density"),
    premises=("series",),
    theorems=(proven("Gaussian.normal_integral", "a normal density integrates to one"),),
)
def smoothed() -> Sequence[Goal]:
    r"""Discrete Gaussian noise is made of continuous noise, but for a factor.

    With $w=\sigma^2-s^2>0$: X normal with mean $\mu$ and variance w, then y with probability
    $e^{-(y-X)^2/(2s^2)}/Z(X)$. The product of the two densities at (x, y) is the normal density of mean $\mu$ and
    variance $\sigma^2$ at y times one in x, which integrates to one; $Z(X)$ and the sum that normalises
    $N_{\mathbb Z}(\mu,\sigma^2)$ are within $[1-\tau,1+\tau]$ of the square roots, so that the two laws of y are within
    $e^{\pm\eta}$, $\eta=\ln\frac{1+\tau}{1-\tau}$.
    """
    variance, rest = W + S, W * S / (W + S)
    mean = (M * S + Y * W) / (W + S)
    product = _log(W, X, M) + _log(S, Y, X)
    split = _log(variance, Y, M) + _log(rest, X, mean)
    eta = smoothing.distortion(TERM, TAU)
    tight = numbers("tau", lo=0, hi=1, ends="[)")
    return [
        cited(_POISSON, "canonne2020discrete"),
        goal(smoothing.smaller_variance(TERM, variance, S) - W, "==", positive("s", "w"), note="the variance of X"),
        goal(product - split, "==", _PLANE, note="the product of both densities"),
        goal(sp.exp(eta) - (1 + TAU) / (1 - TAU), "==", tight, note="the factor"),
    ]


@obligation(
    "converse",
    about=("smoothing.larger_variance", "gaussian-mechanism.log_density"),
    premises=("series",),
)
def converse() -> Sequence[Goal]:
    r"""Continuous noise is made of discrete noise, but for a factor.

    $\sigma^2=s^2+w$, Y discrete Gaussian of parameter $\sigma^2$ around $\mu$, then X normal around Y with variance
    $r^2=\frac{s^2\sigma^2}{\sigma^2-s^2}$. The terms that are summed over y are a normal density of mean $\mu$ and
    variance $\sigma^2+r^2=\frac{\sigma^4}{\sigma^2-s^2}$ at x times one of variance $s^2$ in y, whose sum over the
    integers is within $[1-\tau,1+\tau]$, as is what normalises Y.
    """
    variance = S + W
    added = S * variance / W
    large = smoothing.larger_variance(TERM, variance, S)
    mean = (M * added + X * variance) / (variance + added)
    product = _log(variance, Y, M) + _log(added, X, Y)
    split = _log(large, X, M) + _log(S, Y, mean)
    return [
        cited(_POISSON, "canonne2020discrete"),
        goal(variance + added - large, "==", positive("s", "w"), note="the variance of X"),
        goal(variance * added - large * S, "==", positive("s", "w"), note="the variance of what is summed"),
        goal(product - split, "==", _PLANE, note="the product of both densities"),
    ]


@obligation("factor", citation="dwork2014foundations")
def factor() -> Sequence[Goal]:
    r"""Laws within a factor of others: what it adds to epsilon and delta.

    If every probability of P is at most $h=e^H$ times that of P' and every one of Q' at most h times that of Q, then
    $P(S)-e^\varepsilon Q(S)\le e^H\bigl(P'(S)-e^{\varepsilon-2H}Q'(S)\bigr)$. Lowering epsilon by x raises delta by at
    most $e^x-1$: where $P(S)\ge e^{\varepsilon-x}Q(S)$, $(e^\varepsilon-e^{\varepsilon-x})Q(S)\le e^x-1$. Factors of
    steps of an adaptive run multiply.
    """
    domain = positive("h", "g", "p", "q") + nonnegative("u", "v")
    first = H * P - U  # P(S), below h P'(S)
    second = (Q + V) / H  # Q(S), above Q'(S) / h
    # e^x is 1 + j, and e^epsilon Q is e^x times what is below P(S), p - u.
    gained = (P - U) * (1 + J) - (P - U)
    return [
        goal(H * (P - G / H**2 * Q) - (first - G * second), ">=", domain, note="any set of outcomes"),
        goal(
            J - gained, ">=", nonnegative("j", "u") + numbers("p", lo=0, hi=1, ends="[]"), note="a lower epsilon",
        ),
    ]  # fmt: skip
