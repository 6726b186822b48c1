"""Private tree aggregation over streams of every length: exact without noise, small, and as deep as the ledger says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpref.mechanisms.tree import TreeAggregation
from dpref.privacy.events.tree import Node, most_nodes, nodes_of_leaf, prefix_nodes
from dpref.reals import Array


@pytest.mark.slow
@given(st.integers(1, 300), st.data())
def test_prefix_sums_are_exact_nodes_tile_and_memory_is_logarithmic(n: int, data: st.DataObject) -> None:
    """In exact rational numbers; every live node is one of the nodes that tile the elements so far (PO-42)."""
    stream = [Fraction(data.draw(st.integers(-99, 99)), 7) for _ in range(min(n, 40))]
    tree, total = TreeAggregation(n), Fraction(0)
    for t in range(1, n + 1):
        x = stream[t % len(stream)]
        total += x
        assert tree.add(np.array([x], dtype=object), lambda node: node)[0] == total
        assert len(tree.live) == t.bit_count() <= n.bit_length()
        ends = np.cumsum([1 << node.height for node in tree.live])
        covered = [Node(int(e) - (1 << node.height) + 1, int(e)) for e, node in zip(ends, tree.live, strict=True)]
        assert tuple(covered) == prefix_nodes(t)
    assert tree.depth == most_nodes(n)


@given(st.integers(1, 200))
def test_each_element_is_in_at_most_as_many_released_nodes_as_the_ledger_counts(n: int) -> None:
    """Every node that is released, with the elements in it: unit vectors as elements show who is in which node."""
    released: list[Array] = []

    def release(total: Array) -> Array:
        released.append(total)
        return total

    tree = TreeAggregation(n)
    for row in np.eye(n, dtype=np.int64):
        tree.add(row, release)
    entered = np.sum(released, axis=0)
    assert len(released) == n
    assert entered.max() == entered[0] == tree.depth == most_nodes(n)
    assert all(entered[t - 1] <= nodes_of_leaf(t, n) for t in range(1, n + 1))
