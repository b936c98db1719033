"""Rows for `paddle.optimizer` and its schedules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parity.table import Call

_O, _LR = "paddle.optimizer", "paddle.optimizer.lr"
_CLIPS = (
    Call("paddle.nn.ClipGradByGlobalNorm", 0.5),
    Call("paddle.nn.ClipGradByNorm", 0.3),
    Call("paddle.nn.ClipGradByValue", 0.2),
)
_DECAYS = (0.1, Call("paddle.regularizer.L1Decay", 0.1), Call("paddle.regularizer.L2Decay", 0.1))
_RATE = Call(f"{_LR}.ExponentialDecay", 0.1, 0.5)
# The optimizers with what makes each of them a different one; the first is as it comes.
_KINDS: dict[str, tuple[dict[str, Any], ...]] = {
    "SGD": ({},),
    "Momentum": (
        {},
        {"momentum": 0.5, "use_nesterov": True},
        {"use_multi_tensor": True},
    ),
    "Adagrad": ({}, {"initial_accumulator_value": 0.5}, {"epsilon": 0.1}),
    "Adam": (
        {},
        {"beta1": 0.5, "beta2": 0.7},
        {"epsilon": 0.1},
        {"amsgrad": True},
        {"lazy_mode": True},
        {"use_multi_tensor": True},
    ),
    "AdamW": (
        {},
        {"beta1": 0.5, "beta2": 0.7, "epsilon": 0.1},
        {"weight_decay": 0.5},
        {"amsgrad": True},
        {"weight_decay": 0.0},
    ),
    "Adamax": ({}, {"beta1": 0.5, "beta2": 0.7, "epsilon": 0.1}),
    "Adadelta": ({}, {"epsilon": 0.1, "rho": 0.5}),
    "RMSProp": (
        {},
        {"rho": 0.5, "epsilon": 0.1},
        {"momentum": 0.5},
        {"centered": True},
        {"centered": True, "momentum": 0.9},
    ),
    "Lamb": (
        {},
        {"lamb_weight_decay": 0.5},
        {"beta1": 0.5, "beta2": 0.7, "epsilon": 0.1},
        {"always_adapt": True, "lamb_weight_decay": 0.0},
    ),
    "ASGD": ({}, {"batch_num": 2}, {"batch_num": 3}),
    "NAdam": ({}, {"beta1": 0.5, "beta2": 0.7, "momentum_decay": 0.1}),
    "RAdam": ({}, {"beta1": 0.5, "beta2": 0.7, "epsilon": 0.1}, {"beta2": 0.99}),
    "Rprop": ({}, {"etas": (0.3, 1.5)}, {"learning_rate_range": (0.05, 0.12)}),
}
# Without a `weight_decay` that adds to the gradient.
_NO_DECAY = {"AdamW", "Lamb", "Rprop"}


class _Power:
    """A factor by the counter."""

    def __init__(self, base: float) -> None:
        self.base = base

    def __call__(self, epoch: int) -> float:
        return self.base**epoch

    def __repr__(self) -> str:
        return f"{self.base} ** epoch"


def _optimizers() -> Iterator[Call]:
    for name, kinds in _KINDS.items():
        for settings in kinds:
            yield Call(f"{_O}.{name}", learning_rate=0.1, steps=6, also=dict(settings))
        # The real Rprop takes numbers only.
        if name != "Rprop":
            yield Call(f"{_O}.{name}", learning_rate=_RATE, steps=4)
        for clip in _CLIPS:
            yield Call(f"{_O}.{name}", learning_rate=0.1, steps=3, grad_clip=clip)
        for decay in () if name in _NO_DECAY else _DECAYS:
            yield Call(f"{_O}.{name}", learning_rate=0.1, steps=3, weight_decay=decay)
        if name not in _NO_DECAY:
            both = {"grad_clip": _CLIPS[0], "weight_decay": 0.1}
            yield Call(f"{_O}.{name}", learning_rate=0.1, steps=3, also=both)
    yield Call(f"{_O}.AdamW", learning_rate=0.1, steps=3, weight_decay=0.1, grad_clip=_CLIPS[0])
    yield Call(
        f"{_O}.Momentum",
        learning_rate=0.1,
        rescale_grad=0.5,
        steps=3,
        differs="the gradient is scaled; the real one forgets `rescale_grad` in eager mode",
    )
    for settings in ({}, {"max_iter": 4}, {"max_iter": 3, "history_size": 2}):
        yield Call(f"{_O}.LBFGS", learning_rate=0.1, steps=3, also=dict(settings))
        # One step: at the minimum of the first the next direction is that of rounding errors.
        yield Call(f"{_O}.LBFGS", line_search_fn="strong_wolfe", steps=1, also=dict(settings))


# Arguments of the schedules, each over twenty steps.
_SCHEDULES: dict[str, tuple[dict[str, Any], ...]] = {
    "CosineAnnealingDecay": (
        {"learning_rate": 0.5, "T_max": 8},
        {"learning_rate": 0.5, "T_max": 5, "eta_min": 0.1},
    ),
    "CosineAnnealingWarmRestarts": (
        {"learning_rate": 0.5, "T_0": 4},
        {"learning_rate": 0.5, "T_0": 3, "T_mult": 2, "eta_min": 0.01},
    ),
    "CyclicLR": (
        {"base_learning_rate": 0.1, "max_learning_rate": 0.5, "step_size_up": 4},
        {
            "base_learning_rate": 0.1,
            "max_learning_rate": 0.5,
            "step_size_up": 3,
            "step_size_down": 5,
        },
        {
            "base_learning_rate": 0.1,
            "max_learning_rate": 0.5,
            "step_size_up": 3,
            "mode": "triangular2",
        },
        {
            "base_learning_rate": 0.1,
            "max_learning_rate": 0.5,
            "step_size_up": 3,
            "mode": "exp_range",
            "exp_gamma": 0.9,
        },
    ),
    "ExponentialDecay": ({"learning_rate": 0.5, "gamma": 0.9},),
    "InverseTimeDecay": ({"learning_rate": 0.5, "gamma": 0.1},),
    "LinearLR": (
        {"learning_rate": 0.5, "total_steps": 6},
        {"learning_rate": 0.5, "total_steps": 6, "start_factor": 0.5, "end_factor": 0.1},
    ),
    "LinearWarmup": (
        {"learning_rate": 0.5, "warmup_steps": 5, "start_lr": 0.0, "end_lr": 0.5},
        {
            "learning_rate": Call(f"{_LR}.StepDecay", 0.5, 3),
            "warmup_steps": 4,
            "start_lr": 0.1,
            "end_lr": 0.5,
        },
    ),
    "MultiStepDecay": (
        {"learning_rate": 0.5, "milestones": [3, 7, 12]},
        {"learning_rate": 0.5, "milestones": [3, 7], "gamma": 0.5},
    ),
    "NaturalExpDecay": ({"learning_rate": 0.5, "gamma": 0.1},),
    "NoamDecay": (
        {"d_model": 16, "warmup_steps": 6},
        {"d_model": 16, "warmup_steps": 6, "learning_rate": 2.0},
    ),
    "OneCycleLR": (
        {"max_learning_rate": 0.5, "total_steps": 21},
        {
            "max_learning_rate": 0.5,
            "total_steps": 21,
            "anneal_strategy": "linear",
            "three_phase": True,
            "phase_pct": 0.4,
        },
        {
            "max_learning_rate": 0.5,
            "total_steps": 25,
            "divide_factor": 5.0,
            "end_learning_rate": 0.01,
        },
    ),
    "PiecewiseDecay": ({"boundaries": [3, 6, 9], "values": [0.1, 0.2, 0.3, 0.4]},),
    "PolynomialDecay": (
        {"learning_rate": 0.5, "decay_steps": 8},
        {"learning_rate": 0.5, "decay_steps": 6, "power": 2.0, "end_lr": 0.1},
        {"learning_rate": 0.5, "decay_steps": 6, "cycle": True},
    ),
    "StepDecay": (
        {"learning_rate": 0.5, "step_size": 4},
        {"learning_rate": 0.5, "step_size": 4, "gamma": 0.5, "last_epoch": 2},
    ),
}


def _schedules() -> Iterator[Call]:
    for name, kinds in _SCHEDULES.items():
        for settings in kinds:
            yield Call(f"{_LR}.{name}", steps=20, also=dict(settings))
    yield Call(
        f"{_LR}.CosineAnnealingDecay",
        0.5,
        8,
        last_epoch=3,
        steps=20,
        differs="a resumed schedule has the rate of its epoch; the real one goes on from the first",
    )
    for name in ("LambdaDecay", "MultiplicativeDecay"):
        yield Call(f"{_LR}.{name}", 0.5, _Power(0.9), steps=20)
    losses = (1.0, 0.9, 0.9, 0.95, 0.99, 1.2, 1.1, 0.5, 0.6, 0.7, 0.8, 0.9)
    steps = tuple(step for loss in losses for step in (("step", loss), ("get_lr",)))
    for settings in (
        {"patience": 1},
        {"patience": 0, "factor": 0.5, "cooldown": 2},
        {"patience": 1, "mode": "max", "min_lr": 0.02},
        {"patience": 1, "threshold": 0.2, "threshold_mode": "abs"},
    ):
        shown = tuple(("last_lr",) if each == ("get_lr",) else each for each in steps)
        yield Call(f"{_LR}.ReduceOnPlateau", 0.5, methods=shown, also=dict(settings))
    for name, settings in (
        ("StepDecay", {"learning_rate": 0.5, "step_size": 0}),
        ("CosineAnnealingDecay", {"learning_rate": 0.5, "T_max": 0.5}),
        ("OneCycleLR", {"max_learning_rate": 0.5, "total_steps": -1}),
        ("LinearLR", {"learning_rate": 0.5, "total_steps": 0}),
    ):
        yield Call(f"{_LR}.{name}", error=True, steps=1, also=dict(settings))


CALLS = (*_optimizers(), *_schedules())
