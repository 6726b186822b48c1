"""Matrix mechanisms as events: what they spend against laws that one can write down, files, texts, and refusals."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb
from typer.testing import CliRunner

from dpref.cli import app
from dpref.errors import ExpressionError, InvalidArgumentError, UnsupportedEventError
from dpref.privacy import rounds
from dpref.privacy.accountants import accountant_named, certify
from dpref.privacy.closed_forms.concentrated import concentrated
from dpref.privacy.curves import privacy_profile
from dpref.privacy.events.arrays import matrix_mechanism
from dpref.privacy.events.expression import format_event, parse_event
from dpref.privacy.events.factorization import sensitivity
from dpref.privacy.events.files import read_file, read_numbers
from dpref.privacy.events.ledger import Compose, Event, Laplace, Ledger, Poisson, Repeat
from dpref.privacy.events.matrix import MatrixGaussian, PrefixSumSqrt, SampledColumn, ToeplitzGaussian, TreeGaussian
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.gaussian_dp import gdp_parameter
from dpref.privacy.pld.pairs import pairs
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

ADJACENCIES: tuple[type[Adjacency], ...] = (AddOrRemoveOne, ReplaceOne, ZeroOut)
PAGE = Path(__file__).parents[1] / "docs" / "events" / "matrix.md"
TENTH = Fraction(1, 10)
SQRT = PrefixSumSqrt(Fraction(2), 8, max_participations=2, min_separation=4)
BANDED = ToeplitzGaussian(Fraction(2), (Fraction(1), Fraction(1, 2)), 7, min_separation=3, rate=Fraction(1, 4))
SIGNED = MatrixGaussian(Fraction(2), tuple(Fraction(k, 4) for k in (4, -3, 4, -2, -2, 4)))


def gaussian_delta(mu: mpmath.mpf, epsilon: Fraction) -> mpmath.mpf:
    """To fifty digits."""
    e = mpmath.mpf(epsilon.numerator) / epsilon.denominator
    return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


# ------------------------------------------------------------------------------------ one Gaussian answer


def test_the_golden_values() -> None:
    one = certify(Ledger(replace(SQRT, max_participations=1, min_separation=1), ZeroOut), epsilon=1)
    two = certify(Ledger(SQRT, ZeroOut), epsilon=1)
    assert one.lower <= 0.0287180549751078 * (1 + 1e-14)
    assert one.upper >= 0.0287180549751078 * (1 - 1e-14)
    assert one.width < 1e-15
    assert two.lower <= 0.140060422999027 * (1 + 1e-14)
    assert two.upper >= 0.140060422999027 * (1 - 1e-14)
    assert two.width < 1e-15


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_one_answer_agrees_with_fifty_digits(adjacency: type[Adjacency]) -> None:
    random = np.random.default_rng(1)
    with mpmath.workdps(50):
        for _ in range(50):
            n, k, b = (int(x) for x in random.integers(1, (12, 4, 5)))
            z, epsilon = Fraction(int(random.integers(1, 40)), 7), Fraction(int(random.integers(0, 30)), 9)
            event = PrefixSumSqrt(z, n, None, k, b)
            square = sensitivity(event).squared * (4 if adjacency is ReplaceOne else 1) / z**2
            exact = gaussian_delta(mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator), epsilon)
            found = certify(Ledger(event, adjacency), epsilon=epsilon)
            assert mpmath.mpf(found.lower) <= exact <= mpmath.mpf(found.upper)
            assert found.width <= 1e-12 * found.upper + 1e-300


def test_where_the_sensitivity_is_not_attained_the_lower_end_is_what_signs_reach() -> None:
    known = sensitivity(SIGNED)
    assert known.attained < known.squared
    ends = [certify(Ledger(SIGNED, ZeroOut), epsilon=1, accountant=name) for name in ("gaussian", "curve", "best")]
    with mpmath.workdps(50):
        least, most = (
            gaussian_delta(mpmath.sqrt(mpmath.mpf(float(s))) / 2, Fraction(1)) for s in (known.attained, known.squared)
        )
    assert all(abs(found.lower - float(least)) < 1e-15 for found in ends)
    assert all(abs(found.upper - float(most)) < 1e-15 for found in ends)


@pytest.mark.slow
def test_every_accountant_of_a_composition_knows_matrix_mechanisms() -> None:
    ledger = Ledger(Compose((SQRT, TreeGaussian(Fraction(9), 8))), ReplaceOne)
    answers = [certify(ledger, delta=TENTH**5, accountant=name) for name in ("gaussian", "zcdp", "renyi", "pld")]
    assert all(answers[0].upper <= found.upper for found in answers)
    assert all(found.lower <= answers[0].upper for found in answers)
    assert concentrated(ledger).value == 2 * (sensitivity(SQRT).squared / 4 + Fraction(120, 81))
    mixed = certify(Ledger(Compose((SQRT, Laplace(Fraction(10)))), ZeroOut), delta=TENTH**5)
    alone = certify(Ledger(SQRT, ZeroOut), delta=TENTH**5)
    assert alone.lower < mixed.lower <= mixed.upper < alone.upper + 0.1


# ------------------------------------------------------------------------------------ rounds


def law(means: list[tuple[float, list[float]]], sigma: float, grid: Any) -> Any:
    """The density of a mixture of normal laws in the plane."""
    x, y = grid
    return sum(w * np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * sigma**2)) for w, (a, b) in means) / (
        2 * math.pi * sigma**2
    )


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_a_banded_mechanism_is_the_law_of_its_rows(adjacency: type[Adjacency]) -> None:
    """Two steps, one group a step: a mixture in the plane, integrated on a grid, against the composition of rounds."""
    sigma, rate = 1.5, 0.3
    event = ToeplitzGaussian(Fraction(3, 2), (Fraction(1),), 2, min_separation=1, rate=Fraction(3, 10))
    line = np.linspace(-13, 13, 601)
    grid = np.meshgrid(line, line)
    cell = (line[1] - line[0]) ** 2

    def rows(u: float) -> Any:
        taken = product((0, 1), repeat=2)
        return law([(rate ** sum(t) * (1 - rate) ** (2 - sum(t)), [u * x for x in t]) for t in taken], sigma, grid)

    first, second = rows(1.0), rows(-1.0 if adjacency is ReplaceOne else 0.0)
    factor = math.exp(0.5)
    exact = max(np.maximum(p - factor * q, 0).sum() * cell for p, q in ((first, second), (second, first)))
    found = certify(Ledger(event, adjacency), epsilon=Fraction(1, 2), accountant="rounds")
    assert found.lower <= exact * (1 + 1e-4) + 1e-9
    assert found.upper >= exact * (1 - 1e-4) - 1e-9
    assert found.width < 0.05 * found.upper


def sampled_delta(square: Fraction, rate: Fraction, epsilon: Fraction, adjacency: type[Adjacency]) -> mpmath.mpf:
    """One round: half-lines are optimal tests, whose thresholds solve an equation in exp(s x)."""
    s = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
    q, e = (mpmath.mpf(x.numerator) / x.denominator for x in (rate, epsilon))
    alpha, phi, gap = mpmath.exp(e), mpmath.ncdf, mpmath.exp(-(s**2) / 2)
    if adjacency is ReplaceOne:
        a, b, c = q * gap, (1 - q) * (1 - alpha), -alpha * q * gap
        t = mpmath.log((-b + mpmath.sqrt(b * b - 4 * a * c)) / (2 * a)) / s
        return (1 - q) * phi(-t) + q * phi(s - t) - alpha * ((1 - q) * phi(-t) + q * phi(-s - t))
    t = mpmath.log((alpha - 1 + q) / (q * gap)) / s
    removed = (1 - q) * phi(-t) + q * phi(s - t) - alpha * phi(-t)
    if 1 / alpha <= 1 - q:
        return removed
    t = mpmath.log((1 / alpha - 1 + q) / (q * gap)) / s
    return max(removed, phi(t) - alpha * ((1 - q) * phi(t) + q * phi(t - s)))


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_one_round_agrees_with_fifty_digits(adjacency: type[Adjacency]) -> None:
    random = np.random.default_rng(2)
    with mpmath.workdps(50):
        for _ in range(50):
            rate, epsilon = Fraction(int(random.integers(1, 100)), 100), Fraction(int(random.integers(0, 20)), 10)
            coefficients = tuple(Fraction(int(x), 4) for x in random.integers(1, 9, 3))
            z = Fraction(int(random.integers(4, 40)), 7)
            event = ToeplitzGaussian(z, coefficients, 3, min_separation=3, rate=rate)
            exact = sampled_delta(sum(c * c for c in coefficients) / z**2, rate, epsilon, adjacency)
            for name in ("curve", "rounds"):
                found = certify(Ledger(event, adjacency), epsilon=epsilon, accountant=name)
                assert mpmath.mpf(found.lower) <= exact <= mpmath.mpf(found.upper)
                assert found.width <= 1e-6 * found.upper + 1e-300


@pytest.mark.slow
def test_a_group_whose_columns_are_not_all_the_largest_bounds_from_below() -> None:
    entries = [[4, 0, 0, 0], [1, 2, 0, 0], [0, 1, 3, 0], [0, 0, 1, 5]]
    rows = tuple(Fraction(x) for t, row in enumerate(entries) for x in row[: t + 1])
    event = MatrixGaussian(Fraction(9), rows, min_separation=2, rate=Fraction(1, 2))
    columns = list(multiplicities(event))
    assert columns == [
        SampledColumn(Fraction(9), Fraction(17), Fraction(1, 2), Fraction(5)),
        SampledColumn(Fraction(9), Fraction(25), Fraction(1, 2)),
    ]
    highest, lowest = (
        [SampledColumn(Fraction(9), Fraction(x), Fraction(1, 2)) for x in xs] for xs in ((17, 25), (5, 25))
    )
    found, most, least = (
        certify(Ledger(Compose(tuple(events)), ZeroOut), delta=TENTH**4, accountant="rounds")
        for events in ([event], highest, lowest)
    )
    assert (found.lower, found.upper) == (least.lower, most.upper)
    assert least.upper < most.lower


@pytest.mark.slow
def test_rounds_are_a_composition_of_sampled_answers_of_the_columns_norm() -> None:
    """Where the norm is rational the identity is that of two ledgers: 3/4, 1 have the norm 5/4."""
    event = ToeplitzGaussian(Fraction(5, 2), (Fraction(1), Fraction(3, 4)), 40, min_separation=2, rate=Fraction(1, 20))
    same = parse_event("compose(poisson(gaussian(2), rate=1/20), 20)")
    assert multiplicities(event) == {SampledColumn(Fraction(5, 2), Fraction(25, 16), Fraction(1, 20)): 20}
    a, b = (certify(Ledger(e, AddOrRemoveOne), delta=TENTH**5) for e in (event, same))
    assert a.lower == pytest.approx(b.lower, rel=1e-9)
    assert a.upper == pytest.approx(b.upper, rel=1e-9)
    whole = certify(Ledger(replace(event, rate=Fraction(1)), AddOrRemoveOne), delta=TENTH**5)
    plain = certify(Ledger(replace(event, rate=None), AddOrRemoveOne), delta=TENTH**5)
    assert whole.upper == pytest.approx(plain.upper, rel=1e-9)
    assert a.upper < plain.lower


# ------------------------------------------------------------------------------------ texts and files


@pytest.mark.parametrize(
    "text",
    [
        "prefix_sum_sqrt(noise_multiplier=2, steps=8, max_participations=2, min_separation=4)",
        "toeplitz_gaussian(noise_multiplier=2, coefficients=[1, 1/2], steps=8, inverse=false, min_separation=2)",
        "matrix_gaussian(noise_multiplier=2, matrix=[1, -1/2, 1], max_participations=2, min_separation=1)",
        "tree_gaussian(noise_multiplier=2, leaves=8, min_separation=1, padded=true)",
        "compose(sampled_column(noise_multiplier=2, squared_norm=5/4, rate=1/9, attained=1), 3)",
    ],
)
def test_texts_are_read_back(text: str) -> None:
    event = parse_event(text)
    assert format_event(event) == str(event) == text


def test_numbers_come_from_files(tmp_path: Path) -> None:
    square, rows, column = tmp_path / "square.csv", tmp_path / "rows.txt", tmp_path / "column.txt"
    square.write_text("1, 0, 0\n-0.5, 1, 0\n1e-1, 1/3, 2\n")
    rows.write_text("1\n-0.5 1\n\n0.1 1/3 2\n")
    column.write_text("1\n0.5\n")
    assert read_numbers(str(square)) == read_numbers(str(rows))
    assert list(read_numbers(str(column))) == [1, Fraction(1, 2)]
    event = parse_event(f'matrix_gaussian(2, matrix="{square}", max_participations=1)', read=read_file)
    assert event == MatrixGaussian(Fraction(2), tuple(map(Fraction, ("1", "-1/2", "1", "1/10", "1/3", "2"))), 1)
    with pytest.raises(ExpressionError, match="no file is read here"):
        parse_event(f'matrix_gaussian(2, matrix="{square}")')


def test_doubles_are_read_as_the_decimals_that_they_print() -> None:
    rows = np.array([[0.1, 0.0], [1 / 3, 1.0]])
    event = matrix_mechanism(rows, noise_multiplier=0.3, max_participations=1)
    assert [str(x) for x in event.matrix] == ["1/10", "3333333333333333/10000000000000000", "1"]
    assert event == matrix_mechanism([["0.1"], [rows[1, 0], 1]], noise_multiplier="0.3", max_participations=1)
    with pytest.raises(InvalidArgumentError, match="beyond the diagonal"):
        matrix_mechanism(rows.T, noise_multiplier=1)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("1 2\n3 4\n", "above its diagonal"),
        ("", "no number"),
        ("1\nx\n", "line 2, number 1"),
        ("1\n1/0\n", "divide by zero"),
    ],
)
def test_what_a_file_may_not_hold(tmp_path: Path, text: str, rule: str) -> None:
    path = tmp_path / "numbers.txt"
    path.write_text(text)
    with pytest.raises(InvalidArgumentError, match=rule):
        read_numbers(str(path))


def test_the_command_line_shows_the_sensitivity() -> None:
    ask = ["certify", str(SQRT), "--epsilon", "1", "--adjacency", "zero-out"]
    shown = json.loads(CliRunner().invoke(app, [*ask, "--json"]).stdout)
    assert shown["sensitivities"] == [
        {
            "event": str(SQRT),
            "squared": {"exact": "18034413/4194304"},
            "rule": "nonincreasing Toeplitz: columns 0, b, 2b, ...",
            "attained": True,
        }
    ]
    assert (
        "18034413/4194304 (nonincreasing Toeplitz: columns 0, b, 2b, ...; attained)"
        in CliRunner().invoke(app, ask).stdout
    )
    signed = json.loads(
        CliRunner().invoke(app, ["certify", str(SIGNED), "--epsilon", "1", "--adjacency", "zero-out", "--json"]).stdout
    )
    (known,) = signed["sensitivities"]
    assert float(known["squared"]["lower"]) < float(known["squared"]["upper"])
    assert known["attained"] is False


COMMANDS = re.findall(r"```sh\ndpref (.*?)```\n\n```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "answer"), COMMANDS, ids=lambda text: text[:40])
def test_the_commands_of_the_page_say_what_it_says(command: str, answer: str) -> None:
    """Its intervals to four digits, what is below them word for word."""
    said = CliRunner().invoke(app, shlex.split(command.replace("\\\n", " "))).stdout
    first, *rest = answer.splitlines()
    ends = [[float(x) for x in re.findall(r"[\d.]+(?=[],])", line)] for line in (first, said.splitlines()[0])]
    assert len(ends[0]) == 2
    assert ends[1] == pytest.approx(ends[0], rel=1e-3)
    assert len(rest) > 3
    assert all(line in said for line in rest)


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("event", [SQRT, TreeGaussian(Fraction(2), 8), BANDED], ids=str)
def test_a_matrix_mechanism_on_a_sample_is_refused(event: Event, adjacency: type[Adjacency]) -> None:
    with pytest.raises(UnsupportedEventError, match="which of its steps a sampled record takes part in"):
        certify(Ledger(Poisson(event, TENTH), adjacency), delta=TENTH)


def test_participations_are_not_counted_where_they_are_random() -> None:
    with pytest.raises(InvalidArgumentError, match="how often one takes part is then random"):
        replace(BANDED, max_participations=2)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("matrix_gaussian(1, [1, 2])", "one after another"),
        ("matrix_gaussian(1, [0, 0, 0])", "must not be zero"),
        ("toeplitz_gaussian(1, [0, 1], 2, inverse=true)", "to have an inverse"),
        ("toeplitz_gaussian(1, [0, 0, 1], 2)", "must not all be zero"),
        ("toeplitz_gaussian(1, [1, 1e-1100], 1000000)", "round them to decimals"),
        ("prefix_sum_sqrt(1, 10000000)", "must be at most 1000000"),
        ("tree_gaussian(1, 0)", "must be at least 1"),
        ("sampled_column(1, 1, 1/2, 2)", "must not be above squared_norm"),
        ("prefix_sum_sqrt(1, 8, rate=1/2)", "number of nonzero diagonals"),
    ],
)
def test_what_is_no_mechanism(text: str, rule: str) -> None:
    with pytest.raises(ExpressionError, match=rule):
        parse_event(text)


# ------------------------------------------------------------------------------------ planted bugs


def fails(check: Callable[[], None]) -> bool:
    try:
        check()
    except AssertionError:
        return True
    return False


def test_planted_bug_a_wrong_rate_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "Poisson", lambda event, rate, stated: Poisson(event, rate / 2, stated))
    assert fails(lambda: test_one_round_agrees_with_fifty_digits(ZeroOut))


def test_planted_bug_a_multiplier_that_is_rounded_the_wrong_way_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "rational_root", lambda square, *, up: Fraction(round(math.sqrt(square), 1) or 1))
    assert fails(lambda: test_one_round_agrees_with_fifty_digits(ZeroOut))


def test_planted_bug_replace_one_that_is_not_doubled_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rounds._sampled
    monkeypatch.setattr(rounds, "_sampled", lambda event, norm, *given, **up: right(event, norm / 4, *given, **up))
    assert fails(lambda: test_one_round_agrees_with_fifty_digits(ReplaceOne))


def test_planted_bug_a_lower_end_that_nothing_attains_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpref.privacy.events.participation.SquaredSensitivity.exact", True)
    assert fails(test_where_the_sensitivity_is_not_attained_the_lower_end_is_what_signs_reach)


def test_the_accountant_of_rounds_takes_rounds_alone() -> None:
    with pytest.raises(UnsupportedEventError, match="no round"):
        rounds.epsilon(Ledger(Repeat(Laplace(Fraction(1)), 2), ZeroOut), TENTH)
    assert accountant_named("rounds").supports(SampledColumn(Fraction(1), Fraction(1), TENTH), ZeroOut)
    assert pairs(SampledColumn(Fraction(1), Fraction(1), TENTH), ZeroOut).remove.curve(arb(0))[0] > 0


@pytest.mark.slow
def test_curves_count_from_below_what_is_attained_alone() -> None:
    """Two mechanisms of signs: the profile from below and mu from below are those of the signs."""
    ledger = Ledger(Repeat(SIGNED, 2), ZeroOut)
    known = sensitivity(SIGNED)
    least, most = (math.sqrt(2 * float(square)) / 2 for square in (known.attained, known.squared))
    band = privacy_profile(ledger, [Fraction(1)]).band
    with mpmath.workdps(30):
        low, high = (float(gaussian_delta(mpmath.mpf(mu), Fraction(1))) for mu in (least, most))
    assert band.lower[0] == pytest.approx(low, rel=1e-6)
    assert band.upper[0] == pytest.approx(high, rel=1e-6)
    found = gdp_parameter(ledger).everywhere
    assert found.lower <= least * (1 + 1e-12)
    assert found.upper == pytest.approx(most, rel=1e-9)
    one = Ledger(SampledColumn(Fraction(2), Fraction(5, 4), TENTH), ZeroOut)
    assert gdp_parameter(one).everywhere.upper <= math.sqrt(1.25) / 2 * (1 + 1e-12)
