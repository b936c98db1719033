from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import InvalidArgumentError, InvalidTypeError, NotFoundError

GIVEN = np.float32([[1, 2, 3], [4, 5, 6]])


def built():
    main = static.Program()
    with static.program_guard(main):
        x, unused = static.data("x", [None, 3]), static.data("unused", [None, 3])
        y = proa.nn.functional.dropout(static.nn.fc(x, 2), 0.5)
    return main, x, unused, y


def test_a_saved_program_gives_what_the_program_gives(tmp_path):
    main, x, unused, y = built()
    executor, path = static.Executor(), str(tmp_path / "net")
    expected = executor.run(main.clone(for_test=True), {"x": GIVEN}, [y])[0]
    static.save_inference_model(path, [unused, x], [y], executor, program=main)
    program, feeds, fetches = static.load_inference_model(path, executor)
    assert feeds == ["unused", "x"]
    found = executor.run(program, {"x": GIVEN, "unused": GIVEN}, fetches)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert "linear" in str(program)
    with pytest.raises(InvalidArgumentError, match="the outputs need x"):
        static.save_inference_model(path, [unused], [y], executor, program=main)


def test_parameters_in_files(tmp_path):
    main, _, _, y = built()
    static.save(main, str(tmp_path / "net"))
    (weight, _) = main.all_parameters()
    before = weight.numpy()
    weight.set_value(before * 0)
    state = static.load_program_state(str(tmp_path / "net"), [weight])
    assert list(state) == [weight.name]
    static.load(main, str(tmp_path / "net"))
    assert weight.numpy().tolist() == before.tolist()
    assert static.normalize_program(main, [], [y])._is_test
    with pytest.raises(NotFoundError, match="there is no"):
        static.load(main, str(tmp_path / "nothing"))


def test_a_program_as_it_is_saved():
    main, x, _, y = built()
    run, feed = static.Executor().run, {"x": GIVEN}
    normal = static.normalize_program(main, [x], [y])
    assert run(normal, feed, [y])[0].tolist() == run(normal, feed, [y])[0].tolist()
    for arguments, message in (
        ((3, [x], [y]), "normalize_program of a int"),
        ((main, 3, y), "`feed_vars` holds a int"),
        ((main, x, ["y"]), "`fetch_vars` holds a str"),
    ):
        with pytest.raises(InvalidTypeError, match=message):
            static.normalize_program(*arguments)
