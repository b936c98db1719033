from __future__ import annotations

import numpy as np
import pytest

from proa import static
from proa.core import ArtifactError, InvalidArgumentError, InvalidTypeError, NotFoundError


@pytest.fixture(scope="module")
def net():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        weight = static.create_parameter([2], "float32", name="weight of bytes")
        y = x * weight
    return main, x, y, weight


def test_programs_and_parameters_as_bytes(net, tmp_path):
    main, x, y, weight = net
    run, path = static.Executor().run, str(tmp_path / "bytes")
    weight.set_value(np.float32([2, 3]))
    static.save_to_file(path, static.serialize_program([x], [y], program=main))
    program = static.deserialize_program(static.load_from_file(path))
    feed = {"x": np.ones([1, 2], "float32")}
    assert run(program, feed, program.fetch_targets)[0].tolist() == [[2, 3]]
    weight.set_value(np.float32([4, 5]))
    data = static.serialize_persistables([x], [y], None, program=main)
    assert static.deserialize_persistables(program, data, None) is program
    assert run(program, feed, program.fetch_targets)[0].tolist() == [[4, 5]]
    assert [t.tolist() for t in program.all_parameters()] == [[4, 5]]
    assert program.global_block() is program


def test_a_program_without_parameters():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2])
        y = x + 1
    assert static.serialize_persistables(x, y, None, program=main) is None
    assert static.deserialize_persistables(main, None, None) is main


def test_wrong_bytes(net, tmp_path):
    main, x, y, _ = net
    data = static.serialize_persistables([x], [y], None, program=main)
    program = static.serialize_program([x], [y], program=main)
    other = static.Program()
    for error, call, message in (
        (InvalidTypeError, lambda: static.save_to_file(str(tmp_path / "x"), "text"), "got a str"),
        (NotFoundError, lambda: static.load_from_file(str(tmp_path / "none")), "there is no"),
        (ArtifactError, lambda: static.deserialize_program(program[:-9]), "program.proa"),
        (
            ArtifactError,
            lambda: static.deserialize_persistables(main, b"no", None),
            "no parameters",
        ),
        (
            InvalidArgumentError,
            lambda: static.deserialize_persistables(other, data, None),
            "do not fit the Program: weight of bytes",
        ),
    ):
        with pytest.raises(error, match=message):
            call()
