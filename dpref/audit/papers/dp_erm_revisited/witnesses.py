r"""How much DP-SVRG and DP-SVRG++ leak at least: events whose probabilities are known in closed form.

All losses are G-Lipschitz, convex and in one dimension; the step size is $\eta\ge4/(rL)$ (the privacy theorems allow
every L and $\eta$), one snapshot, $\tilde x=0$.  The regulariser is 0, or $\frac\lambda2x^2$ where the algorithm wants
the objective strongly convex: its prox is $y\mapsto ry$ with the *shrink* $r=1/(1+\eta\lambda)$.  Data set 0 has n
linear losses $-Gx$; in data set 1 one of them is replaced by a loss with derivative $\max(-G,\min(G,Lx-G))$.  At the
snapshot both have derivative -G, so that nothing is seen until a step is taken; from $x\ge2G/L$ on the sampled
difference of the new record is 2G.

* *Transcript* (`transcript_event`): some answer of the first epoch exceeds -G by more than a threshold.
* *Output* (`output_event`, `shrunk_output_event`): after two steps, $\tilde x_1\le\eta G$ (obligation
  ``dp-erm-revisited/P73``).
* *Linear losses* (`linear_output_weights`, and `shrunk_output_weights` with a regulariser): the sampled difference
  vanishes and the output is Gaussian (obligation ``dp-erm-revisited/P76``).

Noise is measured in units of G: $z=\sigma/G$; ``rate`` is $\gamma=b/n$, with which a batch of b records holds the one
that turns, ``answers`` k those of the first epoch but the first, ``threshold`` h, and r (``shrink``) lies in (0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from flint import arb

from dpref.algorithms.svrg import Plan
from dpref.audit.linear_losses import WITNESS_PRECISION, linear_losses
from dpref.audit.run import Run
from dpref.audit.subjects import Witness
from dpref.checks import natural, open_unit, positive_rational
from dpref.geometry.prox import Regulariser
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.reals import BALL, DEFAULT_PRECISION, RATIONAL, Ops, T, ball, exact, lower, precision
from dpref.units import ReplaceOne

LINEAR: Final = "n linear losses +-G x, one of them turned round: exactly Gaussian"
TURNING: Final = "one dimension, n linear losses -G x, one replaced by a loss whose derivative turns from -G to G"
STIFFNESS: Final = 1 << 20  # eta L of the transcript's witness
_THRESHOLDS: Final = 256

# ------------------------------------------------------------------------------------ formulas


def output_event(o: Ops[T], rate: T, z: T) -> tuple[T, T]:
    r"""Probability of $\tilde x_1\le\eta G$ after two steps: at least on data set 1, exactly on data set 0.

    On 0, $\tilde x_1=\eta(\frac32G-u_1-\frac12u_2)$; on 1, if the record is sampled second and $u_1\le G/2$,
    $\tilde x_1=\eta(\frac12G-u_1-\frac12u_2)$.

    References:
        The errata's P73; $\eta L\ge4$.

    >>> from dpref.reals import FLOAT
    >>> hit, alarm = output_event(FLOAT, 1e-4, 0.1)
    >>> hit > 0.99e-4, alarm < 1e-5
    (True, True)
    """
    alarm = normal_cdf(o, -1 / (z * o.sqrt(o.number(5))))
    return rate * (1 - normal_cdf(o, -1 / (2 * z)) - alarm), alarm


def shrunk_output_event(o: Ops[T], rate: T, z: T, shrink: T) -> tuple[T, T]:
    r"""`output_event` with a shrink r.

    The means are $\frac\eta2(2r+r^2)G$ and $r\eta G$ less, the event is the half way between them, and the noise is
    $\frac{r\eta}2((1+r)u_1+u_2)$: for $\sqrt5$ in the tail stands $\sqrt{(1+r)^2+1}$.

    >>> from dpref.reals import FLOAT
    >>> shrunk_output_event(FLOAT, 1e-4, 0.1, 1.0) == output_event(FLOAT, 1e-4, 0.1)
    True
    """
    alarm = normal_cdf(o, -1 / (z * o.sqrt((1 + shrink) * (1 + shrink) + 1)))
    return rate * (1 - normal_cdf(o, -1 / (2 * z)) - alarm), alarm


def transcript_event(
    o: Ops[T], rate: T, z: T, batch: T, answers: int, threshold: T, shrink: Fraction = Fraction(1)
) -> tuple[T, T]:
    r"""Probability that one of the answers after the first exceeds -G by more than $hG$: on data set 1, on 0.

    On 1 it is at least $(1-(1-\gamma)^k)\,\Phi\big(\frac{1-c}z\big)\,\Phi\big(\frac{2/b-h}z\big)$: the record is
    sampled at some time after the first step; until then the runs agree, and $x\ge2G/L$ at that time with at least the
    second factor, $c=2/(r\eta L)$, whatever the time (after t steps $x/\eta$ is Gaussian with mean $S_1G$ and
    deviation $\sqrt{S_2}\,\sigma$, where $S_j=\sum_{i\le t}r^{ji}$ and so $S_1\ge\sqrt{S_2}\ge r$); then the answer is
    $-G+2G/b+u$.  On 0 it is $1-\Phi(h/z)^k$.

    >>> from dpref.reals import FLOAT
    >>> hit, alarm = transcript_event(FLOAT, 0.01, 0.2, 1.0, 20, 1.0)
    >>> round(hit, 3), alarm < 1e-4
    (0.182, True)
    """
    far = 1 - o.number(Fraction(2, STIFFNESS) / shrink)
    sampled = -o.expm1(answers * o.log1p(-rate))
    hit = sampled * normal_cdf(o, far / z) * normal_cdf(o, (2 / batch - threshold) / z)
    return hit, -o.expm1(answers * o.log1p(-normal_cdf(o, -threshold / z)))


def event_epsilon(o: Ops[T], hit: T, alarm: T, delta: T) -> T:
    r"""$\ln\frac{P(S)-\delta}{Q(S)}$: what an event S shows of epsilon, for $P(S)>\delta$.

    >>> from dpref.reals import FLOAT
    >>> event_epsilon(FLOAT, 0.75, 0.25, 0.5)
    0.0
    """
    return o.log((hit - delta) / alarm)


def linear_output_weights(o: Ops[T], lengths: Sequence[T], *, carry: bool) -> tuple[T, T]:
    r"""How often the gradient enters the output, over $\eta$, and the sum of the squared weights of the noise.

    With linear losses an epoch of m steps moves its average by $\frac{m+1}2g+\sum_j\frac{m-j+1}mu_j$, and its last
    iterate by $mg+\sum_ju_j$.

    Returns:
        Signal and noise: the output's mu squared is signal squared over noise, times that of one answer.

    >>> from dpref.reals import RATIONAL
    >>> linear_output_weights(RATIONAL, [Fraction(2)], carry=False)
    (Fraction(3, 2), Fraction(5, 4))
    """
    signal = noise = o.number(0)
    for index, m in enumerate(lengths):
        averaged = not carry or index == len(lengths) - 1
        signal = signal + ((m + 1) / 2 if averaged else m)
        noise = noise + ((m + 1) * (2 * m + 1) / (6 * m) if averaged else m)
    return signal, noise


def shrunk_output_weights(o: Ops[T], length: int, shrink: T) -> tuple[T, T]:
    r"""`linear_output_weights` of one epoch whose every step is multiplied by r.

    Answer j has the weight $\frac1m\sum_{i=1}^{m-j+1}r^i$ in the average.

    >>> from dpref.reals import RATIONAL
    >>> shrunk_output_weights(RATIONAL, 2, Fraction(1)) == linear_output_weights(RATIONAL, [Fraction(2)], carry=False)
    True
    >>> shrunk_output_weights(RATIONAL, 2, Fraction(1, 2))  # 3/8 and 1/4
    (Fraction(5, 8), Fraction(13, 64))
    """
    power, weight = o.number(1), o.number(0)
    signal = noise = o.number(0)
    for _ in range(length):
        power = power * shrink
        weight = weight + power
        signal, noise = signal + weight, noise + weight * weight
    return signal / length, noise / (length * length)


# ------------------------------------------------------------------------------------ certified


def output_epsilon(records: int, z: Fraction, delta: Fraction, shrink: Fraction = Fraction(1)) -> float:
    r"""A lower bound on epsilon at delta of the output after two steps, rounded down; zero if the event is too rare.

    Args:
        records: n.
        z: sigma / G, exact.
        delta: Exact, in (0, 1).
        shrink: r, exact, in (0, 1].

    >>> output_epsilon(10**4, Fraction(46, 1000), Fraction(1, 10**8)) > 10  # E4: with the amplified noise
    True
    """
    rate = Fraction(1, natural("records", records))
    positive_rational("z", z)
    return _shown(lambda: shrunk_output_event(BALL, ball(rate), ball(z), ball(shrink)), delta)


def transcript_epsilon(
    records: int, batch: int, length: int, z: Fraction, delta: Fraction, shrink: Fraction = Fraction(1)
) -> float:
    r"""A lower bound on epsilon at delta of the transcript, from its first epoch, rounded down.

    Args:
        records: n.
        batch: b.
        length: Inner steps of the first epoch.
        z: sigma / G, exact.
        delta: Exact, in (0, 1).
        shrink: r, exact, in (0, 1].

    >>> transcript_epsilon(1000, 1, 200, Fraction(21, 100), Fraction(1, 10**6)) > 5
    True
    """
    rate = Fraction(natural("batch", batch), natural("records", records))
    positive_rational("z", z)
    if natural("length", length) < 2 or rate >= 1:
        return 0.0

    def shown(threshold: Fraction) -> float:
        return _shown(
            lambda: transcript_event(BALL, ball(rate), ball(z), ball(batch), length - 1, ball(threshold), shrink), delta
        )

    return max(shown(Fraction(4 * k, _THRESHOLDS * batch)) for k in range(1, _THRESHOLDS + 1))


def _shown(event: Callable[[], tuple[arb, arb]], delta: Fraction) -> float:
    """Rounded down at a fixed precision, never above the truth: doubt about the event's probabilities shows nothing."""
    d = open_unit("delta", delta)
    with precision(DEFAULT_PRECISION):
        hit, alarm = event()
        if not (hit > ball(d) and alarm > 0):
            return 0.0
        return max(0.0, lower(event_epsilon(BALL, hit, alarm, ball(d))))


# ------------------------------------------------------------------------------------ of a run


def noise_multiplier(plan: Plan[Any]) -> Fraction:
    """sigma / G, exact.

    >>> from dpref.algorithms import examples
    >>> made = examples.svrg().plan
    >>> noise_multiplier(made) * made.gradient_bound == exact(made.std)
    True
    """
    return exact(plan.std) / plan.gradient_bound


def shrink_of(plan: Plan[Any]) -> Fraction | None:
    r"""What the regulariser multiplies every point by: $\frac1{1+\eta\lambda}$, exact; None for another regulariser.

    >>> from dpref.algorithms import examples
    >>> from dataclasses import replace
    >>> shrink_of(replace(examples.svrg().plan, regulariser=Regulariser()))
    Fraction(1, 1)
    """
    weight = plan.regulariser.l2
    return 1 / (1 + exact(plan.step_size) * weight) if plan.regulariser == Regulariser(l2=weight) else None


def variance_reduced(run: Run, delta: Fraction) -> tuple[Witness, ...]:
    """What linear losses and the turning record show of DP-SVRG or DP-SVRG++.

    >>> from dpref.audit import builders, catalogue
    >>> run = builders.run_of(catalogue.find("dp-erm-revisited/equation-3@without-range-output,replace-one"))
    >>> [witness.name for witness in variance_reduced(run, Fraction(1, 10**8))]
    ['linear-losses-with-a-shrink', 'turning-record-in-two-steps']
    """
    return (*_linear(run), *_turning(run, delta))


def _linear(run: Run) -> tuple[Witness, ...]:
    """Of a transcript the moves; of an output `linear_output_weights`, with a regulariser the shrunk ones."""
    if run.release == "transcript":
        return linear_losses(run.moves, run.adjacency, run.release, LINEAR)
    if run.plan.epoch_std is not None:  # the weights of the output are known where each answer has a noise of its own
        return ()
    plan, shrink, (move,) = run.plan, shrink_of(run.plan), run.moves
    one = (move.shift / exact(move.std)) ** 2
    if shrink is None or (shrink < 1 and len(plan.lengths) > 1):
        return ()
    if shrink < 1:
        with precision(WITNESS_PRECISION):
            weights = shrunk_output_weights(BALL, plan.steps, ball(shrink))
            value: arb = ball(one) * weights[0] * weights[0] / weights[1]
        return (Witness("linear-losses-with-a-shrink", "mu-squared", value, LINEAR),)
    signal, noise = linear_output_weights(RATIONAL, [Fraction(m) for m in plan.lengths], carry=plan.carry)
    return (Witness("linear-losses", "mu-squared", one * signal * signal / noise, LINEAR, ("dp-erm-revisited/P76",)),)


def _turning(run: Run, delta: Fraction) -> tuple[Witness, ...]:
    """The record that turns round; nothing where it is not known to show itself."""
    plan, shrink, z = run.plan, shrink_of(run.plan), noise_multiplier(run.plan)
    if run.adjacency is not ReplaceOne or shrink is None or plan.batch == plan.records or plan.epoch_std is not None:
        return ()
    if run.release == "transcript":
        shown = transcript_epsilon(plan.records, plan.batch, plan.lengths[0], z, delta, shrink)
        return (Witness("turning-record", "epsilon", shown, TURNING),)
    if plan.lengths != (2,) or plan.batch != 1:
        return ()
    shown = output_epsilon(plan.records, z, delta, shrink)
    obligations = ("dp-erm-revisited/P73",) if shrink == 1 else ()
    return (Witness("turning-record-in-two-steps", "epsilon", shown, TURNING + ", two steps", obligations),)
