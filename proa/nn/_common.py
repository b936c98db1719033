"""Maps with a weight, and the plainest layers."""

from __future__ import annotations

from typing import Any

from proa.core import GradMode, InvalidArgumentError, OutOfRangeError, put, respelled

from . import functional as F
from ._function_layer import FunctionLayer
from ._layer import Layer


def named(text: str, name: str | None) -> str:
    """Adds `name=...` to a printed description, if there is a name."""
    return f"{text}, name={name}" if name else text


def activation_function(activation: Any, argument: str, owner: str) -> Any:
    """Returns the activation for its name in `nn.functional`; a callable is returned as it is.

    Raises:
        InvalidArgumentError: there is no such function.
    """
    found = getattr(F, activation, None) if isinstance(activation, str) else activation
    if not callable(found):
        raise InvalidArgumentError(
            f"{owner}: `{argument}` is {activation!r}",
            expected="the name of an activation of proa.nn.functional, or a function",
            fix="use for example 'relu' or 'gelu'",
        )
    return found


class Identity(Layer):
    """Hands its input on.

    Args:
        args: ignored.
        kwargs: ignored.

    Examples:
        >>> import proa
        >>> proa.nn.Identity()(3)
        3
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Returns the input."""
        return input


class Linear(Layer):
    """Linear map of the last axis: `y = x @ weight + bias`.

    Args:
        in_features: size of the last axis of the input.
        out_features: size of the last axis of the output.
        weight_attr: settings of the weight `[in_features, out_features]`, see ParamAttr; by
            default Xavier's uniform draws.
        bias_attr: settings of the bias `[out_features]`; zeros by default, `False` for none.
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a size is negative, or (at the call) the input's last axis has
            another size.

    Examples:
        >>> import proa
        >>> layer = proa.nn.Linear(4, 2)
        >>> layer(proa.ones([3, 4])).shape
        [3, 2]
    """

    @respelled
    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.name = name
        self.weight = _required_weight(self, [in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], attr=bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Returns the map of the input."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the sizes and the dtype."""
        shown = f"in_features={self.in_features}, out_features={self.out_features}"
        return named(f"{shown}, dtype={self._dtype}", self.name)


def _required_weight(layer: Layer, shape: list[int], attr: Any, dtype: Any = None) -> Any:
    weight = layer.create_parameter(shape, attr=attr, dtype=dtype)
    if weight is None:
        raise InvalidArgumentError(
            f"`weight_attr` of {type(layer).__name__} is False",
            expected="a ParamAttr, a name, an initialiser or None: the layer needs its weight",
            fix="leave weight_attr out; for a fixed weight use ParamAttr(trainable=False)",
        )
    return weight


class Bilinear(Layer):
    """Bilinear map of two inputs: `y[k] = x1 @ weight[k] @ x2 + bias[k]`.

    Args:
        in1_features: size of the last axis of the first input.
        in2_features: size of the last axis of the second input.
        out_features: size of the last axis of the output.
        weight_attr: settings of the weight `[out, in1, in2]`, see ParamAttr.
        bias_attr: settings of the bias `[1, out]`; `False` for none.
        name: printed; kept for Paddle's signature.

    Raises:
        InvalidArgumentError: a size is negative, or (at the call) the sizes do not fit.
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        self.name = name
        shape = [out_features, in1_features, in2_features]
        self.weight = _required_weight(self, shape, weight_attr)
        self.bias = self.create_parameter([1, out_features], attr=bias_attr, is_bias=True)

    def forward(self, x1: Any, x2: Any) -> Any:
        """Returns the map of the two inputs."""
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the sizes and the dtype."""
        shown = f"in1_features={self.in1_features}, in2_features={self.in2_features}"
        shown += f", out_features={self.out_features}, dtype={self._dtype}"
        return named(shown, self.name)


class Embedding(Layer):
    """A table of vectors, looked up by integers.

    Args:
        num_embeddings: number of rows, positive.
        embedding_dim: size of a row, positive.
        padding_idx: row that starts at zero and is not trained; negative ones count from the
            end.
        max_norm: rows longer than this are cut to it when they are looked up.
        norm_type: p of the norm for `max_norm`.
        scale_grad_by_freq: divides a row's gradient by how often it was looked up.
        sparse: kept for Paddle's signature; gradients are dense.
        weight_attr: settings of the table, see ParamAttr; by default Xavier's uniform draws.
        name: printed; kept for Paddle's signature.
        device: where the table lies.
        dtype: dtype of the table; the default dtype when it is `None`.

    Raises:
        InvalidArgumentError: a size is not positive.
        OutOfRangeError: `padding_idx` is no row, or (at the call) an integer is none.

    Examples:
        >>> import proa
        >>> table = proa.nn.Embedding(10, 3)
        >>> table(proa.to_tensor([[1, 2]])).shape
        [1, 2, 3]
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        *,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
        weight_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        for size, what in ((num_embeddings, "num_embeddings"), (embedding_dim, "embedding_dim")):
            if size <= 0:
                raise InvalidArgumentError(
                    f"Embedding: `{what}` is {size}", expected="a positive integer", fix="raise it"
                )
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise OutOfRangeError(
                f"Embedding: `padding_idx` is {padding_idx}",
                expected=f"an integer in [{-num_embeddings}, {num_embeddings})",
                fix="name a row of the table",
            )
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self._padding_idx = padding_idx
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self.name = name
        shape = [num_embeddings, embedding_dim]
        weight = _required_weight(self, shape, weight_attr, dtype)
        if _weight is not None:
            weight.set_value(_weight)
        elif padding_idx is not None:
            with GradMode(False):
                rows = weight.numpy()
                rows[padding_idx] = 0
                weight.set_value(rows)
        if device is not None:
            weight._data = put(weight._data, device)
        if _freeze:
            weight.trainable = False
        self.weight = weight

    @property
    def padding_idx(self) -> int | None:
        """The row that is not trained, counted from the start."""
        row = self._padding_idx
        return row + self.num_embeddings if row is not None and row < 0 else row

    def forward(self, x: Any) -> Any:
        """Returns the rows for the integers in `x`."""
        return F.embedding(
            x,
            self.weight,
            padding_idx=self.padding_idx,
            max_norm=self.max_norm,
            norm_type=self.norm_type,
            sparse=self.sparse,
            scale_grad_by_freq=self.scale_grad_by_freq,
        )

    def extra_repr(self) -> str:
        """Returns the sizes and settings."""
        shown = f"{self.num_embeddings}, {self.embedding_dim}"
        if self._padding_idx is not None:
            shown += f", padding_idx={self._padding_idx}"
        shown += f", sparse={self.sparse}, scale_grad_by_freq={self.scale_grad_by_freq}"
        return named(shown, self.name)


class CosineSimilarity(FunctionLayer, function=F.cosine_similarity):
    """Cosine of the angle between vectors: `x1 . x2 / max(|x1| |x2|, eps)`.

    Args:
        axis: axis of the vectors' entries.
        eps: smallest product of lengths, against division by zero.
    """

    axis: int = 1
    eps: float = 1e-8


class PairwiseDistance(FunctionLayer, function=F.pairwise_distance):
    """p-norm of the difference of two batches of vectors.

    Args:
        p: p of the norm.
        epsilon: added to each difference.
        keepdim: keeps the last axis, with size 1.
        name: printed; kept for Paddle's signature.
    """

    p: float = 2.0
    epsilon: float = 1e-6
    keepdim: bool = False
    name: str | None = None

    def extra_repr(self) -> str:
        """Returns `p` and what differs from the defaults."""
        shown = f"p={self.p}"
        if self.epsilon != 1e-6:
            shown += f", epsilon={self.epsilon}"
        if self.keepdim:
            shown += f", keepdim={self.keepdim}"
        return named(shown, self.name)
