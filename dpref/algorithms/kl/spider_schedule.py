r"""The numbers of KL Spider: rounds, targets, lengths and noise, all from public information.

Notation of the paper: $\hat\Phi_k$ the target of round k, $T_k$ its length, c the contraction per round, K the number
of rounds, $\beta'$ the failure probability of one estimate, with $\gamma,\kappa$ of the KL condition, $F_0$ a public
bound on the excess risk of the start, and $L_0,L_1$ the Lipschitz and smoothness constants of each record's loss.

Units: $F_0,\hat\Phi_k$ are risks; $L_0$, thresholds, noises and sensitivities are those of a gradient, a risk over a
length; $L_1$ is a risk over a squared length; q, and $\gamma$ times a gradient, are $\kappa$-th roots of a risk; the rest are
numbers.

Source: Menart et al. 2024, Algorithm 1, lines 2 to 7; the errata's 3.1s for the repaired constants.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def power(o: Ops[T], x: T, exponent: T) -> T:
    """``x ** exponent`` for positive x.

    Args:
        o: The number system.
        x: Positive.
        exponent: Any number.

    >>> from dpref.reals import FLOAT
    >>> round(power(FLOAT, 8.0, 1 / 3), 12)
    2.0
    """
    return o.exp(exponent * o.log(x))


def condition(o: Ops[T], gap: T, gamma: T, kappa: T, smoothness: T) -> T:
    r"""$F_0^{-(2-\kappa)/\kappa}\gamma^2L_1$: at least 1/64 of the rounds that one factor e takes (line 2).

    Args:
        o: The number system.
        gap: $F_0$.
        gamma: Scale of the KL condition.
        kappa: Its exponent, in [1, 2].
        smoothness: $L_1$.

    >>> from dpref.reals import FLOAT
    >>> condition(FLOAT, gap=4.0, gamma=2.0, kappa=2.0, smoothness=3.0)
    12.0
    >>> round(condition(FLOAT, gap=4.0, gamma=2.0, kappa=1.0, smoothness=3.0), 12)
    3.0
    """
    return gamma * gamma * smoothness / power(o, gap, (2 - kappa) / kappa)


def contraction(o: Ops[T], hardness: T) -> T:  # noqa: ARG001
    r"""$c=1+\frac1{64h}$ with h from `condition` (line 2).

    >>> from dpref.reals import FLOAT
    >>> contraction(FLOAT, hardness=0.25)
    1.0625
    """
    return 1 + 1 / (64 * hardness)


def least_excess(o: Ops[T], gamma: T, bound: T, d: T, n: T, rho: T) -> T:
    r"""$q=\gamma L_0\sqrt d/(n\sqrt\rho)$: no private method does better than about $q^\kappa$ (line 3).

    Args:
        o: The number system.
        gamma: Scale of the KL condition.
        bound: $L_0$.
        d: Dimension.
        n: Number of records.
        rho: zCDP budget of the run.

    >>> from dpref.reals import FLOAT
    >>> least_excess(FLOAT, gamma=2.0, bound=1.0, d=9.0, n=100.0, rho=1.0)
    0.06
    """
    return gamma * bound * o.sqrt(d) / (n * o.sqrt(rho))


def real_rounds(o: Ops[T], hardness: T, gap: T, kappa: T, least: T) -> T:
    r"""$(1+64h)\,[\log F_0-\kappa\log q]$ (line 3); its ceiling is K.

    Args:
        o: The number system.
        hardness: h, from `condition`.
        gap: $F_0$.
        kappa: Exponent of the KL condition.
        least: q, from `least_excess`.

    >>> from dpref.reals import FLOAT
    >>> round(real_rounds(FLOAT, hardness=0.25, gap=1.0, kappa=2.0, least=0.1), 3)  # 34 log 10
    78.288
    """
    return (1 + 64 * hardness) * (o.log(gap) - kappa * o.log(least))


def failure_each(o: Ops[T], beta: T, rounds: T, least: T, gap: T, kappa: T) -> T:
    r"""$\beta'=\frac\beta K\big(q\sqrt K\,F_0^{-1/\kappa}\big)^{2-\kappa}$ (line 3).

    Args:
        o: The number system.
        beta: Failure probability of the run.
        rounds: K.
        least: q, from `least_excess`.
        gap: $F_0$.
        kappa: Exponent of the KL condition.

    >>> from dpref.reals import FLOAT
    >>> round(failure_each(FLOAT, beta=0.1, rounds=4.0, least=0.25, gap=1.0, kappa=1.0), 12)  # 0.1 / 4 * 0.5
    0.0125
    """
    return beta / rounds * power(o, least * o.sqrt(rounds) / power(o, gap, 1 / kappa), 2 - kappa)


def floor(o: Ops[T], constant: T, least: T, rounds: T, each: T, kappa: T) -> T:
    r"""$\big(a\,q\sqrt{K\log(1/\beta')}\big)^\kappa$ with a = 32 as printed, 40 repaired (line 6).

    Args:
        o: The number system.
        constant: a.
        least: q, from `least_excess`.
        rounds: K.
        each: $\beta'$, from `failure_each`, below 1.
        kappa: Exponent of the KL condition.

    >>> from dpref.reals import FLOAT
    >>> round(floor(FLOAT, 32.0, least=0.01, rounds=100.0, each=FLOAT.exp(-4.0), kappa=1.0), 12)  # 0.32 * sqrt(400)
    6.4
    """
    return power(o, constant * least * o.sqrt(-rounds * o.log(each)), kappa)


def length(o: Ops[T], gap: T, target: T, kappa: T) -> T:
    r"""$T_k=(F_0/\hat\Phi_k)^{(2-\kappa)/\kappa}$ (line 7).

    Args:
        o: The number system.
        gap: $F_0$.
        target: $\hat\Phi_k$.
        kappa: Exponent of the KL condition.

    >>> from dpref.reals import FLOAT
    >>> round(length(FLOAT, gap=8.0, target=2.0, kappa=1.0), 12), length(FLOAT, gap=8.0, target=2.0, kappa=2.0)
    (4.0, 1.0)
    """
    return power(o, gap / target, (2 - kappa) / kappa)


def step_length(o: Ops[T], target: T, gamma: T, kappa: T, smoothness: T) -> T:
    r"""$\hat\Phi_k^{1/\kappa}/(4\gamma L_1)$: how far every update of round k moves (line 11).

    Args:
        o: The number system.
        target: $\hat\Phi_k$.
        gamma: Scale of the KL condition.
        kappa: Its exponent.
        smoothness: $L_1$.

    >>> from dpref.reals import FLOAT
    >>> round(step_length(FLOAT, target=4.0, gamma=0.5, kappa=2.0, smoothness=1.0), 12)  # sqrt(4) / 2
    1.0
    """
    return power(o, target, 1 / kappa) / (4 * gamma * smoothness)


def threshold(o: Ops[T], target: T, gamma: T, kappa: T) -> T:
    r"""$\frac7{8\gamma}\hat\Phi_k^{1/\kappa}$: the estimate below which round k ends (line 10).

    Args:
        o: The number system.
        target: $\hat\Phi_k$.
        gamma: Scale of the KL condition.
        kappa: Its exponent.

    >>> from dpref.reals import FLOAT
    >>> round(threshold(FLOAT, target=4.0, gamma=0.5, kappa=2.0), 12)  # 7 * sqrt(4) / 4
    3.5
    """
    return 7 * power(o, target, 1 / kappa) / (8 * gamma)


def printed_outer_noise(o: Ops[T], bound: T, rounds: T, n: T, rho: T) -> T:
    r"""$\hat\sigma=L_0\sqrt K/(n\sqrt\rho)$ (line 4).

    Args:
        o: The number system.
        bound: $L_0$.
        rounds: K.
        n: Number of records.
        rho: zCDP budget of the run.

    >>> from dpref.reals import FLOAT
    >>> printed_outer_noise(FLOAT, bound=1.0, rounds=4.0, n=100.0, rho=1.0)
    0.02
    """
    return bound * o.sqrt(rounds) / (n * o.sqrt(rho))


def printed_inner_noise(o: Ops[T], target: T, gamma: T, kappa: T, steps: T, rounds: T, n: T, rho: T) -> T:
    r"""$\sigma_k=\hat\Phi_k^{1/\kappa}\sqrt{T_kK}/(\gamma n\sqrt\rho)$ (line 7).

    Args:
        o: The number system.
        target: $\hat\Phi_k$.
        gamma: Scale of the KL condition.
        kappa: Its exponent.
        steps: $T_k$, from `length`.
        rounds: K.
        n: Number of records.
        rho: zCDP budget of the run.

    >>> from dpref.reals import FLOAT
    >>> round(printed_inner_noise(FLOAT, 4.0, 2.0, 2.0, steps=4.0, rounds=9.0, n=100.0, rho=1.0), 12)  # 2 * 6 / 200
    0.06
    """
    return power(o, target, 1 / kappa) * o.sqrt(steps * rounds) / (gamma * n * o.sqrt(rho))


def shared_noise(o: Ops[T], sensitivity: T, answers: T, rho: T) -> T:
    r"""$\Delta\sqrt{k/\rho}$: k answers of this noise cost $\rho/2$ together (repaired; PO-13).

    Args:
        o: The number system.
        sensitivity: $\Delta$, of one answer.
        answers: k.
        rho: zCDP budget of the run.

    >>> from dpref.reals import FLOAT
    >>> shared_noise(FLOAT, sensitivity=0.25, answers=4.0, rho=1.0)  # 4 answers, each 0.25**2 / (2 * 0.5**2) = 1 / 8
    0.5
    """
    return sensitivity * o.sqrt(answers / rho)


def radius(o: Ops[T], rounds: T, gap: T, gamma: T, kappa: T, smoothness: T) -> T:
    r"""$\frac{(K+1)F_0^{1/\kappa}}{4\gamma L_1}$: no point of a run is further from $w_0$ (Lemma 1; E3).

    Args:
        o: The number system.
        rounds: K.
        gap: $F_0$.
        gamma: Scale of the KL condition.
        kappa: Its exponent.
        smoothness: $L_1$.

    >>> from dpref.reals import FLOAT
    >>> round(radius(FLOAT, rounds=3.0, gap=4.0, gamma=0.5, kappa=2.0, smoothness=1.0), 12)  # 4 * sqrt(4) / 2
    4.0
    """
    return (rounds + 1) * power(o, gap, 1 / kappa) / (4 * gamma * smoothness)
