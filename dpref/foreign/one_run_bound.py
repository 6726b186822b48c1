r"""What one run with canaries says about epsilon: the bound of Steinke, Nasr and Jagielski and an exact one, in balls.

m canaries are in the data or out of it, each by a fair coin of its own.  From what one run gives, r of the coins are
guessed, and V guesses are right.  Let the algorithm be $(\varepsilon,\delta)$-DP under add-or-remove-one, and
$B\sim\mathrm{Bin}(r,q)$ with $q=e^\varepsilon/(1+e^\varepsilon)$ and probabilities $\beta_k$.

**Printed** (the published program): $\Pr[V\ge v]\le\Pr[B\ge v]+2m\delta\max_{1\le i\le v}\frac1i\Pr[v-i\le B<v]$.
Where this is near one a mechanism may attain more (two canaries, $v=1$, $e^\varepsilon=7$, $\delta=1/1000$); at the
levels of tests none was found to, and most of the second term is wasted.

**Repaired**, for every v from 1 to r:

.. math::
    \Pr[V\ge v]\;\le\;f_{\varepsilon,\delta}(v)=\Pr[B\ge v]\Big(1+\frac{m\delta}{v}\,\frac{\Pr[B<v]}{\beta_v}\Big).

*Proof.* Let $p_k=\Pr[V=k]$.  Toggling the coin of canary i turns "k are right, i's guess among them" into "k - 1 are
right, i's guess is wrong".  For fixed coins these are, over k, disjoint events of the output, so the probabilities of
the former exceed $e^\varepsilon$ times those of the latter by at most $\delta$ in all.  Averaged over the coins and
added up over the canaries, $kp_k\le e^\varepsilon(r-k+1)p_{k-1}+D_k$ with $\sum_kD_k\le m\delta$.  As
$k\beta_k=e^\varepsilon(r-k+1)\beta_{k-1}$, the ratios $x_k=p_k/\beta_k$ grow by at most $D_k/(k\beta_k)$.  Now

.. math::
    \Pr[V\ge v]-\Pr[B\ge v]=\sum_{j=1}^r(x_j-x_{j-1})\,G_j,\qquad
    G_j=\Pr[B\ge\max(j,v)]-\Pr[B\ge j]\Pr[B\ge v]\ge0,

is at most $m\delta\max_jG_j/(j\beta_j)$.  As B is log-concave, $\Pr[B<j]/(j\beta_j)$ grows with j and
$\Pr[B\ge j]/(j\beta_j)$ falls, so the largest is that of $j=v$, which is the claim.  Unless delta is large, some
mechanism attains it.

A claim of a curve has this bound at each of its points, and so their least: no correction is due for how many are
tried.  For the same reason one may search for a claim that V refutes at level $\alpha$: if a true claim lies below it,
that one has the bounds of all claims above, and with probability at least $1-\alpha$ none of them is below $\alpha$.

References:
    Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run", 2023, arXiv 2305.08846.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from dpref.algorithms.forms import Form
from dpref.checks import half_open_unit, natural, open_unit, rational
from dpref.errors import InvalidArgumentError
from dpref.foreign.claims import Claim
from dpref.reals import BALL, Exact, Ops, T, ball, exact, lower, precision, upper

BITS: Final = 128
HALVINGS: Final = 20
LEAST: Final = 2.0**-20


def right_side(o: Ops[T], odds: T, delta: T, canaries: int, guesses: int, right: int) -> T:
    r"""$f_{\varepsilon,\delta}(v)$, which bounds the probability of at least v right guesses; it may exceed 1.

    Args:
        odds: $e^\varepsilon$.
        delta: In the same number system.
        canaries: m.
        guesses: r, at most m.
        right: v, from 1 to r.

    Two canaries, both guessed rightly, at odds of 3 to 1:

    >>> from dpref.reals import RATIONAL
    >>> right_side(RATIONAL, Fraction(3), Fraction(0), 2, 2, 2)
    Fraction(9, 16)
    """
    at, beyond = _at_and_beyond(o, odds, guesses, right)
    return at * beyond + canaries * delta / right * beyond * (1 - at * beyond)


def right_side_as_printed(o: Ops[T], odds: T, delta: T, canaries: int, guesses: int, right: int) -> T:
    """The printed bound.

    Args:
        odds: As for `right_side`.
        delta: As for `right_side`.
        canaries: m.
        guesses: r.
        right: v, from 1 to r.

    >>> from dpref.reals import RATIONAL
    >>> delta = Fraction(1, 100)
    >>> [f(RATIONAL, Fraction(3), delta, 2, 2, 2) for f in (right_side, right_side_as_printed)]
    [Fraction(907, 1600), Fraction(231, 400)]
    """
    at, beyond = _at_and_beyond(o, odds, guesses, right)
    missed, steepest, term = o.number(0), o.number(0), at
    for i in range(1, right + 1):
        k = right - i + 1
        term = term * k / (odds * (guesses - k + 1))  # Pr[B = v - i]
        missed = missed + term
        steepest = o.maximum(steepest, missed / i)
    return at * beyond + 2 * canaries * delta * steepest


def _at_and_beyond(o: Ops[T], odds: T, guesses: int, right: int) -> tuple[T, T]:
    r"""$\beta_v$, and $\Pr[B\ge v]/\beta_v$ summed from its largest terms on."""
    at = o.number(math.comb(guesses, right)) * odds**right / (1 + odds) ** guesses
    beyond = term = o.number(1)
    for k in range(right, guesses):
        term = term * odds * (guesses - k) / (k + 1)
        beyond = beyond + term
    return at, beyond


def one_run_p_value(
    canaries: int, guesses: int, right: int, epsilon: Exact, delta: Exact, form: Form = Form.REPAIRED
) -> float:
    r"""A p-value of $(\varepsilon,\delta)$-DP under add-or-remove-one from one run, rounded up; at most 1.

    Args:
        canaries: m, each in the data by a fair coin of its own.
        guesses: r, fixed before the run, between 1 and m.
        right: v, how many guesses were right.
        epsilon: Exact, not negative.
        delta: Exact, in [0, 1).
        form: Which of the two bounds.

    Raises:
        InvalidArgumentError: If an argument is out of its domain.

    References:
        Steinke, Nasr and Jagielski 2023.

    >>> one_run_p_value(100, 50, 45, 1, 0) < 0.01 < one_run_p_value(100, 50, 45, 2, 0)
    True
    """
    _check_counts(canaries, guesses, right)
    eps, slack = rational("epsilon", epsilon), half_open_unit("delta", delta)
    if right == 0:
        return 1.0
    bound = right_side if form is Form.REPAIRED else right_side_as_printed
    with precision(BITS):
        return min(1.0, upper(bound(BALL, BALL.exp(ball(eps)), ball(slack), canaries, guesses, right)))


def p_value(claim: Claim, canaries: int, guesses: int, right: int, form: Form = Form.REPAIRED) -> float:
    """The least of `one_run_p_value` over the points of a claim.

    Args:
        claim: What is claimed.
        canaries: m.
        guesses: r.
        right: v.
        form: Which of the two bounds.

    >>> from dpref.foreign.claims import DPClaim, GDPClaim
    >>> p_value(DPClaim(Fraction(1)), 100, 50, 45) == one_run_p_value(100, 50, 45, 1, 0)
    True
    >>> p_value(GDPClaim(Fraction(1, 2)), 100, 50, 50) < 0.001
    True
    """
    deltas = ((epsilon, claim.delta_of(epsilon)) for epsilon in claim.points())
    useful = (one_run_p_value(canaries, guesses, right, e, delta, form) for e, delta in deltas if delta < 1)
    return min(useful, default=1.0)


def largest_refuted(
    claim: Claim, canaries: int, guesses: int, right: int, error: Fraction, form: Form = Form.REPAIRED
) -> float:
    r"""How much of the claim's parameter is refuted: too much with probability at most ``error``; 0 if nothing is.

    Doubles are halved between one that is refuted and one that is not; of the one that is returned balls prove that its
    p-value is below ``error``.

    Args:
        claim: Of which only the kind counts, and its delta.
        canaries: m.
        guesses: r.
        right: v; with v = r this is the most that such a run can show.
        error: Exact, in (0, 1).
        form: Which of the two bounds.

    Raises:
        InvalidArgumentError: If an argument is out of its domain.

    >>> from dpref.foreign.claims import DPClaim
    >>> round(largest_refuted(DPClaim(Fraction(1)), 1000, 1000, 1000, Fraction(1, 1000)), 2)
    4.97
    """
    level = open_unit("error", error)

    def refuted(amount: float) -> bool:
        return exact(p_value(claim.at(exact(amount)), canaries, guesses, right, form)) < level

    if not refuted(LEAST):
        return 0.0
    below, above = LEAST, 1.0
    while refuted(above):
        below, above = above, 2 * above
    for _ in range(HALVINGS):
        middle = (below + above) / 2
        below, above = (middle, above) if refuted(middle) else (below, middle)
    return below


def e_value(p_value: float) -> float:
    r"""$\frac12p^{-1/2}$, rounded down: such values of independent runs may be multiplied, p-values may not.

    Args:
        p_value: In (0, 1].

    Raises:
        InvalidArgumentError: If it is no probability, or 0.

    References:
        Vovk and Wang, "E-values: calibration, combination and applications", 2021, Section 2.

    >>> e_value(2.0**-10)
    16.0
    """
    if not 0 < p_value <= 1:
        raise InvalidArgumentError("p_value", p_value, "must lie in (0, 1]")
    with precision(BITS):
        return lower(1 / (2 * BALL.sqrt(ball(exact(p_value)))))


def _check_counts(canaries: int, guesses: int, right: int) -> None:
    natural("canaries", canaries)
    natural("guesses", guesses, most=canaries)
    natural("right", right, least=0, most=guesses)
