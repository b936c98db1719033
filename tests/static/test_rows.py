from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import DenseTensor, InvalidArgumentError
from proa.static._rows import read_rows, with_offsets


def test_rows_with_offsets():
    rows = static.create_lod_tensor([[1, 2], [3, 4, 5]], [[2, 3]], proa.CPUPlace())
    assert isinstance(rows, DenseTensor)
    assert np.array(rows).tolist() == [[1], [2], [3], [4], [5]]
    assert rows.lod() == [[0, 2, 5]]
    feed = with_offsets({"x": rows, "y": 3, "z": rows}, ["x", "x@LOD0", "y", "z"])
    assert feed["x"] is rows
    assert feed["x@LOD0"].tolist() == [0, 2, 5]
    assert list(feed) == ["x", "y", "z", "x@LOD0"]
    with pytest.raises(InvalidArgumentError, match="`feed` of 'x' has 1 levels of sequences"):
        with_offsets({"x": rows}, ["x", "x@LOD0", "x@LOD1"])
    drawn = static.create_random_int_lodtensor([[2, 3]], [4], None, 1, 2)
    assert np.array(drawn).shape == (5, 4)
    assert set(np.array(drawn).ravel()) <= {1, 2}


def test_wrong_lengths():
    with pytest.raises(InvalidArgumentError, match=r"lengths \[\[2, 2\]\] for 5 rows"):
        static.create_lod_tensor(np.zeros([5, 1]), [[2, 2]])
    with pytest.raises(InvalidArgumentError, match=r"for sequences of \[1\]"):
        static.create_lod_tensor([[1]], [[2]])
    rows = static.create_lod_tensor(np.zeros([5, 1]), [[5]])
    rows.set_lod([[0, 9]])
    with pytest.raises(InvalidArgumentError, match=r"\[\[9\]\] for \[5, 1\] of 'x'"):
        with_offsets({"x": rows}, ["x", "x@LOD0"])
    for given in (proa.ones([2]), static.create_lod_tensor(np.zeros([2, 1]), [])):
        with pytest.raises(InvalidArgumentError, match="f: the rows are not divided"):
            read_rows(given, "f")


def test_what_is_computed_row_by_row_is_divided_as_its_input():
    main = static.Program()
    with static.program_guard(main):
        x, other = (static.data(name, [None, 2], lod_level=1) for name in ("x", "other"))
        computed = proa.nn.functional.relu(static.nn.fc(proa.concat([x, x], 1), 3)) + 1
        assert read_rows(computed, "f")[1][0].name == "x@LOD0"
        with pytest.raises(InvalidArgumentError, match="are not divided"):
            read_rows(x.reshape([-1, 1]), "f")
        total = static.nn.sequence_pool(x, "sum") + static.nn.sequence_pool(other, "sum")
        product = x * other
    rows, fewer = (
        static.create_lod_tensor(np.ones([sum(lengths), 2], "float32"), [lengths])
        for lengths in ([2, 3], [1, 2])
    )
    run = static.Executor().run
    assert run(main, {"x": rows, "other": fewer}, [total])[0].tolist() == [[3, 3], [5, 5]]
    with pytest.raises(InvalidArgumentError, match="equally many rows"):
        run(main, {"x": rows, "other": fewer}, [product])
    with pytest.raises(InvalidArgumentError, match="feed what create_lod_tensor gives as x"):
        run(main, {"x": np.ones([2, 2]), "other": fewer}, [total])


def test_a_saved_program_takes_rows_in_sequences(tmp_path):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2], lod_level=1)
        y = static.nn.sequence_pool(x, "max")
    path = str(tmp_path / "net")
    static.save_inference_model(path, [x], [y], None, program=main)
    program, feeds, fetches = static.load_inference_model(path, None)
    assert feeds == ["x", "x@LOD0"]
    for lengths in ([2, 1], [1, 1, 2]):
        data = np.arange(2 * sum(lengths), dtype="float32").reshape(-1, 2)
        rows = static.create_lod_tensor(data, [lengths])
        (found,) = static.Executor().run(program, {"x": rows}, fetches)
        np.testing.assert_array_equal(found, data[np.cumsum(lengths) - 1])
