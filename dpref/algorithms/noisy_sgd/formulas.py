r"""The noise and the step of NoisySGD over any number system.

Notation: n records, L a bound on the Euclidean norm of a record's gradient, d the dimension, R the set's radius,
``log_inverse_delta`` $\ln\frac1\delta$; a run takes $T=n^2$ points.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def variance(o: Ops[T], lipschitz: T, log_inverse_delta: T, epsilon: T) -> T:
    r"""$\sigma^2=\frac{8L^2\ln(1/\delta)}{\varepsilon^2}$ per coordinate.

    >>> from dpref.reals import FLOAT
    >>> variance(FLOAT, lipschitz=1.0, log_inverse_delta=2.0, epsilon=4.0)
    1.0
    """
    return 8 * lipschitz * lipschitz * log_inverse_delta / (epsilon * epsilon)


def step_size(o: Ops[T], radius: T, lipschitz: T, n: T, dimension: T, log_inverse_delta: T, epsilon: T) -> T:
    r"""$\eta=\frac R{Ln\max\{\sqrt n,\ \sqrt{d\ln(1/\delta)}/\varepsilon\}}$.

    >>> from dpref.reals import FLOAT
    >>> step_size(FLOAT, 1.0, 1.0, n=4.0, dimension=2.0, log_inverse_delta=8.0, epsilon=1.0)
    0.0625
    """
    return radius / (lipschitz * n * o.maximum(o.sqrt(n), o.sqrt(dimension * log_inverse_delta) / epsilon))


def noise_multiplier(o: Ops[T], log_inverse_delta: T, epsilon: T) -> T:
    r"""$\frac\sigma{2L}=\frac{\sqrt{2\ln(1/\delta)}}\varepsilon$: the noise over what a replaced record moves.

    >>> from dpref.reals import FLOAT
    >>> noise_multiplier(FLOAT, log_inverse_delta=2.0, epsilon=4.0)
    0.5
    """
    return o.sqrt(2 * log_inverse_delta) / epsilon
