"""What may go wrong with every number that `dpref.privacy` takes from outside.

A question names a public function, arguments that it answers, and for each argument a strategy of values that it must
refuse.  ``public_surface.py`` lists what there is and who is excused; ``test_fail_closed.py`` holds the two together.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from flint import arb
from hypothesis import strategies as st

from dpref.privacy import accountants, filters, interval, narrowing, smoothing, supremum, time_limit, training
from dpref.privacy.closed_forms import approximate_zcdp, basic, composition, concentrated, gaussian, tradeoff, zcdp
from dpref.privacy.events import custom, discrete, expression, given, guarantees, ledger, mixture, tree
from dpref.privacy.events.gridded import GriddedGaussian
from dpref.privacy.events.ledger import Gaussian, Ledger, Poisson, Repeat
from dpref.privacy.events.selection import Select
from dpref.privacy.fast import accountant as fast_accountant
from dpref.privacy.fast import curves as fast_curves
from dpref.privacy.fast import point as fast_point
from dpref.privacy.fast import variance_reduction as fast_svrg
from dpref.privacy.pld import accountant as loss_distribution
from dpref.privacy.pld import pairs, single_answer
from dpref.privacy.renyi import accountant as renyi_accountant
from dpref.privacy.renyi import curves as renyi_curves
from dpref.privacy.renyi import selection, subsampled_gaussian, without_replacement
from dpref.privacy.renyi import variance_reduction as svrg
from dpref.reals import ball
from dpref.units import ZCDP, AddOrRemoveOne, PrivacyLoss, PureDP, ReplaceOne
from property_tests.question import Question, q
from property_tests.refused_values import (
    JUNK,
    NO_BALL,
    NO_CHANCE,
    NO_COUNT,
    NO_DELTA,
    NO_DISTRIBUTION,
    NO_EVENT,
    NO_FAILURE,
    NO_LEDGER,
    NO_LIMIT,
    NO_LOSS,
    NO_NUMBER,
    NO_ORDER,
    NO_POSITIVE,
    NO_POSITIVE_NUMBER,
    NO_PURE_LOSS,
    NO_REAL,
    NO_SHARE,
    NO_WEIGHTS,
    NO_WORD,
    RHO,
    TENTH,
    UNKNOWN,
    given_only,
    in_a_list,
    made_ball,
)

SAMPLED = Ledger(Repeat(Poisson(Gaussian(Fraction(2)), TENTH), 3), AddOrRemoveOne)
LONG = Ledger(Repeat(Poisson(Gaussian(Fraction(1)), TENTH**2), 1000), AddOrRemoveOne)
GRIDDED = Ledger(GriddedGaussian(Fraction(100), 1), ReplaceOne)
PLAIN = Ledger(Gaussian(Fraction(2)), ReplaceOne)
SCALED = Ledger(ledger.Laplace(Fraction(2)), ReplaceOne)
GUARANTEED = Ledger(guarantees.Approximate(Fraction(1), TENTH), ReplaceOne)
REDUCED = Ledger(ledger.VarianceReducedGaussian(Fraction(4), 1, 100), ReplaceOne)
TRAINING = {"records": 100, "batch": 10, "steps": 1, "sampling": "poisson", "adjacency": "zero-out"}
NO_TRAINING = dict.fromkeys(("records", "batch"), NO_POSITIVE_NUMBER) | {"sampling": NO_WORD}
PURE = PrivacyLoss(TENTH, PureDP, ReplaceOne)
CURVE = renyi_curves.RenyiCurve(lambda order: ball(order) / 200, tight=True)


def choice(*parts: Any) -> svrg.Choice:
    """A choice of anything."""
    return svrg.Choice(*parts)


def _zcdp_filter() -> filters.ZCDPFilter[ReplaceOne]:
    return filters.ZCDPFilter(PrivacyLoss(Fraction(1), ZCDP, ReplaceOne))


def _dp_filter() -> filters.ApproximateDPFilter[ReplaceOne]:
    return filters.ApproximateDPFilter(Fraction(1), TENTH, Fraction(0), ReplaceOne)


def _renyi_filter() -> filters.RenyiFilter:
    return filters.RenyiFilter({2: 1})


_NO_TABLE = st.one_of(st.just({}), NO_REAL.map(lambda x: {2: x}), st.sampled_from([{1: 1}, {2.0: 1}, {3: 1, 2: -1}]))
_FOUND = interval.Interval(0.0, 1.0, "delta", "example", 128, None)
_NO_END = st.sampled_from([float("nan"), -1.0, 2, "1", None, True, Fraction(1, 2)])
NOISE = {"epsilon": 1, "delta": TENTH, "steps": 1, "batch": 1, "records": 9, "adjacency": ReplaceOne}
NO_NOISE = {
    "epsilon": NO_POSITIVE, "delta": NO_DELTA, "steps": NO_COUNT, "batch": NO_COUNT, "records": NO_COUNT,
    "adjacency": st.just(AddOrRemoveOne),
}  # fmt: skip
_TEMPLATE = expression.parse_template("gaussian(?)")

LEDGERS: tuple[Question, ...] = (
    q("events.ledger.Gaussian", ledger.Gaussian, {"noise_multiplier": 1}, noise_multiplier=NO_POSITIVE),
    q(
        "events.ledger.VarianceReducedGaussian", ledger.VarianceReducedGaussian,
        {"noise_multiplier": 1, "batch": 1, "records": 9},
        noise_multiplier=NO_POSITIVE, batch=st.one_of(NO_COUNT, st.just(9)), records=st.one_of(NO_COUNT, st.just(1)),
    ),
    q(
        "events.ledger.GeneralizedGaussian", ledger.GeneralizedGaussian, {"noise_multiplier": 1, "regularity": 2},
        noise_multiplier=NO_POSITIVE, regularity=st.one_of(NO_POSITIVE, st.just(Fraction(1, 2))),
    ),
    q("events.ledger.FilteredGaussians", ledger.FilteredGaussians, {"rho": 1}, rho=NO_POSITIVE),
    q(
        "events.custom.FinitePair", custom.FinitePair, {"first": (TENTH, 1 - TENTH), "second": (1 - TENTH, TENTH)},
        first=NO_DISTRIBUTION, second=NO_DISTRIBUTION,
    ),
    q(
        "events.custom.GibbsPair", custom.GibbsPair, {"first": (TENTH, 0), "second": (0, -TENTH)},
        first=NO_WEIGHTS, second=NO_WEIGHTS,
    ),
    q("events.guarantees.Approximate", guarantees.Approximate, {"epsilon": 1, "delta": TENTH},
      epsilon=NO_REAL, delta=NO_FAILURE, worst_case=st.sampled_from([0, 1, None, "true"])),
    q("events.guarantees.Concentrated", guarantees.Concentrated, {"rho": 1}, rho=NO_POSITIVE, xi=NO_REAL),
    q("events.guarantees.Profile", guarantees.Profile, {"epsilons": (1,), "deltas": (TENTH,)},
      epsilons=NO_REAL.map(lambda x: (x,)), deltas=NO_FAILURE.map(lambda x: (x,)),
      added=NO_FAILURE.map(lambda x: (x,)), worst_case=st.sampled_from([0, 1, None, "true"])),
    q("events.selection.Select", Select, {"event": Gaussian(Fraction(1)), "eta": 1, "mean": 2},
      eta=st.sampled_from([-1, Fraction(-3, 2), 0.5, True, "1"]), mean=st.one_of(NO_POSITIVE, st.just(1)),
      gamma=given_only(NO_DELTA)),
    q("events.ledger.Laplace", ledger.Laplace, {"scale": 1}, scale=NO_POSITIVE),
    q(
        "events.discrete.DiscreteGaussian", discrete.DiscreteGaussian, {"sigma": 1, "sensitivity": 1},
        sigma=NO_POSITIVE, sensitivity=NO_COUNT,
    ),
    q(
        "events.gridded.GriddedGaussian", GriddedGaussian,
        {"sigma": 1, "squared_sensitivity": 1, "dimension": 1},
        sigma=NO_POSITIVE, squared_sensitivity=NO_COUNT, dimension=NO_COUNT,
    ),
    q(
        "events.discrete.DiscreteLaplace", discrete.DiscreteLaplace, {"scale": 1, "sensitivity": 1},
        scale=NO_POSITIVE, sensitivity=NO_COUNT,
    ),
    q(
        "events.ledger.RandomizedResponse", ledger.RandomizedResponse, {"epsilon": 1, "categories": 2},
        epsilon=NO_POSITIVE, categories=st.one_of(NO_COUNT, st.just(1)),
    ),
    q("events.ledger.Exponential", ledger.Exponential, {"epsilon": 1}, epsilon=NO_POSITIVE),
    q("events.mixture.ExponentialMixture", mixture.ExponentialMixture, {"epsilon": 1}, epsilon=NO_POSITIVE),
    q("events.ledger.NoisyMax", ledger.NoisyMax, {"epsilon": 1, "noise": "gumbel"}, epsilon=NO_POSITIVE, noise=NO_WORD),
    q("events.ledger.Poisson", ledger.Poisson, {"event": Gaussian(Fraction(1)), "rate": TENTH}, rate=NO_CHANCE),
    q(
        "events.ledger.SampleWithoutReplacement", ledger.SampleWithoutReplacement,
        {"event": Gaussian(Fraction(1)), "batch": 2, "records": 9},
        batch=st.one_of(NO_COUNT, st.just(10)), records=st.one_of(NO_COUNT, st.just(1)),
    ),
    q("events.ledger.Repeat", ledger.Repeat, {"event": Gaussian(Fraction(1)), "count": 2}, count=NO_COUNT),
    q("events.expression.parse_number", expression.parse_number, {"text": "1/2"}, text=st.sampled_from(
        ["", "nan", "inf", "1/-2", "1/0", "0.5.5", "1e", "1e999999999", "--1", "x", "1 2", "0x1"])),
    q("events.expression.parse_event", expression.parse_event, {"text": "gaussian(2)"}, text=st.one_of(
        st.text(max_size=8), st.sampled_from(["gaussian(nan)", "laplace(inf)", "gaussian(0)", "gaussian(-1)",
        "poisson(gaussian(1), rate=2)", "compose(gaussian(1), 0)", "compose(gaussian(1), 1/2)", "gaussian(true)"]))),
    q("events.expression.parse_template", expression.parse_template, {"text": "gaussian(?)"}, text=st.one_of(
        st.text(max_size=8), st.sampled_from(["gaussian(2)", "gaussian(??)", "?", "compose(gaussian(?), ?)"]))),
    q("events.expression.Template.fill", _TEMPLATE.fill, {"value": 2}, value=NO_POSITIVE),
    q("pld.pairs.pairs", pairs.pairs, {"event": Gaussian(Fraction(1)), "adjacency": ReplaceOne},
      event=st.one_of(NO_EVENT, st.just(UNKNOWN.event))),
    q("pld.pairs.supports", pairs.supports, {"event": Gaussian(Fraction(1)), "adjacency": ReplaceOne},
      event=st.one_of(NO_EVENT, st.just(UNKNOWN.event))),
)  # fmt: skip

ACCOUNTANTS: tuple[Question, ...] = (
    q("accountants.accountant_named", accountants.accountant_named, {"name": "gaussian"}, name=NO_WORD),
    q(
        "accountants.certify", accountants.certify, {"ledger": PLAIN, "accountant": "gaussian"},
        delta=given_only(NO_DELTA), epsilon=given_only(NO_REAL), ledger=NO_EVENT, accountant=NO_WORD, limit=NO_LIMIT,
    ),
    q(
        "training.dpsgd", training.dpsgd, {**TRAINING, "noise_multiplier": 2, "delta": TENTH}, **NO_TRAINING,
        noise_multiplier=NO_POSITIVE_NUMBER, delta=NO_NUMBER, limit=NO_LIMIT, accountant=NO_WORD,
        truncated_batch=st.sampled_from([5, 0, 1.5, "x", float("nan")]),
    ),
    q(
        "training.noise_for", training.noise_for, {**TRAINING, "epsilon": 1, "delta": TENTH}, **NO_TRAINING,
        epsilon=NO_POSITIVE_NUMBER, delta=NO_NUMBER, limit=NO_LIMIT, digits=given_only(NO_COUNT), accountant=NO_WORD,
        truncated_batch=st.sampled_from([5, 0, 1.5, "x", float("nan")]),
    ),
    q(
        "training.training_ledger", training.training_ledger, {**TRAINING, "noise_multiplier": 2}, **NO_TRAINING,
        noise_multiplier=NO_POSITIVE_NUMBER, truncated_batch=st.sampled_from([5, 0, 1.5, "x", float("nan")]),
    ),
    q("events.given.exactly", partial(given.exactly, "x"), {"value": TENTH}, value=NO_NUMBER),
    q("events.given.positively", partial(given.positively, "x"), {"value": TENTH}, value=NO_POSITIVE_NUMBER),
    q(
        "narrowing.certify_within", narrowing.certify_within,
        {"ledger": PLAIN, "delta": TENTH, "width": TENTH, "accountant": "gaussian"},
        delta=NO_DELTA, width=NO_POSITIVE, accountant=NO_WORD,
    ),
    q(
        "narrowing.narrowing", lambda **given: tuple(narrowing.narrowing(**given)),
        {"ledger": PLAIN, "delta": TENTH, "accountant": "gaussian", "wanted": TENTH},
        delta=NO_DELTA, accountant=NO_WORD, wanted=NO_POSITIVE,
    ),
    q("closed_forms.basic.delta", basic.delta, {"ledger": GUARANTEED, "epsilon": 1}, epsilon=NO_REAL,
      ledger=st.just(PLAIN)),
    q("closed_forms.basic.epsilon", basic.epsilon, {"ledger": GUARANTEED, "delta": TENTH}, delta=NO_DELTA,
      ledger=st.just(PLAIN)),
    q("supremum.epsilon", supremum.epsilon, {"ledger": SCALED}, ledger=NO_LEDGER),
    q("pld.single_answer.delta", single_answer.delta, {"ledger": PLAIN, "epsilon": 1}, epsilon=NO_REAL,
      ledger=NO_LEDGER),
    q("pld.single_answer.epsilon", single_answer.epsilon, {"ledger": PLAIN, "delta": TENTH},
      delta=NO_DELTA, ledger=NO_LEDGER),
    q("pld.single_answer.supports", single_answer.supports,
      {"event": Gaussian(Fraction(1)), "adjacency": ReplaceOne}, event=st.one_of(NO_EVENT, st.just(UNKNOWN.event))),
    q("smoothing.delta", smoothing.delta, {"ledger": GRIDDED, "epsilon": 1}, epsilon=NO_REAL, ledger=NO_LEDGER),
    q("smoothing.epsilon", smoothing.epsilon, {"ledger": GRIDDED, "delta": TENTH}, delta=NO_DELTA, ledger=NO_LEDGER),
    q("smoothing.supports", smoothing.supports, {"event": GRIDDED.event, "adjacency": ReplaceOne},
      event=st.one_of(NO_EVENT, st.just(UNKNOWN.event))),
    q(
        "accountants.survey", accountants.survey, {"ledger": PLAIN},
        delta=given_only(NO_FAILURE), epsilon=given_only(NO_REAL), ledger=NO_EVENT,
    ),
    q("fast.accountant.delta", fast_accountant.delta, {"ledger": SAMPLED, "epsilon": 1, "width": TENTH},
      epsilon=NO_REAL, width=NO_POSITIVE, ledger=NO_LEDGER),
    q("fast.accountant.epsilon", fast_accountant.epsilon, {"ledger": SAMPLED, "delta": TENTH, "width": TENTH},
      delta=NO_DELTA, width=NO_POSITIVE, ledger=NO_LEDGER),
    q("fast.accountant.epsilons", fast_accountant.epsilons, {"ledger": SAMPLED, "deltas": [TENTH], "width": TENTH},
      deltas=in_a_list(NO_DELTA), width=NO_POSITIVE, ledger=NO_LEDGER),
    q("fast.accountant.ledger_pairs", fast_accountant.ledger_pairs, {"ledger": SAMPLED}, ledger=NO_LEDGER),
    q("fast.accountant.supports", fast_accountant.supports,
      {"event": Gaussian(Fraction(1)), "adjacency": ReplaceOne}, event=st.one_of(NO_EVENT, st.just(UNKNOWN.event))),
    q("fast.curves.delta", fast_curves.delta, {"ledger": REDUCED, "epsilon": 1}, epsilon=NO_REAL, width=NO_POSITIVE,
      ledger=NO_LEDGER),
    q("fast.curves.epsilon", fast_curves.epsilon, {"ledger": REDUCED, "delta": TENTH}, delta=NO_DELTA,
      width=NO_POSITIVE, ledger=NO_LEDGER),
    q("fast.curves.epsilon_above", fast_curves.epsilon_above, {"ledger": REDUCED, "delta": TENTH}, delta=NO_DELTA,
      width=NO_POSITIVE, ledger=NO_LEDGER),
    q("fast.point.delta", fast_point.delta, {"ledger": LONG, "epsilon": 1}, epsilon=NO_REAL, ledger=NO_LEDGER),
    q("fast.point.epsilon", fast_point.epsilon, {"ledger": LONG, "delta": TENTH}, delta=NO_DELTA, ledger=NO_LEDGER),
    q("closed_forms.gaussian.delta", gaussian.delta, {"ledger": PLAIN, "epsilon": 1}, epsilon=NO_REAL,
      ledger=NO_LEDGER),
    q("closed_forms.gaussian.epsilon", gaussian.epsilon, {"ledger": PLAIN, "delta": TENTH}, delta=NO_DELTA,
      ledger=NO_LEDGER),
    q("closed_forms.gaussian.gaussian_delta_at", gaussian.gaussian_delta_at, {"mu_squared": 1, "epsilon": 1},
      mu_squared=st.one_of(NO_REAL, NO_BALL), epsilon=NO_REAL),
    q("closed_forms.gaussian.gaussian_epsilon", gaussian.gaussian_epsilon, {"mu_squared": 1, "delta": TENTH},
      mu_squared=st.one_of(NO_REAL, NO_BALL), delta=NO_DELTA),
    q("closed_forms.gaussian.gdp", gaussian.gdp, {"ledger": PLAIN}, ledger=NO_LEDGER),
    q("closed_forms.gaussian.supports", gaussian.supports, {"event": PLAIN.event}, event=NO_EVENT),
    q("closed_forms.gaussian.zcdp", gaussian.zcdp, {"ledger": PLAIN}, ledger=NO_LEDGER),
    q("pld.accountant.pld_delta", loss_distribution.pld_delta, {"ledger": PLAIN, "epsilon": 1},
      epsilon=NO_REAL, relative_width=NO_POSITIVE, most_cells=NO_COUNT, ledger=NO_LEDGER),
    q("pld.accountant.pld_epsilon", loss_distribution.pld_epsilon, {"ledger": PLAIN, "delta": TENTH},
      delta=NO_DELTA, relative_width=NO_POSITIVE, most_cells=NO_COUNT, ledger=NO_LEDGER),
    q("renyi.accountant.delta", renyi_accountant.delta, {"ledger": PLAIN, "epsilon": 1},
      epsilon=NO_REAL, orders=given_only(in_a_list(NO_ORDER)), method=NO_WORD, ledger=NO_LEDGER),
    q("renyi.accountant.divergence", renyi_accountant.divergence, {"ledger": PLAIN, "order": 2},
      order=NO_ORDER, ledger=NO_LEDGER),
    q("renyi.accountant.epsilon", renyi_accountant.epsilon, {"ledger": PLAIN, "delta": TENTH},
      delta=NO_DELTA, orders=given_only(in_a_list(NO_ORDER)), method=NO_WORD, ledger=NO_LEDGER),
    q("renyi.accountant.event_curve", renyi_accountant.event_curve,
      {"event": Gaussian(Fraction(1)), "adjacency": ReplaceOne}, event=st.one_of(NO_EVENT, st.just(UNKNOWN.event))),
    q("renyi.accountant.ledger_curve", renyi_accountant.ledger_curve, {"ledger": PLAIN}, ledger=NO_LEDGER),
    q("renyi.accountant.supports", renyi_accountant.supports,
      {"event": Gaussian(Fraction(1)), "adjacency": ReplaceOne}, event=st.one_of(NO_EVENT, st.just(UNKNOWN.event))),
    q("time_limit.time_limit", lambda seconds: time_limit.time_limit(seconds).__enter__(), {"seconds": 60},
      seconds=NO_LIMIT),
    q("renyi.variance_reduction.delta", svrg.delta, {"ledger": REDUCED, "epsilon": 1}, epsilon=NO_REAL,
      ledger=NO_LEDGER),
    q("renyi.variance_reduction.epsilon", svrg.epsilon, {"ledger": REDUCED, "delta": TENTH}, delta=NO_DELTA,
      ledger=NO_LEDGER),
    q(
        "renyi.variance_reduction.event_renyi", svrg.event_renyi,
        {"event": REDUCED.event, "adjacency": ReplaceOne, "choice": svrg.Choice(2, 0.9, "weak-triangle")},
        event=NO_EVENT,
        choice=st.one_of(
            NO_COUNT.map(choice),
            st.sampled_from([0.0, 1.0, 1.5, -0.5, float("nan"), "1"]).map(lambda x: choice(2, x, "weak-triangle")),
            st.sampled_from(["smallshift", "none", "", True]).map(lambda x: choice(64, 0.5, x)),
        ),
    ),
    q("renyi.variance_reduction.linear_mu_squared", svrg.linear_mu_squared, {"ledger": REDUCED}, ledger=NO_LEDGER),
    q("renyi.variance_reduction.noise_multiplier", svrg.noise_multiplier, NOISE, **NO_NOISE),
    q("fast.variance_reduction.noise_multiplier", fast_svrg.noise_multiplier, NOISE, **NO_NOISE),
    q("fast.variance_reduction.least_noise", fast_svrg.least_noise,
      {"spent": lambda z, width: 1 / z**2, "goal": 1, "first": 1.0}, goal=NO_POSITIVE,
      first=st.sampled_from([0.0, -1.0, float("nan"), float("inf"), "1", None])),
    q("renyi.variance_reduction.supports", svrg.supports, {"event": REDUCED.event, "adjacency": ReplaceOne},
      event=NO_EVENT),
)  # fmt: skip

THEOREMS: tuple[Question, ...] = (
    q("closed_forms.approximate_zcdp.ApproximateZCDP", approximate_zcdp.ApproximateZCDP,
      {"rho": TENTH, "delta": TENTH, "adjacency": ReplaceOne}, rho=NO_REAL, delta=NO_FAILURE),
    q("closed_forms.approximate_zcdp.ApproximateZCDP.to_dp", approximate_zcdp.approximate_zcdp(RHO).to_dp,
      {"slack": TENTH},
      slack=NO_DELTA, method=NO_WORD),
    q("closed_forms.approximate_zcdp.approximate_zcdp", approximate_zcdp.approximate_zcdp, {"loss": RHO},
      loss=NO_EVENT),
    q("closed_forms.composition.advanced", composition.advanced, {"loss": PURE, "steps": 3, "slack": TENTH},
      loss=NO_PURE_LOSS, steps=NO_COUNT, slack=NO_DELTA),
    q("closed_forms.composition.basic", composition.basic, {"losses": [PURE, PURE]},
      losses=st.sampled_from([[], [PURE, RHO], [PURE, PrivacyLoss(TENTH, PureDP, AddOrRemoveOne)], [None], [0.5]])),
    q("closed_forms.composition.heterogeneous", composition.heterogeneous, {"losses": [PURE], "slack": TENTH},
      losses=st.one_of(st.just([]), NO_PURE_LOSS.map(lambda x: [x])), slack=NO_DELTA),
    q("closed_forms.composition.optimal_delta", composition.optimal_delta, {"loss": PURE, "steps": 3, "epsilon": TENTH},
      loss=NO_PURE_LOSS, steps=st.one_of(NO_COUNT, st.just(10**9)), epsilon=NO_REAL),
    q("closed_forms.composition.optimal_epsilon", composition.optimal_epsilon,
      {"loss": PURE, "steps": 3, "delta": TENTH},
      loss=NO_PURE_LOSS, steps=st.one_of(NO_COUNT, st.just(10**9)), delta=NO_FAILURE),
    q("closed_forms.composition.parallel", composition.parallel, {"losses": [PURE, PURE], "partition": "by position"},
      losses=st.sampled_from([[], [PURE, RHO], [PURE, PrivacyLoss(TENTH, PureDP, AddOrRemoveOne)], [None]]),
      partition=st.one_of(NO_WORD, st.just("by record"))),
    q("closed_forms.composition.random_stopping", composition.random_stopping,
      {"step": Gaussian(TENTH), "most_steps": 3},
      most_steps=NO_COUNT),
    q("closed_forms.concentrated.concentrated", concentrated.concentrated, {"ledger": PLAIN}, ledger=NO_LEDGER),
    q("closed_forms.concentrated.event_rho", concentrated.event_rho, {"event": Gaussian(TENTH)}, event=NO_EVENT),
    q("filters.ApproximateDPFilter", filters.ApproximateDPFilter,
      {"epsilon": 1, "slack": TENTH, "failure": 0, "adjacency": ReplaceOne},
      epsilon=NO_POSITIVE, slack=NO_DELTA, failure=NO_FAILURE),
    q("filters.ApproximateDPFilter.admits", lambda loss: _dp_filter().admits(loss), {"loss": PURE}, loss=NO_LOSS),
    q("filters.ApproximateDPFilter.spend", lambda loss: _dp_filter().spend(loss), {"loss": PURE}, loss=NO_LOSS),
    q("filters.RenyiFilter", filters.RenyiFilter, {"budget": {2: 1}}, budget=_NO_TABLE),
    q("filters.RenyiFilter.admits", lambda divergences: _renyi_filter().admits(divergences), {"divergences": {2: 1}},
      divergences=st.one_of(_NO_TABLE, st.just({3: 1}))),
    q("filters.RenyiFilter.spend", lambda divergences: _renyi_filter().spend(divergences), {"divergences": {2: 1}},
      divergences=st.one_of(_NO_TABLE, st.just({3: 1}), st.just({2: 2}))),
    q("filters.ZCDPFilter", filters.ZCDPFilter, {"budget": RHO}, budget=st.one_of(NO_EVENT, st.just(PURE))),
    q("filters.ZCDPFilter.admits", lambda loss: _zcdp_filter().admits(loss), {"loss": RHO}, loss=NO_LOSS),
    q("filters.ZCDPFilter.spend", lambda loss: _zcdp_filter().spend(loss), {"loss": RHO},
      loss=st.one_of(NO_LOSS, st.just(PrivacyLoss(Fraction(2), ZCDP, ReplaceOne)))),
    q("filters.ZCDPFilter.spend_event", lambda event: _zcdp_filter().spend_event(event), {"event": PLAIN.event},
      event=st.one_of(NO_EVENT, st.just(Gaussian(TENTH)))),
    q("filters.ZCDPOdometer", filters.ZCDPOdometer, {"step": RHO},
      step=st.one_of(NO_EVENT, st.sampled_from([PURE, PrivacyLoss(Fraction(0), ZCDP, ReplaceOne)]))),
    q("filters.ZCDPOdometer.record", lambda loss: filters.ZCDPOdometer(RHO).record(loss), {"loss": RHO}, loss=NO_LOSS),
    q("filters.agrees", filters.agrees, {"spending": "filtered", "planned": PLAIN, "observed": PLAIN},
      spending=NO_WORD, observed=st.just(SAMPLED)),
    q("interval.Interval", interval.Interval,
      {"lower": 0.0, "upper": 1.0, "quantity": "delta", "method": "", "precision": 53, "adjacency": None, "slack": 0.0},
      lower=st.one_of(_NO_END.filter(lambda x: x != -1.0), st.just(1.5)), upper=_NO_END, slack=_NO_END,
      precision=NO_COUNT, quantity=NO_WORD.filter(lambda x: x not in interval.QUANTITIES)),
    q("interval.Interval.as_decimal", _FOUND.as_decimal, {"digits": 3}, digits=NO_COUNT),
    q("interval.Interval.intersection", _FOUND.intersection, {"other": _FOUND}, other=st.sampled_from([
        interval.Interval(2.0, 3.0, "delta", "example", 128, None),
        interval.Interval(0.0, 1.0, "epsilon", "example", 128, None),
        interval.Interval(0.0, 1.0, "delta", "example", 128, ReplaceOne)])),
    q("interval.enclose", lambda f: interval.enclose(f, "delta", "example", limit=256), {"f": lambda: arb(1)},
      f=NO_BALL.filter(lambda x: x != -1).map(lambda x: lambda: x)),
    q("interval.sign", lambda f: interval.sign(f, limit=256) != 0, {"f": lambda: arb(1)},
      f=st.sampled_from([("nan", 0), (0, 0), (0, 1), (1, 2)]).map(lambda x: lambda: made_ball(x))),
    q("renyi.curves.RenyiCurve.at", CURVE.at, {"order": 2}, order=NO_ORDER),
    q("renyi.curves.RenyiCurve.repeat", CURVE.repeat, {"count": 2}, count=NO_COUNT),
    q("renyi.curves.checked_method", renyi_curves.checked_method, {"method": "basic"}, method=NO_WORD),
    q("renyi.curves.compose", renyi_curves.compose, {"curves": [CURVE]}, curves=st.just([])),
    q("renyi.curves.renyi_to_delta", renyi_curves.renyi_to_delta, {"curve": CURVE, "epsilon": 1},
      epsilon=NO_REAL, orders=given_only(in_a_list(NO_ORDER)), method=NO_WORD),
    q("renyi.curves.renyi_to_epsilon", renyi_curves.renyi_to_epsilon, {"curve": CURVE, "delta": TENTH},
      delta=NO_DELTA, orders=given_only(in_a_list(NO_ORDER)), method=NO_WORD),
    q("renyi.curves.valid_order", renyi_curves.valid_order, {"order": 2}, order=NO_ORDER),
    q("renyi.selection.select", selection.select, {"curve": CURVE, "eta": 1, "gamma": TENTH},
      eta=st.one_of(JUNK, st.sampled_from([-1, -2])), gamma=NO_DELTA, auxiliary_orders=in_a_list(NO_ORDER)),
    q("renyi.selection.select_poisson", selection.select_poisson,
      {"curve": CURVE, "mean": 1, "epsilon": 1, "delta": TENTH},
      mean=NO_POSITIVE, epsilon=NO_POSITIVE, delta=NO_FAILURE),
    q("renyi.selection.select_pure", selection.select_pure, {"loss": PURE, "eta": 1},
      loss=st.one_of(NO_EVENT, st.just(RHO)), eta=st.one_of(JUNK, st.sampled_from([-1, -2]))),
    q("renyi.subsampled_gaussian.checked", subsampled_gaussian.checked,
      {"order": 2, "rate": TENTH, "noise_multiplier": 1},
      order=NO_ORDER, rate=NO_SHARE, noise_multiplier=NO_POSITIVE),
    q("renyi.subsampled_gaussian.poisson_gaussian_renyi", subsampled_gaussian.poisson_gaussian_renyi,
      {"order": 2, "rate": TENTH, "noise_multiplier": 1, "adjacency": AddOrRemoveOne},
      order=NO_ORDER, rate=NO_SHARE, noise_multiplier=NO_POSITIVE, adjacency=st.sampled_from([ReplaceOne, None]),
      direction=given_only(NO_WORD)),
    q("closed_forms.tradeoff.dp_tradeoff_at", tradeoff.dp_tradeoff_at, {"loss": PURE, "a": TENTH},
      loss=st.one_of(NO_EVENT, st.just(RHO)), a=NO_SHARE),
    q("closed_forms.tradeoff.gaussian_tradeoff_at", tradeoff.gaussian_tradeoff_at, {"mu_squared": 1, "a": TENTH},
      mu_squared=NO_REAL, a=NO_SHARE),
    q("closed_forms.tradeoff.laplace_tradeoff_at", tradeoff.laplace_tradeoff_at, {"scale": 1, "a": TENTH},
      scale=NO_POSITIVE, a=NO_SHARE),
    q("events.tree.most_nodes", tree.most_nodes, {"leaves": 3}, leaves=NO_COUNT),
    q("events.tree.nodes", lambda leaves: list(tree.nodes(leaves)), {"leaves": 3}, leaves=NO_COUNT),
    q("events.tree.nodes_of_leaf", tree.nodes_of_leaf, {"leaf": 2, "leaves": 3},
      leaf=st.one_of(NO_COUNT, st.just(4)), leaves=st.one_of(NO_COUNT, st.just(1))),
    q("events.tree.prefix_nodes", tree.prefix_nodes, {"leaf": 2}, leaf=NO_COUNT),
    q("events.tree.tree_event", tree.tree_event, {"node": Gaussian(TENTH), "leaves": 3}, leaves=NO_COUNT),
    q("renyi.without_replacement.without_replacement_renyi", without_replacement.without_replacement_renyi,
      {"order": 2, "rate": TENTH, "noise_multiplier": 1}, order=NO_ORDER, rate=NO_SHARE, noise_multiplier=NO_POSITIVE,
      bound=st.one_of(NO_WORD, st.just("small-shift"))),
    q("closed_forms.zcdp.largest_rho", zcdp.largest_rho, {"epsilon": 1, "delta": TENTH},
      epsilon=NO_POSITIVE, delta=NO_DELTA, method=NO_WORD),
    q("closed_forms.zcdp.zcdp_to_delta", zcdp.zcdp_to_delta, {"rho": TENTH, "epsilon": 1},
      rho=NO_REAL, epsilon=NO_REAL, method=NO_WORD),
    q("closed_forms.zcdp.zcdp_to_epsilon", zcdp.zcdp_to_epsilon, {"rho": TENTH, "delta": TENTH},
      rho=NO_REAL, delta=NO_DELTA, method=NO_WORD),
)  # fmt: skip
