from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import amp
from proa.nn import functional as F


def setup(scale: float = 8.0, **settings):
    w = proa.to_tensor([1.0, 2.0], stop_gradient=False)
    w.name = "w"
    optimizer = proa.optimizer.Momentum(0.5, parameters=[w])
    return w, optimizer, amp.GradScaler(init_loss_scaling=scale, **settings)


def step(w, optimizer, scaler, factor=1.0):
    scaler.scale((w * factor).sum()).backward()
    result = scaler.step(optimizer)
    scaler.update()
    optimizer.clear_grad()
    return result


def test_a_step_is_that_of_the_plain_loss():
    w, optimizer, scaler = setup()
    result = step(w, optimizer, scaler)
    np.testing.assert_allclose(w.numpy(), [0.5, 1.5])
    assert result.applied
    assert not result.skipped
    assert bool(result)
    assert "ask" in repr(result)


def test_unscale_gives_the_plain_gradients():
    w, optimizer, scaler = setup()
    scaled = scaler.scale((w * 3).sum())
    assert float(scaled) == 72.0
    scaled.backward()
    np.testing.assert_allclose(w.grad.numpy(), [24.0, 24.0])
    scaler.unscale_(optimizer)
    np.testing.assert_allclose(w.grad.numpy(), [3.0, 3.0])
    scaler.step(optimizer)
    np.testing.assert_allclose(w.numpy(), [-0.5, 0.5])


@pytest.mark.parametrize("bad", [float("inf"), float("nan")])
def test_a_step_with_a_bad_gradient_is_skipped_and_told(bad):
    # PT#67590, PT#55585, P#67895
    w, optimizer, scaler = setup()
    step(w, optimizer, scaler)
    before, state = w.numpy().copy(), optimizer.state_dict()["w_velocity_0"].numpy().copy()
    result = step(w, optimizer, scaler, bad)
    assert result.skipped
    assert not result
    assert scaler.skipped_steps == optimizer.skipped_steps == 1
    assert scaler.get_loss_scaling() == 4.0
    assert scaler.nonfinite_gradients(optimizer) == ["w"]
    np.testing.assert_array_equal(w.numpy(), before)
    np.testing.assert_array_equal(optimizer.state_dict()["w_velocity_0"].numpy(), state)
    assert step(w, optimizer, scaler).applied


def test_the_schedule_follows_applied_steps():
    w = proa.to_tensor([1.0], stop_gradient=False)
    schedule = proa.optimizer.lr.StepDecay(1.0, step_size=1)
    optimizer = proa.optimizer.SGD(schedule, parameters=[w])
    scaler = amp.GradScaler(init_loss_scaling=2.0)
    for factor in (1.0, float("inf"), 1.0):
        if step(w, optimizer, scaler, factor):
            schedule.step()
    assert schedule.last_epoch == 2


@pytest.mark.parametrize(("start", "floor"), [(8.0, 1.0), (0.5, 0.5)])
def test_the_scale_has_a_floor(start, floor):
    w, optimizer, scaler = setup(start)
    for _ in range(5):
        step(w, optimizer, scaler, float("inf"))
    assert scaler.get_loss_scaling() == floor


def test_training_that_cannot_go_on_is_told_with_a_name():
    w, optimizer, scaler = setup(1.0)
    with pytest.raises(FloatingPointError, match="steps in a row(.|\n)*first in 'w'"):
        for _ in range(40):
            step(w, optimizer, scaler, float("inf"))
    with pytest.raises(FloatingPointError, match="loss scale is down to 1"):
        scaler.raise_if_stuck()


def test_the_scale_grows_and_shrinks_by_count():
    w, optimizer, scaler = setup(
        incr_every_n_steps=2, decr_every_n_nan_or_inf=2, incr_ratio=4.0, decr_ratio=0.25
    )
    scales = []
    for factor in (1.0, 1.0, float("inf"), 1.0, float("inf"), float("inf"), 1.0):
        step(w, optimizer, scaler, factor)
        scales.append(scaler.get_loss_scaling())
    assert scales == [8.0, 32.0, 32.0, 32.0, 32.0, 8.0, 8.0]


def test_a_scale_that_does_not_move_still_skips():
    w, optimizer, scaler = setup(use_dynamic_loss_scaling=False, incr_every_n_steps=1)
    assert not scaler.is_use_dynamic_loss_scaling()
    assert [bool(step(w, optimizer, scaler, f)) for f in (1.0, float("inf"))] == [True, False]
    assert scaler.get_loss_scaling() == 8.0


def test_without_scaling_it_is_the_plain_optimizer():
    w, optimizer, scaler = setup(enable=False)
    loss = w.sum()
    assert scaler.scale(loss) is loss
    loss.backward()
    scaler.unscale_(optimizer)
    assert scaler.step(optimizer).applied
    scaler.update()
    assert scaler.state_dict() == {}
    assert not scaler.is_use_dynamic_loss_scaling()
    assert scaler.get_init_loss_scaling() == 1.0
    scaler.load_state_dict({})
    assert not scaler.is_enable()
    scaler.minimize(optimizer, w.sum())
    np.testing.assert_allclose(w.numpy(), [-0.45, 0.55], rtol=1e-6)


def test_minimize_steps_and_updates():
    w, optimizer, scaler = setup(incr_every_n_steps=1)
    scaled = scaler.scale(w.sum())
    scaled.backward()
    scaler.minimize(optimizer, scaled)
    np.testing.assert_allclose(w.numpy(), [0.5, 1.5])
    assert scaler.get_loss_scaling() == 16.0


def test_half_precision_gradients_are_unscaled_in_float32():
    w = proa.to_tensor([1.0], dtype="float16", stop_gradient=False)
    optimizer = proa.optimizer.SGD(0.5, parameters=[w])
    scaler = amp.GradScaler(init_loss_scaling=2.0**14)
    scaler.scale((w * 2.0**-20).sum()).backward()
    scaler.unscale_(optimizer)
    assert w.grad.dtype.name == "float32"
    assert float(w.grad) == 2.0**-20


def test_two_optimizers_share_the_scale():
    w, optimizer, scaler = setup()
    v = proa.to_tensor([1.0], stop_gradient=False)
    second = proa.optimizer.SGD(1.0, parameters=[v])
    scaler.scale((w * float("inf")).sum() + v.sum()).backward()
    assert scaler.step(optimizer).skipped
    assert scaler.step(second).applied
    scaler.update()
    assert scaler.get_loss_scaling() == 4.0
    assert float(v) == 0.0


def test_a_compiled_step_equals_the_eager_one():
    def train(compiled):
        w, optimizer, scaler = setup(incr_every_n_steps=2)

        def one(factor):
            loss = (w * w * factor).sum()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.clear_grad()
            return loss.detach()

        run = proa.jit.to_static(one, full_graph=True) if compiled else one
        seen = []
        for factor in (0.25, 0.5, float("inf"), 0.25, 0.5):
            loss = run(proa.to_tensor(factor))
            seen.append((float(loss), scaler.get_loss_scaling(), scaler.skipped_steps))
        names = scaler.nonfinite_gradients(optimizer)
        return seen, names, w.numpy(), optimizer.skipped_steps

    eager, compiled = train(False), train(True)
    assert compiled[0] == eager[0]
    assert compiled[1] == eager[1] == []
    np.testing.assert_array_equal(compiled[2], eager[2])
    assert compiled[3] == eager[3] == 1


def test_compiled_steps_take_up_new_settings():
    w, optimizer, scaler = setup(incr_every_n_steps=1)
    run = proa.jit.to_static(lambda x: step_of(x), full_graph=True)

    def step_of(x):
        scaler.scale((w * x).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        return x + 1

    run(proa.to_tensor(1.0))
    scaler.set_incr_ratio(4.0)
    run(proa.to_tensor(1.0))
    assert scaler.get_loss_scaling() == 64.0


def test_update_may_stay_outside_of_the_compiled_step():
    w, optimizer, scaler = setup()

    @proa.jit.to_static(full_graph=True)
    def run(x):
        scaler.scale((w * x).sum()).backward()
        scaler.step(optimizer)
        optimizer.clear_grad()
        return x + 1

    for factor in (1.0, float("inf"), 1.0):
        run(proa.to_tensor(factor))
        scaler.update()
    assert scaler.get_loss_scaling() == 4.0
    assert scaler.skipped_steps == 1
    np.testing.assert_allclose(w.numpy(), [-0.45, 0.55])


def test_float16_training_under_auto_cast():
    proa.seed(0)
    network = proa.nn.Linear(4, 2)
    optimizer = proa.optimizer.SGD(0.5, parameters=network.parameters())
    scaler = amp.GradScaler()
    x, y = proa.rand([16, 4]), proa.to_tensor([0, 1] * 8)
    losses = []
    for _ in range(12):
        with amp.auto_cast(dtype="float16"):
            loss = F.cross_entropy(network(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0]
    assert network.weight.dtype.name == "float32"


def test_the_state_is_saved_and_loaded():
    w, optimizer, scaler = setup(incr_every_n_steps=5)
    step(w, optimizer, scaler)
    step(w, optimizer, scaler, float("inf"))
    step(w, optimizer, scaler)
    saved = scaler.state_dict()
    assert float(saved["scale"][0]) == 4.0
    assert {key: value for key, value in saved.items() if key != "scale"} == {
        "incr_ratio": 2.0,
        "decr_ratio": 0.5,
        "incr_every_n_steps": 5,
        "decr_every_n_nan_or_inf": 1,
        "incr_count": 1,
        "decr_count": 0,
        "use_dynamic_loss_scaling": True,
    }
    other = amp.GradScaler()
    other.load_state_dict(saved)
    assert other.state_dict() == saved


def test_settings_are_read_and_written():
    scaler = amp.GradScaler()
    for name, value in {
        "init_loss_scaling": 32.0,
        "incr_ratio": 3.0,
        "decr_ratio": 0.25,
        "incr_every_n_steps": 7,
        "decr_every_n_nan_or_inf": 2,
    }.items():
        getattr(scaler, f"set_{name}")(value)
        assert getattr(scaler, f"get_{name}")() == value
    assert scaler.get_loss_scaling() == 32.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"init_loss_scaling": 0}, "`init_loss_scaling` of GradScaler is 0"),
        ({"incr_ratio": 0.5}, "`incr_ratio` of GradScaler is 0.5"),
        ({"decr_ratio": 1.5}, "`decr_ratio` of GradScaler is 1.5"),
        ({"incr_every_n_steps": 0}, "`incr_every_n_steps` of GradScaler is 0"),
        ({"decr_every_n_nan_or_inf": "x"}, "`decr_every_n_nan_or_inf` of GradScaler is 'x'"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        amp.GradScaler(**settings)


def test_wrong_calls_are_refused():
    w, optimizer, scaler = setup()
    with pytest.raises(TypeError, match="scale of a int"):
        scaler.scale(3)
    with pytest.raises(TypeError, match="scale of a int64 Tensor"):
        scaler.scale(proa.to_tensor([3]))
    with pytest.raises(TypeError, match="given a int"):
        scaler.step(3)
    with pytest.raises(ValueError, match="has no scale, incr_ratio"):
        scaler.load_state_dict({})
    w.sum().backward()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="were unscaled since"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="a second step"):
        scaler.step(optimizer)


def test_an_optimizer_without_gradients_steps():
    _, optimizer, scaler = setup()
    assert scaler.step(optimizer).applied
    scaler.update()
    assert scaler.skipped_steps == 0
