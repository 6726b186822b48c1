"""Errata without a claim about privacy: gaps of proofs, constants, traps; each with what is right."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.mirror_descent import utility as mirror_utility
from dpref.mechanisms import truncated_geometric
from dpref.terms import TERM
from proofs import kernel as k
from proofs.papers.private_saddle_points import declare, erratum, obligation
from proofs.papers.private_saddle_points.bias_reduced import NORMALISER
from proofs.registry import Goal, derivative, goal, refutation
from proofs.search import grow, nonnegative, numbers, positive, unit

A, B, C, E, ELL, J, K, L0, L1, L2, M, N, P, Q, R, RUNS, S, T, TAU, U, W = sp.symbols(
    "a b C e ell J K L0 L1 L2 M n p q r I s T tau u w"
)


@erratum("E5", item="Lemma 2.10, proof", repaired_by="P8")
def e5() -> Sequence[Goal]:
    r"""The layer cake of a second moment without its factor 2.

    As printed: $\mathbb EX^2=\int_0^\infty b\,P(X\ge b)\,db$. For the exponential law the right side is 1, by the
    antiderivative $-(b+1)e^{-b}$ and its value $-1$ at 0, and the left side 2 (P8). The lemma's constant is false for
    many functions (P13); the safe form is P9 and P10.
    """
    b = sp.Symbol("x")
    return [
        derivative(-(b + 1) * sp.exp(-b), b, b * sp.exp(-b), nonnegative("x")),
        refutation(sp.S.One - 2, ">=", (), note="1 is not at least 2"),
    ]


@erratum("E6", item="Proof 3.13", repaired_by="P6")
def e6() -> Sequence[Goal]:
    r"""A drawn pair of vertices is at most 2 away.

    Corollaries 2.4 and 2.6, for one simplex, are applied to two as if $\|(\hat x,\hat y)-(x,y)\|_1\le2$; it is
    $2(1-x_i)+2(1-y_j)$, up to 4. That the printed bias is false is not claimed: the proof does not show it.
    """
    return [refutation(2 - 2 * (1 - A) - 2 * (1 - B), ">=", unit("a", "b"), a="1/4", b="1/4")]


@erratum(
    "E7",
    item="Proof 3.13",
    about=("mirror-descent.gap_bound",),
    repaired_by="gap-bound",
)
def e7() -> Sequence[Goal]:
    r"""The constant of the bias in the gap.

    As printed, a bias of $\frac{4L_1}{\sqrt K}$ over the diameter 4 costs $\frac{2\sqrt2L_1}{\sqrt K}$; it costs
    $\frac{16L_1}{\sqrt K}$, and $\frac{16\sqrt2L_1}{\sqrt K}$ with the constant of the product (E6).
    """
    zero = sp.S.Zero
    with_bias = mirror_utility.gap_bound(TERM, L0, L1, ELL, T, TAU, mirror_utility.first_order_bias(TERM, L1, K))
    alone = with_bias - mirror_utility.gap_bound(TERM, L0, L1, ELL, T, TAU, zero)
    domain = positive("L0", "L1", "ell", "T", "tau", "K")
    return [
        goal(alone - 16 * sp.sqrt(2) * L1 / sp.sqrt(K), "==", domain),
        refutation(2 * sp.sqrt(2) * L1 / sp.sqrt(K) - 4 * 4 * L1 / sp.sqrt(K), ">=", positive("L1", "K"), L1=1, K=1),
    ]


@erratum("E9", numbers=True, item="Proof 3.12", repaired_by="P28")
def e9() -> Sequence[Goal]:
    r"""The smoothing entropy has the wrong sign.

    As printed: the negative entropy $\phi=\sum y\ln y$, with $0\le\phi\le\ln d$, is added to a function that is
    maximised. At $(q,1-q)$ it is negative; what is added must be $-\phi$, Shannon's entropy, whose range is that (P27).
    """
    return [refutation(Q * sp.log(Q) + (1 - Q) * sp.log(1 - Q), ">=", unit("q"), q="1/2")]


@obligation("E13", item="Proof 4.5")
def e13() -> Sequence[Goal]:
    r"""The cap on the step.

    $4\tau qL_0\le1$ for $\tau=\frac1{4L_0q}-s$ with $s\ge0$. The cap is printed once as $\frac1{4L_0q}$ and once as
    $\frac1{8L_0q}$; the first is enough for this inequality, which the proof uses. P54 does without a cap.
    """
    return [goal(1 - 4 * (1 / (4 * L0 * Q) - S) * Q * L0, ">=", positive("L0", "q") + nonnegative("s"))]


@obligation("E14", item="Theorem 3.20 and abstract")
def e14() -> Sequence[Goal]:
    r"""The rate of Algorithm 3 has the logarithm itself and not its root.

    Theorem 3.20 and the abstract print $\sqrt{\ell/n}$ where Theorem 3.14 and Table 1 have $\frac\ell{\sqrt n}$:
    $C=L_0^2+L_2^2+\ell ML_1^2$ gives $C\frac\ell n\ge\ell M L_1^2\cdot\frac\ell n$, which exceeds $\frac\ell n$ by a
    factor that grows with the dimension.
    """
    constant = L0**2 + L2**2 + ELL * M * L1**2
    domain = positive("L0", "L1", "L2", "ell", "M", "n")
    return [goal(constant * ELL / N - ELL * M * L1**2 * (ELL / N), ">=", domain)]


@obligation("E15", item="Proof 3.25, last display")
def e15() -> Sequence[Goal]:
    r"""The number of runs is lost in the last display.

    On $\frac n{4IJ}$ records $\frac\ell{n/(4IJ)}=\frac{4IJ\ell}n$, I times what the display keeps; polylogarithmic in
    the failure probability only.
    """
    return [goal(ELL / (N / (4 * RUNS * J)) - RUNS * (4 * J * ELL / N), "==", positive("ell", "n", "I", "J"))]


@obligation(
    "E18",
    item="Theorem 3.14",
    tests=("tests/test_mirror_descent.py::test_the_test_vectors_of_theorem_3_14",),
)
def e18() -> Sequence[Goal]:
    r"""The circular parameters of Theorem 3.14, resolved.

    $M\le\frac12\log_2U$ rounded down means $2^M=a\sqrt U$ with $\frac12<a\le1$: then $\frac1{2^M}<\frac2{\sqrt U}$, the
    bias at most doubles, and $2^M\le\sqrt U$. The library keeps the largest such M.
    """
    domain = positive("u") + numbers("a", lo="1/2", hi=1, ends="(]")
    return [goal((2 / sp.sqrt(U) - 1 / (A * sp.sqrt(U))).subs(A, (1 + S) / 2), ">", positive("u", "s"),
                 note="a = (1 + s) / 2"),
            goal(sp.sqrt(U) - A * sp.sqrt(U), ">=", domain)]  # fmt: skip


@obligation(
    "E26",
    item="Algorithms 1 and 5",
    tests=("tests/test_anytime_mirror_descent.py::test_oracle_calls_are_counted_and_no_record_is_used_twice",),
)
def e26() -> Sequence[Goal]:
    r"""The last step reaches no output.

    Of T batches of B records T - 1 are enough: $TB-(T-1)B=B$ records are unused. Algorithm 5 takes no step after its
    last iterate; Algorithms 1 and 3 take it as printed.
    """
    return [goal(T * B - (T - 1) * B - B, "==", positive("T", "b"))]


@obligation("E27", item="Lemma 3.11")
def e27() -> Sequence[Goal]:
    r"""A vertex that moved the other player is no fresh draw.

    $\frac{e^{2\tau}-1}{e^{2\tau}+1}>0$ for $\tau>0$. On matching pennies this is what the vertex $\hat x^1$ gains on
    average against the $y^2$ that it moved by a step $\tau$ from the uniform weights, where a fresh vertex gains 0. The
    lemma's draws are independent given the iterates.
    """
    rest = (sp.exp(2 * TAU) - 1) / (sp.exp(2 * TAU) + 1)
    domain = positive("tau")
    return [
        goal(
            rest, ">", domain,
            lambda c: k.combine(c.expr, ">", ((1 / (sp.exp(2 * TAU) + 1), grow(
                sp.exp(2 * TAU) - 1, TAU, c.domain)),), c.domain),
        ),
    ]  # fmt: skip


@obligation(
    "E30", item="Theorems 3.1 and 4.2", tests=("tests/test_anytime_mirror_descent.py::test_numbers_are_clipped",)
)
def e30() -> Sequence[Goal]:
    r"""The numbers of draws can fall below one.

    $K=\frac T\ell$ is below 1 for $T<\ell$, $q=\frac{\sqrt T}\ell$ for $T<\ell^2$: the library takes 1 there, and the
    rates say nothing.
    """
    return [
        goal(1 - T / (T + S), ">", positive("T", "s"), note="K, at ell = T + s"),
        goal(1 - sp.sqrt(T) / (sp.sqrt(T) + S), ">", positive("T", "s"), note="q, at ell = sqrt(T) + s"),
    ]


@obligation("E35", item="Proof 3.19", about=("truncated-geometric.expected_power", NORMALISER), premises=("P33", "P34"))
def e35() -> Sequence[Goal]:
    r"""The mean of the sum's terms is of the order of M only for M at least 1.

    $\mathbb E2^N=\frac{M+1}{C_M}$ with $1\le C_M<2$ lies above $\frac M2$ always, and is at most $2M$ for $M\ge1$; at
    M = 0 it is 1, which no multiple of M bounds.
    """
    mean = (M + 1) / (1 + C)  # C_M = 1 + c
    domain = numbers("C", lo=0, hi=1, ends="[)")
    return [
        goal(mean - M / 2, ">", domain + nonnegative("M")),
        goal(2 * (1 + M) - mean.subs(M, 1 + M), ">=", domain + nonnegative("M"), note="at 1 + M"),
        goal(truncated_geometric.expected_power(TERM, sp.S.Zero) - 1, "==", ()),
    ]


@obligation("E36", item="Corollaries 2.4 and 2.6")
def e36() -> Sequence[Goal]:
    r"""A bias that does not depend on the number of records.

    For $F(x)=x_1^3$ and a vertex drawn with the probabilities $(p,1-p)$ the first entry of the gradient has the mean
    $3p$, and it is $3p^2$ at the point $(p,1-p)$ itself. The bias $3p-3p^2$ is positive for $0<p<1$; the number of
    records does not occur in it.
    """
    x = sp.Symbol("x_1")
    slope = sp.diff(x**3, x)
    return [goal(P * slope.subs(x, 1) + (1 - P) * slope.subs(x, 0) - slope.subs(x, P), ">", unit("p"))]


@obligation("E37", item="Theorem 3.4", tests=("tests/test_mirror_descent.py::test_bad_input_is_refused",))
def e37() -> Sequence[Goal]:
    r"""Privacy needs the bound on gradients.

    A gradient of size $L_0+s$ moves a score by $\frac{2(L_0+s)\tau}B$, more than the $\frac{2L_0\tau}B$ that the step
    pays for. The library refuses records whose gradients may exceed $L_0$.
    """
    return [goal(2 * (L0 + S) * TAU / B - 2 * L0 * TAU / B, ">", positive("L0", "s", "tau", "b"))]


declare(
    "E4",
    item="Algorithm 3, line 8",
    title="The output averages one iterate too many",
    statement=r"At the exit t is one more than the number of iterations: the printed average is over one iterate more.",
    tests=(
        "tests/test_mirror_descent.py::test_the_printed_output_averages_one_iterate_more",
        "property_tests/test_saddle.py::test_p42",
    ),
)
declare(
    "E20",
    item="Corollaries 2.6 and 2.14",
    title="The proof of the bias leaves the simplex",
    statement=r"The printed proof evaluates F at $\bar x+re_j$. The weights of this point sum to $1+r$, so that for "
    r"$r>0$ it is outside of the simplex, and the proof needs smoothness there too.",
    open_because="A person read the printed proof; nothing of it is computed here. The library's bounds assume "
    "smoothness at these points, and quadratic and ramp losses have it everywhere.",
)
_OPEN = (
    (
        "E38", "Section 3", "Sampling in floating point",
        ("The mechanisms are over the reals; doubles leak in their last bits, which the documentation's limits say."
        " Nothing was attempted here."),
    ),
)  # fmt: skip
for _name, _item, _title, _why in _OPEN:
    declare(_name, item=_item, title=_title, statement=f"{_title}.", open_because=_why)
