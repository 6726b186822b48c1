"""Findings in Hong, Wang and Zhou 2022, Sections 4.3 and 4.4 and Lemma C.5: batches and the true risk."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Finding, Instance, Kindest, PrintedHypothesis, Quotation

_PAPER: Final = "dynamic-privacy-budget"

RISK: Final = (
    Finding(
        id=f"{_PAPER}/T16b",
        concerns="utility",
        kind="constant",
        title="The first term of Eq. (15) is too small by the factor sqrt(N)",
        printed=(
            Quotation(
                "With probability at least 1 - p ...: TER(theta) <= sqrt(2G^2/(mu N)) sqrt(f(theta) - f(theta^*)) + 4G^2/(p mu"
                " N)",
                "Theorem 4.11, Eq. (15)",
            ),
            Quotation(
                "TER^dynamic <= O~(G^2/(mu N) (sqrt(D ln(1/p)/(NR)) + 4/p))",
                "Eq. (17), and so Eq. (16) and the rows of Table 2 with high probability",
            ),
        ),
        sentence=r"For all $\mu$-strongly convex $G$-Lipschitz losses, all $N$ and all $\theta$, with probability at least $1-p$"
        r" over the data, Eq. (15) holds.",
        fails=r"Strong convexity gives $\|\theta-\theta^*\|\le\sqrt{\frac2\mu(f(\theta)-f(\theta^*))}$, so that the first term is"
        r" $\sqrt{\frac{2G^2}\mu}\sqrt{f(\theta)-f(\theta^*)}$, without $N$. If all records have the same loss, the true and the"
        r" empirical excess risk agree, and a bound that shrinks with $N$ is false. On the instance, whose records differ, it fails for"
        r" every draw of the data. In Eqs. (16) and (17) the root grows by the factor $\sqrt N$ as well.",
        hypotheses=(
            PrintedHypothesis(
                r"the loss is $\mu$-strongly convex, and $G$-Lipschitz for $|\theta|\le\frac12$",
                "(mu <= 1) & (theta + 1/2 <= G)",
            ),
            PrintedHypothesis("$0<p<1$", "(p > 0) & (p < 1)"),
        ),
        instance=Instance(
            parameters={"N": "10000", "p": "1/10", "G": "1", "mu": "1", "theta": "1/2"},
            data=r"the loss $\frac12(\theta-x)^2$, where $x$ is $\frac12$ or $-\frac12$ with equal probability, at"
            r" $\theta=\frac12$; the printed number is the largest of Eq. (15) over all data sets",
        ),
        prints=(
            "printed = 0.0140",
            "true = 0.1250",
            "without N below the first root, Eq. (15) is 0.5040 on balanced data",
        ),
        kindest=Kindest(
            r"The theorem is restated from works in which $f$ may be the sum of the losses. If $f$ is the sum in"
            r" $f(\theta)-f(\theta^*)$, Eq. (15) is the corrected inequality.",
            "holds",
            f"{_PAPER}/equation-15-repaired",
        ),
        instead=f"{_PAPER}/equation-15-repaired",
        refutations=(f"{_PAPER}/T16b",),
    ),
    Finding(
        id=f"{_PAPER}/T16a",
        concerns="utility",
        kind="remark",
        title="The true risks of Table 2 leave out a term, as Section 4.4 says, and this term is the larger one",
        printed=(
            Quotation("GD+zCDP, Dynamic Schedule O(D / (N^2 R))", "Table 2, True risk by uniform stability"),
            Quotation(
                "Because the term O(G^2/M) is constant and independent from dimension, we follow ... to drop the term when"
                " comparing the bounds.",
                "Section 4.4",
            ),
        ),
        sentence=r"There is a constant $c$ such that for all $N$, $D$ and $R$ the true excess risk of gradient descent with the"
        r" dynamic schedule is at most $c\frac D{N^2R}$.",
        fails=r"Section 4.4 has $\mathrm{TER}\le\mathrm{EER}+\frac{G^2\eta T}N$ and says that it drops the last term in the"
        r" comparison, because it is at most of the order of $\frac{G^2}M$. The table does not repeat this. The term is of order"
        r" $\frac1N$ up to a logarithm, and for large $N$ it is larger than the row. With steps of size $\frac1M$ the true excess"
        r" risk below is at least $\frac1{8N}$. So the rows, and the advantage of dynamic schedules that they show, are about"
        r" the empirical part.",
        hypotheses=(
            PrintedHypothesis(r"the loss is 1-smooth, and 1-Lipschitz for $|\theta|\le\frac12$", "M <= 1"),
            PrintedHypothesis(r"$N\gg D$, as Section 4.4 assumes", "N >= 100*D"),
        ),
        instance=Instance(
            parameters={"N": "1000", "D": "1", "R": "1", "M": "1"},
            data=r"the loss $\frac12(\theta-x)^2$, where $x$ is $\frac12$ or $-\frac12$ with equal probability; a step of size"
            r" $\frac1M$ ends at the mean of the records, and noise only adds to the risk",
        ),
        prints=(
            "printed = 1.00e-06",
            "true = 1.25e-04",
            "the true excess risk is 125 times the row without its constant, and N / 8 is 125",
        ),
        kindest=Kindest(
            "The table compares what is left when the term is dropped, as the text says. With the term, for strongly convex"
            r" losses $\frac{2G^2}{\mu N}$, the rows hold.",
            "holds",
            f"{_PAPER}/PO-51",
        ),
        instead=f"{_PAPER}/PO-51",
        refutations=(f"{_PAPER}/T16a",),
    ),
    Finding(
        id=f"{_PAPER}/T19",
        concerns="utility",
        kind="adjacency",
        title="The stability constant of Theorem 4.14 is that of a record zeroed out",
        printed=(
            Quotation("Then PGD is s-uniformly stable with s = G^2 T eta / N.", "Theorem 4.14"),
            Quotation(
                "A randomized algorithm M: D^N -> Theta is s-uniformly stable ... if for any neighbor datasets d and d'",
                "Definition 4.12",
            ),
        ),
        sentence=r"For all data sets that differ in one record and all convex, $G$-Lipschitz and $M$-smooth losses with"
        r" $\eta<\frac2M$: $\sup_x\mathbb E[f(\mathcal M(d);x)-f(\mathcal M(d');x)]\le\frac{G^2T\eta}N$.",
        fails=r"Replacing one record moves each step by up to $\frac{2G\eta}N$, so the constant is $\frac{2G^2T\eta}N$. Zeroing"
        r" a record out moves it by half of that, which is the printed constant. Theorem 4.13, with which it is combined,"
        " replaces a record by a fresh one, so the factor 2 is needed there.",
        hypotheses=(
            PrintedHypothesis(r"$\eta<\frac2M$: linear losses are $M$-smooth for every $M>0$", "eta < 2/M"),
            PrintedHypothesis("the losses are convex and $G$-Lipschitz", "G >= 1"),
        ),
        instance=Instance(
            parameters={"N": "1000", "T": "20", "eta": "1/10", "G": "1", "M": "1"},
            data=r"every record has $x=1$ and the loss $Gx\theta$",
            neighbour="the first record has $x=-1$",
        ),
        prints=("printed = 0.0020", "true = 0.0040", "where the record is zeroed out, it is 0.0020"),
        kindest=Kindest(
            "Neighbours are data sets of which one record is zeroed out, as in Definition C.2. Then the constant is right.",
            "holds",
            f"{_PAPER}/stability",
        ),
        instead=f"{_PAPER}/stability",
        refutations=(f"{_PAPER}/T19",),
    ),
    Finding(
        id=f"{_PAPER}/T17",
        concerns="utility",
        kind="remark",
        title="Markov's inequality shows twice the mean risk for the best repetition, not the mean",
        printed=(
            Quotation(
                "When k = log_2(1/p) ..., by Markov's inequality, there exists one repetition whose EER is F(R/log_2(1/p))"
                " with probability at least 1 - 1/2^k = 1 - p.",
                "Section 4.4",
            ),
        ),
        sentence=r"For every law of a risk $X\ge0$, one of $k$ independent copies is at most $\mathbb EX$ with probability at"
        r" least $1-2^{-k}$.",
        fails=r"The step needs $P(X\le\mathbb EX)\ge\frac12$, which Markov's inequality does not give. It gives"
        r" $P(X\le2\,\mathbb EX)\ge\frac12$. We do not claim that the sentence fails for gradient descent, and Eqs. (16) and (17)"
        " hide the factor 2.",
        hypotheses=(PrintedHypothesis(r"$k=\log_2\frac1p$", "Eq(2**k, 1/p)"),),
        instance=Instance(
            parameters={"k": "10", "p": "1/1024"},
            data=r"a risk that is 1 with probability $\frac9{10}$ and 0 otherwise; the numbers are the claimed and the true"
            " probability that one of ten copies is at most the mean",
        ),
        prints=("printed = 0.9990", "true = 0.6513", "a risk of at most 2 * 0.9 has the probability 1"),
        kindest=Kindest(
            r"The constant is free: with $2F(R/k)$ the sentence holds, and the rates stay.", "holds", f"{_PAPER}/markov"
        ),
        instead=f"{_PAPER}/markov",
        refutations=(f"{_PAPER}/T17",),
    ),
    Finding(
        id=f"{_PAPER}/T20",
        concerns="utility",
        kind="constant",
        title="The bound on the batch noise in Theorem 4.10 lacks the factor 1/eta_0",
        printed=(
            Quotation(
                "U_3(sigma, T) has to be replaced by U~_3 = U_3^g + U_3, with alpha R' U_3^g <= alpha_g sigma_g^2 when PSGD is"
                " used.",
                "Theorem 4.10",
            ),
        ),
        sentence=r"For all $\beta$, $T$ and admissible $\eta_0$: $\alpha R'U_3^g\le\alpha_g\sigma_g^2$.",
        fails=r"The proof uses $\frac1{1-\gamma}=\kappa$, which is the rate of plain gradient descent. For momentum,"
        r" $\gamma=1-\frac{\eta_0}\kappa$ and $\frac1{1-\gamma}=\frac\kappa{\eta_0}$. The printed bound fails for long runs with"
        r" $\eta_0<\frac{1-\beta}{1+\beta}$. What enters the risk is $2\eta_0\alpha R'U_3^g$, which is at most"
        r" $2\alpha_g\sigma_g^2$, so the conclusion stays.",
        hypotheses=(
            PrintedHypothesis(r"$n=N\sqrt R$", "Eq(n, N*sqrt(R))"),
            PrintedHypothesis(r"$\gamma=1-\frac{\eta_0}\kappa$", "Eq(gamma, 1 - eta_0/kappa)"),
            PrintedHypothesis(
                r"$\eta_0$ meets the condition of Theorem 4.6",
                "eta_0 <= 8/(1 + sqrt(1 + 64*beta*gamma/((gamma - beta)**2*(1 - beta)**3)))",
            ),
        ),
        instance=Instance(
            parameters={
                "N": "1000",
                "n": "100",
                "R": "1/100",
                "D": "10",
                "T": "1000",
                "kappa": "10",
                "beta": "1/2",
                "eta_0": "1/10",
                "gamma": "99/100",
            },
            data=r"the two expressions at $M=G=\sigma_g=f(\theta_1)-f(\theta^*)=1$",
        ),
        prints=("printed = 0.005000", "true = 0.016666", "the ratio is 3.33; times eta_0 it is 0.33"),
        kindest=Kindest(
            r"The product with the factor $\eta_0$ that Theorem 4.6 has in front of $U_3$ is meant.",
            "holds",
            f"{_PAPER}/theorem-4.10-repaired",
        ),
        instead=f"{_PAPER}/theorem-4.10-repaired",
        refutations=(f"{_PAPER}/T20",),
    ),
    Finding(
        id=f"{_PAPER}/T21",
        concerns="utility",
        kind="condition missing",
        title="Lemma C.5 fails for two records and holds for three or more",
        printed=(
            Quotation(
                "Delta_2(grad) = max_i (1/N) sqrt(2 f(theta; x_i)) ||x_i||_2 <= (1/2)(DM ||theta||^2 + 1)", "Lemma C.5"
            ),
        ),
        sentence=r"For all $N$, all records with mean 0 and $\max_n\|x_n\|=1$, and all $\theta$, the inequality of Lemma C.5"
        r" holds for the squared loss $\frac12(x^\top\theta-1)^2$.",
        fails=r"The proof bounds the mean loss and not the largest sensitivity. For two records the inequality fails. For three"
        " or more it holds, by another argument. The experiments have a thousand.",
        hypotheses=(
            PrintedHypothesis(r"the records 1 and $-1$ have mean 0 and norm 1"),
            PrintedHypothesis("the mean of the losses is $M$-smooth", "M >= 1"),
        ),
        instance=Instance(
            parameters={"N": "2", "D": "1", "M": "1", "theta": "1/2"},
            data=r"the records 1 and $-1$, at $\theta=\frac12$",
        ),
        prints=("printed = 0.625", "true = 0.75", "the left side of the lemma is 1.20 times the right side"),
        only_for="two records, $N=2$",
        kindest=Kindest(
            "The lemma is meant for data sets of ordinary size, where it holds.", "holds", f"{_PAPER}/PO-57"
        ),
        instead=f"{_PAPER}/PO-57",
        refutations=(f"{_PAPER}/T21",),
    ),
)
