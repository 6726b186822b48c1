"""What may go wrong with every number of a curve, as in ``fail_closed_questions.py``."""

from __future__ import annotations

from hypothesis import strategies as st

from dpref.privacy import curves, gaussian_dp, training_text
from dpref.privacy.fast import accountant as fast_accountant
from dpref.privacy.fast import curves as fast_curves
from dpref.privacy.fast import doubles
from dpref.privacy.pld import accountant as loss_distribution
from dpref.units import ZeroOut
from property_tests.fail_closed_questions import PLAIN, REDUCED, SAMPLED
from property_tests.question import Question, q
from property_tests.refused_values import (
    ABOVE_ONE,
    NEGATIVE,
    NO_COUNT,
    NO_LEDGER,
    NO_LIMIT,
    NO_NUMBER,
    NO_POSITIVE,
    NO_POSITIVE_NUMBER,
    NO_REAL,
    TENTH,
    in_a_list,
)

TRAINING = training_text.template_of("dpsgd(records=9, batch=3, steps=2, noise_multiplier=?, sampling=fixed)", ZeroOut)

CURVES: tuple[Question, ...] = (
    q("fast.doubles.float_width", doubles.float_width, {"width": 1}, width=NO_POSITIVE),
    q("fast.doubles.loss_in_doubles", doubles.loss_in_doubles, {"epsilon": 1}, epsilon=NO_REAL),
    q(
        "curves.privacy_profile", curves.privacy_profile, {"ledger": PLAIN, "epsilons": [TENTH, -1]},
        ledger=NO_LEDGER, epsilons=in_a_list(NO_NUMBER), limit=NO_LIMIT,
    ),
    q(
        "curves.tradeoff_curve", curves.tradeoff_curve, {"ledger": PLAIN, "alphas": [TENTH]},
        ledger=NO_LEDGER, alphas=in_a_list(st.one_of(NO_NUMBER, NEGATIVE, ABOVE_ONE)), limit=NO_LIMIT,
    ),
    q(
        "gaussian_dp.gdp_parameter", gaussian_dp.gdp_parameter, {"ledger": PLAIN}, ledger=NO_LEDGER,
        delta=st.one_of(NO_POSITIVE_NUMBER, ABOVE_ONE), limit=NO_LIMIT,
    ),
    q("fast.accountant.composed", fast_accountant.composed, {"ledger": SAMPLED, "loss": 1, "width": TENTH},
      loss=NO_REAL, width=NO_POSITIVE, ledger=NO_LEDGER),
    q("fast.curves.composed", fast_curves.composed, {"ledger": REDUCED, "loss": 1}, loss=NO_REAL, width=NO_POSITIVE,
      ledger=NO_LEDGER),
    q("pld.accountant.pld_composed", loss_distribution.pld_composed, {"ledger": PLAIN, "loss": 1},
      loss=NO_REAL, relative_width=NO_POSITIVE, most_cells=NO_COUNT, ledger=NO_LEDGER),
    q("training_text.TrainingTemplate.fill", TRAINING.fill, {"value": 2}, value=NO_POSITIVE),
)  # fmt: skip
