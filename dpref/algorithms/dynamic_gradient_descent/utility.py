r"""Risk bounds of "Dynamic Privacy Budget Allocation", as formulas over ``Ops[T]``.

Notation of the paper (Hong, Wang, Zhou 2022): N records, dimension D, Lipschitz constant G, smoothness M,
Polyak-Lojasiewicz constant $\mu$, $\kappa=M/\mu$, budget R, noise multipliers $\sigma_t$, and
$\Delta_1=f(\theta_1)-f(\theta^*)$.  Arguments carry the symbols' names; ``n`` is N, ``dimension`` is D, ``smoothness``
is M, ``step_size`` is $\eta$, ``budget`` is R, ``steps`` is T, ``sigma`` is $\sigma_t$, ``gap`` is $\Delta_1$, and
``amplification`` is A, ``turn`` is $\hat T\le T$ (Lemma C.8); $\gamma$ is the contraction of a step, $\alpha$ the noise
unit, p a probability of failure.  An ERUB is an upper
bound of the expected excess risk, divided by $\Delta_1$.  A function that ends in ``_as_printed`` is a formula of the
paper that its errata list as wrong.

Obligations: ``dynamic-privacy-budget/PO-1`` to ``PO-7``, ``PO-14`` to ``PO-17``, ``PO-29`` to ``PO-31``,
``PO-47`` to ``PO-55``, and the errata ``T4`` to ``T21``.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpref.algorithms.dynamic_gradient_descent.formulas import contraction, influence
from dpref.reals import Ops, T


def step_factor(o: Ops[T], mu: T, smoothness: T, step_size: T) -> T:
    r"""$1-2\mu\eta(1-\frac M2\eta)$: what one step leaves of the excess risk (proof of Theorem 4.2).

    >>> from dpref.reals import FLOAT
    >>> step_factor(FLOAT, 0.5, 1.0, 1.0)  # 1 - 1/kappa at eta = 1/M
    0.5
    """
    return 1 - 2 * mu * step_size * (1 - smoothness * step_size / 2)


def step_noise(o: Ops[T], smoothness: T, dimension: T, G: T, n: T, sigma: T, step_size: T) -> T:
    r"""$\frac{MD}2\big(\frac{\eta G\sigma}N\big)^2$: what one step's noise adds (proof of Theorem 4.2).

    >>> from dpref.reals import FLOAT
    >>> step_noise(FLOAT, 2.0, 3.0, 1.0, 10.0, 5.0, 1.0)
    0.75
    """
    moved = step_size * G * sigma / n
    return smoothness * dimension / 2 * moved * moved


def noise_unit(o: Ops[T], dimension: T, G: T, budget: T, smoothness: T, n: T, gap: T) -> T:
    r"""$\alpha=\frac{DG^2}{2RMN^2\Delta_1}$ (Eq. 4); replace-one multiplies it by four (T1).

    >>> from dpref.reals import FLOAT
    >>> noise_unit(FLOAT, 8.0, 1.0, 2.0, 1.0, 2.0, 0.5)
    1.0
    """
    return dimension * G * G / (2 * budget * smoothness * n * n * gap)


def erub(o: Ops[T], variances: Sequence[T], gamma: T, alpha: T, budget: T) -> T:
    r"""$\gamma^T+R\sum_tq_t\sigma_t^2$, $q_t=\gamma^{T-t}\alpha$ (Theorem 4.2, Eq. 7).

    >>> from dpref.reals import FLOAT
    >>> erub(FLOAT, [3.0, 1.5], 0.25, 1.0, 1.0)  # 1/16 + 3/4 + 3/2
    2.3125
    """
    steps = len(variances)
    bound = gamma**steps
    for t, variance in enumerate(variances, 1):
        bound = bound + budget * influence(o, gamma, alpha, steps, t) * variance
    return bound


def erub_uniform(o: Ops[T], kappa: T, alpha: T, steps: T) -> T:
    r"""$\gamma^T+\alpha\kappa(1-\gamma^T)T$ (Eq. 9).

    >>> from dpref.reals import FLOAT
    >>> round(erub_uniform(FLOAT, 10.0, 1e-4, 44.0), 5)
    0.05327
    """
    left = contraction(o, kappa) ** steps
    return left + alpha * kappa * (1 - left) * steps


def erub_uniform_slope(o: Ops[T], kappa: T, alpha: T, steps: T) -> T:
    r"""$\gamma^T\ln\gamma+\alpha\kappa(1-\gamma^T)-\alpha\kappa T\gamma^T\ln\gamma$: the derivative of Eq. (9) in T.

    The least value for these constants is at T = 43.87:

    >>> from dpref.reals import FLOAT
    >>> [erub_uniform_slope(FLOAT, 10.0, 1e-4, steps) > 0 for steps in (43.8, 43.9)]
    [False, True]
    """
    gamma = contraction(o, kappa)
    rate, left = o.log(gamma), gamma**steps
    return left * rate + alpha * kappa * (1 - left) - alpha * kappa * steps * left * rate


def erub_uniform_minimum(o: Ops[T], w: T) -> T:
    r"""$\frac{w-1+w\ln w}{w(w+\ln w-1)}$: the least value of Eq. (9) over real T, with $w=\gamma^{-T^*}$ (T6).

    The example of `erub_uniform`, whose minimiser is 43.87:

    >>> from dpref.reals import FLOAT
    >>> round(erub_uniform_minimum(FLOAT, 0.9**-43.87), 4)
    0.0533
    """
    log = o.log(w)
    return (w - 1 + w * log) / (w * (w + log - 1))


def erub_uniform_surrogate(o: Ops[T], kappa: T, alpha: T) -> T:
    r"""$\frac1{1+\ell/\alpha}[1+\kappa\ln(1+\frac\ell\alpha)]$ (Eq. 25): Eq. (9) at the T of Eq. (24).

    >>> from dpref.reals import FLOAT
    >>> round(erub_uniform_surrogate(FLOAT, 10.0, 1e-4), 5)
    0.06695
    """
    rate = -o.log1p(-1 / kappa)
    return (1 + kappa * o.log1p(rate / alpha)) / (1 + rate / alpha)


def noise_floor(o: Ops[T], gamma: T, alpha: T) -> T:
    r"""$a=\frac\alpha{(1-\sqrt\gamma)^2}$: what the dynamic schedule's bound tends to as T grows.

    >>> from dpref.reals import FLOAT
    >>> noise_floor(FLOAT, 0.25, 1.0)
    4.0
    """
    gap = 1 - o.sqrt(gamma)
    return alpha / (gap * gap)


def erub_dynamic(o: Ops[T], gamma: T, alpha: T, steps: T) -> T:
    r"""$\gamma^T+\alpha\big(\frac{1-\gamma^{T/2}}{1-\sqrt\gamma}\big)^2$ (Theorem 4.5).

    >>> from dpref.reals import FLOAT
    >>> round(erub_dynamic(FLOAT, 0.9, 1e-4, 62.8), 5)
    0.03658
    """
    left = o.sqrt(gamma) ** steps
    return left * left + noise_floor(o, gamma, alpha) * (1 - left) * (1 - left)


def erub_dynamic_minimum(o: Ops[T], gamma: T, alpha: T) -> T:
    r"""$\frac a{1+a}$: the least value of Theorem 4.5's bound over real T (Eq. 27).

    >>> from dpref.reals import FLOAT
    >>> erub_dynamic_minimum(FLOAT, 0.25, 1.0)
    0.8
    """
    floor = noise_floor(o, gamma, alpha)
    return floor / (1 + floor)


def uniform_over_dynamic(o: Ops[T], gamma: T, steps: T) -> T:
    r"""$T\frac{1-\gamma^T}{1-\gamma}\big(\frac{1-\sqrt\gamma}{1-\gamma^{T/2}}\big)^2\ge1$: uniform / dynamic noise.

    >>> from dpref.reals import FLOAT
    >>> round(uniform_over_dynamic(FLOAT, 0.81, 4.0), 6)
    1.01382
    """
    root = o.sqrt(gamma)
    ratio = (1 - root) / (1 - root**steps)
    return steps * (1 - gamma**steps) / (1 - gamma) * ratio * ratio


def momentum_contraction(o: Ops[T], eta0: T, kappa: T) -> T:
    r"""$\gamma=1-\frac{\eta_0}{2\kappa}$ (Theorem 4.6-C, step size $\frac{\eta_0}{2M}$).

    >>> from dpref.reals import FLOAT
    >>> momentum_contraction(FLOAT, 0.5, 4.0)
    0.9375
    """
    return 1 - eta0 / (2 * kappa)


def momentum_contraction_as_printed(o: Ops[T], eta0: T, kappa: T) -> T:
    r"""$\gamma=1-\frac{\eta_0}\kappa$ (Theorem 4.6; its proof loses a factor 1/2, T4).

    >>> from dpref.reals import FLOAT
    >>> momentum_contraction_as_printed(FLOAT, 0.5, 4.0)
    0.875
    """
    return 1 - eta0 / kappa


def momentum_amplification(o: Ops[T], beta: T, gamma: T) -> T:
    r"""$A=\frac{\beta\gamma}{(\gamma-\beta)^2(1-\beta)^3}$ (Theorem 4.6).

    >>> from dpref.reals import FLOAT
    >>> momentum_amplification(FLOAT, 0.5, 0.75)
    48.0
    """
    return beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)


def momentum_step_limit(o: Ops[T], amplification: T) -> T:
    r"""$\eta_0\le\frac4{1+\sqrt{1+16A}}$: where $1-\frac{\eta_0}2-A\eta_0^2$ vanishes (Theorem 4.6-C).

    >>> from dpref.reals import FLOAT
    >>> momentum_step_limit(FLOAT, 3.0)  # and 1 - 1/4 - 3/4 = 0
    0.5
    """
    return o.number(4) / (1 + o.sqrt(1 + 16 * amplification))


def momentum_step_limit_as_printed(o: Ops[T], amplification: T) -> T:
    r"""$\eta_0\le\frac8{1+\sqrt{1+64A}}$: where $1-\frac{\eta_0}4-A\eta_0^2$ vanishes (Theorem 4.6).

    >>> from dpref.reals import FLOAT
    >>> momentum_step_limit_as_printed(FLOAT, 0.125)  # and 1 - 2/4 - 4/8 = 0
    2.0
    """
    return o.number(8) / (1 + o.sqrt(1 + 64 * amplification))


def momentum_noise_bound(o: Ops[T], gamma: T, budget: T, steps: T, turn: T) -> T:
    r"""$\frac T{\gamma R}\gamma^T\big(\hat T+\frac{\gamma^{\hat T-T}-1}{1-\gamma}\big)\ge U_3$: uniform noise.

    References:
        The proof of Theorem 4.7.

    >>> from dpref.reals import FLOAT
    >>> momentum_noise_bound(FLOAT, 0.5, 1.0, 2.0, 1.0)
    3.0
    """
    return steps / (gamma * budget) * gamma**steps * (turn + (gamma ** (turn - steps) - 1) / (1 - gamma))


def batch_noise_unit(o: Ops[T], dimension: T, mu: T, n: T, budget: T, gap: T) -> T:
    r"""$\alpha_g=\frac D{2\mu N^2R\Delta_1}$ (Theorem 4.9).

    >>> from dpref.reals import FLOAT
    >>> batch_noise_unit(FLOAT, 8.0, 1.0, 2.0, 2.0, 0.5)
    1.0
    """
    return dimension / (2 * mu * n * n * budget * gap)


def subsampled_renyi_lower(o: Ops[T], alpha: T, sigma: T, rate: T) -> T:
    r"""$\frac\alpha{2\sigma^2}-\frac\alpha{\alpha-1}\ln\frac1q\le D_\alpha$ of the subsampled Gaussian (T18).

    Args:
        alpha: Order of the divergence, above 1.
        sigma: Noise multiplier.
        rate: q, the probability that the record is sampled.

    >>> from dpref.reals import FLOAT
    >>> round(subsampled_renyi_lower(FLOAT, 2.0, 0.5, 0.5), 4)  # 4 - 2 ln 2
    2.6137
    """
    return alpha / (2 * sigma * sigma) + alpha / (alpha - 1) * o.log(rate)


def stability_as_printed(o: Ops[T], G: T, step_size: T, steps: T, n: T) -> T:
    r"""$\frac{G^2T\eta}N$ (Theorem 4.14): uniform stability of convex gradient descent under zero-out.

    >>> from dpref.reals import FLOAT
    >>> stability_as_printed(FLOAT, 2.0, 0.5, 10.0, 100.0)
    0.2
    """
    return G * G * steps * step_size / n


def stability(o: Ops[T], G: T, step_size: T, steps: T, n: T) -> T:
    r"""$\frac{2G^2T\eta}N$: under replace-one, which Theorem 4.13 needs (T19).

    >>> from dpref.reals import FLOAT
    >>> stability(FLOAT, 2.0, 0.5, 10.0, 100.0)
    0.4
    """
    return 2 * G * G * steps * step_size / n


def strongly_convex_stability(o: Ops[T], G: T, mu: T, n: T, gamma: T, steps: T) -> T:
    r"""$\frac{2G^2}{\mu N}(1-\gamma^T)$: of strongly convex gradient descent under replace-one (T16a).

    >>> from dpref.reals import FLOAT
    >>> strongly_convex_stability(FLOAT, 1.0, 0.5, 8.0, 0.5, 1.0)
    0.25
    """
    return 2 * G * G / (mu * n) * (1 - gamma**steps)


def true_excess_risk_as_printed(o: Ops[T], G: T, mu: T, n: T, p: T, gap: T) -> T:
    r"""$\sqrt{\frac{2G^2}{\mu N}}\sqrt{f(\theta)-f^*}+\frac{4G^2}{p\mu N}$ (Eq. 15; its first N is spurious, T16b).

    >>> from dpref.reals import FLOAT
    >>> true_excess_risk_as_printed(FLOAT, 1.0, 2.0, 4.0, 0.5, 1.0)  # 1/2 + 1
    1.5
    """
    return o.sqrt(2 * G * G / (mu * n) * gap) + 4 * G * G / (p * mu * n)


def true_excess_risk(o: Ops[T], G: T, mu: T, n: T, p: T, gap: T) -> T:
    r"""$\sqrt{\frac{2G^2}\mu}\sqrt{f(\theta)-f^*}+\frac{4G^2}{p\mu N}$: Eq. (15), repaired.

    >>> from dpref.reals import FLOAT
    >>> true_excess_risk(FLOAT, 1.0, 2.0, 4.0, 0.5, 1.0)  # 1 + 1
    2.0
    """
    return o.sqrt(2 * G * G / mu * gap) + 4 * G * G / (p * mu * n)


def squared_loss_sensitivity(o: Ops[T], norm: T, n: T) -> T:
    r"""$\frac{\|\theta\|+1}N$: zero-out sensitivity of the squared loss, rows of norm at most 1 (T21).

    >>> from dpref.reals import FLOAT
    >>> squared_loss_sensitivity(FLOAT, 1.0, 4.0)
    0.5
    """
    return (norm + 1) / n
