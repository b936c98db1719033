"""Each wrong schedule argument is named."""

from __future__ import annotations

import pytest

from proa.core._errors import InvalidArgumentError, InvalidTypeError
from proa.optimizer import lr

WRONG = [
    (lambda: lr.StepDecay("a", 3), InvalidTypeError, "StepDecay: `learning_rate` is a str"),
    (lambda: lr.StepDecay(-1.0, 3), InvalidArgumentError, "`learning_rate` is -1.0"),
    (lambda: lr.StepDecay(0.1, "a"), InvalidTypeError, "`step_size` is a str"),
    (lambda: lr.StepDecay(0.1, 0), InvalidArgumentError, "`step_size` is 0"),
    (lambda: lr.StepDecay(0.1, 3, 1.0), InvalidArgumentError, "`gamma` is 1.0"),
    (lambda: lr.MultiStepDecay(0.1, 3), InvalidTypeError, "`milestones` is a int"),
    (lambda: lr.MultiStepDecay(0.1, [1, 1]), InvalidArgumentError, "strictly rising"),
    (lambda: lr.MultiStepDecay(0.1, [1], 2.0), InvalidArgumentError, "`gamma` is 2.0"),
    (lambda: lr.NoamDecay(0, 5), InvalidArgumentError, "`d_model` is 0"),
    (lambda: lr.NoamDecay(64, 0), InvalidArgumentError, "`warmup_steps` is 0"),
    (lambda: lr.PiecewiseDecay([], []), InvalidArgumentError, "at least one boundary"),
    (lambda: lr.PiecewiseDecay([1], [0.1]), InvalidArgumentError, "2 rates, one more"),
    (lambda: lr.PolynomialDecay(0.1, 1.5), InvalidTypeError, "`decay_steps` is a float"),
    (lambda: lr.PolynomialDecay(0.1, 3, power=0), InvalidArgumentError, "`power` is 0"),
    (lambda: lr.LinearWarmup("a", 2, 0.0, 1.0), InvalidTypeError, "a number or a schedule"),
    (lambda: lr.LinearWarmup(0.1, 0, 0.0, 1.0), InvalidArgumentError, "`warmup_steps` is 0"),
    (lambda: lr.LinearWarmup(0.1, 2, 1.0, 0.0), InvalidArgumentError, "above `start_lr`"),
    (lambda: lr.NaturalExpDecay(0.1, "a"), InvalidTypeError, "`gamma` is a str"),
    (lambda: lr.ExponentialDecay(0.1, 1.5), InvalidArgumentError, "between 0 and 1"),
    (lambda: lr.LambdaDecay(0.1, 3), InvalidTypeError, "`lr_lambda` is a int"),
    (lambda: lr.MultiplicativeDecay(0.1, 3), InvalidTypeError, "`lr_lambda` is a int"),
    (lambda: lr.CosineAnnealingDecay(0.1, 1.5), InvalidTypeError, "`T_max` is a float"),
    (lambda: lr.CosineAnnealingDecay(0.1, 0), InvalidArgumentError, "`T_max` is 0"),
    (lambda: lr.CosineAnnealingDecay(0.1, 3, "a"), InvalidTypeError, "`eta_min` is a str"),
    (lambda: lr.CosineAnnealingWarmRestarts(0.1, 0), InvalidArgumentError, "`T_0` is 0"),
    (lambda: lr.CosineAnnealingWarmRestarts(0.1, 2, 1.5), InvalidTypeError, "`T_mult` is a"),
    (
        lambda: lr.CosineAnnealingWarmRestarts(0.1, 2).step(-1),
        InvalidArgumentError,
        "`epoch` is -1",
    ),
    (lambda: lr.OneCycleLR("a", 3), InvalidTypeError, "`max_learning_rate` is a str"),
    (lambda: lr.OneCycleLR(-1, 3), InvalidArgumentError, "`max_learning_rate` is -1"),
    (lambda: lr.OneCycleLR(1.0, 2.5), InvalidTypeError, "`total_steps` is a float"),
    (lambda: lr.OneCycleLR(1.0, 3, 0.0), InvalidArgumentError, "`divide_factor` is 0.0"),
    (lambda: lr.OneCycleLR(1.0, 3, phase_pct=1.5), InvalidArgumentError, "`phase_pct`"),
    (
        lambda: lr.OneCycleLR(1.0, 3, phase_pct=0.8, three_phase=True),
        InvalidArgumentError,
        "a share between 0 and 0.5",
    ),
    (lambda: lr.OneCycleLR(1.0, 3, anneal_strategy="x"), InvalidArgumentError, "cos or linear"),
    (lambda: lr.OneCycleLR(1.0, 10).step(11), InvalidArgumentError, "at most `total_steps`, 10"),
    (lambda: lr.CyclicLR("a", 1.0, 2), InvalidTypeError, "`base_learning_rate` is a str"),
    (lambda: lr.CyclicLR(0.1, -1.0, 2), InvalidArgumentError, "`max_learning_rate` is -1.0"),
    (lambda: lr.CyclicLR(0.1, 1.0, 0), InvalidArgumentError, "`step_size_up` is 0"),
    (lambda: lr.CyclicLR(0.1, 1.0, 2, 0), InvalidArgumentError, "`step_size_down` is 0"),
    (lambda: lr.CyclicLR(0.1, 1.0, 2, mode="x"), InvalidArgumentError, "`mode` is 'x'"),
    (lambda: lr.CyclicLR(0.1, 1.0, 2, scale_mode="x"), InvalidArgumentError, "`scale_mode`"),
    (lambda: lr.LinearLR(0.1, 0), InvalidArgumentError, "`total_steps` is 0"),
    (lambda: lr.LinearLR(0.1, 3, 0.0), InvalidArgumentError, "`start_factor` is 0.0"),
    (lambda: lr.LinearLR(0.1, 3, 0.5, 2.0), InvalidArgumentError, "`end_factor` is 2.0"),
]


@pytest.mark.parametrize(("make", "error", "message"), WRONG)
def test_wrong_arguments_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()
