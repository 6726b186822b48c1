r"""The headline arguments in their own words: a sentence for each turn, with the steps that it rests on.

A step is named by the id of its obligation in braces; the pages put its number there. A test asks that every step of a
headline is named, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "gradient-descent-is-private": (
        r"One record moves an answer, a mean gradient, by at most $\frac{2G}n$ ({sensitivity/replace-one}).",
        (
            r"Normal noise of variance $\sigma^2$ on what moves by s has the Rényi divergence $\frac{\alpha "
            r"s^2}{2\sigma^2}$ at every order ({gaussian/renyi}), so that an answer is zCDP with "
            r"$\frac{2G^2}{n^2\sigma^2}$ ({gaussian/zcdp})."
        ),
        (
            "T answers, each of which may depend on those before it, are zCDP with T times that ({zcdp/composition}): "
            r"with this variance $\rho=\frac{\varepsilon^2}{2(2L+\varepsilon)}$."
        ),
        (
            r"A divergence of order $\alpha$ that is at most $\rho\alpha$ gives $\varepsilon=\rho\alpha+\frac "
            r"L{\alpha-1}$ at $\delta=e^{-L}$ ({zcdp/to-dp-optimised}, {zcdp/to-dp})."
        ),
        (
            r"At $\alpha=1+\frac{2L}\varepsilon$ both terms are $\frac\varepsilon2$, which is the statement "
            "({dp-erm-revisited/P48})."
        ),
    ),
    "dynamic-budget-is-private": (
        r"A record that is zeroed moves a mean gradient by at most $\frac GN$ ({sensitivity/zero-out}).",
        (
            r"With noise of standard deviation $\frac{G\sigma_t}N$ the two laws are normal and $\frac1{\sigma_t}$ "
            r"standard deviations apart: step t is zCDP with $\frac1{2\sigma_t^2}$ ({gaussian/renyi}, "
            "{gaussian/zcdp})."
        ),
        (
            "The gradient is asked at a point that earlier answers made; the constants add up all the same "
            r"({zcdp/composition}), to $\frac12\sum_t\sigma_t^{-2}\le\frac R2$."
        ),
        (
            "What is released is made of these answers, which costs nothing more ({zcdp/post-processing}). That is "
            "the statement ({dynamic-privacy-budget/theorem-3.5})."
        ),
    ),
    "spider-is-private": (
        (
            "A replaced record moves a mean over n records by at most twice its largest term over n "
            "({sensitivity/replace-one}), a zeroed one by at most once ({sensitivity/zero-out})."
        ),
        (
            r"An answer that moves by $\Delta$, with noise of standard deviation $\Delta\sqrt{K/\rho}$, is zCDP with "
            r"$\frac\rho{2K}$ ({gaussian/renyi}, {gaussian/zcdp})."
        ),
        (
            r"A round asks at points that earlier answers made; K first gradients cost $\frac\rho2$ together, and all "
            r"differences another $\frac\rho2$ ({zcdp/composition})."
        ),
        (
            r"So $\rho$ is spent where each noise is made for the $\Delta$ of its adjacency; with the printed noise "
            r"the first gradients alone cost $2\rho$ under replace-one, and $\frac\rho2$ under zero-out "
            "({kl-condition/PO-13})."
        ),
    ),
    "tree-noise-is-private": (
        (
            r"What is added to a node is a difference of weighted gradients; it moves by at most $s=2(c\beta D+L)$ "
            "when a record is replaced ({private-online-frank-wolfe/PO-5})."
        ),
        (
            "Where N is smooth, the linear part of the privacy loss has the exponential moments of a normal variable "
            "at most ({private-online-frank-wolfe/PO-10})."
        ),
        (
            r"So the divergence of order $\alpha$ of one node's answer is at most $\alpha a_0$, $a_0\le\frac{\kappa "
            r"s^2}{2\sigma^2}$, and k nodes, asked one after the other, cost k times that ({zcdp/composition}): $\rho$ "
            "at the noise of the statement."
        ),
        (
            r"The $\rho$ that an $(\varepsilon,\delta)$ allows is known in closed form ({zcdp/rho-of-epsilon}); with "
            "it the noise is calibrated ({private-online-frank-wolfe/PO-9})."
        ),
    ),
    "vertex-sampling-is-private": (
        (
            "At level N a replaced record moves a coordinate of the bias-reduced gradient, an average over at least "
            r"$\frac{2^N}\alpha$ records, by at most $\alpha L_0(4C_M+2\cdot2^{-N})$ ({private-saddle-points/P36}); "
            r"the worst level is N = 1, with $(4C_M+1)\alpha L_0<9\alpha L_0$ ({private-saddle-points/P37})."
        ),
        "All iterations together draw at most 6U vertices ({private-saddle-points/P38}).",
        (
            "A draw is of bounded range: whatever the normalisers are, the logarithms of the ratios lie in an "
            "interval of length twice the movement of a score, which is zCDP with an eighth of its square "
            "({exponential-mechanism/zcdp}, {renyi/bounded-range})."
        ),
        (
            r"The draws are adaptive; their constants add up to at most $\frac{\varepsilon^2}{16L}$ "
            r"({zcdp/composition}), and this is $(\varepsilon,\delta)$ for $\varepsilon\le8L$ ({zcdp/to-dp-optimised}, "
            "{zcdp/to-dp}; {private-saddle-points/P20} says where that range comes from)."
        ),
        (
            "The printed number 9 is above $4C_M+1$, so that the proposition holds as printed "
            "({private-saddle-points/P39})."
        ),
    ),
    "accelerated-descent-is-not-private": (
        (
            "What is returned is made from the exact mean gradient: on two neighbours it takes two different values "
            "with certainty, so that an event has the probabilities 1 and 0 ({dp-erm-revisited/E1})."
        ),
        (
            "What would be private: gradients are released with noise alone. One record moves a mean gradient by at "
            r"most $\frac{2G}n$ ({sensitivity/replace-one}), a noisy one is zCDP ({gaussian/renyi}, {gaussian/zcdp}), "
            "and T of them add up ({zcdp/composition})."
        ),
        (
            r"At the right order that is $(\varepsilon,\delta)$ with the variance of the last step "
            "({zcdp/to-dp-optimised}, {zcdp/to-dp}, {dp-erm-revisited/P48})."
        ),
    ),
    "dynamic-budget-under-replace-one": (
        (
            r"A replaced record moves the mean gradient by up to $\frac{2G}N$, which is $\frac2{\sigma_t}$ standard "
            r"deviations of the noise and not $\frac1{\sigma_t}$: a step costs $\frac2{\sigma_t^2}$, four times what "
            "is charged ({dynamic-privacy-budget/T1})."
        ),
        (
            r"Under zero-out the movement is $\frac GN$ ({sensitivity/zero-out}), a step costs $\frac1{2\sigma_t^2}$ "
            "({gaussian/renyi}, {gaussian/zcdp}), costs add up ({zcdp/composition}), and what is made of the answers "
            "costs nothing ({zcdp/post-processing})."
        ),
        "So what is printed is true of zeroed records ({dynamic-privacy-budget/theorem-3.5}).",
    ),
    "spider-under-replace-one": (
        (
            r"The noise is made for a movement of $\frac{L_0}n$ and one replaced record moves the mean gradient by up "
            r"to $\frac{2L_0}n$: a first gradient costs $\frac{2\rho}K$ and not $\frac\rho K$ ({kl-condition/E1})."
        ),
        (
            "The sensitivities under both adjacencies are exact ({sensitivity/replace-one}, {sensitivity/zero-out}), "
            "so is the cost of a normal answer ({gaussian/renyi}, {gaussian/zcdp}), and costs add up "
            "({zcdp/composition})."
        ),
        r"With noise for $\frac{2L_0}n$ the algorithm spends $\rho$ ({kl-condition/PO-13}).",
    ),
    "associated-norm-index": (
        (
            "The norm of the printed index $q_+$ and the constant of the same sentence must satisfy "
            r"$d^{2/q_+}\le\frac\kappa{\kappa_+}d^{2/q}$ at the all-ones vector; they do not, and below the index 1 "
            "there is no norm ({private-online-frank-wolfe/E-1})."
        ),
        (
            "With one more, index and constant belong together, and the noise is calibrated to them "
            "({private-online-frank-wolfe/PO-13})."
        ),
    ),
    "sampled-vertex-is-less-private": (
        (
            r"Two scores move in opposite directions, each by $\Delta$: the logarithm of the ratio of a vertex's "
            r"chances moves by up to $2\Delta$, once for its own score and once for the normaliser, and $2(4C_M+1)>9$ "
            "({private-saddle-points/P64})."
        ),
        (
            r"The scores move by $(4C_M+1)\tau\alpha L_0$ at most ({private-saddle-points/P36}, "
            "{private-saddle-points/P37}), and at most 6U vertices are drawn ({private-saddle-points/P38})."
        ),
        (
            "By bounded range a draw costs a quarter of what pure DP with twice that movement would "
            "({renyi/bounded-range}, {exponential-mechanism/zcdp}); costs add up ({zcdp/composition}) and are "
            "converted ({zcdp/to-dp-optimised}, {zcdp/to-dp}; {private-saddle-points/P20} on the range of "
            r"$\varepsilon$)."
        ),
        "So the proposition that the step is for holds as printed ({private-saddle-points/P39}).",
    ),
    "generalised-gaussian-is-gaussian-dp": (
        (
            "On the line through the two answers the noise has a log-concave density, whose best tests are "
            "half-lines; its profile obeys a differential inequality that the normal profile obeys with equality, and "
            r"both vanish at 0 and 1, so that it stays below; a shift by s then moves $\Phi^{-1}$ of an error by at "
            r"most $\mu$ ({private-online-frank-wolfe/gaussian-dp})."
        ),
    ),
    "dominating-pairs-compose": (
        (
            "From above: between grid points the chord of a curve is a curve that is nowhere below it, and mass that "
            r"is moved to a larger loss raises $\delta$ ({pld/above})."
        ),
        (
            r"From below: a tangent lies below a convex curve, by $e^u\ge1+u$ ({zcdp/log-below-line}), and so does a "
            "hull of tangents ({pld/below})."
        ),
        (
            "A pair that dominates each answer dominates the composition by its product, and bounds that are not "
            "negative multiply to bounds ({pld/composition})."
        ),
    ),
    "rounding-losses-is-sound": (
        (
            "The curve of a mechanism is known exactly, such as the Gaussian one ({gaussian/privacy-curve}); from its "
            "slope follow the masses of its pair ({pld/curves})."
        ),
        r"Between grid points the chord lies nowhere below the curve: $(r-\alpha)_+$ is convex ({pld/above}).",
        (
            "What is above stays above when answers are composed ({fast-path/monotone}), so that the pair of the "
            "chords may be composed in place of the mechanism ({fast-path/dominating})."
        ),
    ),
    "fourier-transform-error": (
        (
            "A root of unity from the table and one complex product is off by at most 3.5 u "
            "({fast-path/roots-of-unity})."
        ),
        (
            "So a level of the transform multiplies what is there by at most $1+g$, and n levels by $(1+g)^n$ "
            "({fast-path/transform})."
        ),
        (
            "A product of transforms is off by what each factor lacks times the others ({fast-path/powers}); the "
            "inverse takes a mean of such errors and adds its own ({fast-path/inverse})."
        ),
        (
            "Losses outside of the window come back inside; Chernoff's inequality bounds their mass, which is charged "
            "({fast-path/aliasing})."
        ),
    ),
    "zcdp-to-dp": (
        (
            r"For every order and every test the gain $P(E)-e^\varepsilon Q(E)$ is bounded by the moment of that order "
            "({zcdp/to-dp-optimised})."
        ),
        (
            r"The best order for $\rho\alpha+\frac L{\alpha-1}$ is $1+\sqrt{L/\rho}$, which gives "
            r"$\varepsilon=\rho+2\sqrt{\rho L}$ ({zcdp/to-dp})."
        ),
        r"Solved for $\rho$, this says how much may be spent ({zcdp/rho-of-epsilon}).",
    ),
    "zcdp-composes": (
        (
            "Given the first answer, Hölder's inequality bounds the mean of any test under the second law by its mean "
            "under the neighbour's; the bound is a test of the first answer, to which the same inequality applies. "
            "The exponents add up, for any number of answers ({zcdp/composition})."
        ),
        (
            "What is made of the answers has no larger divergence ({zcdp/post-processing}), so that any release that "
            "is computed from them is covered."
        ),
    ),
    "gaussian-is-zcdp": (
        (
            r"The product of powers $p^\alpha q^{1-\alpha}$ of two normal densities is a normal density times a "
            "constant; densities integrate to one, so that the constant is the moment; in several coordinates the "
            "squares of the movements add up ({gaussian/renyi})."
        ),
        (
            r"With $\rho=\frac{\mu^2}2$ that is $\rho\alpha$ at every order, and no smaller constant will do "
            "({gaussian/zcdp})."
        ),
    ),
    "exponential-mechanism-is-zcdp": (
        (
            "The logarithm of a ratio of chances is a movement of a score plus one number that all outcomes share: "
            r"the ratios lie in an interval of logarithmic length $\frac{2\Delta}\lambda$ "
            "({exponential-mechanism/zcdp})."
        ),
        (
            "Of all laws whose ratios lie in such an interval the worst has two outcomes, and its divergence is at "
            r"most $\frac{\alpha\varepsilon^2}8$ ({renyi/bounded-range})."
        ),
    ),
})  # fmt: skip
