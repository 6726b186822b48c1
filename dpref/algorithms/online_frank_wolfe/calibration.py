r"""How much noise DP-TOFW's nodes need: the print's Eq. (3.2), and the zCDP or the Gaussian DP of a regular norm.

Notation: $S=c\beta D+L$ (an increment moves by $s=2S$), $m=\lceil\log_2n\rceil+1$ nodes a record as the paper counts,
$k=\lfloor\log_2n\rfloor+1$ as many as it can be in, q the dual index, $\kappa$ the regularity constant.

Generalised Gaussian noise of a node is $s\sqrt\kappa/\sigma$-Gaussian-DP.  Where the associated norm is Euclidean it is
plain Gaussian noise: its sensitivity is stated in l_2 and its loss is exact.

Units: L, S, s and the noise levels are those of a gradient; $\varepsilon,\delta,\rho,\kappa$ and counts are numbers.

Source: Han et al., "On private online convex optimization", Lemmas 2.1, 3.2, 3.3 and Theorem 3.1; the errata E-n and
the obligations PO-n are those of ``private-online-frank-wolfe``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, get_args

from flint import arb

from dpref.algorithms.forms import Form
from dpref.algorithms.online_frank_wolfe.formulas import printed_index, printed_kappa, printed_variance, zcdp_variance
from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry.norms import Index, regularity, to_euclidean
from dpref.mechanisms.generalized_gaussian import RegularNoise
from dpref.mechanisms.noise import GaussianNoise, Noise
from dpref.privacy.calibration import gaussian_noise_multiplier
from dpref.privacy.closed_forms.conversions import zcdp_rho
from dpref.privacy.events.tree import most_nodes
from dpref.reals import BALL, ball, evaluate, exact, float_up, upper
from dpref.units import L2, Norm

Calibration = Literal["accountant", "zcdp", "eq-3.2"]
Erratum = Literal["E-1", "E-2"]

ERRATA: Final = get_args(Erratum)
# Lemma 2.1 is proved up to here, an answer (E-6; obligations PO-11 and PO-12).
PROVED_EPSILON: Final = 2
PROVED_DELTA: Final = Fraction(1, 2)


@dataclass(frozen=True)
class NodeNoise:
    r"""The shape of a node's generalised Gaussian noise, without its level.

    Attributes:
        norm: In which the sensitivity is stated: l_q, or l_2 where the noise is plain Gaussian.
        stretch: Sensitivity in that norm over sensitivity in l_q, rounded up, exact.
        index: rho of the associated norm.
        kappa: The regularity constant, exact; 1 for plain Gaussian noise; None where there is no theorem (E-1).

    >>> NodeNoise(L2, stretch=Fraction(1), index=2.0, kappa=Fraction(1)).norm.name  # plain Gaussian noise
    'l2'
    """

    norm: type[Norm]
    stretch: Fraction
    index: float
    kappa: Fraction | None


def regular_noise(std: float, norm: type[Norm], index: float, kappa: Fraction | None) -> Noise:
    """The noise of an answer: plain Gaussian where the norm and the index are Euclidean.

    Args:
        std: The factor before a unit draw.
        norm: In which the sensitivity is stated.
        index: rho of the associated norm.
        kappa: Its regularity constant; None where there is no theorem.

    >>> regular_noise(2.0, L2, 2.0, Fraction(1))
    GaussianNoise(std=2.0)
    """
    if norm is L2 and index == 2:
        return GaussianNoise(std)
    return RegularNoise(std, norm, index, 1.0, kappa)


def chosen(calibration: Calibration | None, form: Form, repairs: tuple[Erratum, ...]) -> Calibration:
    """How noise is computed: as asked, or by the form's own way.

    Args:
        calibration: What is asked for; None for the form's own.
        form: As printed or repaired.
        repairs: Errata that are mended in the printed form.

    Raises:
        InvalidArgumentError: If the form has no such calibration, or repairs are named where all are made.

    >>> chosen(None, Form.REPAIRED, ()), chosen(None, Form.AS_PRINTED, ("E-1",))
    ('accountant', 'eq-3.2')
    """
    printed = form is Form.AS_PRINTED
    how: Calibration = calibration or ("eq-3.2" if printed else "accountant")
    if printed and (how != "eq-3.2" or not set(repairs) <= set(ERRATA)):
        raise InvalidArgumentError("calibration", (how, repairs), "the printed noise is eq-3.2, less errata")
    if repairs and not printed:
        raise InvalidArgumentError("repairs", repairs, "the repaired form has them all")
    return how


def node_noise(q: Index, dimension: int, norm: type[Norm]) -> NodeNoise:
    """The associated norm of `dpref.geometry.norms.regularity`, plain Gaussian where that is Euclidean.

    Args:
        q: Dual index.
        dimension: d, the number of parameters.
        norm: The tag of l_q.

    Raises:
        InvalidArgumentError: If q is below 1, or the dimension is not positive.

    References:
        Lemmas 3.2 and 3.3, with the index and the constant chosen together (E-1).

    >>> from dpref.units import lq
    >>> node_noise(Fraction(3), 900, lq(Fraction(3))).kappa, node_noise(Fraction(1), 5, lq(Fraction(1))).norm.name
    (Fraction(2, 1), 'l2')
    """
    found = regularity(q, dimension)
    if found.index == 2:
        return NodeNoise(L2, to_euclidean(q, dimension), 2.0, Fraction(1))
    return NodeNoise(norm, Fraction(1), float(found.index), exact(found.kappa))


def calibrated(noise: NodeNoise, s: Fraction, epsilon: Fraction, delta: Fraction, n: int, how: Calibration) -> float:
    """The least noise level that a calibration gives, rounded up.

    Args:
        noise: Of a node.
        s: Sensitivity of an increment in the norm of the noise, exact.
        epsilon: Budget of the whole stream, exact, positive.
        delta: Slack of the whole stream, exact, in (0, 1).
        n: Length of the stream.
        how: "accountant", "zcdp" or "eq-3.2".

    Raises:
        InvalidArgumentError: If an argument is out of its domain, or Lemma 2.1 does not reach so far (E-6).

    References:
        Theorem 3.1 and Eq. (3.2) for "eq-3.2"; PO-9 and E-20 for "zcdp"; obligation ``gaussian-dp`` for "accountant".

    >>> plain, budget = NodeNoise(L2, Fraction(1), 2.0, Fraction(1)), (Fraction(1), Fraction(1, 1000))
    >>> [round(calibrated(plain, Fraction(1), *budget, 1000, how), 1) for how in get_args(Calibration)]
    [8.1, 12.2, 47.5]
    """
    e, d, k = positive_rational("epsilon", epsilon), open_unit("delta", delta), most_nodes(natural("n", n))
    if noise.kappa is None:
        raise InvalidArgumentError("noise", noise, "has no theorem")
    kappa = noise.kappa
    if how == "accountant":
        multiplier = exact(gaussian_noise_multiplier(e, d, steps=k))
        if kappa == 1:
            return float_up(multiplier * s)
        return upper(evaluate(lambda: BALL.sqrt(ball(kappa)) * ball(multiplier) * ball(s)))
    if how == "zcdp":

        def level() -> arb:
            rho_of_budget = zcdp_rho(BALL, ball(e), -ball(d).log())
            return BALL.sqrt(zcdp_variance(BALL, ball(k), ball(kappa), ball(s), rho_of_budget))

        return upper(evaluate(level))
    if how == "eq-3.2":
        if e > PROVED_EPSILON * most_nodes(n, padded=True) or d > PROVED_DELTA:
            rule = f"Lemma 2.1 is proved for epsilon <= {PROVED_EPSILON}, delta <= {PROVED_DELTA} a node (E-6)"
            raise InvalidArgumentError("epsilon", e, rule)
        return printed_level(kappa, s / 2, e, d, n)
    raise InvalidArgumentError("calibration", how, "must be one of " + ", ".join(get_args(Calibration)))


def printed_level(kappa: Fraction, S: Fraction, epsilon: Fraction, delta: Fraction, n: int) -> float:
    r"""$\sigma_+$ of Eq. (3.2), rounded up.

    Args:
        kappa: The regularity constant that the equation is fed with, exact.
        S: $\beta D+L$, exact.
        epsilon: Of the whole stream, exact.
        delta: Of the whole stream, exact.
        n: Length of the stream.

    Raises:
        InvalidArgumentError: If n is not positive.

    >>> round(printed_level(Fraction(1), Fraction(8), Fraction(1), Fraction(1, 1000), 1000), 1)  # beta D + L = 8
    759.3
    """
    m = most_nodes(n, padded=True)

    def level() -> arb:
        return BALL.sqrt(
            printed_variance(BALL, ball(m), ball(kappa), (ball(m) / ball(delta)).log(), ball(S), ball(epsilon))
        )

    return upper(evaluate(level))


def printed_noise(
    q: Index, dimension: int, norm: type[Norm], repairs: tuple[Erratum, ...]
) -> tuple[NodeNoise, Fraction]:
    """A node's noise as Lemmas 3.2 and 3.3 print it, and the kappa that Eq. (3.2) uses with it.

    Args:
        q: Dual index, at most finite (p above 1).
        dimension: d, the number of parameters.
        norm: The tag of l_q.
        repairs: With "E-1" the norm is l_q itself and kappa is q - 1.

    Raises:
        InvalidArgumentError: If p = 1, or the printed index or kappa is not positive.

    >>> from dpref.units import lq
    >>> noise, kappa = printed_noise(Fraction(3), 900, lq(Fraction(3)), ())
    >>> mended, _ = printed_noise(Fraction(3), 900, lq(Fraction(3)), ("E-1",))
    >>> noise.index, noise.kappa, kappa, mended.index  # an index of 2 where it is 3: no theorem
    (2.0, None, Fraction(2, 1), 3.0)
    """
    if q == math.inf:
        raise InvalidArgumentError("domain", q, "the printed algorithm needs p > 1")
    if q <= 2 and (q < 2 or "E-1" in repairs):
        return NodeNoise(L2, Fraction(1), 2.0, Fraction(1)), Fraction(1)
    if "E-1" in repairs:
        return NodeNoise(norm, Fraction(1), float(q), Fraction(q) - 1), Fraction(q) - 1
    index = evaluate(lambda: printed_index(BALL, ball(Fraction(q)), ball(dimension).log()), limit=1024)
    if dimension < 3 or not index > 0:
        raise InvalidArgumentError(
            "dimension", dimension, "the printed index min(q-1, ln d - 1) must be positive (E-1)"
        )
    kappa = upper(evaluate(lambda: printed_kappa(BALL, ball(Fraction(q)), ball(dimension).log())))
    return NodeNoise(norm, Fraction(1), upper(index), None), exact(kappa)
