"""The data check counts what is there and names every kind of fault with its index."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from proa.core._errors import InvalidArgumentError, InvalidTypeError
from proa.suites import check_dataset
from proa.vision.datasets import FashionMNIST, fashion_mnist_files

pytestmark = pytest.mark.smoke


def _image(value: float, *, shape: tuple[int, ...] = (2, 2), dtype: str = "float32") -> Any:
    image = np.full(shape, value, dtype)
    image.flat[0] = value + 1
    return image


def _items(first: int, labels: list[Any]) -> list[tuple[Any, Any]]:
    return [(_image(first + position), label) for position, label in enumerate(labels)]


TRAIN = _items(0, [0, 1, 0, 1])
TEST = _items(1.5, [0, 1])


def test_what_a_good_data_set_holds() -> None:
    report = check_dataset(TRAIN, TEST, class_names=["cat", "dog"])
    assert report.passed
    assert report.problems == report.warnings == report.shared == ()
    assert (report.num_classes, report.class_names) == (2, ("cat", "dog"))
    train = report.train
    assert (train.num_items, train.num_readable) == (4, 4)
    assert train.class_counts == {0: 2, 1: 2}
    assert train.shapes == {(2, 2): 4}
    assert train.dtypes == {"float32": 4}
    values = np.stack([image for image, _ in TRAIN]).astype(np.float64)
    assert (train.minimum, train.maximum) == (0.0, 4.0)
    assert train.mean == pytest.approx(values.mean(), rel=1e-12)
    assert train.std == pytest.approx(values.std(), rel=1e-12)


class _Broken(list):
    def __getitem__(self, index: int) -> Any:
        if index == 1:
            raise OSError("cannot identify image file 'b.png'")
        return super().__getitem__(index)


NAN = _image(7)
NAN[1, 1] = np.nan
FAULTS = {
    "empty": ([], TEST, ["train is empty"]),
    "unreadable": (
        _Broken(TRAIN),
        TEST,
        ["items of train that cannot be read: 1 (1: OSError: cannot identify image file 'b.png')"],
    ),
    "no pair": (
        [*TRAIN, _image(5)],
        TEST,
        [
            "items of train that cannot be read: 1 "
            "(4: InvalidTypeError: the item is a ndarray, not (image, label))"
        ],
    ),
    "no image": (
        [*TRAIN, ("a.png", 0)],
        TEST,
        [
            "items of train that cannot be read: 1 "
            "(4: InvalidTypeError: the image is a str of no numbers)"
        ],
    ),
    "labels": (
        _items(0, [0, 1, 2, -1, 0.5, [0, 1], "dog"]),
        TEST,
        [
            "bad labels in train: 5 (2: label 2 is no integer in [0, 2), "
            "3: label -1 is no integer in [0, 2), 4: label 0.5 is no integer in [0, 2), "
            "5: label '[0, 1]' is no integer in [0, 2), 6: label 'dog' is no integer in [0, 2))"
        ],
    ),
    "not finite": ([*TRAIN, (NAN, 0)], TEST, ["images of train with NaN or Inf: 1 (4)"]),
    "conflict": (
        [*TRAIN, (_image(1), 0)],
        TEST,
        ["equal images of train with different labels: 1 (1=4)"],
    ),
    "shapes": (
        TRAIN,
        [*TEST, (_image(20, shape=(3, 2)), 0)],
        ["different shapes of images: 2 ((2, 2), (3, 2))"],
    ),
    "dtypes": (
        [*TRAIN, (_image(20, dtype="uint8"), 0)],
        TEST,
        ["different dtypes of images: 2 (float32, uint8)"],
    ),
    "missing class": (_items(0, [1, 1]), TEST, ["classes without items in train: 1 (cat)"]),
    "shared": (
        TRAIN,
        [*TEST, (_image(2), 0)],
        ["images that are in train and in test: 1 (train 2 = test 2)"],
    ),
    "many": (
        TRAIN,
        [*TRAIN, *_items(4, [0, 1, 0]), *TRAIN[:3]],
        [
            "images that are in train and in test: 7 (train 0 = test 0, train 1 = test 1, "
            "train 2 = test 2, train 3 = test 3, train 0 = test 7, and 2 more)"
        ],
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_is_named(case: str) -> None:
    train, test, problems = FAULTS[case]
    report = check_dataset(train, test, class_names=["cat", "dog"])
    assert list(report.problems) == problems
    assert not report.passed
    assert "failed in " in report.summary()


CONSTANT = np.zeros((2, 2), np.float32)
WARNINGS = {
    "repeats": (
        [*TRAIN, TRAIN[1]],
        TEST,
        ["images that occur more than once in train: 1 (1=4)"],
    ),
    "constant": (
        [*TRAIN, (CONSTANT, 0)],
        TEST,
        ["images of train with one value everywhere: 1 (4)"],
    ),
    "imbalance": (
        _items(0, [0] * 11 + [1]),
        _items(-3, [0, 1]),
        ["classes of train have between 1 and 11 items"],
    ),
    "missing in test": (TRAIN, _items(10, [0, 0]), ["classes without items in test: 1 (dog)"]),
    "scale": (
        _items(100, [0, 1, 0, 1]),
        TEST,
        ["values differ: train 100 to 104, mean 101.8, std 1.199, test 1.5 to 3.5, mean 2.25"],
    ),
}


@pytest.mark.parametrize("case", WARNINGS)
def test_a_warning_forbids_nothing(case: str) -> None:
    train, test, warnings = WARNINGS[case]
    report = check_dataset(train, test, class_names=["cat", "dog"])
    if case == "scale":
        assert report.warnings[0].startswith(warnings[0])
    else:
        assert [text for text in report.warnings if not text.startswith("values")] == warnings
    assert report.passed


def test_the_number_of_classes_is_found() -> None:
    assert check_dataset(TRAIN, TEST).class_names == ("0", "1")
    assert check_dataset(TRAIN, TEST, num_classes=3).problems == (
        "classes without items in train: 1 (2)",
    )

    class Named(list):
        num_classes = 2

    assert check_dataset(Named(_items(0, [0, 0])), TEST).num_classes == 2
    labels = [np.array([1]), np.int64(0), np.array(1, np.uint8), True]
    assert check_dataset(_items(0, labels), TEST).train.class_counts == {0: 1, 1: 3}


BAD_ARGUMENTS = {
    "no length": ((iter(TRAIN), TEST), {}, InvalidTypeError, "`train` is a .* without a length"),
    "no items": ((TRAIN, {1, 2}), {}, InvalidTypeError, "`test` is a set, whose items"),
    "counts": (
        (TRAIN, TEST),
        {"num_classes": 3, "class_names": ["cat", "dog"]},
        InvalidArgumentError,
        "`num_classes` is 3 and there are 2 class names",
    ),
    "none": ((TRAIN, TEST), {"num_classes": 0}, InvalidArgumentError, "number of classes is 0"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments(case: str) -> None:
    data, arguments, error, message = BAD_ARGUMENTS[case]
    with pytest.raises(error, match=message):
        check_dataset(*data, **arguments)


def test_the_hash_knows_pixels_labels_and_order() -> None:
    base = check_dataset(TRAIN, TEST).data_hash
    assert base == check_dataset(list(TRAIN), list(TEST)).data_hash
    changed = [
        ([*TRAIN[:3], (_image(50), 1)], TEST),
        ([*TRAIN[:3], (TRAIN[3][0], 0)], TEST),
        (TRAIN[::-1], TEST),
        (TEST, TRAIN),
    ]
    assert len({base, *(check_dataset(*data).data_hash for data in changed)}) == 5


def test_the_report_is_json() -> None:
    report = check_dataset(TRAIN, [*TEST, (_image(2), 0)])
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["passed"] is False
    assert plain["train"]["class_counts"] == {"0": 2, "1": 2}
    assert plain["train"]["shapes"] == {"2×2": 4}
    assert plain["shared"] == [[2, 2]]
    assert plain["data_hash"] == report.data_hash


@pytest.mark.parametrize("backend", ["pil", "cv2"])
def test_the_bundled_data_passes(backend: str) -> None:
    files = fashion_mnist_files("bundled")
    train, test = (
        FashionMNIST(files.images(mode), files.labels(mode), mode=mode, backend=backend)
        for mode in ("train", "test")
    )
    report = check_dataset(train, test)
    assert report.passed
    assert report.warnings == ()
    assert set(report.train.class_counts.values()) == {600}
    assert set(report.test.class_counts.values()) == {100}
    assert report.train.mean == pytest.approx(72.8667, abs=1e-4)
    assert "train: 6000 items, 10 classes of 600; 28×28" in report.summary()
