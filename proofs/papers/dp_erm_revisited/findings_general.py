"""Findings in Definition 3.4 and Section 6, and the remarks on Sections 4 and 6 and Appendix A."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Finding, Instance, Kindest, PrintedHypothesis, Quotation

DEFINITION_3_4: Final = Finding(
    id="dp-erm-revisited/definition-3.4",
    concerns="privacy",
    kind="condition missing",
    title="The classical calibration of the Gaussian mechanism is stated without its bound on epsilon",
    printed=(
        Quotation(
            "where Y is drawn from Gaussian Distribution N(0, sigma^2 I_p) with sigma >= sqrt(2 ln(1.25/delta)) Delta_2(q)"
            " / epsilon. ... Gaussian Mechanism preservers (epsilon, delta)-differentially private.",
            "Definition 3.4",
        ),
    ),
    sentence=r"For all $\varepsilon,\delta>0$, normal noise of standard deviation"
    r" $\sqrt{2\ln(1.25/\delta)}\frac{\Delta_2}\varepsilon$ makes a query of sensitivity $\Delta_2$"
    r" $(\varepsilon,\delta)$-DP.",
    fails=r"The theorem behind the definition asks for $\varepsilon<1$ (Dwork and Roth 2014, Theorem A.1). At"
    r" $\delta=\frac1{100}$ the formula gives too little noise from about $\varepsilon=6.8$ on. The proofs of the theorems"
    r" do not use the definition. Appendix B.1 uses a mechanism of this form with a constant that it does not name.",
    hypotheses=(PrintedHypothesis(r"$\varepsilon>0$ and $0<\delta<1$", "(epsilon > 0) & (delta > 0) & (delta < 1)"),),
    instance=Instance(
        parameters={"n": "100", "epsilon": "8", "delta": "1/100", "sensitivity": "1"},
        data="100 records, of which one has a property",
        neighbour="100 records, of which none has it",
        released="the number of records that have it, with the printed noise",
        event="The answer exceeds 1.757.",
    ),
    prints=("P = 0.02566", "Q = 3.045e-06", "epsilon >= 8.55 at delta = 0.01; claimed 8"),
    kindest=Kindest(
        r"The condition $\varepsilon<1$ of that theorem is understood. Then the definition's claim holds, also at"
        r" $\varepsilon=1$.",
        "holds",
        "dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one",
    ),
    instead="gaussian/classical-calibration",
    claims=(
        "dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one",
        "dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one",
    ),
    refutations=("dp-erm-revisited/E10",),
    known="balle2018improving shows that the classical calibration does not extend to large epsilon.",
)

THEOREM_6_1: Final = Finding(
    id="dp-erm-revisited/theorem-6.1",
    concerns="privacy",
    kind="condition missing",
    title="Theorem 6.1 needs epsilon of at most the order of ln(1/delta)",
    printed=(
        Quotation(
            "In DP-GD (Algorithm 4), for epsilon, delta > 0, it is (epsilon, delta)-differentially private if sigma^2 = c G^2 T"
            " ln(1/delta) / (n^2 epsilon^2) for some constant c.",
            "Theorem 6.1, Eq. (11)",
        ),
        Quotation(
            "for any epsilon < c_1 q^2 T, a DP stochastic gradient algorithm ... is (epsilon, delta)-differentially private for"
            " any delta > 0 if sigma >= c_2 q sqrt(T ln(1/delta)) / epsilon.",
            "Theorem 3.1, quoted from another paper; with the batch of all n records it is the same sentence",
        ),
    ),
    sentence=r"There is a constant c such that for all $n,T,\varepsilon,\delta>0$ the noise of Eq. (11) makes DP-GD"
    r" $(\varepsilon,\delta)$-DP.",
    fails=r"For fixed $\delta$ the noise falls with $\frac1\varepsilon$, but for large $\varepsilon$ a Gaussian needs noise of"
    r" the order $\frac1{\sqrt\varepsilon}$. On linear losses the last iterate is normal, and its means on two neighbours are"
    r" $\frac{2\varepsilon}{\sqrt{c\ln(1/\delta)}}$ standard deviations apart, for every T. For every c the claim fails for"
    r" $\varepsilon$ large enough. The proof takes $\lambda=\frac{2\ln(1/\delta)}\varepsilon$ and uses $\lambda\ge1$.",
    hypotheses=(
        PrintedHypothesis(r"$\varepsilon,\delta>0$", "(epsilon > 0) & (delta > 0)"),
        PrintedHypothesis(r"$0<\eta\le\frac1L$", "(eta > 0) & (eta <= 1/L)"),
        PrintedHypothesis("of Theorem 3.1, with $q=1$ and $c_1=1$: $\\varepsilon<c_1q^2T$", "epsilon < c_1*T"),
        PrintedHypothesis("each loss is G-Lipschitz and L-smooth"),
    ),
    instance=Instance(
        parameters={
            "n": "1000",
            "G": "1",
            "L": "1",
            "epsilon": "100",
            "delta": "1/100000",
            "T": "1000",
            "eta": "1",
            "c": "16",
            "c_1": "1",
        },
        data="One dimension, all losses $-x$, start 0",
        neighbour="One of the losses is $x$.",
        released="the last iterate $x_T$",
        event="$x_T$ lies more than 2.326 standard deviations above its mean under D.",
    ),
    prints=("P = 0.01001", "Q = 1.4e-65", "epsilon >= 145 at delta = 1e-05; claimed 100"),
    only_for=r"$\varepsilon$ far above $\ln\frac1\delta$, here 100",
    kindest=Kindest(
        r"As in the proof, $\lambda=\frac{2\ln(1/\delta)}\varepsilon$ is meant to be at least 1. Then the theorem holds with"
        r" $c=16$.",
        "holds",
        "dp-erm-revisited/theorem-6.1@as-printed,replace-one",
    ),
    instead="dp-erm-revisited/P48",
    claims=(
        "dp-erm-revisited/theorem-6.1@as-printed-epsilon-100,replace-one",
        "dp-erm-revisited/theorem-6.1@as-printed,replace-one",
    ),
    refutations=("dp-erm-revisited/E9",),
)

APPENDIX_A: Final = Finding(
    id="dp-erm-revisited/appendix-a",
    concerns="privacy",
    kind="remark",
    title="The experiments lie outside the range of epsilon, and the appendix does not state their noise",
    printed=(
        Quotation(
            "We use 200000 samples for training. ... for epsilon = {0.2, 0.5, 1} and delta = 0.001. ... We set T = 15, m = 5000",
            "Appendix A, Figure 1",
        ),
        Quotation("We set T = 15, m = 10, eta = 0.01 in DP-SVRG++", "Appendix A, Figure 2"),
    ),
    sentence=r"The runs meet the condition $\varepsilon\le c_1\frac K{n^2}$ of Theorems 4.1 and 4.3, K being $Tm$ or $2^Tm$.",
    fails=r"For $\varepsilon=0.2$ the condition asks for $c_1$ of at least $10^5$ in Figure 1 and of at least $2.4\cdot10^4$ in"
    r" Figure 2; $c_1=7$ is what we can prove. The appendix gives neither the noise nor the constant c, so we do not say that"
    r" the runs were not private. With the noise of Eq. (3) and $c=16$, losses exist whose iterates show a record at these"
    r" numbers.",
    instance=Instance(
        parameters={"n": "200000", "epsilon": "1/5", "delta": "1/1000", "T": "15", "m": "5000"},
        data="the numbers of Figure 1",
    ),
    kindest=Kindest(
        "The noise of the experiments was calibrated in another way than by Eqs. (3) and (6).", "undecided"
    ),
    instead="dp-erm-revisited/P65",
    refutations=("dp-erm-revisited/E5",),
)

PROOF_B_2: Final = Finding(
    id="dp-erm-revisited/E6",
    concerns="privacy",
    kind="remark",
    title="Proof B.2 does not check the conditions of the lemma on sampled Gaussians",
    printed=(
        Quotation(
            "It can be verified that when epsilon <= c_3 T/n^2 for some constant c_3, we have sigma_1 = c_4 sqrt(T log(1/delta))"
            " / (n epsilon) ... For some constant c_4, c_5, all the conditions can be satisfied.",
            "Appendix B.2, Eqs. (22) to (24)",
        ),
    ),
    sentence=r"With $\sigma_1$ of Eq. (23), every $\varepsilon\le c_3\frac T{n^2}$ meets"
    r" $\lambda\le\sigma_1^2\ln\frac n{\sigma_1}$ for $\lambda=\frac{2\ln(1/\delta)}\varepsilon$ (22), and the quoted lemma"
    r" applies.",
    fails=r"For very small $\varepsilon$, $\sigma_1$ exceeds n and the logarithm is negative. For $\varepsilon$ far above"
    r" $\ln\frac1\delta$, $\sigma_1$ is below the 2G that the lemma needs. The lemma is also for Poisson samples and for"
    r" neighbours with one record more. For $\varepsilon\le2\ln\frac1\delta$ Theorem 4.1 has another proof.",
    kindest=Kindest("The proof is meant for epsilon between these two ends.", "holds", "dp-erm-revisited/P53"),
    instead="dp-erm-revisited/P72",
    refutations=("dp-erm-revisited/E6",),
)

NO_PROJECTION: Final = Finding(
    id="dp-erm-revisited/E14",
    concerns="privacy",
    kind="remark",
    title="The losses of Algorithm 4 are Lipschitz on C, and its iterates can leave C",
    printed=(
        Quotation("f(x, z) is G-Lipschitz, and L-smooth over x in C.", "Algorithm 4, Input"),
        Quotation("x_t = x_{t-1} - eta (grad F(x_{t-1}, D) + z_{t-1})", "Algorithm 4"),
    ),
    sentence=r"Each mean gradient of Algorithm 4 moves by at most $\frac{2G}n$ when a record is replaced.",
    fails=r"Algorithm 4 does not project, and Gaussian noise leads out of every bounded set. There the gradients may be longer"
    r" than G. Section 6 minimises over the whole space in Eq. (10), and with $\mathcal C=\mathbb R^p$ the step holds.",
    kindest=Kindest(r"The set is meant to be $\mathbb R^p$, as in Eq. (10).", "holds", "dp-erm-revisited/P46"),
    instead="sensitivity/clipping",
    refutations=("dp-erm-revisited/E14",),
)

LOSS: Final = Finding(
    id="dp-erm-revisited/E26",
    concerns="utility",
    kind="slip",
    title="The printed loss of the experiments grows with the margin",
    printed=(
        Quotation(
            "F^r(w, D) = (1/n) sum_i log(1 + exp(1 + y_i w^T x_i)) + (lambda/2) ||w||^2",
            "Appendix A",
        ),
    ),
    sentence=r"The logistic loss of the margin $u=y\langle w,x\rangle$ is $\ln(1+e^{1+u})$.",
    fails=r"The printed loss grows with u, so it prefers the wrong label. The text calls it logistic regression, whose loss is"
    r" $\ln(1+e^{-u})$. Convexity and the Lipschitz constant are the same.",
    kindest=Kindest(r"The loss is meant to be $\ln(1+e^{-u})$.", "holds", "dp-erm-revisited/P63"),
    instead="dp-erm-revisited/P63",
    refutations=("dp-erm-revisited/E26",),
)

STEPS: Final = Finding(
    id="dp-erm-revisited/E17",
    concerns="utility",
    kind="slip",
    title="The number of steps is given as an upper bound where a choice of that order is meant",
    printed=(
        Quotation("Then if T = O~(log(n^2 epsilon^2 / (p G^2 log(1/delta)))), the following holds", "Theorem 6.2"),
        Quotation("then the following holds for T = O(log(n^2 epsilon^2 mu / (p G^2 ln(1/delta))))", "Theorem 4.2"),
    ),
    sentence=r"For every T of at most the printed order the printed bound on the risk holds.",
    fails=r"With $T=1$ the risk of the start is still there, and it does not fall with n. Appendix B.4 chooses T such that what"
    r" is left of the start is of the order of the noise, which is what the theorems mean. The same O stands in Theorems 4.4,"
    r" 5.4 and 6.3.",
    kindest=Kindest(
        "T is meant to be of the printed order, as in Appendix B.4.", "holds", "dp-erm-revisited/theorem-6.2"
    ),
    instead="dp-erm-revisited/theorem-6.2",
    refutations=("dp-erm-revisited/E17",),
)

INNER_LENGTH: Final = Finding(
    id="dp-erm-revisited/E18",
    concerns="utility",
    kind="remark",
    title="The inner length of Theorem 4.4 hides a factor that depends on the problem",
    printed=(
        Quotation(
            "if sigma is chosen as in (6), eta = 1/(13L), and m = Theta(L) is sufficiently large, then the following holds",
            "Theorem 4.4",
        ),
    ),
    sentence=r"There are absolute constants such that with $m=rL$ Eq. (7) holds for all problems.",
    fails=r"The number m of steps has no unit, and L has one. If all losses are multiplied by 4, the risk, G and L"
    r" grow by the factor 4, but the proof's bound at $m=rL$ does not. Proof B.5 hides a constant of the problem in the O, its A,"
    r" and then the theorem stands.",
    kindest=Kindest(
        r"The constants may depend on the start and on L. With $m=\frac{L\|\tilde x_0-x_*\|^2}{\Delta_0}$, $\Delta_0$ being the"
        r" risk of the start, they depend on nothing.",
        "holds",
        "dp-erm-revisited/theorem-4.4",
    ),
    instead="dp-erm-revisited/theorem-4.4",
    refutations=("dp-erm-revisited/E18",),
)

FOOTNOTE_2: Final = Finding(
    id="dp-erm-revisited/E15",
    concerns="utility",
    kind="remark",
    title="Eq. (35) needs losses that are convex and smooth beyond the set C",
    printed=(
        Quotation(
            "All of the algorithms and theorems in this section are applicable to closed convex set C rather than R^p.",
            "Section 4, footnote 2",
        ),
    ),
    sentence=r"Eq. (35) holds for losses that are convex and L-smooth on $\mathcal C$ only.",
    fails=r"Eq. (35) rests on the co-coercivity of gradients, which needs convexity and smoothness on $\mathbb R^p$. For the two"
    r" losses $\frac{x^2}2\pm axy$ on $\mathcal C=[-1,1]\times\{0\}$, convex there with $L=\sqrt{1+a^2}$, the variance is"
    r" $4a^2$ and the bound is $8L$, which is less at $a=\frac{11}5$. We do not claim that the theorems fail on $\mathcal C$.",
    kindest=Kindest(
        r"The losses are convex and L-smooth on $\mathbb R^p$, and only the minimum is sought on $\mathcal C$. Then Eq. (35)"
        r" holds.",
        "holds",
        "dp-erm-revisited/P7a",
    ),
    instead="dp-erm-revisited/P7a",
    refutations=("dp-erm-revisited/E15",),
)

CONSTANT_OBJECTIVE: Final = Finding(
    id="dp-erm-revisited/E11",
    concerns="utility",
    kind="remark",
    title="On the whole space only constant objectives meet the hypotheses of Theorem 6.2",
    printed=(
        Quotation(
            "Suppose that f(x, z) is G-Lipschitz, and L-smooth over x [in] C, and F(x, D) satisfies the Polyak-Lojasiewicz"
            " condition.",
            "Theorem 6.2",
        ),
    ),
    sentence=r"There is an F on $\mathbb R^p$ that is not constant, G-Lipschitz and L-smooth, and has"
    r" $\|\nabla F\|^2\ge2\mu(F-F^*)$ everywhere.",
    fails=r"The condition and $\|\nabla F\|\le G$ give $F-F^*\le\frac{G^2}{2\mu}$. Gradient ascent from a point with"
    r" $F>F^*$ never slows down, so F exceeds this bound. The utility theorem does not use the Lipschitz constant of F, and"
    r" without it the theorem holds; privacy needs short gradients at the iterates, which clipping gives.",
    kindest=Kindest(
        "The losses are Lipschitz where the iterates are, and not on the whole space. The recursion of the proof then holds.",
        "holds",
        "dp-erm-revisited/P43",
    ),
    instead="dp-erm-revisited/P43",
    refutations=("dp-erm-revisited/E11",),
)
