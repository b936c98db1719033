"""Rows for `paddle.distribution`, its transforms, and `paddle.metric`."""

from __future__ import annotations

from typing import Any

from parity.table import Array, Call, array, integers, normal, positive, uniform

_D = "paddle.distribution."
_SHARE = uniform(3, low=0.2, high=0.8)
_INSIDE = uniform(2, 3, low=0.1, high=0.9)
_SIMPLEX = array([0.2, 0.3, 0.5])
_COVARIANCE = array([[2.0, 0.3], [0.3, 1.0]])
# A distribution, and values it may take.
_KINDS: tuple[tuple[Call, Array], ...] = (
    (Call(_D + "Normal", normal(3), positive(3)), normal(2, 3)),
    (Call(_D + "LogNormal", normal(3), positive(3)), positive(2, 3)),
    (Call(_D + "Uniform", array([-2.0]), array([3.0])), _INSIDE),
    (Call(_D + "Laplace", normal(3), positive(3)), normal(2, 3)),
    (Call(_D + "Gumbel", normal(3), positive(3)), normal(2, 3)),
    (Call(_D + "Cauchy", normal(3), positive(3)), normal(2, 3)),
    (Call(_D + "StudentT", positive(3), normal(3), positive(3)), normal(2, 3)),
    (Call(_D + "Exponential", positive(3)), positive(2, 3)),
    (Call(_D + "Gamma", positive(3), positive(3)), positive(2, 3)),
    (Call(_D + "Chi2", positive(3)), positive(2, 3)),
    (Call(_D + "Beta", positive(3), positive(3)), _INSIDE),
    (Call(_D + "ContinuousBernoulli", array([0.2, 0.8, 0.3])), _INSIDE),
    (Call(_D + "Bernoulli", _SHARE), array([[0.0, 1.0, 1.0]], fixed=True)),
    (Call(_D + "Geometric", _SHARE), array([[0.0, 2.0, 5.0]], fixed=True)),
    (Call(_D + "Poisson", positive(3)), array([[0.0, 2.0, 5.0]], fixed=True)),
    (
        Call(_D + "Binomial", array([5, 8, 3], "int32"), _SHARE),
        array([[0.0, 2.0, 3.0]], fixed=True),
    ),
    (Call(_D + "Categorical", positive(4)), integers(5, high=4)),
    (Call(_D + "Dirichlet", positive(3)), _SIMPLEX),
    (Call(_D + "Multinomial", 4, _SIMPLEX), array([1.0, 1.0, 2.0], fixed=True)),
    (Call(_D + "MultivariateNormal", normal(2), _COVARIANCE), normal(3, 2)),
    (Call(_D + "LKJCholesky", 2, 1.5), array([[1.0, 0.0], [0.6, 0.8]], fixed=True)),
)
# The real one ends the process over their gradients, or gives Bernoulli's entropy none.
_CRASH = ("Bernoulli", "Binomial", "Multinomial", "StudentT", "Laplace")
_NO_MEAN = ("Cauchy", "Uniform", "Categorical", "LKJCholesky")
_NO_ENTROPY = ("Multinomial", "LKJCholesky", "Chi2")


def _short(call: Call) -> str:
    return call.name.rpartition(".")[2]


def _ask(call: Call, *methods: tuple, **options: Any) -> Call:
    return Call(call.name, *call.args, methods=methods, also=call.kwargs, **options)


_PAIRS: tuple[tuple[str, tuple, tuple], ...] = (
    ("Normal", (normal(3), positive(3)), (normal(3), positive(3))),
    ("Laplace", (normal(3), positive(3)), (normal(3), positive(3))),
    ("Bernoulli", (_SHARE,), (uniform(3, low=0.3, high=0.7),)),
    ("Beta", (positive(3), positive(3)), (positive(3), positive(3))),
    ("Dirichlet", (positive(3),), (positive(3),)),
    ("Exponential", (positive(3),), (positive(3),)),
    ("Gamma", (positive(3), positive(3)), (positive(3), positive(3))),
    ("Poisson", (positive(3),), (positive(3),)),
    ("LogNormal", (normal(3), positive(3)), (normal(3), positive(3))),
    ("Cauchy", (normal(3), positive(3)), (normal(3), positive(3))),
)
_TRANSFORMS: tuple[tuple[Call, Array], ...] = (
    (Call(_D + "AffineTransform", normal(3), positive(3)), normal(2, 3)),
    (Call(_D + "ExpTransform"), normal(2, 3)),
    (Call(_D + "PowerTransform", array([2.0])), positive(2, 3)),
    (Call(_D + "SigmoidTransform"), normal(2, 3)),
    (Call(_D + "TanhTransform"), normal(2, 3)),
    (Call(_D + "StickBreakingTransform"), normal(2, 3)),
    (Call(_D + "ReshapeTransform", [6], [2, 3]), normal(4, 6)),
    (
        Call(
            _D + "ChainTransform",
            [
                Call(_D + "AffineTransform", array([0.5]), array([2.0])),
                Call(_D + "ExpTransform"),
            ],
        ),
        normal(3),
    ),
    (Call(_D + "IndependentTransform", Call(_D + "ExpTransform"), 1), normal(2, 3)),
)
_GUESSES = array([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.3, 0.4, 0.3]], fixed=True)
_LABELS = array([[2], [1], [1]])

CALLS = (
    *(
        _ask(kind, ("log_prob", value), grad=_short(kind) not in _CRASH)
        for kind, value in _KINDS
        if _short(kind) != "Geometric"
    ),
    *(
        _ask(kind, ("mean",), ("variance",), grad=False)
        for kind, _ in _KINDS
        if _short(kind) not in _NO_MEAN
    ),
    *(
        _ask(kind, ("entropy",), grad=_short(kind) not in _CRASH)
        for kind, _ in _KINDS
        if _short(kind) not in _NO_ENTROPY
    ),
    _ask(Call(_D + "Geometric", _SHARE), ("pmf", 2), ("log_pmf", 3), ("cdf", 2), grad=False),
    *(_ask(kind, ("sample", [2]), values=False, grad=False) for kind, _ in _KINDS),
    *(
        _ask(kind, ("rsample", [2]), values=False, grad=False)
        for kind, _ in _KINDS
        if _short(kind) in ("Normal", "Laplace", "Gumbel", "Cauchy", "Exponential", "Gamma")
    ),
    *(
        _ask(kind, ("cdf", value))
        for kind, value in _KINDS
        if _short(kind) in ("Laplace", "Gumbel", "Cauchy", "Exponential")
    ),
    *(_ask(kind, ("prob", value)) for kind, value in _KINDS[:1]),
    *(
        Call(_D + "kl_divergence", Call(_D + name, *first), Call(_D + name, *second))
        for name, first, second in _PAIRS
    ),
    Call(
        _D + "kl_divergence",
        Call(_D + "Geometric", _SHARE),
        Call(_D + "Geometric", uniform(3, low=0.3, high=0.7)),
        differs="expected over all counts; the real one gives the value for a single trial",
    ),
    *(
        _ask(transform, ("forward", x), ("forward_log_det_jacobian", x))
        for transform, x in _TRANSFORMS
        if _short(transform) not in ("ReshapeTransform", "ExpTransform")
    ),
    *(_ask(transform, ("forward", x)) for transform, x in (_TRANSFORMS[1], _TRANSFORMS[6])),
    Call(
        _D + "Independent",
        Call(_D + "Normal", normal(2, 3), positive(2, 3)),
        1,
        methods=(("log_prob", normal(2, 3)), ("entropy",)),
    ),
    Call(
        _D + "TransformedDistribution",
        Call(_D + "Normal", normal(3), positive(3)),
        [Call(_D + "ExpTransform")],
        methods=(("log_prob", positive(2, 3)),),
    ),
    # metrics
    Call("paddle.metric.accuracy", _GUESSES, _LABELS),
    Call("paddle.metric.accuracy", _GUESSES, _LABELS, k=2),
    Call(
        "paddle.metric.Precision",
        methods=(("update", array([0.9, 0.2, 0.7]), array([1, 0, 0])), ("accumulate",), ("name",)),
        grad=False,
    ),
    Call(
        "paddle.metric.Recall",
        methods=(("update", array([0.9, 0.2, 0.3]), array([1, 0, 1])), ("accumulate",)),
        grad=False,
    ),
    Call(
        "paddle.metric.Auc",
        methods=(
            ("update", array([[0.1, 0.9], [0.8, 0.2], [0.6, 0.4]]), array([[1], [0], [1]])),
            ("accumulate",),
        ),
        grad=False,
    ),
    Call(
        "paddle.metric.Accuracy",
        topk=(1, 2),
        methods=(("compute", _GUESSES, _LABELS), ("name",)),
        grad=False,
    ),
)
