r"""The numbers of DP-UCB over any number system (Shariff and Sheffet 2018, additive Gaussian noise).

Notation: a leaf is $zz^\top$ with $z=(x,y)$, $\|x\|_2\le L_x$, $|y|\le B$, $\tilde L^2=L_x^2+B^2$ (``square``); m nodes
hold a leaf as the source counts; the noise of a node is $(Z+Z^\top)/\sqrt2$ with entries of Z of standard deviation
$\sigma$ (``std``); D is the dimension of the actions, T the rounds, $\alpha$ the failure probability.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def leaf_sensitivity(o: Ops[T], square: T) -> T:
    r"""$\sqrt2\,\tilde L^2$: how far $zz^\top$ moves in the Frobenius norm when z is replaced.

    >>> from dpref.reals import FLOAT
    >>> round(leaf_sensitivity(FLOAT, 2.0), 3)
    2.828
    """
    return o.sqrt(o.number(2)) * square


def printed_multiplier(o: Ops[T], nodes: T, log_ratio: T, epsilon: T) -> T:
    r"""$\frac\sigma{\tilde L^2}=\frac{4\sqrt m\ln\frac4\delta}\varepsilon$, ``log_ratio`` the logarithm.

    >>> from dpref.reals import FLOAT
    >>> printed_multiplier(FLOAT, nodes=4.0, log_ratio=3.0, epsilon=2.0)
    12.0
    """
    return 4 * o.sqrt(nodes) * log_ratio / epsilon


def shift(o: Ops[T], std: T, nodes: T, dimension: T, length: T) -> T:
    r"""$\Upsilon=\sigma\sqrt{2m}\,(4\sqrt D+2l)$, $l=\ln\frac{2T}\alpha$: no noise is larger in the operator norm.

    >>> from dpref.reals import FLOAT
    >>> shift(FLOAT, std=1.0, nodes=2.0, dimension=4.0, length=1.0)
    20.0
    """
    return std * o.sqrt(2 * nodes) * (4 * o.sqrt(dimension) + 2 * length)


def noise_of_rewards(o: Ops[T], std: T, nodes: T, upsilon: T, dimension: T, length: T) -> T:
    r"""$\gamma=\sigma\sqrt{m/\Upsilon}\,(\sqrt D+\sqrt{2l})$: the noise of $\sum yx$ in the norm of $V^{-1}$.

    >>> from dpref.reals import FLOAT
    >>> noise_of_rewards(FLOAT, std=1.0, nodes=4.0, upsilon=1.0, dimension=4.0, length=2.0)
    8.0
    """
    return std * o.sqrt(nodes / upsilon) * (o.sqrt(dimension) + o.sqrt(2 * length))


def width(o: Ops[T], spread: T, log_ratio: T, dimension: T, upsilon: T, size: T, gamma: T, square: T, t: T) -> T:
    r"""$\beta_t=\sigma_y\sqrt{2\ln\frac2\alpha+D\ln(3+\frac{tL_x^2}{D\Upsilon})}+S\sqrt{3\Upsilon}+\gamma$.

    Args:
        spread: $\sigma_y$, of the rewards.
        log_ratio: $\ln\frac2\alpha$.
        dimension: D.
        upsilon: $\Upsilon$; eigenvalues of the shift and the noise lie between it and $3\Upsilon$.
        size: S, a bound on the norm of the true parameters.
        gamma: $\gamma$.
        square: $L_x^2$.
        t: The round.

    >>> from dpref.reals import FLOAT
    >>> width(FLOAT, 0.0, 1.0, 2.0, upsilon=3.0, size=1.0, gamma=1.0, square=1.0, t=1.0)
    4.0
    """
    log = o.log(3 + t * square / (dimension * upsilon))
    return spread * o.sqrt(2 * log_ratio + dimension * log) + size * o.sqrt(3 * upsilon) + gamma
