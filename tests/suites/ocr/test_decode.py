from __future__ import annotations

import numpy as np

from proa.suites.ocr import decode_ctc, read_alphabet


def test_an_alphabet_has_a_character_per_line_and_a_space(tmp_path):
    file = tmp_path / "keys.txt"
    file.write_text("a\n\u3000\n\u2028\nb", encoding="utf-8")
    assert read_alphabet(file) == ["a", "\u3000", "\u2028", "b", " "]
    file.write_text("a\nb\n", encoding="utf-8")
    assert read_alphabet(str(file)) == ["a", "b", " "]


def test_repetitions_and_blanks_are_left_out():
    scores = np.array(
        [[0.1, 0.8, 0.1], [0.1, 0.9, 0], [0.9, 0.1, 0], [0.2, 0.6, 0.2], [0, 0.3, 0.7]]
    )
    text, score = decode_ctc(scores, "xy")
    assert text == "xxy"
    np.testing.assert_allclose(score, (0.8 + 0.6 + 0.7) / 3)
    assert decode_ctc(np.eye(3)[[0, 0]], "xy") == ("", 0.0)
