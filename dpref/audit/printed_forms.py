"""Whether an algorithm's printed privacy claims hold: read off the recorded verdicts, never typed."""

from __future__ import annotations

from collections.abc import Sequence

from dpref.audit.claims import Claim


def printed_form_holds(claims: Sequence[Claim]) -> dict[str, str]:
    """What is recorded of the printed claims among some, an adjacency at a time.

    Args:
        claims: Any claims, such as those of one algorithm; repaired forms and claims without a verdict are passed over.

    Returns:
        From the name of each adjacency to the verdicts and the claims that have them.

    >>> from dpref.audit.catalogue import catalogue
    >>> printed_form_holds([c for c in catalogue() if c.algorithm == "gradient-descent"])
    {'replace-one': 'holds: theorem-6.1@as-printed; refuted: theorem-6.1@as-printed-epsilon-100'}
    """
    found: dict[str, dict[str, list[str]]] = {}
    for claim in claims:
        if claim.expected is None or claim.form.startswith("repaired"):
            continue
        found.setdefault(claim.adjacency.name, {}).setdefault(claim.expected, []).append(f"{claim.item}@{claim.form}")
    return {
        adjacency: "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in verdicts.items())
        for adjacency, verdicts in found.items()
    }
