"""Han et al., "On Private Online Convex Optimization": the model of DP-HDB, and what its regret rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.private_online_frank_wolfe import erratum, obligation
from proofs.registry import Goal, goal, of_fact, proven, refutation
from proofs.search import grow, natural, nonnegative, numbers, positive
from proofs.topics.zcdp import log_below_line

T, J, A, B, C, E, H, X, Y, Z, V = sp.symbols("t j a b C e h x y z v")
BETA, D, L, M, S, NU, MU, GAMMA, SCALE, SPAN = sp.symbols("beta D L M s nu mu gamma b_s Delta")

# ------------------------------------------------------------------------------------ the model


@obligation(
    "PO-44",
    item="Lemma B.2",
    not_proved="That the laws of $X1\\{a=i\\}$ and $X1\\{a'=i\\}$ differ by these masses.",
)
def po_44() -> Sequence[Goal]:
    r"""The total variation of the greedy arm's contexts.

    Two laws differ by the mass a at contexts that only the first arm has, by b at those that only the second has, and
    by $|a-b|$ at zero. Half the sum of the differences is the larger of a and b, and at most $a+b$:
    $\frac12(a+b+|a-b|)=\max(a,b)\le a+b$.
    """
    more = sp.Symbol("x")  # the larger is the smaller and x
    return [
        goal((A + A + more + more) / 2 - (A + more), "==", nonnegative("a", "x"), note="the larger of both"),
        goal((A + A + more) - (A + more), ">=", nonnegative("a", "x"), note="below their sum"),
    ]


@obligation(
    "PO-45",
    item="Section 4.1, Lemmas B.1 and B.2",
    theorems=(proven("Norms.lipschitz", "the mean value theorem"),),
)
def po_45() -> Sequence[Goal]:
    r"""The generalised linear loss.

    $\nabla f(\theta;0,r)=(\zeta(0)-r)\cdot0=0$. With $\mu\le\zeta'\le\beta$, a mean value between: $|\zeta(x^\top
    a)-\zeta(x^\top b)|\le\beta M\|a-b\|_1$, and a gap h of predictions is one of at least $\mu h$ of rewards.
    """
    slope, inner = sp.symbols("c s")  # zeta' at the mean value; |x^T (a - b)| = (1 - s) M |a - b|_1
    return [
        goal((Z - Y) * 0, "==", numbers("y", "z"), note="a synthetic row"),
        goal(
            ((slope + X) * M * H - slope * (1 - inner) * M * H), ">=",
            nonnegative("c", "x", "M", "h") + numbers("s", lo=0, hi=1, ends="[]"), note="beta = c + x",
        ),
        goal((MU + X) * H - MU * H, ">=", nonnegative("mu", "x", "h"), note="zeta' = mu + x"),
    ]  # fmt: skip


@erratum("E-31", numbers=True, item="Algorithm 3, line 13", repaired_by="PO-45")
def e_31() -> Sequence[Goal]:
    r"""The gap in the scale of rewards.

    As printed: a gap $h_{sub}$ of predictions (Assumption 4.1) leaves more than $\frac{h_{sub}}2$ between their $\zeta$
    (line 13, Lemma B.1). False of the logistic function at 0 and $h_{sub}=1$: 0.231.
    """
    return [refutation(1 / (1 + sp.exp(-H)) - sp.Rational(1, 2) - H / 2, ">=", positive("h"), h=1)]


@obligation("PO-46", item="Theorem 4.2, Appendix B.3")
def po_46() -> Sequence[Goal]:
    r"""Two inequalities that bound the distance to a minimiser.

    If $h\ge p+\frac\mu2\|\theta-\theta^*\|^2$ and $p\ge0$, then $h\ge\frac\mu2\|\theta-\theta^*\|^2$; here q is what
    the first inequality leaves. Theorem 4.2 uses it with $h=F(\theta)-F(\theta^*)$ and $p=\langle\nabla
    F(\theta^*),\theta-\theta^*\rangle$, where strong convexity is the first inequality and $p\ge0$ holds at a minimiser
    on a convex set.
    """
    inner, spare = sp.symbols("p q")
    risk = inner + MU / 2 * X**2 + spare
    return [goal(risk - MU / 2 * X**2, ">=", nonnegative("p", "q", "mu") + numbers("x"))]


@obligation("PO-46b", item="Lemma A.1")
def po_46b() -> Sequence[Goal]:
    r"""An interior minimiser makes the Frank-Wolfe gap large.

    With u of norm one and $\langle g,u\rangle=\|g\|_*$, $g=\nabla F(\theta)$, the point $\theta^*-\gamma u$ is in C:
    $\langle g,\theta-\theta^*+\gamma u\rangle\ge\gamma\|g\|_*$, as $\langle g,\theta-\theta^*\rangle\ge0$ by convexity;
    and $h\le\|g\|_*r-\frac\mu2r^2\le\frac{\|g\|_*^2}{2\mu}$ for the distance r. Together the square of the gap is at
    least $2\mu\gamma^2h$.
    """
    gap, size, far = sp.symbols("p g r")
    return [
        goal((gap + GAMMA * size) - GAMMA * size, ">=", nonnegative("p", "gamma", "g")),
        goal(
            size**2 / (2 * MU) - (size * far - MU / 2 * far**2), ">=", positive("mu") + nonnegative("g", "r"),
            lambda c: k.squares(c.expr, ((1 / (2 * MU), size - MU * far),), c.domain), "the dual inequality",
        ),
        goal((GAMMA * size) ** 2 - 2 * MU * GAMMA**2 * (size**2 / (2 * MU)), "==", positive("mu", "gamma", "g")),
    ]  # fmt: skip


@erratum("E-28", item="Lemma B.2", repaired_by="PO-44")
def e_28() -> Sequence[Goal]:
    r"""The law of the greedy arm is Lipschitz in the estimates.

    As printed: the total variation is at most $2\beta\eta D$ (its proof has $2\nu\eta D$, with the margin's constant).
    Contexts $(1,u)$, u uniform on $[-w,w]$, arms $(0,1)$ and 0, linear rewards ($\beta=1$): moving the first arm by
    $(\eta D,0)$ changes the choice for $u\in[-\eta D,0]$, of probability $\frac{\eta D}{2w}$. False at $w=\frac18$;
    there $\nu=\frac1w$.
    """
    move, width = sp.symbols("e w")
    return [
        refutation(2 * BETA * move - move / (2 * width), ">=", positive("beta", "e", "w"), beta=1, e="1/100", w="1/8"),
        goal(
            2 * move / width - move / (2 * width), ">=", positive("e", "w"),
            lambda c: k.sign(c.expr, c.relation, c.domain), "with nu = 1 / w the proof's bound holds",
        ),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------ the estimation error


@obligation("estimation-radius", item="Lemma B.3, Theorem 4.2, repaired (E-27)", premises=("PO-46",))
def estimation_radius() -> Sequence[Goal]:
    r"""The radius that Theorem 3.6 gives an estimate.

    From $h_s\le\frac{9X^2}{(s+1)\gamma^2\mu'}$ and $\frac{\mu'}2\|\theta_s-\theta^*\|^2\le h_s$:
    $\|\theta_s-\theta^*\|\le\frac{3\sqrt2X}{\gamma\mu'\sqrt{s+1}}$, $\mu'=\frac{u\mu\lambda}d$ (E-14).
    """
    risk = 9 * X**2 / ((S + 1) * GAMMA**2 * MU)
    radius = 3 * sp.sqrt(2) * X / (GAMMA * MU * sp.sqrt(S + 1))
    return [goal(MU / 2 * radius**2 - risk, "==", positive("x", "s", "gamma", "mu"))]


@erratum("E-27", item="Lemma B.3, Theorem 4.2", repaired_by="estimation-radius")
def e_27() -> Sequence[Goal]:
    r"""The printed constant of the estimation error.

    As printed: $C_{sc}=\sqrt{9X^2/(u\mu\lambda)}$, so that $\|\theta-\theta^*\|^2\le\frac{9X^2}{\mu's}$. A quadratic
    attains $\frac{\mu'}2\|\theta-\theta^*\|^2=h$: at the bound of Theorem 3.6 the square is
    $\frac{18X^2}{\gamma^2\mu'^2s}$. False at $\gamma=\mu'=1$, and the more, the smaller they are.
    """
    return [
        refutation(
            9 * X**2 / MU - 18 * X**2 / (GAMMA**2 * MU**2), ">=", positive("x", "mu", "gamma"), x=1, mu=1, gamma=1
        )
    ]


@obligation("margin-range", item="Theorem 4.2, repaired (E-25)")
def margin_range() -> Sequence[Goal]:
    r"""For which margins the induction of Theorem 4.2 works.

    $\gamma\sqrt{2\mu}>G_1=\frac{2\beta D^2M\nu}{\sqrt\mu}$ with $\gamma\le D$ needs $\nu<\frac\mu{\sqrt2\beta DM}$: at
    a larger $\nu=(1+x)\frac\mu{\sqrt2\beta DM}$, $G_1\ge D\sqrt{2\mu}$.
    """
    margin = (1 + X) * MU / (sp.sqrt(2) * BETA * D * M)
    first = 2 * BETA * D**2 * M * margin / sp.sqrt(MU)
    return [goal(first - D * sp.sqrt(2 * MU), ">=", positive("beta", "D", "M", "mu") + nonnegative("x"))]


@erratum("E-25", item="Theorem 4.2, proof", repaired_by="margin-range")
def e_25() -> Sequence[Goal]:
    r"""Choosing the distance to the boundary.

    As printed: "choosing $\gamma\ge\frac{3G_1}{2\sqrt2\mu}$". $\gamma$ is a constant of the instance, at most D. False
    at $\beta=D=M=\nu=\mu=1$: 2.12 against 1.
    """
    first = 2 * BETA * D**2 * M * NU / sp.sqrt(MU)
    return [
        refutation(D - 3 * first / (2 * sp.sqrt(2) * MU), ">=", positive("beta", "D", "M", "nu", "mu"),
                   beta=1, D=1, M=1, nu=1, mu=1)
    ]  # fmt: skip


@obligation("drift", item="Theorem 4.2, repaired (E-26)", premises=("PO-45",))
def drift() -> Sequence[Goal]:
    r"""The distance that the objective moves while the law does.

    $F_t(\theta)-F_t(\theta^*)$ of linear rewards is $\frac12E[(X^\top(\theta-\theta^*))^21\{a=i\}]$: where the arm's
    probability moves by p, it moves by at most $\frac p2(M\|\theta-\theta^*\|_1)^2$, of the order of the square that
    the induction has.
    """
    p, inner = sp.Symbol("p"), 1 / (1 + V)  # |X^T (theta - theta*)| over M |theta - theta*|_1
    return [goal(p / 2 * (M * X) ** 2 - p / 2 * (inner * M * X) ** 2, ">=", nonnegative("p", "M", "x", "v"))]


@erratum("E-26", item="Theorem 4.2, proof", repaired_by="drift")
def e_26() -> Sequence[Goal]:
    r"""The objective of two rounds.

    As printed $h_t=F_t(\theta_t)-F_t(\theta^*)$ is compared with $h_{t-1}$ by the smoothness of $F_t$ alone, as if
    $F_t(\theta_{t-1})-F_t(\theta^*)\le F_{t-1}(\theta_{t-1})-F_{t-1}(\theta^*)$. With $X=\pm1$, linear rewards, and an
    arm that is pulled with probability p in round t and q before: $\frac p2e^2\le\frac q2e^2$. False at $p=1$,
    $q=\frac12$.
    """
    p, q = sp.symbols("p q")
    return [refutation(q * E**2 / 2 - p * E**2 / 2, ">=", positive("p", "q", "e"), p=1, q="1/2", e=1)]


@obligation("warm-up-order", item="Theorem 4.2, repaired (E-33)")
def warm_up_order() -> Sequence[Goal]:
    r"""The length of the warm-up.

    $x^2zy\ge xz$ for $x,y\ge1$ and $z>0$. With $x=\ln\frac{4dn}\alpha$, $y=\ln\frac1\delta$ and $z=\frac{\ln
    n}{\varepsilon^2}$ the left side is the order that the condition $C_{sc}^2\le Ct_0$ of Lemma B.1 asks of $t_0$,
    since $C_{sc}^2$ is of the order of $x^2zy$, and the right side is the printed order.
    """
    domain = numbers("x", "y", lo=1, ends="[)") + positive("z")
    return [goal(X**2 * Z * Y - X * Z, ">=", domain)]


@erratum("E-33", item="Theorem 4.2", repaired_by="warm-up-order")
def e_33() -> Sequence[Goal]:
    r"""The printed order of the warm-up.

    As printed: $t_0=O(\ln\frac{dT}\alpha\ln T/\varepsilon^2)$, $t_0\le Cxz$ for some C, while Lemma B.1 needs
    $t_0\ge x^2zy$ up to a constant. For every C both fail to meet at $x=C+1$, $y=1$; shown at $C=9$.
    """
    return [
        goal((C + 1) ** 2 * Z - C * (C + 1) * Z, ">", positive("z") + nonnegative("C"), note="for every C"),
        refutation(C * X * Z - X**2 * Z * Y, ">=", positive("C", "x", "y", "z"), C=9, x=10, y=1, z=1),
    ]


@obligation("case-2", item="Appendix B.2, repaired (E-34)")
def case_2() -> Sequence[Goal]:
    r"""Case 2 of the induction, multiplied out.

    $\frac Ct-\frac\gamma t\sqrt{2\mu\frac Ct}+\frac{G_1\sqrt C}{t^{3/2}}+\frac{G_2+G_3}{t^{3/2}}+\frac{G_4}{t^2}
    \le\frac C{t+1}$ follows, times $t^{3/2}$, from $(\gamma\sqrt{2\mu}-G_1)\sqrt C-\frac C{\sqrt t}\ge
    G_2+G_3+\frac{G_4}{\sqrt t}$ ($G_2$ holds the $\frac1\varepsilon$).
    """
    root, g1, g2, g3, g4, rest, w = sp.symbols("r G_1 G_2 G_3 G_4 q w")  # r = sqrt(t), w = sqrt(C), q: the spare
    gamma_mu = (g2 + g3 + g4 / root + w**2 / root + rest) / w + g1  # gamma sqrt(2 mu)
    t, c = root**2, w**2
    step = c / t - gamma_mu * w / root**3 + g1 * w / root**3 + (g2 + g3) / root**3 + g4 / t**2
    domain = positive("w") + numbers("r", lo=1, ends="[)") + nonnegative("G_1", "G_2", "G_3", "G_4", "q")
    return [goal(c / (t + 1) - step, ">=", domain)]


@erratum("E-34", item="Appendix B.2", repaired_by="case-2")
def e_34() -> Sequence[Goal]:
    r"""The printed display of Case 2.

    As printed the right side has one more factor $t^{-1/2}$, so that $(\gamma\sqrt{2\mu}-G_1)\sqrt C-\frac C{\sqrt
    t}\ge\frac{G_2+G_3+G_4/\sqrt t}{\sqrt t}$ is to make the step. False at $C=1$, $t=4$, $\gamma\sqrt{2\mu}=1$,
    $G_1=0$, $G_2=1$, $G_3=G_4=0$.
    """
    root, g2, gm, w = sp.symbols("r G_2 g w")
    t, c = root**2, w**2
    step = c / t - gm * w / root**3 + g2 / root**3
    domain = positive("w", "r", "G_2", "g")
    at: dict[str, Any] = {"w": 1, "r": 2, "G_2": 1, "g": 1}
    return [
        goal(gm * w - c / root - g2 / root - (gm * w - (c + g2) / root), "==", domain, note="the printed condition"),
        refutation(c / (t + 1) - step, ">=", domain, **at),
    ]


# ------------------------------------------------------------------------------------ the regret


def _harmonic() -> k.Fact:
    """``log t >= Sum(1/j, j = 2..t)``, from ``log(1 - 1/t) <= -1/t``."""
    later = natural("t", 2)
    line = k.instantiate(log_below_line(), ((sp.Symbol("x"), (T - 1) / T),), later)
    step = k.combine(sp.log(T) - sp.log(T - 1) - 1 / T, ">=", ((sp.S.One, line),), later)
    start = k.sign(sp.S.Zero, ">=", ())
    return induction.summation(1 / J, J, 2, T, sp.log(T), ">=", sp.S.One, start, step, natural("t", 1))


@obligation("PO-52", item="Theorem 4.3", premises=("PO-45",))
def po_52() -> Sequence[Goal]:
    r"""The sum of the squared gaps.

    With $b_t=M\beta\sqrt{C/t}$ a gap below $b_t$ has probability at most $\nu b_t$ and costs at most $b_t$:
    $E\sum A_t\le\nu\sum b_t^2$, and $\sum_{2\le t\le T}\frac1t\le\ln T$, so that
    $\sum_{t\le T}b_t^2\le M^2\beta^2C(1+\ln T)$ (the print's $\ln T$ from the second round on).
    """
    found = _harmonic().claim
    square = M**2 * BETA**2 * C
    return [
        of_fact(_harmonic, found.expr, found.relation, found.domain, "from the second round on"),
        goal(
            square * (1 + X) - (square + square * (X - Y)), ">=", positive("M", "beta", "C") + nonnegative("x", "y"),
            note="b_1^2 and the rest, the sum of 1 / t being x - y with x = ln T",
        ),
    ]  # fmt: skip


def _smaller(c: Claim) -> k.Fact:
    """``exp(-a) - exp(-8 a) = exp(-8 a) (exp(7 a) - 1)``."""
    rest = grow(sp.exp(7 * A) - 1, A, c.domain)
    return k.combine(c.expr, ">", ((sp.exp(-8 * A), rest),), c.domain)


@obligation(
    "PO-53",
    item="Theorem 4.3",
    premises=("PO-52",),
    theorems=(
        proven("AnyDialogues.said_azuma", "Azuma's inequality, on any output space"),
        proven("Martingale.azuma", "on finite output spaces, where every moment exists"),
    ),
)
def po_53() -> Sequence[Goal]:
    r"""The deviation of the regret.

    Azuma's inequality with ranges $[0,b_t]$ has the bound $e^{-2\lambda^2/\sum b_t^2}$. At $\lambda=2M\beta\sqrt{C\ln
    T\ln\frac4\alpha}$ and $\sum b_t^2=M^2\beta^2C\ln T$ it is $e^{-8a}$ with $a=\ln\frac4\alpha$, and $e^{-8a}\le
    e^{-a}=\frac\alpha4$.
    """
    log_t, log_alpha = sp.symbols("l a")
    deviation = 2 * M * BETA * sp.sqrt(C * log_t * log_alpha)
    squares = M**2 * BETA**2 * C * log_t
    domain = positive("M", "beta", "C", "l", "a")
    return [
        goal(2 * deviation**2 / squares - 8 * log_alpha, "==", domain, note="the exponent"),
        goal(sp.exp(-log_alpha) - sp.exp(-8 * log_alpha), ">", positive("a"), _smaller, "more than enough"),
    ]


@obligation("warm-up-regret", item="Theorem 4.3, repaired (E-29)")
def warm_up_regret() -> Sequence[Goal]:
    r"""The regret of the warm-up.

    $(K-1)t_0r\le Kt_0r$. Where one arm is always the best by at most r, the left side is the most that $t_0$ rounds
    with each of K arms cost, since the rounds with that arm cost nothing.
    """
    arms, pulls, worth = sp.symbols("K t_0 r")
    return [
        goal(
            arms * pulls * worth - (arms - 1) * pulls * worth,
            ">=",
            positive("t_0", "r") + numbers("K", lo=2, ends="[)"),
        )
    ]


@erratum("E-29", item="Theorem 4.3", repaired_by="warm-up-regret")
def e_29() -> Sequence[Goal]:
    r"""The printed cost of the warm-up.

    As printed: the first term of the regret is $t_0$. Each of K arms is pulled $t_0$ times; where one arm is always
    better by r the warm-up costs $(K-1)t_0r$. False at $K=3$, $r=1$. The second term lacks the margin's $\nu$, which
    its proof has (PO-52).
    """
    arms, pulls, worth = sp.symbols("K t_0 r")
    return [
        refutation(pulls - (arms - 1) * pulls * worth, ">=", positive("t_0", "r") + numbers("K", lo=2, ends="[)"),
                   K=3, t_0=1, r=1)
    ]  # fmt: skip
