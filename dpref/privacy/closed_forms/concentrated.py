r"""Zero-concentrated DP of ledgers: a rho for each mechanism event, which add under adaptive composition.

A Gaussian answer is exactly $\frac1{2z^2}$-zCDP; a generalised Gaussian one on a $\kappa$-regular norm is
$\frac\kappa{2z^2}$-zCDP (obligation ``private-online-frank-wolfe/PO-9``).  What a filter of rho lets through is
rho-zCDP, and the exponential mechanism, of bounded range, $\frac{\varepsilon^2}8$-zCDP
(``exponential-mechanism/zcdp``).  A matrix mechanism is one Gaussian answer of its sensitivity.

References:
    Bun and Steinke, "Concentrated differential privacy", 2016, Proposition 1.6, Lemma 1.7.
    Han et al., "On private online convex optimization", Lemma 2.1.
    Feldman and Zrnic, "Individual privacy accounting via a Rényi filter", 2021, Section 3.
    Cesar and Rogers, "Bounding, concentrating, and truncating", 2021, Lemma 3.2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from dpref.errors import UnsupportedEventError
from dpref.privacy.closed_forms.conversions import bounded_range_zcdp
from dpref.privacy.events.factorization import is_factored, squared_mu
from dpref.privacy.events.guarantees import Concentrated
from dpref.privacy.events.ledger import Event, Exponential, FilteredGaussians, Gaussian, GeneralizedGaussian, Ledger
from dpref.privacy.events.walks import multiplicities
from dpref.reals import RATIONAL
from dpref.units import ZCDP, Adjacency, PrivacyLoss

A = TypeVar("A", bound=Adjacency)


def event_rho(event: Event) -> Fraction:
    """A rho for which one event is rho-zCDP, exact.

    Raises:
        UnsupportedEventError: If there is no theorem for it here.

    >>> event_rho(GeneralizedGaussian(Fraction(4), Fraction(2)))
    Fraction(1, 16)
    """
    match event:
        case Gaussian(z):
            return 1 / (2 * z * z)
        case GeneralizedGaussian(z, kappa):
            return kappa / (2 * z * z)
        case FilteredGaussians(rho) | Concentrated(rho, xi=0):
            return rho
        case Exponential(epsilon):
            return bounded_range_zcdp(RATIONAL, epsilon)
    raise UnsupportedEventError(f"{event} has no zCDP theorem here")


def concentrated(ledger: Ledger[A]) -> PrivacyLoss[ZCDP, A]:
    """The sum of the rhos of a ledger's events.

    Raises:
        UnsupportedEventError: If an event has no theorem.

    >>> from dpref.privacy.events.ledger import Repeat
    >>> from dpref.units import ReplaceOne
    >>> concentrated(Ledger(Repeat(Gaussian(Fraction(3)), 9), ReplaceOne)).value
    Fraction(1, 2)
    """

    def rho(event: Event) -> Fraction:
        return squared_mu(event, ledger.adjacency).squared / 2 if is_factored(event) else event_rho(event)

    total = sum((count * rho(event) for event, count in multiplicities(ledger.event).items()), Fraction(0))
    return PrivacyLoss(total, ZCDP, ledger.adjacency)
