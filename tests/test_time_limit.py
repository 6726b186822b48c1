"""A limit of time: what comes out is sound and says that it is wide; a terminal sees that something is at work."""

from __future__ import annotations

import json
import logging
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from flint import acb, arb
from typer.testing import CliRunner, Result

from dpref.cli import app, progress
from dpref.errors import BudgetError, InvalidArgumentError, OutOfTimeError, PrecisionError
from dpref.privacy import time_limit
from dpref.privacy.accountants import certify
from dpref.privacy.event_calibration import Calibration, calibrate
from dpref.privacy.events.expression import parse_event, parse_template
from dpref.privacy.events.ledger import Compose, Gaussian, Ledger
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.interval import Interval
from dpref.privacy.pld.accountant import pld_delta, pld_epsilon
from dpref.privacy.renyi import subsampled_gaussian
from dpref.units import AddOrRemoveOne, ReplaceOne

D = Fraction(1, 10**5)
READS = 1000
MIXED = Ledger(parse_event("compose(compose(laplace(3), 4), compose(gaussian(5), 3))"), ReplaceOne)
ADD = ("--adjacency", "add-or-remove-one")


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """A clock that counts how often it was read: a limit of n seconds stops the n-th checkpoint."""
    read = 0

    def clock() -> float:
        nonlocal read
        read += 1
        return float(read)

    def reset(to: int) -> None:
        nonlocal read
        read = to

    monkeypatch.setattr(time_limit, "clock", clock)
    return reset


def test_without_a_limit_nothing_is_stopped(ticks: Callable[[int], None]) -> None:
    found = certify(MIXED, delta=D)
    assert not found.wide
    assert found == certify(MIXED, delta=D, limit=10**9)


@pytest.mark.usefixtures("ticks")
def test_every_limit_gives_a_sound_interval_that_is_wide_until_it_is_done() -> None:
    truth = certify(MIXED, delta=D)
    seen = []
    for limit in (0.5, 4, 40, 400, 1500, 2500, 4000, 10**6):
        found = certify(MIXED, delta=D, limit=limit)
        assert found.lower <= truth.upper
        assert truth.lower <= found.upper
        assert found.wide or (found.lower, found.upper) == (truth.lower, truth.upper)
        seen.append((found.wide, found.width))
    assert (seen[0], seen[-1][0]) == ((True, math.inf), False)
    assert [width for _, width in seen] == sorted((width for _, width in seen), reverse=True)
    assert len({width for wide, width in seen if wide and width < math.inf}) >= 2


@pytest.mark.slow
@pytest.mark.usefixtures("ticks")
def test_delta_too() -> None:
    truth = certify(MIXED, epsilon=1)
    for limit in (0.5, 40, 1000, 3000):
        found = certify(MIXED, epsilon=1, limit=limit)
        assert found.wide
        assert found.lower <= truth.lower <= truth.upper <= found.upper <= 1
    assert str(certify(MIXED, epsilon=1, limit=0.5)) == "delta in [0, 1] (wide)"


@pytest.mark.slow
@pytest.mark.usefixtures("ticks")
def test_an_accountant_by_grids_keeps_its_coarse_ends_or_says_that_it_has_none() -> None:
    with time_limit.time_limit(2), pytest.raises(OutOfTimeError):
        pld_epsilon(MIXED, D)
    with time_limit.time_limit(2000) as limit:
        found = pld_epsilon(MIXED, D)
    assert limit.over
    assert found.lower <= pld_epsilon(MIXED, D).upper <= found.upper
    with time_limit.time_limit(2000) as limit:
        coarse = pld_delta(MIXED, 1)
    assert limit.over
    assert coarse.lower <= pld_delta(MIXED, 1).upper <= coarse.upper


@pytest.mark.usefixtures("ticks")
def test_planted_bug_a_stop_that_nobody_records(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(limit: time_limit.TimeLimit, doing: str) -> None:
        if limit.seconds is not None and time_limit.clock() - limit.begun > limit.seconds:
            raise OutOfTimeError(doing)

    truth = certify(MIXED, delta=D)
    assert certify(MIXED, delta=D, limit=1500).wide
    monkeypatch.setattr(time_limit.TimeLimit, "check", check)
    found = certify(MIXED, delta=D, limit=1500)
    assert found.width > truth.width
    assert not found.wide


def test_an_inner_limit_is_not_longer_than_the_one_around_it(ticks: Callable[[int], None]) -> None:
    with time_limit.time_limit(5):
        ticks(50)
        with time_limit.time_limit(1000), pytest.raises(OutOfTimeError):
            time_limit.checkpoint("more")


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf, True, "1", 10**400])
def test_bad_limits(seconds: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="limit"):
        certify(MIXED, delta=D, limit=seconds)
    with pytest.raises(InvalidArgumentError, match="limit"):
        calibrated("gaussian(?)", limit=seconds)


# ------------------------------------------------------------------------------------ calibrations


@pytest.mark.usefixtures("ticks")
@pytest.mark.parametrize("seconds", [2, 20, 60])
def test_no_time_is_no_reason_to_say_that_no_count_meets_the_budget(seconds: int) -> None:
    """Hundreds of steps meet it; the trivial interval of the first question, [0, inf], does not say otherwise."""
    with pytest.raises(PrecisionError, match="within the limit of time"):
        calibrated("compose(poisson(gaussian(2), rate=1/50), ?)", limit=seconds, adjacency=AddOrRemoveOne)


def calibrated(text: str, **more: Any) -> Calibration:
    budget = {"epsilon": Fraction(1), "delta": D, "adjacency": ReplaceOne}
    return calibrate(parse_template(text), **{**budget, **more})


@pytest.mark.slow
@pytest.mark.usefixtures("ticks")
@pytest.mark.parametrize("text", ["compose(laplace(?), 3)", "compose(laplace(40), ?)"])
def test_a_stopped_calibration_is_private_and_wide_or_an_error(text: str) -> None:
    template, direction = parse_template(text), -1 if "laplace(?)" in text else 1
    done = calibrated(text)
    assert not done.wide
    values = []
    for limit in (2, 300, 1000, 3000, 8000, 10**7):
        try:
            found = calibrated(text, limit=limit)
        except PrecisionError as error:
            assert "within the limit of time" in str(error)  # noqa: PT017 - some limits answer
            continue
        assert direction * found.value <= direction * done.value
        assert certify(Ledger(template.fill(found.value), ReplaceOne), delta=D).upper <= 1
        assert found.wide or found.value == done.value
        assert found.decimal(found.value)
        if found.beyond is not None:
            assert certify(Ledger(template.fill(found.beyond), ReplaceOne), delta=D).lower > 1
        values.append((found.wide, float(found.value)))
    assert values[-1] == (False, float(done.value))
    assert any(wide for wide, _ in values)


def test_a_budget_that_nothing_meets_is_still_said() -> None:
    with pytest.raises(BudgetError):
        calibrated("compose(gaussian(1), ?)", limit=60)


# ------------------------------------------------------------------------------------ the command line


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.usefixtures("ticks")
def test_the_word_wide_stands_in_text_and_json() -> None:
    question = ("certify", "compose(compose(laplace(3), 4), compose(gaussian(5), 3))", "--delta", "1e-5", *ADD)
    text = call(*question, "--limit", "2000")
    assert text.exit_code == 0
    assert text.stdout.splitlines()[0].endswith("] (wide)")
    assert "  wide       the limit of time stopped the work" in text.stdout
    found = json.loads(call(*question, "--limit", "2000", "--json").stdout)
    assert found["wide"] is True
    nothing = call(*question, "--limit", "0.5", "--json")
    assert nothing.exit_code == 3
    assert json.loads(nothing.stdout)["epsilon"] == {"lower": "0", "upper": "inf"}
    assert json.loads(call(*question, "--limit", "10000000", "--json").stdout)["wide"] is False


@pytest.mark.usefixtures("ticks")
def test_a_stopped_calibration_says_so() -> None:
    question = ("calibrate", "compose(laplace(?), 3)", "--epsilon", "1", "--delta", "1e-5", *ADD)
    found = call(*question, "--limit", "1000")
    assert found.exit_code == 0
    assert found.stdout.splitlines()[0].endswith(" (wide)")
    report = json.loads(call(*question, "--limit", "1000", "--json").stdout)
    assert report["wide"] is True
    assert report["undecided"] == 0
    assert call(*question, "--limit", "2").exit_code == 3


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "inf"])
def test_a_limit_must_be_a_time(limit: str) -> None:
    result = call("certify", "gaussian(1)", "--delta", "1e-5", *ADD, f"--limit={limit}")
    assert result.exit_code == 2
    assert "--limit" in result.stderr


def test_there_is_a_limit_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds: list[float | None] = []

    def spying(ledger: Ledger[Any], **given: Any) -> Interval:
        with time_limit.time_limit(None) as limit:
            seconds.append(limit.seconds)
        return replace(certify(ledger, **given), wide=False)

    monkeypatch.setattr("dpref.privacy.accountants.certify", spying)
    call("certify", "gaussian(1)", "--delta", "1e-5", *ADD)
    call("certify", "gaussian(1)", "--delta", "1e-5", "--tradeoff", "1/2", *ADD)
    call("certify", "gaussian(1)", "--delta", "1e-5", "--limit", "7", *ADD)
    assert [seconds[0], {*seconds[1:-1]}, seconds[-1]] == [time_limit.ANSWER_LIMIT, {time_limit.DEFAULT_LIMIT}, 7]


@pytest.mark.parametrize(("terminal", "every"), [(True, "EVERY"), (False, "EVERY_PLAINLY")])
def test_a_terminal_and_a_build_log_see_lines(monkeypatch: pytest.MonkeyPatch, terminal: bool, every: str) -> None:
    said: list[str] = []
    monkeypatch.setattr(progress, "EVERY", 60.0)
    monkeypatch.setattr(progress, "EVERY_PLAINLY", 60.0)
    monkeypatch.setattr(progress, every, 1e-3)
    monkeypatch.setattr("typer.echo", lambda line, *, err: said.append(line) if err else None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with progress.still_at_work("certify", lambda: "a grid"):
        for _ in range(2000):
            if len(said) >= 2:
                break
            os.sched_yield()
            time.sleep(1e-3)
    assert said[:2] == ["dpref: certify: at work for 0 s: a grid"] * 2


QUESTION = """
import dpref
from dpref.privacy import time_limit
time_limit.EVERY = {every}
step = dict(records=1000, batch=10, steps=2, sampling="poisson", adjacency="zero-out")
print(float(dpref.noise_for(epsilon=1, delta=1e-5, digits=2, **step)))
"""


def test_a_program_without_logging_sees_that_a_long_search_is_at_work() -> None:
    """A logger with a handler of its own that drops everything, even warnings, would be silent here."""

    def answered(every: float) -> tuple[str, str]:
        words = [sys.executable, "-c", QUESTION.format(every=every)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    (quiet, nothing), (loud, said) = answered(600), answered(0)
    assert quiet == loud
    assert nothing == ""
    assert said.startswith("dpref: at work for 0 s: ")
    assert "noise_multiplier = " in said


def test_lines_come_every_eight_seconds_of_waiting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 0.0
    monkeypatch.setattr(time_limit, "wall_clock", lambda: now)
    monkeypatch.setattr(logging.getLogger(time_limit.AT_WORK), "level", logging.NOTSET)
    with time_limit.time_limit(None):
        for now in (1.0, 7.9, 8.0, 12.0, 16.5, 17.0):  # noqa: B007 - the clock reads it
            with time_limit.time_limit(60):  # a question within: the same wait
                time_limit.checkpoint("a grid")
    assert [r.getMessage() for r in caplog.records] == [
        "dpref: at work for 8 s: a grid",
        "dpref: at work for 16 s: a grid",
    ]


def test_questions_say_what_they_are_at() -> None:
    with time_limit.time_limit(60) as limit:
        certify(Ledger(parse_event("compose(poisson(laplace(1), rate=1/10), 3)"), AddOrRemoveOne), delta=D)
    assert limit.doing
    assert not limit.over


Watch = Callable[[Any], tuple[Any, list[OutOfTimeError]]]


def values_of_integrands(monkeypatch: pytest.MonkeyPatch, watch: Watch) -> int:
    """Return how many values of integrands are computed for an answer that is given `READS` looks at the clock."""
    values = 0

    def watched(f: Any) -> tuple[Any, list[OutOfTimeError]]:
        def counted(x: acb, analytic: bool) -> acb:
            nonlocal values
            values += 1
            return f(x, analytic) if values <= READS else acb(arb.nan())

        return watch(counted)

    monkeypatch.setattr(subsampled_gaussian, "_watched", watched)
    event = parse_event("compose(poisson(gaussian(1), rate=1e-40), poisson(gaussian(1/2), rate=1e-40))")
    found = certify(Ledger(event, AddOrRemoveOne), epsilon=100_000, limit=READS)
    assert found.wide
    assert 0 < found.upper < 1e-80
    return values


@pytest.mark.slow
@pytest.mark.usefixtures("ticks")
def test_an_integral_is_stopped_where_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an astronomically small rate the orders are so large that one integral asks for 400,000 values."""
    assert 0 < values_of_integrands(monkeypatch, subsampled_gaussian._watched) < READS


@pytest.mark.slow
@pytest.mark.usefixtures("ticks")
def test_planted_bug_an_integral_that_goes_on_when_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = subsampled_gaussian._watched

    def watch(f: Any) -> tuple[Any, list[OutOfTimeError]]:
        looking, stopped = honest(lambda x, _: x)

        def going_on(x: acb, analytic: bool) -> Any:
            looking(x, analytic)
            return f(x, analytic)

        return going_on, stopped

    assert values_of_integrands(monkeypatch, watch) > READS


def test_many_different_events_are_counted_aloud_and_never_stopped(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A plan of a million choices was silent for a minute; what is proved must be said also when time is over."""
    now = iter(range(0, 10**6, 10))
    monkeypatch.setattr(time_limit, "wall_clock", lambda: float(next(now)))
    event = Compose(tuple(Gaussian(Fraction(k)) for k in range(1, 5001)))
    with time_limit.time_limit(1e-9), caplog.at_level("WARNING", logger=time_limit.AT_WORK):
        assert len(multiplicities(event)) == 5000
    assert "counting 4096 different events" in caplog.text
    with caplog.at_level("WARNING", logger=time_limit.AT_WORK):
        time_limit.remark("nobody waits")
    assert "nobody" not in caplog.text
