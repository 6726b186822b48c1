"""Findings in Hong, Wang and Zhou 2022, Sections 3, 4 and 4.1: the bounds of gradient descent."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Finding, Instance, Kindest, PrintedHypothesis, Quotation

_PAPER: Final = "dynamic-privacy-budget"

DESCENT: Final = (
    Finding(
        id=f"{_PAPER}/T8",
        concerns="utility",
        kind="remark",
        title="On the whole space no loss with a bounded set of minimisers meets the hypotheses",
        printed=(
            Quotation(
                "Suppose f(theta; x_i) is G-Lipschitz and f(theta) is M-smooth satisfying the Polyak-Lojasiewicz"
                " condition.",
                "Theorem 4.2, and so Theorems 4.3 and 4.5; Theorems 4.6 to 4.10",
            ),
            Quotation(
                "Let f(theta; x) be G-Lipschitz, and f(theta) be mu-strong convex loss function given any x",
                "Theorem 4.11",
            ),
        ),
        sentence=r"There are losses on $\mathbb R^D$, not constant, that are $G$-Lipschitz and satisfy the"
        r" Polyak-Lojasiewicz condition with $\mu>0$ everywhere.",
        fails=r"A bounded gradient and the Polyak-Lojasiewicz condition give $f-f^*\le\frac{G^2}{2\mu}$. The condition also"
        r" gives $f-f^*\ge\frac\mu2d^2$ at the distance $d$ from the minimisers. So every point lies within $\frac G\mu$ of a"
        r" minimiser, and a strongly convex loss cannot do that on $\mathbb R^D$. On a bounded domain it can, but the paper"
        " does not project, and Gaussian noise leaves every bounded domain.",
        kindest=Kindest(
            r"The proof of Theorem 4.2 uses $G$ only as the scale of the noise. Without the Lipschitz hypothesis the bound"
            " holds on the whole space; for privacy the gradients are then clipped, as Section 3 mentions.",
            "holds",
            f"{_PAPER}/theorem-4.2",
        ),
        instead=f"{_PAPER}/T8",
    ),
    Finding(
        id=f"{_PAPER}/T6",
        concerns="utility",
        kind="condition missing",
        title="For ill-conditioned losses the best uniform bound is about 1 and does not grow to 1/alpha",
        printed=(
            Quotation(
                "ERUB^uniform_min = Theta(kappa ln(1 + 1/(kappa alpha))) = Theta(1/alpha) <= O(MN^2R / (DG^2))",
                "Section 4.1.3, Stability on ill-conditioned loss",
            ),
            Quotation(
                "ERUB^uniform_min = Theta(kappa^2/(kappa + 1/alpha) ln(1 + 1/(kappa alpha)))", "Theorem 4.3, Eq. (8)"
            ),
            Quotation(
                "Thus, we choose T = 1/ln(1/gamma) ln(1 + ln(1/gamma)/alpha) ... which converges to 0 as kappa -> +infinity.",
                "Theorem 4.3, sketch of proof",
            ),
        ),
        sentence=r"For constant $\alpha$ and all $\kappa\gg\frac1\alpha$, the least value of Eq. (9),"
        r" $\gamma^T+\alpha\kappa(1-\gamma^T)T$, over $T$ is of order $\frac1\alpha$.",
        fails=r"That is the value at the $T$ of Eq. (24), which is not the minimiser. The least value is at most 1, because"
        r" no step at all gives 1. Nor does the $T$ of Eq. (24) tend to 0 as $\kappa$ grows: it tends to $\frac1\alpha$. So the"
        " comparison of this section, in which the dynamic schedule is more robust to ill-conditioning, is one with a"
        r" $T$ that is not the best. For fixed $\kappa$ and small $\alpha$, Eq. (8) has the right order.",
        hypotheses=(
            PrintedHypothesis(r"$\kappa\gg\frac1\alpha$", "kappa >= 100/alpha"),
            PrintedHypothesis(r"$\kappa\ge\frac1{1-c}>1$ for some constant $c$, here $\frac12$", "kappa >= 2"),
        ),
        instance=Instance(
            parameters={"kappa": "1000000", "alpha": "1/10000"},
            data="the bound of Eq. (9), at the T of Eq. (24) and at its best whole number T",
        ),
        prints=("printed = 9852.8", "true = 1.0001", "1 / alpha = 10000; Eq. (24) has T = 9950"),
        kindest=Kindest(
            r"$\mathrm{ERUB}_{\min}$ is meant to be the bound at the $T$ of Eq. (24), as Section 4 allows it to be the bound"
            " at a chosen T. With that reading Theorem 4.3 holds.",
            "holds",
            f"{_PAPER}/theorem-4.3",
        ),
        instead=f"{_PAPER}/PO-6",
        refutations=(f"{_PAPER}/T6",),
    ),
    Finding(
        id=f"{_PAPER}/T5",
        concerns="utility",
        kind="constant",
        title="The budget that zCDP allows is less than half of epsilon^2 / ln(1/delta), not more than it",
        printed=(
            Quotation(
                "Because ln(1/delta) > 1, it is easy to see R = R_zCDP > R_MA when epsilon <= 2 ln(1/delta).",
                "Section 4.1.3, Sample efficiency",
            ),
            Quotation(
                "R_{epsilon,delta} = epsilon^2/ln(1/delta) < R when the private algorithm is (epsilon, delta)-DP with epsilon"
                " <= 2 ln(1/delta).",
                "Appendix B",
            ),
        ),
        sentence=r"For all $\varepsilon\le2L$, where $L=\ln\frac1\delta>1$: the budget $R=2\rho$ for which Lemma C.4 yields"
        r" $(\varepsilon,\delta)$-DP exceeds $R_{MA}=\frac{\varepsilon^2}L$.",
        fails=r"The comparison uses the root with the wrong sign (finding lemma-c.4-inversion). With the right root,"
        r" $R=2(\sqrt{\varepsilon+L}-\sqrt L)^2$ is less than $\frac12R_{MA}$ for all $\varepsilon$ and $\delta$. For"
        r" $\varepsilon\le2L$ it is at least $\frac14R_{MA}$.",
        hypotheses=(
            PrintedHypothesis(r"$\varepsilon\le2\ln\frac1\delta$", "epsilon <= 2*log(1/delta)"),
            PrintedHypothesis(r"$\ln\frac1\delta>1$", "log(1/delta) > 1"),
        ),
        instance=Instance(
            parameters={"epsilon": "4", "delta": "1/100000000"},
            data=r"the two budgets at the $(\varepsilon,\delta)$ of Section 5; the printed one is the number that R exceeds",
        ),
        prints=(
            "printed = 0.8686",
            "true = 0.3927",
            "for epsilon <= 2 ln(1/delta), R_zCDP / R_MA lies between 0.268 and 0.498",
        ),
        kindest=Kindest(
            r"Both budgets have the same order, and the bounds are compared up to constants: for $\varepsilon\le2L$ the budget"
            r" $R$ lies between $\frac14R_{MA}$ and $\frac12R_{MA}$.",
            "holds",
            f"{_PAPER}/PO-47",
        ),
        instead=f"{_PAPER}/PO-47",
        refutations=(f"{_PAPER}/T5",),
    ),
    Finding(
        id=f"{_PAPER}/T7",
        concerns="utility",
        kind="slip",
        title="The number of steps in Theorem 4.5 has kappa where its proof has kappa squared",
        printed=(
            Quotation(
                "the T minimizing ERUB are, i.e., ... T = ceil((2 kappa ln(1 + 1/(kappa alpha)))).",
                "Theorem 4.5",
            ),
        ),
        sentence=r"For all $\kappa\ge1$ and $\alpha\le\alpha_0$, the bound of the dynamic schedule is least, and of order"
        r" $\frac{\kappa^2\alpha}{\kappa^2\alpha+1}$, at $T=\lceil2\kappa\ln(1+\frac1{\kappa\alpha})\rceil$.",
        fails=r"Eq. (27) in the proof gives the minimiser, which is at most $2\kappa\ln(1+\frac1{\kappa^2\alpha})$. The"
        r" printed $T$ is too large when $\kappa^2\alpha$ is large. When $\kappa^2\alpha$ is small, it costs at most a"
        " constant.",
        hypotheses=(
            PrintedHypothesis(r"$\kappa\ge1$", "kappa >= 1"),
            PrintedHypothesis(r"$\alpha\le\alpha_0$", "alpha <= 1/100"),
        ),
        instance=Instance(
            parameters={"kappa": "1000", "alpha": "1/10000"},
            data="the bound of the dynamic schedule, at the printed T and at that of Eq. (27)",
        ),
        prints=("printed = 330.5", "true = 0.9975", "the printed T is 4796, that of Eq. (27) is 4.99"),
        kindest=Kindest("The T of Eq. (27) is meant. With it Theorem 4.5 holds.", "holds", f"{_PAPER}/theorem-4.5"),
        instead=f"{_PAPER}/theorem-4.5",
        refutations=(f"{_PAPER}/T7",),
    ),
    Finding(
        id=f"{_PAPER}/T2",
        concerns="utility",
        kind="slip",
        title="The strict test of Algorithm 1 refuses the last step of every schedule",
        printed=(Quotation("if rho_t < R_t then ... else Terminate", "Algorithm 1, lines 2, 7 and 8"),),
        sentence=r"For every $T$, a schedule with $\sum_{t\le T}\sigma_t^{-2}=R$ runs $T$ steps.",
        fails=r"Before the last step the residual budget equals the cost of that step, and the test $\rho_T<R_T$ fails. So"
        r" $T-1$ steps run, and a little less than $\frac R2$ is spent. The utility theorems count $T$ steps.",
        hypotheses=(PrintedHypothesis("the schedule is that of Theorem 4.3", "R/T > 0"),),
        instance=Instance(
            parameters={"R": "3927/10000", "T": "100"},
            data=r"the uniform schedule, $\sigma_t^2=\frac TR$, in exact fractions",
        ),
        prints=(
            "printed = 100",
            "true = 99",
            "before the last step the residual budget is 3927/1000000, and the step costs 3927/1000000",
        ),
        kindest=Kindest(
            r"The test is meant to be $\rho_t\le R_t$, with which the proof of Theorem 3.5 is unchanged.",
            "holds",
            f"{_PAPER}/algorithm-1@repaired,zero-out",
        ),
        instead=f"{_PAPER}/PO-13",
        refutations=(f"{_PAPER}/T2",),
    ),
    Finding(
        id=f"{_PAPER}/T24",
        concerns="utility",
        kind="slip",
        title="The influence is the derivative in the variance, not in the deviation",
        printed=(
            Quotation(
                "Instead, we consider a more general term based on ERUB, i.e., q_t = (partial ERUB)/(partial sigma_t).",
                "Section 4",
            ),
            Quotation("ERUB = gamma^T + R sum_{t=1}^T q_t sigma_t^2, where q_t := gamma^{T-t} alpha.", "Eq. (7)"),
        ),
        sentence=r"For every $t$: $\frac{\partial\,\mathrm{ERUB}}{\partial\sigma_t}=\gamma^{T-t}\alpha$, up to the factor R.",
        fails=r"That derivative is $2R\gamma^{T-t}\alpha\sigma_t$. Eq. (7) defines $q_t$ by what every later use needs, the"
        r" derivative in $\sigma_t^2$. The text says that it ignores the factor $R$, and does not speak of $2\sigma_t$.",
        kindest=Kindest("The definition of Eq. (7) is meant.", "holds", f"{_PAPER}/influence"),
        instead=f"{_PAPER}/influence",
        refutations=(f"{_PAPER}/T24",),
    ),
    Finding(
        id=f"{_PAPER}/T22",
        concerns="utility",
        kind="slip",
        title="Two slips: the variance in Eq. (26), and the first momentum in the proof of Theorem 3.5",
        printed=(
            Quotation(
                "T sum q_t - (sum sqrt(q_t))^2 = T^2 (1/T) sum (sqrt(q_t) - (1/T) sum sqrt(q_i))^2 = T^2 Var[q_t]",
                "Appendix D.1, Eq. (26)",
            ),
            Quotation("[v_2; theta_2] = [g_1; theta_1 - eta_1 g_1]", "Appendix D, proof of Theorem 3.5"),
        ),
        sentence=r"For positive $q_t$: $T\sum q_t-(\sum\sqrt{q_t})^2=T^2\,\mathrm{Var}[q_t]$; and $v_2=g_1$.",
        fails=r"The middle of Eq. (26), and the text after Lemma 4.4, have the variance of $\sqrt{q_t}$. By Eq. (13),"
        r" $v_2=(1-\beta)g_1$; it is $m_2$ that equals $g_1$. Neither slip changes a theorem.",
        kindest=Kindest(r"The variance of $\sqrt{q_t}$ and $m_2$ are meant.", "holds", f"{_PAPER}/PO-11"),
        instead=f"{_PAPER}/PO-11",
        refutations=(f"{_PAPER}/T22",),
    ),
    Finding(
        id=f"{_PAPER}/T27",
        concerns="utility",
        kind="remark",
        title="At kappa = 1 the dynamic schedule is 0/0",
        printed=(
            Quotation("Given a positive sequence {q_t}, the following equation holds", "Lemma 4.4"),
            Quotation("when kappa >= 1 and 1/alpha >= 1/alpha_0 for some positive constant alpha_0", "Theorem 4.5"),
        ),
        sentence=r"For all $\kappa\ge1$ the influences $q_t=\gamma^{T-t}\alpha$ are positive, as Lemma 4.4 asks.",
        fails=r"At $\kappa=1$ the rate $\gamma$ is 0 and $q_t=0$ for all $t<T$. The printed schedule is then $\frac00$. For"
        r" every $\kappa>1$ the influences are positive. We do not call Theorem 4.5 false.",
        only_for=r"$\kappa=1$",
        kindest=Kindest(
            r"$\kappa=1$ is meant as the limit of $\kappa>1$, in which the last step has the whole budget.",
            "holds",
            f"{_PAPER}/influence-positive",
        ),
        instead=f"{_PAPER}/influence-positive",
        refutations=(f"{_PAPER}/T27",),
    ),
)
