r"""A tape for torch's normal draws, for a loop of one's own and for the optimizers of Opacus.

``torch.normal``, ``torch.randn``, ``torch.randn_like`` and ``Tensor.normal_`` read the tape while a block runs.  Opacus
draws ``torch.normal`` once a parameter, in the order of ``optimizer.params``, of standard deviation
noise_multiplier * max_grad_norm, adds it to the sum of the clipped gradients and (with ``loss_reduction="mean"``)
divides by the expected batch size times the accumulated iterations.  It clips by $\frac C{\|g\|+10^{-6}}$.  Its
``secure_mode`` throws one draw away and adds up four: that is refused, as no tape of one draw a coordinate can stand
for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np

from dpref.errors import InvalidArgumentError, MissingExtraError
from dpref.foreign.replay.patching import patched
from dpref.foreign.replay.recording import Conventions, ForeignRun, Leaf, Recording, Step
from dpref.foreign.replay.tape import Tape
from dpref.reals import FloatArray

OPACUS_SLACK: Final = Fraction(1, 10**6)


def _torch() -> Any:
    try:
        import torch  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtraError("torch is not installed: pip install torch") from None
    return torch


class _Draws:
    """Stands in for torch's functions."""

    def __init__(self, tape: Tape) -> None:
        self._torch, self._tape = _torch(), tape
        self.calls = 0

    def _taken(self, shape: tuple[int, ...], method: str, mean: Any, std: Any, options: dict[str, Any]) -> Any:
        self.calls += 1
        scale = float(std) if np.ndim(std) == 0 else float("nan")
        numbers = self._tape.take("gaussian", shape, method, scale)
        options = {k: v for k, v in options.items() if k in {"dtype", "device"} and v is not None}
        unit = self._torch.as_tensor(numbers, **{"dtype": self._torch.get_default_dtype(), **options})
        return mean + std * unit

    def normal(self, mean: Any = 0.0, std: Any = 1.0, size: Any = None, **options: Any) -> Any:
        """In place of ``torch.normal``."""
        if size is None:
            like = mean if hasattr(mean, "shape") else std
            size, options = like.shape, {"dtype": like.dtype, **options}
        return self._taken(tuple(size), "torch.normal", mean, std, options)

    def randn(self, *size: Any, **options: Any) -> Any:
        """In place of ``torch.randn``."""
        shape = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
        return self._taken(tuple(shape), "torch.randn", 0.0, 1.0, options)

    def randn_like(self, given: Any, **options: Any) -> Any:
        """In place of ``torch.randn_like``."""
        options = {"dtype": given.dtype, "device": given.device, **options}
        return self._taken(tuple(given.shape), "torch.randn_like", 0.0, 1.0, options)


@contextmanager
def taped_torch(tape: Tape) -> Iterator[None]:
    """A block in which torch's normal draws are read from a tape.

    Args:
        tape: The tape.

    Raises:
        UnexpectedDraw: If nothing was drawn, or the code draws otherwise than the recorded run.
    """
    torch, draws = _torch(), _Draws(tape)

    def normal_(own: Any, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Any:
        return own.copy_(draws.normal(mean, std, own.shape, dtype=own.dtype, device=own.device))

    functions: dict[str, Callable[..., Any]] = {
        "normal": draws.normal,
        "randn": draws.randn,
        "randn_like": draws.randn_like,
    }
    original = torch.Tensor.normal_
    torch.Tensor.normal_ = normal_
    try:
        with patched(torch, functions, lambda: draws.calls):
            yield
    finally:
        torch.Tensor.normal_ = original


def replay_torch(
    reference: Recording,
    step: Callable[[int], Any],
    parameters: Callable[[], Any],
    *,
    conventions: Conventions | None = None,
    draws: tuple[FloatArray, ...] | None = None,
) -> ForeignRun:
    """Run a torch loop on the tape of a recording.

    Args:
        reference: The recording.
        step: Takes step t, and returns nothing, or a `Step` with what it knows besides the iterate.
        parameters: The parameters after it, an iterable of tensors.
        conventions: In which units the steps speak; by default means, in the precision of the parameters.
        draws: Other draws than the recorded ones.

    Returns:
        The iterate of each step, and what ``step`` says.

    Raises:
        UnexpectedDraw: If it draws otherwise than the recorded run.
    """
    tape, steps = Tape(reference, draws), []
    with taped_torch(tape):
        for t in range(reference.steps):
            known = step(t) or Step()
            x = flat(parameters())
            steps.append(Step(query=known.query, noise=known.noise, answer=known.answer, iterate=x))
    said = conventions or Conventions(dtype=_precision(parameters()))
    return ForeignRun(steps=tuple(steps), conventions=said, unread=tape.unread, how="a patch of torch's normal draws")


def replay_opacus(
    reference: Recording,
    optimizer: Any,
    backward: Callable[[], Any],
    *,
    draws: tuple[FloatArray, ...] | None = None,
) -> ForeignRun:
    """Run an optimizer of Opacus on the tape of a recording.

    Args:
        reference: The recording.
        optimizer: A ``DPOptimizer`` over the parameters of a ``GradSampleModule``.
        backward: Runs the model on the batch and calls ``backward()``; it is called after ``zero_grad``.
        draws: Other draws than the recorded ones.

    Returns:
        Query, noise, answer and iterate of each step, in the unit of ``p.grad``.

    Raises:
        InvalidArgumentError: If ``secure_mode`` is on.
        UnexpectedDraw: If it draws otherwise than the recorded run.
    """
    if getattr(optimizer, "secure_mode", False):
        raise InvalidArgumentError("secure_mode", True, "adds up four draws a coordinate: replay with it off")
    seen: dict[str, FloatArray] = {}
    inner, mean = optimizer.original_optimizer, optimizer.loss_reduction == "mean"
    real = inner.step

    def noting(*given: Any, **named: Any) -> Any:
        divisor = optimizer.expected_batch_size * optimizer.accumulated_iterations if mean else 1
        seen["query"] = flat(p.summed_grad for p in optimizer.params) / divisor
        seen["answer"] = flat(p.grad for p in optimizer.params)
        return real(*given, **named)

    def one(_: int) -> Step:
        optimizer.zero_grad()
        backward()
        optimizer.step()
        return Step(query=seen["query"], noise=seen["answer"] - seen["query"], answer=seen["answer"])

    inner.step = noting
    layout = tuple(Leaf(f"parameter {k}", tuple(p.shape)) for k, p in enumerate(optimizer.params))
    said = Conventions(
        gradient="mean" if mean else "sum",
        std_of="sum",
        divisor="expected-batch" if mean else "one",
        clip="per-record",
        clip_slack=OPACUS_SLACK,
        layout=layout,
        dtype=_precision(optimizer.params),
    )
    try:
        return replay_torch(reference, one, lambda: optimizer.params, conventions=said, draws=draws)
    finally:
        inner.step = real


def _precision(tensors: Any) -> Literal["float64", "float32"]:
    return "float64" if all(str(x.dtype) == "torch.float64" for x in tensors) else "float32"


def flat(tensors: Any) -> FloatArray:
    """The coordinates of several tensors, one after another, as doubles.

    Args:
        tensors: An iterable of tensors.
    """
    return np.concatenate([x.detach().cpu().double().numpy().ravel() for x in tensors])
