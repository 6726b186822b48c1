"""The sentences that the errata of Wang, Ye and Xu (2017) are about."""

from __future__ import annotations

from typing import Final

QUOTATIONS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "E2": (
        ("then the following holds for T = O(log(n^2 epsilon^2 mu / (p G^2 ln(1/delta))))", "Theorem 4.2"),
        ("The total gradient complexity is O((n + L/mu) log(n epsilon mu / p)).", "Theorem 4.2"),
        ("for epsilon <= c_1 Tm/n^2 with some constant c_1 and delta > 0", "Theorem 4.1"),
    ),
    "E3": (
        (
            "eta = 1/(13L), and m = Theta(L) is sufficiently large, then the following holds for T = O(log(n epsilon /"
            " (G sqrt(p) sqrt(log(1/delta)))))",
            "Theorem 4.4",
        ),
        ("for epsilon <= c_1 2^T m/n^2 with some constant c_1 and delta > 0", "Theorem 4.3"),
    ),
    "E6": (
        (
            "It can be verified that when epsilon <= c_3 T/n^2 for some constant c_3, we have sigma_1 = c_4 sqrt(T"
            " log(1/delta)) / (n epsilon) ... For some constant c_4, c_5, all the conditions can be satisfied.",
            "Appendix B.2, Eqs. (22) to (24)",
        ),
    ),
    "E7": (
        (
            "If one chooses eta = Theta(1/L) <= 1/(12L) and sufficiently large m = Theta(L/mu) so that they satisfy"
            " inequality 1/(eta (1 - 8 eta L) mu m) + 8 L eta (m+1) / (m (1 - 8 L eta)) < 1/2",
            "Theorem 4.2, Eq. (4)",
        ),
    ),
    "E8": (
        ("alpha_{k+1} = (k+2)/(4L) and r_k = 1/(2 alpha_{k+1} L)", "Algorithm 3, line 4"),
        (
            "y_{k+1} = argmin_{y in C} {L ||C||_2^2 / 2 ||y - x_{k+1}||_C^2 + <grad F(x_{k+1}), y - x_{k+1}>}",
            "Algorithm 3, line 6",
        ),
    ),
    "E11": (
        (
            "Suppose that f(x, z) is G-Lipschitz, and L-smooth over x C, and F(x, D) satisfies the Polyak-Lojasiewicz"
            " condition.",
            "Theorem 6.2",
        ),
    ),
    "E14": (
        ("f(x, z) is G-Lipschitz, and L-smooth over x in C.", "Algorithm 4, Input"),
        ("x_t = x_{t-1} - eta (grad F(x_{t-1}, D) + z_{t-1})", "Algorithm 4"),
    ),
    "E15": (
        (
            "All of the algorithms and theorems in this section are applicable to closed convex set C rather than R^p.",
            "Section 4, footnote 2",
        ),
    ),
    "E17": (
        (
            "Then if T = O~(log(n^2 epsilon^2 / (p G^2 log(1/delta)))), the following holds E[F(x_T, D)] - F(x_*, D) <="
            " O(G^2 p log^2(n) log(1/delta) / (n^2 epsilon^2))",
            "Theorem 6.2, Eq. (13)",
        ),
    ),
    "E18": (
        (
            "if sigma is chosen as in (6), eta = 1/(13L), and m = Theta(L) is sufficiently large, then the following"
            " holds",
            "Theorem 4.4",
        ),
    ),
    "E26": (("F^r(w, D) = (1/n) sum_i log(1 + exp(1 + y_i w^T x_i)) + (lambda/2) ||w||^2", "Appendix A"),),
}
