"""The dominating pair of variance-reduced answers: how far its centres are apart, and where its bound is largest."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy.closed_forms import variance_reduction as pair
from dpref.privacy.closed_forms.divergences import gaussian_delta
from dpref.terms import TERM
from proofs.registry import Goal, Paper, derivative, goal, proven, read_as
from proofs.search import nonnegative, numbers, positive, sum_of_squares

obligation = Paper("variance-reduction", "neyman1933problem").obligation
F, RATE, X, V, T, U = sp.symbols("f gamma x v t u")
REST, DRAWN, ACROSS, A, B = sp.symbols("m D_1 D a b")
ANY = pair.Distances(REST, DRAWN, ACROSS)
APART = pair.Distances(REST, REST + A, REST + B)  # D_1 exceeds m, D is at least m


read_as("variance-reduction.separate_until", lambda: [pair.separate_until(TERM, ANY)])
read_as("variance-reduction.revealed", lambda: [pair.revealed(TERM, RATE, ANY, X)])
read_as("variance-reduction.gain", lambda: [pair.gain(TERM, RATE, ANY, X, V)])
read_as("variance-reduction.gain_rate", lambda: [pair.gain_rate(TERM, RATE, ANY, X, V)])


def _about(name: str) -> str:
    return f"variance-reduction.{name}"


@obligation(
    "distances",
    citation="zhu2022optimal",
    about=tuple(map(_about, ("replaced", "nulled", "filled"))),
    not_proved="Which distances these are: the triangle inequality, on paper.",
)
def distances() -> Sequence[Goal]:
    r"""The distances of the four centres of a variance-reduced answer.

    With norms at most 1, $0<f\le c$ and $\tau=\|h-h'\|$: $\|(c-f)h+fh'\|^2\le c^2-f(c-f)\tau^2$, because the
    difference is $c(c-f)(1-\|h\|^2)+cf(1-\|h'\|^2)$; so $D=3c+\sqrt{c^2-f(c-f)\tau_0^2}$, which falls with $\tau_0$
    and is at most 4c. m and $D_1$ grow with $\tau_1$, to $2f$ and $4c-2f$: no interval of tau has a larger distance
    than the closed form, $m+D_1=D=4c$. $D_1>m$ and $2D>m+D_1$ throughout.
    """
    missing, lacking, inner, s = sp.symbols("h k w s")  # what both squared norms lack of 1, and the inner product
    c = F + A
    norm = A**2 * (1 - missing) + F**2 * (1 - lacking) + 2 * F * A * inner
    slack = c**2 - F * A * (2 - missing - lacking - 2 * inner) - norm
    tau = 2 * s / (s + T)  # every number in [0, 2)
    some = pair.replaced(TERM, c, F, tau, tau)
    real, null = pair.nulled(TERM, c, F), pair.filled(TERM, c, F)
    plain = positive("f", "a")
    inside = plain + nonnegative("s") + positive("t")
    root = (some.across - 3 * c) ** 2
    squares = ((sp.S.One, F - A), (F * A * (4 - tau**2), sp.S.One))
    return [
        goal(slack, ">=", plain + nonnegative("h", "k") + numbers("w"), note="the parallelogram law"),
        goal(root, ">=", inside, sum_of_squares(*squares), "the root's argument"),
        goal(c**2 - root, ">=", inside, note="D is at most 4 c"),
        goal(2 * F - some.rest, ">", inside, note="m grows"),
        goal(4 * c - 2 * F - some.drawn, ">", inside, note="D_1 grows"),
        *(goal(d.drawn - d.rest, ">", inside) for d in (some, real, null)),
        *(goal(2 * d.across - d.rest - d.drawn, ">", plain) for d in (real, null)),
        goal(6 * c - some.rest - some.drawn, ">", inside, note="2 D is at least 6 c"),
    ]


@obligation(
    "separate",
    about=tuple(map(_about, ("peak", "separate_until", "revealed"))),
    premises=("gaussian/privacy-curve",),
    theorems=(proven("Tails.normal_most_powerful", "the most powerful tests of two normal laws are half-lines"),),
)
def separate() -> Sequence[Goal]:
    r"""Up to which loss the bound on a variance-reduced answer separates.

    $\Phi(u)-e^x\Phi(u-d)$ has its slope zero at $u=\frac d2-\frac xd$, where it is $\mathrm H_d(x)$; both peaks can
    be had, $u_0\ge v_0-D+m$, exactly for $x\le\lambda=\frac{mD_1(2D-m-D_1)}{2(D_1-m)}$, since
    $u_0-v_0+D-m=(\lambda-x)\frac{D_1-m}{mD_1}$. At $u=v-D+m$ and everywhere else the sum of both peaks is a bound.
    """
    domain = positive("m", "a", "b") + numbers("x")
    gap = pair.peak(TERM, APART.rest, X) - pair.peak(TERM, APART.drawn, X) + APART.across - APART.rest
    left = (pair.separate_until(TERM, APART) - X) * A / (REST * (REST + A))
    at = pair.peak(TERM, REST, X)
    ratio = X + REST * (at - REST) + REST**2 / 2  # ln of e^x phi(u - m) / phi(u) is x + m u - m^2/2
    value = pair.revealed(TERM, RATE, APART, X)
    parts = (1 - RATE) * gaussian_delta(TERM, X, REST) + RATE * gaussian_delta(TERM, X, REST + A)
    return [
        goal(gap - left, "==", domain, note="both peaks can be had up to lambda"),
        goal(ratio, "==", domain, note="a peak: both densities are equal there"),
        goal(value - parts, "==", domain + numbers("gamma", lo=0, hi=1), note="the value is a mixture of curves"),
    ]


@obligation(
    "one-peak",
    about=tuple(map(_about, ("gain", "gain_rate"))),
    premises=("variance-reduction/separate",),
)
def one_peak() -> Sequence[Goal]:
    r"""Beyond that loss the bound on a variance-reduced answer has one peak in v.

    The gain's slope in v is $\varphi(v)$ times its rate, whose first part is zero at $v_0$ and falls, and whose
    second part is zero at $v_m=u_0+D-m$, positive before, and falls from there on. So on $[v_m,v_0]$ the rate falls
    from a positive number to a negative one, before it is positive and beyond negative; slope times distance bounds
    what a point on the rising side leaves.
    """
    domain = positive("m", "a", "b") + numbers("x", "v") + numbers("gamma", lo=0, hi=1)
    gain, rate = pair.gain(TERM, RATE, APART, X, V), pair.gain_rate(TERM, RATE, APART, X, V)
    density = sp.exp(-(V**2) / 2) / sp.sqrt(2 * sp.pi)
    drawn, rest = rate.subs(RATE, 1), rate.subs(RATE, 0)
    last = pair.peak(TERM, APART.drawn, X)
    first = pair.peak(TERM, APART.rest, X) + APART.across - APART.rest
    near = sp.exp(B * (first + T) - B**2 / 2)
    moved = positive("m", "a", "b", "t") + numbers("x")
    return [
        derivative(gain, V, density * rate, domain, "the slope of the gain"),
        goal(drawn.subs(V, last), "==", moved, note="the first part is zero at v_0"),
        goal(drawn.subs(V, last - T), ">", moved, note="and positive before"),
        goal(-drawn.subs(V, last + T), ">", moved, note="and negative beyond"),
        goal(rest.subs(V, first + T) - near * (1 - sp.exp(REST * T)), "==", moved, note="the second part from v_m on"),
        goal(near * (B * (sp.exp(REST * T) - 1) + REST * sp.exp(REST * T)), ">", moved, note="falls"),
        goal(rest.subs(V, first - T), ">", moved, note="and is positive before v_m"),
    ]
