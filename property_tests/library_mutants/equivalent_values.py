"""What must agree before and after a change that is listed as equivalent: questions, and exact answers to them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from types import ModuleType
from typing import Any, get_args

import mpmath
from flint import arb, fmpq

from dpref.algorithms.forms import Form
from dpref.algorithms.spider import plan as spider
from dpref.curator import keeping
from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.mechanisms import sparsification
from dpref.privacy import accountants, calibration, filters
from dpref.privacy.accountant import Accountant
from dpref.privacy.closed_forms import (
    binomial,
    composition,
    curves,
    gaussian,
    guarantees,
    mixtures,
    three_laws,
    tradeoff,
    zcdp,
)
from dpref.privacy.events.ledger import Compose, Event, Exponential, Gaussian, Ledger
from dpref.privacy.events.parallel import Parallel
from dpref.privacy.interval import Interval
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber
from dpref.reals import ball, precision
from dpref.units import PrivacyLoss, PureDP, ReplaceOne, ZeroOut

_EXACTLY = 400  # bits, far more than what is asked


@dataclass(frozen=True)
class Valid:
    """Whether a bound holds, against a value that was computed without the library."""

    holds: bool


def holds(found: arb, exact: Fraction) -> Valid:
    """Whether a ball holds an exact number."""
    with precision(_EXACTLY):
        return Valid(bool(found.overlaps(ball(exact))))


def tolerances() -> list[Valid]:
    """A sum between 1/2 and 2 is a multiple of 2^-53, and so is its distance from 1; the tolerances are none."""
    found = (sparsification._SUM_TOLERANCE, keeping._SUM_TOLERANCE)
    return [Valid(Fraction(tolerance) * 2**53 % 1 != 0) for tolerance in found]


def binomial_tails() -> list[object]:
    """Tails and complements at three precisions, each with whether it holds the exact sum."""
    found: list[object] = []
    for bits in (24, 53, 200):
        for trials, rate in ((1, Fraction(1, 3)), (9, Fraction(1, 3)), (30, Fraction(1, 50)), (30, Fraction(49, 50))):
            exact = [math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(trials + 1)]
            for least in range(1, trials + 2):
                with precision(bits):
                    tail, rest = binomial.binomial_tail(trials, rate, least)
                found += [tail, rest, holds(tail, sum(exact[least:], Fraction(0)))]
                found.append(holds(rest, sum(exact[:least], Fraction(0))))
    return found


def binomial_laws() -> list[object]:
    """Laws on few numbers that bound a binomial one, and which numbers they tell apart."""
    questions = (
        (60, Fraction(1, 3), 5),
        (60, Fraction(1, 50), 20),
        (200, Fraction(1, 2), 30),
        (2000, Fraction(9, 10), 40),
    )
    found: list[object] = []
    for trials, rate, most in questions:
        draws = binomial.binomial_draws(trials, rate, most)
        found += [draws.above, draws.below]
    short = (
        (40, Fraction(1, 50), 60),
        (1000, Fraction(9, 10), 1000),
        (10, Fraction(1, 3), 9),
        (10**6, Fraction(1, 10**6), 40),
    )
    return [*found, *(binomial._told_apart(*question) for question in short)]


def lengths_of_tails() -> list[Valid]:
    """The most terms of a tail are no multiple of the deviations, nor a number of trials that is that small."""
    most, deviations = binomial.MOST_TERMS, binomial._DEVIATIONS
    return [Valid(most % deviations != 0), Valid(most > deviations * math.isqrt(math.ceil(most / 4) + 1))]


def cut_samples() -> list[object]:
    """What a cut does to a record: a share of at most one and a rate of at least zero by more than their last bits."""
    questions = (
        (Fraction(1, 5), 3, 9),
        (Fraction(1, 100), 15, 1000),
        (Fraction(9, 10), 8, 9),
        (Fraction(1, 1000), 1, 3),
    )
    found = [binomial.truncation(*question) for question in questions]
    return [part for one in found for part in (one.full, one.free, one.share_above, one.rate_below)]


def optimal_compositions() -> list[object]:
    """Epsilons and deltas of optimal composition, those among them at which a loss is exactly the epsilon."""
    found: list[object] = []
    for loss in (PrivacyLoss(Fraction(e), PureDP, ReplaceOne) for e in ("1/2", "2")):
        for steps in (1, 2, 3, 6, 7):
            found += [composition.optimal_delta(loss, steps, k * loss.value / 2) for k in range(2 * steps + 1)]
            deltas = (Fraction(1, 10**6), Fraction(1, 100), Fraction(2, 5), Fraction(7, 10), Fraction(99, 100))
            found += [composition.optimal_epsilon(loss, steps, delta) for delta in deltas]
    return found


def discrete_curves() -> list[object]:
    """Curves of discrete noise through the middle, at the ends and far beyond them."""
    found: list[object] = []
    for bits in (30, 53, 128):
        with precision(bits):
            for shift in (1, 2, 3):
                laplace = curves.discrete_laplace_curve(Fraction(3, 2), shift)
                gaussian = curves.discrete_gaussian_curve(Fraction(5, 4), shift)
                for k in range(-80, 81):
                    found += [*laplace(arb(k) / 16), *gaussian(arb(k) / 4)]
    return found


def ends_of_curves() -> list[object]:
    """A curve where its losses end, at zero and on either side."""
    found: list[object] = []
    for bound in (arb(0), arb(1) / 2, arb(2)):
        for x in (-bound - 1, -bound, -bound / 2, arb(0), bound / 2, bound, bound + 1):
            found += [*curves.laplace_curve(x, bound), *curves.exponential_curve(x, bound + (1 if bound == 0 else 0))]
    touching = [(arb(0).union(arb(1)), arb(1) / 2, arb(1) / 8), (arb(1).union(arb(2)), arb(1) / 2, arb(1) / 16)]
    for x in (arb(-1).union(arb(0)), arb(0), arb(1), arb(2), arb(2).union(arb(3))):
        found += curves.finite_curve(x, touching)
    return found


def three_laws_curves() -> list[object]:
    """Curves of three laws on both sides of zero, and of the level at which one of them ends."""
    found: list[object] = []
    with precision(80):
        for rate, s in (
            (Fraction(1, 100), Fraction(1)),
            (Fraction(3, 10), Fraction(6, 5)),
            (Fraction(1, 2), Fraction(2)),
        ):
            g, shift = ball(rate), ball(s)
            for k in range(-32, 33):
                found += three_laws.poisson_replaced(g, shift, arb(k) / 16)
                if k > 0:
                    found += three_laws.batch_filled(g, shift, arb(k) / 16)
    return found


def ends_of_filled_batches() -> list[object]:
    """Around the level at which a filled batch exceeds nothing any more: whether zero is held, at levels not known."""
    found: list[object] = []
    for rate, s in ((Fraction(1, 100), Fraction(1)), (Fraction(3, 10), Fraction(6, 5)), (Fraction(1, 2), Fraction(2))):
        for bits in (53, 128):
            with precision(bits):
                g, shift = ball(rate), ball(s)
                end = ((1 + (1 + g / (1 - g) * (shift * shift).exp()).sqrt()) / 2).log()
                for exponent in range(-bits, -2, 5):
                    near = arb(2) ** exponent
                    level = (end - near).union(end + near)
                    parts = three_laws.batch_filled(g, shift, level)
                    found += [*parts, *(Valid(bool(part.contains(0))) for part in parts)]
    return found


def concentrated_curves() -> list[object]:
    """Curves of concentrated guarantees above and below their means."""
    rhos, xis = (Fraction(1, 50), Fraction(1, 2), Fraction(50)), (Fraction(0), Fraction(1))
    levels = [Fraction(k, 8) for k in range(1, 40, 3)]
    return [part for r in rhos for xi in xis for x in levels for part in guarantees.concentrated_delta(r, xi, ball(x))]


def table_atoms() -> list[object]:
    """Tables with points on one line, with equal deltas, and with points that say nothing."""
    lines = [(Fraction(k, 4), Fraction(d, 64)) for k, d in ((0, 40), (1, 24), (2, 12), (3, 12), (5, 5))]
    found = [*guarantees.table_atoms(lines, []), *guarantees.table_atoms(lines[1:], lines)]
    return [part for atom in found for part in atom]


def laplace_trade_offs() -> list[object]:
    """Errors of Laplace noise where two formulas meet, exactly or to sixty digits, and on either side."""
    edge = Fraction(math.floor(math.exp(-1 / 3) * 2**39), 2**40)
    with mpmath.workdps(80):
        near = Fraction(int(mpmath.floor(mpmath.exp(mpmath.mpf(-1) / 3) * 2**199)), 2**200)
    places = (
        Fraction(0),
        Fraction(1, 10),
        edge,
        near,
        near + Fraction(1, 2**200),
        Fraction(1, 2),
        Fraction(3, 5),
        Fraction(1),
    )
    return [tradeoff.laplace_tradeoff_at(Fraction(3), place) for place in places]


def mixture_curves() -> list[object]:
    """Curves of mixtures in both directions, and of a record that is drawn more than once."""
    found: list[object] = []
    with precision(80):
        still, parts = (
            ball(Fraction(3, 5)),
            [(ball(Fraction(3, 10)), arb(1)), (ball(Fraction(1, 10)), ball(Fraction(5, 2)))],
        )
        mixture = mixtures.Mixture(still, parts)
        for exponent in range(-70, -3, 6):
            near = arb(2) ** exponent
            wide, _ = mixture.removed((still.log() - near).union(still.log() + near))
            ends = (mixture.removed(still.log() + sign * near)[0] for sign in (-1, 1))
            found += [wide, *(Valid(bool(wide.overlaps(end))) for end in ends)]
        unlike = [(ball(Fraction(1, 2) - Fraction(1, 10**9)), arb(1) / 10), (ball(Fraction(1, 10**9)), arb(8))]
        found += [mixtures.Mixture(arb(1) / 2, unlike).crossing(arb(k) / 4) for k in range(-2, 120, 3)]
        drawn = [(w, s, 2 * s) for w, s in parts]
        apart = [(arb(1) / 5, arb(1) / 4, arb(2)), (arb(1) / 5, arb(3), arb(1) / 2)]
        found += [part for k in range(1, 30, 4) for part in mixtures.drawn_often(still, apart, arb(k) / 8)]
        for k in range(-24, 49):
            x = arb(k) / 16
            found += [*mixture.removed(x), *mixture.added(x)]
            if k >= 0:
                found += [*mixtures.drawn_often(still, drawn, x), *mixtures.drawn_often(arb(0), drawn, x)]
    return found


def zcdp_conversions() -> list[object]:
    """Conversions of zCDP at moderate and at astronomical numbers: intervals, to forty bits the same."""
    found: list[object] = []
    for exponent in (-200, -12, -3, 0, 2, 30):
        rho = Fraction(10) ** exponent
        for digits in (1, 6, 200):
            delta = Fraction(1, 10**digits)
            found += [zcdp.zcdp_to_epsilon(rho, delta), zcdp.largest_rho(rho, delta)]
            found.append(zcdp.zcdp_to_delta(rho, Fraction(zcdp.zcdp_to_epsilon(rho, delta, method="basic").upper)))
        found += [zcdp.zcdp_to_delta(rho, rho, method="basic"), zcdp.zcdp_to_epsilon(0, Fraction(1, 10**6))]
    found += [zcdp.zcdp_to_delta(rho, 0) for rho in (1, 7, 20, 40, 50, 100, 1000)]
    return found


def gaussian_sums() -> list[object]:
    """Sums of a discrete Gaussian's weights, each with whether it holds the true one."""
    found: list[object] = []
    for square, bits in ((Fraction(25, 16), 53), (Fraction(1, 4), 128), (Fraction(16), 64)):
        with precision(bits):
            sums, whole, reach = curves._gaussian_sums(square, bits)
        found += [*sums, whole, reach]
        with precision(_EXACTLY):
            rate = -ball(1 / (2 * square))
            weights = {z: (rate * (z * z)).exp() for z in range(-8 * reach, 8 * reach + 1)}
            everything = sum(weights.values(), arb(0))
            upto = sum((w for z, w in weights.items() if z < -reach), arb(0))
            for z, one in zip(range(-reach, reach), sums, strict=False):
                upto += weights[z]
                found.append(Valid(bool(one.overlaps(upto))))
            found.append(Valid(bool(whole.overlaps(everything))))
    return found


@contextmanager
def _impatient(module: ModuleType) -> Iterator[None]:
    """A search of this module that has lost its way gives up at 512 bits."""
    limit = vars(module)["PRECISION_LIMIT"]
    vars(module)["PRECISION_LIMIT"] = 512
    try:
        yield
    finally:
        vars(module)["PRECISION_LIMIT"] = limit


def gaussian_searches() -> list[object]:
    """Epsilons of Gaussian pairs, small and large, each found with few bits: intervals of an ulp or two."""
    found: list[object] = [Valid(sys.float_info.max == gaussian._LARGEST)]
    with _impatient(gaussian):
        for exponent in (-40, -3, 0, 2, 40):
            mu_squared = Fraction(10) ** exponent
            found += [gaussian.gaussian_epsilon(mu_squared, Fraction(1, 10**k)) for k in (1, 6, 300)]
        found.append(gaussian.gaussian_epsilon(arb(1).union(arb(2)), Fraction(1, 10**6)))
    return found


def gaussian_totals() -> list[object]:
    """Sums of rational numbers, in whatever order."""
    return [gaussian._sum([fmpq(1, k + 1) for k in range(n)]) for n in range(20)]


def calibrations() -> list[object]:
    """Multipliers, numbers of steps and largest mu, small and large: the exact doubles and integers, as text."""
    found: list[object] = []
    with _impatient(calibration):
        for epsilon in (Fraction(1, 10**6), Fraction(1, 3), Fraction(1), Fraction(50), Fraction(10**6)):
            for k in (1, 6, 40):
                delta = Fraction(1, 10**k)
                found.append(calibration.largest_mu(epsilon, delta))
                found += [calibration.gaussian_noise_multiplier(epsilon, delta, steps=t).hex() for t in (1, 10, 10**6)]
                found += [calibration.largest_steps(z, epsilon, delta) for z in (Fraction(1, 3), 7, 10**5)]
        found += [
            calibration.zcdp_noise_multiplier(Fraction(k, 7), steps=t).hex() for k in (1, 9) for t in (1, 3, 10**6)
        ]
    return found


def filters_of_nothing() -> list[object]:
    """Whether losses of zero are admitted by filters of tiny and of large targets."""
    nothing, found = PrivacyLoss(Fraction(0), PureDP, ReplaceOne), list[object]()
    for exponent in (-300, -3, 0, 3):
        for slack in (Fraction(1, 10**300), Fraction(1, 2), 1 - Fraction(1, 10**30)):
            room = filters.ApproximateDPFilter(Fraction(10) ** exponent, slack, Fraction(0), ReplaceOne)
            found.append(room.admits(nothing))
    return found


def agreements() -> list[object]:
    """Whether runs of few events agree with plans of few events."""
    kinds: tuple[Event, ...] = (Gaussian(Fraction(2)), Gaussian(Fraction(3)), Exponential(Fraction(1)))
    some = [Compose(part) for count in range(4) for part in combinations_with_replacement(kinds, count)]
    pairs = [(Ledger(a, ReplaceOne), Ledger(b, ReplaceOne)) for a in some for b in some]
    return [filters.agrees(spending, *pair) for spending in get_args(filters.Spending) for pair in pairs]


def points_at_zero() -> list[object]:
    """Whether a grid is made finer whose interval ends at zero, or nowhere, at any width that may be asked for."""
    ledger, found = Ledger(Gaussian(Fraction(1)), ReplaceOne), list[object]()
    old = vars(accountants)["pld_epsilon"]
    try:
        for end in (0.0, math.inf):
            first = Interval(0.0, end, "epsilon", "x", 128, ReplaceOne)
            vars(accountants)["pld_epsilon"] = lambda *_, first=first, **more: None if more else first
            widths = (Fraction(0), Fraction(1, 10**9), Fraction(1))
            found += [accountants._pld_within(ledger, Fraction(1, 2), width) for width in widths]
    finally:
        vars(accountants)["pld_epsilon"] = old
    return found


def costliest_parts() -> list[object]:
    """The largest of parallel parts, each known or not, for an accountant that says what it is told."""
    parts = tuple(Gaussian(Fraction(k)) for k in (1, 2, 3))
    found: list[object] = []
    for known in ((), parts[:1], parts[1:2], parts[1:], parts):

        def says(ledger: Ledger[Any], at: Fraction, known: tuple[Event, ...] = known) -> Interval:
            if ledger.event not in known:
                raise UnsupportedEventError(f"{ledger.event} is not known")
            return gaussian.delta(ledger, at)

        asked = Accountant("x", "x", lambda *_: True, says, says)
        found.append(accountants._costliest(asked, Ledger(Parallel(parts), ZeroOut), Fraction(1), of_epsilon=False))
    return found


def plans_of_spiders() -> list[object]:
    """Plans, or why there are none, as text: of gaps that are large, small, and too small for any round."""
    problem = ERMProblem(Huber(Fraction(1, 2)), n=1500, dimension=2)
    found: list[object] = []
    for form in Form:
        for exponent in (3, 4, 5, 6, 9):
            given = spider.Params(
                rho=Fraction(1), failure=Fraction(1, 20), gamma=Fraction(1, 256), kappa=Fraction(1),
                adjacency=ReplaceOne, form=form, gap=Fraction(1, 10**exponent),
            )  # fmt: skip
            try:
                found.append(repr(spider.plan(problem, given).rounds))
            except InvalidArgumentError as error:
                found.append(str(error))
    return found
