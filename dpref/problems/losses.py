r"""Losses of linear predictors, with their constants, as formulas over ``Ops[T]``.

A record is $z=(x,y)$ with $\|x\|_2\le r$ and $y\in\{-1,+1\}$; the prediction is $s=\langle x,\theta\rangle$, the loss
$\ell(s,y)$ and the per-record gradient $\ell'(s,y)\,x$.  With ``feature_bound`` $r$ and, where the loss needs it,
``parameter_bound`` $B\ge\|\theta\|_2$:

============  ===============================  ==================  ===============  ===================================
loss          $\ell'(s,y)$                     Lipschitz           smoothness       curvature, at least
============  ===============================  ==================  ===============  ===================================
logistic      $-y\,(1-\tanh(ys/2))/2$          $r$                 $r^2/4$          $\frac14(1-\tanh^2(rB/2))$
squared       $s-y$                            $r(rB+1)$           $r^2$            $1$
Huber         $\max(-h,\min(h,s-y))$           $hr$                $r^2$            $0$
sharp         $p\,\mathrm{sign}(s-y)c^{p-1}$   $pr$                none             $0$
linear        $-y$                             $r$                 $0$              $0$
power         $c|c|^{\tau-2}-y$                $2r$                $(\tau-1)r^2$    $0$
============  ===============================  ==================  ===============  ===================================

For the power loss $c=\max(-1,\min(1,s))$.  The strong convexity of the empirical loss is the curvature times the least
eigenvalue of $\frac1n\sum x_ix_i^\top$.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from dpref.checks import positive_rational
from dpref.errors import InvalidArgumentError
from dpref.reals import RATIONAL, Ops, T


class Loss(Protocol):
    """A loss of a linear predictor.

    Attributes:
        name: Its name in claims and tables.
        code: Its number in the numba kernels.
        parameter: Its one parameter (the Huber threshold), zero where it has none.
        needs_parameter_bound: Whether its Lipschitz constant is finite only on a ball.
    """

    @property
    def name(self) -> str:
        """Name in claims and tables."""

    @property
    def code(self) -> int:
        """Number in the kernels."""

    @property
    def parameter(self) -> Fraction:
        """The one parameter, or zero."""

    @property
    def needs_parameter_bound(self) -> bool:
        """Whether the Lipschitz constant needs a bounded domain."""

    def value(self, o: Ops[T], s: T, y: T) -> T:
        """The loss of prediction s at label y."""

    def derivative(self, o: Ops[T], s: T, y: T) -> T:
        """Its derivative in s."""

    def lipschitz(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """The largest norm of a per-record gradient."""

    def smoothness(self, o: Ops[T], feature_bound: T) -> T:
        """The largest eigenvalue of a per-record Hessian."""

    def curvature(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """The least second derivative in s over the domain."""


@dataclass(frozen=True)
class Logistic:
    r"""$\ell(s,y)=\ln(1+e^{-ys})$, in the form that cannot overflow."""

    name: str = "logistic"
    code: int = 0
    parameter: Fraction = Fraction(0)
    needs_parameter_bound: bool = False

    def value(self, o: Ops[T], s: T, y: T) -> T:
        r"""$\max(0,-ys)+\ln(1+e^{-|s|})$."""
        margin = y * s
        return o.maximum(-margin, o.number(0)) + o.log1p(o.exp(-o.maximum(margin, -margin)))

    def derivative(self, o: Ops[T], s: T, y: T) -> T:
        r"""$-y(1-\tanh(ys/2))/2$."""
        return -y * (1 - o.tanh(y * s / 2)) / 2

    def lipschitz(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """$r$."""
        return feature_bound

    def smoothness(self, o: Ops[T], feature_bound: T) -> T:
        """$r^2/4$."""
        return feature_bound * feature_bound / 4

    def curvature(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        r"""$\frac14(1-\tanh^2(rB/2))$, zero on an unbounded domain."""
        if parameter_bound is None:
            return o.number(0)
        edge = o.tanh(feature_bound * parameter_bound / 2)
        return (1 - edge * edge) / 4


@dataclass(frozen=True)
class Squared:
    r"""$\ell(s,y)=\frac12(s-y)^2$, Lipschitz on a ball only."""

    name: str = "squared"
    code: int = 1
    parameter: Fraction = Fraction(0)
    needs_parameter_bound: bool = True

    def value(self, o: Ops[T], s: T, y: T) -> T:
        r"""$\frac12(s-y)^2$."""
        return (s - y) * (s - y) / 2

    def derivative(self, o: Ops[T], s: T, y: T) -> T:
        """$s-y$."""
        return s - y

    def lipschitz(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """$r(rB+1)$."""
        if parameter_bound is None:
            raise InvalidArgumentError("parameter_bound", None, "the squared loss is Lipschitz on a ball only")
        return feature_bound * (feature_bound * parameter_bound + 1)

    def smoothness(self, o: Ops[T], feature_bound: T) -> T:
        """$r^2$."""
        return feature_bound * feature_bound

    def curvature(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """$1$."""
        return o.number(1)


@dataclass(frozen=True)
class Huber:
    r"""$\ell'(s,y)$ is the residual $s-y$ cut off at $\pm h$.

    Attributes:
        parameter: The threshold h, positive.
    """

    parameter: Fraction
    name: str = "huber"
    code: int = 2
    needs_parameter_bound: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameter", positive_rational("huber threshold", self.parameter))

    def value(self, o: Ops[T], s: T, y: T) -> T:
        r"""$c(r-c/2)$ with $r=s-y$ and $c$ the cut-off residual."""
        cut = self.derivative(o, s, y)
        return cut * (s - y - cut / 2)

    def derivative(self, o: Ops[T], s: T, y: T) -> T:
        r"""$\max(-h,\min(h,s-y))$."""
        h = o.number(self.parameter)
        return o.maximum(-h, o.minimum(h, s - y))

    def lipschitz(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """$hr$."""
        return o.number(self.parameter) * feature_bound

    def smoothness(self, o: Ops[T], feature_bound: T) -> T:
        """$r^2$."""
        return feature_bound * feature_bound

    def curvature(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """Zero: the loss is linear where the residual exceeds h."""
        return o.number(0)


@dataclass(frozen=True)
class Sharp:
    r"""$\ell(s,y)=|s-y|^p$ for $|s-y|\le1$, and linear beyond: convex, not smooth, of growth p in (1, 2).

    As a risk $|w|^p$ it satisfies the KL condition with $\kappa=\frac p{p-1}>2$ and $\gamma=\frac1p$, with equality.
    Powers of less than $2^{-1000}$ are those of $2^{-1000}$, so that no logarithm of zero is taken; in the table c is
    $\min(|s-y|,1)$.

    Attributes:
        parameter: The exponent p.
    """

    parameter: Fraction
    name: str = "sharp"
    code: int = 5
    needs_parameter_bound: bool = False

    def __post_init__(self) -> None:
        exponent = positive_rational("exponent", self.parameter)
        if not 1 < exponent < 2:
            raise InvalidArgumentError("exponent", exponent, "must lie between 1 and 2")
        object.__setattr__(self, "parameter", exponent)

    def _power(self, o: Ops[T], size: T, exponent: Fraction) -> T:
        return o.exp(o.number(exponent) * o.log(o.maximum(size, o.number(Fraction(1, 2**1000)))))

    def value(self, o: Ops[T], s: T, y: T) -> T:
        r"""$c^p+p(|s-y|-c)$ with $c=\min(|s-y|,1)$."""
        size = o.maximum(s - y, y - s)
        cut = o.minimum(size, o.number(1))
        return self._power(o, cut, self.parameter) + o.number(self.parameter) * (size - cut)

    def derivative(self, o: Ops[T], s: T, y: T) -> T:
        r"""$p\,c\,|c|^{p-2}$ with $c=\max(-1,\min(1,s-y))$."""
        cut = o.maximum(-o.number(1), o.minimum(o.number(1), s - y))
        return o.number(self.parameter) * cut * self._power(o, o.maximum(cut, -cut), self.parameter - 2)

    def lipschitz(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """$pr$."""
        return o.number(self.parameter) * feature_bound

    def smoothness(self, o: Ops[T], feature_bound: T) -> T:
        """There is none.

        Raises:
            InvalidArgumentError: Always.
        """
        raise InvalidArgumentError("loss", self.name, "has no Lipschitz gradient: take an algorithm that needs none")

    def curvature(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """Zero: the loss is linear where the residual exceeds one."""
        return o.number(0)


@dataclass(frozen=True)
class Linear:
    r"""$\ell(s,y)=-ys$: its gradient does not depend on the parameter, which makes it the worst case of many proofs."""

    name: str = "linear"
    code: int = 3
    parameter: Fraction = Fraction(0)
    needs_parameter_bound: bool = False

    def value(self, o: Ops[T], s: T, y: T) -> T:
        """$-ys$."""
        return -y * s

    def derivative(self, o: Ops[T], s: T, y: T) -> T:
        """$-y$."""
        return -y

    def lipschitz(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """$r$."""
        return feature_bound

    def smoothness(self, o: Ops[T], feature_bound: T) -> T:
        """Zero."""
        return o.number(0)

    def curvature(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """Zero."""
        return o.number(0)


@dataclass(frozen=True)
class Power:
    r"""$\ell(s,y)=\frac1\tau|s|^\tau-ys$ for $|s|\le1$, and linear beyond: convex, smooth, and of $\tau$-growth.

    Attributes:
        parameter: The exponent tau, a whole number from 2 on.
    """

    parameter: Fraction
    name: str = "power"
    code: int = 4
    needs_parameter_bound: bool = False

    def __post_init__(self) -> None:
        exponent = positive_rational("exponent", self.parameter)
        if exponent.denominator != 1 or exponent < 2:
            raise InvalidArgumentError("exponent", exponent, "must be a whole number, at least 2")
        object.__setattr__(self, "parameter", exponent)

    def value(self, o: Ops[T], s: T, y: T) -> T:
        r"""$\frac1\tau|c|^\tau+c|c|^{\tau-2}(s-c)-ys$ with $c=\max(-1,\min(1,s))$."""
        cut = o.maximum(-o.number(1), o.minimum(o.number(1), s))
        slope = self._slope(o, cut)
        return cut * slope / o.number(self.parameter) + slope * (s - cut) - y * s

    def derivative(self, o: Ops[T], s: T, y: T) -> T:
        r"""$c|c|^{\tau-2}-y$ with $c=\max(-1,\min(1,s))$."""
        return self._slope(o, o.maximum(-o.number(1), o.minimum(o.number(1), s))) - y

    def _slope(self, o: Ops[T], cut: T) -> T:
        power = o.number(1)
        for _ in range(int(self.parameter) - 2):
            power = power * o.maximum(cut, -cut)
        return cut * power

    def lipschitz(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """$2r$."""
        return 2 * feature_bound

    def smoothness(self, o: Ops[T], feature_bound: T) -> T:
        r"""$(\tau-1)r^2$."""
        return o.number(self.parameter - 1) * feature_bound * feature_bound

    def curvature(self, o: Ops[T], feature_bound: T, parameter_bound: T | None) -> T:
        """Zero: the loss is linear where the prediction exceeds one, and flat around zero if tau > 2."""
        return o.number(0)


def exact_lipschitz(loss: Loss, feature_bound: Fraction, parameter_bound: Fraction | None) -> Fraction:
    """The Lipschitz constant as an exact rational, which sensitivities are made of.

    >>> exact_lipschitz(Squared(), Fraction(1), Fraction(2))
    Fraction(3, 1)
    """
    return loss.lipschitz(RATIONAL, feature_bound, parameter_bound)
