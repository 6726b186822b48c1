"""Han et al., "On Private Online Convex Optimization": what the answers of the baselines of Section 5 can move."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.local_mirror_descent import formulas as local
from dpref.algorithms.noisy_frank_wolfe import formulas as parted
from dpref.algorithms.noisy_sgd import formulas as single
from dpref.terms import TERM
from proofs.papers.private_online_frank_wolfe import obligation
from proofs.registry import Goal, equal, goal
from proofs.search import nonnegative, numbers, positive
from proofs.sums import Series

L, BETA, DIAMETER, ETA, M, B, X, Y, J, N = sp.symbols("L beta D eta m b x y j n")
_TWO = sp.Integer(2)


@obligation("S-10", item="Section 5.3, NoisySFW", about=("noisy-frank-wolfe.gradient_sensitivity",))
def s_10() -> Sequence[Goal]:
    r"""A mean of m gradients moves by at most 2 L / m.

    Of the sum one term differs, g against g', each at most L long: $\frac{g-g'}m$ is at most $\frac{2L}m$ long, and at
    most $\frac Lm$ if $g'=0$; two opposite gradients of length L attain it. With $m=\frac n2$ it is the printed
    $\frac{4L}n$.
    """
    sizes, shares = positive("L", "m"), numbers("x", "y", lo=0, hi=1, ends="[]")
    ours = parted.gradient_sensitivity(TERM, _TWO, L, M)
    nulled = parted.gradient_sensitivity(TERM, sp.S.One, L, M)
    n = sp.Symbol("n")
    return [
        goal(ours - ((1 - X) * L + (1 - Y) * L) / M, ">=", sizes + shares, note="lengths (1 - x) L and (1 - y) L"),
        goal(nulled - (1 - X) * L / M, ">=", sizes + shares, note="one of them null"),
        equal(2 * L / M, ours, sizes, "opposite gradients"),
        goal(parted.gradient_sensitivity(TERM, _TWO, L, n / 2) - 4 * L / n, "==", positive("L", "n")),
    ]


@obligation(
    "S-11",
    item="Section 5.3, NoisySFW",
    about=("noisy-frank-wolfe.difference_sensitivity", "noisy-frank-wolfe.printed_difference_sensitivity"),
)
def s_11() -> Sequence[Goal]:
    r"""A mean of b gradient differences moves by at most 2 beta D eta / b.

    $w_t-w_{t-1}=\eta(v_{t-1}-w_{t-1})$ is at most $\eta D$ long, so every record's difference at most $\beta\eta D$;
    of the sum one term differs. The reconstruction's $\frac{4\beta D\eta}{\sqrt n}$ is that where $b=\frac{\sqrt n}2$,
    and too small by the factor $\frac{2b}{\sqrt n}$ where b is rounded down: 1.94 at n = 15.
    """
    sizes, shares = positive("beta", "D", "eta", "b"), numbers("x", "y", lo=0, hi=1, ends="[]")
    ours = parted.difference_sensitivity(TERM, _TWO, BETA, DIAMETER, ETA, B)
    nulled = parted.difference_sensitivity(TERM, sp.S.One, BETA, DIAMETER, ETA, B)
    rest, w, v = sp.symbols("r w v")

    def printed(n: sp.Expr) -> sp.Expr:
        return parted.printed_difference_sensitivity(TERM, BETA, DIAMETER, ETA, n)

    each = BETA * (ETA * DIAMETER)
    return [
        goal(w + ETA * (v - w) - w - ETA * (v - w), "==", positive("eta") + numbers("w", "v"), note="one step"),
        goal(ours - ((1 - X) * each + (1 - Y) * each) / B, ">=", sizes + shares),
        goal(nulled - (1 - X) * each / B, ">=", sizes + shares, note="one of them null"),
        equal(2 * each / B, ours, sizes, "both as long as they can be, opposite"),
        goal(printed(4 * B**2) - ours, "==", sizes, note="the print, where half of the root is an integer"),
        goal(ours**2 - printed(4 * B**2 + rest) ** 2, ">=", sizes + nonnegative("r"), note="and where it is not"),
        goal(4 * ours.subs(B, 1) ** 2 / printed(sp.Integer(15)) ** 2 - 15, "==", sizes, note="at n = 15: 15 / 4"),
    ]  # fmt: skip


@obligation("A-8", item="Section 5.3, NoisySGD", about=("noisy-sgd.variance", "noisy-sgd.noise_multiplier"))
def a_8() -> Sequence[Goal]:
    r"""NoisySGD's noise over what a replaced record moves.

    $\sigma^2=\frac{8L^2\ln(1/\delta)}{\varepsilon^2}$ over $(2L)^2$ is $\frac{2\ln(1/\delta)}{\varepsilon^2}$: the
    multiplier of every answer's event, on one uniform record of n, $n^2-1$ times. What that spends no formula says
    here: an accountant certifies it for a plan.
    """
    log, epsilon = sp.symbols("Lambda epsilon")
    sizes = positive("L", "Lambda", "epsilon")
    found = single.variance(TERM, L, log, epsilon)
    return [
        goal(found / (2 * L) ** 2 - single.noise_multiplier(TERM, log, epsilon) ** 2, "==", sizes),
        equal(single.variance(TERM, L, log, epsilon), 8 * L**2 * log / epsilon**2, sizes, "in full"),
    ]


@obligation("A-7", item="Section 5.3, LocalMD", about=("local-mirror-descent.noise",))
def a_7() -> Sequence[Goal]:
    r"""LocalMD's noise over what a replaced record moves, and the budgets of its blocks.

    $\sigma_i=\frac{cL\sqrt{\ln(1/\delta)}}{b_i\varepsilon_i}$ over $\frac{2L}{b_i}$ is
    $\frac{c\sqrt{\ln(1/\delta)}}{2\varepsilon_i}$, whatever the batch is. The budgets $2^{-i}\varepsilon$ of n blocks
    add up to $(1-2^{-n})\varepsilon$, so that the ledger may compose the blocks one after another, though they share no
    record.
    """
    log, epsilon, constant = sp.symbols("Lambda epsilon c")
    sizes = positive("L", "Lambda", "epsilon", "c", "b")
    return [
        equal(
            local.noise(TERM, constant, L, log, B, epsilon) / (2 * L / B),
            constant * sp.sqrt(log) / (2 * epsilon),
            sizes,
            "over the sensitivity of a batch mean",
        ),
        Series((1 - 2**-N) * epsilon, 2**-J * epsilon, J, N, positive("epsilon")).goal("the budgets of n blocks"),
    ]
