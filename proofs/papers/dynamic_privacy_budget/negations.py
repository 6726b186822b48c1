"""Printed privacy statements of dynamic-privacy-budget that are false, each with the Coq theorem that negates it."""

from __future__ import annotations

from typing import Final

from proofs.negation import EXACT_TAILS, FAR, REPLACE, SIGNS, Negation

NEGATIONS: Final = (
    Negation(
        "dynamic-privacy-budget, Theorem 3.5: gradient descent privatised by Algorithm 1 with the budget R is "
        "R/2-zCDP, "
        "for neighbours of equal size",
        REPLACE,
        "DynamicBudget",
        "theorem_3_5_is_false",
        f"{SIGNS}; one step whose cost is between a quarter of the budget and all of it, so that Algorithm 1 makes it",
        FAR,
        EXACT_TAILS,
        claims=("dynamic-privacy-budget/algorithm-1@as-printed", "dynamic-privacy-budget/theorem-3.5"),
        obligations=("dynamic-privacy-budget/T1",),
        stronger=("replace_one_costs_four_times", "theorem_3_5_with_the_schedule_of_theorem_4_5_is_false"),
    ),
    Negation(
        "dynamic-privacy-budget, Algorithm 1: with n raw gradients of N records and noise divided by N it is R/2-zCDP",
        "zero-out",
        "DynamicBudget",
        "batch_claim_is_false",
        "one record and n - 1 null records against n null records, N at least 2 n; one step within the budget",
        FAR,
        EXACT_TAILS,
        claims=("dynamic-privacy-budget/algorithm-1-batch",),
        obligations=("dynamic-privacy-budget/T3",),
        stronger=("batch_noise_is_too_small",),
    ),
    Negation(
        "dynamic-privacy-budget, Section 4.3: for some constant c, a step on a Poisson batch of rate p costs c "
        "p^2 / sigma^2",
        "zero-out",
        "DynamicSampling",
        "section_4_3_is_false_for_poisson_batches",
        "one record and N - 1 null records against N null records; one step, which momentum makes in the same way",
        FAR,
        "at least p normal_cdf(-(a - 1) gap) against normal_cdf(-a gap), at a large order a",
        claims=("dynamic-privacy-budget/section-4.3@as-printed-poisson", "dynamic-privacy-budget/theorem-4.10"),
        obligations=("dynamic-privacy-budget/T18",),
        stronger=("poisson_sampling_does_not_amplify", "section_4_3_budget_is_false"),
    ),
    Negation(
        "dynamic-privacy-budget, Section 4.3: the same of a batch of n of N records, drawn without replacement",
        REPLACE,
        "DynamicSampling",
        "section_4_3_is_false_for_batches_without_replacement",
        "N - 1 plus signs and a minus against N plus signs; one step",
        FAR,
        "at least q normal_cdf(-(a - 1) gap) against normal_cdf(-a gap), q the chance that the record is drawn",
        claims=("dynamic-privacy-budget/section-4.3@as-printed",),
        obligations=("dynamic-privacy-budget/T18",),
        stronger=("batches_do_not_amplify",),
    ),
    Negation(
        "dynamic-privacy-budget, Appendix C.1: Lemma C.4 gives (epsilon, delta) from "
        "rho = epsilon + 2 L + 2 sqrt(L (epsilon + L)), L = ln(1 / delta)",
        REPLACE,
        "DynamicBudget",
        "lemma_c_4_inversion_is_false",
        "a bit with normal noise, which is rho-zCDP exactly; every epsilon, every delta up to 1/4",
        "above the mean",
        "1/2 against less than exp(-rho) / 2",
        claims=("dynamic-privacy-budget/lemma-c.4-inversion",),
        obligations=("dynamic-privacy-budget/printed-rho",),
        stronger=("printed_rho_is_not_private", "printed_rho_at_its_claim"),
        numbers={
            "printed_rho_at_its_claim": ("dynamic-privacy-budget/lemma-c.4-inversion@as-printed", ("epsilon", "delta"))
        },
    ),
    Negation(
        "dynamic-privacy-budget, Section 4.1.3: the budget R = 2 epsilon + 4 L + 4 sqrt(L (epsilon + L)) gives "
        "(epsilon, delta)",
        REPLACE,
        "DynamicBudget",
        "section_4_1_3_is_false",
        "as for the root of Appendix C.1, half of the budget being the rho",
        "above the mean",
        "1/2 against less than exp(-R / 2) / 2",
        claims=("dynamic-privacy-budget/section-4.1.3",),
        obligations=("dynamic-privacy-budget/printed-budget",),
        stronger=("printed_rho_at_its_claim",),
        numbers={"printed_rho_at_its_claim": ("dynamic-privacy-budget/section-4.1.3@as-printed", ("epsilon", "delta"))},
    ),
    Negation(
        "dynamic-privacy-budget, Section 4.4: the best of k runs with the budget R / k each is R/2-zCDP (the print "
        "does not say who finds the good run; here it is the best by the empirical risk)",
        REPLACE,
        "DynamicBoosting",
        "section_4_4_is_false",
        "one record of slope G or -G, the others null; two runs of one step each, which half of the budget allows",
        "the returned point lies far out on the side that the one data set prefers",
        "at least q, one of two points lying there, against at most q^2, as both must; no rho at all is kept",
        claims=("dynamic-privacy-budget/section-4.4",),
        obligations=("dynamic-privacy-budget/exact-choice",),
        stronger=("exact_choice_fails",),
    ),
)
