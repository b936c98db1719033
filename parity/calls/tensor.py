"""Rows for members of `paddle.Tensor`: functions of `paddle` as methods, and what it has alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parity.table import (
    Array,
    Call,
    array,
    booleans,
    complexes,
    float64,
    integers,
    named,
    normal,
    positive,
)

from . import linalg, paddle_elementwise, paddle_reductions, paddle_shapes

_FUNCTIONS = (
    *paddle_elementwise.CALLS,
    *paddle_reductions.CALLS,
    *paddle_shapes.CALLS,
    *linalg.CALLS,
)
# Functions of a tensor that are no methods of it.
_NO_METHODS = frozenset(
    """add_n arange bernoulli binomial block_diag broadcast_tensors cartesian_prod clone complex
    diagflat einsum empty_like equal_all full_like is_empty log_normal matrix_exp matrix_norm
    meshgrid multi_dot multiplex normal numel ones_like pdist poisson polar positive randint_like
    rank shape standard_gamma svdvals lu_solve ger isreal negative pdist row_stack column_stack
    vector_norm zeros_like softmax vecdot hstack vstack dstack searchsorted scatter_nd range
    swapdims corrcoef cov assign crop conv1d conv2d conv3d adaptive_avg_pool1d group_norm
    layer_norm inv det triangular_solve matrix_rank""".split()
)
_IN_PLACE = """abs acos acosh add addmm asin asinh atan atanh baddbmm bitwise_and bitwise_not
    bitwise_or bitwise_xor cast ceil clip copysign cos cosh cumprod cumsum digamma divide erfinv
    exp flatten floor floor_divide floor_mod frac gammaln gcd greater_equal greater_than hypot i0
    index_add index_fill index_put lcm ldexp lerp less_equal less_than lgamma log log10 log1p log2
    logical_and logical_not logical_or logical_xor logit masked_fill masked_scatter mod multiply
    nan_to_num neg not_equal polygamma put_along_axis reciprocal remainder renorm reshape round
    rsqrt scale scatter sin sinc sinh sqrt square squeeze subtract tan tanh transpose tril triu
    trunc unsqueeze equal where multigammaln bitwise_left_shift""".split()
_TRUTHS = """equal greater_equal greater_than less_equal less_than not_equal logical_and logical_not
    logical_or logical_xor""".split()
_IN_PLACE_DIFFERS = {
    "cumsum": "the tensor keeps its shape; the real one is flattened",
    "floor_divide": "a step function has no gradient; the real one passes it on unchanged",
}
_IN_PLACE_FUNCTIONS = """abs acos addmm atan baddbmm bitwise_and bitwise_invert bitwise_left_shift
    bitwise_not bitwise_or bitwise_right_shift bitwise_xor cast copysign cos cumprod cumsum digamma
    div divide equal erf expm1 flatten floor_divide floor_mod frac gammaln gcd greater_equal
    greater_than hypot i0 index_add index_fill index_put lcm ldexp less_equal less_than lgamma log
    log10 log2 logical_and logical_not logical_or logit masked_fill masked_scatter mod multigammaln
    multiply nan_to_num neg polygamma remainder renorm reshape scatter scatter_add sin sinc sinh
    square squeeze sub subtract tan tanh transpose tril triu trunc unsqueeze where t""".split()


def _first_rows() -> dict[str, Call]:
    rows: dict[str, Call] = {}
    for call in _FUNCTIONS:
        takes_tensor = bool(call.args) and isinstance(call.args[0], Array)
        if takes_tensor and not call.differs and not call.error and call.values:
            rows.setdefault(call.name.rpartition(".")[2], call)
    return rows


def _as_methods() -> Iterator[Call]:
    rows = _first_rows()
    for name, call in rows.items():
        if name not in _NO_METHODS and "functional" not in call.name:
            yield Call(f"paddle.Tensor.{name}", *call.args, grad=call.grad, also=call.kwargs)
    for prefix, names in (("paddle.Tensor", _IN_PLACE), ("paddle", _IN_PLACE_FUNCTIONS)):
        for name in names:
            call, differs = rows[name], _IN_PLACE_DIFFERS.get(name, "")
            grad = call.grad and name not in _TRUTHS
            yield Call(
                f"{prefix}.{name}_", *call.args, grad=grad, differs=differs, also=call.kwargs
            )


def _get(x: Array, *indices: Any) -> list[Call]:
    return [Call("paddle.Tensor.__getitem__", x, index) for index in indices]


_ALL = slice(None)
_MASK = array([True, False, True])
_PLANE = array([[True, False, True, False], [False] * 4, [True] * 4])
_INDICES = (
    0,
    -1,
    slice(1, 3),
    slice(None, None, -1),
    slice(2, 0, -1),
    slice(5, 1),
    ...,
    None,
    (0, 1),
    (_ALL, 2),
    (_ALL, None, 1),
    (..., 0),
    (slice(0, 2), slice(1, 4, 2)),
    [0, 2],
    ([0, 2], [1, 3]),
    (_ALL, [1, 1]),
    ([0, 2], slice(1, 3)),
    array([2, 0, 2]),
    array([[0, 1], [2, 2]]),
    (array([0, 1]), array([1, 3])),
    (_ALL, array([1, 0])),
    array(1),
    _MASK,
    _PLANE,
    (_MASK, 1),
    (slice(0, 2), array([True, False, False, True])),
    [True, False, True],
    True,
)
_CUBE_INDICES = (
    (0, _ALL, [1, 2]),
    ([0, 1], _ALL, [1, 2]),
    (_ALL, [0, 1], [1, 2]),
    (array([[0], [1]]), array([0, 2])),
    (..., array([0, 3])),
    (slice(0, 1), None, ..., slice(None, None, 2)),
)
_WRITES = (
    (0, 1.5),
    (slice(1, 3), normal(2, 4)),
    (slice(None, None, 2), normal(4)),
    ((_ALL, 1), normal(3)),
    ((_ALL, [0, 2]), normal(3, 2)),
    (array([0, 2]), normal(2, 4)),
    (_PLANE, 0.0),
    (_MASK, normal(4)),
    ((0, 0), normal()),
    (..., 2.0),
    (([0, 1], [1, 2]), normal(2)),
    ((slice(0, 2), slice(1, 3)), normal(2, 2)),
)
_BINARY = "add sub mul truediv pow matmul eq ne lt le gt ge floordiv mod".split()
_COMPARISONS = "eq ne ge gt le lt greater less".split()
_REFLECTED = "radd rsub rmul rtruediv rpow".split()

CALLS = (
    *_as_methods(),
    *_get(normal(3, 4), *_INDICES),
    *_get(normal(2, 3, 4), *_CUBE_INDICES),
    *_get(normal(), None, ...),
    *_get(normal(0, 3), _ALL, (_ALL, 1), slice(0, 1)),
    Call("paddle.Tensor.__getitem__", normal(3), 3, error=True),
    Call(
        "paddle.Tensor.__getitem__",
        normal(3),
        array([3]),
        error=True,
        differs="TRAPS 40: an index out of range raises",
    ),
    Call("paddle.Tensor.__getitem__", normal(3), (0, 0), error=True),
    *(Call("paddle.Tensor.__setitem__", normal(3, 4), index, value) for index, value in _WRITES),
    Call("paddle.Tensor.__setitem__", integers(3), 1, 7),
    Call("paddle.Tensor.__setitem__", normal(3), 5, 1.0, error=True),
    *(Call(f"paddle.Tensor.__{name}__", positive(3, 3), positive(3, 3)) for name in _BINARY),
    *(
        Call(f"paddle.Tensor.__{name}__", positive(3), 2)
        for name in [*_BINARY, *_REFLECTED]
        if name != "matmul"
    ),
    *(
        Call(f"paddle.Tensor.__{name}__", integers(3, low=1), 2)
        for name in [*_BINARY, "radd", "rsub", "rmul"]
        if name != "matmul"
    ),
    *(Call(f"paddle.Tensor.__{name}__", integers(3, low=1), 2.5) for name in "add sub mul".split()),
    *(Call(f"paddle.Tensor.__{name}__", integers(3), integers(3)) for name in "and or xor".split()),
    *(Call(f"paddle.Tensor.__{name}__", booleans(3), booleans(3)) for name in "and or xor".split()),
    Call("paddle.Tensor.__lshift__", integers(3), 2),
    Call("paddle.Tensor.__rshift__", integers(3), 1),
    Call("paddle.Tensor.__invert__", integers(3)),
    Call("paddle.Tensor.__neg__", normal(3)),
    Call("paddle.Tensor.__abs__", normal(3)),
    Call("paddle.Tensor.__len__", normal(3, 2)),
    Call("paddle.Tensor.__len__", normal(), error=True),
    Call("paddle.Tensor.__float__", normal()),
    Call("paddle.Tensor.__int__", array(3.7)),
    Call("paddle.Tensor.__bool__", array([0.0])),
    Call("paddle.Tensor.__bool__", normal(2), error=True),
    Call("paddle.Tensor.__index__", array(3)),
    Call("paddle.Tensor.item", normal(1)),
    Call("paddle.Tensor.item", normal(2, 3), 4),
    Call("paddle.Tensor.item", normal(2, 3), 1, 0),
    Call("paddle.Tensor.item", normal(2), error=True),
    Call("paddle.Tensor.item", integers()),
    Call("paddle.Tensor.tolist", normal(2, 2)),
    Call("paddle.Tensor.tolist", integers()),
    Call("paddle.Tensor.numpy", integers(2, 2)),
    *(
        Call(f"paddle.Tensor.{name}", normal(2, 3))
        for name in """shape ndim size dtype T mT is_leaf stop_gradient dim ndimension numel
        element_size itemsize strides rank contiguous is_contiguous detach clone cpu is_tensor
        is_dense is_sparse is_sparse_coo is_sparse_csr is_dist is_cuda persistable
        inplace_version nbytes""".split()
        if name not in ("is_dense", "rank", "nbytes")
    ),
    Call("paddle.Tensor.T", normal(2, 3, 4)),
    Call("paddle.Tensor.mT", normal(2, 3, 4)),
    Call("paddle.Tensor.real", complexes(3)),
    Call("paddle.Tensor.imag", complexes(3)),
    Call("paddle.Tensor.dim", normal()),
    Call("paddle.Tensor.size", normal()),
    *(
        Call("paddle.Tensor.astype", normal(3), dtype)
        for dtype in ("float64", "int32", "bool", "bfloat16", named("paddle.float16"))
    ),
    *(Call(f"paddle.Tensor.{name}", normal(3)) for name in "float double half int long".split()),
    *(
        Call(f"paddle.Tensor.{name}", integers(3))
        for name in "bool short char byte bfloat16".split()
    ),
    Call("paddle.Tensor.type_as", integers(3), normal(2)),
    Call("paddle.Tensor.to", normal(3), "float64"),
    Call("paddle.Tensor.to", normal(3), "cpu"),
    Call("paddle.Tensor.fill_", normal(3), 2.0),
    Call("paddle.Tensor.zero_", normal(3)),
    Call("paddle.Tensor.fill_diagonal_", normal(3, 4), 5.0),
    Call("paddle.Tensor.fill_diagonal_", normal(5, 3), 5.0, wrap=True),
    Call("paddle.Tensor.fill_diagonal_tensor", normal(3, 4), normal(3, fixed=True)),
    Call("paddle.Tensor.copy_", normal(3), normal(3), grad=False),
    Call("paddle.Tensor.new_zeros", normal(3), [2, 2]),
    Call("paddle.Tensor.new_ones", integers(3), [2]),
    Call("paddle.Tensor.new_full", normal(3), [2], 4.0),
    Call("paddle.Tensor.new_empty", normal(3), [2], values=False),
    *(
        Call(f"paddle.Tensor.{name}", normal(3), values=False, grad=False)
        for name in "uniform_ normal_ exponential_ cauchy_ log_normal_ bernoulli_".split()
    ),
    Call("paddle.Tensor.geometric_", normal(3), 0.5, values=False, grad=False),
    Call("paddle.Tensor.repeat", normal(3), 2, 2),
    Call("paddle.Tensor.permute", normal(2, 3), 1, 0),
    Call("paddle.Tensor.view", normal(2, 6), 3, 4),
    Call("paddle.Tensor.reshape", normal(2, 6), 3, 4),
    Call("paddle.Tensor.expand", normal(1, 3), 2, 3),
    Call("paddle.Tensor.is_same_shape", normal(3), normal(3)),
    Call("paddle.Tensor.norm", normal(3, 4), 2, axis=1),
    Call("paddle.Tensor.inverse", array([[2.0, 0.5], [0.1, 1.0]])),
    Call("paddle.Tensor.sigmoid", normal(3)),
    Call("paddle.Tensor.sigmoid_", normal(3)),
    Call("paddle.Tensor.softmax", normal(3, 4), -1),
    Call("paddle.Tensor.split_with_sizes", normal(5), [2, 3]),
    Call("paddle.Tensor.narrow", normal(4, 3), 0, 1, 2),
    Call("paddle.Tensor.mul_", float64(3), float64(3)),
    Call("paddle.Tensor.div_", normal(3), positive(3)),
    Call("paddle.Tensor.sub_", normal(3), normal(3)),
    Call("paddle.Tensor.clamp_", normal(3), -0.5, 0.5),
    Call("paddle.Tensor.pow_", positive(3), 2.0),
    Call("paddle.pow_", positive(3), 2.0),
    *(Call(f"paddle.Tensor.{name}", normal(3), normal(3)) for name in _COMPARISONS),
    *(Call(f"paddle.{name}", normal(3), normal(3)) for name in _COMPARISONS),
    *(
        Call(f"paddle.Tensor.{name}", normal(3))
        for name in """float32 float64 float16 int8 int16 int32 int64 uint8 complex64 complex128
        cdouble cfloat requires_grad negative rank is_empty isreal""".split()
    ),
    Call("paddle.Tensor.equal_all", normal(3), normal(3)),
    Call("paddle.Tensor.resize_", normal(6), [2, 3], grad=False),
    Call("paddle.Tensor.take_along_dim", normal(2, 3), integers(2, 1, high=3), 1),
    Call("paddle.Tensor.true_divide", normal(3), positive(3)),
    Call("paddle.Tensor.swapdims", normal(2, 3), 0, 1),
    Call("paddle.Tensor.detach_", normal(3), grad=False),
    Call("paddle.Tensor.gammainc_", positive(3, fixed=True), positive(3, fixed=True)),
    Call("paddle.Tensor.gammaincc_", positive(3, fixed=True), positive(3, fixed=True)),
    Call("paddle.Tensor.fill_diagonal_tensor_", normal(3, 3), normal(3, fixed=True)),
    Call("paddle.Tensor.cov", normal(3, 4)),
    Call("paddle.Tensor.corrcoef", normal(3, 4)),
    Call("paddle.Tensor.stride", normal(3, 4)),
    Call("paddle.Tensor.get_strides", normal(3, 4)),
    Call("paddle.Tensor.offset", normal(3, 4)),
    Call("paddle.Tensor.random_", normal(3), values=False, grad=False),
    Call("paddle.Tensor.set_value", normal(3), normal(3, fixed=True), grad=False),
)
