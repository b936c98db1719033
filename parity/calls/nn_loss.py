"""Rows for the layers of losses; their functions are in `functional_losses`."""

from __future__ import annotations

from parity.table import Call, array, float64, integers, normal, positive, uniform

_N = "paddle.nn."
_X, _Y = normal(3, 4), normal(3, 4)
_SHARE = uniform(3, 4, low=0.1, high=0.9)
_TARGET = uniform(3, 4, low=0.1, high=0.9, fixed=True)
_SIGNS = array([[1.0, -1.0, 1.0, 1.0], [-1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, 1.0]], fixed=True)
_BITS = array([[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 1.0]], fixed=True)
_SOFT = array([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.0, 0.5, 0.5, 0.0]], fixed=True)
_CLASSES = array([0, 3, 1])
_WEIGHT = positive(4, fixed=True)
_REDUCTIONS = ("mean", "sum", "none")


def _each(name: str, *inputs: object, **options: object) -> list[Call]:
    """A layer without settings, with each reduction, and in double precision."""
    return [
        Call(f"{_N}{name}", **options, reduction=how, forward=inputs)  # type: ignore[arg-type]
        for how in _REDUCTIONS
    ]


CALLS = (
    *_each("CrossEntropyLoss", _X, _CLASSES),
    *_each("CrossEntropyLoss", _X, _CLASSES, weight=_WEIGHT),
    *_each("CrossEntropyLoss", _X, _CLASSES, ignore_index=3),
    *_each("CrossEntropyLoss", _X, _CLASSES, label_smoothing=0.2),
    *_each("CrossEntropyLoss", _X, _SOFT, soft_label=True),
    Call(
        f"{_N}CrossEntropyLoss",
        soft_label=True,
        forward=(_X, _TARGET),
        differs="the gradient holds for labels whose sum is not 1, too",
    ),
    *_each("CrossEntropyLoss", normal(2, 4, 3), integers(2, 3, high=4), axis=1),
    *_each("CrossEntropyLoss", _SHARE, _CLASSES, use_softmax=False),
    *_each("NLLLoss", _X, _CLASSES),
    *_each("NLLLoss", _X, _CLASSES, weight=_WEIGHT, ignore_index=1),
    *_each("NLLLoss", normal(2, 4, 2, 3), integers(2, 2, 3, high=4)),
    *_each("MSELoss", _X, _Y),
    *_each("L1Loss", _X, _Y),
    *_each("SmoothL1Loss", _X, _Y, delta=0.7),
    *_each("SmoothL1Loss", float64(3, 4), float64(3, 4), is_huber=False),
    *_each("BCELoss", _SHARE, _TARGET),
    *_each("BCELoss", _SHARE, _TARGET, weight=_WEIGHT),
    *_each("BCEWithLogitsLoss", _X, _TARGET),
    *_each("BCEWithLogitsLoss", _X, _TARGET, weight=_WEIGHT, pos_weight=_WEIGHT),
    *_each("KLDivLoss", _X, _TARGET),
    Call(f"{_N}KLDivLoss", "batchmean", forward=(_X, _TARGET)),
    Call(f"{_N}KLDivLoss", "mean", True, forward=(_X, normal(3, 4, fixed=True))),
    *_each("MarginRankingLoss", _X, _Y, _SIGNS, margin=0.3),
    *_each("HingeEmbeddingLoss", _X, _SIGNS, margin=1.2),
    *_each("CosineEmbeddingLoss", _X, _Y, array([1, -1, 1]), margin=0.1),
    *_each("SoftMarginLoss", _X, _SIGNS),
    *_each("MultiLabelSoftMarginLoss", _X, _BITS),
    *_each("MultiLabelMarginLoss", _X, array([[3, 0, -1, 1], [0, -1, 1, 2], [2, 1, 3, 0]])),
    *_each("MultiMarginLoss", _X, _CLASSES, p=2, margin=0.8),
    *_each("MultiMarginLoss", _X, _CLASSES, weight=_WEIGHT),
    *_each("TripletMarginLoss", _X, _Y, normal(3, 4), margin=0.7),
    *_each("TripletMarginLoss", _X, _Y, normal(3, 4), swap=True, p=1),
    *_each("TripletMarginWithDistanceLoss", _X, _Y, normal(3, 4)),
    *_each("PoissonNLLLoss", _X, positive(3, 4, fixed=True)),
    *_each("PoissonNLLLoss", _SHARE, positive(3, 4, fixed=True), log_input=False, full=True),
    *_each("GaussianNLLLoss", _X, _Y, positive(3, 4, fixed=True), full=True),
    Call(
        f"{_N}GaussianNLLLoss",
        forward=(_X, _Y, positive(3, 4)),
        differs="the variance has a gradient, so that a model can learn it",
    ),
    *(
        Call(
            f"{_N}CTCLoss",
            0,
            how,
            forward=(
                normal(6, 2, 4),
                array([[1, 2, 2], [3, 1, 0]], "int32"),
                array([6, 5]),
                array([3, 2]),
            ),
        )
        for how in _REDUCTIONS
    ),
    Call(f"{_N}HSigmoidLoss", 4, 5, forward=(_X, array([[0], [4], [2]]))),
    Call(f"{_N}BCELoss", reduction="median", forward=(_SHARE, _TARGET), error=True),
    Call(f"{_N}CrossEntropyLoss", forward=(_X, array([0, 7, 1])), error=True),
    Call(f"{_N}MSELoss", forward=(_X, normal(3, 5)), error=True),
)
