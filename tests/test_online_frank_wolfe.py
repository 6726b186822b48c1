"""DP-TOFW: the update by hand, the stream, the cost, the sets, and how much noise each calibration asks for."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from dpref.algorithms.forms import Form
from dpref.algorithms.online_frank_wolfe import algorithm as online_frank_wolfe_algorithm
from dpref.algorithms.online_frank_wolfe import calibration as calibration_calibration
from dpref.algorithms.online_frank_wolfe import formulas as calibration_formulas
from dpref.algorithms.online_frank_wolfe.algorithm import releases, run
from dpref.algorithms.online_frank_wolfe.plan import Params, plan
from dpref.algorithms.registry import ALGORITHMS
from dpref.curator import LiveCurator, RecordingCurator, ReplayingCurator
from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.geometry.linear_minimization import LpBall, Polytope, power, simplex
from dpref.kernels.twin import interpreted_run
from dpref.privacy.accountants import certify
from dpref.privacy.events.ledger import Gaussian, GeneralizedGaussian, NonPrivate
from dpref.problems.datasets import Dataset
from dpref.problems.losses import Linear, Logistic, Squared
from dpref.problems.stream import Arrivals, StreamProblem
from dpref.reals import BALL_ARRAY, FLOAT, FLOAT_ARRAY, Array, ball, exact, lower, precision
from dpref.units import L2, AddOrRemoveOne, ReplaceOne, ZeroOut
from tests.effort import part
from tests.streams import data

N, D = 13, 3
TENTH = Fraction(1, 1000)
ENTRY = ALGORITHMS["online-frank-wolfe"]


def problem(p: Any = Fraction(3, 2), n: int = N, loss: Any = None, **more: Any) -> StreamProblem:
    return StreamProblem(loss or Logistic(), n=n, dimension=D, domain=LpBall(p, Fraction(2)), **more)


def params(**changes: Any) -> Params[ReplaceOne]:
    base: dict[str, Any] = {"epsilon": Fraction(1), "delta": TENTH, "adjacency": ReplaceOne}
    return Params(**{**base, **changes})


def recorded(of: StreamProblem, made: Any, seed: int = 0) -> tuple[list[Array], Any]:
    curator = RecordingCurator(of.read(data(of)), ReplaceOne, np.random.default_rng(seed))
    return list(releases(of, made, curator)), curator


# ------------------------------------------------------------------------------------ the update


@pytest.mark.parametrize("form", Form)
def test_without_noise_the_estimate_is_the_recursive_gradient(form: Form) -> None:
    """The recursion of the paper's Section 3.1 by hand, with weights 1/t (repaired) and 1/(t+1) (print, E-4)."""
    of = problem(Fraction(2), loss=Squared())
    repairs: Any = ("E-1",) if form is Form.AS_PRINTED else ()
    made = replace(plan(of, params(form=form, repairs=repairs)), std=0.0)
    found, _ = recorded(of, made)
    records = of.read(data(of))
    theta = previous = np.zeros(D)
    d = np.zeros(D)
    for t in range(1, N + 1):
        here, there = (of.gradient(FLOAT_ARRAY, at, records.record(t)) for at in (theta, previous))
        rho = 1 / t if form is Form.REPAIRED else 1 / (t + 1)
        first = here if form is Form.REPAIRED else here / 2  # E-4: Eq. (3.1) starts at half the gradient
        d = first if t == 1 else here + (1 - rho) * (d - there)
        v = -2 * d / np.linalg.norm(d)
        theta, previous = theta + (v - theta) / (t + 1), theta
        assert np.allclose(found[t - 1], theta, atol=1e-12)


def test_the_printed_weights_are_biased_and_the_repaired_ones_are_not() -> None:
    """E-4 on deterministic linear losses: d_t is a t / (t + 1) in print, a here."""
    of = problem(Fraction(2), loss=Linear(), n=10)
    row = np.array([0.6, 0.0, -0.8]) * (1 - 2**-40)
    stream = of.read(Dataset(np.tile(row, (10, 1)), np.ones(10)))
    for form, factor in ((Form.REPAIRED, 1.0), (Form.AS_PRINTED, 10 / 11)):
        total = sum(
            online_frank_wolfe_algorithm.increment(of, form, FLOAT_ARRAY, np.zeros(3), np.zeros(3), t, stream)
            for t in range(1, 11)
        )
        assert np.allclose(total / (10 if form is Form.REPAIRED else 11), -row * factor)


@pytest.mark.slow
def test_every_released_iterate_is_enclosed_by_the_run_in_balls() -> None:
    for p in part((Fraction(3, 2), Fraction(2), math.inf), 2):
        of = problem(p)
        made = plan(of, params())
        found, curator = recorded(of, made)
        points = ENTRY.trace(of, data(of), made, curator.transcript.noise()).points
        with precision(200):
            replay = ReplayingCurator(
                of.read(data(of), BALL_ARRAY), ReplaceOne, curator.transcript, force="noise", ops=BALL_ARRAY
            )
            for t, enclosure in enumerate(releases(of, made, replay), start=1):
                for computed in (found[t - 1], points[t]):
                    gap = sum(
                        ((ball(exact(float(x))) - e) ** 2 for x, e in zip(computed, enclosure, strict=True)), arb(0)
                    )
                    assert lower(gap.nonnegative_part().sqrt()) <= 1e-9


@pytest.mark.slow
def test_the_kernel_agrees_with_its_twin_on_the_printed_noise_too() -> None:
    of = problem(n=40)
    made = plan(of, params(form=Form.AS_PRINTED))
    rng = np.random.default_rng(3)
    noise = np.array([made.noise.draw(rng, (D,)) for _ in range(40)])
    compiled = ENTRY.trace(of, data(of), made, noise)
    with interpreted_run("online_frank_wolfe"):
        slow = ENTRY.trace(of, data(of), made, noise)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(compiled, slow, strict=True))


# ------------------------------------------------------------------------------------ the stream


def test_records_that_arrive_one_by_one_give_the_same_iterates() -> None:
    of = problem()
    made, rows = plan(of, params()), data(of)
    offline = list(releases(of, made, LiveCurator(of.read(rows), ReplaceOne, np.random.default_rng(4))))
    arrivals = Arrivals(of)
    curator = LiveCurator(arrivals, ReplaceOne, np.random.default_rng(4))
    online = releases(of, made, curator)
    for t in range(N):
        with pytest.raises(InvalidArgumentError, match="latest record"):
            arrivals.record(t + 1)
        arrivals.put(rows.features[t], float(rows.labels[t]))
        assert np.array_equal(next(online), offline[t])
    assert next(online, None) is None
    assert np.array_equal(run(of, made, LiveCurator(of.read(rows), ReplaceOne, np.random.default_rng(4))), offline[-1])
    assert curator.ledger == ENTRY.ledger(made)


def test_a_bad_arrival_is_refused() -> None:
    arrivals = Arrivals(problem())
    for features, label in ((np.full(D, 9.0), 1.0), (np.zeros(2), 1.0), (np.full(D, np.nan), 1.0), (np.zeros(D), 0.5)):
        with pytest.raises(InvalidArgumentError):
            arrivals.put(features, label)


@pytest.mark.parametrize("form", Form)
def test_oracle_calls_are_the_stated_ones(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = {"gradient": 0, "minimise": 0}
    honest, oracle = StreamProblem.gradient, LpBall.minimise

    def counting(self: StreamProblem, *arguments: Any) -> Array:
        calls["gradient"] += 1
        return honest(self, *arguments)

    def minimising(self: LpBall, *arguments: Any) -> Array:
        calls["minimise"] += 1
        return oracle(self, *arguments)

    monkeypatch.setattr(StreamProblem, "gradient", counting)
    monkeypatch.setattr(LpBall, "minimise", minimising)
    of = problem()
    made = plan(of, params(form=form))
    recorded(of, made)
    assert calls == {"gradient": made.oracle_calls, "minimise": N}
    assert made.oracle_calls == 2 * N - (form is Form.REPAIRED)


# ------------------------------------------------------------------------------------ sets


def test_every_set_starts_at_a_point_of_its_own() -> None:
    """E-45: the origin is no point of a simplex, nor of a polytope on one side of it."""
    aside = Polytope(np.array([[1.0, 1.0], [2.0, 1.0], [1.0, 2.0]]), p=Fraction(2))
    for body, d in ((LpBall(Fraction(3, 2), Fraction(2)), 3), (simplex(4), 4), (aside, 2)):
        here = body.start(d)
        slopes = np.vstack([np.eye(d), -np.eye(d), np.ones(d), -np.ones(d)])
        # <w, start> is at least the least value over the set, in every direction
        assert all(w @ here >= w @ body.minimise(FLOAT_ARRAY, w) - 1e-12 for w in slopes)
    assert np.ones(2) @ np.zeros(2) < np.ones(2) @ aside.minimise(FLOAT_ARRAY, np.ones(2))


def test_sets_know_their_size_and_their_points() -> None:
    triangle = Polytope(np.array([[1.0, 0.0], [0.0, 1.0], [-3.0, 0.0]]), p=Fraction(2))
    assert triangle.diameter() == 4
    assert triangle.radius_bound() == 3
    assert simplex(3).diameter() == 2
    assert simplex(3).start(3).tolist() == [1, 0, 0]
    assert 3.16 < Polytope(np.array([[1.0, 0.0], [0.0, 3.0]]), p=Fraction(2)).diameter() < 3.17
    assert LpBall(math.inf, Fraction(1, 2)).start(2).tolist() == [0, 0]


def test_balls_that_do_not_decide_are_refused() -> None:
    doubtful = np.array([arb(0, 1), arb(1)], dtype=object)
    for domain in (LpBall(Fraction(3, 2), Fraction(1)), LpBall(math.inf, Fraction(1)), simplex(2)):
        with precision(64), pytest.raises(PrecisionError):
            domain.minimise(BALL_ARRAY, doubtful if domain.name != "simplex" else doubtful + np.array([arb(1), arb(0)]))
    with precision(64), pytest.raises(PrecisionError):
        power(BALL_ARRAY, doubtful, Fraction(1, 2))


@pytest.mark.parametrize(
    "domain", [LpBall(p, Fraction(1)) for p in (Fraction(1), Fraction(5, 4), Fraction(4), math.inf)]
)
def test_the_oracle_in_balls_encloses_the_oracle_in_doubles(domain: LpBall) -> None:
    g = np.array([0.3, 0.0, -2.0, 1.0])
    with precision(100):
        enclosures = domain.minimise(BALL_ARRAY, BALL_ARRAY.lift(g))
    for e, v in zip(enclosures, domain.minimise(FLOAT_ARRAY, g), strict=True):
        assert abs(e - arb(float(v))).abs_upper() < 1e-14


# ------------------------------------------------------------------------------------ noise


def wide(p: Any, n: int = 1000) -> StreamProblem:
    """In 20 dimensions the best associated norm of l_3 is not the Euclidean one; in three it is."""
    return replace(problem(p, n=n), dimension=20)


def multiplier(made: Any) -> float:
    """sigma over sqrt(kappa) times the sensitivity."""
    return float(made.std / (math.sqrt(made.kappa) * made.sensitivity.value))


@pytest.mark.parametrize(
    ("how", "p", "expected"),
    [
        ("eq-3.2", Fraction(2), 47.5),
        ("eq-3.2", Fraction(3, 2), 47.5),
        ("zcdp", Fraction(2), 12.2),
        ("zcdp", Fraction(3, 2), 12.2),
        ("accountant", Fraction(2), 8.1),
        ("accountant", Fraction(3, 2), 8.1),
    ],
)
def test_po_9_needs_about_a_quarter_of_the_noise_of_eq_3_2(how: Any, p: Fraction, expected: float) -> None:
    """n = 1000, epsilon = 1, delta = 1/n; every calibration is certified by an accountant that knows nothing of it."""
    made = plan(wide(p), params(calibration=how))
    assert multiplier(made) == pytest.approx(expected, abs=0.06)
    spent = certify(ENTRY.ledger(made), delta=TENTH).upper
    assert spent <= 1 + 1e-9
    assert (how == "eq-3.2") == (spent < 0.4)


def test_the_ratio_of_the_two_noises_is_close_to_four() -> None:
    calibrations: tuple[calibration_calibration.Calibration, ...] = ("eq-3.2", "zcdp")
    printed, tight = (multiplier(plan(wide(Fraction(3, 2)), params(calibration=how))) for how in calibrations)
    assert 3.85 < printed / tight < 3.95


def test_noise_is_plain_gaussian_exactly_where_the_associated_norm_is_euclidean() -> None:
    for p, kind in (
        (Fraction(3), Gaussian),
        (math.inf, Gaussian),
        (Fraction(2), Gaussian),
        (Fraction(3, 2), GeneralizedGaussian),
    ):
        made = plan(wide(p), params())
        assert isinstance(made.noise.event(made.sensitivity), kind)
        assert (made.sensitivity.norm is L2) == (kind is Gaussian)
    # q = 5/2 in three dimensions: rho = 2 is the best, and an l_q sensitivity is stretched to l_2 by d^(1/2 - 1/q).
    made = plan(problem(Fraction(5, 3)), params())
    stretch = float(made.sensitivity.value / problem(Fraction(5, 3)).sensitivity(ReplaceOne).value)
    assert stretch == pytest.approx(3 ** (1 / 2 - 2 / 5), rel=1e-12)


def test_the_print_takes_a_root_too_many_and_an_index_that_is_no_norm() -> None:
    """E-1 and E-2, each alone and both."""
    of = problem(n=1000)
    choices: tuple[Any, ...] = ((), ("E-1",), ("E-2",), ("E-1", "E-2"))
    both, norm_mended, scale_mended, neither = (plan(of, params(form=Form.AS_PRINTED, repairs=r)) for r in choices)
    assert neither.std == pytest.approx(norm_mended.std**2)
    assert scale_mended.std == pytest.approx(both.std**2)
    assert (norm_mended.index, norm_mended.kappa) == (3.0, Fraction(2))
    assert both.index == pytest.approx(math.log(3) - 1)
    assert both.noise.event(both.sensitivity) == NonPrivate()
    assert calibration_formulas.printed_kappa(FLOAT, 3.0, math.log(3)) == pytest.approx(0.7287, abs=1e-4)


def test_zero_out_halves_the_sensitivity_and_the_noise() -> None:
    whole, half = (plan(problem(Fraction(2)), params(adjacency=a)) for a in (ReplaceOne, ZeroOut))
    assert whole.sensitivity.value == 2 * half.sensitivity.value
    assert whole.std == pytest.approx(2 * half.std, rel=1e-12)


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": Fraction(0)},
        {"delta": Fraction(1)},
        {"adjacency": AddOrRemoveOne},
        {"step_scale": Fraction(2)},
        {"calibration": "other"},
        {"calibration": "eq-3.2", "epsilon": Fraction(100)},
        {"form": Form.AS_PRINTED, "calibration": "zcdp"},
        {"form": Form.AS_PRINTED, "repairs": ("E-9",)},
        {"repairs": ("E-1",)},
    ],
    ids=str,
)
def test_bad_parameters_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        plan(problem(), params(**changes))


@pytest.mark.parametrize(
    "make",
    [
        lambda: plan(problem(Fraction(1)), params(form=Form.AS_PRINTED)),
        lambda: plan(replace(problem(Fraction(2)), dimension=2), params(form=Form.AS_PRINTED)),
        lambda: replace(problem(), n=0),
        lambda: replace(problem(), domain=simplex(4)),
        lambda: replace(problem(), clip=Fraction(0)),
        lambda: problem().read(Dataset(np.zeros((N + 1, D)), np.ones(N + 1))),
        lambda: problem().read(Dataset(np.full((N, D), 0.9), np.ones(N))),
        lambda: calibration_calibration.calibrated(
            calibration_calibration.NodeNoise(L2, Fraction(1), 2.0, None), Fraction(1), Fraction(1), TENTH, 5, "zcdp"
        ),
    ],
)
def test_bad_problems_are_refused(make: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        make()


def test_clipping_bounds_the_gradient_in_the_dual_norm() -> None:
    of = problem(Fraction(3, 2), loss=Squared(), clip=Fraction(1, 4))
    records, rng = of.read(data(of)), np.random.default_rng(1)
    assert of.lipschitz == Fraction(1, 4)
    sizes = [
        float(np.linalg.norm(of.gradient(FLOAT_ARRAY, rng.standard_normal(D), records.record(t)), ord=3))
        for t in range(1, N + 1)
    ]
    assert max(sizes) <= 0.25 * (1 + 1e-12)


def peak_of_a_stream(n: int, d: int, keep: bool) -> int:
    """The most bytes at a time while a stream of n records is followed, one record and one iterate after another."""
    of = StreamProblem(Linear(), n=n, dimension=d, domain=LpBall(Fraction(2), Fraction(1)))
    arrivals = Arrivals(of)
    following = releases(of, plan(of, params()), LiveCurator(arrivals, ReplaceOne, np.random.default_rng(0)))
    row, kept = np.full(d, 0.5 / math.sqrt(d)), []
    tracemalloc.start()
    for _ in range(n):
        arrivals.put(row, 1.0)
        theta = next(following)
        if keep:
            kept.append(theta)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.slow
def test_the_memory_of_a_stream_grows_as_the_logarithm_of_its_length() -> None:
    """Two vectors a live node and a few beside: 16 times as many records take less than twice the memory."""
    d = 100
    short, long = (peak_of_a_stream(n, d, keep=False) for n in (16, 256))
    assert long < 2 * short
    assert long < 8 * d * (2 * 9 + 40)
    assert peak_of_a_stream(256, d, keep=True) > 5 * long  # a planted bug: every iterate is kept
