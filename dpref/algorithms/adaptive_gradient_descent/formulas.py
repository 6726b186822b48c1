r"""The noise and the charges of adaptive noisy gradient descent, printed and repaired: what proofs read.

Notation: $L_0$ (``bound``) is the largest norm of a record's gradient, $L_1$ (``smoothness``) the Lipschitz constant of
the gradients, d the number of parameters, n that of the records, $\rho$ the zCDP budget of the run, $\beta$ the
probability with which any of the m ``rounds`` may break the utility bound; $\Delta$ is the sensitivity of a norm or a
gradient, $\sigma$ (``std``) its noise, N (``size``) the noisy norm, not zero, and ``spread`` what `printed_spread`
gives.

Source: Menart et al. 2024, Algorithm 3 and Theorem 4; the errata's 3.3s.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def printed_norm_noise(o: Ops[T], bound: T, n: T, rho: T) -> T:
    r"""$\hat\sigma=L_0/(\sqrt n\rho^{1/4})$ (line 3).

    >>> from dpref.reals import FLOAT
    >>> printed_norm_noise(FLOAT, bound=1.0, n=100.0, rho=0.0625)  # 1 / (10 * 1/2)
    0.2
    """
    return bound / o.sqrt(n * o.sqrt(rho))


def printed_spread(o: Ops[T], d: T, n: T, rho: T, beta: T) -> T:
    r"""$\sqrt{d\log(n\sqrt\rho/\beta)}$: what $N_t$ is divided by (line 4).

    >>> from dpref.reals import FLOAT
    >>> round(printed_spread(FLOAT, d=4.0, n=100.0, rho=1.0, beta=0.01), 3)  # 2 sqrt(log 10^4)
    6.07
    """
    return o.sqrt(d * o.log(n * o.sqrt(rho) / beta))


def printed_floor(o: Ops[T], bound: T, n: T, rho: T) -> T:
    r"""$2L_0/(n\sqrt\rho)$: the least noise (line 4).

    >>> from dpref.reals import FLOAT
    >>> printed_floor(FLOAT, bound=1.0, n=100.0, rho=1.0)
    0.02
    """
    return 2 * bound / (n * o.sqrt(rho))


def printed_charge(o: Ops[T], bound: T, n: T, spread: T, size: T) -> T:
    r"""$L_0^2d\log(n\sqrt\rho/\beta)/(n^2N^2)$: what line 6 records, before the cap.

    >>> from dpref.reals import FLOAT
    >>> printed_charge(FLOAT, bound=1.0, n=100.0, spread=25.0, size=0.5)  # (25 / 50)**2
    0.25
    """
    return (bound * spread / (n * size)) ** 2


def norm_noise(o: Ops[T], sensitivity: T, n: T, rho: T) -> T:
    r"""$\Delta\sqrt{n/(2\sqrt\rho)}$: a norm then costs $\sqrt\rho/n$ (3.3s).

    >>> from dpref.reals import FLOAT
    >>> noise = norm_noise(FLOAT, sensitivity=0.02, n=200.0, rho=1.0)
    >>> round(noise, 12), round(gaussian_cost(FLOAT, 0.02, noise), 12)
    (0.2, 0.005)
    """
    return sensitivity * o.sqrt(n / (2 * o.sqrt(rho)))


def noise_radius(o: Ops[T], d: T, rounds: T, beta: T) -> T:
    r"""$G=\sqrt d+\sqrt{2\log(m/\beta)}$: $P(\|N(0,I_d)\|>G)\le\beta/m$ (3.3s, E23).

    >>> from dpref.reals import FLOAT
    >>> round(noise_radius(FLOAT, d=4.0, rounds=100.0, beta=0.05), 3)  # 2 + sqrt(2 log 2000)
    5.899
    """
    return o.sqrt(d) + o.sqrt(2 * o.log(rounds / beta))


def norm_error(o: Ops[T], std: T, rounds: T, beta: T) -> T:
    r"""$\nu=\hat\sigma\sqrt{2\log(2m/\beta)}$: $P(|\hat b_t|>\nu)\le\beta/m$ (3.3s, E23).

    >>> from dpref.reals import FLOAT
    >>> round(norm_error(FLOAT, std=0.2, rounds=100.0, beta=0.05), 3)  # 0.2 sqrt(2 log 4000)
    0.815
    """
    return std * o.sqrt(2 * o.log(2 * rounds / beta))


def gaussian_cost(o: Ops[T], sensitivity: T, std: T) -> T:
    r"""$\Delta^2/(2\sigma^2)$: the zCDP of a Gaussian answer.

    >>> from dpref.reals import FLOAT
    >>> gaussian_cost(FLOAT, sensitivity=1.0, std=2.0)
    0.125
    """
    return (sensitivity / std) ** 2 / 2


def descent(o: Ops[T], square: T, product: T, error: T, smoothness: T) -> T:
    r"""$\frac{3\|g\|^2+2\langle g,e\rangle-\|e\|^2}{8L_1}$: what a step of $1/(2L_1)$ along $g+e$ gains at least (E22).

    Args:
        square: $\|g\|^2$.
        product: $\langle g,e\rangle$.
        error: $\|e\|^2$.
        smoothness: $L_1$, the Lipschitz constant of the gradients.

    >>> from dpref.reals import FLOAT
    >>> descent(FLOAT, square=4.0, product=-1.0, error=2.0, smoothness=1.0)  # (12 - 2 - 2) / 8
    1.0
    """
    return (3 * square + 2 * product - error) / (8 * smoothness)
