from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import InvalidArgumentError, PreconditionError


def built(decay, with_steps=False):
    main = static.Program()
    with static.program_guard(main):
        weight = static.create_parameter([2], "float32", name=f"ema {decay} {with_steps}")
        frozen = static.create_parameter([1], "float32", attr=proa.ParamAttr(trainable=False))
        proa.optimizer.SGD(0.5).minimize((weight * frozen).sum() + weight.sum())
        steps = static.create_global_var([1], 0, "int64", persistable=True)
        if with_steps:
            proa.increment(steps)
        average = static.ExponentialMovingAverage(decay, steps if with_steps else None, "avg_")
        average.update()
    return main, weight, average


@pytest.mark.parametrize("with_steps", [False, True])
def test_averages_of_parameters(with_steps):
    main, weight, average = built(0.9, with_steps)
    executor, total, share = static.Executor(), np.zeros(2), 0.0
    for step in range(1, 4):
        executor.run(main)
        decay = min(0.9, (1 + step) / (10 + step)) if with_steps else 0.9
        total, share = decay * total + (1 - decay) * weight.numpy(), decay * share + 1 - decay
    last = weight.numpy()
    with average.apply(executor):
        np.testing.assert_allclose(weight.numpy(), total / share, rtol=1e-5)
        assert not np.allclose(weight.numpy(), last)
    assert weight.tolist() == last.tolist()
    with average.apply(executor, need_restore=False):
        pass
    np.testing.assert_allclose(weight.numpy(), total / share, rtol=1e-5)
    average.restore(executor)
    assert weight.tolist() == last.tolist()
    assert f"avg_{weight.name}_ema" in main.state_dict()


def test_wrong_use():
    with pytest.raises(InvalidArgumentError, match="`decay` is 2"):
        static.ExponentialMovingAverage(2)
    with (
        static.program_guard(static.Program()),
        pytest.raises(PreconditionError, match="without parameters"),
    ):
        static.ExponentialMovingAverage().update()
    _, _, average = built(0.5)
    with pytest.raises(PreconditionError, match="before the first update"), average.apply(None):
        pass
