r"""The smoothing lemma: discrete Gaussian noise is, but for a tiny factor, made of continuous noise, and the reverse.

Poisson summation: for s > 0 and every real x,

$$\sum_{y\in\mathbb Z}e^{-(y-x)^2/(2s^2)}=\sqrt{2\pi}\,s\Bigl(1+2\sum_{k\ge1}e^{-2\pi^2s^2k^2}\cos2\pi kx\Bigr)
\in\sqrt{2\pi}\,s\,[1-\tau,1+\tau],\qquad \tau=2\sum_{k\ge1}e^{-2\pi^2s^2k^2}.$$

*From continuous to discrete.*  Let $\sigma>s$.  Draw $X\sim N(\mu,\sigma^2-s^2)$, then the integer y with probability
$e^{-(y-X)^2/(2s^2)}$ over its sum.  As $\frac{(x-\mu)^2}{\sigma^2-s^2}+\frac{(y-x)^2}{s^2}=\frac{(y-\mu)^2}{\sigma^2}+
\frac{(x-m)^2}{w}$, integrating over x leaves $e^{-(y-\mu)^2/(2\sigma^2)}$ over a number within $[1-\tau,1+\tau]$ of a
constant; so does the sum that normalises the discrete Gaussian.  The law of y is therefore within the factor
$e^{\pm\eta}$ of $N_{\mathbb Z}(\mu,\sigma^2)$, $\eta=\ln\frac{1+\tau}{1-\tau}$.

*From discrete to continuous.*  Draw $Y\sim N_{\mathbb Z}(\mu,\sigma^2)$, then $X\sim N(Y,r^2)$ with
$r^2=\frac{s^2\sigma^2}{\sigma^2-s^2}$.  Summing over y is summing a Gaussian of variance $s^2$: the law of X is within
$e^{\pm\eta}$ of $N(\mu,\sigma^2+r^2)$, and $\sigma^2+r^2=\frac{\sigma^4}{\sigma^2-s^2}$.

So a run of answers with $H=\sum d\eta$, adaptive, sampled or in a tree (all are mixtures and products of such kernels),
is within $e^{\pm H}$ of a post-processing of the same run with Gaussian noise of the smaller variance, and the run with
Gaussian noise of the larger one within $e^{\pm H}$ of a post-processing of it.  If all probabilities are within
$e^{\pm H}$ of those of another run, $P(S)-e^\varepsilon Q(S)\le e^H(P'(S)-e^{\varepsilon-2H}Q'(S))$, hence

$$e^{-H}\delta_{\sigma^4/(\sigma^2-s^2)}(\varepsilon+2H)\le\delta(\varepsilon)\le
e^H\delta_{\sigma^2-s^2}(\varepsilon-2H).$$

Obligations ``discrete-gaussian/smoothing``, ``discrete-gaussian/converse``, ``discrete-gaussian/factor``.

References:
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020 (Poisson summation
    for the discrete Gaussian).
"""

from __future__ import annotations

from dpref.reals import Ops, T


def theta_excess(o: Ops[T], variance: T) -> T:
    r"""$\frac{2q}{1-q^3}\ge\tau$ with $q=e^{-2\pi^2s^2}$: as $k^2\ge3k-2$, the series is below a geometric one.

    Args:
        variance: $s^2$, positive.

    >>> from dpref.reals import FLOAT
    >>> 1e-34 < theta_excess(FLOAT, 4.0) < 2e-34
    True
    """
    q = o.exp(-2 * o.pi() * o.pi() * variance)
    return 2 * q / (1 - q * q * q)


def distortion(o: Ops[T], excess: T) -> T:
    r"""$\eta=\ln\frac{1+\tau}{1-\tau}$, the logarithm of the factor of one coordinate of one answer.

    Args:
        excess: $\tau$, at least 0 and below 1.

    >>> from dpref.reals import FLOAT
    >>> round(distortion(FLOAT, 0.5), 6)  # ln 3
    1.098612
    """
    return o.log((1 + excess) / (1 - excess))


def smaller_variance(o: Ops[T], variance: T, smoothing: T) -> T:
    r"""$\sigma^2-s^2$: of the continuous noise that discrete noise can be made of.

    Args:
        variance: $\sigma^2$.
        smoothing: $s^2$, smaller.

    >>> from dpref.reals import FLOAT
    >>> smaller_variance(FLOAT, 16.0, 4.0)
    12.0
    """
    return variance - smoothing


def larger_variance(o: Ops[T], variance: T, smoothing: T) -> T:
    r"""$\frac{\sigma^4}{\sigma^2-s^2}$: of the continuous noise that can be made of discrete noise.

    Args:
        variance: $\sigma^2$.
        smoothing: $s^2$, smaller.

    >>> from dpref.reals import FLOAT
    >>> larger_variance(FLOAT, 16.0, 4.0)
    21.333333333333332
    """
    return variance * variance / (variance - smoothing)
