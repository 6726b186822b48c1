"""Generalised Gaussian noise on a regular norm: what an answer spends, in Rényi divergence and as Gaussian DP."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.online_frank_wolfe import calibration as calibration_calibration
from dpref.algorithms.online_frank_wolfe import formulas as calibration_formulas
from dpref.privacy.closed_forms import conversions, divergences
from dpref.terms import TERM
from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.private_online_frank_wolfe import erratum, obligation
from proofs.papers.private_online_frank_wolfe.privacy import ALPHA, DEEP, EPSILON, KAPPA, RHO, SIGMA, D, S
from proofs.registry import Goal, cited, derivative, equal, goal, proven, refutation
from proofs.search import nonnegative, numbers, positive
from proofs.topics.zcdp import exp_above_line, log_below_line

_RENYI = "divergences.regular_gaussian_renyi"
_ZCDP = "online-frank-wolfe.zcdp_variance"


@obligation(
    "PO-9",
    item="Lemma 2.1",
    about=(_RENYI, _ZCDP),
    premises=("PO-5", "PO-10", "zcdp/composition", "zcdp/rho-of-epsilon"),
)
def po_9() -> Sequence[Goal]:
    r"""Generalised Gaussian noise on a regular norm is zCDP.

    $N=\|\cdot\|_+^2$ with $N(x+y)\le N(x)+\langle N'(x),y\rangle+\kappa_+N(y)$ and density $\propto
    e^{-N/(2\sigma^2)}$: with $a_0=\kappa_+\frac{N(h)}{2\sigma^2}\le\frac{\kappa s^2}{2\sigma^2}$ the log-ratio is at
    most $-W+a_0$, $E e^{\lambda W}\le e^{\lambda^2a_0}$, and
    $D_\alpha\le\frac{(\alpha-1)^2a_0+(\alpha-1)a_0}{\alpha-1}=\alpha a_0$. Hence k nodes with $\sigma^2=\frac{k\kappa
    s^2}{2\rho}$ are $\rho$-zCDP.
    """
    plus, size, slack, a0 = sp.symbols("p h w q")  # kappa_+, N(h), kappa / kappa_+ s^2 - N(h), a_0
    regular = plus * (size + slack) / (2 * SIGMA**2)  # kappa s^2 / (2 sigma^2) with s^2 = kappa_+ (h + w) / kappa
    variance = calibration_formulas.zcdp_variance(TERM, DEEP, KAPPA, S, RHO)
    order = numbers("alpha", lo=1)
    return [
        goal(
            ((ALPHA - 1) ** 2 * a0 + (ALPHA - 1) * a0) / (ALPHA - 1) - ALPHA * a0, "==", order + nonnegative("q"),
            note="the exponent",
        ),
        goal(regular - plus * size / (2 * SIGMA**2), ">=", positive("p", "sigma") + nonnegative("h", "w")),
        equal(
            divergences.regular_gaussian_renyi(TERM, ALPHA, S / SIGMA, KAPPA),
            ALPHA * KAPPA * S**2 / (2 * SIGMA**2),
            order + positive("S", "sigma", "kappa"),
            "the library's bound",
        ),
        equal(
            DEEP * KAPPA * S**2 / (2 * variance),
            RHO,
            positive("k", "kappa", "S", "rho"),
            "k nodes at that variance",
        ),
        cited("squared l_r norms are (r-1)-smooth for r >= 2", "juditsky2008large"),
    ]  # fmt: skip


@obligation(
    "gaussian-dp",
    item="Lemma 2.1",
    about=("divergences.regular_gaussian_mu_squared",),
    theorems=(
        proven(
            "LogConcave.log_concave_half_lines",
            "for log-concave noise and a shift on the line half-lines are the best tests",
        ),
    ),
    not_proved="That the law conditional on a line may be compared line by line: the line itself has the same law "
    "before and after the shift, and trade-off functions are convex (measure theory). Tests compare the curve with "
    "quadrature in the plane, and the lemma on a line with random log-concave densities.",
)
def gaussian_dp() -> Sequence[Goal]:
    r"""Generalised Gaussian noise on a regular norm is Gaussian-DP.

    Not in the paper, and sharper than PO-9: with the same noise, a sensitivity s and $\sigma=zs$, an answer is
    $\mu$-Gaussian-DP with $\mu^2=\kappa/z^2$. On a line $t\mapsto z+th$ let $\varphi(t)=N(z+th)/(2\sigma^2)$.
    Smoothness at both ends of $[t,t+u]$ gives $\varphi'(t+u)-\varphi'(t)\le cu$ with $c=\kappa_+N(h)/\sigma^2\le\mu^2$.
    $\varphi$ is convex, so half-lines are the best tests for a shift, and with the density p and the distribution
    function F on the line the profile $I(v)=p(F^{-1}(v))$ has $I'=-\varphi'(F^{-1})$. The Gaussian one,
    $J(v)=\mu\,n(\Phi^{-1}(v))$, solves $J''=-\mu^2/J$. Both vanish at 0 and 1; where $I-J$ were largest and positive,
    $I'-J'$ would grow, as $\mu^2/J>\mu^2/I$: hence $I\le J$, and
    $\frac{d}{da}\Phi^{-1}(F(a))=I/n(\Phi^{-1}(F(a)))\le\mu$: a shift by h moves $\Phi^{-1}$ of the error by at most
    $\mu$.
    """
    x, u, c, slope_0, first, second, mu, profile, gap, z = sp.symbols("x u c p r w mu J h z")
    plus, size, slack = sp.symbols("k_p H q")  # kappa_+, N(h), kappa / kappa_+ s^2 - N(h)
    start = sp.Symbol("v")  # phi(t)
    end = start + u * slope_0 + c * u**2 / 2 - first  # phi(t + u), from the inequality at t
    slope_1 = (end + c * u**2 / 2 - second - start) / u  # phi'(t + u), from the inequality at t + u
    bell = sp.exp(-(x**2) / 2)

    def mu_squared(multiplier: sp.Expr) -> sp.Expr:
        return divergences.regular_gaussian_mu_squared(TERM, multiplier, KAPPA)

    both = nonnegative("r", "w") + positive("u", "c") + numbers("p", "v")
    regular = plus * (size + slack) / SIGMA**2  # kappa s^2 / sigma^2 with s^2 = kappa_+ (H + q) / kappa
    return [
        goal(c * u - (slope_1 - slope_0), ">=", both, note="the slope of the potential"),
        goal(regular - plus * size / SIGMA**2, ">=", positive("k_p", "sigma") + nonnegative("H", "q")),
        equal(
            divergences.regular_gaussian_mu_squared(TERM, SIGMA / S, KAPPA),
            KAPPA * S**2 / SIGMA**2,
            positive("S", "sigma", "kappa"),
            "sigma = z s",
        ),
        derivative(
            bell, x, -x * bell, numbers("x"), "J' = -mu x at x, the quantile, whose own slope is mu / J",
        ),
        goal(
            mu**2 / profile - mu**2 / (profile + gap), ">", positive("mu", "J", "h"), note="I = J + h cannot be a peak",
        ),
        equal(
            divergences.gaussian_renyi(TERM, ALPHA, sp.sqrt(mu_squared(z))),
            divergences.regular_gaussian_renyi(TERM, ALPHA, 1 / z, KAPPA),
            numbers("alpha", lo=1) + positive("z", "kappa"),
            "PO-9 follows",
        ),
        cited("squared l_r norms are (r-1)-smooth for r >= 2", "juditsky2008large"),
    ]  # fmt: skip


def _spare(most: sp.Expr, least: sp.Expr) -> k.Fact:
    """``(1 + t) log(1 + t) - t log t - most / 2 > 0`` for every t >= least, where it grows: log t <= log(1 + t)."""
    t = sp.Symbol("t")
    f = (1 + t) * sp.log(1 + t) - t * sp.log(t) - most / 2
    domain = numbers("t", lo=least, ends="[)")
    inside = numbers("t", lo=least)
    line = k.instantiate(log_below_line(), ((sp.Symbol("x"), t / (1 + t)),), inside)
    rise = ((sp.S.One, line), (sp.S.One, k.sign(1 / (1 + t), ">", inside)))
    growth = k.combine(sp.diff(f, t), ">", rise, inside)
    return k.monotone(f, t, "lo", growth, balls.cover(f.subs(t, least), (), "0", 64), domain)


@obligation(
    "PO-11",
    item="Lemma 2.1",
    about=("online-frank-wolfe.node_variance", _RENYI, "conversions.renyi_delta_optimised"),
    premises=("PO-9", "zcdp/to-dp-optimised"),
)
def po_11() -> Sequence[Goal]:
    r"""Lemma 2.1 on a regular norm, for epsilon up to 2 and delta up to 1/2.

    With $\sigma^2=2\kappa\Lambda\frac{s^2}{\varepsilon^2}$, $\Lambda=\ln\frac1\delta$, an answer is
    $\frac{\varepsilon^2}{4\Lambda}$-zCDP (PO-9); at the order $\alpha=1+t$, $t=\frac{2\Lambda}\varepsilon$, its
    $\delta$ is at most $e^{-\Lambda}$: $\frac\varepsilon2\le(1+t)\ln(1+t)-t\ln t$, which grows with t and exceeds 1
    from $t=\frac{69}{100}$ on; $\varepsilon\le2$ and $\delta\le\frac12$ give $t\ge\ln2$. A node of the tree has
    $\frac\varepsilon m$ and $\frac\delta m$: $\varepsilon\le2m$ is enough.
    """
    t, x, y = sp.symbols("t x y")
    most, slack = sp.Integer(calibration_calibration.PROVED_EPSILON), calibration_calibration.PROVED_DELTA
    log_2 = -sp.log(sp.Rational(slack.numerator, slack.denominator))
    least = 2 * sp.Rational(69, 100) / most
    domain = numbers("t", lo=least, ends="[)") + numbers("epsilon", lo=0, hi=most, ends="(]") + positive("kappa", "S")
    log = t * EPSILON / 2  # Lambda
    shift = S / sp.sqrt(calibration_formulas.node_variance(TERM, KAPPA, log, S, EPSILON))
    divergence = divergences.regular_gaussian_renyi(TERM, 1 + t, shift, KAPPA)
    delta = conversions.renyi_delta_optimised(TERM, divergence, 1 + t, EPSILON)

    def prove(c: Claim) -> k.Fact:
        spare = (1 + t) * sp.log(1 + t) - t * sp.log(t) - EPSILON / 2
        known = ((sp.S.One, _spare(most, least)), (sp.S.One, k.sign((most - EPSILON) / 2, ">=", domain)))
        gap = k.combine(spare, ">", known, domain)
        line = k.instantiate(exp_above_line(), ((sp.Symbol("u"), spare),), domain)
        return k.combine(c.expr, ">", ((delta, line), (delta, gap)), c.domain)

    return [
        goal(sp.exp(-log) - delta, ">", domain, prove, "the order 1 + t is enough"),
        *(
            goal(e, ">", (), lambda c: balls.cover(c.expr, (), "0", 64), "0.69 < ln 2 < 0.7")
            for e in (log_2 - sp.Rational(69, 100), sp.Rational(7, 10) - log_2)
        ),
        goal(
            2 * (log_2 + x) / (most / (1 + y)) - 2 * log_2 / most, ">=", nonnegative("x", "y"),
            note="t of any node: Lambda = ln 2 + x, epsilon = 2 / (1 + y)",
        ),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------ radius and norm


@obligation("PO-16", item="Lemma 3.1, proof A.2")
def po_16() -> Sequence[Goal]:
    r"""The squared radius of the noise has the Gamma scale 2 sigma^2.

    The radius has a density proportional to $r^{d-1}e^{-r^2/(2\sigma^2)}$; with $v=r^2$ that is
    $\frac12v^{d/2-1}e^{-v/(2\sigma^2)}\,dv$: $\|Z\|_+^2\sim\mathrm{Gamma}(\frac d2,2\sigma^2)$. Its mean is
    $d\sigma^2$: $\frac
    d{dv}\big[v^{d/2}e^{-v/(2\sigma^2)}\big]=\frac{d\sigma^2-v}{2\sigma^2}v^{d/2-1}e^{-v/(2\sigma^2)}$, and the bracket
    vanishes at both ends. Appendix A.2 has this scale.
    """
    v, domain = sp.Symbol("v"), positive("v", "d", "sigma")
    tail = sp.exp(-v / (2 * SIGMA**2))
    radius = sp.sqrt(v)
    moved = radius ** (D - 1) * sp.exp(-(radius**2) / (2 * SIGMA**2)) / (2 * radius)
    density = v ** (D / 2 - 1) * tail / 2
    inside = v ** (D / 2) * tail
    rate = (D * SIGMA**2 - v) / (2 * SIGMA**2) * (2 * density)
    return [
        goal(moved - density, "==", domain, note="the change of variable, dv = 2 r dr"),
        derivative(inside, v, rate, domain, "the mean"),
        cited("polar coordinates of a density that depends on a norm alone (Section 4)", "han2022online"),
    ]


@obligation("normaliser", item="Lemma 2.1, repaired (E-38)")
def normaliser() -> Sequence[Goal]:
    r"""The normalising constant of the density of Lemma 2.1.

    For every norm the density proportional to $e^{-\|z\|_+^2/(2\sigma^2)}$ has the constant $C$ with
    $\frac1C=dV\,\frac{(2\sigma^2)^{d/2}}2\Gamma(\frac d2)$, where V is the volume of the unit ball: d V is the mass of
    the cone measure of the unit sphere. The ball of the squared radius v has the volume $Vv^{d/2}$, so that the
    integral is $\int_0^\infty Vv^{d/2}\frac{e^{-v/(2\sigma^2)}}{2\sigma^2}dv$. By parts it is
    $\frac{dV}2\int_0^\infty v^{d/2-1}e^{-v/(2\sigma^2)}dv$, a Gamma integral.
    """
    v, domain = sp.Symbol("v"), positive("v", "d", "sigma")
    tail = sp.exp(-v / (2 * SIGMA**2))
    inside = v ** (D / 2) * tail
    rate = D / 2 * v ** (D / 2 - 1) * tail - inside / (2 * SIGMA**2)
    return [derivative(inside, v, rate, domain, "integration by parts; it vanishes at both ends")]


@obligation(
    "PO-13",
    item="Lemma 3.2, repaired",
    theorems=(
        proven("Norms.norm_dimension", "Hoelder's inequality between l_rho and l_q"),
        proven("Norms.norm_antitone", "norms fall with their index"),
    ),
)
def po_13() -> Sequence[Goal]:
    r"""The norm l_q is regular with an index and a constant that are chosen together.

    Let $2\le\rho\le q$. Then $\|x\|_q\le\|x\|_\rho\le d^{1/\rho-1/q}\|x\|_q$ by Hölder's inequality, with equality at
    the all-ones vector, and $\|\cdot\|_\rho^2$ is $(\rho-1)$-smooth. So $\|\cdot\|_q$ is regular with the associated
    norm $\|\cdot\|_\rho$ and the constant $\kappa=(\rho-1)d^{2/\rho-2/q}$. At $\rho=q=2$ the noise is plain Gaussian.
    """
    q, more = sp.symbols("q w")
    smooth, log_d = RHO - 1, sp.log(D)
    kappa = smooth * sp.exp(2 * log_d / RHO - 2 * log_d / q)
    domain = numbers("rho", lo=2, ends="[)") + numbers("d", lo=1, ends="[)")
    ones = [sp.exp(log_d / index) for index in (RHO, q)]  # the norms of the all-ones vector
    return [
        goal(
            smooth * ones[0] ** 2 - kappa * ones[1] ** 2,
            "==",
            domain + numbers("q", lo=2, ends="[)"),
            note="at the all-ones vector the constant is needed in full",
        ),
        goal(kappa.subs(q, RHO + more) - smooth, ">=", domain + nonnegative("w"), note="kappa >= kappa_+ for q >= rho"),
        cited("squared l_r norms are (r-1)-smooth for r >= 2", "juditsky2008large"),
    ]


@erratum(
    "E-1",
    item="Lemma 3.2",
    about=("online-frank-wolfe.printed_index", "online-frank-wolfe.printed_kappa"),
    repaired_by="PO-13",
    tests=("tests/test_online_frank_wolfe_audit.py::test_e_1_in_three_dimensions_is_certified_to_hide_nothing",),
)
def e_1() -> Sequence[Goal]:
    r"""The printed index of the associated norm.

    Lemma 3.2 prints the index $q_+=\min\{q-1,\ln d-1\}$ and the constant $\kappa=\min\{q-1,e^2(\ln d-1)\}$. By
    Definition 2.2 the all-ones vector then has $d^{2/q_+}\le\frac\kappa{\kappa_+}d^{2/q}$ with some $\kappa_+\ge1$.
    This is false at $q=3$ and $q=4$ for $d=1000$. At $q=3$ and $d=3,4,5$ the index is below 1 and belongs to no
    norm, and at $d=3$ the constant is below 1. The printed index is a smoothness constant, which is the index less
    one; PO-13 has an index and a constant that belong together.
    """

    def index(at: int, dimension: int) -> sp.Expr:
        return calibration_formulas.printed_index(TERM, sp.Integer(at), sp.log(dimension))

    def constant(at: int, dimension: int) -> sp.Expr:
        return calibration_formulas.printed_kappa(TERM, sp.Integer(at), sp.log(dimension))

    def equivalence(at: int, dimension: int) -> Goal:  # at the all-ones vector, with kappa_+ >= 1
        log_d = sp.log(dimension)
        gap = constant(at, dimension) * sp.exp(2 * log_d / at) - sp.exp(2 * log_d / index(at, dimension))
        return refutation(gap, ">=", (), note=f"the equivalence at q = {at}, d = {dimension}")

    return [
        equal(index(3, 1000), sp.Integer(2), (), "q_+ at q = 3, d = 1000"),
        equal(index(3, 5), sp.log(5) - 1, (), "q_+ at q = 3, d = 5"),
        equal(constant(3, 1000), sp.Integer(2), (), "kappa at q = 3, d = 1000"),
        equal(constant(3, 3), sp.exp(2) * (sp.log(3) - 1), (), "kappa at q = 3, d = 3"),
        equivalence(3, 1000),
        equivalence(4, 1000),
        *(refutation(index(3, d) - 1, ">=", (), note=f"an index of a norm at q = 3, d = {d}") for d in (3, 4, 5)),
        refutation(constant(3, 3) - 1, ">=", (), note="a constant of Definition 2.2 at q = d = 3"),
    ]
