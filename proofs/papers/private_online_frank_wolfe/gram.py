"""The baseline of Han et al.'s bandit: what a user moves a Gram matrix by, and the numbers of its confidence sets."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.linear_ucb import formulas
from dpref.terms import TERM
from proofs.papers.private_online_frank_wolfe import obligation
from proofs.registry import Goal, cited, goal
from proofs.search import nonnegative, numbers, positive

A, B, C, X, SIGMA, M, D, S, T, UPSILON, EPSILON = sp.symbols("a b c x sigma m d s t U epsilon")
_FOLDER = "linear-ucb"


@obligation(
    "ucb-leaf",
    item="DP-UCB (8.5)",
    about=(f"{_FOLDER}.leaf_sensitivity", f"{_FOLDER}.printed_multiplier"),
    not_proved="The Frobenius norm of a difference of two outer products, which is put in; the case of a nulled user.",
)
def ucb_leaf() -> Sequence[Goal]:
    r"""The sensitivity of a leaf of the Gram matrix.

    $\|zz^\top-z'z'^\top\|_F^2=|z|^4+|z'|^4-2\langle z,z'\rangle^2\le2\tilde L^4$, half of it where $z'=0$. In the
    coordinates with $\sqrt2$ before those off the diagonal the norm is Euclidean, and $(Z+Z^\top)/\sqrt2$ has the
    variance $2\sigma^2$ in each: on the diagonal $\big(\frac{2}{\sqrt2}\big)^2\sigma^2$, off it
    $2\cdot\frac{1+1}2\sigma^2$. So a node is plain Gaussian noise of $\frac{\sqrt2\sigma}{\sqrt2\tilde L^2}$ times the
    sensitivity, $\frac\sigma{\tilde L^2}$.
    """
    inner, spare, other = sp.symbols("p q r")  # <z, z'>; what |z|^2 and |z'|^2 leave of the bound
    bound = formulas.leaf_sensitivity(TERM, X + spare)
    squares = (X + spare) ** 2 * 2 - (X**2 + (X + spare - other) ** 2 - 2 * inner**2)
    moved = sp.sqrt(2) * SIGMA
    return [
        goal(bound**2 - 2 * (X + spare) ** 2, "==", positive("x") + nonnegative("q")),
        goal(
            squares.subs(X, X + other), ">=", positive("x") + nonnegative("q", "r") + numbers("p"),
            note="|z|^2 = x + r, |z'|^2 = x + q, both at most x + q + r",
        ),
        goal((2 / sp.sqrt(2)) ** 2 * SIGMA**2 - moved**2, "==", positive("sigma"), note="on the diagonal"),
        goal(2 * (SIGMA**2 + SIGMA**2) / 2 - moved**2, "==", positive("sigma"), note="off it"),
        goal(
            formulas.printed_multiplier(TERM, M, S, EPSILON) ** 2 - 16 * M * S**2 / EPSILON**2, "==",
            positive("m", "s", "epsilon"), note="the printed variance over the fourth power",
        ),
    ]  # fmt: skip


@obligation(
    "ucb-width",
    item="DP-UCB (8.5)",
    about=(f"{_FOLDER}.shift", f"{_FOLDER}.noise_of_rewards", f"{_FOLDER}.width"),
)
def ucb_width() -> Sequence[Goal]:
    r"""The numbers of the confidence sets.

    $\Upsilon^2=2m\sigma^2(4\sqrt D+2l)^2$, $\gamma^2=\frac{m\sigma^2}\Upsilon(\sqrt D+\sqrt{2l})^2$, and, with
    $\rho_{\min}=\Upsilon$ and $\rho_{\max}=3\Upsilon$, the logarithm's argument
    $\frac{\rho_{\max}}{\rho_{\min}}+\frac{tL_x^2}{D\rho_{\min}}=3+\frac{tL_x^2}{D\Upsilon}$. What they promise is the
    source's (its Theorem 4), and is not used by any claim here.
    """
    domain = positive("sigma", "m", "d", "s", "U", "t", "x", "a", "b", "c")
    upsilon = formulas.shift(TERM, SIGMA, M, D, S)
    gamma = formulas.noise_of_rewards(TERM, SIGMA, M, UPSILON, D, S)
    width = formulas.width(TERM, A, B, D, UPSILON, C, X, S, T)
    inside = 2 * B + D * sp.log(3 + T * S / (D * UPSILON))
    return [
        goal(upsilon**2 - 2 * M * SIGMA**2 * (4 * sp.sqrt(D) + 2 * S) ** 2, "==", domain),
        goal(gamma**2 - M * SIGMA**2 / UPSILON * (sp.sqrt(D) + sp.sqrt(2 * S)) ** 2, "==", domain),
        goal(width - A * sp.sqrt(inside) - C * sp.sqrt(3 * UPSILON) - X, "==", domain),
        cited("the confidence sets (Theorem 4)", "shariff2018bandits"),
    ]
