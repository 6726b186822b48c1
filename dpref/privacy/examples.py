"""Ledgers that examples start from: one for the accountants, and one for each kind of event."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from dpref.privacy.events.ledger import Event, Gaussian, Ledger, Poisson, Repeat
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

_SAID: Final[Mapping[str, tuple[str, type[Adjacency]]]] = MappingProxyType(
    {
        "Approximate": ("compose(approximate(epsilon=1/2, delta=1e-7), 3)", ZeroOut),
        "Compose": ("compose(gaussian(2), laplace(5))", ReplaceOne),
        "Concentrated": ("zcdp(rho=1/8)", ReplaceOne),
        "Custom": ("custom(mine, zero_out=finite([3/4, 1/4], [1/4, 3/4], attained=true))", ZeroOut),
        "DiscreteGaussian": ("discrete_gaussian(sigma=10)", ReplaceOne),
        "DiscreteLaplace": ("discrete_laplace(scale=10)", ReplaceOne),
        "Exponential": ("exponential(epsilon=1/2)", ReplaceOne),
        "ExponentialMixture": ("exponential_mixture(epsilon=1/2)", ReplaceOne),
        "FilteredGaussians": ("filtered_gaussians(rho=1/8)", ReplaceOne),
        "Gaussian": ("gaussian(noise_multiplier=2)", ReplaceOne),
        "GeneralizedGaussian": ("generalized_gaussian(noise_multiplier=4, regularity=3)", ReplaceOne),
        "GriddedGaussian": ("gridded_gaussian(sigma=1000, squared_sensitivity=250000, dimension=10)", ReplaceOne),
        "Group": ("group(poisson(gaussian(2), rate=1/100), size=3)", AddOrRemoveOne),
        "Laplace": ("laplace(scale=2)", ZeroOut),
        "MatrixGaussian": ("matrix_gaussian(noise_multiplier=2, matrix=[1, 1/2, 1])", ZeroOut),
        "MixtureGaussian": ("mixture_gaussian(shifts=[0, 1, 2], weights=[81/100, 18/100, 1/100])", AddOrRemoveOne),
        "NoisyMax": ("noisy_max(epsilon=1/2, noise=gumbel)", ReplaceOne),
        "NonPrivate": ("nonprivate()", ReplaceOne),
        "Parallel": ("parallel(gaussian(2), gaussian(3))", ZeroOut),
        "Poisson": ("compose(poisson(gaussian(1), rate=1/100), 100)", AddOrRemoveOne),
        "PrefixSumSqrt": ("prefix_sum_sqrt(noise_multiplier=5, steps=8, max_participations=1)", ZeroOut),
        "Profile": ("profile(epsilons=[1/2, 1], deltas=[1e-5, 1e-7])", ZeroOut),
        "RandomAllocation": ("random_allocation(gaussian(1), steps=10)", AddOrRemoveOne),
        "RandomizedResponse": ("randomized_response(epsilon=1, categories=4)", ReplaceOne),
        "Repeat": ("compose(gaussian(50), 1000)", ReplaceOne),
        "SampleWithReplacement": ("sample_with_replacement(gaussian(1), batch=2, records=100)", AddOrRemoveOne),
        "SampleWithoutReplacement": ("sample_without_replacement(gaussian(1), batch=5, records=100)", ReplaceOne),
        "SampledColumn": ("sampled_column(noise_multiplier=2, squared_norm=5/4, rate=1/10)", ZeroOut),
        "Select": ("select(gaussian(noise_multiplier=10), mean=5)", ReplaceOne),
        "Shuffled": ("shuffled(gaussian(2), batches=10)", ZeroOut),
        "ToeplitzGaussian": ("toeplitz_gaussian(noise_multiplier=2, coefficients=[1, 1/2], steps=8)", ZeroOut),
        "TreeGaussian": ("tree_gaussian(noise_multiplier=5, leaves=8, max_participations=1)", ZeroOut),
        "TruncatedPoisson": ("truncated_poisson(gaussian(1), rate=1/100, batch=15, records=1000)", AddOrRemoveOne),
        "VarianceReducedGaussian": ("variance_reduced_gaussian(noise_multiplier=3, batch=1, records=10)", ReplaceOne),
    }
)


def sampled_gaussians(steps: int) -> Ledger[AddOrRemoveOne]:
    """What DP-SGD spends with noise multiplier 1, if each record enters a step with probability 1/100.

    Args:
        steps: Number of steps.

    >>> print(sampled_gaussians(steps=1000))
    compose(poisson(gaussian(noise_multiplier=1), rate=1/100), 1000) under add-or-remove-one
    """
    return Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), steps), AddOrRemoveOne)


def event_session(kind: type[Event]) -> tuple[str, ...]:
    """An example of a class of events as a Python session, without its answers; empty if none is written down.

    Args:
        kind: A class of events.

    >>> event_session(Gaussian)[-2]
    'ledger = dpref.Ledger(dpref.parse_event("gaussian(noise_multiplier=2)"), dpref.ReplaceOne)'
    """
    if kind.__name__ not in _SAID:
        return ()
    text, adjacency = _SAID[kind.__name__]
    return (
        "import dpref",
        "from fractions import Fraction",
        f'ledger = dpref.Ledger(dpref.parse_event("{text}"), dpref.{adjacency.__name__})',
        "print(dpref.certify(ledger, delta=Fraction(1, 10**6)))",
    )
