r"""The numbers of LocalMD over any number system.

Notation: n records, L a bound on the dual norm of a record's gradient, D the set's diameter, d the dimension, s the
modulus of the mirror map ($p-1$ for $1<p\le2$), ``log_inverse_delta`` $\ln\frac1\delta$; block i has $n_i$ records and
batches of $b_i$, and the budget $\varepsilon_i=2^{-i}\varepsilon$.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def step_size(
    o: Ops[T], diameter: T, lipschitz: T, modulus: T, n: T, dimension: T, log_inverse_delta: T, epsilon: T
) -> T:
    r"""$\eta=\frac DL\min\big\{\frac1{\sqrt{sn}},\frac\varepsilon{\sqrt{d\ln(1/\delta)(1+\ln d)}}\big\}$.

    >>> from dpref.reals import FLOAT
    >>> step_size(FLOAT, 2.0, 1.0, 1.0, n=16.0, dimension=1.0, log_inverse_delta=4.0, epsilon=1.0)
    0.5
    """
    private = epsilon / o.sqrt(dimension * log_inverse_delta * (1 + o.log(dimension)))
    return diameter / lipschitz * o.minimum(1 / o.sqrt(modulus * n), private)


def radius(o: Ops[T], lipschitz: T, step: T, records: T, modulus: T) -> T:
    r"""$2L\eta_in_is$: how far block i may go from where it begins.

    >>> from dpref.reals import FLOAT
    >>> radius(FLOAT, 1.0, 0.25, 4.0, 0.5)
    1.0
    """
    return 2 * lipschitz * step * records * modulus


def noise(o: Ops[T], constant: T, lipschitz: T, log_inverse_delta: T, batch: T, epsilon: T) -> T:
    r"""$\sigma_i=\frac{cL\sqrt{\ln(1/\delta)}}{b_i\varepsilon_i}$ per coordinate, c = 100 in print; L Euclidean.

    >>> from dpref.reals import FLOAT
    >>> noise(FLOAT, 100.0, 1.0, 4.0, 50.0, 0.5)
    8.0
    """
    return constant * lipschitz * o.sqrt(log_inverse_delta) / (batch * epsilon)
