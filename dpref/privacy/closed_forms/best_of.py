r"""The best of K runs: what it costs at a loss, from the curve of one run.

$\phi$ is the generating function of K, F the chance that a run is at most as good as an outcome, which ties broken by
fresh noise make continuous: the best outcome has the density $\phi'(F)p$ (no run at all is equally likely for both data
sets).  Write $h(x)=\sup_SP(S)-e^xQ(S)$ of one run, the larger of both orders, $\tau=h(0)$, and $e^s$ for a bound of
$\phi'(F_P)/\phi'(F_Q)$.  Then for $x\ge0$

$$\int(\phi'(F_P)p-e^{x+s}\phi'(F_Q)q)_+\le\int\phi'(F_P)(p-e^xq)_+\le\phi'(1)\,h(x)=\mathbb EK\,h(x).$$

* Poisson of mean m: $\phi'(F)=me^{m(F-1)}$ and $|F_P-F_Q|\le\tau$, so $s=m\tau$.
* Truncated negative binomial with $\eta>-1$, $\gamma\in(0,1)$: $\phi'(F)\propto(1-(1-\gamma)F)^{-\eta-1}$, and with
  $u=1-F_P$, $1-F_Q\le e^{\hat\varepsilon}u+\hat\delta$, $\hat\delta=h(\hat\varepsilon)$, the ratio of the brackets is
  $e^{\hat\varepsilon}+\frac{\gamma(1-e^{\hat\varepsilon})+(1-\gamma)\hat\delta}{\gamma+(1-\gamma)u}$, which is largest
  at one of the ends of u: at most $\max(e^{\hat\varepsilon},1+\frac{1-\gamma}\gamma\hat\delta)$.

Runs that are coupled differ with the chance $\tau$ each, so the selections are at most $1-\phi(1-\tau)$ apart.

References:
    Liu and Talwar, "Private selection from private candidates", 2019.
    Papernot and Steinke, "Hyperparameter tuning with Rényi differential privacy", 2022, Lemma 7.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def expected_repetitions(o: Ops[T], eta: T, gamma: T) -> T:
    r"""$\mathbb EK = \frac{\eta(1-\gamma)}{\gamma(1-\gamma^\eta)}$ for $\eta \ne 0$, in $(-1, \infty)$.

    >>> from dpref.reals import FLOAT
    >>> round(expected_repetitions(FLOAT, 1.0, 0.1), 9)
    10.0
    """
    return eta * (1 - gamma) / (gamma * -o.expm1(eta * o.log(gamma)))


def expected_repetitions_logarithmic(o: Ops[T], gamma: T) -> T:
    r"""$\mathbb EK = \frac{1/\gamma-1}{\ln(1/\gamma)}$: the law with $\eta = 0$."""
    return (1 / gamma - 1) / -o.log(gamma)


def poisson_shift(o: Ops[T], mean: T, distance: T) -> T:
    r"""$s=m\tau$.

    >>> from dpref.reals import FLOAT
    >>> poisson_shift(FLOAT, 2.0, 0.25)
    0.5
    """
    return mean * distance


def negative_binomial_ratio(o: Ops[T], gamma: T, failure: T) -> T:
    r"""$1+\frac{1-\gamma}\gamma\hat\delta$: the ratio of the brackets where no outcome is better.

    >>> from dpref.reals import FLOAT
    >>> negative_binomial_ratio(FLOAT, 0.5, 0.5)
    1.5
    """
    return 1 + (1 - gamma) / gamma * failure


def negative_binomial_shift(o: Ops[T], eta: T, ratio: T) -> T:
    r"""$s=(1+\eta)\ln r$, r a bound of the ratio of the brackets.

    >>> from dpref.reals import FLOAT
    >>> round(negative_binomial_shift(FLOAT, 1.0, 1.5), 12)
    0.810930216216
    """
    return (1 + eta) * o.log(ratio)


def poisson_generating(o: Ops[T], mean: T, failure: T) -> T:
    r"""$\phi(1-z)=e^{-mz}$ of a Poisson law.

    >>> from dpref.reals import FLOAT
    >>> poisson_generating(FLOAT, 2.0, 0.0)
    1.0
    """
    return o.exp(-mean * failure)


def negative_binomial_generating(o: Ops[T], eta: T, gamma: T, failure: T) -> T:
    r"""$\phi(1-z)=\frac{(\gamma+(1-\gamma)z)^{-\eta}-1}{\gamma^{-\eta}-1}$, $\eta\ne0$.

    >>> from dpref.reals import FLOAT
    >>> round(negative_binomial_generating(FLOAT, 1.0, 0.5, 0.5), 12)
    0.333333333333
    """
    return o.expm1(-eta * o.log(gamma + (1 - gamma) * failure)) / o.expm1(-eta * o.log(gamma))


def logarithmic_generating(o: Ops[T], gamma: T, failure: T) -> T:
    r"""$\phi(1-z)=\frac{\ln(\gamma+(1-\gamma)z)}{\ln\gamma}$ of a logarithmic law.

    >>> from dpref.reals import FLOAT
    >>> logarithmic_generating(FLOAT, 0.5, 0.0)
    1.0
    """
    return o.log(gamma + (1 - gamma) * failure) / o.log(gamma)
