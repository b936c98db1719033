from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import proa
from proa.core import (
    ArtifactError,
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    OutOfRangeError,
    PreconditionError,
    UnknownNameError,
)
from proa.inference import Config, MemoryLimitError, PredictorPool, create_predictor
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


def test_tensors_in_give_tensors_out(predictor):
    doubled, _ = predictor.run([proa.ones([2, 3]), proa.to_tensor(1.0)])
    assert isinstance(doubled, proa.Tensor)
    assert doubled.numpy().tolist() == [[3.0] * 3] * 2


def test_a_clone_has_handles_of_its_own_and_shares_what_is_loaded(predictor):
    clone = predictor.clone()
    for value, each in enumerate((predictor, clone)):
        each.get_input_handle("x").copy_from_cpu(np.full((1, 3), value, np.float32))
        each.get_input_handle("shift").copy_from_cpu(np.float32(0))
    for value, each in enumerate((predictor, clone)):
        each.run()
        out = each.get_output_handle(each.get_output_names()[0]).copy_to_cpu()
        assert out.tolist() == [[2.0 * value] * 3]
    assert clone._shared is predictor._shared
    clone.clear_intermediate_tensor()
    with pytest.raises(PreconditionError, match="`x` holds nothing"):
        clone.run()


def test_a_pool_hands_out_predictors(predictor):
    pool = PredictorPool(predictor.config, 3)
    x = np.ones((1, 3), np.float32)
    for number in range(3):
        assert pool.retrieve(number).run([x, np.float32(1)])[0].tolist() == [[3.0] * 3]
    with pytest.raises(OutOfRangeError, match="predictor 3 of a pool of 3"):
        pool.retrieve(3)
    with pytest.raises(InvalidArgumentError, match="`size` is 0"):
        PredictorPool(predictor.config, 0)


def test_changes_of_the_config_come_too_late(predictor, tmp_path):
    config = Config(predictor.config)
    made = create_predictor(config)
    config.set_input_range("x", [7, 3], [7, 3])
    assert made.run([np.ones((1, 3), np.float32), np.float32(0)])[0].shape == (1, 3)


def test_a_memory_ceiling_refuses_what_does_not_fit(predictor):
    config = Config(predictor.config)
    config.set_memory_limit(1)
    made = create_predictor(config)
    for rows in (1, 100, 1000):
        x = np.ones((rows, 3), np.float32)
        assert made.run([x, np.float32(0)])[0].shape == (rows, 3)
    with pytest.raises(MemoryLimitError, match=r"takes [\d.]+ MB beside .* limit is 1\.0 MB"):
        made.run([np.ones((100_000, 3), np.float32), np.float32(0)])
    assert made.run([np.ones((2, 3), np.float32), np.float32(0)])[0].shape == (2, 3)
    assert "memory         " in made.explain()


def test_a_limit_below_the_weights_refuses_the_model(tmp_path):
    file = save(proa.nn.Linear(64, 64), tmp_path / "net", [InputSpec([None, 64])])
    config = Config(file)
    config.set_memory_limit(0.01)
    with pytest.raises(MemoryLimitError, match="the weights take 0.0 MB, the limit is 0.0 MB"):
        create_predictor(config)


def test_memory_is_given_back(predictor):
    assert predictor.try_shrink_memory() >= 0
    assert "compiled       0 shapes" in predictor.explain()


def test_an_artifact_with_one_byte_changed_is_refused(predictor, tmp_path):
    # Also when what its passes made of it was kept: beside it, and in the user's cache.
    content = bytearray(predictor.config.source.path.read_bytes())
    path = tmp_path / "double.proa"
    path.write_bytes(bytes(content))
    create_predictor(Config(path))
    for position in (30, len(content) // 2, len(content) - 200, len(content) - 1):
        changed = content.copy()
        changed[position] ^= 1
        path.write_bytes(bytes(changed))
        with pytest.raises(ArtifactError, match="altered|truncated"):
            create_predictor(Config(path))


def test_explain_says_what_runs(predictor):
    text = predictor.explain()
    assert "engine         xla" in text
    assert "passes of main" in text
    assert "golden         " in text
    predictor.trim()
    assert "compiled       0 shapes" in predictor.explain()


def test_a_missing_model_is_named(tmp_path):
    with pytest.raises(NotFoundError, match="no model at"):
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
