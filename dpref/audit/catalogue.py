"""The built-in claims of papers, and how they are named on the command line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from dpref.audit.claims import Claim
from dpref.audit.papers.dp_erm_revisited import claims as dp_erm_revisited
from dpref.audit.papers.dynamic_privacy_budget import claims as dynamic_privacy_budget
from dpref.audit.papers.kl_condition import claims as kl_condition
from dpref.audit.papers.private_online_frank_wolfe import claims as private_online_frank_wolfe
from dpref.audit.papers.private_saddle_points import claims as private_saddle_points
from dpref.audit.renamed import current_name
from dpref.errors import UnknownClaimError

_PAPERS: Final = (
    dp_erm_revisited,
    dynamic_privacy_budget,
    kl_condition,
    private_online_frank_wolfe,
    private_saddle_points,
)


@cache
def catalogue() -> tuple[Claim, ...]:
    """Every built-in claim, ordered by paper and then as its file orders them.

    >>> len({claim.id for claim in catalogue()}) == len(catalogue())
    True
    """
    return tuple(claim for paper in _PAPERS for claim in paper.CLAIMS)


@cache
def headline() -> tuple[Claim, ...]:
    """The main claims of each paper, as printed and repaired: what a first look judges.

    >>> len({claim.paper for claim in headline()})
    5
    """
    return tuple(find(f"{paper.CLAIMS[0].paper}/{name}") for paper in _PAPERS for name in paper.HEADLINE)


def find(name: str) -> Claim:
    """The built-in claim of that full name.

    Raises:
        UnknownClaimError: If there is none; the message suggests names that are near.
    """
    return select([name], catalogue(), exact=True)[0]


def select(names: Sequence[str], claims: Iterable[Claim], *, exact: bool = False) -> tuple[Claim, ...]:
    """The claims that are named, in the order of the names, each once.

    Args:
        names: Full names, or leading parts of names: ``paper``, ``paper/item`` or ``paper/item@form``; a name that was
            changed is understood with a warning (`dpref.audit.renamed`).
        claims: Where to look.
        exact: Whether only full names count.

    Raises:
        UnknownClaimError: If a name fits no claim; the message suggests names that are near.

    >>> [c.form for c in select(["dynamic-privacy-budget/section-4.1.3"], catalogue())]
    ['as-printed', 'repaired']
    """
    pool = tuple(claims)
    chosen: dict[str, Claim] = {}
    for given in names:
        name = current_name(given)
        fitting = [c for c in pool if c.id == name or (not exact and name in _leading_parts(c))]
        if not fitting:
            raise UnknownClaimError(_unknown(name, pool))
        chosen.update((c.id, c) for c in fitting)
    return tuple(chosen.values())


def _leading_parts(claim: Claim) -> tuple[str, str, str]:
    item = f"{claim.paper}/{claim.item}"
    return claim.paper, item, f"{item}@{claim.form}"


def _unknown(name: str, pool: tuple[Claim, ...]) -> str:
    shown = name if len(name) <= 80 else name[:77] + "..."
    near = difflib.get_close_matches(name, [c.id for c in pool], n=3, cutoff=0.5)
    inside = [c.id for c in pool if name and name in c.id][:3]
    hints = list(dict.fromkeys([*inside, *near]))
    advice = "; did you mean " + " or ".join(hints) if hints else "; `dpref audit --list` shows the names"
    return f"no claim is named {shown!r}{advice}"
