r"""Noise schedules and iteration counts of "Dynamic Privacy Budget Allocation", as formulas over ``Ops[T]``.

Notation of the paper (Hong, Wang, Zhou 2022; DPBA below): budget $R=\sum_t\sigma_t^{-2}$, noise multipliers $\sigma_t$,
influences $q_t>0$, condition number $\kappa$, contraction $\gamma=1-1/\kappa$ (gradient descent), $\alpha$ the noise
unit of Eq. (4), momentum factor $\beta$. Arguments carry the symbols' names; ``budget`` is R, ``steps`` is T, ``eta0``
is $\eta_0=2M\eta$, ``turn`` is $\hat T$ (Lemma C.8), and ``log_inverse_delta`` is $L=\ln\frac1\delta$. All are pure
numbers. Steps are numbered $t=1,\dots,T$. A function that ends in ``_as_printed`` is a formula of the paper that its
errata list as wrong; it stays here to be run and refuted.

Obligations: ``dynamic-privacy-budget/PO-10`` to ``PO-15``, ``PO-36``, ``PO-43``, ``PO-46``, ``PO-47``.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpref.reals import Ops, T


def optimal_variances(o: Ops[T], influence: Sequence[T], budget: T) -> list[T]:
    r"""$\sigma_t^2 = \frac1R\sum_i\sqrt{q_i/q_t}$ (Lemma 4.4, Eq. 10): minimises $\sum_t q_t\sigma_t^2$.

    Returns:
        $\sigma_1^2,\dots,\sigma_T^2$, whose inverses sum to R.

    >>> from dpref.reals import FLOAT
    >>> optimal_variances(FLOAT, [1.0, 4.0], 3.0)
    [1.0, 0.5]
    """
    roots = [o.sqrt(q) for q in influence]
    total = o.number(0)
    for root in roots:
        total = total + root
    return [total / (budget * root) for root in roots]


def uniform_variance(o: Ops[T], budget: T, steps: T) -> T:
    r"""$\sigma_t^2 = T/R$ (Theorem 4.3).

    >>> from dpref.reals import FLOAT
    >>> uniform_variance(FLOAT, 2.0, 10.0)
    5.0
    """
    return steps / budget


def contraction(o: Ops[T], kappa: T) -> T:
    r"""$\gamma = 1 - 1/\kappa$ (Eq. 6).

    >>> from dpref.reals import FLOAT
    >>> contraction(FLOAT, 4.0)
    0.75
    """
    return 1 - 1 / kappa


def influence(o: Ops[T], gamma: T, alpha: T, steps: int, t: int) -> T:
    r"""$q_t = \gamma^{T-t}\alpha$ (Theorem 4.2, Eq. 7).

    >>> from dpref.reals import FLOAT
    >>> [influence(FLOAT, 0.5, 8.0, 3, t) for t in (1, 2, 3)]
    [2.0, 4.0, 8.0]
    """
    return gamma ** (steps - t) * alpha


def dynamic_variance(o: Ops[T], gamma: T, budget: T, steps: T, t: T) -> T:
    r"""$\sigma_t^2 = \frac1R\frac{\gamma^{-T/2}-1}{1-\sqrt\gamma}\gamma^{t/2}$ (Theorem 4.5), for $0<\gamma<1$.

    >>> from dpref.reals import FLOAT
    >>> [dynamic_variance(FLOAT, 0.25, 1.0, 2.0, t) for t in (1.0, 2.0)]  # 1/3 + 2/3 = R
    [3.0, 1.5]
    """
    root = o.sqrt(gamma)
    return (root ** (-steps) - 1) / (1 - root) * root**t / budget


def dynamic_share(o: Ops[T], gamma: T, steps: T, t: T) -> T:
    r"""$1/(R\sigma_t^2) = \frac{(1-\sqrt\gamma)\gamma^{(T-t)/2}}{1-\gamma^{T/2}}$: Theorem 4.5 without its overflow.

    >>> from dpref.reals import FLOAT
    >>> [round(dynamic_share(FLOAT, 0.25, 2.0, t), 9) for t in (1.0, 2.0)]
    [0.333333333, 0.666666667]
    """
    root = o.sqrt(gamma)
    return (1 - root) * root ** (steps - t) / (1 - root**steps)


def uniform_steps_as_printed(o: Ops[T], kappa: T, alpha: T) -> T:
    r"""$T=\kappa\ln(1+\frac1{\kappa\alpha})$ (Theorem 4.3; T6: not a minimiser when $\kappa\alpha$ is large).

    >>> from dpref.reals import FLOAT
    >>> round(uniform_steps_as_printed(FLOAT, 10.0, 1e-4), 2)  # 10 ln 1001
    69.09
    """
    return kappa * o.log1p(1 / (kappa * alpha))


def uniform_steps_surrogate(o: Ops[T], kappa: T, alpha: T) -> T:
    r"""$T=\ln(1+\ell/\alpha)/\ell$, $\ell=\ln\frac1\gamma$ (Eq. 24), which the proof of Theorem 4.3 uses.

    >>> from dpref.reals import FLOAT
    >>> round(uniform_steps_surrogate(FLOAT, 10.0, 1e-4), 2)
    66.07
    """
    rate = -o.log1p(-1 / kappa)
    return o.log1p(rate / alpha) / rate


def uniform_steps_stationarity(o: Ops[T], kappa: T, alpha: T, w: T) -> T:
    r"""$w+\ln w-1-\frac{\ell}{\alpha\kappa}$: zero at $w=\gamma^{-T^*}$, $T^*$ the minimiser of Eq. (9) (T6, PO-6).

    The least value of Eq. (9) for these constants is at T = 43.87:

    >>> from dpref.reals import FLOAT
    >>> [uniform_steps_stationarity(FLOAT, 10.0, 1e-4, 0.9**-steps) > 0 for steps in (43.8, 43.9)]
    [False, True]
    """
    return w + o.log(w) - 1 + o.log1p(-1 / kappa) / (alpha * kappa)


def dynamic_steps_as_printed(o: Ops[T], kappa: T, alpha: T) -> T:
    r"""$T=2\kappa\ln(1+\frac1{\kappa\alpha})$ (Theorem 4.5; T7: the proof has $\kappa^2\alpha$).

    >>> from dpref.reals import FLOAT
    >>> round(dynamic_steps_as_printed(FLOAT, 10.0, 1e-4), 2)  # 20 ln 1001
    138.18
    """
    return 2 * kappa * o.log1p(1 / (kappa * alpha))


def dynamic_steps(o: Ops[T], kappa: T, alpha: T) -> T:
    r"""$T^*=\frac2\ell\ln(1+\frac{(1-\sqrt\gamma)^2}{\alpha})$ (Eq. 27, proof of Theorem 4.5): the minimiser.

    >>> from dpref.reals import FLOAT
    >>> round(dynamic_steps(FLOAT, 10.0, 1e-4), 2)
    62.8
    """
    gap = 1 - o.sqrt(contraction(o, kappa))
    return -2 * o.log1p(gap * gap / alpha) / o.log1p(-1 / kappa)


def bias_corrected_weight(o: Ops[T], beta: T, steps: int, t: int) -> T:
    r"""$\sum_{k=t}^{T}\frac{(1-\beta)\beta^{k-t}}{1-\beta^k}$: how often $g_t$ enters $\sum_k m_{k+1}$ (Eq. 13).

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> [bias_corrected_weight(RATIONAL, Fraction(1, 2), 2, t) for t in (1, 2)]  # they sum to T
    [Fraction(4, 3), Fraction(2, 3)]
    """
    total = o.number(0)
    for k in range(t, steps + 1):
        total = total + (1 - beta) * beta ** (k - t) / (1 - beta**k)
    return total


def momentum_influences(o: Ops[T], beta: T, gamma: T, steps: int) -> list[T]:
    r"""$Q_i=\sum_{t=i}^T\gamma^{T-t}(\frac{1-\beta}{1-\beta^t})^2\beta^{2(t-i)}$, the exact weights of Eq. (14).

    Computed from the last step down by $Q_i = w_i+\beta^2Q_{i+1}$, in O(T) (A8-exact of the errata, T14).

    Returns:
        $Q_1,\dots,Q_T$.

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> momentum_influences(RATIONAL, Fraction(1, 2), Fraction(8, 9), 2)  # 8/9 + 4/9/4 and (2/3)^2
    [Fraction(1, 1), Fraction(4, 9)]
    """
    weights: list[T] = []
    tail = o.number(0)
    for t in range(steps, 0, -1):
        step = (1 - beta) / (1 - beta**t)
        tail = gamma ** (steps - t) * step * step + beta * beta * tail
        weights.append(tail)
    return weights[::-1]


def momentum_influence_as_printed(o: Ops[T], beta: T, gamma: T, steps: int, turn: int, t: int) -> T:
    r"""$q_t=c_1\gamma^{T+t}$ if $T\le\hat T$, else $\gamma^{\hat T-1}c_2\gamma^{T-t}$ (Theorem 4.8).

    The indicators are in T, as printed (T12); $c_1=\frac2{\gamma(\gamma-\beta^2)}$ and the proof's
    $c_2=\frac{\gamma^{2\hat T}}{\gamma-\beta^2}$ (T13).  ``turn`` is $\hat T$.

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> beta, gamma = Fraction(1, 2), Fraction(3, 4)
    >>> [momentum_influence_as_printed(RATIONAL, beta, gamma, steps, 1, 1) for steps in (1, 2)]
    [Fraction(3, 1), Fraction(27, 32)]
    """
    gap = gamma - beta * beta
    if steps <= turn:
        return o.number(2) / (gamma * gap) * gamma ** (steps + t)
    return gamma ** (turn - 1) * gamma ** (2 * turn) / gap * gamma ** (steps - t)


def momentum_influence_split(o: Ops[T], beta: T, gamma: T, steps: int, turn: int, t: int) -> T:
    r"""The form that the proof of Theorem 4.8 supports: indicators in t, $c_2=\gamma^{\hat T}/(\gamma-\beta^2)$.

    An upper bound of `momentum_influences` (obligation PO-43), yet often a worse schedule than uniform (T14).

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> beta, gamma = Fraction(1, 2), Fraction(3, 4)
    >>> [momentum_influence_split(RATIONAL, beta, gamma, 2, 1, t) for t in (1, 2)]
    [Fraction(9, 4), Fraction(3, 2)]
    """
    gap = gamma - beta * beta
    if t <= turn:
        return o.number(2) / (gamma * gap) * gamma ** (steps + t)
    return gamma ** (turn - 1) * gamma**turn / gap * gamma ** (steps - t)


def turning_profile(o: Ops[T], beta: T, gamma: T, t: T) -> T:
    r"""$h(t)=\gamma^{t-1}(1-\beta^t)$, unimodal; $\hat T$ is the last t with $h(t)\ge1-\beta$ (Lemma C.8).

    >>> from dpref.reals import FLOAT
    >>> [turning_profile(FLOAT, 0.5, 0.5, t) for t in (1.0, 2.0)]  # below 1 - beta at once
    [0.5, 0.375]
    """
    return gamma ** (t - 1) * (1 - beta**t)


def momentum_slack_as_printed(o: Ops[T], beta: T, gamma: T, eta0: T) -> T:
    r"""$\zeta=1-\frac{\eta_0}4-A\eta_0^2$ with $A=\frac{\beta\gamma}{(\gamma-\beta)^2(1-\beta)^3}$ (proof of 4.6).

    There $\gamma=1-\eta_0/\kappa$; the theorem itself prints another $\zeta$ (T4d).

    >>> from dpref.reals import FLOAT
    >>> momentum_slack_as_printed(FLOAT, 0.5, 0.75, 0.125)  # A = 48
    0.21875
    """
    a = beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)
    return 1 - eta0 / 4 - a * eta0 * eta0


def momentum_slack(o: Ops[T], beta: T, gamma: T, eta0: T) -> T:
    r"""$\zeta_C=1-\frac{\eta_0}2-A\eta_0^2$ with $\gamma=1-\frac{\eta_0}{2\kappa}$ and the same A (4.6-C).

    The repaired Theorem 4.6 (T4: the print lost a factor 1/2) holds when this is not negative and $\beta<\gamma$.

    >>> from dpref.reals import FLOAT
    >>> momentum_slack(FLOAT, 0.5, 0.75, 0.125)  # A = 48
    0.1875
    """
    a = beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)
    return 1 - eta0 / 2 - a * eta0 * eta0


def momentum_uniform_steps(o: Ops[T], kappa: T, alpha: T, eta0: T, gamma: T) -> T:
    r"""$T=\frac1{\ln(1/\gamma)}\ln(1+\frac{\eta_0}{\kappa\alpha})$ (proof of Theorem 4.7).

    >>> from dpref.reals import FLOAT
    >>> round(momentum_uniform_steps(FLOAT, 2.0, 0.125, 0.75, 0.5), 9)  # ln 4 / ln 2
    2.0
    """
    return -o.log1p(eta0 / (kappa * alpha)) / o.log(gamma)


def momentum_dynamic_steps(o: Ops[T], kappa: T, alpha: T, eta0: T, gamma: T) -> T:
    r"""$T=\frac2{\ln(1/\gamma)}\ln(1+\frac{\eta_0}{\kappa\alpha})$ (proof of Theorem 4.8).

    >>> from dpref.reals import FLOAT
    >>> round(momentum_dynamic_steps(FLOAT, 2.0, 0.125, 0.75, 0.5), 9)  # 2 ln 4 / ln 2
    4.0
    """
    return -2 * o.log1p(eta0 / (kappa * alpha)) / o.log(gamma)


def printed_rho(o: Ops[T], epsilon: T, log_inverse_delta: T) -> T:
    r"""$\rho=\varepsilon+2L+2\sqrt{L(\varepsilon+L)}$ (after Lemma C.4).

    The wrong root (T5): it solves $\rho-2\sqrt{\rho L}=\varepsilon$.
    The right one is `dpref.privacy.closed_forms.conversions.zcdp_rho`.

    >>> from dpref.reals import FLOAT
    >>> printed_rho(FLOAT, 3.0, 1.0)  # and 9 - 2 * 3 = 3
    9.0
    """
    L = log_inverse_delta
    return epsilon + 2 * L + 2 * o.sqrt(L * (epsilon + L))


def printed_budget(o: Ops[T], epsilon: T, log_inverse_delta: T) -> T:
    r"""$R=2\rho=2\varepsilon+4L+4\sqrt{L(\varepsilon+L)}$ (Section 4.1.3): the wrong root again (T5).

    >>> from dpref.reals import FLOAT
    >>> printed_budget(FLOAT, 3.0, 1.0)
    18.0
    """
    L = log_inverse_delta
    return 2 * epsilon + 4 * L + 4 * o.sqrt(L * (epsilon + L))
