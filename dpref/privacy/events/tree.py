r"""The binary tree of partial sums: how many noisy nodes one leaf is part of, and what its ledger is.

The leaves 1..n are the steps of a stream; the node (h, j) holds the sum over the leaves $j2^h+1,\dots,(j+1)2^h$.  Nodes
that contain one leaf are nested, one for each height.

* A node is *released* once all its leaves have arrived, so only nodes inside 1..n are.  Leaf t is in the node of height
  h as long as $(\lfloor(t-1)/2^h\rfloor+1)2^h \le n$.  The first leaf is in all nodes $1,\dots,2^h$ with $2^h \le n$:
  $\lfloor\log_2 n\rfloor+1$ of them, and no leaf can be in more, since a node of height h needs $2^h \le n$ leaves.
* A tree *padded* to the next power of two releases its root as well: $\lceil\log_2 n\rceil+1$ nodes for every leaf.
  The two counts are equal if n is a power of two.

A record that enters one leaf changes at most that many nodes, each by at most the sensitivity of one leaf, so the
release spends what that many compositions of one node's event spend, adaptively chosen streams included.

References:
    Dwork, Naor, Pitassi and Rothblum, "Differential privacy under continual observation", 2010, Section 3.
    Chan, Shi and Song, "Private and continual release of statistics", 2011, Section 3.
    Denisov, McMahan, Rush, Smith and Guha Thakurta, "Improved differential privacy for SGD via optimal private linear
    operators on adaptive streams", 2022, Theorem 2.1 (adaptive streams, Gaussian noise).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.ledger import Event, Repeat


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
