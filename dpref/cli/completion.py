"""What a shell offers after Tab where an argument is a name: the names that begin with what is typed.

Nothing is imported before a shell asks.
"""

from __future__ import annotations


def claims(incomplete: str) -> list[str]:
    """Names of claims up to their next slash or whole, as `dpref audit` takes them.

    Args:
        incomplete: What is typed.

    >>> claims("kl-c")
    ['kl-condition/']
    """
    from dpref.audit.catalogue import catalogue

    found = [claim.id for claim in catalogue() if claim.id.startswith(incomplete)]
    return found if "/" in incomplete else list(dict.fromkeys(name.partition("/")[0] + "/" for name in found))


def findings(incomplete: str) -> list[str]:
    """Ids of findings up to their slash or whole.

    Args:
        incomplete: What is typed.

    >>> findings("kl-c")
    ['kl-condition/']
    """
    from proofs.findings.register import read

    found = [name for name in read() if name.startswith(incomplete)]
    return found if "/" in incomplete else list(dict.fromkeys(name.partition("/")[0] + "/" for name in found))


def algorithms(incomplete: str) -> list[str]:
    """Names of algorithms.

    Args:
        incomplete: What is typed.

    >>> algorithms("sp")
    ['spider']
    """
    from dpref.algorithms.registry import ALGORITHMS

    return [name for name in ALGORITHMS if name.startswith(incomplete)]


def experiments(incomplete: str) -> list[str]:
    """Names of experiments.

    Args:
        incomplete: What is typed.
    """
    from dpref.experiments.catalogue import EXPERIMENTS

    return [e.name for e in EXPERIMENTS if e.name.startswith(incomplete)]


def adjacencies(incomplete: str) -> list[str]:
    """Names of adjacencies.

    Args:
        incomplete: What is typed.

    >>> adjacencies("r")
    ['replace-one']
    """
    from dpref.units import ADJACENCIES

    return [name for name in ADJACENCIES if name.startswith(incomplete)]


def accountants(incomplete: str) -> list[str]:
    """Names of accountants, and `best`.

    Args:
        incomplete: What is typed.
    """
    from dpref.privacy.accountants import BEST, accountants

    return [name for name in (BEST, *(a.name for a in accountants())) if name.startswith(incomplete)]
