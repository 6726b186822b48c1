"""Findings in Section 5: accelerated mirror descent."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Finding, Instance, Kindest, PrintedHypothesis, Quotation

THEOREM_5_3: Final = Finding(
    id="dp-erm-revisited/theorem-5.3",
    concerns="privacy",
    kind="privacy lost",
    title="DP-AccMD returns points that are made from exact gradients",
    printed=(
        Quotation(
            "In DP-AccMD (Algorithm 3), for epsilon, delta > 0, it is (epsilon, delta)-differentially private if sigma^2 = c"
            " G^2 T ln(1/delta) / (n^2 epsilon^2) for some constant c.",
            "Theorem 5.3, Eq. (9)",
        ),
        Quotation(
            "y_{k+1} = argmin_{y in C} {L ||C||_2^2 / 2 ||y - x_{k+1}||_C^2 + <grad F(x_{k+1}), y - x_{k+1}>}",
            "Algorithm 3, line 6",
        ),
    ),
    sentence=r"There is a constant c such that for all $n,T,\varepsilon,\delta$ and every set $\mathcal C$ the output $y_T$ of"
    r" Algorithm 3 with the noise of Eq. (9) is $(\varepsilon,\delta)$-DP.",
    fails=r"Line 6 uses the gradient without noise, and the proof (B.3) takes it to be noisy. Line 7 projects the noisy"
    r" point $z_k$ onto $\mathcal C$, and much noise throws it to an end of $\mathcal C$, where it is known exactly; $y_T$"
    r" then takes values on D that it takes on D' with probability 0. More noise makes this more likely, so no constant"
    r" helps. The projection matters: without it, the first instance would be private with $\delta(1)=7\cdot10^{-24}$."
    r" The weights of Appendix B.7 in line 4, which have $L\|\mathcal C\|_2^2$ for L, do not help either, as the third"
    r" pair of P and Q shows. At $T=1$ the output is a gradient step without any noise.",
    hypotheses=(
        PrintedHypothesis(r"$\varepsilon>0$ and $\delta>0$", "(epsilon > 0) & (delta > 0)"),
        PrintedHypothesis(r"$\mathcal C=[-R,R]$ is closed, convex and centrally symmetric", "R > 0"),
        PrintedHypothesis(r"$w(x)=\frac{x^2}{2R^2}$ is 1-strongly convex in the norm of $\mathcal C$"),
        PrintedHypothesis("each loss is convex, G-Lipschitz and L-smooth on C"),
    ),
    instance=Instance(
        parameters={
            "n": "100",
            "p": "1",
            "G": "1",
            "L": "1",
            "epsilon": "1",
            "delta": "1/100000",
            "T": "2",
            "R": "100",
            "c": "16",
        },
        data=r"50 records with the loss $x$ and 50 with the loss $-x$, on $\mathcal C=[-100,100]$ from the start 0. The second"
        r" pair of P and Q is for $T=10$ and $\mathcal C=[-2.6,2.6]$, where 10 is the number of steps of Theorem 5.4 with the"
        r" hidden constant 1. The third pair is for $T=2$, $\mathcal C=[-1,1]$, $L=\frac1{100}$ and the weights of B.7.",
        neighbour="51 records with the loss $x$ and 49 with the loss $-x$",
        released="the output $y_T$",
        event=r"$y_T$ is one of the points that it reaches under D with every $z_k$, $k<T$, at an end of $\mathcal C$; at"
        r" $T=2$ these are $\pm\frac{2R}3$.",
    ),
    prints=(
        "P = 0.91701",
        "Q = 0.00000",
        "epsilon is infinite below delta = 0.9170; claimed (1, 1e-05) (R = 100, T = 2)",
        "P = 0.00166",
        "Q = 0.00000",
        "epsilon is infinite below delta = 0.0017; claimed (1, 1e-05) (R = 2.6, T = 10)",
        "P = 0.67683",
        "Q = 0.00000",
        "epsilon is infinite below delta = 0.6768; claimed (1, 1e-05) (R = 1, T = 2)",
        "two steps on R = 100 without the projection: delta(1) = 7e-24",
    ),
    kindest=Kindest(
        r"Line 6 is meant to be as private as the proof takes it to be. With $y_{k+1}=r_kz_{k+1}+(1-r_k)y_k$ in its place,"
        r" or with the noisy gradient in line 6, the theorem holds with $c=16$ for $\varepsilon\le2\ln\frac1\delta$.",
        "holds",
        "dp-erm-revisited/theorem-5.3@repaired-printed-noise,replace-one",
    ),
    instead="dp-erm-revisited/theorem-5.3",
    claims=(
        "dp-erm-revisited/theorem-5.3@as-printed,replace-one",
        "dp-erm-revisited/theorem-5.3@as-printed-two-steps,replace-one",
        "dp-erm-revisited/theorem-5.3@as-printed-ten-steps,replace-one",
    ),
    refutations=("dp-erm-revisited/E1",),
)

LINE_4: Final = Finding(
    id="dp-erm-revisited/E8",
    concerns="utility",
    kind="slip",
    title="Line 4 of Algorithm 3 has the smoothness of another norm than line 6",
    printed=(
        Quotation("alpha_{k+1} = (k+2)/(4L) and r_k = 1/(2 alpha_{k+1} L)", "Algorithm 3, line 4"),
        Quotation(
            "y_{k+1} = argmin_{y in C} {L ||C||_2^2 / 2 ||y - x_{k+1}||_C^2 + <grad F(x_{k+1}), y - x_{k+1}>}",
            "Algorithm 3, line 6",
        ),
    ),
    sentence=r"Without noise, with the weights of line 4, for every $\mathcal C$ and T the excess risk of $y_T$ is at most"
    r" $\frac{8L\|\mathcal C\|_2^2\mathcal B_w(x_*,x_0)}{(T+1)^2}$, which is Eq. (76) with $L\|\mathcal C\|_2^2$ for L.",
    fails=r"In the norm of $\mathcal C$ the loss is $L\|\mathcal C\|_2^2$-smooth, and line 6 has this constant. Line 4 has L,"
    r" so the mirror step is too long for large sets and too short for small ones. Appendix B.7 proves the case"
    r" $\|\mathcal C\|_2=1$ and says that L is to be replaced by $L\|\mathcal C\|_2^2$.",
    hypotheses=(
        PrintedHypothesis(r"$\mathcal C=[-R,R]$ is closed, convex and centrally symmetric", "R > 0"),
        PrintedHypothesis("the loss is convex and L-smooth", "L > 0"),
        PrintedHypothesis(r"the minimiser s lies in $\mathcal C$", "(s <= R) & (s >= -R)"),
    ),
    instance=Instance(
        parameters={"L": "1", "R": "4", "s": "1/4", "T": "2"},
        data=r"$F(x)=\frac L2(x-s)^2$ on $[-R,R]$ from the start 0, with $w(x)=\frac{x^2}{2R^2}$ and without noise",
    ),
    prints=("printed = 0.1111", "true = 0.3429", "with L |C|^2 in line 4 as well it is 0.0122"),
    kindest=Kindest(
        r"Line 4 is meant with $L\|\mathcal C\|_2^2$, as Appendix B.7 says. Then both lines have the same constant, which Eq. (67) needs.",
        "holds",
        "dp-erm-revisited/P28",
    ),
    instead="dp-erm-revisited/P28",
    refutations=("dp-erm-revisited/E8",),
)
