"""Wang, Ye and Xu, "Differentially Private Empirical Risk Minimization Revisited": DP-SVRG and DP-SVRG++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.svrg import calibration as svrg_calibration
from dpref.algorithms.svrg import formulas as svrg_plan_formulas
from dpref.algorithms.svrg_plus_plus import plan as plus_plus_plan
from dpref.audit.papers.dp_erm_revisited import witnesses as svrg_witness
from dpref.privacy.closed_forms import conversions, divergences
from dpref.privacy.renyi import divergences as renyi
from dpref.terms import TERM
from proofs import balls, induction
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.dp_erm_revisited import erratum, obligation
from proofs.registry import Goal, cited, equal, goal, of_fact, proven, read_as, refutation
from proofs.search import ZERO, bisect, box, grow, natural, nonnegative, numbers, positive

M, B = sp.symbols("m b")
ALPHA, GAMMA, S, U, Y, J, X, F = sp.symbols("alpha gamma s u y j x f")
G, N, K, EPSILON, LAMBDA, CONST, Z, SPLIT = sp.symbols("G n K epsilon Lambda c z w")
_PRINTED = "svrg.printed_variance"
_OUTPUT = "svrg-witness.output_event"
_LINEAR = "svrg-witness.linear_output_weights"
COUNTED = "svrg-plus-plus.counted_steps"


# For every number of epochs x and every m.
read_as(COUNTED, lambda: [plus_plus_plan.counted_steps(X, M)])


def _linear_output(*, carry: bool) -> Sequence[sp.Expr]:
    """Three epochs, with or without carrying the last iterate over."""
    return svrg_witness.linear_output_weights(TERM, sp.symbols("m1 m2 m3"), carry=carry)


read_as(_LINEAR, lambda: [*_linear_output(carry=False), *_linear_output(carry=True)])


# ------------------------------------------------------------------------------------ privacy inside the range


def exponential_below(end: object = 1) -> k.Fact:
    """``1 + 2 y - exp(y) >= 0`` on [0, end]: it grows up to 2/3 and is positive beyond."""
    f, cut = 1 + 2 * Y - sp.exp(Y), sp.Rational(2, 3)
    rise = bisect(Claim(sp.diff(f, Y), ">", box(y=(0, cut))))
    left = grow(f, Y, box(y=(0, cut)), growth=rise)
    return k.join(left, bisect(Claim(f, ">", box(y=(cut, end)))), Y)


@obligation(
    "P71",
    item="Theorem 4.1, proof B.2 (errata, Lemmas 6.3a and 6.3b)",
    citation="mironov2017renyi",
    about=("renyi.weak_triangle",),
    tests=("property_tests/test_svrg.py::test_the_lemmas_bound_the_exact_sums",),
    theorems=(
        proven("Conversion.weak_triangle", "the weak triangle inequality of Renyi divergences (Proposition 11)"),
        proven("Events.weak_triangle_on", "on any output space, seen through finitely many outcomes"),
    ),
    not_proved="The moment of the binomial by conditioning on a random half (Jensen), and the coupling of the batches.",
)
def p71() -> Sequence[Goal]:
    r"""The Rényi divergence of a sampled Gaussian with a small shift.

    For integer $\alpha\ge2$ and $2\alpha s^2\le1$: $D_\alpha((1-\gamma)N(0,1)+\gamma
    N(s,1)\|N(0,1))\le\frac{2\alpha^2\gamma^2s^2}{\alpha-1}$, and hence, by the weak triangle inequality with $4\alpha
    s^2\le1$, $\frac{4\alpha^2+(2\alpha-1)^2}{\alpha-1}\gamma^2s^2\le\frac{8\alpha^2\gamma^2s^2}{\alpha-1}$ for the
    sampled difference. The pieces: $e^y-1\le2y$ on $[0,1]$, $1+u\le e^u$, $j(\alpha-j)\le\frac{\alpha^2}4$, and the
    triangle's sum.
    """
    orders, one = numbers("alpha", lo=1), box(y=(0, 1))
    halves = (2 * (2 * ALPHA) ** 2 / (2 * ALPHA - 1), 2 * (2 * ALPHA - 1) ** 2 / (2 * ALPHA - 2))
    together = renyi.weak_triangle(TERM, ALPHA, *(half * GAMMA**2 * S**2 for half in halves))
    bound = (4 * ALPHA**2 + (2 * ALPHA - 1) ** 2) / (ALPHA - 1) * GAMMA**2 * S**2
    simple = 8 * ALPHA**2 * GAMMA**2 * S**2 / (ALPHA - 1)
    rest = orders + positive("gamma", "s")
    return [
        of_fact(exponential_below, 1 + 2 * Y - sp.exp(Y), ">=", one, "e^y - 1 <= 2 y on [0, 1]"),
        goal(sp.exp(U) - 1 - U, ">=", nonnegative("u"), lambda c: grow(c.expr, U, c.domain), "1 + u <= e^u"),
        goal(ALPHA**2 / 4 - J * (ALPHA - J), ">=", numbers("alpha", "j"), lambda c: k.squares(
            c.expr, ((sp.S.One, ALPHA / 2 - J),), c.domain), "j (alpha - j) <= alpha^2 / 4"),
        goal(together - bound, "==", rest, note="the triangle's sum"),
        goal(simple - bound, ">=", rest, note="its simpler form"),
        cited("the reverse direction is not larger", "Mironov, Talwar and Zhang 2019, Theorem 5"),
    ]  # fmt: skip


def _number(expr: sp.Expr, note: str) -> Goal:
    """A positive number, certified in one ball."""
    return goal(expr, ">", (), lambda c: balls.cover(c.expr, (), "0", 64), note)


@obligation(
    "P72",
    item="Theorems 4.1 and 4.3 (errata, Theorem 6.3)",
    about=(
        _PRINTED,
        "svrg.largest_epsilon",
        "svrg.logarithmic_range",
        COUNTED,
        "conversions.renyi_epsilon",
        "divergences.gaussian_renyi",
    ),
    premises=("P71", "gaussian/renyi", "sensitivity/replace-one"),
)
def p72() -> Sequence[Goal]:
    r"""Eq. (3) holds with c = 3080, Eq. (6) with c = 6160, for c_1 = 7 and epsilon at most 2 ln(1/delta).

    With $N=\lceil2\Lambda/\varepsilon\rceil$, $\Lambda=\ln\frac1\delta$, $\varepsilon\le2\Lambda$ and $\alpha=N+1$:
    $\frac\Lambda N\le\frac\varepsilon2$, $\alpha\le\frac{6\Lambda}\varepsilon$,
    $\frac{\alpha^2}N\le\frac{10\Lambda}\varepsilon$ (false beyond $\frac52\Lambda$); K answers then spend at most
    $\frac{KG^2\Lambda}{n^2\varepsilon}\big(\frac{1280}{\sigma_1^2}+\frac{12}{\sigma_2^2}\big)$, which the best split
    $\sigma^2=\sigma_1^2+\sigma_2^2$ and $\sigma^2=c\,\frac{G^2K\Lambda}{n^2\varepsilon^2}$ bring below
    $\frac\varepsilon2$ for $c>2(\sqrt{1280}+\sqrt{12})^2$, of which 3080 is the ceiling; $\varepsilon\le c_1K(b/n)^2$
    gives $4\alpha s^2\le1$ for $c_1=7$, the floor of what c allows. Eq. (6) has $\ln\frac2\delta>\Lambda$ and counts
    $2^Tm$, that is m more than half of the $\sum_{s\le T}2^sm=(2^{T+1}-2)m$ answers: twice the constant, 6160.
    """
    return [*_order_goals(), *_noise_goals(), *_range_goals()]


def _order_goals() -> list[Goal]:
    """The order is chosen: epsilon = the range's end over x, x = 1 + y with y >= 0; N = x + f with f in [0, 1)."""
    epsilon = svrg_plan_formulas.logarithmic_range(TERM, LAMBDA) / (1 + Y)
    beyond = sp.Rational(5, 4) * svrg_plan_formulas.logarithmic_range(TERM, LAMBDA)
    ceiling = 2 * LAMBDA / epsilon + F
    order = ceiling + 1
    domain = positive("Lambda") + nonnegative("y") + numbers("f", lo=0, hi=1, ends="[)")
    found = conversions.renyi_epsilon(TERM, epsilon / 2, order, LAMBDA)
    return [
        goal(epsilon - found, ">=", domain, note="Lambda / N <= epsilon / 2"),
        goal(6 * LAMBDA / epsilon - order, ">=", domain, note="alpha <= 6 Lambda / epsilon"),
        goal(
            10 * LAMBDA / epsilon - order**2 / ceiling, ">=", domain, _second_order, "alpha^2 / N <= 10 Lambda / eps"
        ),
        goal(
            4 - 10 * LAMBDA / (beyond * (1 + Z)), ">", positive("Lambda", "z"),
            note="5/4 of the range's end is the most: beyond it N = 1, and alpha^2 / N = 4 is more than that",
        ),
    ]  # fmt: skip


_A, _B = sp.sqrt(1280), sp.sqrt(12)
_BEST, _TOTAL = _A / (_A + _B), (_A + _B) ** 2  # the best share of sigma_1^2, and 1280 / share + 12 / (1 - share) there
_PUBLIC = positive("G", "K", "n", "epsilon", "Lambda")
_CHARGE = K * G**2 * LAMBDA / (N**2 * EPSILON)


def all_answers() -> list[Goal]:
    """How many answers x epochs of DP-SVRG++ give, and that Eq. (6) counts m more than half of them."""
    domain = positive("m") + natural("x")
    lengths = induction.summation(M * 2**J, J, 1, X, 2 * M * (2**X - 1), "==", sp.S.One, ZERO, ZERO, domain)
    counted = plus_plus_plan.counted_steps(X, M)
    return [
        of_fact(lambda: lengths, *lengths.claim, note="the answers of T epochs"),
        goal(2 * counted - 2 * M * (2**X - 1) - 2 * M, "==", domain, note="twice the count"),
    ]


def _noise_goals() -> list[Goal]:
    """What K answers spend, and that c is the least whole number that brings it below epsilon / 2."""
    c, twice = (
        sp.Rational(x.numerator, x.denominator)
        for x in (svrg_calibration.PROVED_CONSTANT, plus_plus_plan.PROVED_CONSTANT)
    )
    variance = svrg_plan_formulas.printed_variance(TERM, c, G, K, LAMBDA, N, EPSILON)
    sampled = K * 8 * (10 * LAMBDA / EPSILON) * (4 * G / N) ** 2 / (SPLIT * Z**2)
    full = K * divergences.gaussian_renyi(TERM, 6 * LAMBDA / EPSILON, 2 * G / (N * Z * sp.sqrt(1 - SPLIT)))
    more = svrg_plan_formulas.printed_variance(TERM, twice, G, K, LAMBDA + U, N, EPSILON)  # K is what Eq. (6) counts
    return [
        goal(
            sampled + full - _CHARGE * (1280 / (SPLIT * Z**2) + 12 / ((1 - SPLIT) * Z**2)), "==",
            _PUBLIC + positive("z") + numbers("w", lo=0, hi=1), note="what K answers spend",
        ),
        goal(1280 / _BEST + 12 / (1 - _BEST) - _TOTAL, "==", (), note="the best split"),
        _number(c - 2 * _TOTAL, "c is enough"),
        _number(2 * _TOTAL + 1 - c, "and no more than enough: the next whole number"),
        goal(
            EPSILON / 2 - _CHARGE * _TOTAL / variance, ">", _PUBLIC,
            lambda g: k.combine(g.expr, ">", ((EPSILON / (2 * c), _cover(c - 2 * _TOTAL)),), g.domain),
            "Eq. (3): less than epsilon / 2 is spent",
        ),
        *all_answers(),
        _number(twice - 4 * _TOTAL, "c of Eq. (6) is enough for twice the answers"),
        _number(4 * _TOTAL + 1 - twice, "and no more than enough"),
        goal(
            EPSILON / 2 - (2 - S) * _CHARGE * _TOTAL / more, ">",
            _PUBLIC + nonnegative("u") + numbers("s", lo=0, hi=1), lambda g: _eq_6(g, twice),
            "Eq. (6): (2 - s) K answers, ln(2 / delta) = Lambda + u",
        ),
    ]  # fmt: skip


def _cover(expr: sp.Expr) -> k.Fact:
    return balls.cover(expr, (), "0", 64)


def _eq_6(claim: Claim, c: sp.Expr) -> k.Fact:
    """``eps / (2 c (Lambda + u)) (Lambda (c - 4 R) + c u + 2 s Lambda R)``."""
    rest = k.sign(c * U + 2 * S * LAMBDA * _TOTAL, ">=", claim.domain)
    share = EPSILON / (2 * c * (LAMBDA + U))
    return k.combine(claim.expr, ">", ((share * LAMBDA, _cover(c - 4 * _TOTAL)), (share, rest)), claim.domain)


def _range_goals() -> list[Goal]:
    """The range makes the shift of a sampled difference small, and c_1 is the largest whole number that does."""
    c, c1 = (
        sp.Rational(x.numerator, x.denominator)
        for x in (svrg_calibration.PROVED_CONSTANT, svrg_calibration.PROVED_RANGE)
    )
    epsilon = X * svrg_plan_formulas.largest_epsilon(TERM, c1, B, N, K)  # x in (0, 1]
    variance = svrg_plan_formulas.printed_variance(TERM, c, G, K, LAMBDA, N, epsilon)
    shift = (4 * G / B) ** 2 / (_BEST * variance)
    most = _BEST * c / 384
    domain = positive("G", "K", "n", "Lambda", "b") + numbers("x", lo=0, hi=1, ends="(]")

    def small(claim: Claim) -> k.Fact:
        inside = k.sign(c1 * (1 - X), ">=", claim.domain)
        return k.combine(claim.expr, ">", ((1 / most, _cover(most - c1)), (1 / most, inside)), claim.domain)

    return [
        _number(most - c1, "c_1 is small enough"),
        _number(c1 + 1 - most, "and the next whole number is not"),
        goal(1 - 4 * (6 * LAMBDA / epsilon) * shift, ">", domain, small, "4 alpha s^2 < 1 on the range"),
    ]


def _second_order(claim: Claim) -> k.Fact:
    """``5 x - (x + f + 1)^2 / (x + f)`` over ``x + f``, x = 1 + y: the only negative term is ``-f^2``, and f < 1."""
    numerator = 1 + 6 * Y + 4 * Y**2 + 3 * F * Y + F * (1 - F)
    positive_ = k.sign(numerator, ">", claim.domain)
    return k.combine(claim.expr, ">=", ((1 / (1 + Y + F), positive_),), claim.domain)


# ------------------------------------------------------------------------------------ outside it


_PRINTS: Final = ((sp.S.One, "Eq. (3)"), (sp.Integer(2), "Eq. (6)"))  # delta = 1 or 2 times exp(-Lambda)


def _slack(times: sp.Expr, *, amplified: bool) -> sp.Expr:
    """``delta + exp(epsilon) Q(S) - P(S)`` of the two-step run with the printed noise at delta = times exp(-Lambda)."""
    z = sp.sqrt(svrg_plan_formulas.printed_variance(TERM, CONST, sp.S.One, sp.Integer(2), LAMBDA, N, EPSILON))
    if amplified:
        z = z * (sp.log(2) - sp.log(times) + LAMBDA)  # ln(K / delta), K = 2
    hit, alarm = svrg_witness.output_event(TERM, 1 / N, z)
    return times * sp.exp(-LAMBDA) + sp.exp(EPSILON) * alarm - hit


_BOX = positive("c", "Lambda", "n", "epsilon")


@obligation(
    "P73",
    item="Eqs. (3), (6)",
    about=(_PRINTED, _OUTPUT),
    tests=("tests/test_svrg_audit.py::test_the_two_step_run_is_what_the_witness_says",),
)
def p73() -> Sequence[Goal]:
    r"""Eqs. (3) and (6) need the range that Theorems 4.1 and 4.3 name.

    The theorems claim nothing here: they ask for $\varepsilon\le c_1K/n^2$, K the number of steps. The two-step run,
    $K=2$: $\tilde x_1\le\eta G$ has probability $\Phi(-\frac G{\sigma\sqrt5})$ on linear losses and at least
    $\frac1n(1-\Phi(-\frac G{2\sigma})-\Phi(-\frac G{\sigma\sqrt5}))$ when one of them turns. With
    $\sigma^2=c\,\frac{G^2K\Lambda}{n^2\varepsilon^2}$, $\Lambda=18$ the run is not $(1,e^{-18})$-DP (Eq. (3)), nor
    $(1,2e^{-18})$-DP (Eq. (6)), for any $c\in[1,16]$ at $n=10^4$ and any $c\in[16,10^6]$ at $n=10^7$; by the limit
    argument ($\sigma\to0$ as n grows, and the first probability vanishes faster than $\frac1n$) no constant works.
    """
    return [
        goal(-_slack(times, amplified=False).subs({LAMBDA: 18, EPSILON: 1, N: records}), ">", box(c=constants), bisect,
             f"{name}, n = {records}")
        for times, name in _PRINTS
        for records, constants in ((10**4, (1, 16)), (10**7, (16, 10**6)))
    ]  # fmt: skip


@erratum(
    "E4",
    item="Remark 4.1, Appendix B.1",
    about=(_PRINTED, _OUTPUT),
    repaired_by="P72",
)
def e4() -> Sequence[Goal]:
    r"""A logarithm more noise replaces the range of epsilon.

    As printed (Remark 4.1), the range of $\varepsilon$ can be removed if the noise is amplified by a factor of
    $O(\ln(T/\delta))$ in (3) and (6). Here $\sigma$ is multiplied by the larger $\ln\frac K\delta$, K the number of
    steps. The two-step run of P73 shows that this is false at $c=16$, $n=10^4$, $\varepsilon=1$, $\Lambda=18$, and at
    $c=10^6$ for $n=10^8$, $\Lambda=37$, with $\delta=e^{-\Lambda}$ in (3) and $2e^{-\Lambda}$ in (6). As n grows the
    noise tends to 0, so no constant is enough.
    """
    goals = []
    for times, name in _PRINTS:
        slack = _slack(times, amplified=True)
        goals += [
            refutation(slack, ">=", _BOX, c=16, Lambda=18, n=10**4, epsilon=1, note=name),
            refutation(slack, ">=", _BOX, c=10**6, Lambda=37, n=10**8, epsilon=1, note=name),
        ]
    return goals


# ------------------------------------------------------------------------------------ large epsilon


def _sum(power: int, closed: sp.Expr) -> k.Fact:
    return induction.summation(J**power, J, 1, M, closed, "==", sp.S.One, ZERO, ZERO, natural("m"))


@erratum(
    "P76",
    item="Theorems 4.1 and 4.3, Eqs. (3) and (6)",
    about=(_PRINTED, _LINEAR, "divergences.gaussian_delta"),
    repaired_by="P72",
)
def p76() -> Sequence[Goal]:
    r"""Eqs. (3) and (6) with one constant are enough for every epsilon in their printed range.

    As printed, one c serves every $\varepsilon\le c_1\frac K{n^2}$, K being $Tm$ or $2^Tm$. Take linear losses, r = 0,
    and one epoch of $m=K$ steps. Then $\tilde x_1-\tilde x_0=-\eta\big[\frac{m+1}2g+\sum_j\frac{m-j+1}mu_j\big]$ is
    Gaussian, and its means on two neighbours are $\mu$ standard deviations apart,
    $\mu^2=\frac{4G^2}{n^2\sigma^2}\cdot\frac{3m(m+1)}{2(2m+1)} \ge\frac{3\varepsilon^2}{c\Lambda}$, where
    $\Lambda=\ln\frac1\delta$ (Eq. (3)) or $\ln\frac2\delta$ (Eq. (6)). The claim is false for both at $\Lambda=11.5$,
    with $c=16$ at $\varepsilon=100$ and with $c=3080$ at $\varepsilon=10^5$. That no constant is enough is
    `dp-erm-revisited/no-constant`.
    """
    signal, noise = svrg_witness.linear_output_weights(TERM, [M], carry=False)
    first, second = M * signal, M**2 * noise  # m times the mean of the weights of g; m^2 times the noise's squares
    ratio = signal**2 / noise
    variance = svrg_plan_formulas.printed_variance(TERM, CONST, G, M, LAMBDA, N, EPSILON)
    least = 3 * EPSILON**2 / (CONST * LAMBDA)
    curve = divergences.gaussian_delta(TERM, EPSILON, sp.sqrt(least))
    free, everything = positive("c", "Lambda", "epsilon"), positive("c", "G", "m", "Lambda", "n", "epsilon")
    return [
        of_fact(lambda: _sum(1, first), *_sum(1, first).claim),
        of_fact(lambda: _sum(2, second), *_sum(2, second).claim),
        goal(ratio - 3 * M * (M + 1) / (2 * (2 * M + 1)), "==", positive("m")),
        goal(ratio - 3 * M / 4, ">=", positive("m")),
        equal(4 * G**2 / (N**2 * variance) * (3 * M / 4), least, everything, "mu^2 at its least"),
        *(
            refutation(times * sp.exp(-LAMBDA) - curve, ">=", free, c=c, Lambda="23/2", epsilon=epsilon, note=name)
            for times, name in _PRINTS
            for c, epsilon in ((16, 100), (3080, 10**5))
        ),
    ]
