"""Which weights of an artifact an optimizer may change."""

from __future__ import annotations

import jax.numpy as jnp

from ._artifact import Artifact

_STATISTICS = ("running_mean", "running_var")


def trainable_names(artifact: Artifact) -> set[str]:
    """Returns the names of weights that an optimizer may change.

    They are those that the manifest names; where it names none (a file of another platform),
    all floating weights but the running statistics of batch norms.
    """
    named = artifact.manifest.get("trainable")
    if named is not None:
        return {name for name in named if name in artifact.weights}
    fixed = set()
    for role, program in artifact.programs.items():
        names = dict(zip(program.captures, artifact.manifest["captures"][role], strict=True))
        for call in program.calls:
            if call.op.name == "batch_norm_infer":
                given = call.arguments()
                fixed |= {names[given[s]] for s in _STATISTICS if given[s] in names}
    weights = artifact.weights.items()
    return {n for n, a in weights if jnp.issubdtype(a.dtype, jnp.inexact) and n not in fixed}
