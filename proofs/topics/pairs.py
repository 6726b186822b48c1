"""Dominating pairs and the accountant in balls: curves, mixtures, and every step that moves mass up or down."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy.closed_forms import curves, divergences
from dpref.terms import TERM
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim, Domain
from proofs.registry import Goal, Paper, derivative, finite, goal, proven
from proofs.search import States, fixed, loop_value, nonnegative, numbers, positive, sum_of_squares
from proofs.topics.convexity import nothing

obligation = Paper("pld", "zhu2022optimal").obligation
X, S, EPSILON, MU, A, Y, W, Z, G, T = sp.symbols("x s epsilon mu a y w z gamma t")


def _slope_is_mass(curve: sp.Expr, mass: sp.Expr, domain: Domain, note: str) -> Goal:
    """h'(x) = -e^x q(x): the curve and its mass belong together."""
    return derivative(curve, X, -sp.exp(X) * mass, domain, note)


@obligation(
    "curves",
    about=(
        "curves.gaussian_curve",
        "curves.laplace_delta",
        "curves.laplace_mass",
        "curves.exponential_delta",
        "curves.exponential_mass",
    ),
    premises=("gaussian/privacy-curve",),
    theorems=(
        finite(
            "Dominance.dominating_pairs_compose",
            "pairs with one curve dominate each other, in compositions too (Lemma 4 and Theorem 10)",
            "zhu2022optimal",
        ),
    ),
)
def mechanisms() -> Sequence[Goal]:
    r"""A privacy curve and its mass.

    $h(x)=P(L>x)-e^xQ(L>x)$ has $h'(x)=-e^xQ(L>x)$: for the Gaussian, the Laplace pair ($|x|<s$) and the supremum over
    all pairs of $\varepsilon$-bounded range.
    """
    normal, mass = curves.gaussian_curve(TERM, X, MU)
    real, pure = numbers("x") + positive("mu"), numbers("x") + positive("epsilon")
    return [
        goal(normal - divergences.gaussian_delta(TERM, X, MU), "==", real),
        _slope_is_mass(normal, mass, real, "Gaussian"),
        _slope_is_mass(curves.laplace_delta(TERM, X, S), curves.laplace_mass(TERM, X, S), numbers("x", "s"), "Laplace"),
        _slope_is_mass(
            curves.exponential_delta(TERM, X, EPSILON), curves.exponential_mass(TERM, X, EPSILON), pure, "bounded range"
        ),
    ]


_SHARE, _J, _SUMS = sp.Symbol("i"), sp.Symbol("j"), sp.symbols("Q P d")  # of q, of p and of what a test gains
_LEAST, _UP, _LEFT = sp.symbols("l u v")  # the ratios lie in [l, l + u + v], and e^x = l + u


def _test_bound() -> sp.Expr:
    """What a test would gain if all ratios were at the ends, less what it gains."""
    return (_SUMS[1] - _LEAST * _SUMS[0]) * _LEFT / (_UP + _LEFT) - _SUMS[2]


def _two_losses(c: Claim, states: States) -> k.Fact:
    """An outcome at j of the way, taken with the share i, adds ``q ((1 - i) j v + i (1 - j) u)``."""
    step = k.sign(W * ((1 - _SHARE) * _J * _LEFT + _SHARE * (1 - _J) * _UP), ">=", c.domain)
    return induction.loop(_test_bound(), ">=", states, sp.S.One, nothing(c, states), step, c.domain)


@obligation("bounded-range", item="Lemma 4", citation="dong2020optimal", about=("curves.exponential_delta",))
def bounded_range() -> Sequence[Goal]:
    r"""The worst pair of bounded range at a level.

    On finite output spaces, with likelihood ratios in $[l,h]\ni e^x$, no test gains more than $(h-e^x)\frac{1-l}{h-l}$,
    what the pair with those two ratios has: the chord of $(r-e^x)_+$. With losses t and $t-\varepsilon$ that is
    $h=p-e^xq$ with $q=\frac{1-e^{t-\varepsilon}}{e^t-e^{t-\varepsilon}}$, $p=e^tq$, the most at $t=(x+\varepsilon)/2$,
    which is the library's formula.
    """
    domain = numbers("x", "t") + positive("epsilon")
    ratio = _LEAST + _J * (_UP + _LEFT)
    states = (
        *fixed(_LEAST, _UP, _LEFT),
        *zip(_SUMS, (sp.S.Zero,) * 3, (x + e for x, e in zip(_SUMS, _gains(ratio), strict=True)), strict=True),
    )
    outcomes = positive("w", "l", "v", "l_0", "v_0") + nonnegative("u", "u_0")
    outcomes += numbers("i", "j", lo=0, hi=1, ends="[]") + numbers(*(x.name for x in _SUMS))
    most = curves.exponential_delta(TERM, X, EPSILON)
    ends = {_LEAST: sp.exp(T - EPSILON), _UP: sp.exp(X) - sp.exp(T - EPSILON), _LEFT: sp.exp(T) - sp.exp(X)}
    value = _test_bound().subs({_SUMS[0]: 1, _SUMS[1]: 1, _SUMS[2]: 0}).subs(ends, simultaneous=True)
    root = sp.exp((T - EPSILON) / 2) - sp.exp((X - T) / 2)
    weight = 1 / (1 - sp.exp(-EPSILON))
    return [
        goal(loop_value(_test_bound(), states), ">=", outcomes, lambda c: _two_losses(c, states), "two losses suffice"),
        goal(most - value, ">=", domain, sum_of_squares((weight, root)), "the best t: one square"),
        goal(value.subs(T, (X + EPSILON) / 2) - most, "==", numbers("x") + positive("epsilon"), note="attained"),
    ]


def _gains(ratio: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """What an outcome of mass w adds to the sums of q, of p and of what the test gains."""
    return W, W * ratio, _SHARE * W * (ratio - _LEAST - _UP)


@obligation(
    "sampling",
    item="Theorem 11, Proposition 30",
    about=("curves.removed_order", "curves.added_factor", "curves.added_order"),
    theorems=(
        proven("EventSampling.poisson_pair_removed_on", "mixtures of a dominating pair dominate, on any output space"),
        proven("EventSampling.poisson_pair_added_on", "and of an added record"),
        proven("Cells.removed_curve", "the curve of a removed record"),
        proven("Cells.added_curve", "the curve of an added record"),
        proven("EventSampling.batch_pair_on", "mixtures without replacement, on any output space"),
        proven("EventSampling.advanced_joint_convexity_on", "advanced joint convexity (Theorem 2), event by event"),
    ),
)
def sampling() -> Sequence[Goal]:
    r"""Sampling.

    With $\alpha'=1+(\alpha-1)/\gamma$: $(1-\gamma)q+\gamma p-\alpha q=\gamma(p-\alpha'q)$; with $c=1-(1-\gamma)\alpha$:
    $p-\alpha((1-\gamma)p+\gamma q)=c\,(p-\frac{\gamma\alpha}cq)$. Without replacement the first mixture bounds
    $\alpha\ge1$ and the second $\alpha<1$, and the combined profile is composed.
    """
    p, q = sp.symbols("p q")
    domain = positive("p", "q") + numbers("gamma", lo=0, hi=1) + numbers("x")
    removed = (1 - G) * q + G * p - sp.exp(X) * q - G * (p - curves.removed_order(TERM, G, X) * q)
    # x below -ln(1 - gamma), where c is positive: x = -ln(1 - gamma) - y.
    at = -sp.log(1 - G) - Y
    c = curves.added_factor(TERM, 1 - G, at)
    added = p - sp.exp(at) * ((1 - G) * p + G * q) - c * (p - curves.added_order(TERM, G, c, at) * q)
    below = positive("p", "q", "y") + numbers("gamma", lo=0, hi=1)
    beyond = curves.added_factor(TERM, 1 - G, -sp.log(1 - G) + Y)
    return [
        goal(removed, "==", domain, note="mixed on the first side"),
        goal(c, ">", below, note="on the second, c is positive below -ln(1 - gamma)"),
        goal(-beyond, ">", below, note="and not beyond"),
        goal(added, "==", below, note="mixed on the second side"),
    ]


@obligation(
    "above",
    citation="doroshenko2022connect",
    theorems=(
        proven("EventCells.connect_the_dots_on", "the discrete pair dominates (Section 3), on any output space"),
        proven("EventCells.last_dot", "beyond the last point"),
        proven("EventCells.first_dot", "and below the first one"),
        proven("Cells.connect_the_dots", "on finite output spaces, outcome by outcome"),
        proven("Dominance.dominated_monotone", "more mass on the first side and less on the second dominates"),
    ),
)
def above() -> Sequence[Goal]:
    r"""Mass moved up: connecting the dots.

    The chord of $(r-\alpha)_+$ between grid points lies nowhere below it, so the interpolated curve dominates; mass
    beyond the last point counts as an infinite loss, mass below the first is moved up to it, and masses are rounded up:
    each only raises $\delta$.
    """
    domain = positive("x", "y", "w", "z")
    chord = (Y + W) * (X + Y) / (X + Y + W) - Y
    moved = (1 - sp.exp(-X - W)) - (1 - sp.exp(-X))
    return [
        goal(chord - X * W / (X + Y + W), "==", domain, note="the chord above the curve"),
        goal(X * W / (X + Y + W), ">", domain),
        goal(moved - sp.exp(-X) * (1 - sp.exp(-W)), "==", domain, note="a loss moved up by w"),
        goal(sp.exp(-X) * (1 - sp.exp(-W)), ">", domain),
        goal(sp.exp(-X), ">", domain, note="an infinite loss instead of x: 1 - (1 - exp(-x))"),
        goal(Z * (1 - sp.exp(-X)), ">", domain, note="a mass rounded up by z"),
    ]


@obligation(
    "below",
    premises=("zcdp/log-below-line",),
    theorems=(
        finite(
            "Dominance.dominated_times",
            "what is dominated stays dominated under composition (Theorem 10)",
            "zhu2022optimal",
        ),
    ),
    not_proved="The hull itself is checked in balls, value by value, each time that one is built.",
)
def below() -> Sequence[Goal]:
    r"""Mass moved down: tangents and their hull.

    A convex curve lies above its tangents, $e^u\ge1+u$ for the functions $(r-\alpha)_+$ that it is made of; a convex,
    piecewise linear function below the tangents at every grid point stays below the curve between them: a chord of
    values below a line's is below that line.
    """
    # Two grid points, slacks y, z >= 0 of v against a line there, and a point between them with weight t.
    t = sp.Symbol("t")
    domain = numbers("t", lo=0, hi=1, ends="[]") + positive("y", "z")
    return [
        goal(t * Y + (1 - t) * Z, ">=", domain, note="the slack between grid points"),
    ]


@obligation(
    "composition",
    item="Theorem 10",
    premises=("above", "below"),
    theorems=(
        finite(
            "Dominance.dominating_pairs_compose",
            "adaptive composition of dominating pairs (Theorem 10)",
            "zhu2022optimal",
        ),
    ),
)
def product() -> Sequence[Goal]:
    r"""Composition of discrete losses in directed integers.

    Adaptive composition is dominated by the product of the pairs; a sum of losses is a product of polynomials, and with
    $a'\ge a\ge0$, $b'\ge b\ge0$ the product of bounds bounds the product; the chance that either loss is infinite is at
    most the sum of the chances.
    """
    domain = positive("a", "y", "z", "w")
    either = Y + Z - (1 - (1 - Y) * (1 - Z))
    return [
        goal((A + Y) * (Z + W) - A * Z - (A * W + Y * Z + Y * W), "==", domain),
        goal(A * W + Y * Z + Y * W, ">", domain, note="masses rounded up multiply to more"),
        goal(either - Y * Z, "==", domain, note="infinite losses"),
    ]
