"""A tape for ``jax.random.normal``, and runs of an optax aggregation on it.

``optax.contrib.differentially_private_aggregate`` splits its key once a step, calls ``jax.random.normal(key, shape,
dtype)`` once a leaf in the order of ``jax.tree.flatten``, adds clip * noise multiplier * draw to the sum of the clipped
gradients and divides by the batch.

A key is a value: who draws with it twice gets the same numbers twice.  So does the tape: a key that was used keeps
its draws.  Under compilation a draw would be baked in, so that everything runs under ``jax.disable_jit()``, and a
traced key is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from dpref.errors import InvalidArgumentError, MissingExtraError
from dpref.foreign.replay.patching import patched
from dpref.foreign.replay.recording import Conventions, ForeignRun, Leaf, Recording, Step
from dpref.foreign.replay.tape import Tape, UnexpectedDraw
from dpref.reals import FloatArray


def _jax() -> Any:
    try:
        import jax  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtraError("jax is not installed: pip install jax optax") from None
    return jax


class _Keys:
    """The draws that each key has had."""

    def __init__(self, tape: Tape) -> None:
        self._jax, self._tape = _jax(), tape
        self._seen: dict[bytes, Any] = {}
        self.silent = False
        self.calls = 0

    def normal(self, key: Any, shape: Any = (), dtype: Any = float, **_: Any) -> Any:
        """In place of ``jax.random.normal``, whatever keywords a version of it has besides."""
        self.calls += 1
        numbers = self._jax.numpy
        if isinstance(key, self._jax.core.Tracer):
            raise UnexpectedDraw("jax.random.normal has a traced key: the tape would be compiled into the function")
        shape = tuple(shape)
        if self.silent:
            return numbers.zeros(shape, dtype)
        name = np.asarray(self._jax.random.key_data(key)).tobytes()
        if name not in self._seen:
            self._seen[name] = self._tape.take("gaussian", shape, "jax.random.normal")
        elif self._seen[name].shape != shape:
            raise UnexpectedDraw(f"one key draws the shapes {self._seen[name].shape} and {shape}")
        return numbers.asarray(self._seen[name], dtype)


@contextmanager
def taped_normal(tape: Tape) -> Iterator[_Keys]:
    """A block in which ``jax.random.normal`` reads a tape, and nothing is compiled.

    Args:
        tape: The tape.

    Yields:
        An object whose ``silent`` turns the draws off and whose ``calls`` counts them.

    Raises:
        UnexpectedDraw: If nothing was drawn.
    """
    jax, keys = _jax(), _Keys(tape)
    with patched(jax.random, {"normal": keys.normal}, lambda: keys.calls), jax.disable_jit():
        yield keys


def replay_optax(
    reference: Recording,
    aggregate: Any,
    then: Any,
    gradients: Callable[[Any], Any],
    parameters: Any,
    *,
    conventions: Conventions | None = None,
    draws: tuple[FloatArray, ...] | None = None,
) -> ForeignRun:
    """Run an optax training loop on the tape of a recording.

    Each step aggregates twice with one state, with the draws and with zeros in their place: what differs is the noise
    that was really added.

    Args:
        reference: The recording.
        aggregate: The transformation of per-example gradients that clips and adds noise.
        then: The transformation that follows in the chain, such as ``optax.sgd(0.1)``.
        gradients: Parameters to per-example gradients, a tree whose leaves have the batch in front.
        parameters: Where the run begins, a tree; its leaves are flattened in the order of ``jax.tree.flatten``.
        conventions: In which units ``aggregate`` answers; by default a mean of gradients clipped a record.
        draws: Other draws than the recorded ones.

    Returns:
        Query, noise, answer and iterate of each step.

    Raises:
        InvalidArgumentError: If the parameters have another number of coordinates than the answers.
        UnexpectedDraw: If it draws otherwise than the recorded run.
    """
    jax = _jax()
    import optax  # noqa: PLC0415 - optional

    leaves = jax.tree.leaves_with_path(parameters)
    layout = tuple(Leaf(jax.tree_util.keystr(path), tuple(np.shape(leaf))) for path, leaf in leaves)
    width = sum(leaf.size for leaf in layout)
    if reference.draws and width != reference.draws[0].size:
        rule = f"have {width} coordinates, an answer has {reference.draws[0].size}"
        raise InvalidArgumentError("parameters", layout, rule)
    tape, steps = Tape(reference, draws), []
    with taped_normal(tape) as keys:
        state, rest = aggregate.init(parameters), then.init(parameters)
        for _ in range(reference.steps):
            given = gradients(parameters)
            answer, following = aggregate.update(given, state, parameters)
            keys.silent = True
            query, _ = aggregate.update(given, state, parameters)
            keys.silent = False
            state = following
            move, rest = then.update(answer, rest, parameters)
            parameters = optax.apply_updates(parameters, move)
            q, a, x = _flat(query), _flat(answer), _flat(parameters)
            steps.append(Step(query=q, noise=a - q, answer=a, iterate=x))
    dtype = "float64" if all(np.asarray(leaf).dtype == np.float64 for _, leaf in leaves) else "float32"
    said = conventions or Conventions(divisor="batch", clip="per-record", layout=layout, dtype=cast(Any, dtype))
    return ForeignRun(steps=tuple(steps), conventions=said, unread=tape.unread, how="a patch of jax.random.normal")


def _flat(tree: Any) -> FloatArray:
    return np.concatenate([np.asarray(leaf, dtype=np.float64).ravel() for leaf in _jax().tree.leaves(tree)])
