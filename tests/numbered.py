"""What the papers and their specifications number; of errata those that are no matter of printing."""

from __future__ import annotations

from typing import Final

NUMBERED: Final = {
    "dp-erm-revisited": (*(f"P{n}" for n in range(1, 77)), "P4a", "P7a"),
    "kl-condition": tuple(f"PO-{n}" for n in range(1, 59)),
    "private-saddle-points": tuple(f"P{n}" for n in range(1, 68)),
    "private-online-frank-wolfe": (
        *(f"PO-{n}" for n in range(1, 56)),
        *("PO-46b", "S-7", "S-9", "S-10", "S-11", "A-7", "A-8"),
    ),
}
ERRATA: Final = {
    "dp-erm-revisited": tuple(f"E{n}" for n in (*range(1, 16), 17, 18, 26, 27, 28, 29, 32, 33, 34)),
    # Tagged P, U or C in the specification.
    "kl-condition": (
        *(f"E{n}" for n in (1, *range(3, 7), *range(8, 12), 13, 17, 18, 20, *range(22, 29), *range(30, 34), 40)),
        *("E35", "E36", "E37"),
    ),
    "private-saddle-points": tuple(
        f"E{n}" for n in (*range(1, 12), 13, 14, 15, 18, 19, 20, 25, 26, 27, 28, 30, 31, 32, 35, 36, 37, 38, 39, 41)
    ),
    "private-online-frank-wolfe": tuple(f"E-{n}" for n in (*range(1, 30), 31, 33, 34, 42, 44, 45)),
}
# Of these the ones that say something false; the others say what holds.
REFUTED: Final = {
    "dp-erm-revisited": {f"E{n}" for n in (*range(1, 12), 14, 15, 17, 18, 26)},
    "kl-condition": set(ERRATA["kl-condition"]) - {"E9", "E17", "E35", "E36", "E37"},
    "private-saddle-points": {*(f"E{n}" for n in (1, 2, 3, *range(5, 11))), "P64"},
    "private-online-frank-wolfe": {
        f"E-{n}" for n in (1, 2, *range(4, 12), 13, 14, 15, 17, 21, 22, 23, *range(25, 30), 31, 33, 34, 42, 45)
    },
}
