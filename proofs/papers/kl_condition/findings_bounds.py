"""Findings about the proximal point method and about the lower bounds."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Finding, Kindest, Quotation

_PAPER: Final = "kl-condition"

BOUNDS: Final[tuple[Finding, ...]] = (
    Finding(
        id=f"{_PAPER}/E18",
        concerns="utility",
        kind="remark",
        title="The proof of Theorem 2 takes the exact proximal point for the computed one.",
        printed=(
            Quotation(
                "By the assumption that F(w_t^*; S) - F(w^*; S) >= Phi^_t and the KL condition we have ||grad F(w_t^*;"
                " S)|| >= (1/gamma) Phi^_t^{1/kappa}",
                "Appendix C.2, proof of Theorem 2",
            ),
        ),
        sentence=r"If the computed point has $F(w_t)-F^*>\hat\Phi_t$, then the exact proximal point has"
        r" $F(w_t^*)-F^*\ge\hat\Phi_t$.",
        fails=r"The exact point can be the minimiser while the computed point is not. The solver of Lemma 3 leaves an"
        r" excess of the order of $\frac1{n^2}$, and the target falls like $n^{-\kappa}$, which is less for $\kappa>2$."
        r" On $|w|^{4/3}$ a computed point within Lemma 3 is above the theorem's bound. Theorem 2 says that there is a"
        r" subroutine, and we do not refute that.",
        kindest=Kindest(
            r"The proximal weight grows from phase to phase. Then the rate is proved, for $\kappa\ge2$.",
            "holds",
            f"{_PAPER}/PO-42",
        ),
        instead=f"{_PAPER}/PO-42",
        refutations=(f"{_PAPER}/E18",),
    ),
    Finding(
        id=f"{_PAPER}/E20",
        concerns="utility",
        kind="remark",
        title="The rate for weakly convex losses does not include convex losses by taking a small constant.",
        printed=(
            Quotation(
                "As convex functions are weakly convex with L~_1 = 0, this setting is a strict relaxation of the loss"
                " assumptions considered by [4]. Despite this, we achieve essentially the same rate as theirs.",
                "Section 4",
            ),
        ),
        sentence=r"For convex losses, and so for every weak convexity $\tilde L_1>0$, Algorithm 2 attains the rate of"
        r" Theorem 2.",
        fails=r"With $\tilde L_1=0$ Algorithm 2 has no proximal term. With a small $\tilde L_1>0$ the bound of Lemma 3"
        r" has $\tilde L_1$ in its denominator, and exceeds the bound of Theorem 2 for $a\gamma^2\tilde L_1<1$, where a"
        r" is the constant of both. The proof does not show the sentence, and we do not refute it.",
        kindest=Kindest(
            r"A convex loss is run with a weight of the order of $\frac1{\gamma^2}$ or more. Then the rate is proved.",
            "holds",
            f"{_PAPER}/PO-42",
        ),
        instead=f"{_PAPER}/PO-42",
        refutations=(f"{_PAPER}/E20",),
    ),
    Finding(
        id=f"{_PAPER}/E31",
        concerns="utility",
        kind="remark",
        title="The proof of Theorem 6 puts in the wrong error, and claims too much growth.",
        printed=(
            Quotation(
                "We now instantiate Delta(n, d, L_0, L_1, epsilon, delta) = L_0 sqrt(d) / (n epsilon).",
                "Theorem 6, proof",
            ),
            Quotation(
                "The function F~_i satisfies (lambda_i 2^{(tau-2)/tau}, tau)-growth (over all of R^d).",
                "Theorem 6, proof",
            ),
        ),
        sentence=r"With $X=\frac{L_0\sqrt d}{n\varepsilon}$ and $\Delta=X$,"
        r" $(\tau\lambda^\tau)^{-1/(\tau-1)}\Delta=\tau^{-1/(\tau-1)}(X/\lambda)^{\tau/(\tau-1)}$; and the regularised"
        r" risk grows with the factor of its regulariser.",
        fails=r"The equation holds for $\Delta=X^{\tau/(\tau-1)}$, which gives the rate of the theorem. For $\tau>2$ a"
        r" linear risk lowers the growth, for $\tau=4$ to a third; growth with the factor $\lambda_i$ remains, and is"
        r" what the proof needs.",
        kindest=Kindest(r"$\Delta=X^{\tau/(\tau-1)}$ is meant.", "holds", f"{_PAPER}/PO-33"),
        instead=f"{_PAPER}/PO-33",
        refutations=(f"{_PAPER}/E31",),
    ),
    Finding(
        id=f"{_PAPER}/E32",
        concerns="utility",
        kind="remark",
        title="The regulariser of Theorem 7 is not convex.",
        printed=(
            Quotation("H(w) = ||w||^2 if ||w|| <= 4D, 4D ||w|| otherwise", "Appendix B.6, Eq. (6)"),
            Quotation(
                "and a L_0-Lipschitz, (sqrt(d) L_0 / (n epsilon D))-smooth convex loss function",
                "Theorem 7",
            ),
        ),
        sentence=r"The function H with $H(w)=\|w\|^2$ for $\|w\|\le4D$ and $4D\|w\|$ otherwise is convex.",
        fails=r"Its slope falls from $8D$ to $4D$ at the boundary: for $D=1$ the mean of $H(3.9)$ and $H(4.1)$ is 15.805,"
        r" and $H(4)=16$. With $8D\|w\|-16D^2$ outside, H is convex, and the proof goes through with the printed"
        r" constants.",
        kindest=Kindest(r"The tangent $8D\|w\|-16D^2$ is meant outside.", "holds", f"{_PAPER}/E32-repaired"),
        instead=f"{_PAPER}/E32-repaired",
        refutations=(f"{_PAPER}/E32",),
    ),
    Finding(
        id=f"{_PAPER}/E33",
        concerns="utility",
        kind="remark",
        title="The two data sets in the proof of Theorem 8 do not have the stated properties.",
        printed=(
            Quotation("The functions above are 1-Lipschitz.", "Theorem 8, proof"),
            Quotation(
                "Their minimizers are w^*_S = a and w^*_{S'} = -a, with values (1-rho) a and (1+rho) a respectively.",
                "Theorem 8, proof",
            ),
        ),
        sentence=r"The losses are 1-Lipschitz on every ball, F has $(1,\tau)$-growth on the line, the minima are"
        r" $(1-\rho)a$ and $(1+\rho)a$, and the bound has the constant $\frac14$.",
        fails=r"The slope of $|w-a|^\tau$ exceeds 1 at a distance of 1. At $\tau=2$ and $\rho=0.1$ the growth fails"
        r" at every distance of more than 1 beyond a. Both minima are $(1-\rho)a$. The argument with two points gives a constant of 0.24"
        r" and not $\frac14$. On the interval $[-a,a]$ the construction works, and the lower bound holds with 0.24.",
        kindest=Kindest(
            "The construction is meant on the interval between the two minimisers.", "holds", f"{_PAPER}/PO-47"
        ),
        instead=f"{_PAPER}/PO-47",
        refutations=(f"{_PAPER}/E33",),
    ),
)
