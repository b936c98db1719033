"""Every op of the registry has a row in a table of op tests, or a test named here.

A row (`Case`) checks values, derivatives, the compiled, sharded and low-precision forms. Which ops
a row reaches is found by recording it, which computes nothing.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import pkgutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proa
import proa.linalg
import proa.nn.functional as F
from proa.core import ProaError, all_ops
from proa.program import recording
from tests.ops import harness
from tests.ops.derivatives import FLAT
from tests.ops.harness import Case, case_ids, check_case, complexes, distinct, randn

TESTS = Path(__file__).resolve().parents[1]


def written(view: Any) -> Any:
    """A function of a tensor and values: writes them through a view."""

    def write(x: Any, values: Any) -> Any:
        made = x * 1
        part = view(made)
        part[...] = values
        return made

    return write


def in_numpy(view: Any) -> Any:
    def write(x: Any, values: Any) -> Any:
        made = x.copy()
        view(made)[...] = values
        return made

    return write


def through(view: Any, in_place: Any, shape: Any, values: Any, name: str) -> Case:
    row = (randn(*shape), randn(*values))
    return Case(written(view), row, ref=in_numpy(in_place), id=name, low=("bfloat16",))


def windows(x: Any) -> Any:
    return np.lib.stride_tricks.as_strided(x, (4, 2), (2 * x.itemsize, x.itemsize))


def solved(packed: Any, right: Any) -> Any:
    """`lu_solve` of a matrix that is factored as it stands, by pivots 1, 2, 3."""
    return proa.linalg.lu_solve(right, packed, proa.to_tensor([1, 2, 3], dtype="int32"))


def by_factors(packed: Any, right: Any) -> Any:
    lower = np.tril(packed, -1) + np.eye(3)
    return np.linalg.solve(lower @ np.triu(packed), right)


def masked(x: Any, values: Any) -> Any:
    made = x * 1
    made[proa.to_tensor([True, False, True, False])] = values
    return made


PLACES = np.array([2, 0, 2, 1])
CASES = [
    through(lambda x: x.reshape([2, 6]), lambda x: x.reshape(2, 6), (4, 3), (2, 6), "reshape"),
    through(lambda x: x.transpose([1, 0]), np.transpose, (4, 3), (3, 4), "transpose"),
    through(lambda x: x.squeeze(1), lambda x: x.squeeze(1), (4, 1, 3), (4, 3), "squeeze"),
    through(lambda x: x.unsqueeze(0), lambda x: x[None], (4, 3), (1, 4, 3), "unsqueeze"),
    through(lambda x: x.flatten(), lambda x: x.reshape(12), (4, 3), (12,), "flatten"),
    through(
        lambda x: x.unflatten(0, [2, 2]),
        lambda x: x.reshape(2, 2, 3),
        (4, 3),
        (2, 2, 3),
        "unflatten",
    ),
    through(lambda x: x.diagonal(), lambda x: np.einsum("ii->i", x), (4, 4), (4,), "diagonal"),
    through(lambda x: x[1:3], lambda x: x[1:3], (4, 3), (2, 3), "part"),
    through(lambda x: x.as_strided([4, 2], [2, 1]), windows, (8,), (4, 2), "as_strided"),
    through(lambda x: x.unfold(0, 2, 2), windows, (8,), (4, 2), "tensor_unfold"),
    Case(
        written(proa.as_real),
        (complexes(4), randn(4, 2)),
        ref=lambda x, v: v[:, 0] + 1j * v[:, 1],
        id="as_real",
        low=(),
    ),
    Case(lambda x, i: x[i], (randn(4, 3), PLACES), ref=lambda x, i: x[i], id="picked"),
    Case(
        masked,
        (randn(4, 3), randn(3)),
        ref=lambda x, v: np.where(np.array([True, False, True, False])[:, None], v, x),
        id="written under a mask",
    ),
    Case(
        lambda x, v, i: proa.index_put(x, [i], v, True),
        (randn(4, 3), randn(4, 3), PLACES),
        ref=lambda x, v, i: x + np.stack([v[i == k].sum(0) for k in range(4)]),
        id="index_put",
    ),
    Case(proa.nansum, (randn(4, 3),), ref=np.nansum),
    Case(proa.nanmean, (randn(4, 3),), ref=np.nanmean),
    Case(
        lambda a, b: proa.einsum("ij,jk->ik", a, b),
        (randn(4, 3), randn(3, 4)),
        ref=np.matmul,
        id="einsum",
    ),
    Case(
        lambda x: proa.median(x, axis=1, mode="min")[0],
        (distinct(4, 4),),
        ref=lambda x: np.sort(x, 1)[:, 1],
        id="median of mode min",
        low=("bfloat16",),
        dtype="auto",
    ),
    Case(
        F.max_unpool1d,
        (randn(1, 4, 2), np.array([[[0, 3]] * 4]), 2),
        ref=lambda x, i, k: np.stack([x[..., 0], 0 * x[..., 0], 0 * x[..., 0], x[..., 1]], -1),
    ),
    Case(
        lambda x, i: F.max_unpool3d(x, i, [1, 1, 2]),
        (randn(1, 4, 1, 1, 2), np.array([[[[[0, 3]]]] * 4])),
        ref=lambda x, i: np.stack([x[..., 0], 0 * x[..., 0], 0 * x[..., 0], x[..., 1]], -1),
        id="max_unpool3d",
    ),
    Case(
        lambda x, y: proa.linalg.lstsq(x, y)[0],
        (randn(4, 2), randn(4, 1)),
        ref=lambda x, y: np.linalg.lstsq(x, y, rcond=None)[0],
        id="lstsq",
        low=(),
    ),
    Case(solved, (randn(3, 3) + 3 * np.eye(3), randn(3, 4)), ref=by_factors, id="lu_solve", low=()),
    Case(
        lambda x: proa.real(proa.linalg.eigvals(x)).sum(),
        (randn(4, 4),),
        ref=np.trace,
        id="eigvals",
        low=(),
        sharded=False,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_op(case):
    check_case(case)


# Random numbers, factors that are not unique, and results of a shape of their own.
PROPERTIES = {
    "tests/ops/test_conv_fused.py::test_kernel_and_form_give_the_numbers_of_a_convolution": {
        "conv2d_fused"
    },
    "tests/ops/test_lstm_fused.py::test_kernel_and_form_give_the_numbers_of_an_lstm": {
        "lstm_fused"
    },
    "tests/ops/test_beam.py::test_finished_sequences_go_on_at_no_cost": {"beam_step"},
    "tests/ops/test_routing.py::test_gather_rows": {"expert_rows", "gather_rows"},
    "tests/ops/test_fake_quantize.py::test_rounds_within_the_scale_and_passes_gradients": {
        *("fake_quantize", "largest_magnitude", "moving_magnitude"),
    },
    "tests/ops/test_linalg_lowrank.py::test_eight_bit_products": {"fp8_fp8_half_gemm_fused"},
    "tests/ops/test_attention_masks.py::test_packed_mask": {
        *("interval_mask", "packed_mask", "padded_mask", "pattern_mask"),
    },
    "tests/ops/test_sampling.py::test_the_likeliest_tokens_share_the_draws": {"top_p_sampling"},
    "tests/ops/test_create.py::test_sequences": {"arange", "linspace", "logspace"},
    "tests/ops/test_create.py::test_filled": {"eye", "full"},
    "tests/ops/test_dropout.py::test_share_scale_and_gradient": {"drop"},
    "tests/ops/test_dropout.py::test_alpha_dropout_keeps_the_moments": {"alpha_drop"},
    "tests/ops/test_attention.py::test_dropout_only_in_training": {"attention_dropout"},
    "tests/ops/test_random.py::test_distributions": {"uniform", "gaussian", "normal"},
    "tests/ops/test_random.py::test_integers_cover_their_range_evenly": {"randint"},
    "tests/ops/test_random.py::test_permutations": {"randperm"},
    "tests/ops/test_random_from.py::test_continuous_distributions": {
        *("exponential", "cauchy", "standard_gamma"),
    },
    "tests/ops/test_random_from.py::test_discrete_distributions": {
        *("bernoulli", "bernoulli_like", "binomial", "geometric", "multinomial", "poisson"),
    },
    "tests/ops/test_softmax.py::test_gumbel_softmax_samples_the_distribution": {"gumbel_softmax"},
    "tests/ops/test_index_unique.py::test_counts_of_integers": {"bincount"},
    "tests/ops/test_index_unique.py::test_distinct_slices": {"unique"},
    "tests/ops/test_index_unique.py::test_runs": {"unique_consecutive"},
    "tests/ops/test_index_unique.py::test_histogram": {"histogram"},
    "tests/ops/test_index_unique.py::test_bounds_of_a_histogram": {"histogram_bin_edges"},
    "tests/ops/test_histogram.py::test_counts_and_bounds": {"histogramdd", "histogramdd_edges"},
    "tests/ops/test_index_where.py::test_places_that_are_not_zero": {"nonzero"},
    "tests/ops/test_manipulate_diagonal.py::test_fill_diagonal_in_place": {"fill_diagonal"},
    "tests/ops/test_linalg_solve.py::test_lu_and_its_parts": {"lu", "lu_unpack"},
    "tests/ops/test_linalg_spectral.py::test_eigenvalues_of_any_square_matrix": {"eig"},
    "tests/ops/test_linalg_spectral.py::test_matrix_rank": {"matrix_rank"},
    "tests/ops/test_linalg_spectral.py::test_householder_product_gives_orthogonal_columns": {
        "householder_product"
    },
    "tests/ops/test_linear.py::test_embedding_scales_rows_in_place": {"embedding_clip_rows"},
    "tests/ops/test_linear.py::test_embedding_gradient_by_frequency": {"scale_row_gradients"},
    "tests/ops/test_loss_angle.py::test_sampled_classes": {"class_center_sample"},
    "tests/ops/test_loss_angle.py::test_beams_are_followed_back": {"gather_tree"},
    "tests/ops/test_inspect.py::test_sizes_are_a_tensor_inside_a_program": {"sizes_tensor"},
    "tests/ops/test_labels.py::test_sequence_mask": {"length_mask"},
    "tests/ops/test_arithmetic.py::test_increment_adds_in_place": {"increment"},
    "tests/ops/test_manipulate.py::test_view_reads_bytes_as_another_dtype": {"view_dtype"},
    "tests/core/test_views.py::test_which_ops_share_values": {
        *("as_complex_inverse", "view_dtype_inverse"),
    },
    "tests/core/test_views.py::test_a_write_brings_a_tensor_onto_the_tape": {"overwrite"},
    "tests/ops/test_sharding.py::test_values_stay_and_parts_move_with_a_gradient": {
        "with_sharding"
    },
    "tests/core/test_random.py::test_a_seed_fixes_the_stream": {"random_split"},
    "tests/core/test_tape.py::test_gradients_sum_up_until_they_are_cleared": {
        "grad_seed",
        "grad_sum",
        "grad_zeros",
    },
}
# Differentiable ops whose second derivative no row takes, by reason.
ONCE: dict[str, set[str]] = {"picks one element": {"mode"}}
# Ops that bend and go no further than the second derivative, by reason.
TWICE: dict[str, set[str]] = {
    "linear in the base and in what is written": {
        *("getitem_inverse", "transpose_inverse", "squeeze_inverse", "unsqueeze_inverse"),
        *("flatten_inverse", "unflatten_inverse", "as_real_inverse", "as_strided_inverse"),
        *("tensor_unfold_inverse", "diagonal_inverse"),
    },
}


def import_everything() -> None:
    """Ops are registered when their module is imported; rooms are imported on demand."""
    for module in pkgutil.walk_packages(proa.__path__, "proa."):
        if not module.name.endswith("__main__") and ".cli" not in module.name:
            importlib.import_module(module.name)


def tables() -> list[Any]:
    """All rows that stand in tables of test modules."""
    for path in sorted(TESTS.rglob("test_*.py")):
        if "check_case" in path.read_text():
            parts = path.relative_to(TESTS.parent).with_suffix("").parts
            importlib.import_module(".".join(parts))
    return list(harness.ALL)


def reached(case: Any) -> set[str]:
    """Names of the ops that a row calls."""
    direct = getattr(case.fn, "op", None)
    found = set() if direct is None else {direct.name}

    def put(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(put(v) for v in value)
        if isinstance(value, np.ndarray):
            return recorder.add_input(value.shape, value.dtype, "x")
        return value

    # Left by an exception, so that what was written while recording is put back.
    with contextlib.suppress(ProaError, _Enough), recording() as recorder:
        case.fn(*put(case.args), **{k: put(v) for k, v in case.kwargs.items()})
        raise _Enough
    return found | {call.op.name for call in recorder.calls}


class _Enough(Exception):
    pass


@functools.cache
def rows() -> dict[str, list[Any]]:
    """Rows by the op that they reach."""
    import_everything()
    found: dict[str, list[Any]] = {}
    for case in tables():
        for name in reached(case):
            found.setdefault(name, []).append(case)
    return found


def registered() -> dict[str, Any]:
    """Ops of the op families; those of other rooms are proved by the tests of their modules."""
    rows()
    return {n: op for n, op in all_ops().items() if op.fn.__module__.startswith("proa.ops.")}


def test_every_op_has_a_row_or_a_test_of_its_property():
    by_property = set().union(*PROPERTIES.values())
    assert set(registered()) - set(rows()) - by_property == set()
    assert by_property - set(all_ops()) == set()


@pytest.mark.parametrize("test", PROPERTIES)
def test_tests_named_for_properties_exist(test):
    path, _, name = test.partition("::")
    assert f"def {name}(" in (TESTS.parent / path).read_text()


def test_every_differentiable_op_has_a_row_with_two_derivatives():
    excused = set().union(*ONCE.values(), *PROPERTIES.values())
    for name, op in registered().items():
        if op.differentiable and name not in excused:
            tried = [case for case in rows()[name] if case.grad is not False]
            assert tried, f"no row takes the gradient of {name}"
            assert max(case.orders or 1 for case in tried) >= 2, f"{name}: no second derivative"


def test_every_op_that_bends_has_a_row_with_four_derivatives():
    excused = set().union(FLAT, *ONCE.values(), *TWICE.values(), *PROPERTIES.values())
    for name, op in registered().items():
        if op.differentiable and name not in excused:
            orders = [case.orders or 1 for case in rows()[name] if case.grad is not False]
            assert max(orders) == 4, f"{name}: give its first row orders=4, or a reason here"


def test_excuses_hold():
    for reason, names in {**ONCE, **TWICE}.items():
        assert names <= set(registered()), reason
    assert not set(FLAT) & set().union(*ONCE.values(), *TWICE.values())


def emptied(case: Any) -> Any:
    """The arguments of a row with the first axis of its first array, wherever it is, empty."""
    arrays = [a for a in harness.arrays_of(case.args) if a.ndim]
    extent = arrays[0].shape[0] if arrays else -1

    def cut(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(cut(v) for v in value)
        has_axis = isinstance(value, np.ndarray) and value.ndim and value.shape[0] == extent
        return value[:0] if has_axis else value

    return cut(case.args) if arrays else None


# What the reference makes of nothing and what the op does may differ, by reason.
ABOUT_NOTHING = {
    "no matrix to be decomposed": {"eigvals", "cholesky_solve", "cholesky_inverse", "ormqr"},
    "the mean of no losses is 0": {"cross_entropy", "nll_loss"},
    "windows and steps need elements": {"as_strided", "stft of complex values", "yolo_loss"},
    "the reference gives no rows of r": {"combinations", "cartesian_prod"},
    "the reference is a constant": {"shape", "numel", "is_empty", "max_unpool2d"},
}


def test_every_op_takes_an_empty_axis_as_its_reference_does():
    rows()
    excused = set().union(*ABOUT_NOTHING.values())
    for case in harness.ALL:
        args = emptied(case) if case.is_first and case.name not in excused else None
        if args is None or case.ref is None:
            continue
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = harness.arrays_of([case.ref(*args)], every=True)
        except (ValueError, IndexError, ZeroDivisionError, TypeError, AssertionError):
            with contextlib.suppress(ProaError):
                harness.values_of(case, args)
            continue
        for got, wanted in zip(harness.values_of(case, args), want, strict=True):
            what = f"{case.name} of nothing"
            assert got.shape == wanted.shape, what
            wide = np.complex128 if np.iscomplexobj(got) else np.float64
            np.testing.assert_allclose(got.astype(wide), wanted, 1e-5, 1e-5, err_msg=what)
