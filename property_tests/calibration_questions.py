"""What may go wrong with every number that a calibration takes from outside, as in ``fail_closed_questions.py``."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from dpref.privacy import calibration, event_calibration
from dpref.privacy.events import expression
from dpref.units import ReplaceOne
from property_tests.question import Question, q
from property_tests.refused_values import (
    NO_CHANCE,
    NO_COUNT,
    NO_DELTA,
    NO_LIMIT,
    NO_POSITIVE,
    NO_WORD,
    TENTH,
    given_only,
)

_TEMPLATE = expression.parse_template("gaussian(?)")

CALIBRATIONS: tuple[Question, ...] = (
    q("calibration.classical_noise_multiplier", calibration.classical_noise_multiplier, {"epsilon": 1, "delta": TENTH},
      epsilon=NO_CHANCE, delta=NO_DELTA),
    q("calibration.classical_noise_multiplier_as_printed", calibration.classical_noise_multiplier_as_printed,
      {"epsilon": 1, "delta": TENTH}, epsilon=NO_POSITIVE, delta=NO_DELTA),
    q("calibration.gaussian_noise_multiplier", calibration.gaussian_noise_multiplier,
      {"epsilon": 1, "delta": TENTH, "steps": 1}, epsilon=NO_POSITIVE, delta=NO_DELTA, steps=NO_COUNT),
    q("calibration.largest_mu", calibration.largest_mu, {"epsilon": 1, "delta": TENTH},
      epsilon=NO_POSITIVE, delta=NO_DELTA),
    q("calibration.largest_steps", calibration.largest_steps, {"noise_multiplier": 1, "epsilon": 1, "delta": TENTH},
      noise_multiplier=NO_POSITIVE, epsilon=NO_POSITIVE, delta=NO_DELTA),
    q("calibration.largest_steps_zcdp", calibration.largest_steps_zcdp, {"noise_multiplier": 1, "rho": 1},
      noise_multiplier=NO_POSITIVE, rho=NO_POSITIVE),
    q("calibration.satisfies", calibration.satisfies, {"mu_squared": Fraction(1, 100), "epsilon": 1, "delta": TENTH},
      mu_squared=NO_POSITIVE, epsilon=NO_POSITIVE, delta=NO_DELTA),
    q("calibration.zcdp_noise_multiplier", calibration.zcdp_noise_multiplier, {"rho": 1, "steps": 1},
      rho=NO_POSITIVE, steps=NO_COUNT),
    q("event_calibration.calibrate", event_calibration.calibrate,
      {"template": _TEMPLATE, "epsilon": 1, "delta": TENTH, "adjacency": ReplaceOne},
      epsilon=NO_POSITIVE, delta=NO_DELTA, accountant=NO_WORD,
      digits=given_only(st.one_of(NO_COUNT, st.just(10**6))), limit=NO_LIMIT),
)  # fmt: skip
