r"""The theorems whose proofs are written out to be read: which, in which order, and under which hypotheses.

Everything else on their pages is derived: the steps are the obligations and what these rest on, their formulas are
those of the certificates, and where each is checked is what the kernel has replayed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Part: TypeAlias = Literal["privacy", "erratum", "accounting"]


@dataclass(frozen=True)
class Headline:
    """A theorem whose proof is written out.

    Attributes:
        name: Of its page.
        part: Whether it is a paper's privacy statement, what is false in a paper, or how dpref accounts.
        title: As a reader asks for it.
        steps: Ids of the obligations, in the order of the argument; what one rests on comes before it by itself.
        hypotheses: What is supposed, a sentence each, formulas between dollars.
        leads: How the argument goes, in a few sentences.
    """

    name: str
    part: Part
    title: str
    steps: tuple[str, ...]
    hypotheses: tuple[str, ...]
    leads: str


_REPLACED: Final = (
    "Two data sets of n records are neighbours if one record of one is another in the other (replace-one)."
)
_ZEROED: Final = (
    "Two data sets are neighbours if one record of one contributes nothing in the other, and n stays (zero-out)."
)
_LIPSCHITZ: Final = "The gradient of every record's loss is at most G long; clipping makes it so."
_FINITE: Final = "Output spaces are finite; what carries over to densities is said where it is used."

HEADLINES: Final = (
    Headline(
        "gradient-descent-is-private",
        "privacy",
        "Noisy gradient descent is private for every epsilon (Wang, Ye and Xu 2017, Theorem 6.1)",
        ("dp-erm-revisited/P48",),
        (
            _REPLACED,
            _LIPSCHITZ,
            (
                "Each of T answers is the mean gradient with Gaussian noise of the variance"
                r" $\frac{4G^2T(2L+\varepsilon)}{n^2\varepsilon^2}$, $L=\ln\frac1\delta$, and later questions may"
                " depend on earlier answers."
            ),
        ),
        "How far one record moves an answer bounds its Rényi divergence; divergences of adaptive answers add up;"
        r" and at the right order their sum is $(\varepsilon,\delta)$.",
    ),
    Headline(
        "dynamic-budget-is-private",
        "privacy",
        "Gradient descent with a schedule of noise spends half its budget (Hong, Wang and Zhou 2022, Theorem 3.5)",
        ("dynamic-privacy-budget/theorem-3.5",),
        (
            _ZEROED,
            _LIPSCHITZ,
            r"Step t has noise of standard deviation $\frac{G\sigma_t}N$, and $\sum_t\sigma_t^{-2}\le R$.",
        ),
        "A record that is zeroed moves a mean gradient by at most a length over N; a Gaussian answer then costs"
        " zCDP, which adds up along the steps and which nothing that is done with the answers increases.",
    ),
    Headline(
        "spider-is-private",
        "privacy",
        "What KL Spider spends (Menart and others 2024, Theorem 1)",
        ("kl-condition/PO-13",),
        (
            (
                "Two data sets of n records are neighbours if one record of one is another in the other"
                " (replace-one). The same is said of zero-out, step by step."
            ),
            "Losses are Lipschitz and smooth where a gradient is asked.",
            (
                "A round begins with a full gradient and goes on with differences of gradients; each has noise"
                " for its own sensitivity."
            ),
        ),
        "The gradients that begin the rounds get half of the budget, the differences the other half. With the"
        " printed noise a replaced record costs twice what is claimed, a zeroed one half of it.",
    ),
    Headline(
        "tree-noise-is-private",
        "privacy",
        "Generalised Gaussian noise on the nodes of a tree is zCDP (Han and others 2022, Lemma 2.1, Theorem 3.1)",
        ("private-online-frank-wolfe/PO-9",),
        (
            _REPLACED,
            (
                r"The noise has the density $\propto e^{-N/(2\sigma^2)}$ for a squared norm N that is smooth with"
                r" the constant $\kappa_+$."
            ),
            "Every record is in at most k nodes, and moves each of them by at most s.",
        ),
        "Smoothness bounds the logarithm of the ratio of the two densities by a linear function of the noise and"
        " a constant; the moments of that linear function are those of a Gaussian at most.",
    ),
    Headline(
        "vertex-sampling-is-private",
        "privacy",
        "Vertices drawn from mirror descent are private (González, Guzmán and Paquette 2024, Proposition 3.17)",
        ("private-saddle-points/P39",),
        (
            _REPLACED,
            (
                "A vertex is drawn with a probability proportional to the exponential of its score, and one"
                r" record moves a score by at most $(4C_M+1)\tau\alpha L_0$."
            ),
            r"At most 6U vertices are drawn, and $\varepsilon\le8\ln\frac1\delta$.",
        ),
        "The estimate of a gradient is a sum of a geometric number of terms; its sensitivity is found exactly. A"
        " draw is of bounded range and so costs a quarter of what pure DP would in zCDP, which is why the printed"
        " number holds although the printed proof does not give it.",
    ),
    Headline(
        "accelerated-descent-is-not-private",
        "erratum",
        "Accelerated mirror descent releases an exact gradient (Wang, Ye and Xu 2017, Theorem 5.3)",
        ("dp-erm-revisited/E1", "dp-erm-revisited/P48"),
        (
            _REPLACED,
            "Linear losses in one dimension, one step, and the last y, which is what Algorithm 3 returns.",
        ),
        "Line 6 computes y from the mean gradient, and no noise is added to it. On two records the two possible"
        r" values of y differ with certainty, which no $\varepsilon$ and no $\delta<1$ allows. Where the data enter"
        " through noisy gradients alone, the variance of the last step suffices.",
    ),
    Headline(
        "dynamic-budget-under-replace-one",
        "erratum",
        "Under replace-one a step costs four times what is charged (Hong, Wang and Zhou 2022, Theorem 3.5)",
        ("dynamic-privacy-budget/T1", "dynamic-privacy-budget/theorem-3.5"),
        (
            _REPLACED,
            _LIPSCHITZ,
            r"The noise of step t is $\frac{G\sigma_t}N$, as printed.",
        ),
        r"A replaced record moves the mean gradient by $\frac{2G}N$, twice the sensitivity for which the noise is"
        " made, and zCDP grows with its square. For a record that is zeroed the printed constant is right.",
    ),
    Headline(
        "spider-under-replace-one",
        "erratum",
        "Under replace-one KL Spider's gradients cost twice what is charged (Menart and others 2024, Lemma 8)",
        ("kl-condition/E1", "kl-condition/PO-13"),
        (
            _REPLACED,
            (
                "The losses are $L_0$-Lipschitz, and the noise is that of Algorithm 1, made for the sensitivity"
                r" $\frac{L_0}n$."
            ),
        ),
        r"One replaced record moves the mean gradient by $\frac{2L_0}n$, so that K gradients cost $2\rho$ and not"
        r" $\rho$.",
    ),
    Headline(
        "associated-norm-index",
        "erratum",
        "The printed index of the associated norm loses a one (Han and others 2022, Lemma 3.2)",
        ("private-online-frank-wolfe/E-1", "private-online-frank-wolfe/PO-13"),
        (
            _REPLACED,
            r"The noise is generalised Gaussian for the norm of index $q_+=\min\{q-1,\ln d-1\}$, as printed.",
        ),
        "Below the index 1 there is no norm, and the noise hardly reaches along the diagonals of the cube: a"
        " record that lies on one is seen. With the one put back, index and constant belong together.",
    ),
    Headline(
        "sampled-vertex-is-less-private",
        "erratum",
        "A sampled vertex is less private than Proof 3.18 says (González, Guzmán and Paquette 2024)",
        ("private-saddle-points/P64", "private-saddle-points/P39"),
        (
            _REPLACED,
            (
                "Four vertices; two scores move in opposite directions by the whole sensitivity"
                r" $(4C_M+1)\tau\alpha L_0$."
            ),
        ),
        "The proof counts the movement of a score once; in a draw the score and the normaliser both move. The"
        " proposition that the step is for holds all the same.",
    ),
    Headline(
        "generalised-gaussian-is-gaussian-dp",
        "accounting",
        "Generalised Gaussian noise is Gaussian DP, which is sharper than its zCDP",
        ("private-online-frank-wolfe/gaussian-dp",),
        (
            (
                r"The noise has the density $\propto e^{-N/(2\sigma^2)}$ for a squared norm N that is convex and"
                r" smooth with the constant $\kappa_+$."
            ),
            r"One record moves the answer by at most s, and $\sigma=zs$.",
        ),
        "On the line through the two answers the noise is log-concave, and its profile solves a differential"
        " inequality whose equality is the Gaussian's; two profiles that start alike cannot cross.",
    ),
    Headline(
        "dominating-pairs-compose",
        "accounting",
        "Accounting by dominating pairs is sound under composition",
        ("pld/composition",),
        (
            (
                "Each answer has a pair of laws that dominates what it shows of one record, whatever was answered"
                " before."
            ),
            _FINITE,
        ),
        "Mass is moved up for an upper bound and down for a lower one; products of bounds bound the product;"
        " losses that are infinite add up.",
    ),
    Headline(
        "rounding-losses-is-sound",
        "accounting",
        "Rounding losses to a grid only raises delta",
        ("pld/curves", "pld/above", "fast-path/dominating"),
        (
            "A privacy curve is known at the points of a grid, from above.",
            _FINITE,
        ),
        r"A chord of the function $(r-\alpha)_+$ lies nowhere below it, so that connecting the dots of a curve"
        " gives a curve of a pair that dominates.",
    ),
    Headline(
        "fourier-transform-error",
        "accounting",
        "The error of the Fourier transform in doubles is bounded",
        ("fast-path/transform", "fast-path/powers", "fast-path/inverse", "fast-path/aliasing"),
        (
            (
                r"Doubles are rounded to the nearest, with the unit u; lengths are powers of two; $\tau$ bounds"
                " the error of a root of unity."
            ),
            "Masses are not negative and add up to one at most.",
        ),
        "A level of butterflies multiplies an error by a factor; levels multiply; products of transforms add what"
        " each factor lacks; the inverse is a mean of such errors; and what lies outside of the window is charged.",
    ),
    Headline(
        "zcdp-to-dp",
        "accounting",
        "From zCDP to epsilon and delta",
        ("zcdp/to-dp", "zcdp/rho-of-epsilon"),
        (r"The Rényi divergence of every order $\alpha>1$ is at most $\rho\alpha$; outputs may be of any kind.",),
        r"At every order, Markov's inequality in its sharp form bounds $\delta$; the best order gives the"
        r" conversion; and solving it for $\rho$ says how much an $\varepsilon$ may spend.",
    ),
    Headline(
        "zcdp-composes",
        "accounting",
        "zCDP adds up under adaptive composition",
        ("zcdp/composition", "zcdp/post-processing"),
        (
            "The second question may depend on the first answer.",
            "Outputs may be of any kind; a law says which functions have which mean.",
        ),
        "A moment of both answers is a mean over first answers of moments of the second, which are bounded whatever"
        " the first answer was.",
    ),
    Headline(
        "gaussian-is-zcdp",
        "accounting",
        "Gaussian noise is zCDP, with equality at every order",
        ("gaussian/zcdp",),
        (r"Two Gaussian laws of variance one whose means are $\mu$ apart.",),
        "The product of the densities' powers is a Gaussian density times a constant, and the constant is"
        r" $e^{(\alpha-1)\rho\alpha}$.",
    ),
    Headline(
        "exponential-mechanism-is-zcdp",
        "accounting",
        "The exponential mechanism is zCDP with an eighth of its range squared",
        ("exponential-mechanism/zcdp",),
        (
            (
                r"An outcome is drawn with a probability proportional to $e^{s_i/\lambda}$, and one record moves a"
                r" score by at most $\Delta$."
            ),
            _FINITE,
        ),
        "The logarithms of the ratios of probabilities lie in an interval whose length does not depend on the"
        " normalisers; of all laws with such ratios the worst has two outcomes, and its divergence is bounded by"
        " Hoeffding's lemma.",
    ),
)
