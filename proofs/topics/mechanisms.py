"""Discrete noise, bounded range, sampling without replacement, selection, trees: formulas against their sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from dpref.privacy.closed_forms import curves, tradeoff
from dpref.privacy.renyi import divergences as renyi
from dpref.privacy.renyi import selection, without_replacement
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.registry import Goal, declare, equal, finite, goal, obligation, proven, read_as
from proofs.search import nonnegative, numbers, positive
from proofs.topics.convexity import BETA, Y, bernoulli

ALPHA, EPSILON, DELTA, A, J, Q, T, Z, P, S, M, N, D = sp.symbols("alpha epsilon delta a j q t z p s M N D")
_ORDER = numbers("alpha", lo=1)

# Which of two numbers is the larger is no matter of algebra: each side is marked, and both are compared at once.
MARKED = replace(TERM, maximum=lambda a, b: M * a + N * b, minimum=lambda a, b: M * a + N * b)


# ------------------------------------------------------------------------------------ discrete noise


read_as("renyi.discrete_laplace_renyi", lambda: [renyi.discrete_laplace_renyi(TERM, ALPHA, T, n) for n in (1, 3)])


@obligation(
    "renyi/discrete-laplace",
    citation="mironov2017renyi",
    about=("renyi.discrete_laplace_renyi",),
    tests=("tests/test_renyi.py::test_discrete_laplace_is_the_sum_over_the_integers",),
    not_proved="The infinite sums outside of the two centres, of which only how a side falls is checked.",
)
def discrete_laplace() -> Sequence[Goal]:
    r"""Rényi divergence of discrete Laplace noise.

    With $p=e^{-1/t}$ the mass of z is $\frac{1-p}{1+p}p^{|z|}$; outside of the two centres the moment's terms are
    $p^{\alpha\Delta}$ and $p^{(1-\alpha)\Delta}$ times masses that add up to $\frac1{1+p}$ on each side, between them
    they are $\frac{1-p}{1+p}p^{\alpha\Delta+(1-2\alpha)x}$. The divergence is by definition the moment's logarithm over
    $\alpha-1$.
    """
    # alpha = 1 + a, so that the sign of 2 alpha - 1 is plain.
    domain, order = positive("a", "t"), 1 + A

    def moment(n: int) -> sp.Expr:
        base = sp.exp(-1 / T)
        share = (1 - base) / (1 + base)
        outside = (sp.exp(-order * n / T) + sp.exp((order - 1) * n / T)) / (1 + base)
        between = (sp.exp(-(order * n + (1 - 2 * order) * x) / T) for x in range(1, n))
        return outside + share * sum(between, sp.S.Zero)

    def gap(n: int) -> sp.Expr:
        closed = sp.exp(A * renyi.discrete_laplace_renyi(TERM, order, T, n))
        return closed - moment(n)

    tail = P ** sp.Integer(2) / (1 + P)  # the mass beyond -2, of which p times as much is beyond -3
    return [
        *(goal(gap(n), "==", domain, note=f"moved by {n}") for n in (1, 2, 3, 5)),
        goal(tail - P * tail - (1 - P) / (1 + P) * P**2, "==", numbers("p", lo=0, hi=1), note="a side's masses"),
    ]


@obligation(
    "pld/discrete-noise",
    citation="canonne2020discrete",
    tests=("tests/test_loss_distribution.py::test_two_integer_answers_agree_with_enumeration",),
    theorems=(proven("IntegerNoise.shift_dominates", "log-concave noise: a shift by more dominates a shift by less"),),
)
def discrete_noise() -> Sequence[Goal]:
    r"""Losses of discrete noise.

    Discrete Laplace: for $0\le z\le\Delta$ the loss is $(\Delta-2z)/t$, beyond it $\pm\Delta/t$; discrete Gaussian:
    $\Delta(\Delta-2z)/(2\sigma^2)$. Both fall with z, so that $L>x$ is a threshold of z, and a smaller move is
    dominated.
    """
    integer = numbers("z", "D") + positive("t", "s")
    base = sp.exp(-1 / T)
    mass = (1 - base) / (1 + base)
    laplace = sp.log(mass * sp.exp(-Z / T)) - sp.log(mass * sp.exp(-(D - Z) / T)) - (D - 2 * Z) / T
    normal = ((Z - D) ** 2 - Z**2) / (2 * S**2) - D * (D - 2 * Z) / (2 * S**2)
    falls = D * (D - 2 * Z) / (2 * S**2) - D * (D - 2 * (Z + 1)) / (2 * S**2)
    return [
        goal(laplace, "==", integer, note="between the two centres"),
        goal(normal, "==", integer, note="discrete Gaussian"),
        goal(falls, ">", numbers("z") + positive("D", "s"), note="it falls with z"),
    ]


read_as(
    "curves.randomized_response_atoms",
    lambda: [x for n in (2, 3) for atom in curves.randomized_response_atoms(TERM, EPSILON, n) for x in atom],
)


@obligation("pld/randomised-response", citation="kairouz2015composition", about=("curves.randomized_response_atoms",))
def response_atoms() -> Sequence[Goal]:
    r"""Losses of randomised response.

    Among $k\ge2$ answers the losses are $\varepsilon$, $-\varepsilon$ and, for $k\ge3$, 0, with the masses
    $\frac{e^\varepsilon}{e^\varepsilon+k-1}$, $\frac1{e^\varepsilon+k-1}$ and what is left; the masses of both
    distributions add up to one, and each loss is the logarithm of their ratio.
    """
    three: Any = 3 + sp.Dummy("j", nonnegative=True)  # or more: the function asks whether there are more than two
    goals = []
    for n, domain in ((sp.Integer(2), positive("epsilon")), (three, positive("epsilon") + nonnegative("j"))):
        plain = dict.fromkeys(n.free_symbols, J)
        found = curves.randomized_response_atoms(TERM, EPSILON, n)
        atoms = [[sp.sympify(v).xreplace(plain) for v in atom] for atom in found]
        total = sp.exp(EPSILON) + (n - 1).xreplace(plain)
        masses = (sp.exp(EPSILON) / total, 1 / total, *[(J + 1) / total] * (len(atoms) - 2))
        goals += [
            goal(sum((p for _, p, _ in atoms), -sp.S.One), "==", domain, note="one in all"),
            goal(sum((q for _, _, q in atoms), -sp.S.One), "==", domain, note="one in all, on the other side"),
            *(equal(p, mass, domain, "a mass") for (_, p, _), mass in zip(atoms, masses, strict=True)),
            *(equal(sp.log(p) - sp.log(q), loss, domain, "a loss") for loss, p, q in atoms),
        ]
    return goals


read_as(
    "curves.randomized_response_null_atoms",
    lambda: [x for n in (2, 3) for atom in curves.randomized_response_null_atoms(TERM, EPSILON, n) for x in atom],
)


read_as("renyi.finite_renyi", lambda: [renyi.finite_renyi(TERM, ALPHA, [(S, P), (T, Q)])])


@obligation(
    "pld/null-record",
    citation="kairouz2015composition",
    about=("curves.randomized_response_null_atoms", "renyi.finite_renyi"),
)
def null_record() -> Sequence[Goal]:
    r"""A true answer against a uniform null answer.

    Among $k\ge2$ answers (here: every real k) the truth has the masses $\frac{e^\varepsilon}{e^\varepsilon+k-1}$ and
    $\frac1k$, the other answers together $\frac{k-1}{e^\varepsilon+k-1}$ and $\frac{k-1}k$; both add up to one, and
    each loss is the logarithm of their ratio. The uniform answer is the even mixture of all categories' answers.
    $D_\alpha$ of two outcomes with such losses is $\frac1{\alpha-1}\ln\sum p^\alpha q^{1-\alpha}$.
    """
    k_ = 2 + J
    domain, total = positive("epsilon") + nonnegative("j"), sp.exp(EPSILON) + 1 + J
    atoms = curves.randomized_response_null_atoms(TERM, EPSILON, k_)
    masses = ((sp.exp(EPSILON) / total, 1 / k_), ((1 + J) / total, (1 + J) / k_))
    moment = sp.exp(A * renyi.finite_renyi(TERM, 1 + A, [(sp.log(P) - sp.log(Q), P), (sp.log(S) - sp.log(T), S)]))
    direct = sp.exp((1 + A) * sp.log(P) - A * sp.log(Q)) + sp.exp((1 + A) * sp.log(S) - A * sp.log(T))
    return [
        goal(sum((p for _, p, _ in atoms), -sp.S.One), "==", domain, note="one in all"),
        goal(sum((q for _, _, q in atoms), -sp.S.One), "==", domain, note="one in all, on the other side"),
        *(equal(p, mass, domain, "a mass") for (_, p, _), (mass, _) in zip(atoms, masses, strict=True)),
        *(equal(q, mass, domain, "a null mass") for (*_, q), (_, mass) in zip(atoms, masses, strict=True)),
        *(equal(sp.log(p) - sp.log(q), loss, domain, "a loss") for loss, p, q in atoms),
        goal((atoms[0][1] + atoms[1][1]) / k_ - atoms[0][2], "==", domain, note="the mixture over what is true"),
        equal(moment, direct, positive("a", "p", "q", "s", "t"), "the moment"),
    ]


# ------------------------------------------------------------------------------------ bounded range


@obligation(
    "renyi/bounded-range-divergence",
    citation="cesar2021bounding",
    about=("renyi.bounded_range_renyi",),
    premises=("renyi/bounded-range",),
)
def bounded_range() -> Sequence[Goal]:
    r"""The closed form of bounded range.

    At $q=\frac{A-\alpha B}{(\alpha-1)AB}$, $A=e^{\alpha\varepsilon}-1$, $B=e^\varepsilon-1$, the moment
    $(1+qA)(1+qB)^{-\alpha}$ of two points has the logarithm
    $\ln\frac{A-B}{(\alpha-1)B}-\alpha\ln\frac{\alpha(A-B)}{(\alpha-1)A}$, and no other q has a larger one, as
    $x^\alpha\ge1+\alpha(x-1)$: so no mechanism of that range has a larger divergence.
    """
    # alpha = 1 + a, so that the signs of A - B = e^epsilon (e^(a epsilon) - 1) are plain.
    domain = positive("a", "epsilon")
    many, one = sp.exp((1 + A) * EPSILON) - 1, sp.exp(EPSILON) - 1
    gap = sp.exp(EPSILON) * (sp.exp(A * EPSILON) - 1)
    closed = sp.log(gap / (A * one)) - (1 + A) * sp.log((1 + A) * gap / (A * many))
    at = (many - (1 + A) * one) / (A * many * one)
    most = sp.exp(A * renyi.bounded_range_renyi(TERM, 1 + A, EPSILON))
    return [
        goal(A * renyi.bounded_range_renyi(TERM, 1 + A, EPSILON) - closed, "==", domain),
        goal(1 + at * many - gap / (A * one), "==", domain, note="1 + qA"),
        goal(1 + at * one - (1 + A) * gap / (A * many) * many / many, "==", domain, note="1 + qB"),
        goal(
            most * (1 + Q * one) ** (1 + A) - (1 + Q * many), ">=",
            domain + numbers("q", lo=0, hi=1, ends="[]"), _no_larger, "no other masses have a larger moment",
        ),
    ]  # fmt: skip


def _no_larger(c: Claim) -> k.Fact:
    """``(1 + q B)^alpha`` above its tangent at the stationary q; the moment's numerator is that tangent."""
    many, one, gap = sp.exp((1 + A) * EPSILON) - 1, sp.exp(EPSILON) - 1, sp.exp(EPSILON) * (sp.exp(A * EPSILON) - 1)
    y = sp.log(1 + Q * one) + sp.log(A * many) - sp.log((1 + A) * gap)
    tangent = k.instantiate(bernoulli(), ((Y, y), (BETA, A)), c.domain)
    return k.combine(c.expr, ">=", ((gap / (A * one), tangent),), c.domain)


# ------------------------------------------------------------------------------------ sampling without replacement


def _orders(j: int) -> sp.Expr:
    return sp.Symbol(f"D{j}")


def _amplified(n: int, pure: sp.Expr | None) -> sp.Expr:
    value: sp.Expr = without_replacement.amplified_divergence(MARKED, n, Q, _orders, pure)
    return value


read_as(
    "without-replacement.amplified_divergence",
    lambda: [_amplified(n, pure) for n in (2, 4) for pure in (None, EPSILON)],
)


@obligation(
    "renyi/amplified",
    item="Theorem 9",
    citation="wang2019subsampled",
    about=("without-replacement.amplified_divergence",),
    theorems=(
        proven("EventAmplification.amplification_on", "amplification at integer orders (Theorem 9), any output space"),
        proven("AmplifiedOrders.amplified_at_most", "with any number between the sides of a minimum in its place"),
    ),
)
def amplified() -> Sequence[Goal]:
    r"""Amplification at integer orders.

    $\frac1{\alpha-1}\ln\bigl(1+\gamma^2\binom\alpha2\min\{4(e^{D_2}-1),e^{D_2}m_2\}+\sum_{j\ge3}\gamma^j\binom\alpha
    je^{(j-1)D_j}m_j\bigr)$, $m_j=\min\{2,(e^\varepsilon-1)^j\}$, or 2. The theorem of Coq is about every integer order;
    the library adds its terms up one by one, so that its formula can be read at one order at a time and is put into the
    theorem at 2, 3 and 4, which have a first, a middle and a last term. That the two sums agree up to the order 64 is
    tested.
    """
    domain = positive("q", "epsilon", "M", "N", "D2", "D3", "D4")

    def most(j: int, *, pure: bool) -> sp.Expr:
        return M * 2 + N * (sp.exp(EPSILON) - 1) ** j if pure else sp.Integer(2)

    def gap(n: int, *, pure: bool) -> sp.Expr:
        second = M * 4 * (sp.exp(_orders(2)) - 1) + N * sp.exp(_orders(2)) * most(2, pure=pure)
        rest = (Q**j * sp.binomial(n, j) * sp.exp((j - 1) * _orders(j)) * most(j, pure=pure) for j in range(3, n + 1))
        total = Q**2 * sp.binomial(n, 2) * second + sum(rest, sp.S.Zero)
        return (n - 1) * _amplified(n, EPSILON if pure else None) - sp.log(1 + total)

    return [
        goal(gap(n, pure=pure), "==", domain, note=f"order {n}, " + ("pure" if pure else "any"))
        for n in (2, 3, 4)
        for pure in (False, True)
    ]


# ------------------------------------------------------------------------------------ selection, trade-off, failures


ORDER, VALUE, ETA, GAMMA, MEAN = sp.symbols("order value eta gamma mean")


def _negative_binomial() -> sp.Expr:
    value: sp.Expr = selection.negative_binomial_renyi(TERM, ALPHA, D, (ORDER, VALUE), ETA, GAMMA, MEAN)
    return value


read_as("selection.negative_binomial_renyi", lambda: [_negative_binomial()])


@obligation(
    "composition/selection-negative-binomial",
    published="Theorem 2",
    item="Theorem 2",
    citation="papernot2022hyperparameter",
    about=("selection.negative_binomial_renyi",),
    theorems=(
        finite(
            "SelectionPrivacy.truncated_selection_renyi",
            "the divergence of the best of K runs (Theorem 2)",
            "papernot2022hyperparameter",
        ),
    ),
)
def negative_binomial() -> Sequence[Goal]:
    r"""Private selection, truncated negative binomial law.

    The best of K runs, K of that law with parameters $\eta$ and $\gamma$, of a mechanism with Rényi divergences
    $D_\alpha$ and $D_{\hat\alpha}$ at two orders has at the order $\alpha$ at most
    $D'=D_\alpha+(1+\eta)(1-\frac1{\hat\alpha})D_{\hat\alpha}+\frac{(1+\eta)\ln(1/\gamma)}{\hat\alpha}+\frac{\ln\mathbb
    EK}{\alpha-1}$.
    """
    domain = _ORDER + numbers("D", "value") + numbers("order", lo=1) + numbers("eta", lo=-1)
    domain += numbers("gamma", lo=0, hi=1) + positive("mean")
    printed = D + (1 + ETA) * (1 - 1 / ORDER) * VALUE + (1 + ETA) * sp.log(1 / GAMMA) / ORDER
    return [
        goal(_negative_binomial() - printed - sp.log(MEAN) / (ALPHA - 1), "==", domain),
    ]


read_as("tradeoff.dp_tradeoff", lambda: [tradeoff.dp_tradeoff(MARKED, A, EPSILON, DELTA)])


@obligation(
    "composition/trade-off-dp",
    citation="wasserman2010statistical",
    about=("tradeoff.dp_tradeoff",),
    theorems=(
        proven("Tests.dp_region", "the region of (epsilon, delta)-DP"),
        proven("PostProcessing.region_on", "on any output space, of every measurable test"),
        proven("Tests.dp_region_converse", "the region is all that the guarantee says"),
    ),
)
def trade_off_dp() -> Sequence[Goal]:
    r"""The trade-off function of approximate DP.

    $\max\{0,1-\delta-e^\varepsilon a,e^{-\varepsilon}(1-\delta-a)\}$: each line is what one of the two directions of
    $(\varepsilon,\delta)$-DP says of a test; they meet at $a=\frac{1-\delta}{1+e^\varepsilon}$.
    """
    domain = numbers("epsilon", "delta", "a", "M", "N")
    steep = 1 - DELTA - sp.exp(EPSILON) * A
    flat = (1 - DELTA - A) / sp.exp(EPSILON)
    found = tradeoff.dp_tradeoff(MARKED, A, EPSILON, DELTA)
    meet = (1 - DELTA) / (1 + sp.exp(EPSILON))
    return [
        goal(found - N * (M * steep + N * flat), "==", domain, note="zero, and two lines"),
        goal((steep - flat).subs(A, meet), "==", numbers("epsilon", "delta")),
        goal(1 - DELTA - sp.exp(EPSILON) * flat - A, "==", domain, note="the other direction: errors exchanged"),
    ]


@obligation(
    "composition/approximate-zcdp",
    item="Section 8",
    citation="bun2016concentrated",
    about=("conversions.zcdp_delta",),
    premises=("zcdp/composition", "zcdp/to-dp"),
    theorems=(
        proven("AnyDialogues.approximate_zcdp_after", "approximate zCDP composes (Section 8), on any output space"),
        proven("Failures.approximate_zcdp_composition", "on finite output spaces, by moments"),
        proven("Failures.approximate_zcdp_to_dp", "conversion of approximate zCDP (Section 8)"),
        proven("Events.approximate_zcdp_on_to_dp", "on any output space, seen through finitely many outcomes"),
    ),
)
def approximate_zcdp() -> Sequence[Goal]:
    r"""Approximate zCDP.

    Outside of events of probability $\delta_1$, $\delta_2$ the losses add; both events fail to happen with probability
    $(1-\delta_1)(1-\delta_2)$. At slack $\delta'$ the delta is $\delta+(1-\delta)\delta'$.
    """
    one, two = sp.symbols("d e")
    domain = numbers("d", "e", lo=0, hi=1, ends="[)")
    return [
        goal(1 - (1 - one) * (1 - two) - (one + (1 - one) * two), "==", domain, note="the two ways to write it"),
        goal(one + two - (1 - (1 - one) * (1 - two)), ">=", domain, note="at most the sum"),
    ]


declare(
    "composition/tree-nodes",
    stated_by=(
        "BinaryTree.nodes_of_a_leaf",
        "BinaryTree.nodes_of_a_leaf_padded",
        "BinaryTree.nodes_of_the_first_leaf",
    ),
    title="Nodes of the binary tree",
    statement=r"A leaf of 1..n is in at most $\lfloor\log_2n\rfloor+1$ released nodes, in at most "
    r"$\lceil\log_2n\rceil+1$ of a padded tree, and the first leaf is in that many.",
    citation="dwork2014foundations",
    theorems=(
        proven("BinaryTree.nodes_of_a_leaf", "a leaf is in at most that many released nodes"),
        proven("BinaryTree.nodes_of_a_leaf_padded", "and of a padded tree"),
        proven("BinaryTree.nodes_of_the_first_leaf", "the first leaf is in that many"),
    ),
    tests=("property_tests/test_tree.py::test_each_element_is_in_at_most_as_many_released_nodes_as_the_ledger_counts",),
)
