"""Matrix mechanisms from what an optimizer holds: arrays of doubles, each read as the decimal that it prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from dpref.errors import InvalidArgumentError
from dpref.privacy.events.given import Number, exactly, positively
from dpref.privacy.events.matrix import MatrixGaussian
from dpref.reals import Array


def matrix_mechanism(
    matrix: Sequence[Iterable[Number]] | Array,
    *,
    noise_multiplier: Number,
    max_participations: int | None = None,
    min_separation: int = 1,
    rate: Number | None = None,
) -> MatrixGaussian:
    """The event of a lower triangular matrix.

    Args:
        matrix: Rows, shape (n, n), or each row up to its diagonal: an array, or lists of exact numbers, texts or
            doubles.
        noise_multiplier: Standard deviation of the noise over the clipping norm, positive.
        max_participations: As of `dpref.privacy.events.matrix.MatrixGaussian`.
        min_separation: Likewise.
        rate: Likewise.

    Raises:
        InvalidArgumentError: If an entry is no finite number, or one above the diagonal is not zero.

    >>> matrix_mechanism([[1.0, 0.0], [0.5, 1.0]], noise_multiplier=2).matrix
    (Fraction(1, 1), Fraction(1, 2), Fraction(1, 1))
    """
    entries: list[Fraction] = []
    for t, row in enumerate(matrix):
        numbers = [exactly(f"matrix[{t}]", x) for x in row]
        if len(numbers) not in {t + 1, len(matrix)} or any(numbers[t + 1 :]):
            rule = f"must have {t + 1} entries, or {len(matrix)} of which those beyond the diagonal are zero"
            raise InvalidArgumentError(f"matrix[{t}]", len(numbers), rule)
        entries.extend(numbers[: t + 1])
    multiplier = positively("noise_multiplier", noise_multiplier)
    chance = None if rate is None else positively("rate", rate)
    return MatrixGaussian(multiplier, tuple(entries), max_participations, min_separation, chance)
