"""dpref: the reference that differentially private optimizers are checked against.

The names below are the public ones; each is loaded from its module when it is first used.

>>> import dpref
>>> from fractions import Fraction
>>> ledger = dpref.Ledger(dpref.Repeat(dpref.Gaussian(Fraction(100)), 10_000), dpref.ReplaceOne)
>>> dpref.epsilon(ledger, Fraction(1, 10**6)).upper < 4.9
True
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from dpref.version import VERSION

if TYPE_CHECKING:
    from dpref.audit.catalogue import catalogue as catalogue
    from dpref.audit.claims import Claim as Claim
    from dpref.curator import LiveCurator as LiveCurator
    from dpref.curator import RecordingCurator as RecordingCurator
    from dpref.curator import ReplayingCurator as ReplayingCurator
    from dpref.errors import DprefError as DprefError
    from dpref.errors import InvalidArgumentError as InvalidArgumentError
    from dpref.errors import UnsupportedEventError as UnsupportedEventError
    from dpref.fitting.bounds import Bounds as Bounds
    from dpref.fitting.bounds import Classes as Classes
    from dpref.fitting.bounds import Range as Range
    from dpref.fitting.run import fit as fit
    from dpref.fitting.run import planned as planned
    from dpref.foreign.mechanism import audit_mechanism as audit_mechanism
    from dpref.privacy.accountants import certify as certify
    from dpref.privacy.calibration import gaussian_noise_multiplier as gaussian_noise_multiplier
    from dpref.privacy.closed_forms.gaussian import delta as delta
    from dpref.privacy.closed_forms.gaussian import epsilon as epsilon
    from dpref.privacy.closed_forms.gaussian import gdp as gdp
    from dpref.privacy.closed_forms.gaussian import zcdp as zcdp
    from dpref.privacy.events.ledger import Compose as Compose
    from dpref.privacy.events.ledger import Gaussian as Gaussian
    from dpref.privacy.events.ledger import Ledger as Ledger
    from dpref.privacy.events.ledger import Repeat as Repeat
    from dpref.privacy.interval import Interval as Interval
    from dpref.privacy.training import dpsgd as dpsgd
    from dpref.privacy.training import noise_for as noise_for
    from dpref.problems.datasets import Dataset as Dataset
    from dpref.problems.datasets import breast_cancer as breast_cancer
    from dpref.problems.erm import ERMProblem as ERMProblem
    from dpref.units import AddOrRemoveOne as AddOrRemoveOne
    from dpref.units import PrivacyLoss as PrivacyLoss
    from dpref.units import ReplaceOne as ReplaceOne
    from dpref.units import Sensitivity as Sensitivity
    from dpref.units import ZeroOut as ZeroOut

__version__ = VERSION

logging.getLogger(__name__).addHandler(logging.NullHandler())  # who uses dpref decides what is shown

_HOME: Final = {
    "AddOrRemoveOne": "dpref.units",
    "Bounds": "dpref.fitting.bounds",
    "Claim": "dpref.audit.claims",
    "Classes": "dpref.fitting.bounds",
    "Compose": "dpref.privacy.events.ledger",
    "Dataset": "dpref.problems.datasets",
    "DprefError": "dpref.errors",
    "ERMProblem": "dpref.problems.erm",
    "Gaussian": "dpref.privacy.events.ledger",
    "Interval": "dpref.privacy.interval",
    "InvalidArgumentError": "dpref.errors",
    "Ledger": "dpref.privacy.events.ledger",
    "LiveCurator": "dpref.curator",
    "PrivacyLoss": "dpref.units",
    "RecordingCurator": "dpref.curator",
    "Range": "dpref.fitting.bounds",
    "Repeat": "dpref.privacy.events.ledger",
    "ReplaceOne": "dpref.units",
    "ReplayingCurator": "dpref.curator",
    "Sensitivity": "dpref.units",
    "UnsupportedEventError": "dpref.errors",
    "ZeroOut": "dpref.units",
    "audit_mechanism": "dpref.foreign.mechanism",
    "breast_cancer": "dpref.problems.datasets",
    "catalogue": "dpref.audit.catalogue",
    "certify": "dpref.privacy.accountants",
    "delta": "dpref.privacy.closed_forms.gaussian",
    "dpsgd": "dpref.privacy.training",
    "epsilon": "dpref.privacy.closed_forms.gaussian",
    "fit": "dpref.fitting.run",
    "gaussian_noise_multiplier": "dpref.privacy.calibration",
    "gdp": "dpref.privacy.closed_forms.gaussian",
    "noise_for": "dpref.privacy.training",
    "planned": "dpref.fitting.run",
    "zcdp": "dpref.privacy.closed_forms.gaussian",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dpref' has no public name {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*_HOME, "__version__"])
