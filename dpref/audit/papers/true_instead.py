r"""What is true in place of each printed statement that is not found to hold: one sentence an item, for its reader.

Keyed as `TITLES` is, and then by a claim's item; formulas stand between dollars.  Every sentence rests on claims of the
catalogue that hold, which `proofs.findings` shows beside it; a test fails where an item that does not hold has none, or
one that holds has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

TRUE_INSTEAD: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "dp-erm-revisited": {
            "theorem-6.1": "With the variance that the proof itself reaches,"
            r" $\sigma^2=\frac{4G^2T(2\ln(1/\delta)+\varepsilon)}{n^2\varepsilon^2}$, DP-GD is"
            r" $(\varepsilon,\delta)$-DP for every $\varepsilon>0$. The printed form holds with $c=16$ where"
            r" $\varepsilon\le2\ln(1/\delta)$.",
            "definition-3.4": r"The formula holds for $\varepsilon\le1$, as in the theorem behind it (Dwork and"
            r" Roth 2014, Theorem A.1). For every $\varepsilon$ the least noise follows from the exact privacy"
            " curve of the Gaussian mechanism.",
            "theorem-5.3": "If $y_{k+1}$ is coupled to the new mirror point, or line 6 takes the noisy gradient as"
            " well (proof B.3 assumes it), the data enter through the noisy gradients alone, and the noise of Eq."
            r" (9) with $c=16$ suffices for $\varepsilon\le2\ln(1/\delta)$.",
            "equation-3": r"Inside the range of Theorem 4.1, $\varepsilon\le c_1\frac{Tm}{n^2}$, the formula holds"
            r" with $c=3080$ and $c_1=7$ where $\varepsilon\le2\ln(1/\delta)$. Outside it $\sigma$ has to be at"
            " least a constant times G, and the accountant finds how much.",
            "appendix-a": r"The formula is for $\varepsilon\le c_1\frac{Tm}{n^2}$, and $c_1=7$ is proved. A batch"
            " of b records in place of one makes the range $b^2$ times as wide.",
            "theorem-4.1": r"With $c=3080$ and $c_1=7$ the theorem holds where $\varepsilon\le2\ln(1/\delta)$ as well,"
            " a condition that is missing in print.",
            "remark-4.1": r"The amplified noise suffices on the audited run, where the $\varepsilon'$ of Appendix"
            r" B.1, $\frac{n\varepsilon}{\sqrt{T\ln(1/\delta)}}$, is at most 1, as Lemma B.1 needs.",
            "equation-6": r"Inside the range of Theorem 4.3, $\varepsilon\le c_1\frac{2^Tm}{n^2}$, the formula"
            r" holds with $c=6160$ and $c_1=7$ where $\varepsilon\le2\ln(1/\delta)$. Outside it $\sigma$ has to be"
            " at least a constant times G, and the accountant finds how much.",
            "theorem-4.3": r"With $c=6160$ and $c_1=7$ the theorem holds where $\varepsilon\le2\ln(1/\delta)$ as well,"
            " a condition that is missing in print.",
        },
        "dynamic-privacy-budget": {
            "algorithm-1": "For neighbours of which one record is zeroed and N is fixed, as the paper's Definition"
            r" C.2 measures the sensitivity, the output is $\frac R2$-zCDP. Where a record is replaced, noise for"
            r" the sensitivity $\frac{2G}N$ in place of $\frac GN$ gives $\frac R2$-zCDP.",
            "algorithm-1-batch": "With n in place of N in line 4, as Section 4.3 and the proofs have it, the box"
            r" is $\frac R2$-zCDP for neighbours of which one record is zeroed.",
            "theorem-3.5": "For neighbours of which one record is zeroed and N is fixed, as the paper's Definition C.2"
            " measures the sensitivity, it holds. Where a record"
            r" is replaced, noise for the sensitivity $\frac{2G}N$ in place of $\frac GN$ makes it hold.",
            "section-4.3": "Sampling does not amplify zCDP: as the order grows, a step costs what it costs without"
            " sampling, so that no c that is free of p mends the account (the section leaves c open, and refers to"
            r" Yu et al. 2019, Theorem 3, for it). It amplifies $(\varepsilon,\delta)$: with noise for the batch's"
            " sensitivity the ten steps are $(0.421,10^{-5})$-DP on batches of fixed size under replace-one, and"
            " $(0.414,10^{-5})$-DP on Poisson batches where one record is zeroed.",
            "theorem-4.10": "Theorem 4.10 itself is about risk, and its momentum is post-processing: what fails is"
            r" the account of Section 4.3. Sampling does not amplify zCDP; it amplifies $(\varepsilon,\delta)$, as"
            " the accountant of the sampler gives it (the repaired form of Section 4.3).",
            "section-4.4": "The best of the k runs by noisy comparisons, paid for out of the same budget, is"
            r" $\frac R2$-zCDP.",
            "section-4.1.3": r"$R=2\rho=2\big(\sqrt{\varepsilon+L}-\sqrt L\big)^2$ with $L=\ln(1/\delta)$, the"
            r" value that the paper's own experiments print; it is at most $\frac{\varepsilon^2}{2L}$, so that the"
            " comparison turns round.",
            "lemma-c.4-inversion": r"The solution is $\rho=\big(\sqrt{\varepsilon+L}-\sqrt L\big)^2$ with"
            r" $L=\ln(1/\delta)$, the value that the paper's own experiments print.",
        },
        "kl-condition": {
            "theorem-1": r"For neighbours of which one record is zeroed, the printed noise is $\rho$-zCDP. Where a"
            r" record is replaced, noise for the sensitivity $\frac{2L_0}n$ in place of $\frac{L_0}n$ gives"
            r" $\rho$-zCDP.",
            "lemma-8": "For neighbours of which one record is zeroed, the transcript costs at most"
            r" $\frac9{16}\rho$. Where a record is replaced, at most $\frac94\rho$ is known of it.",
            "theorem-3": "With $N_t$ read as a number that is not negative, the theorem holds for neighbours of"
            r" which one record is zeroed, with at most $\frac\rho4+\frac{\sqrt\rho}{2n}$. Where a record is"
            r" replaced, the transcript costs at most $\rho+\frac{2\sqrt\rho}n$, and a zCDP filter that is asked"
            r" before every answer keeps it within $\rho$.",
            "theorem-5": r"With $N_t$ clamped at zero the theorem's $2\rho$ holds for $n\sqrt\rho\ge4$: the"
            " selection is of bounded range, which costs less than the pure DP of the proof.",
        },
        "private-online-frank-wolfe": {
            "algorithm-4": r"With the Gamma scale $2\sigma_+^2$, which Appendix A.2 proves, and the norm of Lemma"
            r" 3.2 mended, DP-TOFW with the noise of Eq. (3.2) is $(\varepsilon,\delta)$-DP.",
            "lemma-3.2": r"With the 1 that was lost put back, $q_+=\min\{q,\ln d\}$, it is the lemma of the work"
            r" that it is taken from, for $d\ge8$, and the noise is $(\varepsilon,\delta)$-DP.",
            "lemma-2.1": r"It is proved for $\varepsilon\le2$; for every $\varepsilon$ the noise is Gaussian DP,"
            " whose curve gives the least that suffices.",
            "section-5.3": "With the norm of Lemma 3.2 and the sampler of Algorithm 4 mended, the printed noise"
            r" of NoisySFW is $(1,\frac1T)$-DP.",
            "theorem-3.4": r"With the weights $\frac1t$, each choice $\varepsilon_t$-DP and no more, and"
            r" composition in zCDP, it is $(\varepsilon,\delta)$-DP for every n, $\varepsilon$ and $\delta$. As"
            r" printed it holds at $\varepsilon=1$, $\delta=\frac1{1000}$, $n=30$.",
            "theorem-4.1": "With the choices of the repaired Theorem 3.4 the billboard is"
            r" $(\varepsilon,\delta)$-DP. As printed it holds at $\varepsilon=1$, $\delta=\frac1{1000}$.",
        },
        "private-saddle-points": {
            "proof-3.18-sensitivity": r"The sensitivity is $(4C_M+1)\tau\alpha L_0$, which is below $9\tau\alpha"
            " L_0$ and is attained. Proposition 3.17, which the step is for, holds as printed.",
            "proof-3.18-draw": r"A draw is $2(4C_M+1)\tau\alpha L_0$-DP, the best constant. Proposition 3.17,"
            " which the step is for, holds as printed.",
        },
    }
)
