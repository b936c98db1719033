from __future__ import annotations

import numpy as np
import pytest

from proa.core import InvalidArgumentError, ProgramError
from proa.program import bind_sizes, evaluate_dimension, format_shape, make_dimension, substitute
from proa.program._dims import computed_dimension

EXPRESSIONS = ["2*b + 1", "b*c", "floordiv(b, 2)", "mod(c, 3)", "b^2 - c", "-1*b + 10", "max(b, c)"]
SIZES = {"b": 7, "c": 5}
VALUES = [15, 35, 3, 2, 44, 3, 7]


@pytest.mark.parametrize(("text", "value"), list(zip(EXPRESSIONS, VALUES, strict=True)))
def test_expressions_survive_as_text_and_are_evaluated(text, value):
    dimension = make_dimension(text)
    assert evaluate_dimension(make_dimension(str(dimension)), SIZES) == value


def test_python_arithmetic_on_dimensions_is_evaluated_too():
    b, c = make_dimension("b"), make_dimension("c")
    assert substitute((b * c // 2, (b + 1, 3), "text"), SIZES) == (17, (8, 3), "text")


def test_a_dimension_that_is_not_given_is_an_error():
    with pytest.raises(ProgramError, match="'zz' cannot be computed"):
        evaluate_dimension(make_dimension("zz"), SIZES)
    with pytest.raises(InvalidArgumentError, match="is not a dimension"):
        make_dimension("2 apples")


MISMATCHES = [
    ([(make_dimension("b"), 3)], [(4,)], "the rank differs"),
    ([(make_dimension("b"), 3)], [(4, 5)], "5 is not 3"),
    ([(make_dimension("b"),), (make_dimension("b"),)], [(4,), (5,)], "b is 4 elsewhere"),
]


@pytest.mark.parametrize(("specs", "shapes", "why"), MISMATCHES)
def test_shapes_that_do_not_fit_name_the_input(specs, shapes, why):
    names = [f"x{i}" for i in range(len(specs))]
    arrays = [np.zeros(shape) for shape in shapes]
    with pytest.raises(InvalidArgumentError, match=why):
        bind_sizes(specs, arrays, names)


def test_sizes_are_read_off_the_arrays():
    specs = [(make_dimension("b"), 3), (make_dimension("c"), make_dimension("b"))]
    assert bind_sizes(specs, [np.zeros((4, 3)), np.zeros((2, 4))], "xy") == {"b": 4, "c": 2}
    assert format_shape(specs[0]) == "[b, 3]"


def test_expressions_with_parentheses_are_computed():
    made = computed_dimension("8 * (a + 64) + floordiv(2 * (b - 1), 3)")
    assert evaluate_dimension(made, {"a": 1, "b": 7}) == 8 * 65 + 4
    assert computed_dimension("2 * (3 + 1)") == 8
