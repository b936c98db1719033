from __future__ import annotations

import numpy as np
import pytest

import proa
import proa.nn.functional as F
from proa.jit._export import record as export
from proa.program import (
    Listing,
    format_program,
    program_from_dict,
    program_to_dict,
    record_cond,
    recording,
)
from proa.program._printing import repeated, short_location
from proa.static import InputSpec
from tests.program.passes.programs import bound, record


def lines(fn, *shapes, **options):
    return format_program(bound(fn, *shapes), **options).splitlines()


def test_values_have_names_and_numbers_are_written_out():
    assert lines(lambda x: proa.exp(x * 2.5) + x, ("batch", 3)) == [
        "inputs: x0: float32[batch, 3]",
        "  %0 = multiply(x0, 2.5)  float32[batch, 3]",
        "  %1 = exp(%0)  float32[batch, 3]",
        "  %2 = add(%1, x0)  float32[batch, 3]",
        "outputs: %2",
    ]


@pytest.mark.parametrize(
    ("fn", "shape", "text"),
    [
        (lambda x: F.softmax(x), (2, 3), "softmax(x0)"),
        (lambda x: F.softmax(x, axis=0), (2, 3), "softmax(x0; axis=0)"),
        (lambda x: F.max_pool2d(x, 2, 1), (1, 1, 4, 4), "max_pool2d(x0; kernel_size=2, stride=1)"),
        (lambda x: x.astype("int32"), (2,), "cast(x0; dtype=int32)"),
        (lambda x: proa.var(x, 0, unbiased=False), (2, 3), "var(x0; axis=0, correction=0)"),
        (lambda x: proa.clip(x, 0.0, 1.0), (2,), "clip(x0, 0.0, 1.0)"),
        (lambda x: x + proa.to_tensor([1.0, 2.0]).detach(), (2,), "add(x0, <float32[2]>)"),
    ],
)
def test_attributes_that_have_their_default_are_left_out(fn, shape, text):
    assert lines(fn, shape)[1].split(" = ", 1)[1].rsplit("  ", 1)[0] == text


def test_weights_of_a_layer_stand_together():
    program, _ = record(proa.nn.LayerNorm(3), (2, 3))
    for value, name in zip(program.captures, ("norm.weight", "norm.bias"), strict=True):
        value.name = name
    text = format_program(program)
    assert "layer_norm(x0, norm.{weight, bias}; normalized_shape=(3,))" in text
    assert "captures: norm.weight: float32[3], norm.bias: float32[3]" in text
    assert [line.layer for line in Listing(program, True).lines] == ["norm"]


def test_repeated_blocks_are_shown_once():
    def fn(x):
        for _ in range(4):
            x = proa.exp(proa.sin(x)) + 1.0
        return x

    full = lines(fn, (3,))
    short = lines(fn, (3,), collapse=True)
    assert len(full) == 14
    assert short == [
        full[0],
        "  4 times:",
        *["  " + line for line in full[1:4]],
        "outputs: %11",
    ]
    program = bound(fn, (3,))
    assert repeated(program.calls, 0) == (3, 4)
    assert repeated(program.calls, 11) == (1, 1)


def test_repeated_layers_are_named():
    net = proa.nn.Sequential(*[proa.nn.Linear(3, 3) for _ in range(3)])
    program, _ = record(lambda x: net(proa.sin(x)), (2, 3))
    for i, value in enumerate(program.captures):
        value.name = f"layers.{i // 2}.{'wb'[i % 2]}"
    assert "  3 times in layers.0 ... layers.2:" in format_program(program, collapse=True)


def test_branches_and_loops_are_indented():
    def fn(x):
        return record_cond(x.sum() > 0, lambda: [x + 1.0], lambda: [proa.exp(x)])[0]

    assert lines(fn, (3,))[3:] == [
        "  %2 = if_else(%1, x0, 1.0)  float32[3]",
        "    if true:",
        "      %3 = add(x0, 1.0)  float32[3]",
        "      give %3",
        "    if false:",
        "      %4 = exp(x0)  float32[3]",
        "      give %4",
        "outputs: %2",
    ]

    @proa.jit.to_static
    def loop(x):
        while x.sum() < 10:
            x = x * 2.0
        return x

    class Net(proa.nn.Layer):
        def forward(self, x):
            return loop(x)

    program = export(Net(), [((3,), "float32", "x")])[0]
    text = format_program(program)
    assert "while_loop(x, " in text
    assert " from x" in text
    assert "    do (" in text
    assert "      give %5" in text


def test_gradients_say_what_they_are_for():
    with recording() as recorder:
        x = recorder.add_input((3,), np.float32, "x")
        x.stop_gradient = False
        program, _ = recorder.finish([proa.grad(proa.sin(x).sum(), [x])[0]])
    assert "sin_grad(" in str(program)
    assert "for inputs 0" in str(program)


def test_places_in_the_users_code_are_kept_in_files():
    program = bound(lambda x: proa.exp(x), (3,))
    assert "# test_printing.py:" in format_program(program, where=True)
    again = program_from_dict(*program_to_dict(program))
    assert format_program(again, where=True) == format_program(program, where=True)
    assert [short_location(w) for w in ("/a/b.py:3", "C:\\a\\b.py:3", "b.py:3", "")] == [
        *("b.py:3", "b.py:3", "b.py:3", "")
    ]


def test_many_captures_are_counted():
    net = proa.nn.Sequential(*[proa.nn.Linear(2, 2) for _ in range(7)])
    program, _ = record(net, (1, 2))
    assert "captures: 42 numbers in 14 arrays" in format_program(program, collapse=True)


def test_static_programs_print_the_same_way():
    main = proa.static.Program()
    with proa.static.program_guard(main):
        x = proa.static.data("x", [None, 2])
        proa.static.nn.fc(x, 3) * 2.0
    text = main.to_string()
    assert text.startswith("inputs: x: float32[")
    assert "parameters and state: " in text
    assert "= linear(x, " in text
    assert ", 2.0)" in text
    assert main.to_string() == str(main)
    assert "# test_printing.py:" in main.to_string(with_details=True)


def test_an_exported_program_prints(tmp_path):
    file = proa.jit.save(proa.nn.Linear(2, 3), tmp_path / "net", [InputSpec([None, 2], name="x")])
    program = proa.formats.read_artifact(file).programs["main"]
    assert "= linear(x, weight, bias)  float32[batch, 3]" in str(program)
