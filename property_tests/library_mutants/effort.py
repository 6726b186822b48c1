"""Changes that decide how much work is done and how wide an interval becomes, never whether it holds.

Such searches are in floats, and what is built on what they find is certified: any grid, tilt, window or edge is valid.
A change of one counts as equivalent only if nothing notices it *and* every answer of a fixed panel still holds the
truth, which is computed in balls without what was changed.  To refuse (`PrecisionError`) is to hold it; a panel of
refusals alone shows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from flint import arb

from dpref.errors import PrecisionError
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Ledger, Poisson, Repeat
from dpref.privacy.fast import accountant, blocks, coarser, curves, lowered, pld, variance_reduction
from dpref.privacy.fast import lower as merged
from dpref.privacy.fast.cells import Pair
from dpref.privacy.fast.measure import Cumulants, GridMeasure
from dpref.privacy.fast.upper import raised
from dpref.reals import exact, precision
from dpref.units import AddOrRemoveOne, ReplaceOne
from property_tests.library_mutants.equivalent_values import Valid
from tests.test_fast_measures import hockey_stick, one_step
from tests.test_fast_pld import law, referee

_ENOUGH: Final = Fraction(3, 4)  # of a panel's questions, that must be answered
_WIDTH: Final = Fraction(1, 50)
_PAIRS: Final = (
    (Pair(Fraction(1, 100), Fraction(1)), Fraction(1, 12)),
    (Pair(Fraction(1), Fraction(4)), Fraction(1, 20)),
    (Pair(Fraction(1, 2), Fraction(1, 2)), Fraction(1, 6)),
    (Pair(Fraction(1, 10**4), Fraction(193, 600)), Fraction(59, 100)),
)

Question = Callable[[], bool]


def panel(questions: Sequence[Question]) -> list[Valid]:
    """Whether every answer holds, and whether enough are given at all."""
    found: list[Valid] = []
    refused = 0
    for question in questions:
        try:
            found.append(Valid(question()))
        except PrecisionError:
            found.append(Valid(True))
            refused += 1
    return [*found, Valid(len(questions) - refused >= _ENOUGH * len(questions))]


def within(ends: tuple[float, float], truth: arb) -> bool:
    """Whether an interval certainly holds a number."""
    with precision(256):
        return bool(arb(ends[0]) <= truth <= arb(ends[1]))


def ordered(below: GridMeasure | None, above: GridMeasure | None, truth: Callable[[Fraction], arb]) -> bool:
    """Whether measures lie below and above a privacy curve, at many losses on and between their points."""
    some = below or above
    assert some is not None
    for k in range(-1, 15):
        epsilon = some.start + some.step * Fraction(k * len(some.masses), 13) + Fraction(1, 7777)
        with precision(256):
            exactly = truth(epsilon)
            room = abs(exactly) * arb(2) ** -200
            if below is not None and not one_step(below, epsilon) * (1 - arb(below.relative)) <= exactly + room:
                return False
            if above is not None and not one_step(above, epsilon) * (1 + arb(above.relative)) >= exactly - room:
                return False
    return True


# ------------------------------------------------------------------------------------ the panels


def edges() -> list[Valid]:
    """Merged cells lie below the pair, in both directions, on fine and on coarse grids."""

    def asked(pair: Pair, step: Fraction, way: int) -> bool:
        found = merged.dominated(pair, step, 9.5)[way]
        return ordered(found, None, lambda e: hockey_stick(pair, e, ("remove", "add")[way]))

    return panel([lambda p=p, h=h, w=w: asked(p, h, w) for p, h in _PAIRS for w in (0, 1)])  # type: ignore[misc]


def compositions() -> list[Valid]:
    """Composed masses hold the composition of exactly these masses, wherever the curve is asked."""

    def asked(steps: int, log_delta: float, infinity: float) -> bool:
        factors = [(law(steps, 20, infinity), steps), (law(steps + 1, 9), 3)]
        cumulants = Cumulants.of(factors)
        theta = cumulants.tilt_for_delta(log_delta)
        curve = pld.compose(factors, theta=theta)
        at = exact(cumulants.at(theta)[1])
        return all(within(curve.delta(e), referee(factors, e)) for e in (at, at + 1, abs(at) / 2))

    questions = ((1, -3.0, 0.0), (17, -2.0, 0.0), (17, -20.0, 1e-12), (60, -9.0, 0.0), (60, -30.0, 0.0))
    return panel([lambda q=q: asked(*q) for q in questions])  # type: ignore[misc]


def blocks_of_steps() -> list[Valid]:
    """Blocks lie below and above what they compose, and so do the coarser grids that they are put on."""

    def asked(steps: int, tilt: float, above: bool, times: int) -> bool:
        factors = [(law(steps, 20, 1e-12), steps)]
        found = blocks.block(factors, blocks.Stages(tilt, 40.0, ()), above=above)
        found = (coarser.coarser_above if above else coarser.coarser_below)(found, times)
        below, upon = (None, found) if above else (found, None)
        return ordered(below, upon, lambda e: referee(factors, e))

    questions = [(n, tilt, above, m) for n, m in ((1, 1), (6, 2), (40, 3)) for tilt in (0.5, 3.0) for above in (0, 1)]
    return panel([lambda n=n, t=t, a=a, m=m: asked(n, t, bool(a), m) for n, t, a, m in questions])  # type: ignore[misc]


def chords() -> list[Valid]:
    """Lowered chords lie below the pair and raised masses above."""

    def asked(pair: Pair, step: Fraction, way: int) -> bool:
        low, high = lowered.lowered(pair, step, 9.5)[way], raised(pair, step, 9.5)[way]
        return ordered(low, high, lambda e: hockey_stick(pair, e, ("remove", "add")[way]))

    pairs = ((Pair(Fraction(1, 2), Fraction(2)), Fraction(1, 30)), (Pair(Fraction(1), Fraction(4)), Fraction(1, 50)))
    return panel([lambda p=p, h=h, w=w: asked(p, h, w) for p, h in pairs for w in (0, 1)])  # type: ignore[misc]


def plain(event: Event, digits: int) -> bool:
    """Whether epsilon of Gaussians without sampling holds the closed form."""
    ledger, delta = Ledger(event, ReplaceOne), Fraction(1, 10**digits)
    truth, found = gaussian.epsilon(ledger, delta), accountant.epsilon(ledger, delta)
    return found.lower <= truth.lower and truth.upper <= found.upper


def sampled_once(rate: Fraction, noise: Fraction, epsilon: Fraction) -> bool:
    """Whether delta of one sampled Gaussian holds the integral."""
    found = accountant.delta(Ledger(Poisson(Gaussian(noise), rate), AddOrRemoveOne), epsilon)
    pair = Pair(rate, noise)
    both = [hockey_stick(pair, epsilon, way) for way in ("remove", "add")]
    with precision(256):
        return bool(arb(found.lower) <= both[0].max(both[1]) <= arb(found.upper))


def intervals() -> list[Valid]:
    """Whole answers hold closed forms: long and short compositions, one noise and several, and one sampled step."""
    long = Repeat(Gaussian(Fraction(500)), 10**6)
    short = Repeat(Gaussian(Fraction(20)), 100)
    several = Compose((Gaussian(Fraction(3)), Gaussian(Fraction(7, 2)), Gaussian(Fraction(9))))
    questions: list[Question] = [
        lambda e=e, d=d: plain(e, d)  # type: ignore[misc]
        for e, d in ((long, 6), (short, 4), (short, 12), (several, 8))
    ]
    for rate, noise, at in ((1, 1, 2), (50, 1, 1), (2, 3, 1)):
        questions.append(lambda r=rate, z=noise, e=at: sampled_once(Fraction(1, r), Fraction(z), Fraction(e, 2)))  # type: ignore[misc]
    return panel(questions)


def placed() -> list[Valid]:
    """Answers on unequal grids hold the closed form, at a loss and at a delta."""

    def asked(steps: int, digits: int) -> bool:
        delta, ledger = Fraction(1, 10**digits), Ledger(Repeat(Gaussian(Fraction(6)), steps), ReplaceOne)
        found, truth = curves.epsilon(ledger, delta, width=_WIDTH), gaussian.epsilon(ledger, delta)
        there, exactly = curves.delta(ledger, 1, width=_WIDTH), gaussian.delta(ledger, 1)
        if curves.epsilon_above(ledger, delta, width=_WIDTH) < truth.lower:
            return False
        return (
            found.lower <= truth.lower
            and truth.upper <= found.upper
            and there.lower <= exactly.lower
            and exactly.upper <= there.upper
        )

    return panel([lambda n=n, d=d: asked(n, d) for n, d in ((1, 3), (30, 6))])  # type: ignore[misc]


def searches() -> list[Valid]:
    """All that rests on the searches for a tilt, a window, a grid and a number of stages."""
    return [*compositions(), *blocks_of_steps(), *intervals(), *placed()]


def noises() -> list[Valid]:
    """A noise that is found is one at which the epsilon that was asked for did not exceed the goal."""

    def asked(goal: Fraction, power: int, first: float) -> bool:
        enough: list[float] = []

        def spent(z: float, width: Fraction) -> float:
            found = (1 + float(width) / 10) / z**power
            if found <= goal:
                enough.append(z)
            return found

        noise = variance_reduction.least_noise(spent, goal, first)
        return noise in enough and noise == min(enough)

    return panel([lambda g=g, p=p, z=z: asked(Fraction(g), p, z) for g in (4, 1) for p in (1, 2) for z in (0.3, 1.0)])  # type: ignore[misc]
