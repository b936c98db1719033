from __future__ import annotations

from proa.formats.paddle._graph import Node, refuse, shortest, unknown_ops


def test_unknown_ops_are_named_all_at_once():
    nodes = [
        Node("shiny", {"X": ["a"], "Y": []}, {}, {}, "op 3 of block 0"),
        Node("odd", {"X": ["b"]}, {}, {}, "op 5 of block 0"),
        Node("shiny", {}, {}, {}, "op 7 of block 1"),
    ]
    text = str(unknown_ops(nodes))
    assert "calls 3 times ops that are not known here: odd, shiny" in text
    assert "`shiny` (X=['a']) at op 3 of block 0" in text
    assert "`odd` (X=['b']) at op 5 of block 0" in text
    assert "`shiny` () at op 7 of block 1" in text


def test_a_file_that_is_not_what_it_should_be():
    text = str(refuse("a/b.pdmodel", "is odd"))
    assert "model file 'a/b.pdmodel' is odd" in text
    assert "exactly as Paddle wrote them" in text


def test_numbers_as_they_were_written():
    assert [shortest(v) for v in (9.999999747378752e-06, 0.8999999761581421, 2.0)] == [
        1e-05,
        0.9,
        2.0,
    ]
