from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import proa
from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    PreconditionError,
    UnknownNameError,
)
from proa.inference import Config, create_predictor
from proa.jit import save
from proa.static import InputSpec


@pytest.fixture(scope="module")
def predictor(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inference")

    def double(x, shift):
        return x * 2 + shift, x.sum(axis=1)

    specs = [InputSpec([None, 3], name="x"), InputSpec([], name="shift")]
    sample = (np.ones((2, 3), np.float32), np.float32(1))
    return create_predictor(Config(str(save(double, folder / "double", specs, samples=[sample]))))


def test_run_takes_lists_and_dicts_and_returns_arrays(predictor):
    x, shift = np.ones((4, 3), np.float32), np.float32(0.5)
    for inputs in ([x, shift], {"shift": shift, "x": x}, [proa.to_tensor(x), shift]):
        doubled, total = predictor.run(inputs)
        np.testing.assert_array_equal(doubled, np.full((4, 3), 2.5, np.float32))
        np.testing.assert_array_equal(total, np.full(4, 3.0, np.float32))
    assert predictor.golden_difference <= 1.0


def test_threads_get_their_own_answers(predictor):
    # P#56524: two threads on one predictor, here eight, on changing shapes.
    def ask(number):
        rows = number % 5 + 1
        x = np.full((rows, 3), number, np.float32)
        doubled, total = predictor.run([x, np.float32(0)])
        return np.array_equal(doubled, x * 2) and np.array_equal(total, x.sum(1))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(400)))


def test_handles_belong_to_a_thread(predictor):
    def ask(number):
        x = np.full((2, 3), number, np.float32)
        predictor.get_input_handle("x").copy_from_cpu(x)
        predictor.get_input_handle("shift").copy_from_cpu(np.float32(0))
        assert predictor.run() is True
        name = predictor.get_output_names()[0]
        return np.array_equal(predictor.get_output_handle(name).copy_to_cpu(), x * 2)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(40)))


def test_bad_inputs_are_refused_by_name(predictor):
    with pytest.raises(InvalidArgumentError, match=r"input `x` has shape \[2, 4\]: 4 is not 3"):
        predictor.run([np.ones((2, 4), np.float32), np.float32(0)])
    with pytest.raises(InvalidArgumentError, match=r"missing \['shift'\], unknown \['z'\]"):
        predictor.run({"x": np.ones((2, 3), np.float32), "z": 1})
    with pytest.raises(UnknownNameError, match="there is no 'z'"):
        predictor.get_input_handle("z")


def test_reading_an_output_before_running_is_refused(predictor):
    fresh = predictor.get_output_handle(predictor.get_output_names()[1])
    if fresh._array is None:
        with pytest.raises(PreconditionError, match="holds nothing"):
            fresh.copy_to_cpu()


def test_explain_says_what_runs(predictor):
    text = predictor.explain()
    assert "main" in text
    assert "ops, XLA" in text
    predictor.trim()
    assert "compiled       0 shapes" in predictor.explain()


def test_a_missing_model_is_named(tmp_path):
    with pytest.raises(NotFoundError, match="no artifact at"):
        create_predictor(Config(str(tmp_path / "none")))


ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)
LAYOUTS = {
    "Fortran order": np.asfortranarray(ROWS),
    "strided": np.repeat(ROWS, 2, axis=1)[:, ::2],
    "reversed": ROWS[::-1].copy()[::-1],
    "the other byte order": ROWS.astype(">f4"),
    "a list": ROWS.tolist(),
    "a list of integers": ROWS.astype(int).tolist(),
    "a Tensor": proa.to_tensor(ROWS),
}


@pytest.mark.parametrize("kind", LAYOUTS)
def test_arrays_of_any_layout_and_lists_are_taken(predictor, kind):
    doubled, _ = predictor.run([LAYOUTS[kind], 0])
    np.testing.assert_array_equal(doubled, ROWS * 2)


def test_read_only_arrays_are_taken_and_inputs_stay_as_they_are(predictor):
    given = ROWS.copy()
    given.flags.writeable = False
    predictor.run([given, np.float32(0)])
    np.testing.assert_array_equal(given, ROWS)


def test_no_rows_many_rows_and_nan_pass_through(predictor):
    for rows in (0, 100_000):
        doubled, total = predictor.run([np.ones((rows, 3), np.float32), np.float32(0)])
        assert (doubled.shape, total.shape) == ((rows, 3), (rows,))
    doubled, _ = predictor.run([np.full((1, 3), np.nan, np.float32), np.float32(0)])
    assert np.isnan(doubled).all()


def test_outputs_are_the_callers_own(predictor):
    first, _ = predictor.run([ROWS, np.float32(0)])
    first[:] = 7
    np.testing.assert_array_equal(predictor.run([ROWS, np.float32(0)])[0], ROWS * 2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (ROWS.astype(np.float64), "`x` is float64"),
        (ROWS.astype(np.int64), "`x` is int64"),
        ("text", "`x` is str"),
        ([["a", "b", "c"]], "`x` is str"),
        (None, "`x` is object"),
        ([[1j, 0, 0]], "`x` is complex128"),
    ],
)
def test_inputs_of_another_kind_are_named(predictor, value, message):
    with pytest.raises(InvalidTypeError, match=message):
        predictor.run([value, 0.0])
