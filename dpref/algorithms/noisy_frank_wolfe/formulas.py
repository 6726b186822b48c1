r"""The numbers of NoisySFW over any number system: what runs and what proofs read.

Notation: n records, of which the first answer reads $m=\lfloor\frac n2\rfloor$ and each later one
$b=\lfloor\frac{\sqrt n}2\rfloor$ of the others; L bounds the dual norm of a record's gradient, $\beta$ is its
smoothness, D the set's diameter, $\eta$ the step size; ``records`` is 2 under replace-one, 1 under zero-out.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def step_size(o: Ops[T], n: T, scale: T) -> T:
    r"""$\eta=c\,\frac{\ln n}{2\sqrt n}$ with a scale c, 1 in the paper.

    >>> from dpref.reals import FLOAT
    >>> round(step_size(FLOAT, 10000.0, 1.0), 4)
    0.0461
    """
    return scale * o.log(n) / (2 * o.sqrt(n))


def gradient_sensitivity(o: Ops[T], records: T, lipschitz: T, batch: T) -> T:
    r"""$\frac{2L}m$ of a mean of m gradients when a record is replaced, $\frac Lm$ when it is nulled (S-10).

    >>> from dpref.reals import FLOAT
    >>> gradient_sensitivity(FLOAT, 2.0, 3.0, 4.0)
    1.5
    """
    return records * lipschitz / batch


def difference_sensitivity(o: Ops[T], records: T, smoothness: T, diameter: T, step: T, batch: T) -> T:
    r"""$\frac{2\beta D\eta}b$ of a mean of b gradient differences, at iterates that are $D\eta$ apart or less (S-11).

    >>> from dpref.reals import FLOAT
    >>> difference_sensitivity(FLOAT, 2.0, 1.0, 4.0, 0.5, 8.0)
    0.5
    """
    return records * smoothness * diameter * step / batch


def printed_difference_sensitivity(o: Ops[T], smoothness: T, diameter: T, step: T, n: T) -> T:
    r"""$\frac{4\beta D\eta}{\sqrt n}$: the same where $\frac{\sqrt n}2$ is an integer, and less elsewhere.

    >>> from dpref.reals import FLOAT
    >>> printed_difference_sensitivity(FLOAT, 1.0, 4.0, 0.5, 256.0)
    0.5
    """
    return 4 * smoothness * diameter * step / o.sqrt(n)
