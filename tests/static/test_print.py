from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import InvalidArgumentError

GIVEN = np.arange(6, dtype="float32").reshape(3, 2)


def test_a_tensor_and_its_gradient_are_printed(capsys):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        x.stop_gradient = False
        x.name = "shown"
        y = static.Print(x, first_n=2, message="a text", summarize=3)
        (slope,) = static.gradients((y * y).sum(), x)
    for size in (3, 2, 3):
        (found,) = static.Executor().run(main, {"x": GIVEN[:size]}, [slope])
        assert found.tolist() == (2 * GIVEN[:size]).tolist()
    facts = "  - lod: {{}}\n  - shape: [{0}, 2]\n  - layout: NCHW\n  - dtype: float32\n"
    forward = (
        "Variable: shown\n  - message: a text\n"
        + facts
        + "  - data: [0.000000 1.000000 2.000000]\n"
    )
    backward = (
        "Variable: shown@GRAD\n  - message: a text\n"
        + facts
        + "  - data: [0.000000 2.000000 4.000000]\n"
    )
    printed = capsys.readouterr().out
    for size in (3, 2):
        assert forward.format(size) in printed
        assert backward.format(size) in printed
    assert printed.count("Variable") == 4


@pytest.mark.parametrize(("phase", "names"), [("forward", ["x"]), ("BACKWARD", ["x@GRAD"])])
def test_one_phase_alone(capsys, phase, names):
    x = proa.to_tensor([1, 2], dtype="float32", stop_gradient=False)
    x.name = "x"
    switches = dict.fromkeys(("type", "shape", "layout", "lod"), False)
    settings = {f"print_tensor_{what}": is_on for what, is_on in switches.items()}
    static.Print(x, print_phase=phase, summarize=-1, **settings).sum().backward()
    values = {"x": "1.000000 2.000000", "x@GRAD": "1.000000 1.000000"}
    expected = "".join(f"Variable: {n}\n  - data: [{values[n]}]\n" for n in names)
    assert capsys.readouterr().out == expected


def test_integers_and_unused_results(capsys):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2], "int64")
        static.Print(x, print_tensor_name=False, print_tensor_lod=False)
        y = x + 1
    static.Executor().run(main, {"x": [3, 4]}, [y])
    assert capsys.readouterr().out.endswith("- dtype: int64\n  - data: [3 4]\n")


def test_a_phase_that_does_not_exist():
    with pytest.raises(InvalidArgumentError, match="`print_phase` is 'sideways'"):
        static.Print(proa.ones([1]), print_phase="sideways")
