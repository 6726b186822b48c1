"""DP-UCB: noisy Gram matrices from a tree, against a computation of its own."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.forms import Form
from dpref.algorithms.linear_ucb.algorithm import actions, run
from dpref.algorithms.linear_ucb.plan import Params, Plan, ledger, plan
from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.catalogue import catalogue
from dpref.audit.verdict import audit
from dpref.curator import RecordingCurator
from dpref.errors import InvalidArgumentError
from dpref.kernels.twin import interpreted_run
from dpref.privacy.accountants import certify
from dpref.problems.bandit import BanditData, LinearBandit, regret, sampled_bandit
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut

ENTRY = ALGORITHMS["linear-ucb"]
CLAIMS = {c.form: c for c in catalogue() if c.algorithm == ENTRY.name}
TRUE = np.array([[0.6, 0.0], [0.0, -0.5]])


def problem(n: int = 30) -> LinearBandit:
    return LinearBandit(n=n, dimension=2, arms=2, reward_bound=Fraction(2))


def params(**changes: Any) -> Params[Any]:
    return Params(**{"epsilon": Fraction(1), "delta": Fraction(1, 1000), "adjacency": ReplaceOne, **changes})


def own(users: BanditData, made: Plan[Any], unit: FloatArray) -> tuple[FloatArray, list[int]]:
    """Section 8.5 straight: symmetric matrices, noise (Z + Z^T) / sqrt 2 from the tape, tree sums by definition."""
    n, side, sigma = len(users.contexts), 5, made.std / math.sqrt(2)
    leaves: list[FloatArray] = []
    noises, total, told = [], np.zeros((side, side)), []
    for t in range(1, n + 1):
        inverse = np.linalg.inv(total[:4, :4] + 2 * made.upsilon * np.eye(4))
        bounds = []
        for arm in range(2):
            x = np.zeros(4)
            x[2 * arm : 2 * arm + 2] = users.contexts[t - 1]
            bounds.append(total[:4, 4] @ inverse @ x + made.widths[t - 1] * math.sqrt(x @ inverse @ x))
        arm = 0 if bounds[0] >= max(bounds) - 1e-9 * max(map(abs, bounds)) else 1
        told.append(arm)
        z = np.zeros(side)
        z[2 * arm : 2 * arm + 2], z[4] = users.contexts[t - 1], users.rewards[t - 1, arm]
        leaves.append(np.outer(z, z))
        noise = np.zeros((side, side))
        noise[np.triu_indices(side)] = sigma * unit[t - 1]  # off the diagonal (Z_ij + Z_ji) / sqrt 2
        noises.append(noise + noise.T - np.diag(np.diag(noise)) * (2 - math.sqrt(2)))  # on it sqrt 2 Z_ii
        ends = {t >> h << h for h in range(t.bit_length())}  # of the nodes: t, its last binary digits 1 left out
        total = np.sum(leaves, axis=0) + sum(noises[end - 1] for end in sorted(ends))
    return total, told


def test_an_own_implementation_agrees_to_1e_12() -> None:
    of = problem()
    users = sampled_bandit(of, TRUE, spread=0.2, seed=1)
    made = plan(of, params(epsilon=Fraction(2000)))
    curator = RecordingCurator(of.read(users), ReplaceOne, np.random.default_rng(2))
    reached = run(of, made, curator)
    total, told = own(users, made, curator.transcript.noise())
    expected = np.where(np.eye(5, dtype=bool), total, math.sqrt(2) * total)[np.triu_indices(5)]
    assert np.abs(reached - expected).max() < 1e-12 * np.abs(expected).max()
    with interpreted_run("linear_ucb"):
        points = ENTRY.trace(of, users, made, curator.transcript.noise()).points
    assert actions(of, made, points, users.contexts).tolist() == told
    assert set(told) == {0, 1}


def test_the_noise_is_the_sources_or_the_least_that_an_accountant_certifies() -> None:
    of = problem(1000)
    printed, repaired = (plan(of, params(form=form)) for form in (Form.AS_PRINTED, Form.REPAIRED))
    variance = 16 * 11 * 6**2 * math.log(4000) ** 2  # m = 11 nodes, L~^2 = 2 + 4
    assert printed.std / math.sqrt(2) == pytest.approx(math.sqrt(variance))
    spent = {form: float(certify(ledger(made), delta=Fraction(1, 1000)).upper)
             for form, made in (("printed", printed), ("repaired", repaired))}  # fmt: skip
    assert 0.999 < spent["repaired"] <= 1 + 1e-9
    assert spent["printed"] < 0.1
    half = plan(of, params(adjacency=ZeroOut))
    assert half.std == pytest.approx(repaired.std / math.sqrt(2))


def test_planted_bug_a_leaf_without_the_root_of_two_is_seen_in_the_noise() -> None:
    """Off the diagonal (Z_ij + Z_ji) / sqrt 2 has the standard deviation sigma, on it sqrt 2 sigma."""
    made = plan(problem(2), params())
    rng = np.random.default_rng(0)
    z = rng.standard_normal((20_000, 2, 2)) * made.std / math.sqrt(2)
    symmetric = (z + z.transpose(0, 2, 1)) / math.sqrt(2)
    coordinates = np.column_stack([symmetric[:, 0, 0], math.sqrt(2) * symmetric[:, 0, 1], symmetric[:, 1, 1]])
    assert coordinates.std(axis=0) == pytest.approx([made.std] * 3, rel=0.03)
    assert not np.allclose(symmetric[:, 0, 1].std(), made.std, rtol=0.03)


def test_with_little_noise_users_are_told_their_better_arm() -> None:
    of = problem(400)
    made = plan(of, params(epsilon=Fraction(10**7), spread=Fraction(1, 100)))
    late, chance = 0.0, 0.0
    for seed in range(3):
        users = sampled_bandit(of, TRUE, spread=0.05, seed=seed)
        noise = np.random.default_rng(seed).standard_normal((400, 15))
        with interpreted_run("linear_ucb"):
            points = ENTRY.trace(of, users, made, noise).points
        costs = regret(of, TRUE, users.contexts, actions(of, made, points, users.contexts))
        late += float(costs[-1] - costs[199])
        tossed = np.random.default_rng(seed).integers(2, size=400)
        chance += float(np.diff(regret(of, TRUE, users.contexts, tossed))[199:].sum())
    assert late < chance / 4


@pytest.mark.slow
@pytest.mark.parametrize("form", sorted(CLAIMS))
def test_every_claim_has_its_recorded_verdict(form: str) -> None:
    verdict = audit(CLAIMS[form])
    assert verdict.outcome == verdict.claim.expected
    assert verdict.alarms == ()


@pytest.mark.parametrize(
    "changes",
    [{"epsilon": Fraction(0)}, {"delta": Fraction(1)}, {"failure": Fraction(1)}, {"adjacency": AddOrRemoveOne},
     {"spread": Fraction(0)}, {"size": Fraction(0)}],
    ids=str,
)  # fmt: skip
def test_bad_parameters_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        plan(problem(), params(**changes))


def test_gram_matrices_are_of_linear_rewards() -> None:
    with pytest.raises(InvalidArgumentError, match="identity"):
        LinearBandit(n=4, dimension=1, arms=2, link="logistic")
