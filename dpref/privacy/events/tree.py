r"""The binary tree of partial sums: how many noisy nodes one leaf is part of, and what its ledger is.

The leaves 1..n are the steps of a stream; the node (h, j) holds the sum over the leaves $j2^h+1,\dots,(j+1)2^h$.  Nodes
that contain one leaf are nested, one for each height.

* A node is *released* once all its leaves have arrived, so only nodes inside 1..n are.  Leaf t is in the node of height
  h as long as $(\lfloor(t-1)/2^h\rfloor+1)2^h \le n$.  The first leaf is in all nodes $1,\dots,2^h$ with $2^h \le n$:
  $\lfloor\log_2 n\rfloor+1$ of them, and no leaf can be in more, since a node of height h needs $2^h \le n$ leaves.
* A tree *padded* to the next power of two releases its root as well: $\lceil\log_2 n\rceil+1$ nodes for every leaf.
  The two counts are equal if n is a power of two.

A record that enters one leaf changes at most that many nodes, each by at most the sensitivity of one leaf, so the
release spends what that many compositions of one node's event spend, adaptively chosen streams included.  One that
enters several leaves changes a node by as many times the sensitivity as the node has of them: `tree_sensitivity`.

References:
    Dwork, Naor, Pitassi and Rothblum, "Differential privacy under continual observation", 2010, Section 3.
    Chan, Shi and Song, "Private and continual release of statistics", 2011, Section 3.
    Denisov, McMahan, Rush, Smith and Guha Thakurta, "Improved differential privacy for SGD via optimal private linear
    operators on adaptive streams", 2022, Theorem 2.1 (adaptive streams, Gaussian noise).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from dpref.checks import natural
from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy.events.ledger import Event, Repeat
from dpref.privacy.events.participation import DYNAMIC, ONE, Pattern, SquaredSensitivity
from dpref.privacy.time_limit import checkpoint

LEVELS: Final = "nodes counted level by level"
MOST_COUNTED: Final = 64  # participations, for dynamic programming
MOST_PAIRS: Final = 20_000  # of cases of both children of one node
MOST_PLACES: Final = 1 << 14
MOST_LOOKS: Final = 1 << 20  # places times levels
_HIGHEST: Final = 256  # levels of a tree that is walked down


class Node(NamedTuple):
    """The sum over the leaves ``first`` to ``last``, counted from one."""

    first: int
    last: int


def nodes(leaves: int) -> Iterator[Node]:
    """The nodes that a stream of that many leaves releases, height by height.

    >>> [tuple(node) for node in nodes(3)]
    [(1, 1), (2, 2), (3, 3), (1, 2)]
    """
    n = natural("leaves", leaves)
    for height in range(n.bit_length()):
        width = 1 << height
        for first in range(1, n - width + 2, width):
            yield Node(first, first + width - 1)


def prefix_nodes(leaf: int) -> tuple[Node, ...]:
    """The nodes whose disjoint union is the first ``leaf`` leaves: one for each binary digit 1 of ``leaf``.

    >>> [tuple(node) for node in prefix_nodes(6)]
    [(1, 4), (5, 6)]
    """
    rest = natural("leaf", leaf)
    start, found = 0, []
    while rest:
        width = 1 << (rest.bit_length() - 1)
        found.append(Node(start + 1, start + width))
        start, rest = start + width, rest - width
    return tuple(found)


def nodes_of_leaf(leaf: int, leaves: int) -> int:
    r"""In how many released nodes a leaf is: the h with $(\lfloor(t-1)/2^h\rfloor+1)2^h \le n$.

    Raises:
        InvalidArgumentError: If the leaf is not one of 1, ..., leaves.

    >>> [nodes_of_leaf(t, 5) for t in range(1, 6)]
    [3, 3, 3, 3, 1]
    """
    t, n = natural("leaf", leaf), natural("leaves", leaves)
    if t > n:
        raise InvalidArgumentError("leaf", leaf, f"must be at most the number of leaves, {n}")
    return sum(((((t - 1) >> h) + 1) << h) <= n for h in range(n.bit_length()))


def most_nodes(leaves: int, *, padded: bool = False) -> int:
    r"""The most nodes that one leaf is part of: $\lfloor\log_2 n\rfloor+1$, or padded $\lceil\log_2 n\rceil+1$.

    >>> [(n, most_nodes(n), most_nodes(n, padded=True)) for n in (1, 2, 3, 4, 5)]
    [(1, 1, 1), (2, 2, 2), (3, 2, 3), (4, 3, 3), (5, 3, 4)]
    """
    n = natural("leaves", leaves)
    return (n - 1).bit_length() + 1 if padded else n.bit_length()


def tree_event(node: Event, leaves: int, *, padded: bool = False) -> Event:
    """What a tree spends whose every node is released by one event, for a record that enters one leaf.

    Args:
        node: The event of one node; its multiplier is stated for the sensitivity of *one leaf's* sum.
        leaves: Number of leaves, public.
        padded: Whether nodes that reach beyond the last leaf are released too.

    >>> from fractions import Fraction
    >>> from dpref.privacy.events.ledger import Gaussian
    >>> print(tree_event(Gaussian(Fraction(5)), 1000))
    compose(gaussian(noise_multiplier=5), 10)
    """
    return Repeat(node, most_nodes(leaves, padded=padded))


def tree_sensitivity(
    leaves: int, max_participations: int | None = None, min_separation: int = 1, *, padded: bool = False
) -> SquaredSensitivity:
    r"""The squared sensitivity of all nodes, of a record in several leaves: $\max_\pi\sum_v|\pi\cap v|^2$ over nodes v.

    All inner products of columns of the tree's matrix are counts of common nodes, hence not negative, so that equal
    contributions attain it.

    Args:
        leaves: Number of leaves.
        max_participations: k, or None for as many as fit.
        min_separation: b; two leaves of one record are at least that far apart.
        padded: Whether nodes that reach beyond the last leaf are released too.

    Returns:
        The exact value; where neither the leaves 1, b + 1, 2b + 1, ... are a pattern with the most in every level, nor
        dynamic programming stays within its budget, a bound, and what those leaves have.

    >>> [tree_sensitivity(8, k, b).squared for k, b in ((1, 1), (2, 4), (2, 1), (4, 2))] == [4, 10, 14, 32]
    True
    """
    pattern = Pattern.of(leaves, max_participations, min_separation)
    if pattern.most == 1:
        found = Fraction(most_nodes(leaves, padded=padded))
        return SquaredSensitivity(found, found, ONE)
    bound, low = _level_bound(pattern, padded=padded), _of_equal_steps(pattern, padded=padded)
    if low == bound:
        return SquaredSensitivity(Fraction(bound), Fraction(low), LEVELS)
    exact = _most_on_tree(pattern, padded=padded) if pattern.most <= MOST_COUNTED else None
    if exact is None:
        return SquaredSensitivity(Fraction(bound), Fraction(low), LEVELS)
    return SquaredSensitivity(Fraction(exact), Fraction(exact), DYNAMIC)


def _heights(leaves: int, *, padded: bool) -> range:
    return range(most_nodes(leaves, padded=padded))


def _level_bound(pattern: Pattern, *, padded: bool) -> int:
    """Level by level: a node of w leaves holds at most w/b of a record's, rounded up, and all hold at most k."""
    total = 0
    for height in _heights(pattern.steps, padded=padded):
        width = 1 << height
        most = min(pattern.most, -(-width // pattern.separation))
        released = -(-pattern.steps // width) if padded else pattern.steps // width
        held = min(pattern.most, released * most)
        total += held // most * most**2 + (held % most) ** 2
    return total


def _of_equal_steps(pattern: Pattern, *, padded: bool) -> int:
    """The value of the leaves 1, b + 1, 2b + 1, ..., as far as they are counted."""
    total, heights = 0, _heights(pattern.steps, padded=padded)
    counted = min(pattern.most, MOST_PLACES, max(1, MOST_LOOKS // len(heights)))
    places = range(0, counted * pattern.separation, pattern.separation)
    for height in heights:
        held = Counter(place >> height for place in places)
        total += sum(k * k for node, k in held.items() if padded or (node + 1) << height <= pattern.steps)
    return total


class _Block(NamedTuple):
    """Patterns inside an interval of leaves, all with one count of leaves in each node.

    Attributes:
        value: The sum over the nodes inside.
        before: How many free leaves there can be before the first one of the pattern,
        after: after the last one,
        around: and together; every smaller choice is possible too.
    """

    value: int
    before: int
    after: int
    around: int


_Blocks: TypeAlias = dict[int, list[_Block]]  # by the number of leaves in the pattern, from one


def _most_on_tree(pattern: Pattern, *, padded: bool) -> int | None:
    """Dynamic programming from the leaves to the root; None where there are too many blocks to keep."""
    if pattern.steps.bit_length() > _HIGHEST:
        return None
    kept: dict[tuple[int, int], _Blocks] = {}

    def blocks(height: int, leaves: int) -> _Blocks:
        """Of a node of that height, whose first so many leaves exist."""
        width = 1 << height
        if leaves == 0:
            return {}
        if height == 0:
            return {1: [_Block(1, 0, 0, 0)]}
        if (height, leaves) not in kept:
            half = width >> 1
            parts = blocks(height - 1, min(leaves, half)), blocks(height - 1, max(0, leaves - half))
            released = padded or leaves == width
            kept[height, leaves] = _joined(*parts, half, pattern, released=released)
            if leaves == width:  # one leaf may be any of them: in halves it would be as many blocks as leaves
                kept[height, leaves][1] = [_Block(height + 1, width - 1, width - 1, width - 1)]
        return kept[height, leaves]

    try:
        found = blocks((pattern.steps - 1).bit_length(), pattern.steps)
    except PrecisionError:
        return None
    return max(block.value for some in found.values() for block in some)


def _joined(left: _Blocks, right: _Blocks, half: int, pattern: Pattern, *, released: bool) -> _Blocks:
    """A node's blocks from those of its children, each of so many leaves."""
    found: dict[int, list[_Block]] = {}
    for m, blocks in left.items():
        found.setdefault(m, []).extend(_Block(v, f, g + half, h + half) for v, f, g, h in blocks)
    for m, blocks in right.items():
        found.setdefault(m, []).extend(_Block(v, f + half, g, h + half) for v, f, g, h in blocks)
    checkpoint(DYNAMIC)
    need = pattern.separation - 1
    if sum(map(len, left.values())) * sum(map(len, right.values())) > MOST_PAIRS:
        raise PrecisionError(f"{DYNAMIC} has too many cases")
    for (m, firsts), (k, seconds) in product(left.items(), right.items()):
        if m + k <= pattern.most:
            pairs = ((a, b) for a, b in product(firsts, seconds) if a.after + b.before >= need)
            found.setdefault(m + k, []).extend(_pair(a, b, need) for a, b in pairs)
    table = {m: _undominated(blocks) for m, blocks in found.items() if blocks}
    if not released:
        return table
    return {m: [block._replace(value=block.value + m * m) for block in blocks] for m, blocks in table.items()}


def _pair(a: _Block, b: _Block, need: int) -> _Block:
    before = min(a.before, a.around + b.before - need)
    after = min(b.after, b.around + a.after - need)
    return _Block(a.value + b.value, before, after, min(before + after, a.around + b.around - need))


def _undominated(blocks: list[_Block]) -> list[_Block]:
    kept: list[_Block] = []
    for block in sorted(set(blocks), reverse=True):  # so that none before it has a smaller value
        _, f, g, h = block
        if not any(before >= f and after >= g and around >= h for _, before, after, around in kept):
            kept.append(block)
    return kept
