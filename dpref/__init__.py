"""dpref: the reference that differentially private optimizers are checked against.

The names below are the public ones; each is loaded from its module when it is first used.

>>> import dpref
>>> from fractions import Fraction
>>> ledger = dpref.Ledger(dpref.Repeat(dpref.Gaussian(Fraction(100)), 10_000), dpref.ReplaceOne)
>>> dpref.epsilon(ledger, Fraction(1, 10**6)).upper < 4.9
True
"""

from __future__ import annotations

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
    from dpref.privacy.curves import privacy_profile as privacy_profile
    from dpref.privacy.curves import tradeoff_curve as tradeoff_curve
    from dpref.privacy.event_calibration import calibrate as calibrate
    from dpref.privacy.events.allocation import RandomAllocation as RandomAllocation
    from dpref.privacy.events.allocation import Shuffled as Shuffled
    from dpref.privacy.events.custom import Custom as Custom
    from dpref.privacy.events.discrete import DiscreteGaussian as DiscreteGaussian
    from dpref.privacy.events.discrete import DiscreteLaplace as DiscreteLaplace
    from dpref.privacy.events.expression import parse_event as parse_event
    from dpref.privacy.events.expression import parse_template as parse_template
    from dpref.privacy.events.gridded import GriddedGaussian as GriddedGaussian
    from dpref.privacy.events.guarantees import Approximate as Approximate
    from dpref.privacy.events.guarantees import Concentrated as Concentrated
    from dpref.privacy.events.guarantees import Profile as Profile
    from dpref.privacy.events.ledger import Compose as Compose
    from dpref.privacy.events.ledger import Exponential as Exponential
    from dpref.privacy.events.ledger import FilteredGaussians as FilteredGaussians
    from dpref.privacy.events.ledger import Gaussian as Gaussian
    from dpref.privacy.events.ledger import GeneralizedGaussian as GeneralizedGaussian
    from dpref.privacy.events.ledger import Laplace as Laplace
    from dpref.privacy.events.ledger import Ledger as Ledger
    from dpref.privacy.events.ledger import NoisyMax as NoisyMax
    from dpref.privacy.events.ledger import NonPrivate as NonPrivate
    from dpref.privacy.events.ledger import Poisson as Poisson
    from dpref.privacy.events.ledger import RandomizedResponse as RandomizedResponse
    from dpref.privacy.events.ledger import Repeat as Repeat
    from dpref.privacy.events.ledger import SampleWithoutReplacement as SampleWithoutReplacement
    from dpref.privacy.events.ledger import VarianceReducedGaussian as VarianceReducedGaussian
    from dpref.privacy.events.matrix import MatrixGaussian as MatrixGaussian
    from dpref.privacy.events.matrix import PrefixSumSqrt as PrefixSumSqrt
    from dpref.privacy.events.matrix import SampledColumn as SampledColumn
    from dpref.privacy.events.matrix import ToeplitzGaussian as ToeplitzGaussian
    from dpref.privacy.events.matrix import TreeGaussian as TreeGaussian
    from dpref.privacy.events.mixture import ExponentialMixture as ExponentialMixture
    from dpref.privacy.events.parallel import Parallel as Parallel
    from dpref.privacy.events.sampled import Group as Group
    from dpref.privacy.events.sampled import MixtureGaussian as MixtureGaussian
    from dpref.privacy.events.sampled import SampleWithReplacement as SampleWithReplacement
    from dpref.privacy.events.sampled import TruncatedPoisson as TruncatedPoisson
    from dpref.privacy.events.selection import Select as Select
    from dpref.privacy.gaussian_dp import gdp_parameter as gdp_parameter
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

_HOME: Final = {
    "AddOrRemoveOne": "dpref.units",
    "Approximate": "dpref.privacy.events.guarantees",
    "Bounds": "dpref.fitting.bounds",
    "Claim": "dpref.audit.claims",
    "Classes": "dpref.fitting.bounds",
    "Compose": "dpref.privacy.events.ledger",
    "Concentrated": "dpref.privacy.events.guarantees",
    "Custom": "dpref.privacy.events.custom",
    "Dataset": "dpref.problems.datasets",
    "DiscreteGaussian": "dpref.privacy.events.discrete",
    "DiscreteLaplace": "dpref.privacy.events.discrete",
    "DprefError": "dpref.errors",
    "ERMProblem": "dpref.problems.erm",
    "Exponential": "dpref.privacy.events.ledger",
    "ExponentialMixture": "dpref.privacy.events.mixture",
    "FilteredGaussians": "dpref.privacy.events.ledger",
    "Gaussian": "dpref.privacy.events.ledger",
    "GeneralizedGaussian": "dpref.privacy.events.ledger",
    "GriddedGaussian": "dpref.privacy.events.gridded",
    "Group": "dpref.privacy.events.sampled",
    "Interval": "dpref.privacy.interval",
    "InvalidArgumentError": "dpref.errors",
    "Laplace": "dpref.privacy.events.ledger",
    "Ledger": "dpref.privacy.events.ledger",
    "LiveCurator": "dpref.curator",
    "MatrixGaussian": "dpref.privacy.events.matrix",
    "MixtureGaussian": "dpref.privacy.events.sampled",
    "NoisyMax": "dpref.privacy.events.ledger",
    "NonPrivate": "dpref.privacy.events.ledger",
    "Parallel": "dpref.privacy.events.parallel",
    "Poisson": "dpref.privacy.events.ledger",
    "PrefixSumSqrt": "dpref.privacy.events.matrix",
    "PrivacyLoss": "dpref.units",
    "Profile": "dpref.privacy.events.guarantees",
    "RandomAllocation": "dpref.privacy.events.allocation",
    "RandomizedResponse": "dpref.privacy.events.ledger",
    "Range": "dpref.fitting.bounds",
    "RecordingCurator": "dpref.curator",
    "Repeat": "dpref.privacy.events.ledger",
    "ReplaceOne": "dpref.units",
    "ReplayingCurator": "dpref.curator",
    "SampleWithReplacement": "dpref.privacy.events.sampled",
    "SampleWithoutReplacement": "dpref.privacy.events.ledger",
    "SampledColumn": "dpref.privacy.events.matrix",
    "Select": "dpref.privacy.events.selection",
    "Sensitivity": "dpref.units",
    "Shuffled": "dpref.privacy.events.allocation",
    "ToeplitzGaussian": "dpref.privacy.events.matrix",
    "TreeGaussian": "dpref.privacy.events.matrix",
    "TruncatedPoisson": "dpref.privacy.events.sampled",
    "UnsupportedEventError": "dpref.errors",
    "VarianceReducedGaussian": "dpref.privacy.events.ledger",
    "ZeroOut": "dpref.units",
    "audit_mechanism": "dpref.foreign.mechanism",
    "breast_cancer": "dpref.problems.datasets",
    "calibrate": "dpref.privacy.event_calibration",
    "catalogue": "dpref.audit.catalogue",
    "certify": "dpref.privacy.accountants",
    "delta": "dpref.privacy.closed_forms.gaussian",
    "dpsgd": "dpref.privacy.training",
    "epsilon": "dpref.privacy.closed_forms.gaussian",
    "fit": "dpref.fitting.run",
    "gaussian_noise_multiplier": "dpref.privacy.calibration",
    "gdp": "dpref.privacy.closed_forms.gaussian",
    "gdp_parameter": "dpref.privacy.gaussian_dp",
    "noise_for": "dpref.privacy.training",
    "parse_event": "dpref.privacy.events.expression",
    "parse_template": "dpref.privacy.events.expression",
    "planned": "dpref.fitting.run",
    "privacy_profile": "dpref.privacy.curves",
    "tradeoff_curve": "dpref.privacy.curves",
    "zcdp": "dpref.privacy.closed_forms.gaussian",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dpref' has no public name {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*_HOME, "__version__"])
