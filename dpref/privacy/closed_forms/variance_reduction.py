r"""How private one answer of stochastic variance reduction is: the bound, and what attains nearly as much.

The answer is $\frac1b\sum_{i\in B}(g_i-h_i)+\frac1n\sum_ih_i+N(0,\sigma^2I)$, B a secret uniform set of b of n records
and all norms at most G.  In units of the noise $c=\frac G{b\sigma}$ and $f=\frac G{n\sigma}$, and $\gamma=\frac bn<1$.
Reveal the other records of the batch and the record k that stands in for the differing one where that is not drawn:
who they are does not depend on the data, and four normal laws of variance one are left,

$$P=(1-\gamma)N(R)+\gamma N(B),\qquad Q=(1-\gamma)N(R')+\gamma N(B'),$$

with $w=c(g_k-h_k)$, $R=w+fh$, $B=c(g-h)+fh$, and the same with $g',h'$ for Q.  Let $m,D_1,D$ be at least $\|R-R'\|$,
$\|B-B'\|$ and $\|B-R'\|$.  With $R(S)=\Phi(u)$ and $B(S)=\Phi(v)$, Neyman and Pearson's lemma gives

$$P(S)-\alpha Q(S)\le(1-\gamma)\bigl[\Phi(u)-\alpha\Phi(\max(u-m,v-D))\bigr]
+\gamma\bigl[\Phi(v)-\alpha\Phi(v-D_1)\bigr].$$

For $u\le v-D+m$ it increases in u.  Beyond, both brackets separate; for $\alpha=e^x\ge1$ they have single peaks at
$u_0=\frac m2-\frac xm$ and $v_0=\frac{D_1}2-\frac x{D_1}$.  If $u_0\ge v_0-D+m$ the maximum is `revealed`: what it
would be if everybody saw whether the record is drawn.  Otherwise it lies at $u=v-D+m$, and is the maximum over v of
`gain`, whose slope is $\varphi(v)$ times `gain_rate`: positive up to $v_m=u_0+D-m$, decreasing on $[v_m,v_0]$ because
both of its parts are, and negative beyond $v_0$.  There is one peak.

References:
    Neyman and Pearson, "On the problem of the most efficient tests of statistical hypotheses", 1933.
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Theorem 10.
"""

from __future__ import annotations

from typing import Generic, NamedTuple

from dpref.privacy.closed_forms.divergences import gaussian_delta, normal_cdf
from dpref.reals import Ops, T


class Distances(NamedTuple, Generic[T]):
    """Bounds on how far apart the centres are, in units of the noise.

    Attributes:
        rest: m, of both answers if the record is not drawn.
        drawn: D_1, of both answers if it is.
        across: D, of the first answer with the record drawn from the second one without.
    """

    rest: T
    drawn: T
    across: T


def replaced(o: Ops[T], c: T, f: T, low: T, high: T) -> Distances[T]:
    r"""A record is replaced, $\tau=\|h-h'\|\in[\tau_0,\tau_1]$.

    $m=f\tau_1$, $D_1=2c+(c-f)\tau_1$ and $D=3c+\sqrt{c^2-f(c-f)\tau_0^2}$, since by the parallelogram law
    $\|(c-f)h+fh'\|^2\le c^2-f(c-f)\|h-h'\|^2$.  The bound grows with each of the three.

    Args:
        c: $\frac G{b\sigma}$.
        f: $\frac G{n\sigma}$, below c.
        low: $\tau_0$, at least 0.
        high: $\tau_1$, at most 2.

    >>> from dpref.reals import FLOAT
    >>> replaced(FLOAT, 1.0, 0.25, 0.0, 2.0)
    Distances(rest=0.5, drawn=3.5, across=4.0)
    """
    return Distances(f * high, 2 * c + (c - f) * high, 3 * c + o.sqrt(c * c - f * (c - f) * low * low))


def nulled(o: Ops[T], c: T, f: T) -> Distances[T]:
    """The second record is null, $g'=h'=0$: $m=f$, $D_1=2c-f$, $D=4c-f$.

    >>> from dpref.reals import FLOAT
    >>> nulled(FLOAT, 1.0, 0.25)
    Distances(rest=0.25, drawn=1.75, across=3.75)
    """
    return Distances(f, 2 * c - f, 4 * c - f)


def filled(o: Ops[T], c: T, f: T) -> Distances[T]:
    """The first record is null, $g=h=0$: $m=f$, $D_1=2c-f$, $D=2c+f$.

    >>> from dpref.reals import FLOAT
    >>> filled(FLOAT, 1.0, 0.25)
    Distances(rest=0.25, drawn=1.75, across=2.25)
    """
    return Distances(f, 2 * c - f, 2 * c + f)


def separate_until(o: Ops[T], d: Distances[T]) -> T:
    r"""$\lambda=\frac{mD_1(2D-m-D_1)}{2(D_1-m)}$: up to this loss both brackets can be as large as they ever are.

    >>> from dpref.reals import FLOAT
    >>> round(separate_until(FLOAT, Distances(0.1, 1.9, 2.0)), 4)  # n = 10, sigma = 2 G
    0.1056
    """
    return d.rest * d.drawn * (2 * d.across - d.rest - d.drawn) / (2 * (d.drawn - d.rest))


def peak(o: Ops[T], distance: T, x: T) -> T:
    r"""$\frac d2-\frac xd$, where $\Phi(u)-e^x\Phi(u-d)$ is largest.

    >>> from dpref.reals import FLOAT
    >>> peak(FLOAT, 2.0, 1.0)
    0.5
    """
    return distance / 2 - x / distance


def revealed(o: Ops[T], rate: T, d: Distances[T], x: T) -> T:
    r"""$(1-\gamma)\mathrm H_m(x)+\gamma\mathrm H_{D_1}(x)$: a bound at every x, the maximum for $0\le x\le\lambda$.

    >>> from dpref.reals import FLOAT
    >>> round(revealed(FLOAT, 0.1, Distances(0.1, 1.9, 2.0), 0.05), 12)
    0.083169600091
    """
    return (1 - rate) * gaussian_delta(o, x, d.rest) + rate * gaussian_delta(o, x, d.drawn)


def gain(o: Ops[T], rate: T, d: Distances[T], x: T, v: T) -> T:
    r"""$(1-\gamma)[\Phi(v-D+m)-e^x\Phi(v-D)]+\gamma[\Phi(v)-e^x\Phi(v-D_1)]$.

    A half-line's gain against centres $R'=0$, $R=m$, $B'=D-D_1$, $B=D$.

    >>> from dpref.reals import FLOAT
    >>> round(gain(FLOAT, 0.1, Distances(0.1, 1.9, 2.0), 1.0, -0.4022), 9)
    0.0211397
    """
    return (1 - rate) * (normal_cdf(o, v - d.across + d.rest) - o.exp(x) * normal_cdf(o, v - d.across)) + rate * (
        normal_cdf(o, v) - o.exp(x) * normal_cdf(o, v - d.drawn)
    )


def gain_rate(o: Ops[T], rate: T, d: Distances[T], x: T, v: T) -> T:
    r"""The slope of `gain` in v, divided by $\varphi(v)$.

    $\gamma\bigl(1-e^{x+D_1v-D_1^2/2}\bigr)+(1-\gamma)\bigl(e^{(D-m)v-(D-m)^2/2}-e^{x+Dv-D^2/2}\bigr)$.

    >>> from dpref.reals import FLOAT
    >>> [gain_rate(FLOAT, 0.1, Distances(0.1, 1.9, 2.0), 1.0, v) > 0 for v in (-0.5, -0.3)]
    [True, False]
    """
    near = d.across - d.rest
    return rate * (1 - o.exp(x + d.drawn * v - d.drawn * d.drawn / 2)) + (1 - rate) * (
        o.exp(near * v - near * near / 2) - o.exp(x + d.across * v - d.across * d.across / 2)
    )


def mass(o: Ops[T], rate: T, d: Distances[T], u: T, v: T) -> T:
    r"""$(1-\gamma)\Phi(u-m)+\gamma\Phi(v-D_1)$: what Q gives to the test, minus the bound's slope in $e^x$.

    >>> from dpref.reals import FLOAT
    >>> mass(FLOAT, 0.5, Distances(1.0, 2.0, 3.0), 1.0, 2.0)
    0.5
    """
    return (1 - rate) * normal_cdf(o, u - d.rest) + rate * normal_cdf(o, v - d.drawn)


def attained_ratio(o: Ops[T], rate: T, back: T, far: T, z: T) -> T:
    r"""The likelihood ratio at z of $(1-\gamma)N(-a)+\gamma N(d)$ against $N(0)$, which data sets attain.

    Of all other records $g_k=-h_k$ at the bound, of the record $g=-h=-g_k$ and of its neighbour $g'=-g$, $h'=-h$: a is
    2f and d is $4c-2f$.  With $g_k=h_k$ and a null neighbour a is f and d is $2c-f$.

    Args:
        rate: $\gamma$, with which the record is drawn.
        back: a, how far the answers without the record move away from it.
        far: d, how far the record moves the answer when it is drawn.
        z: The answer, in units of the noise.

    >>> from dpref.reals import FLOAT
    >>> round(attained_ratio(FLOAT, 0.1, 0.1, 1.9, 0.0), 6)
    0.911959
    """
    return (1 - rate) * o.exp(-back * z - back * back / 2) + rate * o.exp(far * z - far * far / 2)
