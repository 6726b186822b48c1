"""Findings in Hong, Wang and Zhou 2022, Sections 3, 4.1.3, 4.3 and 4.4 and Appendix C.1: privacy."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Finding, Instance, Kindest, PrintedHypothesis, Quotation

_PAPER: Final = "dynamic-privacy-budget"

PRIVACY: Final = (
    Finding(
        id=f"{_PAPER}/theorem-3.5",
        concerns="privacy",
        kind="adjacency",
        title="Theorem 3.5 holds where a record is zeroed out, and not where it is replaced",
        printed=(
            Quotation("The PGD algorithm outputs theta_T and satisfies rho-zCDP where rho <= 1/2 R.", "Theorem 3.5"),
            Quotation(
                "for all adjacent datasets d, d' in D^n, D_alpha(M(d) || M(d')) <= rho alpha, for all alpha in (1,"
                " infty)",
                "Definition 3.4",
            ),
            Quotation("Adjacent datasets are defined to be datasets that only differ in one sample.", "Section 3"),
        ),
        sentence=r"For all data sets of equal size that differ in one record, for all $G$-Lipschitz losses, every budget"
        r" $R$ and every schedule, the output $\theta_T$ of Algorithm 1 is $\frac R2$-zCDP.",
        fails=r"The noise is scaled to $\frac GN$, which is how far the mean gradient moves when one record's gradient is"
        r" taken out of the sum. When a record is replaced by another one, the mean gradient moves by up to"
        r" $\frac{2G}N$. A step then costs four times what the proof charges, and the output is $2R$-zCDP.",
        hypotheses=(
            PrintedHypothesis("the losses are $G$-Lipschitz: they are linear with slopes 4, $-4$ or 0", "G >= 4"),
            PrintedHypothesis(r"the schedule spends the budget: $T\cdot\frac RT\le R$", "T * (R/T) <= R"),
        ),
        instance=Instance(
            parameters={
                "N": "1000",
                "D": "1",
                "G": "4",
                "R": "3927/10000",
                "T": "100",
                "eta": "1/10",
                "delta": "1/100000000",
            },
            data=r"One record has the loss $4\theta$. The other 999 records have the loss 0.",
            neighbour=r"The first record has the loss $-4\theta$.",
            released=r"the last iterate, which is $\theta_{100}$, because the printed test stops before the last step",
            event=r"$-\theta_{100}$ exceeds a threshold: of a thousand, the one that gives the largest bound on"
            r" $\varepsilon$; P is its probability under D and Q under D'",
        ),
        prints=(
            "P = 5.481e-08",
            "Q = 2.744e-11",
            "epsilon >= 7.40 at delta = 1e-08; claimed 4.00",
        ),
        kindest=Kindest(
            r"Definition C.2, and the text after Eq. (1), leave one gradient out of the sum, with $N$ fixed. Neighbours"
            r" are then data sets of which one record is zeroed out, and the theorem holds as printed.",
            "holds",
            f"{_PAPER}/algorithm-1@as-printed,zero-out",
        ),
        instead=f"{_PAPER}/theorem-3.5",
        claims=(
            f"{_PAPER}/algorithm-1@as-printed,zero-out",
            f"{_PAPER}/algorithm-1@as-printed,add-or-remove-one",
            f"{_PAPER}/algorithm-1@as-printed,replace-one",
            f"{_PAPER}/theorem-3.5@as-printed-schedule-4.5,zero-out",
            f"{_PAPER}/theorem-3.5@as-printed-schedule-4.5,replace-one",
            f"{_PAPER}/theorem-3.5@as-printed-schedule-4.8,zero-out",
        ),
        refutations=(f"{_PAPER}/T1",),
    ),
    Finding(
        id=f"{_PAPER}/section-4.3",
        concerns="privacy",
        kind="condition missing",
        title="A step on a sampled batch costs c p^2 / sigma^2 only at orders that are not too large",
        printed=(
            Quotation(
                "When a batch of data are randomly sampled, the privacy cost of one iteration is c p^2 / sigma_t where c"
                " is some constant, p = n/N is the sample rate, and 1/sigma_t^2 is the full-batch privacy cost.",
                "Section 4.3",
            ),
        ),
        sentence=r"There is a constant $c$ such that for all $n\le N$ and $\sigma$, a step with noise $\frac{G\sigma}n$ on"
        r" a random batch of $n$ of $N$ records is $\frac12c\,p^2\sigma^{-2}$-zCDP, where $p=\frac nN$. (The square of"
        r" $\sigma_t$ is missing in the quoted line and stands in the next one.)",
        fails=r"Definition 3.4 of zCDP asks for all orders. At small orders the batch hides the record as the sentence"
        r" says. At large orders the divergence is that of the event that the record is in the batch, and the step costs"
        r" at least what it costs without sampling. So $c$ has to be at least of order $p^{-2}$, and then nothing is left of"
        r" the gain $R'=R/p^2$.",
        hypotheses=(
            PrintedHypothesis("the batch is much smaller than the data set", "n <= N/100"),
            PrintedHypothesis(r"the batch size is that of Theorem 4.9, $n=N\sqrt R$", "Eq(n**2, N**2*R)"),
        ),
        instance=Instance(
            parameters={"N": "1000", "n": "10", "D": "1", "G": "1", "R": "1/10000", "T": "1", "sigma": "1"},
            data=r"One record has the loss $\theta$. The other 999 records have the loss 0.",
            neighbour="The first record has the loss 0 as well.",
            released=r"the sum of ten gradients, drawn with replacement as in Section 4.3, with noise of deviation"
            r" $\sigma=1$",
            event="the released number exceeds 8; P is its probability under D and Q under D'",
        ),
        prints=(
            "P = 9.845e-14",
            "Q = 6.221e-16",
            "p = 0.010: rho >= 0.197576, so c >= 3952",
            "p = 0.005: rho >= 0.090113, so c >= 7209",
            "p = 0.002: rho >= 0.026533, so c >= 13267",
            "p = 0.001: rho >= 0.009057, so c >= 18113",
        ),
        kindest=Kindest(
            "The section leaves c open and refers to Theorem 3 of Yu et al. (2019), which we have not checked. A bound at"
            r" small orders is meant, which yields $(\varepsilon,\delta)$-DP by the conversion of the moments accountant."
            r" For one example an $(\varepsilon,\delta)$ of this kind is certified.",
            "holds",
            f"{_PAPER}/section-4.3@repaired-poisson,zero-out",
        ),
        instead=f"{_PAPER}/sampled-steps",
        claims=(
            f"{_PAPER}/section-4.3@as-printed,replace-one",
            f"{_PAPER}/section-4.3@as-printed-poisson,zero-out",
            f"{_PAPER}/theorem-4.10@as-printed-poisson,zero-out",
        ),
        refutations=(f"{_PAPER}/T18",),
        known="Bun, Dwork, Rothblum and Steinke (2018) introduced truncated concentrated differential privacy, which bounds"
        " the orders, because zCDP is not amplified by sampling.",
    ),
    Finding(
        id=f"{_PAPER}/section-4.4",
        concerns="privacy",
        kind="condition missing",
        title="Section 4.4 does not say how one repetition is chosen, and leaves no budget for the choice",
        printed=(
            Quotation(
                "The algorithms are T-iteration 1/2 R-zCDP or equivalently (epsilon, delta)-DP under the"
                " mu-strongly-convex condition.",
                "caption of Table 2, for the rows with high probability",
            ),
            Quotation(
                "we repeat the PGD with privacy budget R/k for k times. Note, the output of all repetitions is still of R"
                " budget.",
                "Section 4.4, before Eq. (16)",
            ),
        ),
        sentence=r"For $k=\log_2\frac1p$, the algorithm that runs gradient descent $k$ times with the budget $\frac Rk$ and"
        r" returns a good one of the $k$ results is $\frac R2$-zCDP.",
        fails="The section does not say how the good repetition is found. All $k$ results together spend the budget, as the"
        " text says, so that the caption of Table 2 holds on the condition that the choice costs nothing. A choice that reads"
        " the data is one more answer about them, and no budget is left for it. If the choice is made by the exact empirical"
        " risk, the returned result shows a record: on data whose minimiser lies far to the right it is the largest of the $k$"
        " results, and on a neighbour whose minimiser lies far to the left it is the smallest.",
        hypotheses=(
            PrintedHypothesis(r"$k=\log_2\frac1p$", "Eq(2**k, 1/p)"),
            PrintedHypothesis(
                r"the losses are $\mu$-strongly convex, and $G$-Lipschitz for $|\theta|\le4$: their slope is at most"
                r" $3.9+4\mu$ in absolute value",
                "39/10 + 4*mu <= G",
            ),
            PrintedHypothesis(r"the step size is at most $\frac1M$, and $M=\mu$", "eta*mu <= 1"),
        ),
        instance=Instance(
            parameters={
                "N": "1000",
                "D": "1",
                "G": "4",
                "R": "3927/10000",
                "T": "100",
                "eta": "1/10",
                "p": "1/1024",
                "k": "10",
                "mu": "1/1000",
                "delta": "1/100000000",
            },
            data=r"Every loss is $\frac\mu2\theta^2+s\theta$. One record has $s=-3.9$, one has $s=1.95$, and 998 records have"
            r" $s=0$. The minimiser is 1.95.",
            neighbour=r"The first record is zeroed out: it has $s=0$. The minimiser is $-1.95$.",
            released="the one of the ten last iterates that has the least empirical risk",
            event="the returned iterate is positive; P is at most its probability under D, and Q at least that under D'",
        ),
        prints=(
            "P = 0.99956",
            "Q = 0.00044",
            "epsilon >= 7.73 at delta = 1e-08; claimed 4.00",
        ),
        only_for="a choice by the exact empirical risk; the section prints no rule of choice",
        kindest=Kindest(
            "The section follows Bassily et al. (2014), Section D, and the repetition is meant to be chosen privately. With"
            r" noisy comparisons that are paid for out of the same budget, the returned result is $\frac R2$-zCDP.",
            "holds",
            f"{_PAPER}/section-4.4@repaired,zero-out",
        ),
        instead=f"{_PAPER}/boosting-budget",
        claims=(
            f"{_PAPER}/section-4.4@as-printed,zero-out",
            f"{_PAPER}/section-4.4@as-printed,replace-one",
            f"{_PAPER}/section-4.4@as-printed-repetitions,zero-out",
        ),
    ),
    Finding(
        id=f"{_PAPER}/lemma-c.4-inversion",
        concerns="privacy",
        kind="slip",
        title="The inversion of Lemma C.4 is printed with the wrong sign",
        printed=(
            Quotation(
                "By solving rho + 2 sqrt(rho ln(1/delta)) = epsilon, we can get rho = epsilon + 2 ln(1/delta) + 2"
                " sqrt(ln(1/delta) (epsilon + ln(1/delta)).",
                "Appendix C.1, after Lemma C.4",
            ),
            Quotation(
                "based on Lemma C.4, R = 2 rho = 2 epsilon + 4 ln(1/delta) + 4 sqrt(ln(1/delta) (epsilon + ln(1/delta)) if"
                " theta_T satisfies rho-zCDP.",
                "Section 4.1.3, Sample efficiency",
            ),
        ),
        sentence=r"For all $\varepsilon>0$ and $0<\delta<1$, with $L=\ln\frac1\delta$, the equation"
        r" $\rho+2\sqrt{\rho L}=\varepsilon$ has the solution $\rho=\varepsilon+2L+2\sqrt{L(\varepsilon+L)}$.",
        fails=r"The printed number solves $\rho-2\sqrt{\rho L}=\varepsilon$. The solution has a minus before the last root"
        r" and is $(\sqrt{\varepsilon+L}-\sqrt L)^2$. Section 5 uses the right one: it says that (4, 1e-8)-DP is"
        " 0.1963-zCDP, where the printed formula gives 81.49. Whoever implements the formula adds far too little noise.",
        hypotheses=(
            PrintedHypothesis(r"$\varepsilon>0$ and $0<\delta<1$", "(epsilon > 0) & (delta > 0) & (delta < 1)"),
            PrintedHypothesis(r"$\ln\frac1\delta>1$, as Section 4.1.3 says", "log(1/delta) > 1"),
        ),
        instance=Instance(
            parameters={"epsilon": "4", "delta": "1/100000000"},
            data="a data set whose answer is larger by the sensitivity",
            neighbour="a neighbour whose answer is smaller by the sensitivity",
            released=r"the answer of a Gaussian mechanism that is $\rho$-zCDP for the printed $\rho$",
            event=r"the answer exceeds a threshold: of a thousand, the one that gives the largest bound on $\varepsilon$; P is"
            " its probability under D and Q under D'",
        ),
        prints=(
            "P = 1.428e-08",
            "Q = 3.080e-75",
            "epsilon >= 152.3 at delta = 1e-08; claimed 4",
            "rho = 81.49; the equation has the root 0.1964",
        ),
        kindest=Kindest(
            "The minus is meant, as in the numbers of Section 5.",
            "holds",
            f"{_PAPER}/lemma-c.4-inversion@repaired,replace-one",
        ),
        instead="zcdp/rho-of-epsilon",
        claims=(
            f"{_PAPER}/lemma-c.4-inversion@as-printed,replace-one",
            f"{_PAPER}/section-4.1.3@as-printed,replace-one",
        ),
        refutations=(f"{_PAPER}/printed-rho", f"{_PAPER}/printed-budget"),
    ),
    Finding(
        id=f"{_PAPER}/algorithm-1-batch",
        concerns="privacy",
        kind="slip",
        title="Line 4 of Algorithm 1 divides the noise of a batch by N instead of n",
        printed=(
            Quotation(
                "Input: Raw gradients [nabla_t^(1), ..., nabla_t^(n)] (n = N by default)",
                "Algorithm 1, Input",
            ),
            Quotation("g_t <- nabla_t + G sigma_t nu_t / N, nu_t ~ N(0, I)", "Algorithm 1, line 4"),
        ),
        sentence=r"For all $n\le N$, the mean of $n$ gradients with noise of deviation $\frac{G\sigma_t}N$ costs"
        r" $\frac1{2\sigma_t^2}$ of zCDP.",
        fails=r"The mean of $n$ gradients moves by $\frac Gn$ when one of them is zeroed out. The noise is too small by the"
        r" factor $\frac nN$, and a step costs $(N/n)^2$ times what is charged. Section 4.3 replaces N by n in $\alpha$,"
        " and the proofs of Theorems 4.9 and 4.10 have n in the noise. Sampling of the batch is another matter and plays no"
        " part here.",
        hypotheses=(PrintedHypothesis("$n\\le N$", "n <= N"),),
        instance=Instance(
            parameters={
                "N": "1000",
                "n": "100",
                "D": "1",
                "G": "4",
                "R": "3927/10000",
                "T": "100",
                "eta": "1/10",
                "delta": "1/100000000",
            },
            data=r"One hundred fixed records: one has the loss $4\theta$, the others have the loss 0.",
            neighbour="The first record is zeroed out: its loss is 0.",
            released=r"the last iterate, which is $\theta_{100}$",
            event=r"$-\theta_{100}$ exceeds the middle of its two means; P is its probability under D and Q under D'",
        ),
        prints=(
            "P = 0.99909",
            "Q = 0.00091",
            "epsilon >= 7.00 at delta = 1e-08; claimed 4.00",
        ),
        kindest=Kindest(
            "The n of Section 4.3 is meant. With it the step costs what is charged, where a record is zeroed out.",
            "holds",
            f"{_PAPER}/algorithm-1-batch@repaired,zero-out",
        ),
        instead=f"{_PAPER}/batch-noise",
        claims=(f"{_PAPER}/algorithm-1-batch@as-printed,zero-out",),
        refutations=(f"{_PAPER}/T3",),
    ),
)
