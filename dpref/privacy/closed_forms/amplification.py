r"""What sampling makes of the largest loss, and the inverse of the curve of sampled randomized response.

Notation: $\gamma$ the rate, $\varepsilon$ the largest loss of one answer, $\varepsilon_0$ that of a randomized response
of two categories, $p=\frac{e^{\varepsilon_0}}{e^{\varepsilon_0}+1}$ its chance of a true answer.

References:
    Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", 2018, Theorems 8 and 9.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def sampled_loss(o: Ops[T], rate: T, epsilon: T) -> T:
    r"""$\ln(1+\gamma(e^\varepsilon-1))$: of $\gamma P+(1-\gamma)Q$ against Q, where $P\le e^\varepsilon Q$.

    >>> from dpref.reals import FLOAT
    >>> round(sampled_loss(FLOAT, 0.1, 1.0), 12)
    0.15856507874
    """
    return o.log(1 + rate * o.expm1(epsilon))


def sampled_loss_reversed(o: Ops[T], rate: T, epsilon: T) -> T:
    r"""$-\ln(1-\gamma(1-e^{-\varepsilon}))$: of P against $(1-\gamma)P+\gamma Q$, where $P\le e^\varepsilon Q$.

    >>> from dpref.reals import FLOAT
    >>> round(sampled_loss_reversed(FLOAT, 0.1, 1.0), 12)
    0.065298335999
    """
    return -o.log(1 + rate * o.expm1(-epsilon))


def sampled_response_removed(o: Ops[T], rate: T, loss: T, delta: T) -> T:
    r"""$\varepsilon=\ln(1+\gamma(\frac{p-\delta/\gamma}{1-p}-1))$: the curve of a removed record, inverted.

    Args:
        rate: $\gamma$.
        loss: $\varepsilon_0$ of one answer.
        delta: At least 0; on the last linear piece of the curve.

    >>> from dpref.reals import FLOAT
    >>> round(sampled_response_removed(FLOAT, 0.0238, 5.73, 1e-6), 12)
    2.116925124072
    """
    truth = 1 / (1 + o.exp(-loss))
    return o.log(1 + rate * ((truth - delta / rate) / (1 - truth) - 1))


def sampled_response_added(o: Ops[T], rate: T, loss: T, delta: T) -> T:
    r"""$\varepsilon=\ln\frac{p-\delta}{(1-\gamma)p+\gamma(1-p)}$ in the other direction; as `sampled_response_removed`.

    >>> from dpref.reals import FLOAT
    >>> round(sampled_response_added(FLOAT, 0.0238, 5.73, 1e-6), 12)
    0.02400763086
    """
    truth = 1 / (1 + o.exp(-loss))
    return o.log((truth - delta) / ((1 - rate) * truth + rate * (1 - truth)))
