"""Adam and its relatives against parameters recorded from paddle 3.3.1."""

from __future__ import annotations

import pytest

from proa.core import InvalidArgumentError, InvalidTypeError, Tensor
from proa.optimizer import Adam, Adamax, AdamW, Lamb, NAdam, RAdam
from proa.regularizer import L2Decay

MOMENTS = (0.8, 0.9, 1e-2)
# Both parameters after the four steps of conftest.py; source: paddle 3.3.1.
RECORDED = {
    "adam": (
        lambda p: Adam(0.1, *MOMENTS, p),
        [
            *(0.364243836, -0.893233143, 1.84187767, -0.0985625071, -0.0552342266, -0.18157427),
            *(0.0935684775, -0.246464435, 1.3423648),
        ],
    ),
    "adam_l2": (
        lambda p: Adam(0.1, *MOMENTS, p, weight_decay=0.05),
        [
            *(0.34714784, -0.838185428, 1.79055972, -0.098148454, -0.0548184662, -0.179105813),
            *(0.0890949745, -0.244988251, 1.16274036),
        ],
    ),
    "adam_amsgrad": (
        lambda p: Adam(0.1, *MOMENTS, p, amsgrad=True),
        [
            *(0.365014755, -0.893233143, 1.84187767, -0.0982725171, -0.0552342266, -0.181389323),
            *(0.0936981591, -0.246110493, 1.3423648),
        ],
    ),
    "adam_groups": (
        lambda p: Adam(
            0.1,
            *MOMENTS,
            [
                {"params": [p[0]], "learning_rate": 0.5, "weight_decay": 0.05},
                {"params": [p[1]], "beta1": 0.7},
            ],
        ),
        [
            *(0.42316196, -0.918095669, 1.89450101, 0.000491858945, -0.0275128792, -0.239311594),
            *(0.103889676, -0.261189244, 1.33802755),
        ],
    ),
    "adamw": (
        lambda p: AdamW(0.1, *MOMENTS, p, weight_decay=0.05),
        [
            *(0.355391098, -0.874548328, 1.80428194, -0.098146221, -0.0549144369, -0.177362365),
            *(0.0910330075, -0.240892516, 1.31388245),
        ],
    ),
    "adamax": (
        lambda p: Adamax(0.1, *MOMENTS, p),
        [
            *(0.3772872, -0.909683305, 1.84646907, -0.0859182027, -0.0342085372, -0.183158941),
            *(0.0930887921, -0.252704945, 1.29941595),
        ],
    ),
    "lamb": (
        lambda p: Lamb(0.1, 0.05, *MOMENTS, p),
        [
            *(0.232404005, -0.818829006, 1.75305701, -0.158225765, -0.124354334, -0.166617161),
            *(-0.00213860754, -0.312733854, 1.24718772),
        ],
    ),
    "lamb_exclude": (
        lambda p: Lamb(
            0.1, 0.05, *MOMENTS, p, exclude_from_weight_decay_fn=lambda q: q.name == "b"
        ),
        [
            *(0.232404005, -0.818829006, 1.75305701, -0.158225765, -0.124354334, -0.166617161),
            *(0.0935684934, -0.246464458, 1.34236481),
        ],
    ),
    "lamb_always_adapt": (
        lambda p: Lamb(0.1, 0.0, *MOMENTS, p, always_adapt=True),
        [
            *(0.236354281, -0.834730321, 1.80737598, -0.172554036, -0.120573173, -0.171400292),
            *(0.00806119818, -0.315755376, 1.29649413),
        ],
    ),
    "lamb_without_decay": (
        lambda p: Lamb(0.1, 0.0, *MOMENTS, p),
        [
            *(0.364243852, -0.893233159, 1.84187769, -0.0985624843, -0.055234223, -0.181574287),
            *(0.0935684934, -0.246464458, 1.34236481),
        ],
    ),
    "nadam": (
        lambda p: NAdam(0.1, *MOMENTS, 0.02, p),
        [
            *(0.352343772, -0.887195127, 1.88714834, -0.00496475968, -0.0315424504, -0.277824225),
            *(0.140005917, -0.3151173, 1.32227448),
        ],
    ),
    "radam": (
        lambda p: RAdam(0.1, *MOMENTS, p),
        [
            *(0.459771203, -0.960721489, 1.95989249, -0.078333113, -0.0102625616, -0.0679283811),
            *(0.14736883, -0.230063527, 1.48779928),
        ],
    ),
}


@pytest.mark.parametrize(("make", "expected"), RECORDED.values(), ids=RECORDED)
def test_parameters_equal_the_recorded_ones(make, expected, check_recorded):
    check_recorded(make, expected)


def test_adamw_decays_by_the_parameters_own_rate(parameter, run_steps):
    # Recorded with paddle 3.3.1.
    slow, fast = parameter([1.0, 2.0], "slow", learning_rate=0.5), parameter([1.0, 2.0], "fast")
    optimizer = AdamW(0.1, parameters=[slow, fast], weight_decay=0.5)
    values = run_steps(optimizer, [slow, fast], [[1.0, -1.0], [1.0, -1.0]])
    assert values[0] == pytest.approx([0.925, 2.0])
    assert values[1] == pytest.approx([0.85, 2.0])


def test_adamw_adds_a_parameters_own_regularizer(parameter, run_steps):
    # Recorded with paddle 3.3.1.
    own, plain = parameter([1.0, 2.0], "own", regularizer=L2Decay(0.3)), parameter([1.0, 2.0])
    optimizer = AdamW(0.1, epsilon=1.0, parameters=[own, plain], weight_decay=0.5)
    values = run_steps(optimizer, [own, plain], [[1.0, -1.0], [1.0, -1.0]])
    assert values[0] == pytest.approx([0.893478274, 1.928571343])
    assert values[1] == pytest.approx([0.899999976, 1.949999928])


def test_adamw_groups_decay_by_their_own_strength(parameter, run_steps):
    # Recorded with paddle 3.3.1.
    first, second = parameter([1.0, 2.0], "first"), parameter([1.0, 2.0], "second")
    groups = [
        {"params": [first], "weight_decay": 0.1, "learning_rate": 0.5},
        {"params": [second], "weight_decay": 0.0},
    ]
    optimizer = AdamW(0.1, parameters=groups, weight_decay=0.3)
    values = run_steps(optimizer, [first, second], [[0.0, 0.0], [0.0, 0.0]])
    assert values[0] == pytest.approx([0.995, 1.99])
    assert values[1] == [1.0, 2.0]


def test_lamb_groups_decay_by_their_own_strength(parameter, run_steps):
    # Recorded with paddle 3.3.1.
    first, second = parameter([1.0, 2.0], "first"), parameter([1.0, 2.0], "second")
    groups = [{"params": [first], "lamb_weight_decay": 0.5}, {"params": [second]}]
    optimizer = Lamb(0.1, parameters=groups, lamb_weight_decay=0.3)
    values = run_steps(optimizer, [first, second], [[1.0, 0.0], [1.0, 0.0]])
    assert values[0] == pytest.approx([0.813947916, 1.875965238])
    assert values[1] == pytest.approx([0.796974123, 1.906295658])


def test_adamw_ratio_and_choice_of_what_decays(parameter, run_steps):
    kept, decayed = parameter([1.0], "kept"), parameter([1.0], "decayed")
    optimizer = AdamW(
        0.1,
        parameters=[kept, decayed],
        weight_decay=0.5,
        lr_ratio=lambda param: 0.5 if param is decayed else 1.0,
        apply_decay_param_fun=lambda name: name == "decayed",
    )
    values = run_steps(optimizer, [kept, decayed], [[1.0], [1.0]])
    # By hand: the first step of Adam is the rate itself.
    assert values == [pytest.approx([0.9]), pytest.approx([1 * (1 - 0.05 * 0.5) - 0.05])]


def test_low_precision_moments_have_the_parameters_dtype(parameter, run_steps):
    weight = parameter([1.0], "w", "bfloat16")
    optimizer = AdamW(0.1, parameters=[weight], use_lowprecision_moment=True)
    run_steps(optimizer, [weight], [[1.0]])
    dtypes = {key: value.dtype.name for key, value in optimizer.state_dict().items()}
    assert dtypes == {
        "w_moment1_0": "bfloat16",
        "w_moment2_0": "bfloat16",
        "w_beta1_pow_acc_0": "float32",
        "w_beta2_pow_acc_0": "float32",
    }


def test_betas_may_be_tensors(parameter, run_steps):
    one, other = parameter([1.0]), parameter([1.0])
    by_tensor = Adam(0.1, beta1=Tensor(0.5), parameters=[one])
    by_number = Adam(0.1, beta1=0.5, parameters=[other])
    steps = [[[1.0]], [[-2.0]]]
    assert run_steps(by_tensor, [one], *steps) == run_steps(by_number, [other], *steps)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda p: Adam(0.1, beta1=1.0, parameters=[p]), InvalidArgumentError, "`beta1` is 1.0"),
        (lambda p: Adam(0.1, beta2=-1.0, parameters=[p]), InvalidArgumentError, "`beta2` is -1"),
        (lambda p: Adam(0.1, epsilon=-1.0, parameters=[p]), InvalidArgumentError, "`epsilon`"),
        (lambda p: Adam(0.1, beta1=None, parameters=[p]), InvalidTypeError, "`beta1` is a None"),
        (lambda p: AdamW(0.1, parameters=[p], weight_decay="a"), InvalidTypeError, "relative to"),
        (lambda p: AdamW(0.1, parameters=[p], weight_decay=None), InvalidTypeError, "0.0 for none"),
        (
            lambda p: AdamW(0.1, parameters=[p], weight_decay=L2Decay(0.1)),
            InvalidTypeError,
            "`weight_decay` is a L2Decay",
        ),
        (lambda p: AdamW(0.1, parameters=[p], lr_ratio=0.5), InvalidTypeError, "`lr_ratio`"),
        (
            lambda p: AdamW(0.1, parameters=[p], apply_decay_param_fun=3),
            InvalidTypeError,
            "`apply_decay_param_fun` is a int",
        ),
        (
            lambda p: Lamb(0.1, parameters=[p], exclude_from_weight_decay_fn=3),
            InvalidTypeError,
            "`exclude_from_weight_decay_fn` is a int",
        ),
        (lambda p: Lamb(0.1, None, parameters=[p]), InvalidTypeError, "`lamb_weight_decay`"),
        (
            lambda p: NAdam(0.1, momentum_decay=-1.0, parameters=[p]),
            InvalidArgumentError,
            "`momentum_decay` is -1.0",
        ),
    ],
)
def test_wrong_arguments_are_named(make, error, message, parameter):
    with pytest.raises(error, match=message):
        make(parameter([1.0]))
