"""TextReader: a detector, a classifier of directions and a recogniser in a row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from proa.inference import Config, create_predictor

from ._boxes import boxes_of_map, reading_order
from ._decode import decode_ctc, read_alphabet
from ._pictures import as_picture, cut_out, for_detector, for_line


@dataclass(frozen=True)
class Line:
    """A line of text.

    Attributes:
        text: what it says.
        score: mean probability of its characters.
        corners: where it stands: [4, 2] as (x, y), clockwise from the upper left one.
    """

    text: str
    score: float
    corners: np.ndarray


class TextReader:
    """Reads the text in pictures with nets of PP-OCR's form.

    Args:
        detector: model file, or function from an array [1, 3, H, W] to a map [1, 1, H, W].
        recogniser: model file, or function from [N, 3, height, W] to scores [N, T, classes].
        alphabet: characters of the recogniser, or the file that lists them.
        classifier: model file or function from [N, 3, 48, 192] to the probabilities [N, 2] of
            lines that are upright and that stand on their head; `None` for pictures where all
            are upright.
        longest: pictures are made smaller until their longer side has at most so many pixels.
        height: height of a line for the recogniser.
        min_score: lines below it are left out.

    Examples:
        >>> from proa.suites.ocr import TextReader
        >>> reader = TextReader(
        ...     lambda x: np.zeros((1, 1, *x.shape[2:])), lambda x: np.zeros((1, 1, 3)), "ab"
        ... )
        >>> reader.read(np.zeros((32, 64, 3), np.uint8))
        []
    """

    def __init__(
        self,
        detector: Any,
        recogniser: Any,
        alphabet: Any,
        classifier: Any = None,
        *,
        longest: int = 960,
        height: int = 48,
        min_score: float = 0.5,
    ) -> None:
        self.detect = _as_function(detector)
        self.recognise = _as_function(recogniser)
        self.classify = None if classifier is None else _as_function(classifier)
        is_file = isinstance(alphabet, str) and len(alphabet) > 1 and "." in alphabet
        is_file = is_file or hasattr(alphabet, "__fspath__")
        self.alphabet: Sequence[str] = read_alphabet(alphabet) if is_file else alphabet
        self.longest, self.height, self.min_score = longest, height, min_score

    def read(self, picture: Any) -> list[Line]:
        """Returns the lines of a picture in reading order.

        Args:
            picture: path, array [H, W, 3] (RGB, uint8) or PIL picture.
        """
        whole = as_picture(picture)
        boxes = self.find(whole)
        lines = [cut_out(whole, box) for box in boxes]
        read = self.read_lines(lines)
        found = zip(read, boxes, strict=True)
        return [Line(t, s, box) for (t, s), box in found if t and s >= self.min_score]

    def find(self, picture: Any) -> list[np.ndarray]:
        """Returns the corners of all lines of a picture, in reading order."""
        whole = as_picture(picture)
        # Few sizes of inputs mean few compilations.
        array = for_detector(whole, self.longest, 32)
        found = boxes_of_map(self.detect(array)[0, 0])
        scale = np.array(whole.size) / np.array([array.shape[3], array.shape[2]])
        boxes = [corners * scale for corners, _ in found]
        return [boxes[i] for i in reading_order(boxes)]

    def read_lines(self, lines: Sequence[Any]) -> list[tuple[str, float]]:
        """Reads pictures of one line each; returns text and score of each."""
        read = []
        for line in lines:
            upright = self._turned(as_picture(line))
            ratio = upright.size[0] / upright.size[1]
            # Widths go up in steps, so that few of them are compiled.
            width = max(320, math.ceil(self.height * ratio / 160) * 160)
            scores = self.recognise(for_line(upright, self.height, width)[None])
            read.append(decode_ctc(scores[0], self.alphabet))
        return read

    def _turned(self, line: Any) -> Any:
        """A line the right way up."""
        if self.classify is None:
            return line
        (_, on_head) = self.classify(for_line(line, 48, 192)[None])[0]
        return line.rotate(180) if on_head > 0.9 else line


def _as_function(model: Any) -> Callable[[np.ndarray], np.ndarray]:
    if callable(model):
        given: Any = model
        return given
    predictor = create_predictor(Config(model))
    return lambda array: predictor.run([array])[0]
