from __future__ import annotations

import threading

import numpy as np
import pytest

import proa
from proa import amp
from proa.core import context, interceptors
from proa.nn import functional as F

BF16, FP16, FP32 = "bfloat16", "float16", "float32"


def wide(*shape: int) -> proa.Tensor:
    size = int(np.prod(shape))
    return proa.to_tensor(np.linspace(0.1, 0.9, size, dtype=np.float32).reshape(shape))


def low(*shape: int) -> proa.Tensor:
    return wide(*shape).astype(BF16)


def norm_of(x: proa.Tensor) -> proa.Tensor:
    return F.batch_norm(x, proa.zeros([2]), proa.ones([2]), proa.ones([2]), proa.zeros([2]))


# op, inputs, and the dtype of its output at (O1, O2, O2 without promotion, OD)
TABLE = [
    ("matmul", proa.matmul, (wide(2, 2), wide(2, 2)), (BF16, BF16, BF16, BF16)),
    ("linear", F.linear, (wide(2, 2), wide(2, 2), wide(2)), (BF16, BF16, BF16, BF16)),
    ("conv2d", F.conv2d, (wide(1, 1, 3, 3), wide(1, 1, 2, 2)), (BF16, BF16, BF16, BF16)),
    (
        "einsum",
        lambda x, y: proa.einsum("ij,jk->ik", x, y),
        (wide(2, 2), wide(2, 2)),
        (BF16, BF16, BF16, BF16),
    ),
    ("softmax", F.softmax, (low(2, 2),), (FP32, BF16, BF16, FP32)),
    ("exp", proa.exp, (low(2),), (FP32, BF16, BF16, FP32)),
    ("mean", proa.mean, (low(2),), (FP32, BF16, BF16, FP32)),
    ("sum", proa.sum, (low(2),), (FP32, BF16, BF16, FP32)),
    ("softplus", F.softplus, (low(2),), (FP32, BF16, BF16, FP32)),
    ("relu", F.relu, (low(2),), (BF16, BF16, BF16, FP32)),
    ("relu of float32", F.relu, (wide(2),), (FP32, FP32, BF16, FP32)),
    ("add", proa.add, (low(2), low(2)), (BF16, BF16, BF16, FP32)),
    ("mixed add", proa.add, (low(2), wide(2)), (FP32, FP32, BF16, FP32)),
    ("scalar", lambda x: x * 2.5, (low(2),), (BF16, BF16, BF16, FP32)),
    ("concat", lambda x, y: proa.concat([x, y]), (low(2), wide(2)), (FP32, FP32, BF16, FP32)),
    ("reshape", lambda x: x.reshape([4]), (wide(2, 2),), (FP32, FP32, FP32, FP32)),
    ("interpolate", F.interpolate, (low(1, 1, 2, 2), [3, 3]), (FP32, FP32, FP32, FP32)),
    ("batch norm", norm_of, (low(1, 2, 2, 2),), (BF16, BF16, BF16, FP32)),
    ("float64", proa.matmul, (wide(2, 2).astype("float64"),) * 2, ("float64",) * 4),
]
MODES = ({"level": "O1"}, {"level": "O2"}, {"level": "O2", "use_promote": False}, {"level": "OD"})


@pytest.mark.parametrize(
    ("name", "function", "inputs", "expected"), TABLE, ids=[row[0] for row in TABLE]
)
def test_dtypes_of_outputs(name, function, inputs, expected):
    found = []
    for mode in MODES:
        with amp.auto_cast(dtype=BF16, **mode):
            found.append(function(*inputs).dtype.name)
    assert tuple(found) == expected


@pytest.mark.parametrize("dtype", [BF16, FP16, proa.bfloat16])
def test_values_are_those_of_the_low_precision_op(dtype):
    x, y = wide(2, 3), wide(3, 2)
    with amp.auto_cast(dtype=dtype):
        z = x @ y
    expected = x.astype(dtype) @ y.astype(dtype)
    assert z.dtype == expected.dtype
    np.testing.assert_array_equal(z.astype(FP32).numpy(), expected.astype(FP32).numpy())


def test_parameters_in_float32_get_gradients_in_float32():
    x, w = wide(2, 3), wide(3, 2)
    w.stop_gradient = False
    with amp.auto_cast(dtype=BF16):
        loss = F.relu(x @ w).sum()
    loss.backward()
    assert loss.dtype.name == FP32
    assert w.grad.dtype.name == FP32
    expected = np.repeat(x.numpy().sum(0)[:, None], 2, axis=1)
    np.testing.assert_allclose(w.grad.numpy(), expected, rtol=1e-2)


@pytest.mark.parametrize(
    ("lists", "function", "expected"),
    [
        ({"custom_black_list": {"matmul_v2"}}, proa.matmul, FP32),
        ({"custom_black_list": ["matmul"]}, F.linear, FP32),
        ({"custom_white_list": {"elementwise_add"}}, proa.add, BF16),
        ({"custom_white_list": "add"}, proa.add, BF16),
        ({"custom_white_list": {"reduce_sum"}}, lambda x, y: proa.sum(x), BF16),
    ],
)
def test_custom_lists(lists, function, expected):
    with amp.auto_cast(dtype=BF16, **lists):
        assert function(wide(2, 2), wide(2, 2)).dtype.name == expected


def test_it_costs_nothing_outside():
    assert not interceptors
    with amp.auto_cast(dtype=BF16):
        assert len(interceptors) == 1
        with amp.auto_cast(dtype=FP16):
            assert len(interceptors) == 1
            assert amp.get_autocast_dtype() == proa.float16
        with amp.auto_cast(enable=False):
            assert not amp.is_autocast_enabled()
            assert proa.matmul(wide(2, 2), wide(2, 2)).dtype.name == FP32
        assert amp.get_autocast_cpu_dtype() == amp.get_autocast_gpu_dtype() == proa.bfloat16
    assert not interceptors
    assert context.amp is None
    assert amp.get_autocast_dtype() == proa.float16


def test_an_error_inside_closes_the_region():
    with pytest.raises(ValueError, match="mine"), amp.auto_cast(dtype=BF16):
        raise ValueError("mine")
    assert not interceptors
    assert not amp.is_autocast_enabled()


@pytest.mark.parametrize("level", ["O0", "O1"])
def test_it_decorates_functions(level):
    @amp.amp_guard(level=level, dtype=BF16)
    def product(x):
        return x @ x

    assert product(wide(2, 2)).dtype.name == (BF16 if level == "O1" else FP32)
    assert product.__name__ == "product"
    assert not interceptors


def test_a_region_concerns_its_own_thread():
    entered, done, found = threading.Event(), threading.Event(), []

    def other():
        entered.wait(10)
        found.append((wide(2, 2) @ wide(2, 2)).dtype.name)
        found.append(amp.is_autocast_enabled())
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with amp.auto_cast(dtype=BF16):
        entered.set()
        assert done.wait(60)
    thread.join()
    assert found == [FP32, False]


def test_a_compiled_function_has_a_variant_per_region():
    @proa.jit.to_static(full_graph=True)
    def product(x):
        return x @ x

    x = wide(2, 2)
    assert product(x).dtype.name == FP32
    with amp.auto_cast(dtype=BF16):
        assert product(x).dtype.name == BF16
    assert product(x).dtype.name == FP32


def test_a_compiled_step_equals_the_eager_one():
    def train(compiled):
        proa.seed(0)
        network = proa.nn.Sequential(
            proa.nn.Linear(3, 4), proa.nn.BatchNorm1D(4), proa.nn.ReLU(), proa.nn.Linear(4, 2)
        )
        optimizer = proa.optimizer.Momentum(0.1, parameters=network.parameters())

        def step(x, y):
            with amp.auto_cast(dtype=BF16):
                loss = F.cross_entropy(network(x), y)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss.detach()

        run = proa.jit.to_static(step, full_graph=True) if compiled else step
        x, y = wide(8, 3), proa.to_tensor([0, 1] * 4)
        losses = [run(x, y) for _ in range(4)]
        return [float(loss) for loss in losses], network.state_dict()

    eager_losses, eager = train(False)
    losses, weights = train(True)
    np.testing.assert_allclose(losses, eager_losses, rtol=1e-2)
    assert losses[-1] < losses[0]
    for name, value in eager.items():
        assert weights[name].dtype.name == FP32
        np.testing.assert_allclose(weights[name].numpy(), value.numpy(), rtol=0.05, atol=0.01)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"level": "O3"}, ValueError, "`level` of auto_cast is 'O3'"),
        ({"dtype": "int8"}, ValueError, "`dtype` of auto_cast is 'int8'"),
        ({"custom_white_list": 3}, TypeError, "`custom_white_list` is 3"),
        ({"custom_black_list": [3]}, TypeError, r"`custom_black_list` is \[3\]"),
        (
            {"custom_white_list": "exp", "custom_black_list": {"exp"}},
            ValueError,
            "exp in `custom_white_list` and in",
        ),
    ],
)
def test_wrong_settings_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        amp.auto_cast(**arguments)


def test_a_generator_function_is_refused():
    def numbers():
        yield 1

    with pytest.raises(ValueError, match="generator function 'numbers'"):
        amp.auto_cast(dtype=BF16)(numbers)


def test_an_unknown_name_in_a_list_is_told():
    with pytest.warns(UserWarning, match="there is no op 'matmull'"):
        amp.auto_cast(custom_white_list={"matmull"})


def test_in_place_ops_keep_the_dtype_of_their_tensor():
    x = low(2)
    with amp.auto_cast(dtype=BF16):
        x.add_(wide(2))
        x[0] = wide(1)[0]
    assert x.dtype.name == BF16


def test_pytorch_arguments():
    assert proa.autocast is amp.autocast
    with proa.autocast("cuda", dtype="bfloat16"):
        assert proa.is_autocast_enabled("cuda")
        assert proa.get_autocast_dtype() == proa.bfloat16
        assert proa.matmul(wide(2, 2), wide(2, 2)).dtype.name == BF16
        with proa.autocast("cuda", enabled=False):
            assert not proa.is_autocast_enabled()
