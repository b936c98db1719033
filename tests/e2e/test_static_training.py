"""Training by `minimize`: all rules, penalties, clips and schedules; precision; real images."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import nn, optimizer, static
from proa.core import UnsupportedError
from proa.vision.datasets import FashionMNIST, fashion_mnist_files

GIVEN = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")
LR = optimizer.lr


def rule(kind, **settings):
    return lambda rate, parameters: kind(rate, parameters=parameters, **settings)


def clipped(clip):
    return rule(optimizer.SGD, grad_clip=clip)


#: name -> optimizer, schedule (or None), settings of the weight; the losses of dynamic training
#: in the second and third step. The first is the same for all.
CASES = {
    "Adadelta": (rule(optimizer.Adadelta), None, {}, (0.670272, 0.832296)),
    "Adagrad": (rule(optimizer.Adagrad), None, {}, (0.429743, 0.357553)),
    "Adam": (rule(optimizer.Adam), None, {}, (0.429744, 0.313036)),
    "AdamW": (rule(optimizer.AdamW), None, {}, (0.42867, 0.311202)),
    "Adamax": (rule(optimizer.Adamax), None, {}, (0.429742, 0.356463)),
    "Lamb": (rule(optimizer.Lamb), None, {}, (0.543892, 0.538773)),
    "Momentum": (rule(optimizer.Momentum), None, {}, (0.403106, 0.184849)),
    "NAdam": (rule(optimizer.NAdam), None, {}, (0.417699, 0.331138)),
    "RAdam": (rule(optimizer.RAdam), None, {}, (0.403106, 0.321508)),
    "RMSProp": (rule(optimizer.RMSProp), None, {}, (0.007491, 0.008367)),
    "Rprop": (rule(optimizer.Rprop), None, {}, (0.429742, 0.257799)),
    "SGD": (rule(optimizer.SGD), None, {}, (0.403106, 0.336416)),
    "ASGD": (rule(optimizer.ASGD, batch_num=2), None, {}, (0.403106, 0.320733)),
    "L2": (
        rule(optimizer.SGD, weight_decay=proa.regularizer.L2Decay(0.1)),
        None,
        {},
        (0.392933, 0.319959),
    ),
    "L1": (
        rule(optimizer.Momentum, weight_decay=proa.regularizer.L1Decay(0.1)),
        None,
        {},
        (0.382894, 0.147302),
    ),
    "own penalty": (
        rule(optimizer.SGD, weight_decay=0.1),
        None,
        {"regularizer": proa.regularizer.L2Decay(0.5)},
        (0.372449, 0.294114),
    ),
    "own rate": (rule(optimizer.SGD), None, {"learning_rate": 0.1}, (0.612717, 0.59044)),
    "by norm": (clipped(nn.ClipGradByNorm(0.1)), None, {}, (0.648959, 0.776733)),
    "by value": (clipped(nn.ClipGradByValue(0.05)), None, {}, (0.65811, 0.801072)),
    "by global norm": (clipped(nn.ClipGradByGlobalNorm(0.1)), None, {}, (0.658293, 0.80035)),
    "not clipped": (
        clipped(nn.ClipGradByGlobalNorm(0.1)),
        None,
        {"need_clip": False},
        (0.422531, 0.467157),
    ),
    "frozen": (rule(optimizer.SGD), None, {"trainable": False}, (0.640887, 0.630508)),
    "StepDecay": (rule(optimizer.SGD), lambda: LR.StepDecay(0.1, 1), {}, (0.403106, 0.50958)),
    "warm-up": (
        rule(optimizer.SGD),
        lambda: LR.LinearWarmup(0.1, 2, 0.0, 0.1),
        {},
        (0.671472, 0.667267),
    ),
    "Noam": (rule(optimizer.SGD), lambda: LR.NoamDecay(8, 10), {}, (0.671472, 0.796097)),
}
FIRST = 0.926308


def attr(settings):
    return proa.ParamAttr(initializer=nn.initializer.Constant(0.5), **settings)


def test_all_rules_in_one_program_are_those_of_dynamic_training():
    main, losses, schedules = static.Program(), [], []
    with static.program_guard(main):
        x = static.data("x", [None, 3])
        for make, make_schedule, settings, _ in CASES.values():
            weight = static.create_parameter([3], "float32", attr=attr(settings))
            bias = static.create_parameter([1], "float32", attr=attr({}))
            loss = ((x * weight).sum(1) + bias).square().mean()
            schedules.append(make_schedule() if make_schedule else None)
            rate = 0.1 if schedules[-1] is None else schedules[-1]
            make(rate, [p for p in (weight, bias) if p.trainable]).minimize(loss)
            losses.append(loss)
    found = []
    for size in (5, 4, 3):
        found.append(static.Executor().run(main, {"x": GIVEN[:size]}, losses))
        for schedule in filter(None, schedules):
            schedule.step()
    for (name, case), by_run in zip(CASES.items(), np.transpose(found), strict=True):
        np.testing.assert_allclose(by_run, [FIRST, *case[3]], rtol=1e-4, err_msg=name)


def test_a_rule_that_tries_places_is_refused():
    with static.program_guard(static.Program()):
        weight = static.create_parameter([3], "float32")
        with pytest.raises(UnsupportedError, match="LBFGS.minimize of one loss"):
            optimizer.LBFGS(0.1, parameters=[weight]).minimize(weight.sum())


def lenet(image):
    for channels in (6, 16):
        image = static.nn.conv2d(image, channels, 5, padding=2, act="relu")
        image = nn.functional.max_pool2d(image, 2, 2)
    hidden = static.nn.fc(image, 64, activation="relu")
    return static.nn.fc(nn.functional.dropout(hidden, 0.2), 10)


def test_lenet_learns_fashion():
    files = fashion_mnist_files()
    train, test = (
        FashionMNIST(files.images(mode), files.labels(mode), mode=mode, backend="cv2")
        for mode in ("train", "test")
    )
    main, startup = static.Program(), static.Program()
    main.random_seed = 1
    with static.program_guard(main, startup):
        image = static.data("image", [None, 1, 28, 28])
        label = static.data("label", [None, 1], "int64")
        logits = lenet(image)
        loss = nn.functional.cross_entropy(logits, label)
        share = static.accuracy(logits, label)
        evaluation = main.clone(for_test=True)
        optimizer.Adam(2e-3).minimize(loss)

    def batch(data, first, size):
        pairs = [data[i] for i in range(first, first + size)]
        images = np.stack([np.float32(image).reshape(1, 28, 28) / 255 for image, _ in pairs])
        return {"image": images, "label": np.int64([np.ravel(y) for _, y in pairs])}

    executor, losses = static.Executor(), []
    executor.run(startup)
    batches = [batch(train, 64 * i, 64 if i % 8 else 32) for i in range(16)]
    for feed in batches * 2:
        losses.append(float(executor.run(main, feed, [loss])[0]))
    assert np.mean(losses[-8:]) < 0.5 * np.mean(losses[:4])
    feed = batch(test, 0, 256)
    right, scores = executor.run(evaluation, feed, [share, logits])
    assert right > 0.6
    # Nothing is dropped, and nothing learnt, in evaluation.
    assert executor.run(evaluation, feed, [logits])[0].tolist() == scores.tolist()


def precise(dtype, level, with_scaler):
    proa.seed(0)
    given = np.random.default_rng(0).normal(size=(16, 8)).astype("float32")
    labels = (given[:, :1] > 0).astype("int64")
    main = static.Program()
    with static.program_guard(main):
        x, y = static.data("x", [None, 8]), static.data("y", [None, 1], "int64")
        proa.seed(0)
        net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1D(16), nn.ReLU(), nn.Linear(16, 2))
        rule = optimizer.Adam(0.02, parameters=net.parameters())
        net, rule = proa.amp.decorate(net, rule, level=level, dtype=dtype)
        with proa.amp.auto_cast(level=level, dtype=dtype):
            loss = nn.functional.cross_entropy(net(x), y)
        if with_scaler:
            scaler = proa.amp.GradScaler(init_loss_scaling=1024.0)
            scaler.minimize(rule, scaler.scale(loss))
        else:
            rule.minimize(loss)
    dtypes = {v.dtype.name for call in main.ops for v in call.outputs}
    assert dtype in dtypes
    run, feed = static.Executor().run, {"x": given, "y": labels}
    return [float(run(main, feed, [loss])[0]) for _ in range(30)]


@pytest.mark.parametrize(
    ("dtype", "level", "with_scaler"), [("bfloat16", "O2", False), ("float16", "O1", True)]
)
def test_low_precision_learns_as_well(dtype, level, with_scaler):
    losses = precise(dtype, level, with_scaler)
    assert losses[0] == pytest.approx(1.2282, abs=5e-3)
    assert losses[-1] < 0.03
