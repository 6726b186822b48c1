r"""The dominating pairs of mechanisms of which a guarantee is all that is known.

A table of $(\varepsilon_i,\delta_i)$ is the curve of a pair with an atom at each loss $\pm\varepsilon_i$ and mass at
infinite ones; it has every guarantee of the table, so that it is what the worst mechanism of the table does.  The bound
of zCDP is no curve of a pair (near zero it is not convex), but lies above every curve that there is.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce

from flint import arb, ctx

from dpref.errors import UnsupportedEventError
from dpref.privacy.closed_forms.curves import finite_curve
from dpref.privacy.closed_forms.guarantees import Points, concentrated_delta, table_atoms
from dpref.privacy.events.guarantees import Approximate, Concentrated, Profile
from dpref.privacy.pld.pair import Pair, PairSet, Split, common_lattice, extended
from dpref.reals import ball
from dpref.units import Adjacency, ReplaceOne


def guarantee_pairs(event: Approximate | Concentrated | Profile, adjacency: type[Adjacency]) -> PairSet:
    """The pairs of a guarantee; attained by the worst mechanism of it, if that is what is asked.

    Args:
        event: The guarantee.
        adjacency: Under which it holds.

    Raises:
        UnsupportedEventError: If it tells a removed record from an added one where records are replaced.

    >>> from dpref.units import ZeroOut
    >>> guarantee_pairs(Concentrated(Fraction(1, 2)), ZeroOut).remove.name
    'zcdp(rho=1/2, xi=0)'
    """
    match event:
        case Concentrated(rho, xi):
            curve = extended(*[lambda x: concentrated_delta(rho, xi, x)] * 2)
            pair = Pair(str(event), curve, smooth=True)
            return PairSet(pair, pair, None, None)
        case Approximate(epsilon, delta):
            remove = add = _table_pair(str(event), [(epsilon, delta)], [(epsilon, delta)])
        case Profile(added=None):
            remove = add = _table_pair(str(event), event.removed_points, event.added_points)
        case _:
            if adjacency is ReplaceOne:
                why = "where a record is replaced both orders are alike; give one list of deltas, the larger of both"
                raise UnsupportedEventError(f"{event} under {adjacency.name}: {why}")
            remove = _table_pair(f"{event}, removed", event.removed_points, event.added_points)
            add = _table_pair(f"{event}, added", event.added_points, event.removed_points)
    return PairSet(remove, add, *((remove, add) if event.worst_case else (None, None)))


def _table_pair(name: str, removed: Points, added: Points) -> Pair:
    made: dict[int, list[tuple[Fraction | float, arb, arb]]] = {}

    def atoms() -> list[tuple[Fraction | float, arb, arb]]:
        if ctx.prec not in made:
            made[ctx.prec] = table_atoms(removed, added)
        return made[ctx.prec]

    def curve(x: arb) -> tuple[arb, arb]:
        return finite_curve(x, [(_as_ball(loss), p, q) for loss, p, q in atoms()])

    def finite() -> tuple[arb, arb]:
        (*_, below), *_, (_, above, _) = atoms()
        return 1 - above, 1 - below

    losses = [epsilon for epsilon, _ in (*removed, *added) if epsilon]
    lattice = reduce(common_lattice, map(Fraction, losses)) if losses else None

    def multiples() -> list[tuple[int, arb]]:
        inside = [(loss, p) for loss, p, _ in atoms() if isinstance(loss, Fraction)]
        return [(int(loss / lattice), p) for loss, p in inside if lattice]

    whole = all(not delta for points in (removed, added) for _, delta in points[-1:])
    return Pair(name, curve, Split(lattice, multiples) if lattice else None, None if whole else finite)


def _as_ball(loss: Fraction | float) -> arb:
    if isinstance(loss, Fraction):
        return ball(loss)
    return arb.pos_inf() if loss == math.inf else arb.neg_inf()
