"""The data check: what a data set holds and what is wrong with it, before any training."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from proa.core._errors import InvalidArgumentError, InvalidTypeError

_CHUNK = 512
_NAMED = 5
_IMBALANCE = 10


@dataclass(frozen=True, kw_only=True)
class BadItem:
    """An item that cannot be used.

    Attributes:
        index: its position in the data set.
        error: what went wrong, with the exception's class.
    """

    index: int
    error: str


@dataclass(frozen=True, kw_only=True)
class SplitReport:
    """What one part of a data set holds.

    Attributes:
        num_items: length of the data set.
        class_counts: number of items of each class, by label.
        shapes: number of images of each shape.
        dtypes: number of images of each dtype.
        minimum: smallest value of all images; `None` without finite values.
        maximum: largest value of all images; `None` without finite values.
        mean: mean of all values; `None` without finite values.
        std: standard deviation of all values (of the population).
        non_finite: indices of images that hold NaN or Inf.
        constant: indices of images whose values are all equal.
        unreadable: items that raise when read, or are no pair of image and label.
        bad_labels: items whose label is no integer in `[0, num_classes)`.
        duplicates: groups of indices of images with the same content.
        conflicts: groups of indices of images with the same content and different labels.
    """

    num_items: int
    class_counts: dict[int, int]
    shapes: dict[tuple[int, ...], int]
    dtypes: dict[str, int]
    minimum: float | None
    maximum: float | None
    mean: float | None
    std: float | None
    non_finite: tuple[int, ...]
    constant: tuple[int, ...]
    unreadable: tuple[BadItem, ...]
    bad_labels: tuple[BadItem, ...]
    duplicates: tuple[tuple[int, ...], ...]
    conflicts: tuple[tuple[int, ...], ...]

    @property
    def num_readable(self) -> int:
        """Number of items that were read."""
        return self.num_items - len(self.unreadable)


@dataclass(frozen=True, kw_only=True)
class DataReport:
    """What the data check found.

    Attributes:
        train: the training data.
        test: the test data.
        num_classes: number of classes.
        class_names: a name for each class.
        shared: pairs (index in train, index in test) of images with the same content.
        problems: what makes training or its figures wrong; empty when the check passes.
        warnings: what is worth a look and forbids nothing.
        data_hash: SHA-256 of all images and labels in order, 64 hexadecimal digits.
        seconds: how long the check took.
    """

    train: SplitReport
    test: SplitReport
    num_classes: int
    class_names: tuple[str, ...]
    shared: tuple[tuple[int, int], ...]
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    data_hash: str
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether no problem was found."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON knows it: text keys, lists, numbers, text."""
        plain = asdict(self)
        for name in ("train", "test"):
            part = plain[name]
            part["class_counts"] = {str(k): v for k, v in part["class_counts"].items()}
            part["shapes"] = {"×".join(map(str, k)): v for k, v in part["shapes"].items()}
        return {"passed": self.passed, **_plain(plain)}

    def summary(self) -> str:
        """The report as a few lines of text."""
        lines = []
        for name, part in (("train", self.train), ("test", self.test)):
            counts = sorted(set(part.class_counts.values()))
            spread = "–".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
            shapes = ", ".join("×".join(map(str, shape)) for shape in part.shapes)
            values = "no values" if part.mean is None else _range(part)
            lines.append(
                f"{name}: {part.num_items} items, {self.num_classes} classes of {spread}; "
                f"{shapes or 'no images'} {', '.join(part.dtypes)}; {values}"
            )
        lines += [f"problem: {problem}" for problem in self.problems]
        lines += [f"warning: {warning}" for warning in self.warnings]
        lines.append(f"{'passed' if self.passed else 'failed'} in {self.seconds:.2f} s")
        return "\n".join(lines)


def check_dataset(
    train: Any,
    test: Any,
    *,
    num_classes: int | None = None,
    class_names: Sequence[str] | None = None,
) -> DataReport:
    """Reads every item of a classification data set and reports what it finds.

    Pass the data without random transforms: each item is read once, and images are compared by
    content.

    Args:
        train: training data with `len()` and items `(image, label)`; an image is a PIL image, a
            NumPy array or a Tensor, a label an integer or an array with one.
        test: test data of the same kind.
        num_classes: number of classes; by default that of `class_names`, else of
            `train.num_classes`, else the largest label plus one.
        class_names: a name for each class; by default those of `train.class_names`, else the
            labels themselves.

    Returns:
        The report. Its `problems` name unreadable items, labels out of range, mixed shapes or
        dtypes, NaN or Inf, classes without training items, equal images with different labels, and
        images that are in train and in test.

    Raises:
        InvalidTypeError: a data set has no length or no items.
        InvalidArgumentError: `num_classes` and `class_names` differ, or are not positive.

    Example:
        >>> import numpy as np
        >>> from proa.suites import check_dataset
        >>> images = np.arange(12, dtype=np.float32).reshape(6, 2, 1)
        >>> data = list(zip(images, [0, 1, 0, 1, 0, 1]))
        >>> report = check_dataset(data[:4], data[3:])
        >>> report.train.class_counts, report.passed
        ({0: 2, 1: 2}, False)
        >>> report.problems
        ('images that are in train and in test: 1 (train 3 = test 0)',)
    """
    start = time.perf_counter()
    scans = [_scan(name, data) for name, data in (("train", train), ("test", test))]
    names = class_names if class_names is not None else getattr(train, "class_names", None)
    count = _num_classes(num_classes, names, train, scans)
    labels = tuple(names) if names is not None else tuple(str(label) for label in range(count))
    parts = [scan.report(count) for scan in scans]
    first_in_train = {key: indices[0] for key, indices in scans[0].by_content().items()}
    shared = tuple(
        (first_in_train[key], index)
        for index, key in enumerate(scans[1].keys)
        if key in first_in_train
    )
    digest = hashlib.sha256()
    for scan in scans:
        for key, label in zip(scan.keys, scan.labels, strict=True):
            digest.update(key + str(label).encode())
    return DataReport(
        train=parts[0],
        test=parts[1],
        num_classes=count,
        class_names=labels,
        shared=shared,
        problems=tuple(_problems(parts[0], parts[1], shared, labels)),
        warnings=tuple(_warnings(parts[0], parts[1], labels)),
        data_hash=digest.hexdigest(),
        seconds=time.perf_counter() - start,
    )


class _Scan:
    """One pass over a data set: what was read, gathered chunk by chunk."""

    def __init__(self, num_items: int) -> None:
        self.num_items = num_items
        self.keys: list[bytes] = []
        self.labels: list[Any] = []
        self.unreadable: list[BadItem] = []
        self.shapes: Counter[tuple[int, ...]] = Counter()
        self.dtypes: Counter[str] = Counter()
        self.non_finite: list[int] = []
        self.constant: list[int] = []
        self._chunk: list[tuple[int, np.ndarray]] = []
        self._minimum, self._maximum = np.inf, -np.inf
        self._sum = self._sum_of_squares = 0.0
        self._num_values = 0

    def add(self, index: int, image: np.ndarray, label: Any) -> None:
        """Takes in one item."""
        kind = f"{image.dtype}{image.shape}".encode()
        content = np.ascontiguousarray(image).data
        self.keys.append(hashlib.blake2b(content, digest_size=16, key=kind[:64]).digest())
        self.labels.append(label)
        self.shapes[image.shape] += 1
        self.dtypes[str(image.dtype)] += 1
        if self._chunk:
            last = self._chunk[-1][1]
            if last.shape != image.shape or last.dtype != image.dtype:
                self.flush()
        self._chunk.append((index, image))
        if len(self._chunk) == _CHUNK:
            self.flush()

    def skip(self, index: int, error: str) -> None:
        """Takes note of an item that cannot be read."""
        self.keys.append(b"%d" % index)
        self.labels.append(None)
        self.unreadable.append(BadItem(index=index, error=error))

    def flush(self) -> None:
        """Adds the statistics of the images gathered so far."""
        if not self._chunk:
            return
        indices = np.array([index for index, _ in self._chunk])
        values = np.stack([image for _, image in self._chunk]).reshape(len(indices), -1)
        self._chunk.clear()
        if values.shape[1] == 0:
            return
        values = values.astype(np.float64)
        finite = np.isfinite(values)
        self.non_finite += indices[~finite.all(axis=1)].tolist()
        self.constant += indices[(values == values[:, :1]).all(axis=1)].tolist()
        kept = values[finite]
        if kept.size:
            self._minimum = min(self._minimum, kept.min())
            self._maximum = max(self._maximum, kept.max())
            self._sum += kept.sum()
            self._sum_of_squares += np.square(kept).sum()
            self._num_values += kept.size

    def by_content(self) -> dict[bytes, list[int]]:
        """Indices of the readable images of each content."""
        groups: dict[bytes, list[int]] = {}
        for index, (key, label) in enumerate(zip(self.keys, self.labels, strict=True)):
            if label is not None:
                groups.setdefault(key, []).append(index)
        return groups

    def report(self, num_classes: int) -> SplitReport:
        """What was gathered, with labels judged by the number of classes."""
        labels = [label for label in self.labels if isinstance(label, int)]
        counts = Counter(label for label in labels if 0 <= label < num_classes)
        bad = [
            BadItem(index=index, error=f"label {label!r} is no integer in [0, {num_classes})")
            for index, label in enumerate(self.labels)
            if label is not None and not (isinstance(label, int) and 0 <= label < num_classes)
        ]
        groups = [tuple(group) for group in self.by_content().values() if len(group) > 1]
        some = self._num_values > 0
        mean = self._sum / self._num_values if some else 0.0
        variance = self._sum_of_squares / self._num_values - mean**2 if some else 0.0
        return SplitReport(
            num_items=self.num_items,
            class_counts={label: counts[label] for label in range(num_classes)},
            shapes=dict(self.shapes),
            dtypes=dict(self.dtypes),
            minimum=float(self._minimum) if some else None,
            maximum=float(self._maximum) if some else None,
            mean=float(mean) if some else None,
            std=float(max(variance, 0.0) ** 0.5) if some else None,
            non_finite=tuple(self.non_finite),
            constant=tuple(self.constant),
            unreadable=tuple(self.unreadable),
            bad_labels=tuple(bad),
            duplicates=tuple(groups),
            conflicts=tuple(
                group for group in groups if len({self.labels[index] for index in group}) > 1
            ),
        )


def _scan(name: str, data: Any) -> _Scan:
    try:
        num_items = len(data)
    except TypeError as error:
        raise InvalidTypeError(
            f"`{name}` is a {type(data).__name__} without a length",
            expected="a data set with len() and items (image, label)",
            fix="pass a map-style data set; turn an iterable one into a list first",
        ) from error
    if not hasattr(data, "__getitem__"):
        raise InvalidTypeError(
            f"`{name}` is a {type(data).__name__}, whose items cannot be indexed",
            expected="a data set with len() and items (image, label)",
            fix="pass a map-style data set or a list",
        )
    scan = _Scan(num_items)
    for index in range(num_items):
        # Whatever an item raises is a finding about that item, never the end of the check.
        try:
            image, label = _pair(data[index])
        except Exception as error:
            scan.skip(index, f"{type(error).__name__}: {error}")
        else:
            scan.add(index, image, label)
    scan.flush()
    return scan


def _pair(item: Any) -> tuple[np.ndarray, Any]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise InvalidTypeError(f"the item is a {type(item).__name__}, not (image, label)")
    image, label = (np.asarray(part.numpy() if hasattr(part, "numpy") else part) for part in item)
    if image.dtype == object or image.dtype.kind in "USV":
        raise InvalidTypeError(f"the image is a {type(item[0]).__name__} of no numbers")
    if label.size == 1:
        label = label.reshape(()).item()
        return image, int(label) if isinstance(label, bool) else label
    return image, repr(label.tolist())


def _num_classes(
    given: int | None, names: Sequence[str] | None, train: Any, scans: list[_Scan]
) -> int:
    if given is not None and names is not None and given != len(names):
        raise InvalidArgumentError(
            f"`num_classes` is {given} and there are {len(names)} class names",
            expected="one name for each class",
            fix="leave num_classes out, or correct class_names",
        )
    if given is None and names is not None:
        given = len(names)
    if given is None:
        given = getattr(train, "num_classes", None)
    if given is None:
        labels = [label for scan in scans for label in scan.labels if isinstance(label, int)]
        given = max(labels, default=0) + 1
    if given < 1:
        raise InvalidArgumentError(
            f"the number of classes is {given}",
            expected="at least 1",
            fix="pass num_classes or class_names",
        )
    return given


def _problems(
    train: SplitReport,
    test: SplitReport,
    shared: tuple[tuple[int, int], ...],
    class_names: tuple[str, ...],
) -> list[str]:
    problems = []
    for name, part in (("train", train), ("test", test)):
        if part.num_items == 0:
            problems.append(f"{name} is empty")
        bad = [f"{item.index}: {item.error}" for item in part.bad_labels]
        unreadable = [f"{item.index}: {item.error}" for item in part.unreadable]
        problems += _listed(f"items of {name} that cannot be read", unreadable)
        problems += _listed(f"bad labels in {name}", bad)
        problems += _listed(f"images of {name} with NaN or Inf", part.non_finite)
        conflicts = ["=".join(map(str, group)) for group in part.conflicts]
        problems += _listed(f"equal images of {name} with different labels", conflicts)
    for what in ("shapes", "dtypes"):
        found = {**getattr(train, what), **getattr(test, what)}
        if len(found) > 1:
            problems += _listed(f"different {what} of images", found)
    missing = [class_names[label] for label, count in train.class_counts.items() if count == 0]
    if train.num_items:
        problems += _listed("classes without items in train", missing)
    pairs = [f"train {first} = test {second}" for first, second in shared]
    return problems + _listed("images that are in train and in test", pairs)


def _warnings(train: SplitReport, test: SplitReport, class_names: tuple[str, ...]) -> list[str]:
    warnings = []
    for name, part in (("train", train), ("test", test)):
        repeats = ["=".join(map(str, group)) for group in part.duplicates]
        warnings += _listed(f"images that occur more than once in {name}", repeats)
        warnings += _listed(f"images of {name} with one value everywhere", part.constant)
    counts = [count for count in train.class_counts.values() if count]
    if counts and max(counts) > _IMBALANCE * min(counts):
        warnings.append(f"classes of train have between {min(counts)} and {max(counts)} items")
    missing = [class_names[label] for label, count in test.class_counts.items() if count == 0]
    if test.num_items:
        warnings += _listed("classes without items in test", missing)
    if train.mean is not None and test.mean is not None:
        # Scaling one part and forgetting the other moves the mean by far more than its spread.
        spread = max(train.std or 0.0, test.std or 0.0)
        if abs(train.mean - test.mean) > spread > 0:
            warnings.append(f"values differ: train {_range(train)}, test {_range(test)}")
    return warnings


def _listed(what: str, found: Iterable[Any]) -> list[str]:
    """One line with the number of findings and the first few; nothing when there is none."""
    named = [str(item) for item in found]
    rest = f", and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return [f"{what}: {len(named)} ({', '.join(named[:_NAMED])}{rest})"] if named else []


def _range(part: SplitReport) -> str:
    return f"{part.minimum:g} to {part.maximum:g}, mean {part.mean:.4g}, std {part.std:.4g}"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
