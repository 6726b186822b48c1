"""Section 4.3 and Lemma C.3: one Gaussian answer, mini-batches (PO-48 to PO-50), T10, T18, T20."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.privacy.closed_forms import divergences
from dpref.terms import TERM
from proofs import balls
from proofs.papers.dynamic_privacy_budget import erratum, obligation
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import grow, nonnegative, numbers, positive, unit

_D = "dynamic-gradient-descent."
X, Y, D, G, N, M, MU, R, GAP, T, ALPHA, KAPPA, SIGMA, Q, ETA, BETA = sp.symbols(
    "x y D G n M mu R gap T alpha kappa sigma q eta beta"
)
ONE = sp.S.One


@obligation(
    "PO-48",
    item="Lemma C.3",
    about=("divergences.gaussian_renyi", "divergences.gaussian_zcdp"),
    premises=("gaussian/renyi", "gaussian/zcdp"),
)
def po48() -> Sequence[Goal]:
    r"""The Gaussian mechanism.

    $D_\alpha(N(u,s^2I)\,\|\,N(0,s^2I))=\frac{\alpha\|u\|^2}{2s^2}$; noise $\Delta\sigma$ on sensitivity $\Delta$ is
    $\frac1{2\sigma^2}$-zCDP.
    """
    moved, s = sp.symbols("v s")
    return [
        equal(
            divergences.gaussian_renyi(TERM, ALPHA, moved / s),
            ALPHA * moved**2 / (2 * s**2),
            positive("s", "v") + numbers("alpha", lo=1),
            "the divergence",
        ),
        equal(
            divergences.gaussian_zcdp(TERM, moved / (moved * SIGMA)),
            1 / (2 * SIGMA**2),
            positive("v", "sigma"),
            "the cost",
        ),
    ]  # fmt: skip


@obligation("PO-49", item="Theorem 4.9", about=(_D + "noise_unit", _D + "batch_noise_unit"))
def po49() -> Sequence[Goal]:
    r"""The batch-noise unit.

    $\frac{R'\kappa\alpha}{G^2}=\frac D{2\mu\Delta_1n^2}$ when $n^2R'=N^2R$, $\kappa=M/\mu$; at $n^2=N^2R$ it is
    $\alpha_g$.
    """
    batch = sp.Symbol("batch")
    alpha = risk_bounds.noise_unit(TERM, D, G, R, M, N, GAP)
    left = N**2 * R / batch**2 * (M / MU) * alpha / G**2
    domain = positive("D", "G", "R", "M", "n", "gap", "mu", "batch")
    unit_ = risk_bounds.batch_noise_unit(TERM, D, MU, N, R, GAP)
    return [
        equal(left, D / (2 * MU * GAP * batch**2), domain, "n^2 R' = N^2 R"),
        equal(left.subs(batch, N * sp.sqrt(R)), unit_, positive("D", "G", "R", "M", "n", "gap", "mu"), "n^2 = N^2 R"),
    ]


@obligation(
    "PO-50",
    item="Section 4.3",
    about=(_D + "subsampled_renyi_lower", "divergences.gaussian_renyi"),
    premises=("gaussian/renyi",),
)
def po50() -> Sequence[Goal]:
    r"""A lower bound of the subsampled Gaussian's divergence.

    $D_\alpha(P\,\|\,Q)\ge\frac\alpha{2\sigma^2}-\frac\alpha{\alpha-1}\ln\frac1q$ for $P=(1-q)Q+qQ_1$, $Q$ and $Q_1$
    normal with means 0 and 1 and deviation $\sigma$, and every real $\alpha>1$: the density p is at least $q$ times
    that of $Q_1$, so $p^\alpha\ge q^\alpha q_1^\alpha$ pointwise, and $\frac1{\alpha-1}\ln\big(q^\alpha
    e^{(\alpha-1)D_\alpha(Q_1\|Q)}\big)$ is the bound.
    """
    domain = numbers("alpha", lo=1) + positive("sigma") + unit("q")
    bound = risk_bounds.subsampled_renyi_lower(TERM, ALPHA, SIGMA, Q)
    kept = Q**ALPHA * sp.exp((ALPHA - 1) * divergences.gaussian_renyi(TERM, ALPHA, 1 / SIGMA))
    # x, y: the densities of Q and of Q_1 at one point
    gap = ((1 - Q) * X + Q * Y) ** ALPHA - (Q * Y) ** ALPHA
    densities = numbers("alpha", lo=1) + unit("q") + nonnegative("x") + positive("y")
    return [
        goal(gap, ">=", densities, lambda c: grow(gap, X, c.domain), "pointwise"),
        equal((Q * Y) ** ALPHA, Q**ALPHA * Y**ALPHA, densities),
        equal(sp.log(kept) / (ALPHA - 1), bound, domain),
    ]


@erratum(
    "T18",
    item="Section 4.3",
    about=(_D + "subsampled_renyi_lower",),
    premises=("PO-50",),
    repaired_by="PO-50",
)
def t18() -> Sequence[Goal]:
    r"""Subsampling does not amplify zCDP.

    The paper says that one iteration on a randomly sampled batch costs $c\,p^2/\sigma_t^2$ of zCDP (the print has
    $\sigma_t$), for some constant c. It refers to Yu et al., Theorem 3, and their empirical setting. At
    $p=\frac1{100}$, $\sigma=4$ and the order 4096 the divergence exceeds $100\,\alpha p^2/\sigma^2$. For every p, the
    constant $c=\frac1{4p^2}$ fails at $\sigma=1$ and the order $1+8\ln\frac1p$. So no c serves for all p.
    """
    bound = risk_bounds.subsampled_renyi_lower(TERM, ALPHA, SIGMA, Q)
    domain = numbers("alpha", lo=1) + positive("sigma") + unit("q")
    order = 1 - 8 * sp.log(Q)
    every = bound.subs({ALPHA: order, SIGMA: ONE}) - order * Q**2 / (4 * Q**2)
    return [
        refutation(100 * ALPHA * Q**2 / SIGMA**2 - bound, ">=", domain, alpha=4096, sigma=4, q="1/100"),
        goal(every, ">", unit("q"), note="c = 1 / (4 q^2) fails at sampling rate q, whatever q"),
    ]


@erratum(
    "T20",
    item="Theorem 4.10",
    about=(_D + "momentum_contraction_as_printed",),
    repaired_by="theorem-4.10-repaired",
)
def t20() -> Sequence[Goal]:
    r"""Mini-batch noise and momentum.

    Theorem 4.10 says that $\alpha R'U_3^g\le\alpha_g\sigma_g^2$ with momentum; its proof uses
    $\frac1{1-\gamma}=\kappa$. For long T the left side is $\frac{1-\beta}{1+\beta}\frac1{\eta_0}$ times the right one,
    because every weight is at least $\frac{1-\beta}{1+\beta}$. That is more than 1 when
    $\eta_0<\frac{1-\beta}{1+\beta}$. At $\kappa=10$, $\beta=\frac12$ and $\eta_0=\frac1{10}$ it is so after 1000 steps.
    """
    gamma = risk_bounds.momentum_contraction_as_printed(TERM, ETA, KAPPA)
    least = (1 - BETA) / (1 + BETA)
    tail = least * (1 - gamma**T) / (1 - gamma)  # at most U_3^g G^2 / sigma_g^2
    domain = unit("beta", "eta") + numbers("kappa", lo=1) + positive("T")
    weight = (1 - BETA) / (1 - BETA**T) * (1 + BETA**T) / (1 + BETA)
    return [
        refutation(KAPPA - tail, ">=", domain, beta="1/2", eta="1/10", kappa=10, T=1000),
        goal(weight - least, ">=", unit("beta") + positive("T"), note="a weight of U_3^g"),
    ]


@obligation(
    "theorem-4.10-repaired",
    item="Theorem 4.10, repaired",
    about=(
        _D + "momentum_contraction_as_printed",
        _D + "momentum_contraction",
        _D + "noise_unit",
        _D + "batch_noise_unit",
    ),
    premises=("PO-35", "PO-4"),
)
def theorem_4_10() -> Sequence[Goal]:
    r"""The batch noise of momentum.

    With $\gamma=1-\frac{\eta_0}\kappa$, $\eta_0\alpha R'U_3^g\le\alpha_g\sigma_g^2$: the reason is that
    $\frac1{1-\gamma}=\frac\kappa{\eta_0}$, and that every weight is at most one. With
    $\gamma=1-\frac{\eta_0}{2\kappa}$, as the repaired Theorem 4.6 has it, the bound is $2\alpha_g\sigma_g^2$. The
    contribution $\eta_0\alpha R'U_3^g$ to the repaired risk bound is then the same as the printed theorem's
    $2\eta_0\alpha R'U_3^g$.
    """
    gamma = risk_bounds.momentum_contraction_as_printed(TERM, ETA, KAPPA)
    alpha = risk_bounds.noise_unit(TERM, D, G, R, KAPPA * MU, N, GAP)
    budget = ONE  # R' = N^2 R / n^2 at n^2 = N^2 R
    left = ETA * alpha * budget * SIGMA**2 / G**2 / (1 - gamma)
    right = risk_bounds.batch_noise_unit(TERM, D, MU, N, ONE, GAP) * SIGMA**2 / R
    domain = positive("D", "G", "R", "n", "mu", "gap", "eta", "sigma") + numbers("kappa", lo=1)
    repaired = left * (1 - gamma) / (1 - risk_bounds.momentum_contraction(TERM, ETA, KAPPA))
    return [
        equal(left, right, domain, "with the printed contraction"),
        equal(repaired, 2 * right, domain, "with 4.6-C's contraction"),
    ]


@obligation("T10", item="Theorems 4.3 to 4.8")
def t10() -> Sequence[Goal]:
    r"""Two numbers of steps are told apart.

    If one data set has $T=10$ steps with certainty and its neighbour has 11, then the event $T=10$ has the
    probabilities $P=1$ and $Q=0$. It breaks $(100,0.999)$-DP, and $1\le e^\varepsilon\cdot0+\delta$ holds for no
    $\delta<1$. This is a remark and not a claim of the paper, which tunes T on an auxiliary set and says that it
    ignores what the search costs. That $\alpha$ and $\kappa$, from which the theorems take T, are numbers of the
    private data is a reader's remark.
    """
    one, zero = (ONE, sp.S.Zero), (sp.S.Zero, ONE)
    delta = sp.Rational(999, 1000)
    return [
        goal(ONE - delta, ">", (), lambda _: balls.distinguish(one, zero, (0,), sp.Integer(100), delta, 64),
             "P: T = 10 surely; Q: T = 11 surely; the event T = 10 at (100, 0.999)"),
        goal(ONE - sp.Symbol("delta"), ">", numbers("delta", lo=0, hi=1, ends="[)"), note="every delta below 1"),
    ]  # fmt: skip
