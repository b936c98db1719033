from __future__ import annotations

import numpy as np

import proa
from proa.suites.ocr import TextReader

PICTURE = np.full((64, 96, 3), 255, np.uint8)


def detect(array):
    assert array.shape == (1, 3, 64, 96)
    found = np.zeros((1, 1, 64, 96), np.float32)
    found[0, 0, 40:51, 10:51] = 0.9
    found[0, 0, 5:16, 10:51] = 0.8
    return found


def recognise(array):
    """One character per line: `u` for a line whose mean is high, else `d`."""
    scores = np.zeros((1, 2, 3), np.float32)
    scores[0, 0, 1 if array[..., :40].mean() > 0 else 2] = 0.75
    scores[0, 1, 0] = 1.0
    return scores


def test_lines_are_found_turned_and_read():
    picture = PICTURE.copy()
    picture[32:] = 0
    lines = TextReader(detect, recognise, "ud").read(picture)
    assert [(line.text, line.score) for line in lines] == [("u", 0.75), ("d", 0.75)]
    assert lines[0].corners[0][1] < lines[1].corners[0][1]
    assert TextReader(detect, recognise, "ud", min_score=0.8).read(picture) == []


def test_a_line_on_its_head_is_turned():
    line = PICTURE.copy()
    line[:, :48] = 0

    def classify(array):
        assert array.shape == (1, 3, 48, 192)
        return np.array([[0.05, 0.95]])

    upright = TextReader(detect, recognise, "ud").read_lines([line])
    turned = TextReader(detect, recognise, "ud", classify).read_lines([line])
    assert [upright[0][0], turned[0][0]] == ["d", "u"]


def test_models_come_from_files(tmp_path):
    keys = tmp_path / "keys.txt"
    keys.write_text("u\nd", encoding="utf-8")

    class Net(proa.nn.Layer):
        def forward(self, x):
            return proa.nn.functional.softmax(x.mean([2])[:, :, :3] * 0, -1)

    spec = [proa.static.InputSpec([None, 3, 48, None], name="x")]
    file = proa.jit.save(Net(), tmp_path / "net", spec)
    reader = TextReader(detect, file, keys)
    assert reader.alphabet == ["u", "d", " "]
    assert reader.read_lines([PICTURE]) == [("", 0.0)]
