r"""What DP-TOFW's theorems promise of the risk, with explicit constants and the errata's corrections.

For the repaired weights 1/t the increments of the error are at most $\frac{2\beta D+G}t$ long (PO-18), so that, with
probability at least $1-\alpha$ each,

.. math::
    \|d_t-\nabla F(\theta_t)\|_q &\le \big(\sqrt{2e\kappa_q}+\sqrt2\lambda\big)\frac{2\beta D+G}{\sqrt t}
        +\frac1t\sum_j\|Z_j\|_q,\qquad \lambda=8\sqrt{\ln\tfrac2\alpha}, \\
    \|Z_j\|_+^2 &\le \sigma^2\big(d+2\sqrt{d\,l}+2l\big),\qquad l=\ln\tfrac1\alpha,

where D (``diameter``) is that of the set, $\beta$ (``smoothness``) of the losses, G (``gradient_noise``) how far a
record's gradient is from its mean in the dual norm, whose regularity constant is $\kappa$; $\lambda$ is ``deviation``,
l ``length``, $\sigma$ (``std``) the noise level of a node, $e_t$ (``error``) a bound on the dual norm of the error of
$d_t$; and $h_{t+1}\le(1-\frac1{t+1})h_t+\frac{D\,e_t}{t+1}+\frac{\beta D^2}{2(t+1)^2}$ with $h_1\le LD$ (E-8, E-9).
Where F is $\mu$-strongly convex and its minimiser is $\gamma$ inside the set, also (A.10, A.21)

.. math:: h_{t+1}\le h_t-\frac{c\sqrt{h_t}}{t+1}+\frac{2De_t}{t+1}+\frac{\beta D^2}{2(t+1)^2},
    \qquad c=\gamma\sqrt{2\mu}.

References:
    Han et al., "On private online convex optimization", Propositions A.1 and A.2, Theorems A.1 and A.2, Lemma 3.1 and
    Lemma A.1; the errata E-n and the obligations PO-n are those of ``private-online-frank-wolfe``.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def gradient_error(o: Ops[T], smoothness_times_diameter: T, gradient_noise: T, kappa: T, deviation: T, t: T) -> T:
    r"""$(\sqrt{2e\kappa}+\sqrt2\lambda)\frac{2\beta D+G}{\sqrt t}$: the sampling error (Proposition A.2).

    >>> from dpref.reals import FLOAT
    >>> round(gradient_error(FLOAT, 1.0, 1.0, kappa=1.0, deviation=0.0, t=9.0), 3)  # sqrt(2 e)
    2.332
    """
    weight = o.sqrt(2 * o.exp(o.number(1)) * kappa) + o.sqrt(o.number(2)) * deviation
    return weight * (2 * smoothness_times_diameter + gradient_noise) / o.sqrt(t)


def node_length(o: Ops[T], std: T, dimension: T, length: T) -> T:
    r"""$\sigma\sqrt{d+2\sqrt{d\,l}+2l}$: a node's noise is longer than that with probability at most $e^{-l}$.

    In the associated norm; Lemma 3.1 with the Gamma scale $2\sigma^2$ (E-2; PO-17).

    >>> from dpref.reals import FLOAT
    >>> node_length(FLOAT, std=2.0, dimension=5.0, length=5.0)  # 2 sqrt(5 + 10 + 10)
    10.0
    """
    return std * o.sqrt(dimension + 2 * o.sqrt(dimension * length) + 2 * length)


def risk_step(o: Ops[T], risk: T, smoothness: T, diameter: T, error: T, t: T) -> T:
    r"""$(1-\frac1{t+1})h_t+\frac{De_t}{t+1}+\frac{\beta D^2}{2(t+1)^2}$: the risk after record t (Theorem A.1).

    >>> from dpref.reals import FLOAT
    >>> risk_step(FLOAT, risk=1.0, smoothness=1.0, diameter=2.0, error=0.5, t=1.0)
    1.5
    """
    later = t + 1
    return (1 - 1 / later) * risk + diameter * error / later + smoothness * diameter * diameter / (2 * later * later)


def interior_step(o: Ops[T], root: T, curvature: T, error: T, pull: T, t: T) -> T:
    r"""$r\big(r-\frac c{t+1}\big)+\frac e{t+1}+\frac{\beta D^2}{2(t+1)^2}$: the risk after t, minimiser inside.

    With $r=\max(\sqrt H,\frac c{t+1})$ it is a bound for every risk of at most H before: $u^2-\frac{cu}{t+1}$ is
    largest at r among all $0\le u\le r$ (Theorems A.2 and 3.6).

    Args:
        root: r.
        curvature: $\beta D^2$.
        error: e, twice the diameter times the error of the gradient, plus that of a choice.
        pull: $c=\gamma\sqrt{2\mu}$, $\gamma$ the distance of the minimiser to the boundary (Lemma A.1).
        t: Records seen.

    >>> from dpref.reals import FLOAT
    >>> interior_step(FLOAT, root=2.0, curvature=8.0, error=1.0, pull=2.0, t=1.0)
    3.5
    """
    return root * (root - pull / (t + 1)) + error / (t + 1) + curvature / (2 * (t + 1) * (t + 1))
