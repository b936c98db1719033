"""Rows for the losses of `paddle.nn.functional`."""

from __future__ import annotations

from parity.table import Array, Call, array, float64, integers, normal, positive, uniform

_F = "paddle.nn.functional."
_REDUCTIONS = ("mean", "sum", "none")
_SHARE = uniform(3, 4, low=0.1, high=0.9)
_TARGET = uniform(3, 4, low=0.1, high=0.9, fixed=True)
_SIGNS = array([[1.0, -1.0, 1.0, 1.0], [-1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, 1.0]], fixed=True)
_SOFT = array([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.0, 0.5, 0.5, 0.0]], fixed=True)
_CLASSES = array([0, 2, 1])
_X = normal(3, 4)


def _each(name: str, *args: object, **options: object) -> list[Call]:
    return [Call(_F + name, *args, reduction=each, **options) for each in _REDUCTIONS]  # type: ignore[arg-type]


def _sequences() -> tuple[Array, ...]:
    labels = array([[1, 2, 2], [3, 1, 0]], "int32")
    return normal(6, 2, 4), labels, array([6, 5]), array([3, 2])


CALLS = (
    *_each("binary_cross_entropy", _SHARE, _TARGET),
    *_each("binary_cross_entropy", _SHARE, _TARGET, weight=positive(4, fixed=True)),
    *_each("binary_cross_entropy_with_logits", _X, _TARGET),
    *_each("binary_cross_entropy_with_logits", _X, _TARGET, pos_weight=positive(4, fixed=True)),
    *_each("mse_loss", _X, normal(3, 4)),
    *_each("l1_loss", _X, normal(3, 4)),
    *_each("smooth_l1_loss", _X, normal(3, 4)),
    *_each("smooth_l1_loss", _X, normal(3, 4), delta=0.5),
    *_each("kl_div", _X, _TARGET),
    *_each("kl_div", _X, normal(3, 4, fixed=True), log_target=True),
    Call(_F + "kl_div", _X, _TARGET, reduction="batchmean"),
    *_each("cross_entropy", normal(3, 4), _CLASSES),
    *_each("cross_entropy", normal(3, 4), array([[0], [2], [1]])),
    *_each("cross_entropy", normal(3, 4), _CLASSES, weight=positive(4, fixed=True)),
    *_each("cross_entropy", normal(3, 4), array([0, -100, 1]))[1:],
    Call(
        _F + "cross_entropy",
        normal(3, 4),
        array([0, -100, 1]),
        differs="ignored rows are left out of the mean whatever the sign of ignore_index; the real "
        "one counts them where it is negative and no weight is given",
    ),
    *_each("cross_entropy", normal(3, 4), array([0, 2, 1]), ignore_index=2),
    *_each("cross_entropy", normal(3, 4), _SOFT, soft_label=True),
    *_each("cross_entropy", normal(3, 4), _CLASSES, label_smoothing=0.1),
    *_each("cross_entropy", _SHARE, _CLASSES, use_softmax=False),
    *_each("cross_entropy", normal(2, 4, 3), integers(2, 3, high=4), axis=1),
    Call(_F + "cross_entropy", float64(3, 4), _CLASSES),
    Call(_F + "cross_entropy", normal(3, 4), array([4, 0, 0]), error=True),
    Call(_F + "cross_entropy", normal(3, 4), array([-100, -100, -100])),
    Call(_F + "softmax_with_cross_entropy", normal(3, 4), array([[0], [2], [1]])),
    Call(
        _F + "softmax_with_cross_entropy",
        normal(3, 4),
        array([[0], [2], [1]]),
        return_softmax=True,
        differs="the softmax that is returned passes gradients on, too",
    ),
    Call(_F + "softmax_with_cross_entropy", normal(3, 4), _SOFT, soft_label=True),
    *_each("nll_loss", normal(3, 4), _CLASSES),
    *_each("nll_loss", normal(3, 4), _CLASSES, weight=positive(4, fixed=True)),
    *_each("nll_loss", normal(2, 4, 3), integers(2, 3, high=4)),
    *_each("gaussian_nll_loss", _X, normal(3, 4), positive(3, 4, fixed=True)),
    Call(_F + "gaussian_nll_loss", _X, normal(3, 4), positive(3, 1, fixed=True), full=True),
    Call(
        _F + "gaussian_nll_loss",
        _X,
        normal(3, 4),
        positive(3, 4),
        differs="the variance has a gradient; the real one gives it none",
    ),
    *_each("poisson_nll_loss", _X, positive(3, 4, fixed=True)),
    Call(_F + "poisson_nll_loss", positive(3, 4), positive(3, 4, fixed=True), log_input=False),
    Call(_F + "poisson_nll_loss", _X, positive(3, 4, fixed=True), full=True),
    *_each("hinge_embedding_loss", _X, _SIGNS),
    *_each("soft_margin_loss", _X, _SIGNS),
    *_each("multi_label_soft_margin_loss", _X, array([[1.0, 0.0, 1.0, 0.0]] * 3, fixed=True)),
    *_each("multi_label_margin_loss", _X, array([[3, 0, -1, 1], [1, -1, 0, 0], [0, 1, 2, 3]])),
    *_each("multi_margin_loss", _X, _CLASSES),
    Call(_F + "multi_margin_loss", _X, _CLASSES, p=2, margin=0.5),
    *_each("margin_ranking_loss", normal(4), normal(4), array([1.0, -1.0, 1.0, -1.0], fixed=True)),
    *_each("cosine_embedding_loss", _X, normal(3, 4), array([1, -1, 1])),
    Call(_F + "cosine_embedding_loss", _X, normal(3, 4), array([1, -1, 1]), margin=0.3),
    *_each("triplet_margin_loss", _X, normal(3, 4), normal(3, 4)),
    Call(_F + "triplet_margin_loss", _X, normal(3, 4), normal(3, 4), swap=True, margin=2.0),
    *_each("triplet_margin_with_distance_loss", _X, normal(3, 4), normal(3, 4)),
    *_each("sigmoid_focal_loss", _X, array([[1.0, 0.0, 1.0, 0.0]] * 3, fixed=True)),
    Call(_F + "sigmoid_focal_loss", _X, array([[1.0, 0.0, 1.0, 0.0]] * 3, fixed=True), gamma=1.0),
    Call(_F + "square_error_cost", _X, normal(3, 4)),
    Call(_F + "log_loss", uniform(4, 1, low=0.1, high=0.9), array([[1.0], [0.0]] * 2, fixed=True)),
    Call(_F + "dice_loss", uniform(3, 4, low=0.1, high=0.9), array([[0], [2], [1]])),
    Call(_F + "npair_loss", _X, normal(3, 4), array([0.0, 1.0, 0.0], fixed=True)),
    *(Call(_F + "ctc_loss", *_sequences(), reduction=each) for each in _REDUCTIONS),
    Call(_F + "ctc_loss", *_sequences(), norm_by_times=True),
    Call(
        _F + "rnnt_loss",
        normal(2, 4, 3, 4),
        array([[1, 2], [3, 1]], "int32"),
        array([4, 4], "int32"),
        array([2, 2], "int32"),
        fastemit_lambda=0.0,
    ),
    Call(
        _F + "hsigmoid_loss",
        normal(3, 4),
        array([[0], [4], [2]]),
        5,
        normal(4, 4),
        normal(4, 1),
    ),
    Call(
        _F + "adaptive_log_softmax_with_loss",
        normal(4, 6),
        array([0, 3, 5, 1]),
        normal(6, 4),
        [[normal(6, 3), normal(3, 2)], [normal(6, 2), normal(2, 2)]],
        [2, 4, 6],
    ),
)
