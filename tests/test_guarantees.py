"""Events of which a guarantee is all that is known, against hulls and compositions of one's own in fifty digits."""

from __future__ import annotations

import doctest
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb

from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms import basic
from dpref.privacy.closed_forms import guarantees as formulas
from dpref.privacy.closed_forms.curves import gaussian_curve
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.guarantees import Approximate, Concentrated, Profile
from dpref.privacy.events.ledger import Ledger, Repeat
from dpref.privacy.pld import convolution
from dpref.privacy.pld import guarantees as pairs_of_guarantees
from dpref.privacy.pld import pairs as all_pairs
from dpref.privacy.pld.accountant import pld_delta, pld_epsilon
from dpref.privacy.pld.guarantees import guarantee_pairs
from dpref.privacy.renyi.accountant import event_curve
from dpref.reals import BALL, ball, precision
from dpref.units import ADJACENCIES, AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.test_tutorials import DOCS, FLAGS, blocks, shows, typed

HUNDREDTH, MILLIONTH = Fraction(1, 100), Fraction(1, 10**6)
DIGITS = 50
Atom = tuple[mpmath.mpf, mpmath.mpf, mpmath.mpf]


def ledger(text: str, adjacency: type[Adjacency] = AddOrRemoveOne) -> Ledger[Any]:
    return Ledger(parse_event(text), adjacency)


def mp(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def log_three() -> Fraction:
    """Ln 3 to 90 digits."""
    with mpmath.workdps(95):
        return Fraction(int(mpmath.log(3) * mpmath.mpf(10) ** 90), 10**90)


def dots(removed: Sequence[tuple[Fraction, Fraction]], added: Sequence[tuple[Fraction, Fraction]]) -> list[Any]:
    """(alpha, bound) for all that a table says, one at zero among them."""
    found = [(mpmath.mpf(0), mpmath.mpf(1))]
    found += [(mpmath.exp(mp(e)), mp(d)) for e, d in removed]
    return found + [(mpmath.exp(-mp(e)), 1 - mpmath.exp(-mp(e)) * (1 - mp(d))) for e, d in added]


def hull_at(alpha: mpmath.mpf, known: Sequence[Any]) -> mpmath.mpf:
    """The largest convex function that never rises below all dots: the least over their chords and levels."""
    levels = [v for a, v in known if a <= alpha]
    chords = [
        v + (w - v) * (alpha - a) / (b - a) for a, v in known for b, w in known if a <= alpha < b and (a, v) != (b, w)
    ]
    return min(levels + chords)


def atoms_of(known: Sequence[Any]) -> list[Atom]:
    """(loss, P, Q) of the pair with that curve, from its kinks."""
    alphas = sorted({a for a, _ in known})
    values = [hull_at(a, known) for a in alphas]
    falls = [(values[i] - values[i + 1]) / (alphas[i + 1] - alphas[i]) for i in range(len(alphas) - 1)] + [0]
    found = [(-mpmath.inf, mpmath.mpf(0), 1 - falls[0]), (mpmath.inf, values[-1], mpmath.mpf(0))]
    for a, before, after in zip(alphas[1:], falls, falls[1:], strict=False):
        found.append((mpmath.log(a), a * (before - after), before - after))
    return found


def gain_of_the_best_test(atoms: Sequence[Atom], epsilon: Fraction, times: int) -> mpmath.mpf:
    """What the best test gains from several answers, term by term."""
    total, alpha = mpmath.mpf(0), mpmath.exp(mp(epsilon))
    for chosen in product(atoms, repeat=times):
        p, q = (mpmath.fprod(a[side] for a in chosen) for side in (1, 2))
        total += max(p - alpha * q, 0)
    return total


def whole(random: np.random.Generator, low: int, high: int) -> int:
    """An integer between two, both among them."""
    return int(random.integers(low, high, endpoint=True))


def a_table(random: np.random.Generator, *, both: bool) -> Profile:
    size = whole(random, 1, 4)
    epsilons = [Fraction(int(k), 8) for k in sorted(random.choice(25, size, replace=False))]
    first, second = (sorted((Fraction(whole(random, 1, 500), 1000) for _ in range(size)), reverse=True) for _ in "ab")
    return Profile(tuple(epsilons), tuple(first), tuple(second) if both else None, worst_case=True)


# ------------------------------------------------------------------------------------ tables


@pytest.mark.parametrize(("times", "exact"), [(2, Fraction(6199, 16000)), (3, Fraction(629701, 1600000))])
@pytest.mark.parametrize("adjacency", ADJACENCIES.values())
def test_the_worst_mechanism_of_a_guarantee_composes_to_what_is_known(
    times: int, exact: Fraction, adjacency: type[Adjacency]
) -> None:
    worst = Approximate(log_three(), HUNDREDTH, worst_case=True)
    found = certify(Ledger(Repeat(worst, times), adjacency), epsilon=log_three())
    assert found.lower <= float(exact) * (1 + 1e-15)
    assert found.upper >= float(exact) * (1 - 1e-15)
    assert found.width <= 1e-9 * found.upper
    silent = certify(Ledger(Repeat(replace(worst, worst_case=False), times), adjacency), epsilon=log_three())
    assert (silent.lower, silent.upper) == (0.0, found.upper)


@pytest.mark.parametrize("both", [False, True])
def test_the_curve_of_a_table_is_the_hull_of_what_it_says(both: bool) -> None:
    random = np.random.default_rng(3 + both)
    with mpmath.workdps(DIGITS):
        for _ in range(25):
            table = a_table(random, both=both)
            found = guarantee_pairs(table, AddOrRemoveOne)
            for pair, sides in (
                (found.remove, (table.removed_points, table.added_points)),
                (found.add, (table.added_points, table.removed_points)),
            ):
                x = Fraction(whole(random, -400, 400), 100)
                with precision(200):
                    value, _ = pair.curve(ball(x))
                expected = hull_at(mpmath.exp(mp(x)), dots(*sides))
                assert abs(mpmath.mpf(value.mid().str(45, radius=False)) - expected) < mpmath.mpf(10) ** -40


@pytest.mark.parametrize("seed", range(6))
def test_compositions_of_tables_against_enumeration(seed: int) -> None:
    random = np.random.default_rng(seed)
    table, times, epsilon = a_table(random, both=seed % 2 == 1), 2 + seed % 2, Fraction(whole(random, 0, 20), 8)
    with mpmath.workdps(DIGITS):
        sides = (table.removed_points, table.added_points)
        exact = max(gain_of_the_best_test(atoms_of(dots(*way)), epsilon, times) for way in (sides, sides[::-1]))
        found = pld_delta(Ledger(Repeat(table, times), ZeroOut), epsilon)
        assert found.lower <= float(exact) * (1 + 1e-14)
        assert found.upper >= float(exact) * (1 - 1e-14)
        assert found.width <= 0.003 * found.upper


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ReplaceOne])
def test_samples_of_a_guarantee_against_enumeration(adjacency: type[Adjacency]) -> None:
    """Each of 50 random (epsilon, delta, rate) at a random loss: the mixture of the pair's own atoms."""
    random = np.random.default_rng(5)
    with mpmath.workdps(DIGITS):
        for _ in range(50):
            epsilon, delta = Fraction(whole(random, 1, 24), 8), Fraction(whole(random, 1, 99), 1000)
            batch, at = whole(random, 1, 9), Fraction(whole(random, 0, 200), 100)
            inner = f"approximate({epsilon}, {delta}, worst_case=true)"
            text = f"poisson({inner}, rate={batch}/10)"
            if adjacency is ReplaceOne:
                text = f"sample_without_replacement({inner}, {batch}, 10)"
            point = [(epsilon, delta)]
            rate, atoms = mpmath.mpf(batch) / 10, atoms_of(dots(point, point))
            alpha = mpmath.exp(mp(at))
            removed = sum(max(rate * p + (1 - rate) * q - alpha * q, 0) for _, p, q in atoms)
            added = sum(max(q - alpha * (rate * p + (1 - rate) * q), 0) for _, p, q in atoms)
            found = certify(ledger(text, adjacency), epsilon=at)
            exact = max(removed, added)
            assert found.lower <= float(exact) * (1 + 1e-14)
            assert found.upper >= float(exact) * (1 - 1e-14)
            assert found.width <= 1e-12 * found.upper


def test_a_delta_that_is_just_enough_is_enough() -> None:
    text = "approximate(1, 1e-6)"
    assert certify(ledger(text), delta=MILLIONTH).upper == 1.0
    assert certify(ledger(f"compose({text}, 10)"), delta=10 * MILLIONTH).upper <= 10.0
    sampled = certify(ledger(f"poisson({text}, rate=1/10)"), delta=MILLIONTH / 10)
    assert 0.1585650787 < sampled.upper < 0.1585650788
    table = certify(ledger("profile([1/2, 1, 2], [1/10, 1/100, 1/1000])"), delta=HUNDREDTH)
    assert (table.lower, table.upper) == (0.0, 1.0)
    worst = certify(ledger("approximate(1, 1e-6, worst_case=true)"), delta=MILLIONTH)
    assert 1 - 1e-9 < worst.lower <= worst.upper == 1.0


@pytest.mark.slow
def test_guarantees_among_other_answers() -> None:
    alone = certify(ledger("compose(laplace(2), 4)"), delta=MILLIONTH)
    both = certify(ledger("compose(compose(laplace(2), 4), approximate(1/2, 1e-9), zcdp(1/50))"), delta=MILLIONTH)
    assert alone.lower <= both.lower <= alone.upper < both.upper < alone.upper + 2


# ------------------------------------------------------------------------------------ zCDP


def concentrated_exactly(rho: Fraction, xi: Fraction, x: Fraction) -> mpmath.mpf:
    """The least of the conversions, by a search of its own in fifty digits."""
    r, gap = mp(rho), mp(xi) - mp(x)
    t = mpmath.findroot(lambda t: r * (1 + 2 * t) + gap - mpmath.log1p(1 / t), (1e-9, 1e6), solver="anderson")
    return mpmath.exp(t * (r * (1 + t) + gap) + t * mpmath.log(t) - (1 + t) * mpmath.log1p(t))


def test_zcdp_is_bounded_by_its_best_conversion() -> None:
    pair = guarantee_pairs(Concentrated(Fraction(1, 2)), ReplaceOne).remove
    assert abs(float(pair.curve(arb(1))[0]) - 0.246846330782944) < 1e-15
    random = np.random.default_rng(7)
    with mpmath.workdps(DIGITS):
        for _ in range(50):
            rho, xi = Fraction(whole(random, 1, 300), 200), Fraction(whole(random, 0, 20), 100)
            x = xi + Fraction(whole(random, 1, 500), 100)
            value = float(guarantee_pairs(Concentrated(rho, xi), ZeroOut).remove.curve(ball(x))[0])
            exact = float(concentrated_exactly(rho, xi, x))
            assert exact * (1 - 1e-13) <= value <= exact * (1 + 1e-9)
            back = float(guarantee_pairs(Concentrated(rho, xi), ZeroOut).add.curve(ball(-x))[0])
            assert abs(back - (1 - float(mpmath.exp(-mp(x))) * (1 - exact))) < 1e-13


def test_a_zcdp_guarantee_is_above_mechanisms_that_have_it() -> None:
    """Of a Gaussian answer rho is 1/(2 z^2); of a pure one it is at most epsilon^2 / 2, of bounded range an eighth."""
    for x in (Fraction(k, 10) for k in range(-30, 31)):
        for rho, text in (("1/8", "gaussian(2)"), ("1/2", "randomized_response(1, 2, category)")):
            above = guarantee_pairs(Concentrated(Fraction(rho)), ReplaceOne).remove.curve(ball(x))[0]
            assert above > all_pairs.pairs(parse_event(text), ReplaceOne).remove.curve(ball(x))[0]


@pytest.mark.slow
def test_zcdp_guarantees_are_added_up_before_anything_else() -> None:
    one = certify(ledger("zcdp(1/2, 1/10)"), delta=MILLIONTH)
    many = certify(ledger("compose(compose(zcdp(1/8), 2), zcdp(1/8, 1/20), zcdp(1/8, 1/20))"), delta=MILLIONTH)
    assert (many.lower, many.upper) == (one.lower, one.upper) == (0.0, one.upper)
    mixed = "compose(laplace(2), compose(zcdp(1/32), 4))"
    summed = pld_epsilon(ledger("compose(laplace(2), zcdp(1/8))"), MILLIONTH)
    assert pld_epsilon(ledger(mixed), MILLIONTH) == summed
    assert str(event_curve(parse_event("zcdp(1/2, 1/10)"), ZeroOut).at(2)) == "renyi divergence in [0, 1.100000001]"


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("text", "adjacency", "why"),
    [
        ("poisson(zcdp(1/2), rate=1/10)", ZeroOut, "a guarantee under add-or-remove-one"),
        ("poisson(approximate(1, 1e-6), rate=1/10)", ReplaceOne, "use add-or-remove-one"),
        ("sample_without_replacement(zcdp(1), 1, 10)", AddOrRemoveOne, "use replace-one"),
        ("profile([1], [1/10], added=[1/20])", ReplaceOne, "give one list of deltas"),
    ],
)
def test_what_no_theorem_covers_is_refused(text: str, adjacency: type[Adjacency], why: str) -> None:
    with pytest.raises(UnsupportedEventError, match=why):
        certify(ledger(text, adjacency), delta=MILLIONTH)


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: Approximate(Fraction(0), Fraction(0)), "leave it out"),
        (lambda: Approximate(Fraction(1), Fraction(1)), "must be below 1"),
        (lambda: Concentrated(Fraction(0)), "must be positive"),
        (lambda: Profile((Fraction(1),), ()), "as many as epsilons"),
        (lambda: Profile((), ()), "from 1 to"),
        (lambda: Profile((Fraction(1), Fraction(1)), (HUNDREDTH, HUNDREDTH)), "must increase"),
        (lambda: Profile((Fraction(1), Fraction(2)), (HUNDREDTH, 2 * HUNDREDTH)), "must not increase"),
        (lambda: Profile((Fraction(0),), (Fraction(0),)), "nothing is spent"),
    ],
)
def test_what_is_no_guarantee(make: Any, rule: str) -> None:
    with pytest.raises(InvalidArgumentError, match=rule):
        make()


# ------------------------------------------------------------------------------------ the page


@pytest.mark.slow
def test_the_page_does_what_it_says() -> None:
    output, names = "", {"__name__": "__main__"}
    session = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    for language, _, body in blocks((DOCS / "events" / "guarantees.md").read_text(encoding="utf-8")):
        if language == "sh":
            answers = [typed(line) for line in filter(None, body.splitlines())]
            assert [str(code) for _, code, _ in answers] == [expected for _, _, expected in answers]
            output = "".join(said for said, _, _ in answers)
        elif language == "text":
            assert shows(output, body)
        else:
            examples = doctest.DocTestParser().get_doctest(body, names, "guarantees", "guarantees.md", 0)
            assert session.run(examples, clear_globs=False).failed == 0


# ------------------------------------------------------------------------------------ planted bugs


def golden_delta(times: int = 2) -> Any:
    return pld_delta(Ledger(Repeat(Approximate(log_three(), HUNDREDTH, worst_case=True), times), ZeroOut), log_three())


def test_planted_bug_infinite_losses_of_one_answer_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convolution, "_either", lambda a, b, spare: max(a.infinite, b.infinite))
    assert golden_delta().upper < 6199 / 16000 - 0.009


def test_planted_bug_a_lower_end_that_nothing_attains(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = Approximate(Fraction(1), HUNDREDTH)
    assert certify(Ledger(silent, ZeroOut), epsilon=0).lower == 0.0
    original = guarantee_pairs
    monkeypatch.setattr(
        all_pairs, "guarantee_pairs", lambda event, adjacency: original(replace(event, worst_case=True), adjacency)
    )
    assert certify(Ledger(silent, ZeroOut), epsilon=0).lower > 0.4


def test_planted_bug_the_gaussian_pair_in_place_of_zcdp(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mechanism with D_a <= a/2 whose delta at 2 exceeds that of a Gaussian answer with the same rho."""
    losses, tail = 3, Fraction(1, 25)
    with precision(200):
        p, up = ball(tail), ball(losses).exp()
        pair = [(ball(losses), p, p / up), (((1 - p) / (1 - p / up)).log(), 1 - p, 1 - p / up)]
        for order in (Fraction(k, 8) for k in range(9, 400)):
            for way in (pair, [(-loss, v, u) for loss, u, v in pair]):
                moment = sum((u * (ball(order - 1) * loss).exp() for loss, u, _ in way), arb(0))
                assert moment.log() / ball(order - 1) <= ball(order) / 2
        gained = pair[0][1] - arb(2).exp() * pair[0][2]
        assert guarantee_pairs(Concentrated(Fraction(1, 2)), ZeroOut).remove.curve(arb(2))[0] > gained
        monkeypatch.setattr(
            pairs_of_guarantees,
            "concentrated_delta",
            lambda rho, xi, x: gaussian_curve(BALL, x, (2 * (ball(rho) + ball(xi))).sqrt()),
        )
        assert guarantee_pairs(Concentrated(Fraction(1, 2)), ZeroOut).remove.curve(arb(2))[0] < gained


def test_planted_bug_directions_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Profile((Fraction(1),), (Fraction(1, 10),), (Fraction(1, 1000),))
    here = float(guarantee_pairs(table, ZeroOut).remove.curve(ball(1))[0])
    original = formulas.table_atoms
    monkeypatch.setattr(pairs_of_guarantees, "table_atoms", lambda removed, added: original(added, removed))
    assert here == pytest.approx(0.1)
    assert float(guarantee_pairs(table, ZeroOut).remove.curve(ball(1))[0]) < 0.01


def test_planted_bug_rates_left_out_of_basic_composition(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled = ledger("poisson(approximate(1, 1e-6), rate=1/10)")
    assert basic.epsilon(sampled, MILLIONTH / 20).upper == float("inf")
    monkeypatch.setattr(basic, "_sampled", lambda table, rate: [(e, rate * rate * d) for e, d in table])
    assert basic.epsilon(sampled, MILLIONTH / 20).upper < 2
