r"""The Gaussian mechanism as a subject: the shortest algorithm that a claim can be about.

``count`` answers to queries of $\ell_2$ sensitivity one, each with noise of standard deviation ``noise_multiplier``.
The pair moves every answer by exactly one, so the score (the standardised sum) is ``N(mu, 1)`` against ``N(0, 1)`` with
$\mu^2 = $ ``count`` / ``noise_multiplier``$^2$: the ledger's upper end and the witness's lower end coincide.

Many papers' privacy theorems are a calibration: a formula from $(\varepsilon,\delta)$ to a noise multiplier.  Auditing
this subject at a formula's multiplier, rounded *up* to a double (in the paper's favour), audits the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, final

import numpy as np
from flint import arb

from dpref.algorithms.declaration import PLANNING_BITS
from dpref.algorithms.dynamic_gradient_descent.formulas import printed_budget, printed_rho
from dpref.audit.claims import Claim
from dpref.audit.parameters import known, made, readable
from dpref.audit.subjects import Neighbour, Release, Witness
from dpref.checks import natural, one_of, open_unit, positive_rational, runnable
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.conversions import classical_gaussian_multiplier, zcdp_rho
from dpref.privacy.events.ledger import Gaussian, Ledger, Repeat
from dpref.reals import BALL, FloatArray, Ops, T, ball, decimal_up, evaluate, exact, precision, upper
from dpref.units import Adjacency

Calibration: TypeAlias = Literal["classical", "zcdp", "zcdp-lemma-c.4-as-printed", "zcdp-section-4.1.3-as-printed"]
Formula: TypeAlias = Callable[[Ops[arb], arb, arb], arb]

MOST_ANSWERS: Final = 10_000


def zcdp_multiplier(o: Ops[T], rho: T) -> T:
    r"""$\sigma/\Delta_2 = 1/\sqrt{2\rho}$: the Gaussian mechanism that is exactly rho-zCDP (Bun-Steinke 2016).

    >>> from dpref.reals import FLOAT
    >>> zcdp_multiplier(FLOAT, 0.5)
    1.0
    """
    return 1 / o.sqrt(2 * rho)


CALIBRATIONS: Final[Mapping[str, Formula]] = MappingProxyType(
    {
        "classical": classical_gaussian_multiplier,
        "zcdp": lambda o, e, L: zcdp_multiplier(o, zcdp_rho(o, e, L)),
        "zcdp-lemma-c.4-as-printed": lambda o, e, L: zcdp_multiplier(o, printed_rho(o, e, L)),
        "zcdp-section-4.1.3-as-printed": lambda o, e, L: zcdp_multiplier(o, printed_budget(o, e, L) / 2),
    }
)


def calibrated_multiplier(calibration: str, epsilon: Fraction, delta: Fraction, count: int = 1) -> Fraction:
    r"""The noise multiplier of each of ``count`` answers that a formula asks for, rounded up to a double.

    Args:
        calibration: A name in `CALIBRATIONS`; the formula speaks of one answer, and ``count`` of them need
            $\sqrt{\text{count}}$ times its multiplier to compose to the same loss.
        epsilon: Exact and positive.
        delta: Exact, in (0, 1).
        count: Number of answers.

    Raises:
        InvalidArgumentError: If an argument is out of its domain.

    >>> round(float(calibrated_multiplier("classical", Fraction(1), Fraction(1, 10**5))), 9)
    4.844805263
    """
    one_of("calibration", calibration, CALIBRATIONS)
    e, d, k = positive_rational("epsilon", epsilon), open_unit("delta", delta), natural("count", count)
    formula = CALIBRATIONS[calibration]
    with precision(PLANNING_BITS):
        return exact(upper(evaluate(lambda: formula(BALL, ball(e), -BALL.log(ball(d))) * BALL.sqrt(ball(k)))))


@final
@dataclass(frozen=True)
class GaussianMechanismSubject:
    """A repeated Gaussian mechanism on its worst pair.

    Attributes:
        adjacency: The neighbouring relation; a query of sensitivity one has such a pair in each.
        noise_multiplier: sigma / Delta_2 of each answer, exact.
        count: Number of answers.
        release: With one answer, transcript and output are the same; with more, the output is the answers' mean,
            which is sufficient, so both have the same privacy loss.
        calibration: The formula that the multiplier came from, for the report.
    """

    adjacency: type[Adjacency]
    noise_multiplier: Fraction
    count: int = 1
    release: Release = "transcript"
    calibration: str | None = None

    def __post_init__(self) -> None:
        runnable("noise_multiplier", positive_rational("noise_multiplier", self.noise_multiplier))
        if natural("count", self.count) > MOST_ANSWERS:
            raise InvalidArgumentError("count", self.count, f"must be at most {MOST_ANSWERS} to be run")

    def ledger(self) -> Ledger[Adjacency]:
        """``count`` Gaussian events."""
        event = Gaussian(self.noise_multiplier)
        return Ledger(event if self.count == 1 else Repeat(event, self.count), self.adjacency)

    @property
    def mu_squared(self) -> Fraction:
        """``count / noise_multiplier**2``: attained, by a query that moves by its whole sensitivity."""
        return self.count / self.noise_multiplier**2

    def witnesses(self, delta: Fraction) -> tuple[Witness, ...]:
        """The query of the runs."""
        attained = "the pair of the runs, exactly Gaussian"
        return (Witness("gaussian-answers", "mu-squared", self.mu_squared, attained, ("gaussian/composition",)),)

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """The log-likelihood ratio of the answers, shape (trials,)."""
        std = float(self.noise_multiplier)
        total = np.zeros(trials)
        for _ in range(self.count):
            answer = neighbour + std * rng.standard_normal(trials)
            total += (answer - 0.5) / (std * std)
        return total

    def facts(self) -> Mapping[str, str]:
        """Noise, number of answers, and where the noise came from."""
        facts = {
            "mechanism": f"Gaussian, {self.count} answer{'s' if self.count > 1 else ''} of l2 sensitivity 1",
            "noise multiplier": decimal_up(self.noise_multiplier, 10),
            "pair": "one query moved by its whole sensitivity",
        }
        if self.calibration is not None:
            facts["calibration"] = self.calibration
        return facts


@dataclass(frozen=True, kw_only=True)
class _Noise:
    """A claim that gives the noise."""

    noise_multiplier: Fraction
    count: int = 1


@dataclass(frozen=True, kw_only=True)
class _Formula:
    """A claim that says how the noise is calibrated."""

    calibration: Calibration
    epsilon: Fraction
    delta: Fraction
    count: int = 1


def subject(claim: Claim) -> GaussianMechanismSubject:
    """``gaussian-mechanism``: ``noise_multiplier``, or ``calibration``, ``epsilon`` and ``delta``; and ``count``.

    Args:
        claim: About the mechanism.

    Raises:
        InvalidArgumentError: If a parameter is unknown, missing, clashes with another one or breaks its rule.

    >>> from dpref.audit.catalogue import find
    >>> subject(find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")).calibration
    'classical'
    """
    known(claim, {*readable(_Noise), *readable(_Formula)})
    if "noise_multiplier" not in claim.parameters:
        how = made(_Formula, claim)
        multiplier = calibrated_multiplier(how.calibration, how.epsilon, how.delta, how.count)
        return GaussianMechanismSubject(claim.adjacency, multiplier, how.count, claim.release, how.calibration)
    for name in {*claim.parameters} - {*readable(_Noise)}:
        raise InvalidArgumentError(f"parameters.{name}", claim.parameters[name], "clashes with noise_multiplier")
    given = made(_Noise, claim)
    return GaussianMechanismSubject(claim.adjacency, given.noise_multiplier, given.count, claim.release)
