from __future__ import annotations

import xml.etree.ElementTree as ET

import proa
from proa.program import draw_program, record_cond
from tests.program.passes.programs import bound, record


def drawn(program, **options):
    root = ET.fromstring(draw_program(program, **options))
    texts = [e.text for e in root.iter() if e.tag.endswith("text")]
    paths = [e for e in root.iter() if e.tag.endswith("path") and e.get("marker-end")]
    return root, texts, paths


def test_a_picture_has_a_box_per_call_and_a_line_per_use():
    program = bound(lambda x: proa.exp(x) + proa.sin(x) * 2.0, ("batch", 3))
    root, texts, paths = drawn(program, title="two & <three>")
    assert {"x0", "exp", "sin", "multiply", "add", "output", "two & <three>"} <= {*texts}
    assert "float32[batch, 3]" in texts
    assert len(paths) == 6
    width, height = float(root.get("width")), float(root.get("height"))
    for rect in (e for e in root.iter() if e.tag.endswith("rect")):
        x, y = float(rect.get("x", 0)), float(rect.get("y", 0))
        assert x >= 0
        assert y >= 0
        assert x + float(rect.get("width")) <= width
        assert y + float(rect.get("height")) <= height


def test_repeated_blocks_are_drawn_once_in_a_frame():
    def fn(x):
        for _ in range(5):
            x = proa.exp(proa.sin(x))
        return x

    program = bound(fn, (3,))
    _, texts, paths = drawn(program)
    assert texts.count("exp") == 1
    assert "5 times" in texts
    assert len(paths) == 3
    assert drawn(program, collapse=False)[1].count("exp") == 5


def test_blocks_side_by_side_are_all_drawn():
    program = bound(lambda x: tuple(proa.exp(proa.sin(x)) for _ in range(3)), (3,))
    assert drawn(program)[1].count("sin") == 3


def test_branches_show_their_programs_inside():
    def fn(x, y):
        return record_cond(x.sum() > 0, lambda: [proa.exp(x)], lambda: [x - proa.cos(y)])[0]

    program, _ = record(fn, (3,), (3,))
    _, texts, _ = drawn(program)
    assert {"if_else", "if true", "if false", "exp", "cos"} <= {*texts}
    assert texts.count("x1") == 2


def test_layers_are_named_and_weights_are_not_drawn():
    net = proa.nn.Linear(3, 4)
    program, _ = record(net, (2, 3))
    for value, name in zip(program.captures, ("head.fc.weight", "head.fc.bias"), strict=True):
        value.name = name
    _, texts, paths = drawn(program)
    assert len(drawn(record(lambda x: x * proa.exp(net.weight), (3, 4))[0])[2]) == 2
    assert "head.fc" in texts
    assert not any("weight" in text for text in texts)
    assert len(paths) == 2
