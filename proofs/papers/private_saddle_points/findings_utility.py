"""Findings about the rates and the steps of the saddle-point paper."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Finding, Instance, Kindest, PrintedHypothesis, Quotation

UTILITY: Final[tuple[Finding, ...]] = (
    Finding(
        id="private-saddle-points/E5",
        concerns="utility",
        kind="constant",
        title="The second moment in Lemma 2.10 and its proof lacks a factor 2",
        printed=(
            Quotation(
                "E[max_{j in [M]} |F_j(a) - F_j(x)|^2] <= (L_1^2 D^4 / 2) (sum_t lambda_t^2)^2 + 2 L_0^2 D^2 (4 + log(M))"
                " sum_t lambda_t^2",
                "Lemma 2.10",
            ),
            Quotation(
                "E[max_j |F_j(a) - F_j(x)|^2] = int_0^infty P[max_j |F_j(a) - F_j(x)| >= beta] beta d beta",
                "Proof 2.11, of Lemma 2.10",
            ),
        ),
        sentence=r"For all $L_0$-Lipschitz and $L_1$-smooth $F_1,\dots,F_M$ the variable $X=\max_j|F_j(a)-F_j(x)|$ has"
        r" $\mathbb EX^2\le2A^2+(4+\ln M)C^2$, with $A=\frac{L_1D^2}2\sum\lambda_t^2$ and"
        r" $C^2=2L_0^2D^2\sum\lambda_t^2$, because $\mathbb EX^2=\int_0^\infty b\,P(X\ge b)\,db$.",
        fails=r"The integral of $2b\,P(X\ge b)$ is the second moment of every $X\ge0$, so the printed integral is half of"
        r" it. The bound of the lemma inherits the factor. For $10^4$ functions the second moment is 1.06 times the bound,"
        r" on average over the signs of the slopes, so some choice of signs exceeds it.",
        hypotheses=(
            PrintedHypothesis("$M\\ge1$, $T\\ge1$ and the weights are $\\lambda_t=\\frac1T$", "(M >= 1) & (T >= 1)"),
            PrintedHypothesis(
                r"$F_j$ is $L_0$-Lipschitz where $\|a\|_\infty\le\frac1T$, because its gradient there is at most"
                r" $c+\frac{L_1}T=L_0$; outside, Huber's function takes the place of the square"
            ),
            PrintedHypothesis(r"$F_j$ is $L_1$-smooth, because $\|a\|_\infty\le\|a\|_1$"),
        ),
        instance=Instance(
            parameters={"T": "1000000", "M": "10000", "D": "1", "L_0": "1"},
            data=r"In $\mathbb R^T$ with the $\ell_1$ norm, $x^t=0$ and $a^t=\pm e_t$ with fair signs, and"
            r" $F_j(a)=\frac{L_1}2\|a\|_2^2+c\langle v_j,a\rangle$ with $v_j\in\{-1,1\}^T$, $L_1=4.8\sqrt{2T}$ and"
            r" $c=1-\frac{L_1}T$. The signs $v_j$ are drawn, too.",
        ),
        prints=(
            "printed = 4.946e-05",
            "true = 5.221e-05",
            "the second moment is 1.056 times the printed bound",
        ),
        kindest=Kindest(
            r"The lemma is used for rates only. With the bound doubled every rate of the paper stays.",
            "holds",
            "private-saddle-points/P10",
        ),
        instead="private-saddle-points/lemma-2.10",
        refutations=("private-saddle-points/E5",),
    ),
    Finding(
        id="private-saddle-points/theorem-3.22",
        concerns="utility",
        kind="condition missing",
        title="Eq. (10) needs a lower bound on the smoothness constant or on epsilon",
        printed=(
            Quotation(
                "Private Variance Reduced Stochastic Frank-Wolfe (Algorithm 3 in ...) returns x~ such that E[F_D(x~) -"
                " min_{x in Delta_x} F_D(x)] <~ C(d_x, n)",
                "Theorem 3.22",
            ),
            Quotation(
                "C(d, n) := (L_0 + L_1) sqrt(log(d)) log(n) / sqrt(n) + (sqrt(L_1) L_0 log(1/delta) log(d) log(n)^2 / (n"
                " epsilon))^{2/3}",
                "Eq. (10)",
            ),
        ),
        sentence=r"For all $L_0,L_1,d,n,\varepsilon,\delta$ the excess risk is at most a constant times $C(d,n)$.",
        fails=r"The term with $\varepsilon$ vanishes with $L_1$, and linear losses are $L_1$-smooth for every $L_1>0$. On"
        r" $n$ records with the loss $L_0(x_1-x_2)$, or $n$ with its opposite, an $(\varepsilon,\delta)$-DP answer with"
        r" $n\varepsilon=1$ is almost the same, and the risk of one of the two is at least half of $L_0$.",
        hypotheses=(
            PrintedHypothesis(r"$\varepsilon>0$ and $0<\delta<1$", "(epsilon > 0) & (delta > 0) & (delta < 1)"),
            PrintedHypothesis("the losses are convex, $L_0$-Lipschitz and $L_1$-smooth in the $\\ell_1$ norm"),
        ),
        instance=Instance(
            parameters={
                "n": "100000000",
                "d": "2",
                "epsilon": "1/100000000",
                "delta": "1/10000000000000000",
                "L_0": "1",
                "L_1": "1/1000000000000000000",
                "hidden_constant": "10",
            },
            data="n records with the loss $x_1-x_2$, and n records with the loss $x_2-x_1$",
        ),
        prints=(
            "printed = 0.0196",
            "true = 0.5379",
            "the excess risk of any (1/n, delta)-DP answer on D or on D' is at least 27.5 times the bound",
        ),
        only_for=r"nearly linear losses at $\varepsilon=\frac1n$",
        kindest=Kindest(
            "The losses are meant to have a smoothness constant of the order of their Lipschitz constant. With that"
            " condition, and with constants, the bound is proved. The theorem is quoted from another paper, with which we"
            " did not compare it.",
            "holds",
            "private-saddle-points/equation-10",
        ),
        instead="private-saddle-points/equation-10",
        refutations=("private-saddle-points/theorem-3.22",),
    ),
    Finding(
        id="private-saddle-points/E1",
        concerns="utility",
        kind="slip",
        title="The sign of the y-step makes both players minimise",
        printed=(
            Quotation("g^t_y = -grad_y F_D(x^^t, y^^t; B^t)", "Algorithm 1, line 5"),
            Quotation(
                "y^{t+1}_i propto y^t_i exp(tau g^t_{y,i}), for all i in [d_y]",
                "Algorithm 1, line 6; Algorithm 3, line 5",
            ),
        ),
        sentence=r"With $g_y=-\nabla_yF$, the step $y_i\propto y_ie^{\tau g_{y,i}}$ raises the payoff of the player y.",
        fails="The vector $g_y$ is minus the gradient already, so the printed step lowers the payoff. Proof 3.7 and"
        " Lemma 3.8 use the other sign. The privacy of the step does not depend on the sign.",
        instance=Instance(
            parameters={"d_x": "5", "d_y": "6", "tau": "3/100", "T": "4000"},
            data="a matrix game with payoffs drawn uniformly from [-1, 1] (seed 0), and exact gradients",
        ),
        prints=(
            "printed = 1.716",
            "true = 0.028",
            "the gap is 60 times that of the other sign",
        ),
        kindest=Kindest(
            "The step is meant as in Proof 3.7, with $e^{-\\tau g_y}$.", "holds", "private-saddle-points/ascent"
        ),
        instead="private-saddle-points/ascent",
        refutations=("private-saddle-points/E1",),
    ),
    Finding(
        id="private-saddle-points/E14",
        concerns="utility",
        kind="slip",
        title="The abstract and Theorem 3.20 state a better rate than Theorem 3.14 proves",
        printed=(
            Quotation(
                "the duality gap is bounded by sqrt(log(d)/n) + log(d)/sqrt(n epsilon) with high probability",
                "abstract",
            ),
            Quotation(
                "Gap(x_{i*}, y_{i*}) is bounded above (up to polylog(n, 1/beta) and constant factors) by sqrt(l/n) +"
                " l/sqrt(n epsilon) + B/sqrt(n) + B/(n epsilon).",
                "Theorem 3.20",
            ),
        ),
        sentence=r"Up to constants and logarithms of n and $\frac1\beta$, the gap of Algorithm 4 is at most"
        r" $\sqrt{\ell/n}+\dots$, where $\ell=\ln d_x+\ln d_y$.",
        fails=r"Theorem 3.14 and Table 1 have $\frac\ell{\sqrt n}$ as their first term, because the constant C of the"
        r" analysis contains $\ell ML_1^2$. A factor $\sqrt\ell$ is no logarithm of n or of $\frac1\beta$. We know of no"
        r" proof of the smaller rate, and of no counterexample.",
        instance=Instance(parameters={"n": "1000000", "d_x": "1000", "d_y": "1000"}, data="the two expressions"),
        kindest=Kindest(
            r"Logarithms of the dimensions are meant to be left out as well, as Theorem 3.14 says of its own rate. Then"
            r" the sentence is true and says less than the table.",
            "holds",
            "private-saddle-points/E14",
        ),
        instead="private-saddle-points/E14",
    ),
    Finding(
        id="private-saddle-points/E9",
        concerns="utility",
        kind="slip",
        title="The smoothing entropy has the wrong sign",
        printed=(
            Quotation(
                "Let F_lambda(x) := max_{y in Delta_y} [F_D(x, y) + lambda phi(y)] where phi is the negative entropy.",
                "Proof 3.12, of Lemma 3.11",
            ),
        ),
        sentence=r"The negative entropy $\phi(y)=\sum_jy_j\ln y_j$ has $0\le\phi\le\ln d_y$ and is added to a function that"
        r" is maximised.",
        fails=r"The negative entropy lies between $-\ln d_y$ and 0. What the proof uses, its range and its strong"
        r" concavity, belongs to Shannon's entropy $-\phi$. With that sign the proof goes through.",
        kindest=Kindest("The entropy of Shannon is meant.", "holds", "private-saddle-points/P28"),
        instead="private-saddle-points/P28",
        refutations=("private-saddle-points/E9",),
    ),
    Finding(
        id="private-saddle-points/E8",
        concerns="utility",
        kind="remark",
        title="The proof of Lemma 3.11 yields the constant 4 where the lemma states 2",
        printed=(
            Quotation("Choosing lambda = L_1 2/sqrt(T l) gives the bound.", "Proof 3.12, of Lemma 3.11"),
            Quotation("<= 4L_1/T + 2 L_1 sqrt(l) / sqrt(T).", "Lemma 3.11"),
        ),
        sentence=r"There is a $\lambda>0$ with $\frac{4L_1^2}{\lambda T}+\lambda\ell\le2L_1\sqrt{\ell/T}$.",
        fails=r"The least value of the left side over all $\lambda>0$ is $4L_1\sqrt{\ell/T}$, and the paper's $\lambda$"
        r" attains it. Theorem 3.1 uses the constant 4 later, so nothing else changes.",
        hypotheses=(PrintedHypothesis("$T\\ge1$ and $L_1>0$", "(T >= 1) & (L_1 > 0)"),),
        instance=Instance(
            parameters={"L_1": "1", "d_x": "100", "d_y": "100", "T": "1000"}, data=r"the sum, with $\ell=2\ln100$"
        ),
        prints=(
            "printed = 0.1919",
            "true = 0.3839",
            "no parameter brings the proof's sum below 2.00 times it",
        ),
        kindest=Kindest(
            "The lemma itself may hold with its 2 by another proof, as it does for bilinear payoffs.", "open"
        ),
        instead="private-saddle-points/P30",
        refutations=("private-saddle-points/E8",),
    ),
    Finding(
        id="private-saddle-points/E6",
        concerns="utility",
        kind="remark",
        title="Proof 3.13 uses two corollaries for one simplex on a product of two",
        printed=(
            Quotation(
                "From Corollary 2.6, ||E[Phi_D(x^t, y^t) - g^t | F_t]||_infty <= 4 L_1 / sqrt(K).",
                "Proof 3.13",
            ),
        ),
        sentence=r"For drawn vertices $\hat x,\hat y$ of two simplices, $\|(\hat x,\hat y)-(x,y)\|_1\le2$.",
        fails=r"Each simplex contributes up to 2, so the distance is up to 4. We do not claim that the printed bound on the"
        r" bias is false: the corollary does not show it.",
        kindest=Kindest(
            r"With the radius of the product the same argument gives $\frac{4\sqrt2L_1}{\sqrt K}$, the same rate.",
            "holds",
            "private-saddle-points/P6",
        ),
        instead="private-saddle-points/P6",
        refutations=("private-saddle-points/E6",),
    ),
    Finding(
        id="private-saddle-points/E7",
        concerns="utility",
        kind="remark",
        title="The bias in Proof 3.13 costs more than its last display states",
        printed=(
            Quotation(
                "These bounds lead to E[Gap(x~, y~)] <= 8 L_1 sqrt(l) / sqrt(T) + 2l/(tau T) + 5 tau L_0^2 + 2 sqrt(2) L_1"
                " / sqrt(K).",
                "Proof 3.13",
            ),
        ),
        sentence=r"A bias of $\frac{4L_1}{\sqrt K}$ in each gradient adds at most $\frac{2\sqrt2L_1}{\sqrt K}$ to the gap.",
        fails=r"The pair of simplices has the $\ell_1$ diameter 4, so this argument gives $\frac{16L_1}{\sqrt K}$. The"
        r" rate of Theorem 3.1 does not change.",
        kindest=Kindest(
            "The constant is free in the theorem, which states a rate.", "holds", "private-saddle-points/gap-bound"
        ),
        instead="private-saddle-points/gap-bound",
        refutations=("private-saddle-points/E7",),
    ),
)
