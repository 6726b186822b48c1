"""Epochs in which a record is in one of t steps, or in k of them: each bound of the mean of likelihood ratios."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy.closed_forms import allocations
from dpref.terms import TERM
from proofs.registry import Goal, Paper, equal, goal, proven
from proofs.search import nonnegative, numbers, positive

obligation = Paper("allocation", "shaked2007stochastic").obligation
A, B, D, E, L, M, P, Q, R, S, T, U, V, W, X, Y, Z = sp.symbols("a b d e l m p q r s t u v w x y z")
_LAWS = (
    "tests/test_allocation.py::test_two_steps_agree_with_quadrature",
    "tests/test_allocation.py::test_laws_that_are_exact_stay_between",
    "tests/test_allocation.py::test_masses_and_means_are_what_they_must_be",
)


@obligation(
    "pair",
    citation="chua2025balls",
    tests=(
        "tests/test_allocation.py::test_values_that_were_computed_elsewhere",
        "tests/test_allocation.py::test_several_of_some_steps_lie_between_the_ends",
    ),
    theorems=(proven("Events.joint_convexity_on", "joint convexity: the blocks may be published"),),
    not_proved="that contributions which depend on earlier answers are replaced one by one, from the last, is in words",
)
def pair() -> Sequence[Goal]:
    r"""The pair of a random step.

    Given the answers before, the likelihood ratio of one step is $Y=e^{sz-s^2/2}$ under $N(0)$ in z, of mean one: its
    exponent completes the square of the density moved by s. With $\bar Y$ the mean over steps, a removed record spends
    $\mathbb E(\bar Y-\alpha)_+$ and an added one $\mathbb E(1-\alpha\bar Y)_+$. Both are convex in every Y, and so are
    those of a product of means over k blocks, which is linear in each Y with a factor that is not negative (here a,
    with b for the rest): at the mean of two ratios it is the mean of what it is at each.
    """
    z = numbers("z") + positive("s")
    return [
        equal(S * Z - S**2 / 2 - Z**2 / 2, -((Z - S) ** 2) / 2, z, "the density moved by s"),
        equal(
            A * (P * X + (1 - P) * Y) + B,
            P * (A * X + B) + (1 - P) * (A * Y + B),
            numbers("p", lo=0, hi=1, ends="[]") + numbers("x", "y", "b") + nonnegative("a"),
            "linear in each ratio",
        ),
    ]


@obligation("spread", about=("allocations.upper_share",), tests=_LAWS, premises=("pld/above",))
def spread() -> Sequence[Goal]:
    r"""A cell's mass at both ends bounds from above.

    A ratio y in $[l,r]$ goes to r with the chance $\frac{y-l}{r-l}$, else to l, so that the mean stays. For K below l
    or above r nothing changes; for $l\le K\le y$ (distances x, y, w between l, K, y and r) and for $y\le K\le r$
    (distances x, y, w between l, y, K and r) $(y-K)_+$ grows by $\frac{xw}{x+y+w}$, and $(K-y)_+$, which differs from
    it by $K-y$, by as much.
    """
    share = allocations.upper_share(TERM, sp.S.One, P, L, R)
    three = nonnegative("x", "y", "w") + positive("u", "l")
    # The distances are not all zero: the last one is u more.
    whole, gained = X + Y + W + U, X * (W + U) / (X + Y + W + U)
    middle = allocations.upper_share(TERM, sp.S.One, L + X + Y, L, L + whole)
    early = allocations.upper_share(TERM, sp.S.One, L + X, L, L + whole)
    mean = positive("u", "l") + numbers("p", "v")
    return [
        equal(share.subs(R, L + U) * (L + U) + (1 - share.subs(R, L + U)) * L, P, mean, "the mean stays"),
        equal(middle * (Y + W + U) - Y, gained, three, "K below the ratio"),
        equal(early * (W + U), gained, three, "K above the ratio"),
        goal(gained, ">=", three, note="what is gained"),
        equal(1 - early, (Y + W + U) / whole, three, "both chances are shares"),
    ]


@obligation("contraction", tests=_LAWS)
def contraction() -> Sequence[Goal]:
    r"""Cells merged into their means bound from below.

    Masses a and b at $K-x$ and $K+y$ in one cell: merged into their mean they have $(by-ax)_+$ of what is above K, and
    $(ax-by)_+$ of what is below, where they had by and ax. On one side of K nothing changes.
    """
    domain = nonnegative("a", "b", "x", "y")
    return [
        goal(B * Y - (B * Y - A * X), ">=", domain, note="above K"),
        goal(A * X - (A * X - B * Y), ">=", domain, note="below K"),
        goal(B * Y, ">=", domain, note="and it is never negative"),
    ]


@obligation("sums", about=("allocations.joint_doubt",), tests=_LAWS)
def sums() -> Sequence[Goal]:
    r"""Bounds of parts are a bound of the whole.

    For a level below zero a bound holds as its mean and its mass bound: with mean $m+r$ for m and mass $1+u$ for one,
    $(m+r)+v(1+u)\ge m+v$, $v\ge0$. So the law of a sum is bounded part by part, and the rest of one part counts with
    the other one's mass; of a product $zx-K=z(x-\frac Kz)$, and the rest of one counts with the other one's mean. What
    is right within $1\pm e$ of something right within $1\pm d$ is so within $1\pm(e+d+ed)$; beyond the last place p
    an atom at $p+y$ with mass w has at most wy more above any level than its mass at p.
    """
    both, doubts = nonnegative("e", "d"), allocations.joint_doubt(TERM, E, D)
    return [
        goal(
            (M + R) + V * (1 + U) - (M + V), ">=", nonnegative("r", "u", "v") + numbers("m"), note="a level below zero"
        ),
        equal(Z * X - P, Z * (X - P / Z), positive("z") + numbers("x", "p"), "of a product"),
        equal((1 + E) * (1 + D), 1 + doubts, both, "errors upwards"),
        goal((1 - E) * (1 - D) - (1 - doubts), ">=", both, note="errors downwards"),
        goal((X - P) * W + W * Y - (X + Y - P) * W, ">=", nonnegative("w", "y") + numbers("x", "p"), note="cut above"),
    ]


@obligation("more-steps", tests=("tests/test_allocation.py::test_more_than_the_doubles_bear",))
def more_steps() -> Sequence[Goal]:
    r"""More steps spend less.

    The mean of $t+1$ ratios of sum s is the mean over i of the mean of all but the i-th, $\frac{s-y_i}t$ (whose sum is
    $\frac{(t+1)s-s}t$); so no convex function's expectation is larger. An epoch of very many steps is bounded by one of
    fewer.
    """
    domain = positive("t") + numbers("s")
    return [equal(((T + 1) * S - S) / T / (T + 1), S / (T + 1), domain, "the mean of means that leave one out")]


@obligation(
    "replace-one",
    about=("allocations.in_two_steps",),
    premises=("samplers/groups",),
    tests=("tests/test_allocation.py::test_a_replaced_record_is_removed_and_added",),
)
def replace_one() -> Sequence[Goal]:
    r"""A replaced record is removed, and another one added.

    For any law R without both and $a,b>0$: $P-abQ=(P-aR)+a(R-bQ)$, hence $h(\ln ab)\le h_{\mathrm{removed}}(\ln a)+
    a\,h_{\mathrm{added}}(\ln b)$ at every split of the loss; the least over some splits is a bound.
    """
    domain = positive("a", "b") + numbers("p", "q", "r")
    steps = allocations.in_two_steps(TERM, P - A * R, R - B * Q, A)
    return [equal(P - A * B * Q, steps, domain, "two steps")]
