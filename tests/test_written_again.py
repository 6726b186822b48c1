"""Every algorithm is written again in plain numpy, straight from the paper: here or where its other tests are.

On one tape the reference and the kernel's text agree with it to 1e-12.  `AGAIN` names the test of each algorithm; one
that registers without fails here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from dpref.algorithms.registry import ALGORITHMS
from dpref.algorithms.spider import Params
from dpref.curator import RecordingCurator, Transcript
from dpref.geometry.linear_minimization import LpBall
from dpref.kernels.twin import interpreted_run
from dpref.problems.datasets import synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.games import Game, sampled_game
from dpref.problems.losses import Logistic
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray
from dpref.units import ReplaceOne
from tests.counted import borrowed, lines, reached

N: Final = 60
DATA, RIDGE = synthetic(N, 3, seed=2), 0.1
PROBLEM = ERMProblem(Logistic(), n=N, dimension=3, ridge=Fraction(1, 10))
STREAM = StreamProblem(Logistic(), n=N, dimension=3, domain=LpBall(Fraction(2), Fraction(2)))
GAME = Game(n=N, rows=3, columns=2, ramp=Fraction(1, 4))
PAYOFFS = sampled_game(N, np.array([[0.5, -0.5], [0.0, 0.3], [-0.4, 0.1]]), seed=3)
Again = Callable[[Any, Transcript], FloatArray]
Drawn = tuple[FloatArray, FloatArray]


def gradient(w: FloatArray, chosen: Any = slice(None)) -> FloatArray:
    """Of the mean logistic loss, without the ridge."""
    x, y = DATA.features[chosen], DATA.labels[chosen]
    found: FloatArray = -(x * (y / (1 + np.exp(y * (x @ w))))[:, None]).mean(axis=0)
    return found


def gradient_descent(plan: Any, tape: Transcript) -> FloatArray:
    """Wang et al., Algorithm 4: the last iterate."""
    w = np.zeros(3)
    for z in tape.noise():
        w = w - plan.step_size * (gradient(w) + plan.std * z + RIDGE * w)
    return w


def dynamic_gradient_descent(plan: Any, tape: Transcript) -> FloatArray:
    """Hong et al., Algorithm 1 with Eq. (13)."""
    w, total, beta = np.zeros(3), np.zeros(3), float(plan.momentum)
    for t, (z, std) in enumerate(zip(tape.noise(), plan.stds, strict=True), start=1):
        total = beta * total + (1 - beta) * (gradient(w) + std * z + RIDGE * w)
        w = w - plan.step_size * total / (1 - beta**t)
    return w


def noisy_gradient_descent(plan: Any, tape: Transcript) -> FloatArray:
    """Menart et al., Algorithm 4, with the steps whose weights telescope."""
    w, mu, all_of_them = np.zeros(3), plan.weak_convexity, [np.zeros(3)]
    for t, z in enumerate(tape.noise(), start=1):
        w = w - 2 / (mu * (t + 1)) * (gradient(w) + plan.std * z + RIDGE * w + 2 * mu * w)
        w = w * min(1.0, plan.radius / np.linalg.norm(w))
        all_of_them.append(w)
    return np.average(all_of_them, axis=0, weights=np.arange(1, len(all_of_them) + 1))


def adaptive_gradient_descent(plan: Any, tape: Transcript) -> FloatArray:
    """Menart et al., Algorithm 3, whose answers all fit into the budget: a norm, then a gradient as noisy as it."""
    w, rows = np.zeros(3), iter(tape.noise())
    for z in rows:
        size = max(0.0, np.linalg.norm(gradient(w) + RIDGE * w) + plan.norm_std * z[0])
        if size <= plan.stop_norm:
            break
        std = max(size / plan.spread, plan.floor_std)
        w = w - plan.step_size * (gradient(w) + std * next(rows) + RIDGE * w)
    return w


def svrg(plan: Any, tape: Transcript) -> FloatArray:
    """Wang et al., Algorithms 1 and 2: epochs of proximal steps on a batch's change plus the full gradient."""
    snapshot = x = np.zeros(3)
    noise, drawn = iter(tape.noise()), np.array(tape.indices, dtype=int).reshape(-1, plan.batch)
    batches: Iterator[Any] = iter(drawn)
    for length in plan.lengths:
        x, full, path = x if plan.carry else snapshot, gradient(snapshot), []
        for _ in range(length):
            batch = next(batches)
            v = gradient(x, batch) - gradient(snapshot, batch) + full + plan.std * next(noise)
            x = (x - plan.step_size * v) / (1 + plan.step_size * RIDGE)
            path.append(x)
        snapshot = np.mean(path, axis=0)
    return snapshot


def spider(plan: Any, tape: Transcript) -> FloatArray:
    """Menart et al., Algorithm 1, repaired: rounds of normalised steps on a running estimate of the gradient."""
    w, noise = np.zeros(3), iter(tape.noise())
    for r in plan.rounds:
        estimate = gradient(w) + plan.outer_std * next(noise) + RIDGE * w
        for t in range(r.updates):
            size = np.linalg.norm(estimate)
            if size < r.threshold:
                break
            before, w = w, w - r.length / size * estimate
            if t < r.differences:
                moved = gradient(w) - gradient(before) + RIDGE * (w - before)
                estimate = estimate + moved + r.std * next(noise)
    return w


def online_frank_wolfe(plan: Any, tape: Transcript) -> FloatArray:
    """Han et al., Algorithm 1 on a ball of radius 2: a prefix's noise is that of the nodes that tile it."""
    noise, theta, previous, total = tape.noise().astype(float), np.zeros(3), np.zeros(3), np.zeros(3)
    for t in range(1, N + 1):
        total = total + t * gradient(theta, [t - 1]) - (t - 1) * gradient(previous, [t - 1])
        noisy, node = total.copy(), t
        while node:
            noisy, node = noisy + plan.std * noise[node - 1], node & (node - 1)
        vertex = -2 * noisy / np.linalg.norm(noisy)
        theta, previous = theta + float(plan.step_scale) / (t + 1) * (vertex - theta), theta
    return theta


def operator(x: FloatArray, y: FloatArray, batch: range) -> tuple[FloatArray, FloatArray]:
    """The gradients of both players, each in the sense in which it descends, of a batch."""
    found = []
    for z in batch:
        payoffs, slopes, offset = PAYOFFS.payoffs[z], PAYOFFS.slopes[z], PAYOFFS.offsets[z]
        height = np.clip((slopes @ x - offset) / 0.25, -1, 1)
        found.append(np.concatenate([payoffs @ y + height * slopes, -payoffs.T @ x]))
    both = np.mean(found, axis=0)
    return both[:3], both[3:]


def vertices(scores: FloatArray, count: int, draws: Iterator[FloatArray]) -> FloatArray:
    """So many vertices by Gumbel noise, shape (count, d)."""
    rows = np.array(next(draws)).reshape(count, len(scores))
    found: FloatArray = np.eye(len(scores))[np.argmax(scores + rows, axis=1)]
    return found


def mirror_descent(plan: Any, tape: Transcript, *, reduced: bool = False) -> FloatArray:
    """Gonzalez et al., Algorithms 1 and 3: vertices of both players, a gradient at their means, exponential weights.

    ``reduced`` takes Algorithm 2's estimate instead of the gradient.
    """
    a, b, first, output = np.zeros(3), np.zeros(2), 0, []
    draws = iter([entry.noise for entry in tape.answers])
    for size, count in zip(plan.batches, plan.vertices, strict=True):
        batch, half = range(first, first + size), count // 2
        x, y = (vertices(scores, 1 + count, draws) for scores in (a, b))
        output.append(np.concatenate([x[0], y[0]]))
        whole, part, one = (operator(x[1 : 1 + k].mean(axis=0), y[1 : 1 + k].mean(axis=0), batch)
                            for k in (count, max(1, half), 1))  # fmt: skip
        weight = plan.numbers["normaliser"] * half
        g, h = ((weight * (w - p) + o if reduced else w) for w, p, o in zip(whole, part, one, strict=True))
        a, b, first = a - plan.step_size * g, b - plan.step_size * h, first + size
    return np.asarray(np.mean(output, axis=0))


HERE: Final[dict[str, Again]] = {
    "gradient-descent": gradient_descent,
    "dynamic-gradient-descent": dynamic_gradient_descent,
    "noisy-gradient-descent": noisy_gradient_descent,
    "adaptive-gradient-descent": adaptive_gradient_descent,
    "svrg": svrg,
    "svrg-plus-plus": svrg,
    "spider": spider,
    "online-frank-wolfe": online_frank_wolfe,
    "mirror-descent": mirror_descent,
    "bias-reduced-mirror-descent": partial(mirror_descent, reduced=True),
}
# Problem and data, where they are not those of `PROBLEM`; parameters that ask for more than the first ones.
PROBLEMS: Final[dict[str, tuple[Any, Any]]] = {
    "online-frank-wolfe": (STREAM, DATA),
    "mirror-descent": (GAME, PAYOFFS),
    "bias-reduced-mirror-descent": (GAME, PAYOFFS),
}
EPOCHS: Final[dict[str, dict[str, int]]] = {name: {"epochs": 2, "inner": 4} for name in ("svrg", "svrg-plus-plus")}
SPIDER: Final = Params(Fraction(10**5), Fraction(1, 20), Fraction(1, 256), Fraction(1), ReplaceOne)
PAPER, OWN = "the_reference_is_the_paper_written_again", "an_own_computation_agrees_to_the_last_digits"
AGAIN: Final[dict[str, str]] = {
    **dict.fromkeys(HERE, "test_written_again.the_reference_is_what_is_written_here"),
    "dynamic-sgd": f"test_dynamic_sgd.{PAPER}",
    "dynamic-boosting": f"test_dynamic_boosting.{PAPER}",
    "accelerated-mirror-descent": (
        "test_accelerated_mirror_descent.the_reference_is_the_paper_s_algorithm_on_the_same_tape"
    ),
    "stationary-point": f"test_stationary_point.{PAPER}",
    "proximal-point": f"test_proximal_point.{PAPER}",
    "noisy-frank-wolfe": "test_noisy_frank_wolfe.an_own_implementation_agrees_on_the_same_noise",
    "local-mirror-descent": "test_local_mirror_descent.an_own_implementation_agrees_on_the_same_noise",
    "noisy-sgd": "test_noisy_sgd.an_own_implementation_agrees_on_the_same_noise",
    "polyhedral-frank-wolfe": "test_polyhedral_frank_wolfe.an_own_implementation_agrees_to_1e_12",
    "high-dimensional-bandit": "test_high_dimensional_bandit.an_own_implementation_agrees_to_1e_12",
    "linear-ucb": "test_linear_ucb.an_own_implementation_agrees_to_1e_12",
    "anytime-mirror-descent": f"test_anytime_mirror_descent.{OWN}",
    "boosted-mirror-descent": f"test_boosted_written_again.{PAPER}",
    "variance-reduced-frank-wolfe": f"test_variance_reduced_frank_wolfe.{OWN}",
    "synthetic-data": f"test_synthetic_data.{OWN}",
}
# What may be taken from dpref: nothing that computes.
NAMES: Final = frozenset(
    {
        "dpref.algorithms.boosted_mirror_descent.routines.Vertex",
        "dpref.algorithms.forms.Form",
        "dpref.reals.FloatArray",
        "dpref.units.ReplaceOne",
    }
)
# The function of a module that is the paper written again.
ROOTS: Final[dict[str, str]] = {
    "test_accelerated_mirror_descent": "own_run",
    **dict.fromkeys(("test_anytime_mirror_descent", "test_local_mirror_descent", "test_noisy_sgd"), "by_hand"),
    **dict.fromkeys(("test_high_dimensional_bandit", "test_linear_ucb", "test_polyhedral_frank_wolfe"), "own"),
    **dict.fromkeys(
        ("test_dynamic_sgd", "test_noisy_frank_wolfe", "test_proximal_point", "test_stationary_point"), "from_the_paper"
    ),
    **dict.fromkeys(("test_boosted_written_again", "test_dynamic_boosting", "test_synthetic_data"), "written_again"),
    "test_variance_reduced_frank_wolfe": "written_again",
}
# Algorithms 3 and 5 of the paper, which its Algorithm 4 calls: each is counted on its own.
APART: Final = frozenset({"candidate", "response"})


def test_every_algorithm_is_written_again_somewhere() -> None:
    assert set(AGAIN) == set(ALGORITHMS)
    for place in AGAIN.values():
        module, name = place.split(".")
        assert f"\ndef test_{name}(" in (Path(__file__).parent / f"{module}.py").read_text("utf-8")


def places() -> Iterator[tuple[str, str, str]]:
    """What is counted: an algorithm, the source of its module, and the function that is the paper written again."""
    for name, place in AGAIN.items():
        module = place.split(".")[0]
        again: Any = HERE.get(name)
        yield (
            name,
            (Path(__file__).parent / f"{module}.py").read_text("utf-8"),
            getattr(again, "func", again).__name__ if again else ROOTS[module],
        )


def test_whatever_is_written_again_is_short_with_all_that_it_calls() -> None:
    """A reader compares it with the paper: under forty lines, one statement each, helpers among them."""
    counted = {(name, r): lines(text, r, APART) for name, text, root in places() for r in (root, *APART)}
    assert all(counted[name, root] > 0 for name, _, root in places())
    assert {which: count for which, count in counted.items() if count >= 40} == {}


def test_what_is_written_again_takes_nothing_over_from_dpref() -> None:
    """Names of forms and of an adjacency to compare with, a type of arrays: no function that computes anything."""
    taken = {name: borrowed(text, root) - NAMES for name, text, root in places()}
    assert {name: found for name, found in taken.items() if found} == {}


@pytest.mark.parametrize(
    "text",
    [
        "from dpref.privacy.events.tree import prefix_nodes\ndef f(x): return prefix_nodes(x)",
        "import dpref.geometry.prox\ndef f(x): return dpref.geometry.prox.l1(x)",
        "def f(x):\n    from dpref.geometry.prox import l1 as again\n    return again(x)",
        "from dpref.geometry.prox import l1\ndef f(x): return g(x)\ndef g(x): return l1(x)",
    ],
)
def test_planted_bug_a_computation_that_is_taken_from_dpref_is_found(text: str) -> None:
    assert len(borrowed(text, "f")) == 1


def test_what_is_counted_is_what_the_test_calls() -> None:
    for name, text, root in places():
        if name not in HERE:
            assert root in reached(text, f"test_{AGAIN[name].split('.')[1]}"), name


def test_planted_bug_a_helper_of_the_library_is_seen() -> None:
    text = (
        "from dpref.privacy.events.tree import prefix_nodes as nodes\ndef f(t): return g(t)\ndef g(t): return nodes(t)"
    )
    assert borrowed(text, "f") == {"dpref.privacy.events.tree.prefix_nodes"}


def test_planted_bug_lines_that_are_hidden_are_counted() -> None:
    """Behind semicolons, in one long line, in a helper of the module, in a class."""
    many = [f"x = x + {i}" for i in range(40)]
    hidden = {
        "semicolons": f"def f(x):\n    {'; '.join(many)}; return x",
        "one line": f"def f(x): return {' + '.join(f'g(x, first={i}, second={i})' for i in range(200))}",
        "helper": "def f(x): return g(x)\ndef g(x):\n    " + "\n    ".join([*many, "return x"]),
        "class": "def f(x): return G().g(x)\nclass G:\n    def g(self, x):\n        " + "\n        ".join(many),
    }
    assert {how for how, text in hidden.items() if lines(text, "f") < 40} == set()
    assert lines("def f(x):\n    return x", "f") == 2


def planned(name: str) -> Any:
    """A plan of the first example, in a game with steps so long that the tape decides what is returned."""
    algorithm, problem = ALGORITHMS[name], PROBLEMS.get(name, (PROBLEM, DATA))[0]
    params = {"spider": SPIDER}.get(name) or algorithm.examples(problem, ReplaceOne)[0]
    params = replace(params, **EPOCHS.get(name, {}))
    plan = algorithm.plan(problem, params)
    return replace(plan, step_size=1.5) if problem is GAME else plan


def farthest(name: str, change: Callable[[Any], Any] = lambda plan: plan) -> float:
    """How far the reference or the kernel's text is from what is written here, relatively, at five seeds.

    ``change`` is made to the plan from which it is written here.
    """
    algorithm, plan, found = ALGORITHMS[name], planned(name), 0.0
    problem, data = PROBLEMS.get(name, (PROBLEM, DATA))
    for seed in range(5):
        curator: Any = RecordingCurator(problem.read(data), ReplaceOne, np.random.default_rng(seed))
        output, tape = algorithm.run(problem, plan, curator), curator.transcript
        assert len(tape.answers) > 0
        written = HERE[name](change(plan), tape)
        with interpreted_run(name.replace("-", "_")):
            indices = np.array(tape.indices, dtype=np.int64)
            traced = algorithm.trace(problem, data, plan, tape.noise(), indices).points[-1]
        apart = max(np.abs(written - other).max() for other in (np.asarray(output), traced))
        found = max(found, float(apart / (1 + np.abs(written).max())))
    return found


@pytest.mark.parametrize("name", HERE)
def test_the_reference_is_what_is_written_here(name: str) -> None:
    assert farthest(name) <= 1e-12


@pytest.mark.parametrize("name", HERE)
def test_planted_bug_a_number_that_is_a_little_larger_is_seen(name: str) -> None:
    """Of the step size, or of the noise where the plan has no step size; of vertices, only much longer steps."""
    plan, factor = planned(name), 1.5 if name in PROBLEMS and PROBLEMS[name][0] is GAME else 1.001
    field = next(f for f in ("step_size", "step_scale", "outer_std", "std") if hasattr(plan, f))
    assert farthest(name, lambda made: replace(made, **{field: getattr(made, field) * factor})) > 1e-9


def test_the_runs_written_here_take_every_turn() -> None:
    """Spider's rounds ask for differences, an epoch has several steps, adaptive descent ends before its answers do."""
    assert any(r.differences for r in planned("spider").rounds)
    assert all(max(planned(name).lengths) > 1 for name in ("svrg", "svrg-plus-plus"))
    assert max(planned("bias-reduced-mirror-descent").vertices) > 2
