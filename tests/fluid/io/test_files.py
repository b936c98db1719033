"""A regression as Paddle 1's tutorials write it: built, trained, saved, loaded."""

from __future__ import annotations

import numpy as np

import proa
from proa import fluid


def test_a_program_of_a_tutorial(tmp_path):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data(name="x", shape=[None, 3], dtype="float32")
        y = fluid.layers.data(name="y", shape=[1], dtype="float32")
        predicted = fluid.layers.fc(input=x, size=1, act=None)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(input=predicted, label=y))
        test = main.clone(for_test=True)
        fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(startup)
    feeder = fluid.DataFeeder(place=fluid.CPUPlace(), feed_list=[x, y])
    rows = np.random.default_rng(0).normal(size=(20, 3)).astype("float32")
    feed = feeder.feed([(row, [row.sum()]) for row in rows])
    losses = [float(executor.run(main, feed=feed, fetch_list=[loss])[0]) for _ in range(40)]
    assert losses[-1] < 0.1 * losses[0]
    folder = str(tmp_path)
    fluid.io.save_persistables(executor, folder, main)
    (expected,) = executor.run(test, feed=feed, fetch_list=[predicted])
    assert fluid.io.save_inference_model(folder, ["x"], [predicted], executor, main)
    program, feeds, fetches = fluid.io.load_inference_model(folder, executor)
    (found,) = executor.run(program, feed={feeds[0]: rows}, fetch_list=fetches)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    weight = main.all_parameters()[0]
    weight.set_value(proa.zeros([3, 1]))
    fluid.io.load_persistables(executor, folder, main)
    (found,) = executor.run(test, feed=feed, fetch_list=[predicted])
    np.testing.assert_allclose(found, expected, rtol=1e-6)
