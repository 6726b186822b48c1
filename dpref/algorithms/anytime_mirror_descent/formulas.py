r"""The formulas of anytime mirror descent over any number system: what proofs read.

Notation: T ``steps`` on batches of B records (``batch``, an integer), q ``round_length``, K ``samples`` at whose
average a gradient is taken, k ``draws`` in all; L0 bounds every entry of a record's gradient, and is half of that if a
record is nulled instead of replaced; $\tau$ is the step size ``tau``, ``log_inverse_delta`` $\ln\frac1\delta$.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def mixture_epsilon(o: Ops[T], tau: T, batch: T, L0: T) -> T:
    r"""$\frac{4L_0\tau}B$: how far the logarithm of a running average's weight moves when one record is replaced.

    Every iterate is an exponential mechanism whose scores move by $\frac{2L_0\tau}B$; its weights keep their ratios
    within $e^{\pm4L_0\tau/B}$, and so does every average of iterates (Proposition 4.3 by the argument of E10).

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> mixture_epsilon(RATIONAL, Fraction(1, 2), Fraction(4), Fraction(1))
    Fraction(1, 2)
    """
    return 4 * L0 * tau / batch


def printed_draws(o: Ops[T], steps: T, round_length: T, samples: T) -> T:
    r"""$\frac{TK}q+qK$: Proposition 4.3's bound on the number of drawn vertices.

    >>> from dpref.reals import FLOAT
    >>> printed_draws(FLOAT, 12.0, 3.0, 2.0)
    14.0
    """
    return steps * samples / round_length + round_length * samples


def printed_step(o: Ops[T], batch: T, epsilon: T, L0: T, draws: T, log_inverse_delta: T) -> T:
    r"""$\tau=\frac{B\varepsilon}{8L_0\sqrt{2k\ln(1/\delta)}}$ (Proposition 4.3, k its bound).

    >>> from dpref.reals import FLOAT
    >>> printed_step(FLOAT, 16.0, 1.0, 1.0, 8.0, 1.0)
    0.5
    """
    return batch * epsilon / (8 * L0 * o.sqrt(2 * draws * log_inverse_delta))


def zcdp_step(o: Ops[T], batch: T, epsilon: T, L0: T, draws: T, log_inverse_delta: T) -> T:
    r"""$\tau=\frac{B\varepsilon}{4L_0\sqrt{2k\ln(1/\delta)}}$, twice as much for as many draws.

    A draw from a mixture is $\frac{(4L_0\tau/B)^2}8$-zCDP, since Rényi divergences are quasi-convex; k of them are then
    $\frac{\varepsilon^2}{16\ln(1/\delta)}$-zCDP.

    >>> from dpref.reals import FLOAT
    >>> tau = zcdp_step(FLOAT, 16.0, 1.0, 1.0, 8.0, 1.0)
    >>> tau, 8 * mixture_epsilon(FLOAT, tau, 16.0, 1.0) ** 2 / 8 == 1 / 16
    (1.0, True)
    """
    return batch * epsilon / (4 * L0 * o.sqrt(2 * draws * log_inverse_delta))
