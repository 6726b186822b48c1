"""From a claim's words to a subject that can be judged and run: one builder for every registered algorithm.

What `build` makes, the library has derived from a plan of its own, and its ledger and witnesses are the library's:
`dpref.audit.provenance` tells it from what only looks like it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from dpref.algorithms.registry import ALGORITHMS
from dpref.audit import gaussian_mechanism
from dpref.audit.claims import Claim
from dpref.audit.papers.dp_erm_revisited import instances as dp_erm_revisited
from dpref.audit.papers.dynamic_privacy_budget import instances as dynamic_privacy_budget
from dpref.audit.papers.kl_condition import instances as kl_condition
from dpref.audit.papers.private_online_frank_wolfe import baselines as online_baselines
from dpref.audit.papers.private_online_frank_wolfe import instances as private_online_frank_wolfe
from dpref.audit.papers.private_saddle_points import instances as private_saddle_points
from dpref.audit.papers.private_saddle_points.witnesses import one_step
from dpref.audit.parameters import form_of, known, made, read, readable
from dpref.audit.provenance import remember
from dpref.audit.run import Instance, Run
from dpref.audit.subjects import Subject
from dpref.checks import one_of
from dpref.errors import InvalidArgumentError

Builder: TypeAlias = Callable[[Claim], Subject]

# What the claims about each algorithm are run on; a claim says which, where there are several and none is "real".
INSTANCES: Final[Mapping[str, tuple[type[Instance], ...]]] = MappingProxyType(
    {
        **dp_erm_revisited.INSTANCES,
        **dynamic_privacy_budget.INSTANCES,
        **kl_condition.INSTANCES,
        **private_online_frank_wolfe.INSTANCES,
        **online_baselines.INSTANCES,
        **private_saddle_points.INSTANCES,
    }
)


def parameters_of(name: str) -> dict[str, frozenset[str]]:
    """The parameters that a claim about an algorithm can give, by the instance that it is run on.

    Args:
        name: Of a registered algorithm.

    >>> {instance: sorted(names & {"clip", "records"}) for instance, names in parameters_of("svrg").items()}
    {'real': ['clip'], 'drift': ['records']}
    """
    own, kinds = frozenset(readable(ALGORITHMS[name].params)), INSTANCES[name]
    several = frozenset({"instance"} if len(kinds) > 1 else ())
    return {kind.name: several | frozenset(readable(kind)) | own - kind.fixed for kind in kinds}


def instance_of(claim: Claim) -> type[Instance]:
    """The kind of instance that a claim is run on.

    Raises:
        InvalidArgumentError: If the claim names none, or gives a parameter that belongs to another one or to nobody.
    """
    kinds = {kind.name: kind for kind in INSTANCES[claim.algorithm]}
    names = parameters_of(claim.algorithm)
    known(claim, frozenset().union(*names.values()))
    default = next(iter(kinds)) if len(kinds) == 1 or "real" in kinds else None
    named = str(claim.parameters.get("instance", default))
    one_of("parameters.instance", named, kinds)
    for name, value in claim.parameters.items():
        if name not in names[named]:
            raise InvalidArgumentError(f"parameters.{name}", value, f"does not belong to {named}")
    return kinds[named]


def run_of(claim: Claim) -> Run:
    """A registered algorithm on the instance that a claim says, with the claim's parameters.

    ``instance`` says which instance, in small letters, where there are several; the other parameters are the fields of
    the instance and of the algorithm's ``Params``.  The form is the one that the claim's form begins with.

    Args:
        claim: About an algorithm of the registry.

    Raises:
        InvalidArgumentError: If a parameter is unknown, missing, out of place or breaks its rule.

    >>> from dpref.audit.catalogue import find
    >>> subject = run_of(find("dp-erm-revisited/equation-3@without-range-output,replace-one"))
    >>> subject.plan.lengths, subject.release
    ((2,), 'output')
    """
    algorithm = ALGORITHMS[claim.algorithm]
    instance = made(instance_of(claim), claim)
    problem = instance.problem()
    pair = instance.pair(problem, claim.adjacency)
    given: dict[str, Any] = {
        **read(algorithm.params, claim, skip=instance.fixed),
        "adjacency": claim.adjacency,
        "form": form_of(claim),
    }
    params = algorithm.params(**{**given, **instance.params({**given, "algorithm": algorithm.name})})
    plan = instance.planned(algorithm.plan(problem, params))
    return Run(algorithm, problem, plan, pair, claim.release, instance)


BUILDERS: Final[Mapping[str, Builder]] = MappingProxyType(
    {
        "gaussian-mechanism": gaussian_mechanism.subject,
        **dict.fromkeys(INSTANCES, run_of),
        "bias-reduced-score": one_step,
        "bias-reduced-draw": one_step,
    }
)


def build(claim: Claim) -> Subject:
    """The subject of a claim.

    Raises:
        InvalidArgumentError: If no builder has that name, or the parameters do not fit it.

    >>> from dpref.audit.catalogue import find
    >>> build(find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")).adjacency.name
    'replace-one'
    """
    one_of("algorithm", claim.algorithm, BUILDERS)
    return remember(claim, BUILDERS[claim.algorithm](claim))
