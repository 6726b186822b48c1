r"""The exponential mechanism: candidate i with probability proportional to $e^{\varepsilon s_i/(2\Delta)}$.

Adding independent Gumbel noise of scale $2\Delta/\varepsilon$ to the scores and taking the largest is the same law.
The log-ratio of two outcomes' probabilities moves by at most epsilon in all (it is epsilon-*bounded range*), hence
it is epsilon-DP and $\varepsilon^2/8$-zCDP.  `permute_and_flip` is another law: epsilon-DP, never worse in
expected score, but not epsilon-bounded range, so neither of the sharper accountings may be used for it.  With Laplace
noise the log-ratio of one outcome stays within the span of the change over the scale, but those of two outcomes may lie
further apart: epsilon-DP and no more (`ChoiceNoise`; obligation ``private-online-frank-wolfe/PO-32``).

The samplers draw IEEE doubles; they are not exact samples (see the documentation's limits).

References:
    McSherry and Talwar, "Mechanism design via differential privacy", 2007, Theorem 6.
    Durfee and Rogers, "Practical differentially private top-k selection", 2019, Lemma 4.2 (bounded range, Gumbel).
    Cesar and Rogers, "Bounding, concentrating, and truncating", 2021, Lemma 3.2 (zCDP of a bounded range).
    McKenna and Sheldon, "Permute-and-flip: a new mechanism for differentially private selection", 2020.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeVar, final, get_args

import numpy as np
from flint import arb

from dpref.checks import finite, natural, one_of, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.ledger import Event, Exponential, NoisyMax, NonPrivate, Repeat
from dpref.privacy.events.mixture import ExponentialMixture
from dpref.reals import RATIONAL, Array, FloatArray, Ops, T, exact, float_up
from dpref.units import Adjacency, Linf, Sensitivity, Span

A = TypeVar("A", bound=Adjacency)
Law = Literal["gumbel", "laplace"]

# ------------------------------------------------------------------------------------ formulas


def selection_range(o: Ops[T], sensitivity: T, scale: T) -> T:
    r"""$\varepsilon=2\Delta/\lambda$ of drawing with probability $\propto e^{s/\lambda}$, scores moving by $\Delta$.

    McSherry and Talwar 2007, Theorem 6; Durfee and Rogers 2019, Lemma 4.2.

    Args:
        sensitivity: $\Delta$, in the unit of the scores.
        scale: $\lambda$, in the unit of the scores, positive.

    >>> from dpref.reals import RATIONAL
    >>> selection_range(RATIONAL, Fraction(1, 4), Fraction(1))
    Fraction(1, 2)
    """
    return 2 * sensitivity / scale


def noisy_max_epsilon(o: Ops[T], span: T, scale: T) -> T:
    r"""$\varepsilon=\Delta/b$ of the largest of scores with noise of scale b, whose differences move by $\Delta$.

    >>> from dpref.reals import RATIONAL
    >>> noisy_max_epsilon(RATIONAL, Fraction(1, 4), Fraction(2))
    Fraction(1, 8)
    """
    return span / scale


def bounded_range_zcdp(o: Ops[T], epsilon: T) -> T:
    r"""$\rho=\varepsilon^2/8$ of an epsilon-bounded-range mechanism; a generic epsilon-DP one has $\varepsilon^2/2$.

    Cesar and Rogers 2021, Lemma 3.2.

    >>> from dpref.reals import RATIONAL
    >>> bounded_range_zcdp(RATIONAL, Fraction(1, 2))
    Fraction(1, 32)
    """
    return epsilon * epsilon / 8


def softmax(o: Ops[Array], scores: Array) -> Array:
    r"""$e^{s_i-\max s}/\sum_je^{s_j-\max s}$, shape (d,): the law, for scores in units of $2\Delta/\varepsilon$.

    Args:
        scores: Shape (d,), at least one.

    >>> from dpref.reals import FLOAT_ARRAY
    >>> softmax(FLOAT_ARRAY, np.array([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    largest = functools.reduce(lambda a, b: o.maximum(a, b)[()], scores)
    weights = o.exp(scores - largest)
    share: Array = weights / weights.sum()
    return share


# ------------------------------------------------------------------------------------ accounting


def gumbel_scale(sensitivity: Sensitivity[Linf, A], epsilon: Fraction) -> float:
    r"""$2\Delta/\varepsilon$ rounded up: the scale of the Gumbel noise.

    Args:
        sensitivity: How far any score can move, exact and positive.
        epsilon: Exact and positive.

    Raises:
        InvalidArgumentError: If the sensitivity is zero or in another norm, or epsilon is not positive.

    >>> from dpref.units import ReplaceOne
    >>> gumbel_scale(Sensitivity(Fraction(1, 4), Linf, ReplaceOne), Fraction(1, 2))
    1.0
    """
    if sensitivity.norm is not Linf:
        raise InvalidArgumentError("sensitivity", sensitivity, "the exponential mechanism needs one in the linf norm")
    if sensitivity.value == 0:
        raise InvalidArgumentError("sensitivity", sensitivity.value, "must be positive to be accounted")
    return float_up(2 * sensitivity.value / positive_rational("epsilon", epsilon))


def exponential_event(epsilon: Fraction, draws: int = 1) -> Event:
    """The event of independent draws from the same scores.

    Args:
        epsilon: The range of one draw, exact and positive.
        draws: How many, at least one.

    Raises:
        InvalidArgumentError: If epsilon is not positive, or draws is not a positive integer.

    >>> print(exponential_event(Fraction(1, 2), 3))
    compose(exponential(epsilon=1/2), 3)
    """
    one = Exponential(epsilon)
    return one if natural("draws", draws) == 1 else Repeat(one, draws)


def mixture_event(sensitivity: Sensitivity[Linf, A], draws: int = 1) -> Event:
    """The event of independent draws from one mixture of exponential mechanisms.

    Args:
        sensitivity: How far the logarithm of any probability can move, exact and positive: epsilon of every part.
        draws: How many, at least one.

    Raises:
        InvalidArgumentError: If the sensitivity is zero or in another norm, or draws is not a positive integer.

    >>> from dpref.units import ReplaceOne
    >>> print(mixture_event(Sensitivity(Fraction(1, 2), Linf, ReplaceOne), 3))
    compose(exponential_mixture(epsilon=1/2), 3)
    """
    if sensitivity.norm is not Linf:
        raise InvalidArgumentError("sensitivity", sensitivity, "a mixture of exponential mechanisms needs one in linf")
    one = ExponentialMixture(positive_rational("sensitivity", sensitivity.value))
    return one if natural("draws", draws) == 1 else Repeat(one, draws)


@final
@dataclass(frozen=True)
class ChoiceNoise:
    r"""Independent noise on scores whose largest is reported: $\Delta/b$-DP where they move by the span $\Delta$.

    Of Gumbel noise that is the range of the log-ratios of all candidates, of Laplace noise only their size (PO-32).

    Attributes:
        law: Of a unit draw.
        scale: b, a finite double, at least 0.

    >>> from dpref.units import ReplaceOne
    >>> print(ChoiceNoise("laplace", 4.0).event(Sensitivity(Fraction(1), Span, ReplaceOne)))
    noisy_max(epsilon=1/4, noise=laplace)
    """

    law: Law
    scale: float

    def __post_init__(self) -> None:
        one_of("law", self.law, get_args(Law))
        object.__setattr__(self, "scale", finite("scale", self.scale))
        if self.scale < 0:
            raise InvalidArgumentError("scale", self.scale, "must not be negative")

    def event(self, sensitivity: Sensitivity[Span, Any]) -> Event:
        """`Exponential`, `NoisyMax` with Laplace noise, or `NonPrivate` without noise.

        Its epsilon is rounded up to a double, so that long ledgers add up quickly.

        Raises:
            InvalidArgumentError: If the sensitivity is zero.
        """
        if sensitivity.value == 0:
            raise InvalidArgumentError("sensitivity", sensitivity.value, "must be positive to be accounted")
        if self.scale == 0:
            return NonPrivate()
        epsilon = exact(float_up(noisy_max_epsilon(RATIONAL, sensitivity.value, exact(self.scale))))
        return Exponential(epsilon) if self.law == "gumbel" else NoisyMax(epsilon, "laplace")

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """Unit draws of that shape."""
        return np.asarray(rng.gumbel(size=shape) if self.law == "gumbel" else rng.laplace(size=shape))


# ------------------------------------------------------------------------------------ samplers


def gumbel_max(scores: Array, noise: FloatArray, scale: float) -> int:
    """The candidate of the largest noisy score; balls are compared by their midpoints.

    Args:
        scores: Doubles or balls, shape (d,).
        noise: Unit draws, standard Gumbel ones for the exponential mechanism, shape (d,).
        scale: Of the noise, at least 0.

    Returns:
        An index; the first of several largest.

    >>> gumbel_max(np.array([0.0, 2.0, 1.0]), np.zeros(3), 1.0)
    1
    """
    if scores.dtype != object:
        return int(np.argmax(scores + scale * noise))
    noisy = [s + arb(scale) * arb(float(z)) for s, z in zip(scores, noise, strict=True)]
    best = 0
    for i, value in enumerate(noisy):
        if value.mid() > noisy[best].mid():
            best = i
    return best


def permute_and_flip(scores: FloatArray, scale: float, rng: np.random.Generator) -> int:
    r"""Go through the candidates in random order and take i with probability $e^{(s_i-\max s)/\lambda}$.

    Args:
        scores: Shape (d,), finite.
        scale: $\lambda=2\Delta/\varepsilon$ for an epsilon-DP choice.
        rng: The source of randomness.

    Returns:
        An index; the best candidate is always taken when it is reached.

    >>> permute_and_flip(np.array([0.0, 1e9]), 1.0, np.random.default_rng(0))
    1
    """
    accept = np.exp((scores - scores.max()) / scale)
    for i in rng.permutation(scores.size):
        if rng.random() < accept[i]:
            return int(i)
    return int(np.argmax(scores))


def permute_and_flip_probabilities(o: Ops[Any], accept: tuple[Any, Any]) -> tuple[Any, Any]:
    r"""Both outcomes' probabilities for two candidates, taken with probability $a_1,a_2$ (one of them 1).

    First comes either; it is taken, or passed over and the other one is: $\frac12a_1+\frac12(1-a_2)a_1$.

    Args:
        accept: $e^{(s_i-\max s)/\lambda}$ of both.

    Returns:
        Two numbers that add up to one.

    References:
        McKenna and Sheldon 2020.

    >>> from dpref.reals import RATIONAL
    >>> permute_and_flip_probabilities(RATIONAL, (Fraction(1), Fraction(1, 2)))
    (Fraction(3, 4), Fraction(1, 4))
    """
    a, b = accept
    half = o.number(Fraction(1, 2))
    return half * a + half * (1 - b) * a, half * b + half * (1 - a) * b
