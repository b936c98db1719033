from __future__ import annotations

import pytest

from parity._text import compare_prints, read_print


def _ran(*printed):
    return {"status": "ok", "printed": list(printed)}


def test_a_print_is_split_into_words_and_numbers():
    words, numbers = read_print("paddle.Tensor(shape=[2], place=Place(cpu),\n  [1.5, -2e3, nan])")
    assert words == "Tensor(shape=[#],<place>,[#,#,#])"
    assert numbers[:3] == [2.0, 1.5, -2000.0]
    assert numbers[3] != numbers[3]


@pytest.mark.parametrize(
    ("first", "second", "ours", "same"),
    [
        ("[1.0, 2.0]", "[1.0, 2.0]", "[1., 2.00001]", True),
        ("[1.0, 2.0]", "[1.0, 2.0]", "[1., 2.1]", False),
        ("[1.0, 2.0]", "[1.0, 2.0]", "[1.]", False),
        ("value 0.3", "value 0.7", "value 0.5", True),
        ("value 0.3", "value 0.7", "other 0.5", False),
        ("a", "b", "c", True),
        ("at 0x7f01", "at 0x8f01", "at 0x9", True),
        ("{'n': np.int64(3)}", "{'n': np.int64(3)}", "{'n': 3}", True),
        ("np.float32(1.5)", "np.float32(1.5)", "2.5", False),
        ("'x'", "'x'", '"x"', True),
        ("(1.0+-0.0j)", "(1.0+-0.0j)", "(1.0+0.0j)", True),
    ],
)
def test_what_is_random_is_told_apart(first, second, ours, same):
    found = compare_prints([_ran("", first), _ran("", second)], _ran("", ours))
    assert (found == "") is same
    assert same or found.startswith("statement 1: ")


def test_an_example_that_fails_says_how():
    theirs = [_ran("1"), _ran("1")]
    assert compare_prints(theirs, {"status": "crash"}) == "crash"
    failed = {"status": "error", "message": "statement 0: no", "printed": []}
    assert compare_prints(theirs, failed) == "statement 0: no"
