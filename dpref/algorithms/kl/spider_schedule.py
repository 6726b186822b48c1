r"""The numbers of KL Spider: rounds, targets, lengths and noise, all from public information.

Notation of the paper: $\hat\Phi_k$ the target of round k, $T_k$ its length, c the contraction per round, K the number
of rounds, $\beta'$ the failure probability of one estimate, with $\gamma,\kappa$ of the KL condition, $F_0$ a public
bound on the excess risk of the start, and $L_0,L_1$ the Lipschitz and smoothness constants of each record's loss.

Source: Menart et al. 2024, Algorithm 1, lines 2 to 7; the errata's 3.1s for the repaired constants.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def power(o: Ops[T], x: T, exponent: T) -> T:
    """``x ** exponent`` for positive x.

    >>> from dpref.reals import FLOAT
    >>> round(power(FLOAT, 8.0, 1 / 3), 12)
    2.0
    """
    return o.exp(exponent * o.log(x))


def condition(o: Ops[T], gap: T, gamma: T, kappa: T, smoothness: T) -> T:
    r"""$F_0^{-(2-\kappa)/\kappa}\gamma^2L_1$: at least 1/64 of the rounds that one factor e takes."""
    return gamma * gamma * smoothness / power(o, gap, (2 - kappa) / kappa)


def contraction(o: Ops[T], hardness: T) -> T:  # noqa: ARG001
    r"""$c=1+\frac1{64h}$ with h from `condition` (line 2)."""
    return 1 + 1 / (64 * hardness)


def least_excess(o: Ops[T], gamma: T, bound: T, d: T, n: T, rho: T) -> T:
    r"""$q=\gamma L_0\sqrt d/(n\sqrt\rho)$: no private method does better than about $q^\kappa$."""
    return gamma * bound * o.sqrt(d) / (n * o.sqrt(rho))


def real_rounds(o: Ops[T], hardness: T, gap: T, kappa: T, least: T) -> T:
    r"""$(1+64h)\,[\log F_0-\kappa\log q]$ (line 3); its ceiling is K."""
    return (1 + 64 * hardness) * (o.log(gap) - kappa * o.log(least))


def failure_each(o: Ops[T], beta: T, rounds: T, least: T, gap: T, kappa: T) -> T:
    r"""$\beta'=\frac\beta K\big(q\sqrt K\,F_0^{-1/\kappa}\big)^{2-\kappa}$ (line 3)."""
    return beta / rounds * power(o, least * o.sqrt(rounds) / power(o, gap, 1 / kappa), 2 - kappa)


def floor(o: Ops[T], constant: T, least: T, rounds: T, each: T, kappa: T) -> T:
    r"""$\big(a\,q\sqrt{K\log(1/\beta')}\big)^\kappa$ with a = 32 as printed, 40 repaired (line 6)."""
    return power(o, constant * least * o.sqrt(-rounds * o.log(each)), kappa)


def length(o: Ops[T], gap: T, target: T, kappa: T) -> T:
    r"""$T_k=(F_0/\hat\Phi_k)^{(2-\kappa)/\kappa}$ (line 7)."""
    return power(o, gap / target, (2 - kappa) / kappa)


def step_length(o: Ops[T], target: T, gamma: T, kappa: T, smoothness: T) -> T:
    r"""$\hat\Phi_k^{1/\kappa}/(4\gamma L_1)$: how far every update of round k moves (line 11)."""
    return power(o, target, 1 / kappa) / (4 * gamma * smoothness)


def threshold(o: Ops[T], target: T, gamma: T, kappa: T) -> T:
    r"""$\frac7{8\gamma}\hat\Phi_k^{1/\kappa}$: the estimate below which round k ends (line 10)."""
    return 7 * power(o, target, 1 / kappa) / (8 * gamma)


def printed_outer_noise(o: Ops[T], bound: T, rounds: T, n: T, rho: T) -> T:
    r"""$\hat\sigma=L_0\sqrt K/(n\sqrt\rho)$ (line 4)."""
    return bound * o.sqrt(rounds) / (n * o.sqrt(rho))


def printed_inner_noise(o: Ops[T], target: T, gamma: T, kappa: T, steps: T, rounds: T, n: T, rho: T) -> T:
    r"""$\sigma_k=\hat\Phi_k^{1/\kappa}\sqrt{T_kK}/(\gamma n\sqrt\rho)$ (line 7)."""
    return power(o, target, 1 / kappa) * o.sqrt(steps * rounds) / (gamma * n * o.sqrt(rho))


def shared_noise(o: Ops[T], sensitivity: T, answers: T, rho: T) -> T:
    r"""$\Delta\sqrt{k/\rho}$: k answers of this noise cost $\rho/2$ together (repaired)."""
    return sensitivity * o.sqrt(answers / rho)


def radius(o: Ops[T], rounds: T, gap: T, gamma: T, kappa: T, smoothness: T) -> T:
    r"""$\frac{(K+1)F_0^{1/\kappa}}{4\gamma L_1}$: no point of a run is further from $w_0$ (Lemma 1; E3)."""
    return (rounds + 1) * power(o, gap, 1 / kappa) / (4 * gamma * smoothness)
