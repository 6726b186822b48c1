r"""The formulas of vertex-sampling mirror descent over any number system: what proofs read.

Notation: T ``steps`` on batches of B records (``batch``, an integer), K ``samples`` at whose average a gradient is
taken; L0 bounds every entry of a record's gradient, and is half of that if a record is nulled instead of replaced;
$\tau$ is the step size, ``log_inverse_delta`` $\ln\frac1\delta$.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def score_sensitivity(o: Ops[T], tau: T, batch: T, L0: T) -> T:
    r"""$\frac{2L_0\tau}B$: how far a score moves when one record is replaced (half of it when one is nulled).

    Proof of Proposition 3.3 (3.7): only the batch that holds the record moves, by at most $2L_0/B$ in every entry.

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> score_sensitivity(RATIONAL, Fraction(1, 2), Fraction(4), Fraction(1))
    Fraction(1, 4)
    """
    return 2 * L0 * tau / batch


def printed_step(o: Ops[T], batch: T, epsilon: T, L0: T, steps: T, samples: T, log_inverse_delta: T) -> T:
    r"""$\tau=\frac{B\varepsilon}{16L_0\sqrt{T(K+1)\ln(1/\delta)}}$ (Proposition 3.3).

    >>> from dpref.reals import FLOAT
    >>> printed_step(FLOAT, 16.0, 1.0, 1.0, 4.0, 3.0, 1.0)
    0.25
    """
    return batch * epsilon / (16 * L0 * o.sqrt(steps * (samples + 1) * log_inverse_delta))


def zcdp_step(o: Ops[T], batch: T, epsilon: T, L0: T, steps: T, samples: T, log_inverse_delta: T) -> T:
    r"""$\tau=\frac{B\varepsilon}{8L_0\sqrt{T(K+1)\ln(1/\delta)}}$, twice the printed step.

    The $2T(K+1)$ draws are then $\frac{\varepsilon^2}{16\ln(1/\delta)}$-zCDP.

    >>> from dpref.reals import FLOAT
    >>> tau = zcdp_step(FLOAT, 16.0, 1.0, 1.0, 4.0, 3.0, 1.0)
    >>> tau, 2 * 4 * (3 + 1) * score_sensitivity(FLOAT, tau, 16.0, 1.0) ** 2 / 2 == 1 / 16
    (0.5, True)
    """
    return batch * epsilon / (8 * L0 * o.sqrt(steps * (samples + 1) * log_inverse_delta))
