"""Metrics of yes-or-no predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from proa.core._errors import InvalidArgumentError

from ._metric import Metric, host_array


class _Rounded(Metric):
    """What Precision and Recall share: probabilities rounded to yes or no, and counts."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.reset()

    def reset(self) -> None:
        """Starts anew."""
        self.tp = self.fp = self.fn = 0

    def name(self) -> str:
        """Returns the metric's name."""
        return self._name

    def update(self, preds: Any, labels: Any) -> None:
        """Takes in one batch.

        Args:
            preds (Tensor | numpy.ndarray): [batch] or [batch, 1] probabilities of yes; from
                0.5 on it counts as yes.
            labels (Tensor | numpy.ndarray): as many labels, 0 or 1.

        Raises:
            InvalidTypeError: neither Tensors nor arrays.
            InvalidArgumentError: not as many labels as predictions.
        """
        owner = f"{type(self).__name__}.update"
        chosen, truth = read_pairs(owner, preds, labels)
        is_yes, is_true = np.floor(chosen + 0.5) == 1, truth == 1
        self.tp += int((is_yes & is_true).sum())
        self.fp += int((is_yes & ~is_true).sum())
        self.fn += int((~is_yes & is_true).sum())


class Precision(_Rounded):
    """Share of the yes predictions that are right: `tp / (tp + fp)`.

    Args:
        name (str): name of the metric.
        *args: kept for Paddle's signature.
        **kwargs: kept for Paddle's signature.

    Examples:
        >>> import numpy
        >>> import proa
        >>> metric = proa.metric.Precision()
        >>> metric.update(numpy.array([0.1, 0.6, 0.8]), numpy.array([0, 0, 1]))
        >>> metric.accumulate()
        0.5
    """

    def __init__(self, name: str = "precision", *args: Any, **kwargs: Any) -> None:
        super().__init__(name)

    def accumulate(self) -> float:
        """Returns the precision since the start; 0 without yes predictions."""
        count = self.tp + self.fp
        return self.tp / count if count else 0.0


class Recall(_Rounded):
    """Share of the true samples that were found: `tp / (tp + fn)`.

    Args:
        name (str): name of the metric.
        *args: kept for Paddle's signature.
        **kwargs: kept for Paddle's signature.

    Examples:
        >>> import numpy
        >>> import proa
        >>> metric = proa.metric.Recall()
        >>> metric.update(numpy.array([0.1, 0.6, 0.8]), numpy.array([1, 0, 1]))
        >>> metric.accumulate()
        0.5

    Differs:
        A probability of exactly 0.5 counts as yes, as it does for Precision; Paddle 3.3.1
        counts it as no here.
    """

    def __init__(self, name: str = "recall", *args: Any, **kwargs: Any) -> None:
        super().__init__(name)

    def accumulate(self) -> float:
        """Returns the recall since the start; 0 without true samples."""
        count = self.tp + self.fn
        return self.tp / count if count else 0.0


class Auc(Metric):
    """Area under the curve that a threshold on the probability draws.

    `"ROC"` is the true against the false positive rate, with straight lines between
    thresholds. `"PR"` is the average precision: the sum of `precision * change of recall`
    over the thresholds.

    Args:
        curve (str): `"ROC"` or `"PR"`.
        num_thresholds (int): number of steps that [0, 1] is divided into.
        name (str): name of the metric.
        *args: kept for Paddle's signature.
        **kwargs: kept for Paddle's signature.

    Raises:
        InvalidArgumentError: `curve` is unknown, or `num_thresholds` is below 1.

    Examples:
        >>> import numpy
        >>> import proa
        >>> metric = proa.metric.Auc()
        >>> chances = numpy.array([0.1, 0.4, 0.35, 0.8])
        >>> metric.update(numpy.stack([1 - chances, chances], axis=1), numpy.array([0, 0, 1, 1]))
        >>> metric.accumulate()
        0.75

    Differs:
        Paddle 3.3.1 gives the area of the ROC curve for `"PR"` too.
    """

    def __init__(
        self,
        curve: str = "ROC",
        num_thresholds: int = 4095,
        name: str = "auc",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if curve not in ("ROC", "PR"):
            raise InvalidArgumentError(
                f"Auc: `curve` is {curve!r}", expected="ROC or PR", fix="change `curve`"
            )
        if num_thresholds < 1:
            raise InvalidArgumentError(
                f"Auc: `num_thresholds` is {num_thresholds}",
                expected="a number above 0",
                fix="use the default, 4095",
            )
        self._curve = curve
        self._num_thresholds = num_thresholds
        self._name = name
        self.reset()

    def reset(self) -> None:
        """Starts anew."""
        self._positives = np.zeros(self._num_thresholds + 1, np.int64)
        self._negatives = np.zeros(self._num_thresholds + 1, np.int64)

    @staticmethod
    def trapezoid_area(x1: float, x2: float, y1: float, y2: float) -> float:
        """Returns the area below a straight line: `|x1 - x2| * (y1 + y2) / 2`.

        Args:
            x1: where the line begins.
            x2: where it ends.
            y1: its height at `x1`.
            y2: its height at `x2`.
        """
        return abs(x1 - x2) * (y1 + y2) / 2.0

    def name(self) -> str:
        """Returns the metric's name."""
        return self._name

    def update(self, preds: Any, labels: Any) -> None:
        """Takes in one batch.

        Args:
            preds (Tensor | numpy.ndarray): [batch, 2] probabilities of no and yes, or
                [batch] or [batch, 1] probabilities of yes, from 0 to 1.
            labels (Tensor | numpy.ndarray): [batch] or [batch, 1] labels, 0 for no.

        Raises:
            InvalidTypeError: neither Tensors nor arrays.
            InvalidArgumentError: not as many labels as predictions, or a prediction
                outside [0, 1].
        """
        preds = host_array("Auc.update", "preds", preds)
        if preds.ndim == 2 and preds.shape[1] == 2:
            preds = preds[:, 1]
        chances, truth = read_pairs("Auc.update", preds, labels)
        outside = ~((chances >= 0) & (chances <= 1))
        if outside.any():
            raise InvalidArgumentError(
                f"Auc.update: prediction {int(outside.argmax())} is {chances[outside][0]}",
                expected="probabilities from 0 to 1",
                fix="apply softmax or sigmoid to the model's output",
            )
        places = (chances * self._num_thresholds).astype(np.int64)
        length = self._num_thresholds + 1
        self._positives += np.bincount(places[truth != 0], minlength=length)
        self._negatives += np.bincount(places[truth == 0], minlength=length)

    def accumulate(self) -> float:
        """Returns the area since the start; 0 while one of the two classes is missing."""
        # From the strictest threshold to the loosest.
        found = np.concatenate([[0], np.cumsum(self._positives[::-1])]).astype(np.float64)
        false = np.concatenate([[0], np.cumsum(self._negatives[::-1])]).astype(np.float64)
        if found[-1] == 0 or false[-1] == 0:
            return 0.0
        if self._curve == "ROC":
            area = (np.diff(false) * (found[1:] + found[:-1]) / 2).sum()
            return float(area / (found[-1] * false[-1]))
        chosen = np.maximum(found[1:] + false[1:], 1)
        return float((np.diff(found) * found[1:] / chosen).sum() / found[-1])


def read_pairs(owner: str, preds: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns predictions and labels as flat arrays of one length.

    Raises:
        InvalidTypeError: neither Tensors nor arrays.
        InvalidArgumentError: not as many labels as predictions.
    """
    chosen = host_array(owner, "preds", preds)
    truth = host_array(owner, "labels", labels)
    if chosen.size != truth.size:
        raise InvalidArgumentError(
            f"{owner}: `preds` has shape {list(chosen.shape)}, `labels` {list(truth.shape)}",
            expected="one label per prediction",
            fix="select the predictions that the labels belong to",
        )
    return chosen.reshape(-1).astype(np.float64), truth.reshape(-1)
