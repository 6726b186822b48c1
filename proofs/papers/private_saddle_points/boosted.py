"""Algorithm 4: disjoint parts, the choice among candidates, and how good the chosen one is (Section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.boosted_mirror_descent import formulas, utility
from dpref.terms import TERM
from proofs.papers.private_saddle_points import declare, obligation
from proofs.registry import Goal, equal, goal
from proofs.search import nonnegative, numbers, positive, unit

B, D, E, EPSILON, G, H, J, M, N, P, Q, R, RUNS, S, U, V, W, X, Y = sp.symbols(
    "B D e epsilon g h J m n p q r I s u v w x y"
)
_FOLDER = "boosted-mirror-descent."


@obligation(
    "parallel",
    item="Proof 3.21",
    tests=("tests/test_curator_parts.py::test_what_is_asked_of_a_part_may_depend_on_what_others_answered",),
    not_proved="More than two outcomes of what was answered before: summed over in the same way, and tested.",
)
def parallel() -> Sequence[Goal]:
    r"""Adaptive parallel composition.

    The record is in one part. An answer on another part has a probability r that is the same on both data sets, so that
    $pr-aqr=r(p-aq)$; and of two outcomes that were seen before, with probabilities w and $1-w$, each leaves a
    divergence of at most D on the record's part, which bounds their mean $w(D-u)+(1-w)(D-v)$.
    """
    mean = W * (D - U) + (1 - W) * (D - V)
    share = numbers("w", lo=0, hi=1, ends="[]")
    return [
        goal(P * R - U * Q * R - R * (P - U * Q), "==", positive("p", "q", "r", "u"), note="another part's answer"),
        goal(D - mean, ">=", share + nonnegative("D", "u", "v"), note="the mean over what was seen before"),
    ]


@obligation("S8", item="Algorithm 4, line 9 (errata, S8)", about=(_FOLDER + "choice_sensitivity",), premises=("P46",))
def s8() -> Sequence[Goal]:
    r"""The sensitivity of a proxy of the gap.

    Replacing a record moves a mean of m numbers from $B-u$ to $-B+v$, by at most $\frac{2B}m$, and so the largest of
    several; a proxy is a sum of two of these.
    """
    moved = ((B - U) - (-B + V)) / M + ((B - X) - (-B + Y)) / M
    sizes = positive("B", "m") + nonnegative("u", "v", "x", "y")
    return [goal(formulas.choice_sensitivity(TERM, B, M) - moved, ">=", sizes)]


@obligation(
    "choice-epsilon", item="Algorithm 4, line 10", about=(_FOLDER + "printed_choice_epsilon",), premises=("S8",)
)
def choice_epsilon() -> Sequence[Goal]:
    r"""The privacy loss of the printed exponent.

    $\frac{n\varepsilon}{32B}=\frac{\varepsilon'}{2\cdot4B/m}$ for $\varepsilon'=\varepsilon\frac n{4m}$, which is
    $\varepsilon$ on a quarter of the records and more on fewer (E31).
    """
    spent = formulas.printed_choice_epsilon(TERM, EPSILON, N, M)
    width = 2 * formulas.choice_sensitivity(TERM, B, M)
    return [
        equal(spent / width, N * EPSILON / (32 * B), positive("n", "epsilon", "B", "m"), "the exponent of G"),
        goal(
            (spent - EPSILON).subs(N, 4 * M + S), ">=", positive("epsilon", "m") + nonnegative("s"), note="n = 4 m + s"
        ),
    ]


@obligation(
    "chosen-gap",
    item="Proof 3.25",
    about=tuple(_FOLDER + name for name in ("chosen_gap", "held_out_error", "choice_error", "failure")),
    premises=("S8", "P45", "dynamic-privacy-budget/markov"),
    not_proved="Hoeffding's inequality (a mean of m numbers in $[-2B,2B]$ is off by more than h with probability at"
    r" most $2e^{-mh^2/(8B^2)}$) and Theorem 3.24 (the exponential mechanism loses more than"
    r" $\frac{2\Delta}\varepsilon\ln\frac Ip$ with probability at most p).",
)
def chosen_gap() -> Sequence[Goal]:
    r"""The gap of the chosen candidate.

    A candidate's proxy G on the population is at most its gap and short of it by at most twice the responses' mean
    excess (the best of J is, by Markov's inequality); held out it is off by at most h; the chosen one's is at most e
    above the best one's. The gaps then differ by at most $2(c_x+c_y)+2h+e$. With $IJ^2$ means within h but with
    probability p, $h=B\sqrt{\frac8m\ln\frac{2IJ^2}p}$; with the sensitivity $\frac{4B}m$,
    $e=\frac{8B}{m\varepsilon}\ln\frac Ip$.
    """
    held_out = utility.held_out_error(TERM, B, M, RUNS, J, P)
    pairs = 2 * RUNS * J * J
    # gap = proxy + 2 r - u; proxy = estimate + h - v; estimate = best estimate + e - w; and back with h - x and - y
    chosen = (((G - Y) + H - X) + E - W) + H - V + 2 * R - U
    sizes = positive("B", "m", "J") + numbers("I", lo=1, ends="[)") + unit("p")
    budget = positive("epsilon")
    return [
        goal(
            utility.chosen_gap(TERM, G, R, H, E) - chosen,
            ">=",
            nonnegative("g", "r", "h", "e", "u", "v", "w", "x", "y"),
            note="the chain",
        ),
        equal(held_out**2, 8 * B**2 * sp.log(pairs / P) / M, sizes, "h squared"),
        equal(pairs * sp.exp(-sp.log(pairs / P)), P, sizes, "what fails in all at m h^2 / (8 B^2) = ln(2 I J^2 / p)"),
        equal(
            utility.choice_error(TERM, B, M, EPSILON, RUNS, P),
            2 * formulas.choice_sensitivity(TERM, B, M) / EPSILON * sp.log(RUNS / P),
            sizes + budget,
            "e",
        ),
        equal(utility.failure(TERM, RUNS, S, P, Q), P + Q + 2 * RUNS * S, sizes + positive("s", "q"), "the union"),
    ]


declare(
    "vertex-excess",
    item="Algorithm 4, lines 7 and 8",
    title="What one vertex by the exponential mechanism loses, of linear losses",
    statement=r"On m records with losses in $[-B,B]$ its mean excess risk is at most"
    r" $\frac{4B\ln d}{m\varepsilon}+2B\sqrt{\frac{2\ln2d}m}$: with $\lambda=\frac{4B}{m\varepsilon}$, $p\propto"
    r" e^{s/\lambda}$, $\max s\le\lambda\ln\sum e^{s_i/\lambda}=\sum p_is_i+\lambda H(p)$ and $H(p)\le\ln d$.",
    tests=("tests/test_mirror_descent_boosted.py::test_one_vertex_loses_at_most_its_entropy_and_twice_the_deviation",),
)
