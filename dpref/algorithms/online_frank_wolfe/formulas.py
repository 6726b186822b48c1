r"""The noise of DP-TOFW over any number system: what proofs read (Lemmas 2.1, 3.2 and 3.3, Theorem 3.1).

Notation: $\kappa$ is the regularity constant of the norm of the sensitivity, q the dual index, d the dimension;
an increment moves by $s=2S$, $S=\beta D+L$; ``nodes`` is m, as many as the paper counts for a record, or k, as many
as it can be in (E-20); ``log_ratio`` is $\ln\frac m\delta$, ``log_inverse_delta`` $\ln\frac1\delta$; $\varepsilon$ and
$\rho$ are those of the whole stream.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def printed_variance(o: Ops[T], nodes: T, kappa: T, log_ratio: T, S: T, epsilon: T) -> T:
    r"""$\sigma_+^2=8m^2\kappa\ln\frac m\delta\,\frac{S^2}{\varepsilon^2}$ (Eq. 3.2), from Lemma 2.1 with $s=2S$.

    >>> from dpref.reals import FLOAT
    >>> printed_variance(FLOAT, nodes=2.0, kappa=3.0, log_ratio=5.0, S=1.0, epsilon=2.0)
    120.0
    """
    return 8 * nodes * nodes * kappa * log_ratio * S * S / (epsilon * epsilon)


def node_variance(o: Ops[T], kappa: T, log_inverse_delta: T, s: T, epsilon: T) -> T:
    r"""$2\kappa\ln\frac1\delta\,\frac{s^2}{\varepsilon^2}$: Lemma 2.1, the noise of one answer.

    Here $\varepsilon$, s and $\delta$ are those of the answer; the lemma is proved for $\varepsilon\le2$ (E-6).

    >>> from dpref.reals import FLOAT
    >>> node_variance(FLOAT, kappa=2.0, log_inverse_delta=3.0, s=1.0, epsilon=2.0)
    3.0
    """
    return 2 * kappa * log_inverse_delta * s * s / (epsilon * epsilon)


def zcdp_variance(o: Ops[T], nodes: T, kappa: T, s: T, rho: T) -> T:
    r"""$\sigma^2=\frac{k\kappa s^2}{2\rho}$: k nodes, each $\frac{\kappa s^2}{2\sigma^2}$-zCDP (PO-9).

    >>> from dpref.reals import FLOAT
    >>> zcdp_variance(FLOAT, nodes=10.0, kappa=2.0, s=3.0, rho=0.5)  # 10 nodes, each 18 / (2 * 180)-zCDP
    180.0
    """
    return nodes * kappa * s * s / (2 * rho)


def printed_kappa(o: Ops[T], q: T, log_dimension: T) -> T:
    r"""$\min\{q-1,\ e^2(\ln d-1)\}$ (Lemma 3.2, as printed); below 1, as no constant can be, at d = 3 (E-1).

    >>> import math
    >>> from dpref.reals import FLOAT
    >>> printed_kappa(FLOAT, 3.0, math.log(1000)), round(printed_kappa(FLOAT, 3.0, math.log(3)), 3)
    (2.0, 0.729)
    """
    return o.minimum(q - 1, o.exp(o.number(2)) * (log_dimension - 1))


def printed_index(o: Ops[T], q: T, log_dimension: T) -> T:
    r"""$\min\{q-1,\ \ln d-1\}$ (Lemma 3.2, as printed): the smoothness constant where the index should stand (E-1).

    >>> import math
    >>> from dpref.reals import FLOAT
    >>> printed_index(FLOAT, 3.0, math.log(1000)), round(printed_index(FLOAT, 3.0, math.log(5)), 3)
    (2.0, 0.609)
    """
    return o.minimum(q - 1, log_dimension - 1)
