"""Static Programs: what is recorded, guards, clones, names."""

from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import InvalidArgumentError, InvalidTypeError, PreconditionError


def test_ops_are_recorded_and_parameters_keep_their_values():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 3])
        layer = proa.nn.Linear(3, 2)
        y = layer(x)
        assert not proa.in_dynamic_mode()
    assert proa.in_dynamic_mode()
    assert [call.op.name for call in main.ops] == ["linear"]
    assert main.all_parameters() == [layer.weight, layer.bias]
    assert main.var("x") is x
    assert layer.weight.numpy().shape == (3, 2)
    assert "linear(x, " in str(main)
    (found,) = static.Executor().run(main, {"x": np.ones([2, 3], "float32")}, [y])
    np.testing.assert_allclose(found, layer(proa.ones([2, 3])).numpy(), rtol=1e-6)


def test_guards_nest_and_a_program_goes_on_where_it_was_left():
    first, second = static.Program(), static.Program()
    counter = static.create_global_var([1], 0.0, "float32", persistable=True, name="counter")
    with static.program_guard(first):
        counter.add_(proa.ones([1]))
        with static.program_guard(second):
            counter.add_(proa.ones([1]) * 10)
        assert static.default_main_program() is first
    with static.program_guard(first):
        counter.add_(proa.ones([1]) * 2)
        total = counter * 1
    executor = static.Executor()
    assert executor.run(first, fetch_list=[total])[0].tolist() == [3.0]
    executor.run(second)
    assert executor.run(first, fetch_list=[total])[0].tolist() == [16.0]
    assert counter.tolist() == [16.0]


@pytest.mark.parametrize("mode", ["upscale_in_train", "downscale_in_infer"])
def test_a_clone_for_test_drops_what_training_alone_does(mode):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        norm = proa.nn.BatchNorm1D(2)
        y = proa.nn.functional.dropout(norm(x), 0.5, mode=mode)
        test = main.clone(for_test=True)
    given = np.float32([[1, 2], [3, 6]])
    run = static.Executor().run
    run(main, {"x": given}, [y])
    mean = norm._mean.numpy()
    np.testing.assert_allclose(mean, 0.1 * given.mean(0), rtol=1e-6)
    (found,) = run(test, {"x": given}, [y])
    norm.eval()
    expected = proa.nn.functional.dropout(
        norm(proa.to_tensor(given)), 0.5, training=False, mode=mode
    )
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-6)
    assert norm._mean.numpy().tolist() == mean.tolist()


def test_state_of_a_program_by_name():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2])
        weight = static.create_parameter([2], "float32", name="weight")
        y = x * weight
    assert list(main.state_dict("param")) == ["weight"]
    assert main.state_dict("opt") == {}
    main.set_state_dict({"weight": np.float32([2, 3]), "unknown": np.zeros(1)})
    assert static.Executor().run(main, {"x": [1.0, 1.0]}, [y])[0].tolist() == [2.0, 3.0]


def test_inputs_of_one_name_are_one_input_or_get_the_same_feed(tmp_path):
    main = static.Program()
    with static.program_guard(main):
        first, same = static.data("x", [2, 2]), static.data("x", [2, 2])
        free, other = static.data("x", [None, 2]), static.data("x", [1, 4])
        total = first.sum() + free.sum()
        last = other * 2
    assert same is first
    run, given = static.Executor().run, np.ones([2, 2], "float32")
    assert run(main, {"x": given}, [total])[0] == 8
    assert run(main, {"x": given.reshape(1, 4)}, [last])[0].tolist() == [[2, 2, 2, 2]]
    with pytest.raises(InvalidArgumentError, match=r"`feed` of 'x' is float32\[2, 2\]"):
        run(main, {"x": given}, [total, last])
    path = str(tmp_path / "net")
    static.save_inference_model(path, [other], [last], None, program=main)
    program, feeds, fetches = static.load_inference_model(path, None)
    assert run(program, {feeds[0]: given.reshape(1, 4)}, fetches)[0].tolist() == [[2, 2, 2, 2]]
    with pytest.raises(InvalidArgumentError, match=r"the outputs need x: float32\[2, 2\]"):
        static.save_inference_model(path, [free], [total], None, program=main)


def test_variables_that_are_written_later():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        out = main.current_block().create_var("out", [None, 2], "float32")
        with pytest.raises(PreconditionError, match="out is read before"):
            out + 1
        proa.assign(x * 2, output=out)
        y = out + 1
        assert main.has_var("out")
        assert not main.has_var("other")
        assert main.var("out") is out
        assert sorted(main.vars) == ["out", "x"]
    run = static.Executor().run
    assert run(main, {"x": [[1.0, 2.0]]}, [out, y])[1].tolist() == [[3, 5]]


def test_a_seed_of_a_program_seeds_what_is_made_next():
    found = []
    for _ in range(2):
        main = static.Program()
        main.random_seed = 7
        with static.program_guard(main):
            found.append(static.create_parameter([3], "float32").tolist())
    assert found[0] == found[1]
    assert (main.random_seed, main.clone().random_seed) == (7, 7)
    with pytest.raises(InvalidTypeError, match="`random_seed` is 1.5"):
        main.random_seed = 1.5


def test_loading_casting_and_seeding_are_no_part_of_runs():
    main = static.Program()
    with static.program_guard(main):
        layer = proa.nn.Linear(2, 1)
        layer.set_state_dict({"weight": np.float32([[1], [1]]), "bias": np.float32([0])})
        proa.seed(5)
        total = layer(static.data("x", [1, 2])).sum()
        noise = proa.rand([3])
        proa.optimizer.SGD(0.5).minimize(total)
        layer.bias.set_value(np.float32([3]))
    run, feed = static.Executor().run, {"x": np.ones([1, 2], "float32")}
    found = [run(main, feed, [total, noise]) for _ in range(2)]
    assert [each[0] for each in found] == [5, 3.5]
    assert (found[0][1] != found[1][1]).all()
    assert layer.bias.tolist() == [2]
    with static.program_guard(main):
        layer.to(dtype="float64")
    assert layer.weight.dtype == proa.float64
    assert not [call for call in main.ops if "cast" in call.op.name]


def outside():
    static.data("x", [1])


def guard_of_a_number():
    with static.program_guard(3):
        pass


@pytest.mark.parametrize(
    ("error", "call", "message"),
    [
        (InvalidArgumentError, outside, "outside of a static Program"),
        (InvalidTypeError, guard_of_a_number, "is a int"),
        (InvalidArgumentError, lambda: static.Program().var("x"), "has no variable 'x'"),
        (InvalidArgumentError, lambda: static.Program().block(1), "block 1"),
        (InvalidArgumentError, lambda: static.Program().state_dict("some"), "`mode` is 'some'"),
    ],
)
def test_wrong_use(error, call, message):
    with pytest.raises(error, match=message):
        call()
