r"""The noise of DP-POFW over any number system: what proofs read (Han et al., Algorithm 2 and Theorem 3.4).

Notation: D is the diameter of the polytope in its norm, $S=\beta D+L$ (with steps c/(t+1), $S=c\beta D+L$), n the
length of the stream (``log_n`` its logarithm), $\varepsilon,\delta,\rho$ are those of the whole stream
(``log_inverse_delta`` is $\ln\frac1\delta$), $\varepsilon_t$ that of choice t, b (``scale``) the scale of its noise,
$H_n=\sum_{t\le n}\frac1t$; in round t the differences of scores move by $S_t$ (``span``).
"""

from __future__ import annotations

from dpref.reals import Ops, T


def printed_scale(o: Ops[T], diameter: T, S: T, log_n: T, log_inverse_delta: T, epsilon: T, t: T) -> T:
    r"""$\frac{4DS\sqrt{\ln n\,\ln\frac1\delta}}{\varepsilon\sqrt t}$ (Algorithm 2, line 8); zero at n = 1 (E-5).

    >>> from dpref.reals import FLOAT
    >>> printed_scale(FLOAT, diameter=2.0, S=1.0, log_n=2.0, log_inverse_delta=8.0, epsilon=1.0, t=4.0)
    16.0
    """
    return 4 * diameter * S * o.sqrt(log_n * log_inverse_delta) / (epsilon * o.sqrt(t))


def printed_epsilon(o: Ops[T], log_n: T, log_inverse_delta: T, epsilon: T, t: T) -> T:
    r"""$\varepsilon_t=\frac\varepsilon{2\sqrt{t\ln n\,\ln\frac1\delta}}$ (proof of Theorem 3.4).

    >>> from dpref.reals import FLOAT
    >>> printed_epsilon(FLOAT, log_n=2.0, log_inverse_delta=8.0, epsilon=1.0, t=4.0)
    0.0625
    """
    return epsilon / (2 * o.sqrt(t * log_n * log_inverse_delta))


def repaired_span(o: Ops[T], diameter: T, S: T, t: T) -> T:
    r"""$\frac{2DS}t$: with the weights 1/t no record moves $\langle d_t,v-w\rangle$ further (PO-5, S-9).

    >>> from dpref.reals import FLOAT
    >>> repaired_span(FLOAT, diameter=2.0, S=3.0, t=4.0)
    3.0
    """
    return 2 * diameter * S / t


def printed_span(o: Ops[T], diameter: T, S: T, lipschitz: T, t: T) -> T:
    r"""$\frac{2D\max(S,2L)}{t+1}$: the printed recursion counts the first gradient twice (E-4).

    >>> from dpref.reals import FLOAT
    >>> printed_span(FLOAT, diameter=2.0, S=1.0, lipschitz=1.0, t=3.0)
    2.0
    """
    return 2 * diameter * o.maximum(S, 2 * lipschitz) / (t + 1)


def choice_rate(o: Ops[T], rho: T, harmonic: T, weight: T) -> T:
    r"""$c_n=\sqrt{\rho/(wH_n)}$: choices of $\varepsilon_t=c_n/\sqrt t$ that cost $w\varepsilon_t^2$-zCDP spend rho.

    A choice that is only $\varepsilon_t$-DP costs $w=\frac12$, one of range $\varepsilon_t$ (Gumbel noise)
    $w=\frac18$.

    >>> from dpref.reals import FLOAT
    >>> choice_rate(FLOAT, rho=2.0, harmonic=4.0, weight=0.125)
    2.0
    """
    return o.sqrt(rho / (weight * harmonic))


def choice_scale(o: Ops[T], span: T, rate: T, t: T) -> T:
    r"""$b_t=\frac{S_t}{\varepsilon_t}=\frac{S_t\sqrt t}{c_n}$.

    >>> from dpref.reals import FLOAT
    >>> choice_scale(FLOAT, span=3.0, rate=2.0, t=4.0)
    3.0
    """
    return span * o.sqrt(t) / rate
