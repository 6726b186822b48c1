"""Findings about the privacy of KL Spider and of adaptive noisy gradient descent."""

from __future__ import annotations

from typing import Final

from proofs.findings.declared import Finding, Instance, Kindest, PrintedHypothesis, Quotation

_PAPER: Final = "kl-condition"


def _ids(item: str, *forms: str) -> tuple[str, ...]:
    return tuple(f"{_PAPER}/{item}@{form}" for form in forms)


PRIVACY: Final[tuple[Finding, ...]] = (
    Finding(
        id=f"{_PAPER}/theorem-1",
        concerns="privacy",
        kind="adjacency",
        title="The noise of Theorem 1 fits a record that is nulled, and Definition 2 replaces a record.",
        printed=(
            Quotation(
                "There exists B = O~(F_0^{1/kappa} / (gamma L_1) + F_0^{(kappa-1)/kappa} gamma) such that if f is"
                " L_0-Lipschitz and L_1-smooth over B_B(w_0), Algorithm 1 is rho-zCDP.",
                "Theorem 1",
            ),
            Quotation(
                "The sensitivity of the minibatch gradient estimates (made in the outer loop) is then L_0/n, and at"
                " most K such estimates are made.",
                "Appendix B.1, proof of Lemma 8",
            ),
        ),
        sentence=r"For all data sets S and S' of n records that differ in one record, and all orders $\alpha>1$, the"
        r" Rényi divergence of the outputs of Algorithm 1 is at most $\rho\alpha$, if the losses are $L_0$-Lipschitz"
        r" and $L_1$-smooth where the run can be.",
        fails=r"Definition 2 has data sets of n records that differ in one data point. The mean gradient then moves by"
        r" up to $\frac{2L_0}n$, as the proof of Theorem 9 says, and not by $\frac{L_0}n$. The noise of line 4 makes"
        r" the K gradients that begin the rounds cost up to $2\rho$. The last point alone shows it: after 100 rounds"
        r" its Rényi divergence of order 2 is $2.71\rho$, and $2\rho$ is claimed. In this instance the bound on the"
        r" utility is larger than $F_0$. Where it is smaller, the transcript still costs up to $2\rho$ and more, and it is"
        r" open how much the last point alone shows.",
        hypotheses=(
            PrintedHypothesis(r"$\gamma>0$ and $\kappa\in[1,2]$", "(gamma > 0) & (kappa >= 1) & (kappa <= 2)"),
            PrintedHypothesis(r"$\rho>0$ and $\beta>0$", "(rho > 0) & (beta > 0)"),
            PrintedHypothesis(
                r"$F_0\le(\gamma L_0)^\kappa$, where $F_0=\frac{\gamma^2L_0^2}{n^2\rho}e^{K/(1+64\gamma^2L_1)}$",
                "exp(K/(1 + 64*gamma**2*L_1)) <= n**2*rho",
            ),
            PrintedHypothesis(
                r"$F_0$ is at least the excess risk of the start, which is $\frac1{2cn(n-1)}$ for the curvature c",
                "gamma**2*L_0**2/(n**2*rho)*exp(K/(1 + 64*gamma**2*L_1)) >= 1/(2*curvature*n*(n - 1))",
            ),
            PrintedHypothesis(
                r"F is $(\gamma,2)$-KL, because its curvature is $c(1-\frac1n)$",
                "2*gamma**2*curvature*(1 - 1/n) >= 1",
            ),
            PrintedHypothesis(
                "Each loss is $L_0$-Lipschitz on $[-20,20]$ and $L_1$-smooth",
                "(20*curvature <= L_0) & (curvature <= L_1)",
            ),
            PrintedHypothesis("All points of the run lie in $[-0.03,0.03]$."),
        ),
        instance=Instance(
            parameters={
                "n": "1000",
                "d": "1",
                "rho": "1",
                "beta": "1/20",
                "gamma": "16/5",
                "kappa": "2",
                "L_0": "1",
                "L_1": "1",
                "K": "100",
                "curvature": "1/20",
            },
            data=r"One record has the loss $-w$, and 999 records have the loss $\frac{w^2}{40}$. The start is $w_0=0$,"
            r" and $F_0$ is the number for which line 3 gives $K=100$ exactly.",
            neighbour="The one record has the loss $w$ instead.",
            released=r"The output $\bar w$ of Algorithm 1. A round in which the first test of line 10 fails keeps its"
            " point, since line 17 is not defined there.",
            event=r"The output lies at least ten steps to the right of the start.",
        ),
        prints=(
            "P = 0.4150",
            "Q = 0.0309",
            "rho >= 1.354 by the Renyi divergence of order 2 of the last point; claimed 1",
        ),
        kindest=Kindest(
            r"Neighbours differ in a record that is nulled, for which $\frac{L_0}n$ is the sensitivity. Then Theorem 1"
            r" holds with the printed noise, and even the transcript costs at most $\frac9{16}\rho$.",
            "holds",
            f"{_PAPER}/theorem-1@as-printed,zero-out",
        ),
        instead=f"{_PAPER}/PO-13",
        claims=_ids("theorem-1", "as-printed,replace-one", "as-printed-transcript,replace-one", "as-printed,zero-out"),
        refutations=(f"{_PAPER}/E1",),
    ),
    Finding(
        id=f"{_PAPER}/theorem-3",
        concerns="privacy",
        kind="condition missing",
        title="Theorem 3 needs noisy norms that are not negative.",
        printed=(
            Quotation(
                "Assume f is Lipschitz. Then running Algorithm 3 and releasing w_0, ..., w_T is rho-zCDP.",
                "Theorem 3",
            ),
        ),
        sentence=r"For all Lipschitz losses and all neighbours S and S' the Rényi divergence of every order"
        r" $\alpha>1$ of the iterates $w_0,\dots,w_T$ of Algorithm 3 is at most $\rho\alpha$.",
        fails=r"Line 3 adds Gaussian noise to the norm of the gradient, and does not say that the sum $N_t$ is kept at"
        r" zero or above. If $N_t$ is negative, line 4 takes the least noise and line 6 records a cost as if the noise"
        r" had the scale of $|N_t|$. Near a stationary point that happens in half of the rounds, and the run goes on."
        r" Appendix D.1 says that a round with the least noise ends the run, so that the authors did not have a negative"
        r" $N_t$ in mind. With $N_t\ge0$ the theorem holds for a record that is nulled.",
        hypotheses=(
            PrintedHypothesis(r"$\rho>0$ and $\beta>0$", "(rho > 0) & (beta > 0)"),
            PrintedHypothesis(
                "Each loss is $L_0$-Lipschitz and $L_1$-smooth, and the mean of the losses has a minimiser."
            ),
        ),
        instance=Instance(
            parameters={"n": "1000000", "d": "1", "rho": "1", "beta": "1/20", "L_0": "1", "L_1": "1"},
            data=r"One record has the loss $w$. The other $n-1$ records have a loss that is 0 on $[-1,1]$ and turns"
            r" upwards outside, with slopes of at most 1. The start is $w_0=0$.",
            neighbour="The one record has the loss $-w$ instead.",
            released=r"The iterates $w_0,\dots,w_T$, from which the noisy gradients $\nabla_0,\dots,\nabla_{T-1}$ can be"
            " computed.",
            event=r"Among the noisy gradients of size at most $\frac{4L_0}{n\sqrt\rho}$ the positive ones outnumber the"
            " negative ones by at least five.",
        ),
        prints=(
            "P = 0.836",
            "Q = 0.0016",
            "rho >= 4.1, with four standard errors allowed for; claimed 1",
        ),
        only_for=r"line 3 read to the letter, where $N_t$ may be negative; the proof in Appendix D takes it not to be",
        kindest=Kindest(
            r"$N_t$ is clamped at zero, and neighbours differ in a record that is nulled. Then the run costs at most"
            r" $\frac\rho4+\frac{\sqrt\rho}{2n}$.",
            "holds",
            f"{_PAPER}/theorem-3@as-printed-clamped,zero-out",
        ),
        instead=f"{_PAPER}/E4-repaired",
        claims=(
            *_ids("theorem-3", "as-printed,replace-one", "as-printed,zero-out"),
            *_ids("theorem-3", "as-printed-iterates,replace-one", "as-printed-iterates,zero-out"),
        ),
        refutations=(f"{_PAPER}/E4",),
    ),
    Finding(
        id=f"{_PAPER}/E6",
        concerns="privacy",
        kind="adjacency",
        title="The proof of Theorem 3 counts a round with the sensitivity of a record that is nulled.",
        printed=(
            Quotation(
                "for the process of generating the gradient and gradient norm estimates at the t'th step, the scale of"
                " Gaussian noise ensures this process is rho_t-zCDP.",
                "Appendix D.2, proof of Theorem 3",
            ),
            Quotation(
                "the sensitivity of any gradient estimate is at most L_0/n. Thus the overall algorithm is rho-zCDP by"
                " composition.",
                "Appendix D.2, proof of Theorem 3",
            ),
        ),
        sentence=r"For all neighbours S and S' and every round t, the norm $N_t$ and the gradient $\nabla_t$ of"
        r" Algorithm 3 together cost $\rho_t$, and all norms and gradients that the proof composes cost $\rho$.",
        fails=r"A gradient and its norm move by $\frac{2L_0}n$ if a record is replaced, as in Definition 2, and not by"
        r" $\frac{L_0}n$. A round above the least noise then costs exactly $2\rho_t$: in the example the"
        r" gradient costs 0.230, and its share of $\rho_t$ is 0.115. For the whole run this is nearly"
        r" harmless, because the loop ends at $\frac\rho2$: with $N_t\ge0$ all norms and gradients cost at most"
        r" $\rho+\frac{2\sqrt\rho}n$, and on one instance $1.0011\rho$. The norms are not released, and we know of no"
        r" instance on which the iterates alone show more than $\rho$ if $N_t\ge0$.",
        hypotheses=(
            PrintedHypothesis(r"$\rho>0$ and $\beta>0$", "(rho > 0) & (beta > 0)"),
            PrintedHypothesis("The losses are $L_0$-Lipschitz."),
            PrintedHypothesis(
                r"$N_t$ is not negative and above the range of the least noise",
                "N_t**2*n**2*rho > 4*L_0**2*d*log(n*sqrt(rho)/beta)",
            ),
        ),
        instance=Instance(
            parameters={"n": "1000", "d": "1", "rho": "1", "beta": "1/100", "L_0": "1", "N_t": "1/100"},
            data=r"At the point $w_t$ one record has the slope 1, and the slopes of the other 999 sum to 10.",
            neighbour=r"The one record has the slope $-1$ instead.",
            released=r"The noisy gradient $\nabla_t$ of a round whose noisy norm was $N_t=0.01$.",
            event="The noisy gradient is above 0.01.",
        ),
        prints=(
            "P = 0.6328",
            "Q = 0.3672",
            "rho >= 0.230 by the Renyi divergence of the Gaussian answer; claimed 0.115",
        ),
        kindest=Kindest(
            "Neighbours differ in a record that is nulled. Then a round with $N_t\\ge0$ costs half of what is recorded,"
            " and the run is within the claim.",
            "holds",
            f"{_PAPER}/theorem-3@as-printed-vector,zero-out",
        ),
        instead=f"{_PAPER}/PO-46",
        claims=_ids(
            "theorem-3",
            "as-printed-vector,replace-one",
            "as-printed-absolute,replace-one",
            "as-printed-clamped,replace-one",
        ),
        refutations=(f"{_PAPER}/E6",),
    ),
    Finding(
        id=f"{_PAPER}/lemma-8",
        concerns="privacy",
        kind="remark",
        title="The proof of Lemma 8 does not show 2 rho for a record that is replaced.",
        printed=(
            Quotation(
                "Assume f is L_0-Lipschitz and L_1-smooth over B_B(w*) (where B is as given in Theorem 1). Then"
                " Algorithm 1 is 2 rho-zCDP.",
                "Lemma 8, Appendix B.1",
            ),
            Quotation(
                "the process of generating each grad_{k,0} is rho^-CDP with rho^ = 1/K.",
                "Appendix B.1, proof of Lemma 8",
            ),
        ),
        sentence=r"For all neighbours, and all losses that are $L_0$-Lipschitz and $L_1$-smooth where the run can be,"
        r" Algorithm 1 is $2\rho$-zCDP.",
        fails=r"We do not call the lemma false. In the second quotation $\frac1K$ stands for $\frac\rho K$, as the next"
        r" display of the proof has it. The proof takes the sensitivity $\frac{L_0}n$, for a record that is nulled. If a record is replaced, the gradients alone can cost $2\rho$, and the differences of gradients"
        r" cost more than nothing: together the transcript costs at most $\frac94\rho$ by composition. Theorem 1 states"
        r" $\rho$, which the same proof gives if the factor $\frac12$ of the Gaussian mechanism is put back.",
        kindest=Kindest(
            r"Neighbours differ in a record that is nulled. Then the transcript costs at most $\frac9{16}\rho$.",
            "holds",
            f"{_PAPER}/lemma-8@as-printed,zero-out",
        ),
        instead=f"{_PAPER}/PO-56",
        claims=_ids("lemma-8", "as-printed,replace-one", "as-printed,zero-out"),
    ),
    Finding(
        id=f"{_PAPER}/theorem-5",
        concerns="privacy",
        kind="remark",
        title="The privacy of Theorem 5 rests on that of Theorem 3.",
        printed=(
            Quotation(
                "Let t* be sampled from {0, ..., T} with probability proportional to exp(-(n sqrt(rho) / (2 L_0)) ||grad"
                " F(w_t; S)||). This algorithm is 2 rho-zCDP",
                "Theorem 5",
            ),
        ),
        sentence=r"For all Lipschitz and smooth losses and all neighbours, Algorithm 3 with the choice of $w_{t^*}$ is"
        r" $2\rho$-zCDP.",
        fails=r"We do not call the theorem false. If $N_t$ may be negative, the descent can cost more than $2\rho$, and"
        r" then the composition in Appendix D.6 does not show the theorem. We have not looked for an instance on which"
        r" the chosen point alone shows more.",
        kindest=Kindest(
            r"$N_t$ is clamped at zero. Then the theorem holds, also if a record is replaced, for $n\sqrt\rho\ge4$.",
            "holds",
            f"{_PAPER}/theorem-5@as-printed-clamped,replace-one",
        ),
        instead=f"{_PAPER}/PO-56",
        claims=_ids("theorem-5", "as-printed,replace-one", "as-printed,zero-out"),
    ),
    Finding(
        id=f"{_PAPER}/E8",
        concerns="privacy",
        kind="remark",
        title="The selection of Theorem 5 is 2 sqrt(rho)-DP if a record is replaced.",
        printed=(
            Quotation(
                "the exponential mechanism guarantees (sqrt(rho), 0)-DP and is thus (1/2) rho-zCDP by Lemma 14.",
                "Appendix D.6, proof of Theorem 5",
            ),
        ),
        sentence=r"For all neighbours, the choice of $t^*$ among given iterates is $\sqrt\rho$-DP.",
        fails=r"The norm of a mean gradient moves by up to $\frac{2L_0}n$ if a record is replaced, so that the weights"
        r" of the selection give $2\sqrt\rho$. By Lemma 14 the selection would cost $2\rho$, and the algorithm $3\rho$."
        r" The number $\frac\rho2$ is right all the same, because an exponential mechanism of range $2\sqrt\rho$ is"
        r" $\frac\rho2$-zCDP. The theorem's $2\rho$ is not touched.",
        kindest=Kindest(
            r"Neighbours differ in a record that is nulled, or the bounded range is used in place of Lemma 14.",
            "holds",
            f"{_PAPER}/theorem-5@as-printed-clamped,replace-one",
        ),
        instead=f"{_PAPER}/PO-39",
        refutations=(f"{_PAPER}/E8",),
        known="That an exponential mechanism of range epsilon is epsilon^2/8-zCDP is known (cesar2021bounding).",
    ),
    Finding(
        id=f"{_PAPER}/E10",
        concerns="privacy",
        kind="remark",
        title="The bound F_0 has to be public.",
        printed=(
            Quotation("Loss bound F_0 <= (L_0 gamma)^kappa", "Algorithm 1, inputs"),
            Quotation(
                "We assume throughout that one is given a bound F_0 >= 0 such that F(w_0; S) - F(w^*; S) <= F_0 for some"
                " w_0",
                "Section 2, Loss bound",
            ),
        ),
        sentence=r"Algorithm 1 is run with a number $F_0$ that is at least the excess risk of the start on the data set"
        r" S.",
        fails=r"The text does not say that $F_0$ must not depend on the data, and we do not claim that the authors think"
        r" otherwise. If each user took the excess risk of the start on their own data set, neighbours could have two"
        r" and one rounds. Their first answers would have variances in the ratio 2 to 1, and the Rényi divergence of"
        r" order 3 would be infinite.",
        kindest=Kindest(
            r"$F_0$ is public, such as $(\gamma L_0)^\kappa$, which Section 2 and the text after Theorem 1 name.",
            "holds",
            f"{_PAPER}/theorem-1@as-printed,zero-out",
        ),
        instead=f"{_PAPER}/PO-8",
        refutations=(f"{_PAPER}/E10",),
        known="Gaussian noise whose variance depends on the data satisfies no zCDP bound in general. Truncated CDP,"
        " which bounds small orders only, was made for such mechanisms (Bun, Dwork, Rothblum and Steinke 2018).",
    ),
    Finding(
        id=f"{_PAPER}/E3",
        concerns="privacy",
        kind="remark",
        title="Lemma 8 has its ball around a point that depends on the data.",
        printed=(
            Quotation(
                "Assume f is L_0-Lipschitz and L_1-smooth over B_B(w*) (where B is as given in Theorem 1). Then"
                " Algorithm 1 is 2 rho-zCDP.",
                "Lemma 8, Appendix B.1",
            ),
            Quotation(
                "||w_{k,t} - w_0|| <= sum_{k=1}^K (1 / (4 gamma L_1)) Phi^_k^{1/kappa} T_k",
                "Appendix B.3, proof of Lemma 1",
            ),
        ),
        sentence=r"All points at which Algorithm 1 asks for a gradient lie within $\frac{KF_0^{1/\kappa}}{4\gamma L_1}$"
        r" of $w_0$, and a ball around $w^*$ serves as well.",
        fails=r"Theorem 1 has the ball around the public start $w_0$, and its radius is stated up to constants and"
        r" logarithms, so that it is not touched. The minimiser $w^*$ of Lemma 8 differs between neighbours. The radius"
        r" in the proof of Lemma 1 leaves out one update: line 10 makes it, asks for a gradient there, and line 17"
        r" discards it.",
        kindest=Kindest(
            r"The ball is that of Theorem 1, around $w_0$, with a constant that leaves room for one more step.",
            "holds",
            f"{_PAPER}/PO-58",
        ),
        instead=f"{_PAPER}/PO-58",
        refutations=(f"{_PAPER}/E3",),
    ),
)
