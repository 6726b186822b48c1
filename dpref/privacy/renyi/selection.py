r"""Private selection: run a mechanism a random number of times and release the best outcome only.

The number of runs K is drawn from a law that does not depend on the data and is not released; the runs are independent,
outcomes are ordered by a fixed total order (ties are broken by it), and only the best outcome is released.  A *fixed*
number of runs would cost as much as releasing them all; a random one costs little more than one run.

* K from the truncated negative binomial law $\mathcal D_{\eta,\gamma}$ on 1, 2, ... ($\eta = 1$: geometric,
  $\eta = 0$: logarithmic): for all orders $\alpha > 1$ and $\hat\alpha \ge 1$
  $$D' = D_\alpha + (1+\eta)\Bigl(1-\frac1{\hat\alpha}\Bigr)D_{\hat\alpha} + \frac{(1+\eta)\ln(1/\gamma)}{\hat\alpha}
  + \frac{\ln\mathbb EK}{\alpha-1};$$
  an epsilon-DP mechanism becomes $(2+\eta)\varepsilon$-DP.
* K from a Poisson law of mean mu (no outcome if K = 0): if the mechanism is $(\hat\varepsilon,\hat\delta)$-DP with
  $e^{\hat\varepsilon} \le 1+\frac1{\alpha-1}$ besides,
  $$D' = \frac1{\alpha-1}\ln\bigl(e^{-\mu}+\mu e^{(\alpha-1)(D_\alpha+\mu\hat\delta)}\bigr).$$

Both follow from $\Pr(\text{best} = y) = f(Q(\le y))-f(Q(<y))$ with the generating function f of K: the likelihood
ratio of the selection is that of one run times a ratio of $f'$ at two probabilities that one run's privacy ties
together.  The term $e^{-\mu}$ is the empty selection, equally likely for both neighbours.

References:
    Liu and Talwar, "Private selection from private candidates", 2019, Theorem 3.4 (geometric, 3 epsilon).
    Papernot and Steinke, "Hyperparameter tuning with Rényi differential privacy", 2022, Lemma 7, Theorems 2
    and 6, Corollary 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Final, TypeVar

from flint import arb, ctx

from dpref.checks import open_unit, positive_rational, rational
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.best_of import expected_repetitions, expected_repetitions_logarithmic
from dpref.privacy.closed_forms.conversions import renyi_delta_optimised
from dpref.privacy.events.selection import Select
from dpref.privacy.pld.pair import Curve
from dpref.privacy.pld.selection import gamma_of, law_of_runs
from dpref.privacy.renyi.curves import RenyiCurve, valid_order
from dpref.reals import BALL, Exact, Ops, T, ball
from dpref.units import Adjacency, PrivacyLoss, PureDP

A = TypeVar("A", bound=Adjacency)


_AUXILIARY_ORDERS: Final = tuple(Fraction(k, 2) for k in range(3, 17)) + tuple(Fraction(1 << k) for k in range(4, 11))
_FEW_ORDERS: Final = tuple(map(Fraction, (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128)))  # where many would be slow


def negative_binomial_renyi(o: Ops[T], alpha: T, divergence: T, auxiliary: tuple[T, T], eta: T, gamma: T, mean: T) -> T:
    r"""The divergence of the selection (Papernot and Steinke 2022, Theorem 2).

    Args:
        alpha: The order.
        divergence: $D_\alpha$ of one run.
        auxiliary: $\hat\alpha \ge 1$ and $D_{\hat\alpha}$ of one run; every choice gives a valid bound.
        eta: Shape of the law of K, larger than -1.
        gamma: Its other parameter, in (0, 1).
        mean: $\mathbb EK$.
    """
    order, value = auxiliary
    spread = (1 + eta) * ((1 - 1 / order) * value - o.log(gamma) / order)
    return divergence + spread + o.log(mean) / (alpha - 1)


def poisson_selection_renyi(o: Ops[T], alpha: T, divergence: T, failure: T, mean: T) -> T:
    r"""$\frac1{\alpha-1}\ln(e^{-\mu}+\mu e^{(\alpha-1)(D_\alpha+\mu\hat\delta)})$: Theorem 6, and the event K = 0."""
    chosen = mean * o.exp((alpha - 1) * (divergence + mean * failure))
    return o.log(o.exp(-mean) + chosen) / (alpha - 1)


def select_pure(loss: PrivacyLoss[PureDP, A], *, eta: Exact) -> PrivacyLoss[PureDP, A]:
    r"""$(2+\eta)\varepsilon$-DP: the best of K runs of an epsilon-DP mechanism, whatever gamma is.

    Args:
        loss: What one run spends.
        eta: Exact, larger than -1; 1 for the geometric law.

    Raises:
        InvalidArgumentError: If eta is out of its domain or a float, or the loss is not pure.

    References:
        Papernot and Steinke 2022, Corollary 3; Liu and Talwar 2019, Theorem 3.4.

    >>> from dpref.units import ReplaceOne
    >>> select_pure(PrivacyLoss(Fraction(1, 10), PureDP, ReplaceOne), eta=1).value
    Fraction(3, 10)
    """
    if getattr(loss, "measure", None) is not PureDP:
        raise InvalidArgumentError("loss", loss, "must be a pure DP loss")
    return PrivacyLoss((2 + _shape(eta)) * loss.value, PureDP, loss.adjacency)


def select(
    curve: RenyiCurve, *, eta: Exact, gamma: Exact, auxiliary_orders: Sequence[Exact] = _AUXILIARY_ORDERS
) -> RenyiCurve:
    r"""The curve of the best of K runs, K from the truncated negative binomial law.

    Args:
        curve: What one run spends.
        eta: Exact, larger than -1.
        gamma: Exact, in (0, 1).
        auxiliary_orders: The $\hat\alpha > 1$ that are tried; the least bound counts.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float, or there is no auxiliary order.

    References:
        Papernot and Steinke 2022, Theorem 2.

    >>> run = RenyiCurve(lambda order: ball(order) / 200, tight=True)
    >>> print(select(run, eta=1, gamma=Fraction(1, 10)).at(20))
    renyi divergence in [0, 0.6590118258]
    """
    shape, g = _shape(eta), open_unit("gamma", gamma)
    orders = [valid_order(order) for order in auxiliary_orders]
    if not orders:
        raise InvalidArgumentError("auxiliary_orders", auxiliary_orders, "must not be empty")

    def divergence(order: Fraction) -> arb:
        if shape == 0:
            mean = expected_repetitions_logarithmic(BALL, ball(g))
        else:
            mean = expected_repetitions(BALL, ball(shape), ball(g))
        one = curve.divergence(order)
        least = arb.pos_inf()
        for other in orders:
            pair = (ball(other), curve.divergence(other))
            found = negative_binomial_renyi(BALL, ball(order), one, pair, ball(shape), ball(g), mean)
            least = found if not least.is_finite() else least.min(found)
        return least

    return replace(curve, divergence=divergence, tight=False)


def select_poisson(curve: RenyiCurve, *, mean: Exact, epsilon: Exact, delta: Exact) -> RenyiCurve:
    r"""The curve of the best of a Poisson number of runs; infinite at orders above $1+1/(e^{\hat\varepsilon}-1)$.

    Args:
        curve: What one run spends.
        mean: mu, exact and positive.
        epsilon: $\hat\varepsilon$ of one run, exact and positive.
        delta: $\hat\delta$ of one run, exact, in [0, 1).

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.

    References:
        Papernot and Steinke 2022, Theorem 6.

    >>> run = RenyiCurve(lambda order: ball(order) / 200, tight=True)
    >>> best = select_poisson(run, mean=10, epsilon=Fraction(1, 10), delta=Fraction(1, 10**3))
    >>> print(best.at(10), best.at(11))
    renyi divergence in [0, 0.3158430821] renyi divergence in [0, inf]
    """
    m, e, d = positive_rational("mean", mean), positive_rational("epsilon", epsilon), rational("delta", delta)
    if d >= 1:
        raise InvalidArgumentError("delta", delta, "must be below one")

    def divergence(order: Fraction) -> arb:
        # False for overlapping balls, and then there is no bound.
        if not ball(e).expm1() * ball(order - 1) <= 1:
            return arb.pos_inf()
        return poisson_selection_renyi(BALL, ball(order), curve.divergence(order), ball(d), ball(m))

    return replace(curve, divergence=divergence, tight=False)


def _shape(eta: object) -> Fraction:
    if isinstance(eta, bool) or not isinstance(eta, int | Fraction) or eta <= -1:
        raise InvalidArgumentError("eta", eta, "must be an exact number larger than -1")
    return Fraction(eta)


def selected(event: Select, curve: RenyiCurve, run: Curve | None) -> RenyiCurve:
    r"""The curve of a selection as an event: `select` or `select_poisson`, each order with its own $\hat\varepsilon$.

    Args:
        event: The selection.
        curve: What one run spends.
        run: The privacy curve of one run, the larger of both orders; None if only ``curve`` is known of it, from which
            $\hat\delta$ is then taken too.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> run = RenyiCurve(lambda order: ball(order) / 200, tight=True)
    >>> print(selected(Select(Gaussian(Fraction(10)), mean=Fraction(10)), run, None).at(10))
    renyi divergence in [0, 0.4681135903]
    """

    def poisson(order: Fraction) -> arb:
        epsilon = (ball(order) / ball(order - 1)).log()
        failure = _failure(curve, epsilon) if run is None else run(epsilon)[0]
        return poisson_selection_renyi(BALL, ball(order), curve.divergence(order), failure, ball(event.mean or 0))

    made: dict[int, list[tuple[arb, arb]]] = {}

    def auxiliary() -> list[tuple[arb, arb]]:
        if ctx.prec not in made:
            made[ctx.prec] = [(ball(o), curve.divergence(o)) for o in _FEW_ORDERS]
        return made[ctx.prec]

    def negative_binomial(order: Fraction) -> arb:
        mean, gamma, one = law_of_runs(event).mean, gamma_of(event), curve.divergence(order)
        eta = ball(event.eta or 0)
        bounds = (negative_binomial_renyi(BALL, ball(order), one, pair, eta, gamma, mean) for pair in auxiliary())
        return reduce(lambda a, b: b if not a.is_finite() else a.min(b) if b.is_finite() else a, bounds)

    return replace(curve, divergence=poisson if event.eta is None else negative_binomial, tight=False)


def _failure(curve: RenyiCurve, epsilon: arb) -> arb:
    """A delta of one run at an epsilon, from its divergences at a few orders."""
    found = (renyi_delta_optimised(BALL, curve.divergence(o), ball(o), epsilon) for o in _FEW_ORDERS)
    return reduce(lambda a, b: a.min(b) if b.is_finite() else a, found, arb(1))
