"""Samplers beyond one coin for each record: several answers on a batch, batches that are cut, draws, and groups."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from proofs.registry import Goal, equal, finite, goal, obligation, proven
from proofs.search import nonnegative, numbers, positive

A, B, M, N, P, Q, R, T, U, V, W, X, Z = sp.symbols("a b m n p q r t u v w x z")
_MAXIMUM = "that a half-line maximises over all tests is the lemma of Neyman and Pearson, in words"


@obligation(
    "samplers/several-answers",
    citation="zhu2022optimal",
    tests=(
        "tests/test_one_batch.py::test_gaussian_answers_on_a_sample_at_random_points",
        "tests/test_one_batch.py::test_mixed_answers_at_random_points",
    ),
    theorems=(
        finite(
            "Dominance.dominating_pairs_compose",
            "adaptive composition of dominating pairs (Theorem 10)",
            "zhu2022optimal",
        ),
        proven("EventSampling.poisson_pair_removed_on", "mixtures of a dominating pair dominate, on any output space"),
        proven("EventSampling.poisson_pair_added_on", "and of an added record"),
    ),
)
def several_answers() -> Sequence[Goal]:
    r"""Several answers on one batch.

    Adaptive answers on one batch are one mechanism, whose pair is the product of theirs; a sampler mixes that pair.
    Gaussian answers of shifts a and b are one of shift $\sqrt{a^2+b^2}$: their losses $au-\frac{a^2}2$ and
    $bv-\frac{b^2}2$ add up to the loss of the sum of squares at $z=\frac{au+bv}{\sqrt{a^2+b^2}}$. Mixing keeps the
    order of curves: with $\bar h\ge h$ at every loss, $\gamma\bar h\ge\gamma h$ and $c\bar h\ge ch$ for $c\ge0$.
    """
    domain = positive("a", "b") + numbers("u", "v")
    root = sp.sqrt(A**2 + B**2)
    return [
        equal(A * U - A**2 / 2 + B * V - B**2 / 2, root * ((A * U + B * V) / root) - (A**2 + B**2) / 2, domain, "loss"),
        goal(W * (X + Z) - W * X, ">=", nonnegative("w", "z") + numbers("x"), note="a larger curve, mixed"),
    ]


@obligation(
    "samplers/truncated-poisson",
    citation="zhu2022optimal",
    tests=(
        "tests/test_samplers.py::test_no_neighbours_are_above_the_pair_that_dominates",
        "tests/test_samplers.py::test_values_that_were_computed_elsewhere",
        "tests/test_samplers.py::test_binomial_tails_at_random_points",
    ),
    theorems=(
        proven("Dominance.joint_convexity", "joint convexity (Theorem 2)"),
        proven("Events.joint_convexity_on", "on any output space, for finitely many parts"),
    ),
    not_proved="that the law of a full batch is uniform whatever was drawn, and the sum over k, are in words",
)
def truncated_poisson() -> Sequence[Goal]:
    r"""Poisson samples that are cut to a batch.

    That the other records fill the batch (probability $\tau$) does not depend on the record. With $P=(1-\tau)P_1+\tau
    P_2$ and $Q$ likewise, $P-\alpha Q=(1-\tau)(P_1-\alpha Q_1)+\tau(P_2-\alpha Q_2)$, so the curves are averaged. Of
    $k+1$ records drawn, k others, the record is kept with probability $\frac B{k+1}$, and
    $\binom{n-1}k\frac1{k+1}=\binom n{k+1}\frac1n$ gives $\bar r$. The record alone is in the batch with probability
    $(1-\tau)q+\tau\bar r$ (here r).
    """
    domain = numbers("t", lo=0, hi=1, ends="[]") + numbers("p", "q", "u", "v") + positive("a")
    mixed = (1 - T) * P + T * U - A * ((1 - T) * Q + T * V)
    k, ways = sp.Symbol("k"), sp.Symbol("c")
    alone = (1 - T) * (1 - Q) + T * (1 - R)
    chances = numbers("t", "q", "r", lo=0, hi=1, ends="[]")
    return [
        equal(mixed, (1 - T) * (P - A * Q) + T * (U - A * V), domain, "revealing whether the batch is full"),
        equal(ways / (k + 1), ways * N / (k + 1) / N, positive("c", "n", "k"), "binomial coefficients"),
        equal(alone, 1 - ((1 - T) * Q + T * R), chances, "the record is absent"),
    ]


@obligation(
    "samplers/mixtures",
    citation="neyman1933problem",
    tests=(
        "tests/test_samplers.py::test_mixtures_at_random_points",
        "tests/test_samplers.py::test_no_groups_are_above_the_pair_that_dominates",
        "tests/test_samplers.py::test_groups_attain_their_pairs",
    ),
    theorems=(
        proven("Tests.neyman_pearson", "no test of a size has more power than that of the ratio"),
        proven("Tails.neyman_pearson", "and so for densities on the line"),
    ),
    not_proved=_MAXIMUM,
)
def mixtures() -> Sequence[Goal]:
    r"""Mixtures of normal laws against one normal law.

    Each term of the ratio $\sum_iw_ie^{s_iy-s_i^2/2}$ grows with y (its derivative is $ws\,e^{sy-s^2/2}$), so a test of
    the pair on the line is a half-line; with $Q(S)=\Phi(a)$ no law at distance $s_i$ gives S more than $\Phi(a+s_i)$,
    and a half-line attains all of these at once.
    """
    s, y = sp.symbols("s y")
    term = W * sp.exp(s * y - s**2 / 2)
    return [
        equal(sp.diff(term, y), W * s * sp.exp(s * y - s**2 / 2), positive("w", "s") + numbers("y"), "the derivative"),
        goal(W * s * sp.exp(s * y - s**2 / 2), ">", positive("w", "s") + numbers("y"), note="the ratio grows"),
    ]


@obligation(
    "samplers/groups",
    citation="zhu2022optimal",
    tests=(
        "tests/test_samplers.py::test_the_group_property_bounds_a_sampled_laplace_answer",
        "tests/test_groups_on_samples.py::test_no_group_is_above_the_pair_that_dominates",
    ),
    theorems=(proven("Cells.two_steps", "two steps to a neighbour, on finite output spaces"),),
    not_proved="that m steps follow from two by induction is in words",
)
def groups() -> Sequence[Goal]:
    r"""The group property at every loss.

    For neighbours P, R and R, Q and any $a,b>0$: $P-abQ=(P-aR)+a(R-bQ)$, hence, with $h_0$ the curve of the first step
    and $h_1$ that of the second, $h(\ln ab)\le h_0(\ln a)+a\,h_1(\ln b)$; with m steps at equal losses
    $h(x)\le\sum_{i<m}e^{ix/m}h_i(\frac xm)$.
    """
    domain = positive("a", "b") + numbers("p", "q", "r")
    return [equal(P - A * B * Q, (P - A * R) + A * (R - B * Q), domain, "two steps")]
