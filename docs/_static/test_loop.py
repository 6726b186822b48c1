"""A training loop of one's own, on the unit draws of a recorded run."""

import numpy as np

from dpref.foreign.replay import assert_same_run


def train(rows, labels, clip, step, std, steps, rng):
    """Gradient descent on the logistic loss, gradients clipped, noise added to their mean."""
    theta, iterates = np.zeros(rows.shape[1]), []
    for _ in range(steps):
        gradients = -(labels / (1 + np.exp(labels * (rows @ theta))))[:, None] * rows
        sizes = np.linalg.norm(gradients, axis=1, keepdims=True)
        mean = (gradients * np.minimum(1, clip / sizes)).mean(axis=0)
        draw = rng.standard_normal(theta.size)
        theta = theta - step * (mean + std * draw)
        iterates.append(theta)
    return np.array(iterates)


def test_the_loop(dp_reference, dp_tape):
    run = dp_reference("gradient-descent-1")
    problem, plan = run.problem, run.parameters
    arguments = problem["features"], problem["labels"], problem["clip"], plan["step_size"], plan["std"], plan["steps"]
    assert_same_run(run, train(*arguments, dp_tape("gradient-descent-1")))
