"""Noise contrastive estimation: values of Paddle 3.3.1 where draws do not matter."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import InvalidArgumentError

W, B = (proa.nn.initializer.Constant(v) for v in (0.1, 0.2))


def loss_of(label, num_total_classes, num_neg_samples=3, weight=None, **settings):
    label = np.int64(label)
    main = static.Program()
    with static.program_guard(main):
        cost = static.nn.nce(
            static.data("x", [None, 2]),
            static.data("label", [None, label.shape[1]], "int64"),
            num_total_classes,
            sample_weight=None if weight is None else static.data("weight", [None, 1]),
            param_attr=W,
            bias_attr=B,
            num_neg_samples=num_neg_samples,
            **settings,
        )
    x = np.ones([len(label), 2], "float32")
    feed = {"x": x, "label": label, "weight": weight}
    return static.Executor().run(main, {n: v for n, v in feed.items() if v is not None}, [cost])[0]


@pytest.mark.parametrize(
    ("arguments", "settings", "expected"),
    [
        (([[0], [1], [4]], 5), {}, [0.6926] * 3),
        (([[0, 1], [1, 2], [4, 0]], 5), {}, [0.8662] * 3),
        (([[0]], 50, None), {}, [1.2850]),
        (([[0], [1]], 5), {"weight": [[2.0], [0.0]]}, [1.3852, 0.0]),
        (([[0], [4]], 5), {"sampler": "custom_dist", "custom_dist": [0.2] * 5}, [0.6926] * 2),
        (([[0], [1]], 2), {"sampler": "log_uniform"}, [0.5849, 0.4787]),
    ],
)
def test_losses(arguments, settings, expected):
    np.testing.assert_allclose(loss_of(*arguments, **settings)[:, 0], expected, atol=1e-4)


def test_classes_that_are_never_drawn_are_never_pushed_down():
    main = static.Program()
    with static.program_guard(main):
        x, label = static.data("x", [4, 2]), static.data("label", [4, 1], "int64")
        chances = [0.0, 0.5, 0.5, 0.0]
        cost = static.nn.nce(x, label, 4, sampler="custom_dist", custom_dist=chances, bias_attr=B)
        proa.optimizer.SGD(0.1).minimize(cost.sum())
    bias = main.all_parameters()[1]
    feed = {"x": np.zeros([4, 2], "float32"), "label": np.full([4, 1], 1)}
    static.Executor().run(main, feed)
    moved = bias.numpy()[:, 0] - np.float32(0.2)
    assert moved[0] == moved[3] == 0.0
    assert moved[2] < 0.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sampler": "other"}, "`sampler` is 'other'"),
        ({"sampler": "custom_dist"}, "without `custom_dist`"),
        ({"sampler": "custom_dist", "custom_dist": [1.0]}, "`custom_dist` has 1 entries"),
    ],
)
def test_wrong_noise(settings, message):
    with pytest.raises(InvalidArgumentError, match=message):
        static.nn.nce(proa.ones([1, 2]), proa.zeros([1, 1], "int64"), 4, **settings)
