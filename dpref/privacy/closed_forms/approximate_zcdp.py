r"""Approximate zCDP: rho-zCDP except on events of probability delta, and how it composes and converts.

M is delta-approximately rho-zCDP if for all neighbours there are events E, E' of probability at least $1-\delta$ with
$D_\alpha(M|E\,\|\,M'|E') \le \rho\alpha$ in both directions, for every order.

References:
    Bun and Steinke, "Concentrated differential privacy", 2016, Definition 8.1, Section 8.
    Kairouz, Oh and Viswanath, "The composition theorem for differential privacy", 2015, Section 2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic, TypeVar, final

from dpref.checks import open_unit, rational
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.composition import Guarantee
from dpref.privacy.closed_forms.zcdp import Method, zcdp_to_epsilon
from dpref.reals import Exact
from dpref.units import ZCDP, Adjacency, ApproximateDP, PrivacyLoss, PureDP

A = TypeVar("A", bound=Adjacency)


@final
@dataclass(frozen=True)
class ApproximateZCDP(Generic[A]):
    r"""delta-approximate rho-zCDP; losses of one adjacency compose by ``+``.

    Attributes:
        rho: The rho of rho-zCDP, exact, not negative.
        delta: Exact, in [0, 1).
        adjacency: The neighbouring relation of the guarantee.

    >>> from dpref.units import ReplaceOne
    >>> half = ApproximateZCDP(Fraction(1, 4), Fraction(1, 10), ReplaceOne)
    >>> (half + half).rho, (half + half).delta
    (Fraction(1, 2), Fraction(19, 100))
    """

    rho: Fraction
    delta: Fraction
    adjacency: type[A]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", rational("rho", self.rho))
        object.__setattr__(self, "delta", rational("delta", self.delta))
        if self.delta >= 1:
            raise InvalidArgumentError("delta", self.delta, "must be below one")

    def __add__(self, other: ApproximateZCDP[A]) -> ApproximateZCDP[A]:
        """rho adds, and the probabilities of not failing multiply (Bun and Steinke 2016, Section 8)."""
        if self.adjacency is not other.adjacency:
            raise InvalidArgumentError("other", other.adjacency.name, "losses add within one adjacency")
        kept = (1 - self.delta) * (1 - other.delta)
        return ApproximateZCDP(self.rho + other.rho, 1 - kept, self.adjacency)

    def to_dp(self, slack: Exact, *, method: Method = "optimised") -> Guarantee[A]:
        r"""$(\varepsilon, \delta+(1-\delta)\delta')$-DP with epsilon the one of rho-zCDP at $\delta'$.

        Args:
            slack: $\delta'$, exact, in (0, 1).
            method: The conversion of zCDP.

        Raises:
            InvalidArgumentError: If an argument is out of its domain or a float.

        References:
            Bun and Steinke 2016, Section 8.

        >>> from dpref.units import ReplaceOne
        >>> spent = ApproximateZCDP(Fraction(1, 2), Fraction(1, 10**7), ReplaceOne)
        >>> print(spent.to_dp(Fraction(1, 10**6), method="basic").epsilon)
        epsilon in [0, 5.75652177]
        """
        tail = open_unit("slack", slack)
        epsilon = replace(zcdp_to_epsilon(self.rho, tail, method=method), adjacency=self.adjacency)
        return Guarantee(epsilon, self.delta + (1 - self.delta) * tail, self.adjacency)


def approximate_zcdp(
    loss: PrivacyLoss[ZCDP, A] | PrivacyLoss[PureDP, A] | PrivacyLoss[ApproximateDP, A],
) -> ApproximateZCDP[A]:
    r"""What a loss says in approximate zCDP: rho itself, or $\varepsilon^2/2$ with the same delta.

    An $(\varepsilon,\delta)$-DP pair is an epsilon-DP pair except on events of probability delta, so
    $\rho = \varepsilon^2/2$ holds outside of them.

    Raises:
        InvalidArgumentError: If the loss is of another measure.

    References:
        Bun and Steinke 2016, Section 8; Kairouz, Oh and Viswanath 2015, Section 2.

    >>> from dpref.units import ReplaceOne
    >>> approximate_zcdp(PrivacyLoss(Fraction(1, 2), ApproximateDP, ReplaceOne, Fraction(1, 100))).rho
    Fraction(1, 8)
    """
    measure = getattr(loss, "measure", None)
    if measure is ZCDP:
        return ApproximateZCDP(loss.value, Fraction(0), loss.adjacency)
    if measure not in {PureDP, ApproximateDP}:
        raise InvalidArgumentError("loss", loss, "must be a zCDP, pure or approximate DP loss")
    return ApproximateZCDP(loss.value**2 / 2, loss.delta, loss.adjacency)
