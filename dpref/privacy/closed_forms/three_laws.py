r"""Curves of a Gaussian answer on a random batch, by three laws: R without the record, B and C with it.

$P=(1-\gamma)R+\gamma B$ and $Q=(1-\gamma)R+\gamma C$ are what two data sets answer that differ in one record, given
the batch of the others.  By the trade-off between two normal laws (Neyman and Pearson), for $\alpha=e^x\ge1$

$$P(S)-\alpha Q(S)\le\sup_v\{\gamma\Phi(v)-(\alpha-1)(1-\gamma)\Phi(v-d_R)-\alpha\gamma\Phi(v-d_C)\},$$

$d_R$ and $d_C$ the distances of R and of C from B in units of the noise: a half-line test of the pair of mixtures on
the line with these distances, so that pair dominates wherever centres on a line attain both.  For $\alpha<1$ the two
data sets change places.  Centres are in units of the noise; s is the largest distance of a contribution from that of a
null record.

References:
    Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", 2018, Theorem 2 (advanced joint convexity, of
    which this is the sharper form for normal laws).
"""

from __future__ import annotations

from flint import arb

from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.reals import BALL


def poisson_replaced(rate: arb, s: arb, x: arb) -> tuple[arb, arb]:
    r"""$P=(1-\gamma)N(0)+\gamma N(s)$, $Q=(1-\gamma)N(0)+\gamma N(-s)$: a record of a Poisson sample is replaced.

    P/Q grows, and is $e^x$ where $u=e^{sy}$ solves $au^2-(1-\gamma)(e^x-1)u-ae^x=0$ with $a=\gamma e^{-s^2/2}$.

    >>> value, mass = poisson_replaced(arb("0.01"), arb(1), arb(1))
    >>> print(value.str(12, radius=False))
    2.95694897553e-9
    """
    rest, a = 1 - rate, rate * (-s * s / 2).exp()
    b, c = rest * x.expm1(), 2 * a * (x / 2).exp()
    root = (b * b + c * c).sqrt()
    y = ((b + root) / (2 * a) if not x < 0 else c * c / (2 * a * (root - b))).log() / s
    first, second = (rest * _above(y) + rate * _above(y - centre) for centre in (s, -s))
    return first - x.exp() * second, second


def batch_zeroed(rate: arb, s: arb, x: arb) -> tuple[arb, arb]:
    r"""$P=(1-\gamma)N(-s)+\gamma N(s)$, $Q=(1-\gamma)N(-s)+\gamma N(0)$ for $x\ge0$: a record of a batch becomes null.

    Without it the batch has another record in its place, at the other end.  P exceeds $e^xQ$ above y, where $w=e^{-sy}$
    solves $(e^x-1)(1-\gamma)w^2+\gamma e^{x+s^2/2}w-\gamma=0$.

    >>> print(batch_zeroed(arb("0.1"), arb(1), arb("0.5"))[0].str(12, radius=False))
    0.0163658165290
    """
    a, b = x.expm1() * (1 - rate), rate * (x + s * s / 2).exp()
    y = ((b + (b * b + 4 * a * rate).sqrt()) / (2 * rate)).log() / s
    first, second = ((1 - rate) * _above(y + s) + rate * _above(y - centre) for centre in (s, arb(0)))
    return first - x.exp() * second, second


def batch_filled(rate: arb, s: arb, x: arb) -> tuple[arb, arb]:
    r"""The pair of `batch_zeroed` in the other order, for $x>0$: where it is large is an interval, or nowhere.

    $Q>e^xP$ where $v=e^{sy}$ lies between the roots of $e^x\gamma v^2-\gamma e^{s^2/2}v+(e^x-1)(1-\gamma)$.

    Returns:
        $\sup_S Q(S)-e^xP(S)$, and P where it is attained.

    >>> [batch_filled(arb("0.1"), arb(1), arb(x))[0].str(5, radius=False) for x in ("0.05", "5")]
    ['0.0044209', '0']
    """
    if not x > 0:
        return arb(0).union(arb(1)), arb(0).union(arb(1))
    e, low = x.exp(), x.expm1() * (1 - rate)
    b = rate * (s * s / 2).exp()
    squared = b * b - 4 * e * rate * low
    if squared <= 0:
        return arb(0), arb(0)
    root = squared.nonnegative_part().sqrt()
    begin, end = (2 * low / (b + root)).log() / s, ((b + root) / (2 * e * rate)).log() / s
    second, first = (
        (1 - rate) * (_above(begin + s) - _above(end + s)) + rate * (_above(begin - centre) - _above(end - centre))
        for centre in (arb(0), s)
    )
    value = second - e * first
    return (value, first) if squared > 0 else (value.union(arb(0)), first.union(arb(0)))


def _above(y: arb) -> arb:
    """The mass of N(0) above y."""
    return normal_cdf(BALL, -y)
