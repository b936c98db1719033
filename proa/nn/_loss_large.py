"""Losses with weights of their own, and the transducer loss, as layers."""

from __future__ import annotations

from typing import Any

from proa.core import InvalidArgumentError
from proa.ops import argmax, concat, log_softmax, matmul

from . import functional as F
from ._function_layer import FunctionLayer
from ._layer import Layer


class HSigmoidLoss(Layer):
    """Hierarchical sigmoid: the loss of a class reached by turns in a binary tree.

    Args:
        feature_size: width of a row, D.
        num_classes: number of classes, C; with `is_custom` the number of inner nodes.
        weight_attr: settings of the weight `[C - 1, D]`, see ParamAttr.
        bias_attr: settings of the bias `[C - 1, 1]`; `False` for none.
        is_custom: paths are given at each call; the weight then has a row per node, `[C, D]`.
        is_sparse: accepted for Paddle's signature.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: fewer than two classes, or (at the call) shapes do not fit.

    Examples:
        >>> import proa
        >>> layer = proa.nn.HSigmoidLoss(3, 6)
        >>> layer(proa.ones([2, 3]), proa.to_tensor([0, 5])).shape
        [2, 1]
    """

    def __init__(
        self,
        feature_size: int,
        num_classes: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        is_custom: bool = False,
        is_sparse: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise InvalidArgumentError(
                f"HSigmoidLoss: `num_classes` is {num_classes}",
                expected="at least 2",
                fix="a single class needs no loss; for paths of your own pass is_custom=True",
            )
        self._num_classes, self._is_sparse = num_classes, is_sparse
        nodes = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter([nodes, feature_size], weight_attr)
        self.bias = self.create_parameter([nodes, 1], bias_attr, is_bias=True)

    def forward(self, input: Any, label: Any, path_table: Any = None, path_code: Any = None) -> Any:
        """Returns the losses `[N, 1]`; see `nn.functional.hsigmoid_loss`."""
        given = (input, label, self._num_classes, self.weight, self.bias, path_table, path_code)
        return F.hsigmoid_loss(*given, self._is_sparse)


class AdaptiveLogSoftmaxWithLoss(Layer):
    """Softmax over many classes that are grouped by frequency.

    Args:
        in_features: width of a row, D.
        n_classes: number of classes.
        cutoffs: first class of each cluster of rarer classes, increasing.
        weight_attr: settings of the weights, see ParamAttr.
        bias_attr: settings of the head's bias.
        div_value: each next cluster is seen through that many times fewer features.
        head_bias: gives the head a bias.
        name: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `cutoffs` are no increasing positive integers below `n_classes`.

    Differs: the weights of the clusters are parameters too (`parameters()` of Paddle 3.3.1 leaves
    them out, so that they are not trained).

    Examples:
        >>> import proa
        >>> layer = proa.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10])
        >>> output, loss = layer(proa.ones([2, 8]), proa.to_tensor([1, 15]))
        >>> layer.log_prob(proa.ones([2, 8])).shape
        [2, 20]
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Any,
        weight_attr: Any = None,
        bias_attr: Any = None,
        div_value: float = 4.0,
        head_bias: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__()
        ends = [*cutoffs, n_classes]
        if not cutoffs or ends[0] < 1 or any(a >= b for a, b in zip(ends, ends[1:], strict=False)):
            raise InvalidArgumentError(
                f"AdaptiveLogSoftmaxWithLoss: `cutoffs` is {list(cutoffs)}",
                expected=f"increasing positive integers below n_classes, {n_classes}",
                fix="name the first class of each cluster",
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, ends
        self.div_value = div_value
        self.shortlist_size, self.n_clusters = ends[0], len(ends) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head_weight = self.create_parameter([in_features, self.head_size], weight_attr)
        self.head_bias = (
            self.create_parameter([self.head_size], bias_attr, is_bias=True) if head_bias else None
        )
        for cluster in range(self.n_clusters):
            width = int(in_features // div_value ** (cluster + 1))
            size = ends[cluster + 1] - ends[cluster]
            for part, shape in enumerate(([in_features, width], [width, size])):
                made = self.create_parameter(shape, weight_attr)
                self.add_parameter(f"tail_weight_{cluster}_{part}", made)

    @property
    def tail_weights(self) -> list[list[Any]]:
        """The pairs of weights of the clusters."""
        return [
            [self._parameters[f"tail_weight_{cluster}_{part}"] for part in (0, 1)]
            for cluster in range(self.n_clusters)
        ]

    def forward(self, input: Any, label: Any) -> Any:
        """Returns the log-probability of each row's class, and minus their mean."""
        given = (input, label, self.head_weight, self.tail_weights, self.cutoffs, self.head_bias)
        return F.adaptive_log_softmax_with_loss(*given)

    def log_prob(self, input: Any) -> Any:
        """Returns the log-probabilities of all classes.

        Args:
            input: `[N, D]`.
        """
        head = log_softmax(F.linear(input, self.head_weight, self.head_bias), axis=1)
        short = self.shortlist_size
        parts = [head[:, :short]]
        for cluster, (first, second) in enumerate(self.tail_weights):
            inner = log_softmax(matmul(matmul(input, first), second), axis=1)
            parts.append(inner + head[:, short + cluster : short + cluster + 1])
        return concat(parts, axis=1)

    def predict(self, input: Any) -> Any:
        """Returns the most probable class of each row.

        Args:
            input: `[N, D]`.
        """
        return argmax(self.log_prob(input), axis=1)


class RNNTLoss(FunctionLayer, function=F.rnnt_loss, shown=()):
    """Transducer loss; see `nn.functional.rnnt_loss`.

    Args:
        blank: class that stands for a step in time.
        fastemit_lambda: gradients of labels are larger by this share.
        reduction: `none`, `sum` or `mean`.
        name: kept for Paddle's signature.
    """

    blank: int = 0
    fastemit_lambda: float = 0.001
    reduction: str = "mean"
    name: str | None = None
