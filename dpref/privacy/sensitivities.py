"""The certified sensitivities of the matrix mechanisms in a ledger, as text."""

from __future__ import annotations

from typing import Any, Final

from dpref.privacy.events.factorization import is_factored, sensitivity
from dpref.privacy.events.ledger import Event
from dpref.privacy.events.participation import SquaredSensitivity
from dpref.privacy.events.walks import parts
from dpref.reals import decimal_down, decimal_up

_LONGEST: Final = 100  # characters of an exact number that is shown as one


def sensitivities(event: Event) -> dict[Event, SquaredSensitivity]:
    """The squared sensitivity of each matrix mechanism in a tree of events, in units of the clipping norm.

    Those with cyclic Poisson sampling are compositions of rounds, and have none of their own.

    Args:
        event: The tree.

    >>> from dpref.privacy.events.expression import parse_event
    >>> found = sensitivities(parse_event("compose(tree_gaussian(2, 8, 2, 4), laplace(1))"))
    >>> [(str(known.squared), known.rule) for known in found.values()]
    [('10', 'nodes counted level by level')]
    """
    found: dict[Event, SquaredSensitivity] = {}
    waiting = [event]
    while waiting:
        node = waiting.pop()
        if is_factored(node) and getattr(node, "rate", None) is None:
            found[node] = sensitivity(node)
        waiting.extend(reversed(parts(node)))
    return found


def sensitivity_to_json(known: SquaredSensitivity) -> dict[str, Any]:
    """A squared sensitivity as JSON: exact, or between two decimals that are rounded outward.

    >>> from dpref.privacy.events.tree import tree_sensitivity
    >>> sensitivity_to_json(tree_sensitivity(8, 2, 4))
    {'squared': {'exact': '10'}, 'rule': 'nodes counted level by level', 'attained': True}
    """
    written = str(known.squared)
    exact = known.exact and len(written) <= _LONGEST
    ends = {"lower": decimal_down(known.attained), "upper": decimal_up(known.squared)}
    return {"squared": {"exact": written} if exact else ends, "rule": known.rule, "attained": known.is_attained}
