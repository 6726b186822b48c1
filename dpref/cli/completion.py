"""What a shell offers after Tab where an argument is a name: the names that begin with what is typed.

Nothing is imported before a shell asks.
"""

from __future__ import annotations

from collections.abc import Iterable


def claims(incomplete: str) -> list[str]:
    """Names of claims up to their next slash or whole, as `dpref audit` takes them.

    Args:
        incomplete: What is typed.

    >>> claims("kl-c")
    ['kl-condition/']
    """
    from dpref.audit.catalogue import catalogue

    return _up_to_the_slash(incomplete, (claim.id for claim in catalogue()))


def findings(incomplete: str) -> list[str]:
    """Ids of findings up to their slash or whole.

    Args:
        incomplete: What is typed.

    >>> findings("kl-c")
    ['kl-condition/']
    """
    from proofs.findings.register import read

    return _up_to_the_slash(incomplete, read())


def algorithms(incomplete: str) -> list[str]:
    """Names of algorithms.

    Args:
        incomplete: What is typed.

    >>> algorithms("sp")
    ['spider']
    """
    from dpref.algorithms.registry import ALGORITHMS

    return _that_begin(incomplete, ALGORITHMS)


def experiments(incomplete: str) -> list[str]:
    """Names of experiments.

    Args:
        incomplete: What is typed.
    """
    from dpref.experiments.catalogue import EXPERIMENTS

    return _that_begin(incomplete, (e.name for e in EXPERIMENTS))


def adjacencies(incomplete: str) -> list[str]:
    """Names of adjacencies.

    Args:
        incomplete: What is typed.

    >>> adjacencies("r")
    ['replace-one']
    """
    from dpref.units import ADJACENCIES

    return _that_begin(incomplete, ADJACENCIES)


def accountants(incomplete: str) -> list[str]:
    """Names of accountants, and `best`.

    Args:
        incomplete: What is typed.
    """
    from dpref.privacy.accountants import BEST, accountants

    return _that_begin(incomplete, (BEST, *(a.name for a in accountants())))


def _that_begin(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _up_to_the_slash(incomplete: str, names: Iterable[str]) -> list[str]:
    """Whole names once a slash is typed; before it what stands before theirs."""
    found = _that_begin(incomplete, names)
    return found if "/" in incomplete else list(dict.fromkeys(name.partition("/")[0] + "/" for name in found))
