"""A kernel has ``Numbers`` and ``run``, and ``run`` takes a tape and leaves a trace."""

from collections.abc import Callable
from typing import NamedTuple

from dpref.algorithms import gradient_descent
from dpref.algorithms.declaration import Kernel
from dpref.algorithms.gradient_descent import plan
from dpref.kernels import mirror
from dpref.kernels.records import Tape, Trace


class Numbers(NamedTuple):
    """Numbers of a kernel."""

    steps: int


tape: Tape


class Without:
    """A kernel that cannot be run."""

    __name__ = "without"
    Numbers = Numbers


class Tapeless(Without):
    """A kernel that reads no tape."""

    run: Callable[[object, Numbers], Trace]


def needs(kernel: Kernel) -> None:
    """Take a kernel."""


class Right(Without):
    """A kernel."""

    run: Callable[[object, object, Tape], Trace]


needs(Right())
needs(Without())  # error: [arg-type]
needs(Tapeless())  # error: [arg-type]
needs(mirror)  # error: [arg-type]
needs(plan)  # error: [arg-type]

kernel = gradient_descent.ALGORITHM.kernel
kernel.rum  # error: [attr-defined]
kernel.run(None, None)  # error: [call-arg]
number: int = kernel.run(None, None, tape)  # error: [assignment]
