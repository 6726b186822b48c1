r"""The witness that most algorithms have: losses whose answers move by the same number wherever the run is.

An algorithm says in its ``moves`` by how much (`dpref.algorithms.declaration.Move`).  Some function of what is released
is then exactly ``N(mu, 1)`` on one data set of a pair and ``N(0, 1)`` on the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from flint import fmpq

from dpref.algorithms.declaration import Move
from dpref.audit.subjects import Release, Witness
from dpref.reals import ball, exact, precision
from dpref.units import Adjacency, ReplaceOne

WITNESS_PRECISION: Final = 256
LINEAR_LOSSES: Final = (
    "linear losses +-G <u, theta>, one of them turned round or nulled: exactly Gaussian, not the data of the runs"
)


def linear_losses(
    moves: Sequence[Move], adjacency: type[Adjacency], release: Release, attained: str = LINEAR_LOSSES
) -> tuple[Witness, ...]:
    r"""Of a pair that moves answers by $\Delta_i$ in noise $s_i$, whatever was answered before.

    A transcript has $\mu^2=\sum_i\Delta_i^2/s_i^2$, an output into which the answers enter with weights $w_i$ has
    $(\sum_iw_i\Delta_i)^2/\sum_iw_i^2s_i^2$.

    Args:
        moves: What the algorithm says.
        adjacency: Of the pair.
        release: What is seen.
        attained: On which losses, in a reader's words.

    Returns:
        One witness, infinite where an answer without noise moves; none where nothing moves or the output is bent.

    >>> four = Move(Fraction(1), 2.0, 4, None)
    >>> [w.value for release in ("transcript", "output") for w in linear_losses([four], ReplaceOne, release)]
    [Fraction(1, 1)]
    >>> linear_losses([four, Move(Fraction(1), 0.0)], ReplaceOne, "transcript")[0].value
    inf
    """
    attaining = "sensitivity/replace-one" if adjacency is ReplaceOne else "sensitivity/zero-out"
    found = [(_rational(m.shift), _rational(exact(m.std)), m.times, m.weight) for m in moves]
    if not found:
        return ()
    if release == "transcript" and any(shift > 0 and std == 0 for shift, std, _, _ in found):
        return (Witness("answer-without-noise", "epsilon", math.inf, attained, (attaining,)),)
    if release == "transcript":
        mu_squared = _sum([times * (shift / std) ** 2 for shift, std, times, _ in found])
        obligations = (attaining, "gaussian/composition")
        return (Witness("linear-losses", "mu-squared", _fraction(mu_squared), attained, obligations),)
    signal = noise = fmpq(0)
    for shift, std, times, weight in found:
        if weight is None:
            return ()
        w = _rational(weight)
        signal, noise = signal + times * w * shift, noise + times * (w * std) ** 2
    with precision(WITNESS_PRECISION):
        root = ball(_fraction(signal))
        return (Witness("linear-losses", "mu-squared", root * root / ball(_fraction(noise)), attained, (attaining,)),)


def _sum(terms: list[fmpq]) -> fmpq:
    """Pairs first, then pairs of pairs: denominators of many different doubles grow no sooner than they must."""
    while len(terms) > 1:
        terms = [sum(terms[i : i + 2], fmpq(0)) for i in range(0, len(terms), 2)]
    return terms[0]


def _rational(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def _fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))
