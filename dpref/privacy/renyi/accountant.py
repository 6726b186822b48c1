r"""The Rényi accountant: a curve for each mechanism event, their sum for a ledger, and what the sum says of epsilon.

=============================== =========================== ============================================= ==========
event                           adjacency                   $D_\alpha$                                    orders
=============================== =========================== ============================================= ==========
gaussian                        any                         $\alpha/(2z^2)$, exact                        all
laplace, discrete laplace       any                         closed forms, exact                           all
randomised response             replace-one                 closed form, exact                            all
randomised response             zero-out; add-or-remove-one against what is stated to answer for a null   all
                                if a null is stated         record, the worse direction; else a bound
exponential, noisy max (gumbel) any                         bounded range, exact                          all
mixture of exponentials         any                         its parts', by quasi-convexity, exact         all
noisy max (laplace),            any                         pure DP, a bound                              all
approximate with delta = 0
zcdp                            any                         $\xi+\rho\alpha$, a bound                      all
select                          as one run                  bounds of `dpref.privacy.renyi.selection`     all
discrete gaussian, gridded      any                         $\alpha\Delta^2/(2\sigma^2)$, a bound         all
poisson(gaussian)               add-or-remove-one, zero-out enclosed sum or integral, exact               all
batch without replacement of a  replace-one, zero-out       the best of three bounds                      all
gaussian
=============================== =========================== ============================================= ==========

"Exact" means that a worst-case query attains it.  Sampling at rate one is the event itself.  Under zero-out the answer
to a batch moves by at most twice its sensitivity when one record of the batch is replaced, through the null record, so
the bounds for replace-one hold with half the multiplier.  Every other event raises.

Randomised response is no additive noise: what answers in place of a null record is part of the event
(`dpref.privacy.events.ledger.RandomizedResponse`).  A category answers exactly like a replaced record; a uniform answer
is bounded by the worse of both directions; where nothing is stated the replace-one curve is a bound, by joint
convexity.

References:
    Mironov, "Rényi differential privacy", 2017, Proposition 1, Table II.
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, Theorem 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, TypeVar

from flint import arb

from dpref.errors import DprefError, UnsupportedEventError
from dpref.privacy.closed_forms.conversions import zcdp_renyi
from dpref.privacy.closed_forms.curves import randomized_response_null_atoms
from dpref.privacy.closed_forms.divergences import gaussian_renyi, regular_gaussian_renyi
from dpref.privacy.events import ledger as events
from dpref.privacy.events.custom import CurvePair, Custom, reversed_outcomes
from dpref.privacy.events.discrete import DiscreteGaussian, DiscreteLaplace
from dpref.privacy.events.factorization import is_factored, squared_mu
from dpref.privacy.events.gridded import GriddedGaussian
from dpref.privacy.events.guarantees import Approximate, Concentrated
from dpref.privacy.events.ledger import Event, Ledger
from dpref.privacy.events.matrix import Factored
from dpref.privacy.events.mixture import ExponentialMixture
from dpref.privacy.events.selection import Select
from dpref.privacy.events.walks import assumed, multiplicities
from dpref.privacy.interval import Interval
from dpref.privacy.pld.pair import Curve
from dpref.privacy.pld.pairs import pairs
from dpref.privacy.pld.selection import larger
from dpref.privacy.renyi.curves import Method, RenyiCurve, compose, renyi_to_delta, renyi_to_epsilon
from dpref.privacy.renyi.divergences import (
    bounded_range_renyi,
    discrete_laplace_renyi,
    finite_renyi,
    laplace_renyi,
    pure_renyi,
    randomised_response_renyi,
)
from dpref.privacy.renyi.selection import selected
from dpref.privacy.renyi.subsampled_gaussian import checked, poisson_divergence
from dpref.privacy.renyi.without_replacement import gaussian_without_replacement
from dpref.reals import BALL, Exact, ball
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

A = TypeVar("A", bound=Adjacency)


_ANY_ORDER: Final = Fraction(2)


def event_curve(event: Event, adjacency: type[Adjacency]) -> RenyiCurve:  # noqa: PLR0911 - one return for each kind
    """The curve of one mechanism event.

    Raises:
        UnsupportedEventError: If there is no theorem for the event under the adjacency.

    >>> print(event_curve(events.Laplace(Fraction(1)), ReplaceOne).at(2))
    renyi divergence in [0.6191236299, 0.61912363]
    """
    match event:
        case events.Poisson(inner, rate) if rate == 1:
            return event_curve(inner, adjacency)
        case events.Poisson(events.Gaussian(z), rate) if adjacency in {AddOrRemoveOne, ZeroOut}:
            checked(_ANY_ORDER, rate, z)
            return _tight(lambda order: poisson_divergence(order, rate, z))
        case events.SampleWithoutReplacement(events.Gaussian(z), batch, records):
            return _gaussian_on_batches(z, Fraction(batch, records), adjacency)
        case Custom():
            return _assumed_curve(event, adjacency)
        case Select(run):
            return selected(event, ledger_curve(Ledger(run, adjacency)), _run_curve(run, adjacency))
        case events.RandomizedResponse() if adjacency is not ReplaceOne and event.null != "category":
            return _response_to_null(event, adjacency)
    bound = _of_one_gaussian(event, adjacency) if is_factored(event) else _upper_bound(event)
    return _tight(_closed_form(event, adjacency)) if bound is None else RenyiCurve(bound, tight=False)


def _run_curve(run: Event, adjacency: type[Adjacency]) -> Curve | None:
    """The privacy curve of one run of a selection, the larger of both directions, if its pairs are known."""
    try:
        return larger(pairs(run, adjacency))
    except UnsupportedEventError:
        return None


def _of_one_gaussian(event: Factored, adjacency: type[Adjacency]) -> Callable[[Fraction], arb]:
    """Of all rows of a matrix mechanism."""
    square = squared_mu(event, adjacency).squared
    return lambda order: gaussian_renyi(BALL, ball(order), ball(square).sqrt())


def _gaussian_on_batches(z: Fraction, share: Fraction, adjacency: type[Adjacency]) -> RenyiCurve:
    """Another record stands in for one that is absent or null, and moves the answer by twice as much."""
    # Under zero-out the whole of the records is no sample: rate one is the Gaussian itself, with all of its multiplier.
    whole = adjacency is ReplaceOne or (adjacency is ZeroOut and share == 1)
    multiplier = z if whole else z / 2
    checked(_ANY_ORDER, share, multiplier)
    if adjacency is AddOrRemoveOne:
        return _tight(lambda order: poisson_divergence(order, share, multiplier))
    return RenyiCurve(lambda order: gaussian_without_replacement(order, share, multiplier), tight=False)


def _response_to_null(event: events.RandomizedResponse, adjacency: type[Adjacency]) -> RenyiCurve:
    """A true answer against what answers in place of an absent record, the worse of both directions."""
    if event.null is None:
        pairs(event, adjacency)  # refuses answers that are missing altogether
        return RenyiCurve(_closed_form(event, adjacency), tight=False)

    def worse(order: Fraction) -> arb:
        atoms = randomized_response_null_atoms(BALL, ball(event.epsilon), event.categories)
        forward = finite_renyi(BALL, ball(order), [(loss, p) for loss, p, _ in atoms])
        return forward.max(finite_renyi(BALL, ball(order), [(-loss, q) for loss, _, q in atoms]))

    # A composition goes one way throughout; the worse way may differ between events.
    return RenyiCurve(worse, tight=False)


def _assumed_curve(event: Custom, adjacency: type[Adjacency]) -> RenyiCurve:
    """The curve of a mechanism of the user's own: the one that it brings, or its finite pair's, the worse direction."""
    given = event.pair(adjacency)
    if given is not None and event.renyi is not None:
        return RenyiCurve(event.renyi, tight=False, assumed=(event.name,))
    if given is None or isinstance(given, CurvePair):
        what = "pair" if given is None else "Rényi curve"
        raise UnsupportedEventError(f"custom({event.name}) under {adjacency.name}: no {what} is assumed")

    def worse(order: Fraction) -> arb:
        outcomes = given.outcomes()
        if not all(loss.is_finite() for loss, _, _ in outcomes):
            return arb.pos_inf()
        ways = (outcomes, reversed_outcomes(outcomes))
        one, other = (finite_renyi(BALL, ball(order), [(loss, p) for loss, p, _ in way]) for way in ways)
        return one.max(other)

    return RenyiCurve(worse, tight=False, assumed=(event.name,))


def _upper_bound(event: Event) -> Callable[[Fraction], arb] | None:
    """A bound on the divergence of an event for which only a bound is known in closed form."""
    match event:
        case events.NoisyMax(epsilon, "laplace") | Approximate(epsilon, delta=0):
            return lambda order: pure_renyi(BALL, ball(order), ball(epsilon))
        case events.GeneralizedGaussian(z, kappa):
            return lambda order: regular_gaussian_renyi(BALL, ball(order), 1 / ball(z), ball(kappa))
        case DiscreteGaussian(sigma, moves):
            return lambda order: gaussian_renyi(BALL, ball(order), moves / ball(sigma))
        case Concentrated(rho, xi):
            return lambda order: ball(xi) + zcdp_renyi(BALL, ball(rho), ball(order))
        case GriddedGaussian(sigma, squared):
            return lambda order: gaussian_renyi(BALL, ball(order), ball(squared).sqrt() / ball(sigma))
    return None


def _closed_form(event: Event, adjacency: type[Adjacency]) -> Callable[[Fraction], arb]:
    """The exact divergence of an event that is not sampled."""
    match event:
        case events.Gaussian(z):
            return lambda order: gaussian_renyi(BALL, ball(order), 1 / ball(z))
        case events.Laplace(scale):
            return lambda order: laplace_renyi(BALL, ball(order), 1 / ball(scale))
        case DiscreteLaplace(scale, moves):
            return lambda order: discrete_laplace_renyi(BALL, ball(order), ball(scale), moves)
        case events.RandomizedResponse(epsilon, categories):
            return lambda order: randomised_response_renyi(BALL, ball(order), ball(epsilon), categories)
        case events.Exponential(epsilon) | ExponentialMixture(epsilon) | events.NoisyMax(epsilon, "gumbel"):
            return lambda order: bounded_range_renyi(BALL, ball(order), ball(epsilon))
    raise UnsupportedEventError(f"{event} under {adjacency.name} has no Rényi curve here")


def _tight(divergence: Callable[[Fraction], arb]) -> RenyiCurve:
    return RenyiCurve(divergence, tight=True)


def supports(event: Event, adjacency: type[Adjacency]) -> bool:
    """Whether the accountant has a theorem for one mechanism event under an adjacency.

    >>> sampled = events.Poisson(events.Gaussian(Fraction(1)), Fraction(1, 100))
    >>> supports(sampled, AddOrRemoveOne), supports(sampled, ReplaceOne)
    (True, False)
    """
    try:
        event_curve(event, adjacency)
    except DprefError:
        return False
    return True


def ledger_curve(ledger: Ledger[A]) -> RenyiCurve:
    """The curve of a ledger: the sum over its events.

    Raises:
        UnsupportedEventError: If an event has no curve under the ledger's adjacency.
    """
    counts = multiplicities(ledger.event)
    if not counts:
        return _tight(lambda order: arb(0))
    return compose(event_curve(event, ledger.adjacency).repeat(count) for event, count in counts.items())


def divergence(ledger: Ledger[A], order: Exact) -> Interval:
    r"""$D_\alpha$ of a ledger, certified.

    Args:
        ledger: Supported events.
        order: Exact, larger than one.

    Returns:
        An interval that holds the divergence of the worst case; its lower end is 0 if an event has only a bound.

    Raises:
        InvalidArgumentError: If the order is out of its domain or a float.
        UnsupportedEventError: If an event is not supported under the ledger's adjacency.
        PrecisionError: If the precision limit does not suffice.

    >>> step = events.Poisson(events.Gaussian(Fraction(1)), Fraction(1, 100))
    >>> print(divergence(Ledger(events.Repeat(step, 1000), AddOrRemoveOne), Fraction(5, 2)))
    renyi divergence in [0.2175753322, 0.2175753323]
    """
    return replace(ledger_curve(ledger).at(order), adjacency=ledger.adjacency, assumed=assumed(ledger.event))


def epsilon(
    ledger: Ledger[A], delta: Exact, *, orders: Sequence[Exact] | None = None, method: Method = "optimised"
) -> Interval:
    r"""An epsilon for which a ledger is $(\varepsilon,\delta)$-DP, from its Rényi divergences.

    Args:
        ledger: Supported events.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        orders: Exact, each larger than one, the best is taken; by default many, and some more near the best.
        method: The conversion, as in `dpref.privacy.renyi.curves.renyi_to_epsilon`.

    Returns:
        ``[0, bound]``, under the ledger's adjacency.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.
        UnsupportedEventError: If an event is not supported under the ledger's adjacency.
        PrecisionError: If the precision limit does not suffice.

    >>> step = events.Poisson(events.Gaussian(Fraction(1)), Fraction(1, 100))
    >>> print(epsilon(Ledger(events.Repeat(step, 1000), AddOrRemoveOne), Fraction(1, 10**6)))
    epsilon in [0, 2.436323929]
    """
    found = renyi_to_epsilon(ledger_curve(ledger), delta, orders=orders, method=method)
    return replace(found, adjacency=ledger.adjacency, assumed=assumed(ledger.event))


def delta(
    ledger: Ledger[A], epsilon: Exact, *, orders: Sequence[Exact] | None = None, method: Method = "optimised"
) -> Interval:
    r"""A delta for which a ledger is $(\varepsilon,\delta)$-DP, from its Rényi divergences; as `epsilon`.

    >>> step = events.Poisson(events.Gaussian(Fraction(1)), Fraction(1, 100))
    >>> print(delta(Ledger(events.Repeat(step, 1000), AddOrRemoveOne), 2))
    delta in [0, 0.00001981055875]
    """
    found = renyi_to_delta(ledger_curve(ledger), epsilon, orders=orders, method=method)
    return replace(found, adjacency=ledger.adjacency, assumed=assumed(ledger.event))
