"""optax's aggregation, written again with one mistake each."""

from __future__ import annotations

from typing import Any, Final

BUGS: Final = ("halved", "silent", "mean", "leaves", "batch", "twice")


def aggregate(bug: str, clip: float, multiplier: float, steps: int) -> Any:
    """A transformation with the mistake; the right one clips each record, adds noise to the sum and divides."""
    import jax
    import jax.numpy as jnp
    import optax

    def clipped(grads: list[Any]) -> list[Any]:
        if bug == "batch":
            mean = [g.mean(axis=0) for g in grads]
            factor = jnp.minimum(1.0, clip / optax.tree.norm(mean))
            return [m * factor * grads[0].shape[0] for m in mean]
        sums, _ = optax.per_example_global_norm_clip(grads, clip)
        return list(sums)

    def update(grads: Any, state: Any, params: Any = None) -> Any:
        leaves, tree = jax.tree.flatten(grads)
        t, key, last = state
        own = key if last is not None and bug == "twice" and t == 3 else jax.random.fold_in(key, 0)
        keys = jax.random.split(last if bug == "twice" and t == 3 else own, len(leaves))
        order = list(range(len(leaves)))[:: -1 if bug == "leaves" else 1]
        draws = {k: jax.random.normal(keys[k], leaves[k].shape[1:], leaves[k].dtype) for k in order}
        scale = clip * multiplier
        scale *= {("halved", 3): 0.5, ("silent", steps - 1): 0.0}.get((bug, t), 1.0)
        n = leaves[0].shape[0]
        scale /= n if bug == "mean" and t >= 2 else 1
        noisy = [(s + scale * draws[k]) / n for k, s in enumerate(clipped(leaves))]
        return jax.tree.unflatten(tree, noisy), (t + 1, own, own)

    return optax.GradientTransformation(lambda params: (0, jax.random.key(7), None), update)
