"""New processes: the import, import to first loss, the first step alone, and memory."""

from __future__ import annotations

from bench._workload import Target, Workload

_COMPILED = (Target("proa compiled", ("torch.compile", "keras", "jax"), 1.0),)
_MEMORY = tuple(
    Target(ours, ("torch eager", "torch.compile"), 1.0) for ours in ("proa eager", "proa compiled")
)

WORKLOADS = [
    Workload(
        name="import",
        about="new process, `import` alone",
        fresh="MLP",
        figure="import",
        warm=1,
        targets=(Target("proa eager", ("jax",), 1.3),),
        left_out=("proa compiled", "paddle to_static", "torch.compile", "keras"),
        quick=True,
    ),
    Workload(
        name="import and first step, MLP",
        about="new process, second run of the script",
        fresh="MLP",
        figure="start",
        warm=1,
        targets=(Target("proa eager", ("paddle eager", "torch eager"), 1.0), *_COMPILED),
        quick=True,
    ),
    Workload(
        name="first step, ResNet-50",
        about="new process, second run of the script",
        fresh="ResNet-50",
        figure="compile",
        warm=1,
        targets=(Target("proa compiled", (), 3.0), *_COMPILED),
        left_out=("paddle eager", "paddle to_static", "torch.compile"),
    ),
    *(
        Workload(
            name=f"memory, {name}",
            about="peak of a new process in training, above that of its import",
            fresh=name,
            figure="memory",
            targets=_MEMORY,
            left_out=("paddle eager", "paddle to_static", "keras", "torch.compile"),
        )
        for name in ("MLP", "ResNet-18", "encoder 12x768")
    ),
]
