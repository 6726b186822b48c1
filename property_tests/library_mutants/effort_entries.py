"""Changes of searches in floats, which decide effort and width alone: judged by `effort`, where nothing kills them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from property_tests.library_mutants import effort
from property_tests.library_mutants.entry import Equivalent
from property_tests.library_mutants.equivalent_values import Valid


def _searched(
    function: str, reason: str, values: Callable[[], list[Valid]], *statements: str, module: str = "dpref.privacy.fast"
) -> Equivalent:
    """Changes of a function; of some of its statements only, if these are named by how they begin."""
    changes = tuple(f"* in `{s}*" for s in statements) or ("*",)
    return Equivalent(f"{module}.{function}", changes, reason, values, last=True)


_EDGES: Final = "an edge may lie anywhere: what is merged between edges is certified, and what is not is left out"
_SEARCH: Final = "a tilt or a window that is found in floats: any is valid, what it leaves out is bounded"
_GRID: Final = "which grid, how far it reaches and in how many stages: any is valid"
_AGAIN: Final = "whether it is worth computing again, more finely: both intervals hold"
_NOISE: Final = "which noises are tried, and how finely: one that is returned was certified"
_STEEP: Final = "which of the ways to cover a cell is taken, and how often it is tried: each way is proved"

EFFORT: Final[tuple[Equivalent, ...]] = (
    _searched("edges:_*", _EDGES, effort.edges),
    _searched("edges:<module>", _EDGES, effort.edges),
    _searched(
        "edges:merge", _EDGES, effort.edges, "last = ", "if last >= ", "losses = ", "density = ", "rise = ",
        "offset = ", "edges = _points", "marched = ", "stable = ", "odd = ",
    ),
    _searched("lower:_sliver", _EDGES, effort.edges),
    _searched("lower:_ball_masses", _EDGES, effort.edges, "for attempt in "),
    _searched("lower:<module>", _EDGES, effort.edges, "_MOST_RESCUED"),
    _searched("measure:Cumulants.*", _SEARCH, effort.searches),
    _searched("measure:tilted", _SEARCH, effort.searches),
    _searched("measure:<module>", _SEARCH, effort.searches, "_BLOCK", "_LARGEST_EXPONENT"),
    _searched(
        "pld:compose", _SEARCH, effort.searches, "edges = ", "ends = ", "needed = ", "first = max", "centre = ",
        "levels = ", "if levels > ",
    ),
    _searched("pld:tilted_masses", _SEARCH, effort.searches, "exponents = ", "top = ", "alpha = "),
    _searched("pld:<module>", _SEARCH, effort.searches, "NATS", "_BISECTIONS"),
    _searched("blocks:_window_end", _SEARCH, effort.blocks_of_steps),
    _searched(
        "blocks:block", _SEARCH, effort.blocks_of_steps, "found = ", "ends = ", "needed = ", "first = max",
        "levels = ", "if levels > ",
    ),
    _searched("blocks:<module>", _SEARCH, effort.blocks_of_steps, "_BLOCK_NATS", "_ABOVE", "_LARGEST_RELATIVE"),
    *(_searched(f"grids:{name}", _GRID, effort.searches) for name in (
        "rough", "_rough_losses", "reach", "coarsest", "extent", "chosen", "<module>",
    )),
    *(_searched(f"stages:{name}", _GRID, effort.searches) for name in (
        "enough", "plan", "_work", "_cuts", "_divisor", "<module>",
    )),
    _searched("stages:factors", _GRID, effort.searches, "if rough[leading]", "room = ", "worth = ", "unit = "),
    _searched("placement:*", _GRID, effort.placed),
    *(_searched(f"curves:{name}", _GRID, effort.placed) for name in ("_bits", "_grid", "_rate", "_short", "<module>")),
    *(_searched(f"accountant:{name}", _AGAIN, effort.searches) for name in (
        "_narrowed", "_accurate", "_log", "_width",
    )),
    _searched("accountant:_delta", _GRID, effort.searches, "tilts = ", "logs = ", "wide = ", "narrow = "),
    _searched("accountant:_needed", _GRID, effort.searches, "room = ", "if room > "),
    _searched("accountant:_staged", _GRID, effort.searches, "if grids.extent"),
    _searched(
        "accountant:<module>", _AGAIN, effort.searches, "DEFAULT_WIDTH", "RELATIVE_WIDTH", "_LEAST_WIDTH", "_GOOD",
        "_WIDE", "_REFINEMENTS", "_ROOM", "_WORTH_IT", "_SHORT", "_MANY", "_LEAST_LOG",
    ),
    _searched("side_measures:_accurate", _AGAIN, effort.searches),
    _searched("side_measures:<module>", _AGAIN, effort.searches),
    _searched("coarser:_steep", _STEEP, effort.blocks_of_steps),
    _searched("coarser:below_chords", _STEEP, effort.blocks_of_steps, "while moved", "moved *= "),
    _searched("coarser:_lowered", _STEEP, effort.blocks_of_steps, "for _ in range", "wasted = ", "lowered[short] -= "),
    _searched(
        "coarser:<module>", _STEEP, effort.blocks_of_steps, "_LOWERINGS", "_MORE", "_STEEP", "_WASTE", "_WORTH"
    ),
    _searched(
        "variance_reduction:least_noise", _NOISE, effort.noises, "z, width", "for _ in", "z *= ", "excess = ",
        "if last is not", "slope = ", "if -_NEAR", "last = ", "width = ",
    ),
    _searched("variance_reduction:<module>", _NOISE, effort.noises),
    _searched("fft:_kernels", "whoever transforms, the numbers are the same", effort.compositions),
    _searched("fft:<module>", "whoever transforms, the numbers are the same", effort.compositions, "MOST_UNCOMPILED"),
    _searched("transform:<module>", "how levels are laid out changes no number", effort.compositions),
)  # fmt: skip
