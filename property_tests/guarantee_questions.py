"""Random questions about guarantees and selections: see ``certified_questions.py``."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from property_tests.certified_questions import ALL, ONE, REPLACE, Case, Truth, size, small_delta
from property_tests.independent_laws import (
    NORMAL,
    Curve,
    Masses,
    Root,
    either_way,
    largest,
    outcomes_either_way,
    real,
    response,
)


def nothing(_: arb) -> arb:
    """What a mechanism of which nothing is known may spend."""
    return arb(0)


def approximate(rng: random.Random) -> Case:
    """The worst of the (epsilon, delta)-DP mechanisms: randomized response that tells the truth now and then."""
    epsilon, delta = size(rng, -3, 1), small_delta(rng)
    worst = rng.random() < 0.5

    def masses() -> Masses:
        odds, leak = real(epsilon).exp(), real(delta)
        high, low = (1 - leak) * odds / (1 + odds), (1 - leak) / (1 + odds)
        return [(leak, arb(0)), (high, low), (low, high), (arb(0), leak)]

    text = f"approximate({epsilon}, {delta}, worst_case={str(worst).lower()})"
    truth = Truth(outcomes_either_way(masses), None if worst else nothing)
    return Case("approximate", text, rng.choice(ALL), truth)


def concentrated(rng: random.Random) -> Case:
    """A Gaussian answer is one of the mechanisms of zCDP, not the worst."""
    rho = size(rng, -4, 1)
    gaussian = either_way(NORMAL, [(ONE, Root(2 * rho))], [(ONE, Fraction(0))])
    return Case("zcdp", f"zcdp({rho})", rng.choice(ALL), Truth(gaussian, nothing))


def selected_response(rng: random.Random) -> Case:
    """The best of a random number of randomized responses, by the law of the largest of that many, in any order."""
    epsilon, k, adjacency = size(rng, -1.5, 0.5), rng.choice((2, 2, 3)), rng.choice(ALL)
    null = "" if adjacency == REPLACE else ", " + rng.choice(("uniform", "category"))
    instead = None if null == ", uniform" else 1
    run = f"randomized_response({epsilon}, {k}{null})"
    if rng.random() < 0.5:
        mean = size(rng, -0.7, 1)
        text = f"select({run}, mean={mean})"

        def at_most(below: arb) -> arb:
            return (-real(mean) * (1 - below)).exp()

    else:
        gamma = Fraction(rng.randrange(1, 20), 20)
        text = f"select({run}, eta=1, gamma={gamma})"

        def at_most(below: arb) -> arb:
            return real(gamma) * below / (1 - (1 - real(gamma)) * below)

    def ranked(order: Sequence[int]) -> Curve:
        def masses() -> Masses:
            sides = [_best(response(epsilon, k, category)(), order, at_most) for category in (0, instead)]
            return list(zip(*sides, strict=True))

        return outcomes_either_way(masses)

    orders = [(0, 1), (1, 0)] if k == 2 else [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    return Case("select(randomized_response)", text, adjacency, Truth(largest(*map(ranked, orders))))


def _best(law: Sequence[arb], order: Sequence[int], at_most: Callable[[arb], arb]) -> list[arb]:
    """The law of the best outcome, no run at all first, from that of one run and the chance of none above."""
    below, found = arb(0), [at_most(arb(0))]
    before = found[0]
    for outcome in order:
        below += law[outcome]
        now = at_most(below)
        found.append(now - before)
        before = now
    return found
