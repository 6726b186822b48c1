"""The audit's promises over many inputs: safe bounds, no more seen than is there, files that round-trip."""

from __future__ import annotations

import json
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp

from dpref.audit.builders import build
from dpref.audit.claim_files import claim_to_json, parse_claims
from dpref.audit.claims import OUTCOMES, Claim, Parameter
from dpref.audit.empirical import Empirical, draw, estimate
from dpref.audit.gaussian_mechanism import GaussianMechanismSubject
from dpref.audit.statistics import Rates, binomial_lower, binomial_upper, epsilon_lower, gdp_lower, zcdp_lower
from dpref.audit.verdict import judge
from dpref.errors import ClaimFileError
from dpref.privacy.closed_forms.gaussian import gaussian_epsilon
from dpref.units import ADJACENCIES, ZCDP, ApproximateDP, PrivacyLoss, ReplaceOne
from property_tests.effort import DEAR

ERRORS = st.fractions(Fraction(1, 10**6), Fraction(1, 2), max_denominator=10**6)
DELTAS = st.sampled_from([Fraction(1, 10**k) for k in range(1, 9)])


# ------------------------------------------------------------------------------------ binomial bounds


@DEAR
@given(n=st.integers(1, 400), share=st.floats(0, 1), error=ERRORS)
@example(n=400, share=1.0, error=Fraction(1, 10**6))
def test_clopper_pearson_is_safe_and_tight(n: int, share: float, error: Fraction) -> None:
    k = round(share * n)
    bound = binomial_lower(k, n, error)
    with mp.workdps(40):

        def tail(p: mp.mpf) -> mp.mpf:
            return mp.fsum(mp.binomial(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))

        level = mp.mpf(error.numerator) / error.denominator
        if k == 0:
            assert bound == 0
        else:
            assert tail(mp.mpf(bound)) <= level < tail(mp.mpf(bound) * (1 + mp.mpf(10) ** -11))


@DEAR
@given(n=st.integers(1, 10_000), k=st.integers(0, 10_000), error=ERRORS)
def test_bounds_enclose_the_share_and_shrink_with_the_error(n: int, k: int, error: Fraction) -> None:
    k = min(k, n)
    assert binomial_lower(k, n, error) <= k / n <= binomial_upper(k, n, error)
    assert binomial_lower(k, n, error / 2) <= binomial_lower(k, n, error)
    assert binomial_upper(k, n, error / 2) >= binomial_upper(k, n, error)


# ------------------------------------------------------------------------------------ what rates imply


@given(mu=st.floats(0.01, 6), threshold=st.floats(-3, 6), delta=DELTAS)
def test_true_rates_of_a_gaussian_pair_never_show_more_than_its_loss(
    mu: float, threshold: float, delta: Fraction
) -> None:
    cdf = NormalDist().cdf
    # Rates a little inside the truth, which makes up for the rounding of the float cdf.
    bounds = Rates(max(0.0, cdf(mu - threshold) - 1e-12), min(1.0, cdf(-threshold) + 1e-12))
    exact = Fraction(mu)
    assert epsilon_lower(bounds, delta) <= gaussian_epsilon(exact**2, delta).upper
    assert zcdp_lower(bounds) <= exact**2 / 2
    assert gdp_lower(bounds) <= exact


@given(p=st.floats(0, 1), q=st.floats(0, 1), better=st.floats(0, 1), delta=DELTAS)
def test_better_rates_never_show_less(p: float, q: float, better: float, delta: Fraction) -> None:
    worse, best = Rates(p, q), Rates(p + better * (1 - p) if p + better * (1 - p) <= 1 else 1.0, q * (1 - better))
    assert epsilon_lower(best, delta) >= epsilon_lower(worse, delta)
    if best.true_positive < 1 and best.false_positive > 0:
        # The grid of orders is finite and the doubles are rounded down once, each by at most an ulp.
        assert zcdp_lower(best) >= zcdp_lower(worse) * (1 - 1e-12)
        assert gdp_lower(best) >= gdp_lower(worse) * (1 - 1e-12)


# ------------------------------------------------------------------------------------ the whole audit


@pytest.mark.slow
@given(
    multiplier=st.fractions(Fraction(1, 4), Fraction(8), max_denominator=64),
    count=st.integers(1, 5),
    delta=DELTAS,
    seed=st.integers(0, 2**32),
)
@settings(derandomize=True)
def test_an_audit_never_shows_more_than_the_certified_upper_end(
    multiplier: Fraction, count: int, delta: Fraction, seed: int
) -> None:
    # Confidence 1 - 1e-6 an example and fixed examples: a correct program fails with probability at most 1e-4 once and
    # for all (up to 100 examples), and then always.
    subject = GaussianMechanismSubject(ReplaceOne, multiplier, count)
    seen = estimate(draw(subject, "property", 400, seed), delta, Fraction(999_999, 1_000_000), seed)
    mu_squared = subject.mu_squared
    assert Fraction(seen.mu) ** 2 <= mu_squared
    assert seen.rho <= mu_squared / 2
    assert seen.epsilon <= gaussian_epsilon(mu_squared, delta).upper
    assert seen.gaussian_epsilon <= gaussian_epsilon(mu_squared, delta).upper


@given(
    multiplier=st.fractions(Fraction(1, 8), Fraction(100), max_denominator=1000),
    rho=st.fractions(Fraction(1, 10**6), Fraction(100), max_denominator=10**6),
    delta=DELTAS,
)
def test_a_zcdp_claim_about_a_gaussian_is_decided_as_arithmetic_says(
    multiplier: Fraction, rho: Fraction, delta: Fraction
) -> None:
    import numpy as np

    claim = Claim(
        paper="p",
        item="i",
        form="f",
        adjacency=ReplaceOne,
        algorithm="gaussian-mechanism",
        parameters={"noise_multiplier": multiplier},
        claimed=PrivacyLoss(rho, ZCDP, ReplaceOne),
        delta=delta,
    )
    nothing = Empirical(0.0, 0.0, 0.0, 0.0, delta, Fraction(1, 2), 100, 0, {}, (np.zeros(0), np.zeros(0)))
    verdict = judge(claim, build(claim), nothing)
    assert verdict.outcome == ("holds" if rho >= 1 / (2 * multiplier**2) else "refuted")
    assert verdict.slack.lower == verdict.slack.upper == rho - 1 / (2 * multiplier**2)


# ------------------------------------------------------------------------------------ claims files

SLUGS = st.from_regex(r"[a-z0-9]{1,8}([.-][a-z0-9]{1,8}){0,2}", fullmatch=True)
NUMBERS = st.fractions(Fraction(1, 10**12), Fraction(10**6), max_denominator=10**12)
WORDS = st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True)
LINES = st.text(max_size=50).filter(str.isprintable)
PARAMETERS: st.SearchStrategy[Parameter] = st.one_of(NUMBERS, st.integers(0, 10**9), WORDS)


@st.composite
def claims(draw_: st.DrawFn) -> Claim:
    adjacency = ADJACENCIES[draw_(st.sampled_from(sorted(ADJACENCIES)))]
    delta = draw_(st.fractions(Fraction(1, 10**12), Fraction(1, 2), max_denominator=10**12))
    own = draw_(st.just(Fraction(0)) | st.just(delta))  # of an (epsilon, delta) claim
    value = draw_(NUMBERS)
    loss: PrivacyLoss[Any, Any] = (
        PrivacyLoss(value, ZCDP, adjacency)
        if draw_(st.booleans())
        else PrivacyLoss(value, ApproximateDP, adjacency, own)
    )
    return Claim(
        paper=draw_(SLUGS),
        item=draw_(SLUGS),
        form=draw_(SLUGS),
        adjacency=adjacency,
        algorithm=draw_(SLUGS),
        parameters=draw_(st.dictionaries(WORDS, PARAMETERS, max_size=4)),
        claimed=loss,
        release=draw_(st.sampled_from(["output", "transcript"])),
        delta=delta,
        expected=draw_(st.sampled_from([None, *OUTCOMES])),
        obligations=tuple(draw_(st.lists(WORDS, max_size=3))),
        statement=draw_(LINES),
        reading=draw_(LINES),
        charitable=draw_(st.none() | WORDS),
    )


@DEAR
@given(claim=claims())
def test_a_claim_survives_its_file(claim: Claim) -> None:
    assert parse_claims(json.dumps({"claims": [claim_to_json(claim)]})) == (claim,)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)


@DEAR
@given(claim=claims(), path=st.lists(st.integers(0, 20), min_size=1, max_size=3), value=JSON)
def test_any_damage_to_a_file_is_refused_or_still_a_claim(claim: Claim, path: list[int], value: object) -> None:
    """Nothing but the library's own errors comes out, whatever stands in the file."""
    document = {"claims": [claim_to_json(claim)]}
    place: object = document["claims"][0]
    for step in path:
        if not isinstance(place, dict) or not place:
            break
        key = sorted(place)[step % len(place)]
        if step == path[-1] or not isinstance(place[key], dict):
            place[key] = value
            break
        place = place[key]
    try:
        (read,) = parse_claims(json.dumps(document))
    except ClaimFileError:
        return
    assert isinstance(read, Claim)


@given(text=st.text(max_size=200))
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(ClaimFileError) as caught:
        parse_claims(text)
    assert "\n" not in str(caught.value)
