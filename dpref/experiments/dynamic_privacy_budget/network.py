r"""A network of one hidden layer as a problem: what Section 5 trains, with per-record gradients clipped.

The parameter is one vector: the first layer's weights (inputs + 1, hidden), the last row its biases, then the second
layer's (hidden + 1).  The loss of a record is $\ln(1+e^{-ys})$ with $s$ the output of rectified units.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, FloatArray, Ops


@dataclass(frozen=True)
class TwoLayerNetwork(ERMProblem):
    """Logistic loss of a network; ``dimension`` counts its parameters.

    Attributes:
        hidden: Units of the hidden layer.

    >>> from dpref.problems.losses import Logistic
    >>> TwoLayerNetwork(Logistic(), n=10, dimension=parameters(3, 5), clip=Fraction(4), hidden=5).gradient_bound
    Fraction(4, 1)
    """

    hidden: int = 1

    @property
    def gradient_bound(self) -> Fraction:
        """The clipping norm: nothing else bounds a network's gradient."""
        return Fraction(self.clip or 0)

    def mean_gradient(self, o: Ops[Array], theta: Array, records: Records) -> Array:
        r"""$\frac1n\sum_i\mathrm{clip}(\nabla\ell_i(\theta))$, shape (dimension,); in doubles.

        A record's gradient is an outer product in each layer, so that its norm is known without forming it.

        Args:
            theta: Parameter, shape (dimension,).
            records: The private data.
        """
        x, second, raw = self._forward(theta, records.features)
        units = np.maximum(raw, 0.0)
        slope = self.loss.derivative(o, units @ second[:-1] + second[-1], records.labels)
        back = slope[:, None] * second[None, :-1] * (raw > 0)
        squared = (x * x).sum(axis=1) * (back * back).sum(axis=1) + slope**2 * ((units * units).sum(axis=1) + 1)
        weight = float(self.gradient_bound) / np.maximum(float(self.gradient_bound), np.sqrt(squared)) / self.n
        gradient_1 = x.T @ (weight[:, None] * back)
        gradient_2 = (weight * slope) @ np.column_stack([units, np.ones(len(units))])
        return np.concatenate([gradient_1.ravel(), gradient_2])

    def scores(self, theta: FloatArray, features: FloatArray) -> FloatArray:
        """The network's outputs, shape (records,).

        Args:
            theta: Parameter, shape (dimension,).
            features: Shape (records, inputs).
        """
        _, second, raw = self._forward(theta, features)
        return np.asarray(np.maximum(raw, 0.0) @ second[:-1] + second[-1])

    def _forward(self, theta: Array, features: FloatArray) -> tuple[FloatArray, Array, FloatArray]:
        x = np.column_stack([features, np.ones(len(features))])
        first = theta[: x.shape[1] * self.hidden].reshape(x.shape[1], self.hidden)
        return x, theta[x.shape[1] * self.hidden :], x @ first


def parameters(inputs: int, hidden: int) -> int:
    """How many parameters a network has.

    Args:
        inputs: Features of a record.
        hidden: Units.

    >>> parameters(60, 1000)
    62001
    """
    return (inputs + 1) * hidden + hidden + 1


def start(inputs: int, hidden: int, rng: np.random.Generator) -> FloatArray:
    """Random weights of the usual scale (He et al. 2015), biases zero, shape (parameters,).

    Args:
        inputs: Features of a record.
        hidden: Units.
        rng: Draws them.
    """
    first = rng.standard_normal((inputs + 1, hidden)) * np.sqrt(2 / inputs)
    second = rng.standard_normal(hidden + 1) * np.sqrt(1 / hidden)
    first[-1], second[-1] = 0.0, 0.0
    return np.concatenate([first.ravel(), second])
