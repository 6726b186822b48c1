r"""How much DP-TOFW leaks at least, on a stream of linear losses all but the first of which are zero.

Nodes: the first record is in the nodes 1, 2, 4, ... alone, each of which moves by the shift.  With plain Gaussian noise
that is a Gaussian pair with $\mu^2=k\|h\|_2^2/\sigma^2$ (`gaussian_nodes`).  The iterates alone: at t = 1, 2, 4, ...
the step shows the signs of one noisy node's coordinates.  In one dimension k signs are k fair coins bent by the record
(`sign_epsilon`); in more, along the diagonal, all signs of a node agree with the record or not (`all_signs_epsilon`),
and with noise of the l_1 norm the number of signs that agree has an exact law (`sign_counts_epsilon`).

How much one node with the printed index leaks at least (E-1), `node_epsilon`.
The noise of a node has density $\propto\exp(-N(z)^2/(2\sigma^2))$ with $N(z)=(\sum|z_i|^\rho)^{1/\rho}$, whatever
$\rho>0$.  Then $N(Z)^2/\sigma^2$ is chi-squared with d degrees of freedom, and independent of it
$|Z_1|^\rho/N(Z)^\rho$ has the law Beta$(\frac1\rho,\frac{d-1}\rho)$.  For small $\rho$ a point whose coordinates are
all at least a has $N\ge d^{1/\rho}a$, far out, while single coordinates of the noise are short.  Of the event that the
shift $h(1,\dots,1)$ pushes all coordinates beyond $\theta h$,

.. math::
    P(S)\ge1-\frac d2\,P\big(|Z_1|\ge(1-\theta)h\big)\ge1-\frac d2\,\frac{E|Z_1|^k}{((1-\theta)h)^k},\qquad
    Q(S)\le P\big(\chi^2_d\ge(d^{1/\rho}\theta h/\sigma)^2\big),

.. math::
    E|Z_1|^k=\sigma^k\,2^{k/2}\,\frac{\Gamma(\frac{d+k}2)}{\Gamma(\frac d2)}\cdot
    \frac{\Gamma(\frac{1+k}\rho)\,\Gamma(\frac d\rho)}{\Gamma(\frac1\rho)\,\Gamma(\frac{d+k}\rho)}.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from flint import arb, arb_poly

from dpref.audit.run import Run
from dpref.audit.subjects import Witness
from dpref.checks import natural, open_unit
from dpref.mechanisms.noise import GaussianNoise
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.reals import BALL, DEFAULT_PRECISION, ball, exact, lower, precision
from dpref.units import ReplaceOne

SHORTER: Final = 1.0 - 2.0**-40  # a record along the diagonal is so much shorter than allowed

_MOMENTS: Final = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))
_SHARES: Final = tuple(Fraction(k, 16) for k in range(1, 16))


def coordinate_moment(dimension: int, index: float, order: Fraction) -> arb:
    r"""$E|Z_1|^k$ at $\sigma=1$.

    Args:
        dimension: d.
        index: rho, positive.
        order: k, exact, positive.

    >>> coordinate_moment(5, 2.0, Fraction(2)).contains(1)
    True
    """
    d, k, rho = ball(natural("dimension", dimension)), ball(order), ball(exact(index))
    radius = ((d + k) / 2).lgamma() - (d / 2).lgamma() + k / 2 * arb(2).log()
    share = ((1 + k) / rho).lgamma() + (d / rho).lgamma() - (1 / rho).lgamma() - ((d + k) / rho).lgamma()
    return (radius + share).exp()


def all_signs_epsilon(dimension: int, index: float, signal: Fraction, dual: Fraction, delta: Fraction) -> float:
    r"""A lower bound on epsilon at delta of one node's signs, rounded down; zero if none is seen.

    The node is $\pm h(1,\dots,1)+Z$.  That all of it is positive has the bounds of `node_epsilon` at $\theta=\frac12$,
    for a shift of 2h: $P(S)\ge1-\frac d2P(|Z_1|\ge h)$ and $Q(S)=P(Z_i>h\text{ for all }i)$.

    Args:
        dimension: d.
        index: rho, positive.
        signal: The l_q norm of h (1, ..., 1) over sigma, exact.
        dual: q.
        delta: Exact, in (0, 1).

    >>> all_signs_epsilon(3, 0.0986, Fraction(1, 80), Fraction(3), Fraction(1, 1000)) > 1000
    True
    """
    return node_epsilon(dimension, index, 2 * signal, dual, delta, shares=(Fraction(1, 2),))


def node_epsilon(
    dimension: int,
    index: float,
    shift_over_std: Fraction,
    dual: Fraction,
    delta: Fraction,
    shares: tuple[Fraction, ...] = _SHARES,
) -> float:
    r"""A lower bound on epsilon at delta of one node that moves along the diagonal, rounded down; zero if none is seen.

    Args:
        dimension: d.
        index: rho, positive.
        shift_over_std: The shift's l_q norm over sigma, exact.
        dual: q.
        delta: Exact, in (0, 1).
        shares: The theta that are tried, in (0, 1).

    >>> node_epsilon(3, 0.0986, Fraction(1, 40), Fraction(3), Fraction(1, 1000)) > 1000
    True
    >>> node_epsilon(3, 3.0, Fraction(1, 40), Fraction(3), Fraction(1, 1000))
    0.0
    """
    d, slack = natural("dimension", dimension), open_unit("delta", delta)
    best = 0.0
    with precision(DEFAULT_PRECISION):
        h = ball(shift_over_std) * (-ball(d).log() / ball(dual)).exp()
        far = (ball(d).log() / ball(exact(index))).exp() * h
        moments = [(k, coordinate_moment(d, index, k)) for k in _MOMENTS]
        for share in shares:
            theta = ball(share)
            alarm = ((far * theta) ** 2 / 2).gamma_upper(ball(Fraction(d, 2)), 1)
            room = ((1 - theta) * h).log()
            for k, moment in moments:
                hit = 1 - d * moment / (2 * (ball(k) * room).exp())
                if hit > ball(slack) and alarm > 0:
                    best = max(best, lower(((hit - ball(slack)) / alarm).log()))
    return best


def sign_epsilon(nodes: int, signal: Fraction, delta: Fraction) -> float:
    r"""A lower bound on epsilon at delta of the signs of k noisy nodes, rounded down.

    Each node is $\pm L+\sigma z$: a sign is right with probability $p=\Phi(L/\sigma)$, and at least j of k are with
    $P(S)=P(\mathrm{Bin}(k,p)\ge j)$ on one data set, $Q(S)=P(\mathrm{Bin}(k,1-p)\ge j)$ on the other.

    Args:
        nodes: k.
        signal: L over sigma, exact.
        delta: Exact, in (0, 1).

    >>> sign_epsilon(10, Fraction(8, 27), Fraction(1, 1000)) > 4
    True
    >>> sign_epsilon(10, Fraction(1, 100), Fraction(1, 1000)) < 1
    True
    """
    k, slack, best = natural("nodes", nodes), open_unit("delta", delta), 0.0
    with precision(DEFAULT_PRECISION):
        right = normal_cdf(BALL, ball(signal))
        hit = alarm = arb(0)
        for j in range(k, 0, -1):
            ways = math.comb(k, j)
            hit = hit + ways * right**j * (1 - right) ** (k - j)
            alarm = alarm + ways * (1 - right) ** j * right ** (k - j)
            if hit > ball(slack) and alarm > 0:
                best = max(best, lower(((hit - ball(slack)) / alarm).log()))
    return best


def negative_signs(dimension: int, shift: Fraction) -> list[arb]:
    r"""Return the law of the number of negative signs of one node with $\ell_1$ noise, for 0 to d of them.

    The node is $h(1,\dots,1)+Z$, Z of density $\propto\exp(-\|z\|_1^2/(2\sigma^2))$; M counts its negative signs.
    Given $R=\|Z\|_1$, the sizes of the coordinates are uniform on a simplex, so that k of them exceed h with the
    probability $(1-kh/R)_+^{d-1}$, and $R/\sigma$ has the chi law of d degrees of freedom.  Hence

    .. math::
        E\binom Mk=\binom dk2^{-k}\frac{I_{d-1}(kh/\sigma)}{I_{d-1}(0)},\qquad
        I_j(b)=\int_0^\infty x^je^{-(x+b)^2/2}dx=(j-1)I_{j-2}(b)-b\,I_{j-1}(b),

    and inclusion and exclusion give the law of M.

    Args:
        dimension: d, at least 2.
        shift: h over sigma, exact.

    >>> [round(float(p), 3) for p in negative_signs(2, Fraction(0))]
    [0.25, 0.5, 0.25]
    """
    d = natural("dimension", dimension)
    with precision(12 * d + 64):  # the alternating sums cancel about as many bits as the binomials have
        ends = [ball(k * shift) for k in range(d + 1)]
        older = [(arb.pi() / 2).sqrt() * (b / arb(2).sqrt()).erfc() for b in ends]
        newer = [(-b * b / 2).exp() - b * i for b, i in zip(ends, older, strict=True)]
        for j in range(2, d):
            older, newer = newer, [(j - 1) * i - b * k for b, i, k in zip(ends, older, newer, strict=True)]
        mean = [arb(math.comb(d, k)) * newer[k] / newer[0] / 2**k for k in range(d + 1)]
        return [
            sum(((-1) ** (k - m) * math.comb(k, m) * mean[k] for k in range(m, d + 1)), arb(0)) for m in range(d + 1)
        ]


def sign_counts_epsilon(dimension: int, nodes: int, shift: Fraction, delta: Fraction) -> float:
    """Return a lower bound on epsilon at delta of the number of negative signs of independent nodes, rounded down.

    The neighbour's nodes are shifted the other way, so that its number of positive signs has the same law.

    Args:
        dimension: d, at least 2.
        nodes: How many.
        shift: h over sigma, exact.
        delta: Exact, in (0, 1).

    >>> 1.89 < sign_counts_epsilon(100, 10, Fraction(8, 10) / 759, Fraction(1, 1000)) < 1.9
    True
    """
    slack, best = open_unit("delta", delta), 0.0
    with precision(12 * dimension + 64):
        counts = (arb_poly(negative_signs(dimension, shift)) ** nodes).coeffs()
        hit = alarm = arb(0)
        for low, high in zip(counts, reversed(counts), strict=True):
            hit, alarm = hit + low, alarm + high
            if hit > ball(slack) and alarm > 0:
                best = max(best, lower(((hit - ball(slack)) / alarm).log()))
    return best


# ------------------------------------------------------------------------------------ of a run


def nodes_of_the_first(records: int) -> tuple[int, ...]:
    """When the nodes that hold the first record are completed.

    >>> nodes_of_the_first(5)
    (1, 2, 4)
    """
    return tuple(1 << k for k in range(records.bit_length()))


def gaussian_nodes(run: Run) -> tuple[Witness, ...]:
    """The nodes of a transcript with plain Gaussian noise (as any is in one dimension), exact.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("private-online-frank-wolfe/theorem-3.1@repaired,replace-one"))
    >>> round(float(gaussian_nodes(run)[0].value), 2)
    0.15
    """
    plan, pair = run.plan, run.pair
    gaussian = isinstance(plan.noise, GaussianNoise) or run.problem.dimension == 1
    if plan.std == 0 or not gaussian:
        return ()
    ends = [[exact(v) * int(data.labels[0]) for v in data.features[0]] for data in pair[:2]]
    square = sum(((a - b) ** 2 for a, b in zip(*ends, strict=True)), Fraction(0))
    value = len(nodes_of_the_first(plan.records)) * square / exact(plan.std) ** 2
    attained = "the stream of the runs: the nodes that hold the record, exactly Gaussian"
    return (Witness("gaussian-nodes", "mu-squared", value, attained, ("gaussian/composition",)),)


def one_node(run: Run, delta: Fraction) -> tuple[Witness, ...]:
    """One node of a transcript along the diagonal, where the printed index is below one.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("private-online-frank-wolfe/lemma-3.2@as-printed-d-3,replace-one"))
    >>> one_node(run, Fraction(1, 1000))[0].value > 10**5
    True
    """
    plan, problem = run.plan, run.problem
    if plan.index >= 1 or plan.std == 0:
        return ()
    moved = 2 if run.adjacency is ReplaceOne else 1
    shift = moved * problem.feature_bound * exact(SHORTER) ** 2
    shown = node_epsilon(problem.dimension, plan.index, shift / exact(plan.std), Fraction(problem.dual), delta)
    return (Witness("one-node", "epsilon", shown, "the stream of the runs: one node whose coordinates are all large"),)


def signs_of_iterates(run: Run, delta: Fraction) -> tuple[Witness, ...]:
    """What the signs of the iterates show, in one dimension or on a diagonal record.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("private-online-frank-wolfe/algorithm-4@as-printed-iterates,replace-one"))
    >>> signs_of_iterates(run, Fraction(1, 1000))[0].value > 4
    True
    """
    plan, problem = run.plan, run.problem
    if run.adjacency is not ReplaceOne or plan.std == 0:
        return ()
    signal = problem.feature_bound / exact(plan.std)
    if problem.dimension == 1:
        shown = sign_epsilon(len(nodes_of_the_first(plan.records)), signal, delta)
        attained = "the stream of the runs: the signs of the steps at 1, 2, 4, ..."
        return (Witness("signs-of-steps", "epsilon", shown, attained),)
    if plan.index == 1:
        height = abs(exact(run.pair[0].features[0, 0])) / exact(plan.std)
        shown = sign_counts_epsilon(problem.dimension, len(nodes_of_the_first(plan.records)), height, delta)
        attained = "the stream of the runs: how many signs of the steps at 1, 2, 4, ... go with the record"
        return (Witness("sign-counts", "epsilon", shown, attained),)
    signal *= exact(SHORTER) ** 2
    shown = all_signs_epsilon(problem.dimension, plan.index, signal, Fraction(problem.dual), delta)
    attained = "the stream of the runs: all signs of the first step agree"
    return (Witness("all-signs-of-a-step", "epsilon", shown, attained),)
