r"""Private tree aggregation: every prefix sum of a stream from $O(\log n)$ noisy sums.

When element t arrives, the node is completed that holds the last $2^h$ elements, $2^h$ the largest power of two that
divides t; its sum is released once, with its own noise.  The answer at t is the sum of the nodes that tile
$1,\dots,t$, one for each binary digit 1 of t.  Nobody needs the other nodes any more, so that at most
$\lfloor\log_2n\rfloor+1$ of them are kept.

This is the tree of the paper's Algorithm 5 without its right children, which it makes noisy and never reads.  The print
leaves the root of a full tree without noise (line 7 finds no left child at $t=n=2^j$; erratum E-18); here every node
that is read has noise.  An element is part of at most $\lfloor\log_2n\rfloor+1$ nodes (the paper counts
$\lceil\log_2n\rceil+1$; E-20), which the aggregation counts as it goes.

A node moves as far as the one element that moves only if its sum is exact: doubles round, and what they lose may depend
on the element (of $2^{60}$, x and $-2^{60}$ only a multiple of 256 is left).  Elements of Python integers, in arrays of
objects, are added exactly.

References:
    Guha Thakurta and Smith, "(Nearly) optimal algorithms for private online learning", 2013.
    Chan, Shi and Song, "Private and continual release of statistics", 2011, Section 3.
    Han et al., "On private online convex optimization", Algorithm 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.reals import Array


@final
@dataclass(frozen=True)
class LiveNode:
    """A completed node that a later answer or a larger node may still need.

    Attributes:
        height: It holds ``2 ** height`` elements.
        total: Their exact sum, shape (d,): never shown.
        noisy: What was released, shape (d,).
        depth: The most released nodes that one of its elements is part of, itself included.

    >>> import numpy as np
    >>> tree = TreeAggregation(3)
    >>> _ = [tree.add(np.array([x]), lambda total: total) for x in (1.0, 2.0, 4.0)]
    >>> [(node.height, node.total.tolist(), node.depth) for node in tree.live]
    [(1, [3.0], 2), (0, [4.0], 1)]
    """

    height: int
    total: Array
    noisy: Array
    depth: int


@final
class TreeAggregation:
    """Noisy prefix sums of at most ``leaves`` elements, one element at a time.

    Args:
        leaves: n, an upper bound on the length of the stream, public.

    >>> import numpy as np
    >>> tree = TreeAggregation(4)
    >>> sums = [tree.add(np.array([x]), lambda total: total).tolist() for x in (1.0, 2.0, 4.0, 8.0)]
    >>> sums, tree.depth, len(tree.live)
    ([[1.0], [3.0], [7.0], [15.0]], 3, 1)
    """

    def __init__(self, leaves: int) -> None:
        self.leaves: int = natural("leaves", leaves)
        self.arrived: int = 0
        self.depth: int = 0
        self._live: list[LiveNode] = []

    @property
    def live(self) -> tuple[LiveNode, ...]:
        """The nodes that are kept, the oldest first; their heights decrease."""
        return tuple(self._live)

    def add(self, element: Array, release: Callable[[Array], Array]) -> Array:
        """The noisy sum of all elements so far, this one included.

        Args:
            element: The next element, shape (d,); copied.
            release: From a node's exact sum to its noisy one, shape (d,); called once, for the node that is completed.

        Returns:
            Shape (d,).

        Raises:
            InvalidArgumentError: If there have been ``leaves`` elements already, or the first had another shape.
        """
        if self.arrived == self.leaves:
            raise InvalidArgumentError("element", self.arrived + 1, f"the tree was planned for {self.leaves} elements")
        for node in self._live:
            if element.shape != node.total.shape:
                raise InvalidArgumentError("element", element.shape, f"must have the shape {node.total.shape}")
        total, height, depth = element.copy(), 0, 0
        while height < len(self._live) and self._live[-1 - height].height == height:
            sibling = self._live[-1 - height]
            total, height, depth = sibling.total + total, height + 1, max(depth, sibling.depth)
        # Counted before the release, which may look: nobody sees a node that is not paid for.
        self.depth = max(self.depth, depth + 1)
        node = LiveNode(height, total, release(total), depth + 1)
        self._live[len(self._live) - height :] = [node]
        self.arrived += 1
        prefix = self._live[0].noisy.copy()  # the caller may change it in place
        for node in self._live[1:]:
            prefix = prefix + node.noisy
        return prefix
