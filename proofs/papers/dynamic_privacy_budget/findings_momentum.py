"""Findings in Hong, Wang and Zhou 2022, Section 4.2 and the lemmas behind it: momentum."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Finding, Instance, Kindest, PrintedHypothesis, Quotation

_PAPER: Final = "dynamic-privacy-budget"
_LIMIT: Final = "8/(1 + sqrt(1 + 64*beta*gamma/((gamma - beta)**2*(1 - beta)**3)))"

MOMENTUM: Final = (
    Finding(
        id=f"{_PAPER}/T4",
        concerns="utility",
        kind="constant",
        title="Eq. (14) subtracts a momentum effect that is twice what the proof of Theorem 4.6 yields",
        printed=(
            Quotation(
                "EER <= (gamma^T + 2 R eta_0 alpha U_3(sigma, T)) (f(theta_1) - f(theta^*)) - zeta (eta_0 / 2M)"
                " sum_{t=1}^T gamma^{T-t} E ||v_{t+1}||^2",
                "Theorem 4.6, Eq. (14)",
            ),
            Quotation("where gamma = 1 - eta_0/kappa", "Theorem 4.6"),
        ),
        sentence=r"For all losses that are $M$-smooth and satisfy the Polyak-Lojasiewicz condition, all $\beta\in(0,1)$ and all"
        r" admissible $\eta_0$, the expected excess risk is at most the right side of Eq. (14).",
        fails=r"The proof uses $-\langle a,b\rangle=\|a-b\|^2-\|a\|^2-\|b\|^2$, whose right side lacks the factor $\frac12$. With"
        r" it, the proof yields $\gamma=1-\frac{\eta_0}{2\kappa}$ and half of the momentum effect. On the quadratic below the"
        r" excess risk is .3022, and the printed bound is .1810. Without the momentum effect the printed bound would be .3026,"
        r" so that the printed rate $\gamma^T$ is not refuted. A condition $\beta<\gamma$ and a smoothness from both sides are"
        r" needed too.",
        hypotheses=(
            PrintedHypothesis(r"$\beta\in(0,1)$ and $\beta\ne\gamma$", "(beta > 0) & (beta < gamma) & (gamma < 1)"),
            PrintedHypothesis(r"$\gamma=1-\frac{\eta_0}\kappa$", "Eq(gamma, 1 - eta_0/kappa)"),
            PrintedHypothesis(
                r"$\eta_0\le8\big(\sqrt{1+64\beta\gamma(\gamma-\beta)^{-2}(1-\beta)^{-3}}+1\big)^{-1}$",
                f"eta_0 <= {_LIMIT}",
            ),
            PrintedHypothesis(r"the loss is $M$-smooth with $\mu=1$ and $\kappa=M/\mu$", "Eq(M, kappa)"),
            PrintedHypothesis(
                r"the loss is $G$-Lipschitz for $|\theta_1|\le\frac1{10}$ and $|\theta_2|\le1$, and no loss is so everywhere"
                " (finding T8)"
            ),
        ),
        instance=Instance(
            parameters={
                "N": "1000",
                "D": "2",
                "R": "1",
                "T": "50",
                "G": "2",
                "M": "10",
                "kappa": "10",
                "eta_0": "1/10",
                "beta": "1/2",
                "gamma": "99/100",
            },
            data=r"all losses are $5\theta_1^2+\frac12\theta_2^2$; the start is $(0,1)$, and the noise is uniform with"
            r" $\sigma_t^2=\frac TR$",
        ),
        prints=(
            "printed = 0.1810",
            "true = 0.3022",
            "the bound without its momentum effect is 0.3026",
        ),
        kindest=Kindest(
            r"With $\gamma=1-\frac{\eta_0}{2\kappa}$, half of the momentum effect, $\beta<\gamma$ and a Lipschitz gradient the"
            " theorem holds, with the same shape.",
            "holds",
            f"{_PAPER}/theorem-4.6-C",
        ),
        instead=f"{_PAPER}/theorem-4.6-C",
        refutations=(f"{_PAPER}/T4",),
    ),
    Finding(
        id=f"{_PAPER}/lemma-C.7-as-printed",
        concerns="utility",
        kind="condition missing",
        title="Lemma C.7 needs beta < gamma",
        printed=(
            Quotation(
                "sum_{t=1}^T gamma^{T-t} sum_{i=1}^{t-1} ||v_{i+1}||^2 sum_{k=t-i}^{t-1} k beta^k <= 2 beta gamma /"
                " ((gamma - beta)^2 (1 - beta)) sum_{i=1}^{T-1} gamma^{T-i} ||v_{i+1}||^2",
                "Lemma C.7",
            ),
        ),
        sentence=r"For the variables of Theorem 4.6, so for all $\beta\ne\gamma$ and all admissible $\eta_0$, and for all $T$ and"
        r" $v_2,\dots,v_T$, the inequality of Lemma C.7 holds.",
        fails=r"The proof sums $\sum_jja^j\le\frac a{(1-a)^2}$ for $a=\frac\beta\gamma$, which needs $a<1$. For $\beta>\gamma$ the"
        r" left side keeps terms of order $\beta^T$, and the right side is of order $\gamma^T$.",
        hypotheses=(
            PrintedHypothesis(r"$\beta\in(0,1)$ and $\beta\ne\gamma$", "(beta > 0) & (beta < 1) & (beta > gamma)"),
            PrintedHypothesis(r"$\gamma=1-\frac{\eta_0}\kappa$", "Eq(gamma, 1 - eta_0/kappa)"),
            PrintedHypothesis(
                r"$\eta_0\le8\big(\sqrt{1+64\beta\gamma(\gamma-\beta)^{-2}(1-\beta)^{-3}}+1\big)^{-1}$",
                f"eta_0 <= {_LIMIT}",
            ),
        ),
        instance=Instance(
            parameters={"gamma": "1/100", "beta": "1/2", "kappa": "1", "eta_0": "99/100", "T": "20"},
            data="only the first of the vectors is not zero, and its norm is 1",
        ),
        prints=(
            "printed = 8.330e-40",
            "true = 3.694e-05",
            "eta_0 = 0.99 meets the condition eta_0 <= 1.8120 of Theorem 4.6",
        ),
        only_for=r"$\gamma<\beta$, which the printed condition on $\eta_0$ admits only for small $\gamma$",
        kindest=Kindest(
            r"Theorem 4.8 assumes $\beta<\gamma$, and $\zeta\ge0$ in Theorem 4.6 would imply it if it were assumed. Then the lemma"
            " holds.",
            "holds",
            f"{_PAPER}/lemma-C.7",
        ),
        instead=f"{_PAPER}/lemma-C.7",
        refutations=(f"{_PAPER}/lemma-C.7-as-printed",),
    ),
    Finding(
        id=f"{_PAPER}/T4f",
        concerns="utility",
        kind="slip",
        title="The example after Theorem 4.6 admits a step size 325 times too large",
        printed=(
            Quotation(
                "For example, when beta = 0.9 and gamma = 0.99, then eta_0 <= 0.98/M which is a rational value.",
                "after Theorem 4.6",
            ),
        ),
        sentence=r"At $\beta=0.9$ and $\gamma=0.99$ the condition of Theorem 4.6 on $\eta_0$ is $\eta_0\le\frac{0.98}M$.",
        fails=r"The theorem's own formula contains no $M$ and gives $\eta_0\le0.00301$. With that $\eta_0$, $\gamma=0.99$ would"
        r" need $\kappa=0.30$, and $\kappa$ is at least 1.",
        hypotheses=(PrintedHypothesis("$M=1$, as in Table 1", "Eq(M, 1)"),),
        instance=Instance(
            parameters={"beta": "9/10", "gamma": "99/100", "M": "1"},
            data="the condition of Theorem 4.6 on the step size",
        ),
        prints=(
            "printed = 0.98000",
            "true = 0.00301",
            "with it, kappa = eta_0 / (1 - gamma) would be 0.30, and kappa >= 1",
        ),
        kindest=Kindest("The formula of the theorem is meant.", "holds", f"{_PAPER}/PO-30"),
        instead=f"{_PAPER}/PO-30",
        refutations=(f"{_PAPER}/T4f",),
    ),
    Finding(
        id=f"{_PAPER}/T12",
        concerns="utility",
        kind="slip",
        title="The indicators in the schedule of Theorem 4.8 compare T instead of t",
        printed=(
            Quotation(
                "where q_t = c_1 gamma^{T+t} I_{T <= T^} + gamma^{T^-1} c_2 gamma^{T-t} I_{T > T^} for some positive constants"
                " c_1 and c_2.",
                "Theorem 4.8",
            ),
        ),
        sentence=r"For all $T$ and $t$, the printed $q_t$ is the weight of step $t$ in the proof's split of $U_3$.",
        fails=r"The proof splits the sum at the step $\hat T$, so the indicators compare $t$ with $\hat T$. As printed, a run"
        r" longer than $\hat T$ has no first phase, in which the noise should grow.",
        kindest=Kindest(r"The indicators in $t$ of the proof are meant.", "holds", f"{_PAPER}/PO-43"),
        instead=f"{_PAPER}/PO-43",
        refutations=(f"{_PAPER}/T12",),
    ),
    Finding(
        id=f"{_PAPER}/T25",
        concerns="utility",
        kind="slip",
        title="The dynamic schedule of momentum in Table 1 has the exponents of its inverse",
        printed=(
            Quotation(
                "Momentum+zCDP, Dynamic Schedule O((c_1 gamma^{T+t} + c_2 gamma^{(T-t)/2}) / R)",
                "Table 1, column Schedule (sigma_t^2)",
            ),
        ),
        sentence=r"For the weights $q_t=c_1\gamma^{T+t}$, the best $\sigma_t^2$ is of order $\gamma^{T+t}/R$.",
        fails=r"By Lemma 4.4, $\sigma_t^2\sqrt{q_t}$ does not depend on $t$. So $\sigma_t^2$ is of order $\gamma^{-(T+t)/2}$ in the"
        r" first phase and $\gamma^{-(T-t)/2}$ in the second. The row of gradient descent in the same table has it right.",
        kindest=Kindest("The schedule of Lemma 4.4 is meant.", "holds", f"{_PAPER}/PO-10"),
        instead=f"{_PAPER}/PO-10",
        refutations=(f"{_PAPER}/T25",),
    ),
    Finding(
        id=f"{_PAPER}/T11",
        concerns="utility",
        kind="remark",
        title="An equality and a factor 2 inside the proof of Lemma C.7",
        printed=(
            Quotation(
                "= 1/(1-beta) ((t-i) beta^{t-i} + (beta^{t-i+1} - beta^t)/(1-beta) - (beta - beta^t)/(1-beta)) = 1/(1-beta)"
                " ((t-i) beta^{t-i} + (beta^{t-i+1} - beta)/(1-beta))",
                "Lemma C.7, proof",
            ),
        ),
        sentence=r"For all $t>j\ge1$:"
        r" $\sum_{k=j}^{t-1}k\beta^k=\frac1{1-\beta}\big[j\beta^j+\frac{\beta^{j+1}-\beta}{1-\beta}\big]$.",
        fails=r"The last term is $(t-1)\beta^t$ and not $\frac{\beta-\beta^t}{1-\beta}$. The printed value can be negative: at"
        r" $t=6$, $j=3$, $\beta=\frac12$ it is $-1$, and the sum is 0.78125. The bound in the next line holds for the true sum,"
        " and a factor 2 that is missing in one display is there again in the next.",
        kindest=Kindest(
            r"Only the upper bound is used. With it the lemma holds for $\beta<\gamma$.", "holds", f"{_PAPER}/lemma-C.7"
        ),
        instead=f"{_PAPER}/PO-25",
        refutations=(f"{_PAPER}/T11",),
    ),
    Finding(
        id=f"{_PAPER}/T13",
        concerns="utility",
        kind="remark",
        title="The constant c_2 in the proof of Theorem 4.8 is too small",
        printed=(
            Quotation(
                "where c_1 = 2/(gamma (gamma - beta^2)) and c_2 = gamma^{2 T^} / (gamma - beta^2).",
                "Appendix D.2, proof of Theorem 4.8",
            ),
        ),
        sentence=r"For all $\beta<\gamma$ and $\hat T<i\le T$, the weight of $\sigma_i^2$ in $U_3$ is at most"
        r" $c_2\gamma^{\hat T-1}\gamma^{T-i}$.",
        fails=r"The argument gives $c_2=\frac{\gamma^{\hat T}}{\gamma-\beta^2}$, with one $\hat T$ in the exponent. The theorem"
        " itself says only that there are positive constants, and with the larger one its first bound holds.",
        hypotheses=(
            PrintedHypothesis(r"$\beta<\gamma<1$", "(beta < gamma) & (gamma < 1)"),
            PrintedHypothesis(r"$i>\hat T$, where $i=T$", "T > T_hat"),
        ),
        instance=Instance(
            parameters={"beta": "9/10", "gamma": "99/100", "T": "300", "T_hat": "230"},
            data="the weight of the last step",
        ),
        prints=(
            "printed = 0.00546",
            "true = 0.01000",
            "at t = T = 300, beyond the turning step 230; c_2 lacks a factor of 10.1",
        ),
        kindest=Kindest("The constant is free in the theorem.", "holds", f"{_PAPER}/PO-43"),
        instead=f"{_PAPER}/PO-43",
        refutations=(f"{_PAPER}/T13",),
    ),
    Finding(
        id=f"{_PAPER}/T15",
        concerns="utility",
        kind="remark",
        title="The proof of Theorem 4.7 absorbs a term that it may not absorb",
        printed=(
            Quotation(
                "ERUB <= gamma^T (1 + (alpha'/gamma) T (T^ + (gamma^{T^-T} - 1)/(1-gamma))) <= O(gamma^T + (2 alpha'/gamma) T"
                " kappa (gamma^{T^} - gamma^T)).",
                "Appendix D.2, proof of Theorem 4.7",
            ),
        ),
        sentence=r"There is a constant $c$ such that $\hat T\le c\,\frac{\gamma^{\hat T-T}-1}{1-\gamma}$ for all $T>\hat T$.",
        fails=r"At $T=\hat T+1$ the right side is $\frac c\gamma$, whatever $\hat T$ is. So no constant serves that does not"
        r" grow with $\hat T$. For $T\le\hat T$ the bound never falls below $\gamma(1-\beta)$ (obligation PO-60).",
        kindest=Kindest(
            r"The rate is meant with a constant that depends on $\kappa$, $\eta_0$ and $\hat T$. We have not stated such a rate.",
            "open",
        ),
        instead=f"{_PAPER}/PO-37",
        refutations=(f"{_PAPER}/T15",),
    ),
)
