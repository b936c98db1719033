"""Rewritten source does the same, and what cannot be rewritten is named."""

from __future__ import annotations

import ast

import pytest

from proa.jit import _iteration, _operators
from proa.jit._rewrite import Unsupported, after, before


class _Names:
    pass


ag = _Names()
for module in (_operators, _iteration):
    for name, value in vars(module).items():
        setattr(ag, name, value)

SOURCE = """
def f(n):
    found = []
    for i in range(n):
        if (d := i * 2) > 6:
            break
        found.append(d)
    else:
        found.append("all")
    while (k := len(found)) < 6:
        if k == 5:
            break
        found.append(k)
    else:
        found[0] += 100
    match n:
        case 1 | 2:
            found.append("few")
        case None:
            found.append("none")
        case other if other > 5:
            found.append("many") if False else found.append("lots")
        case _:
            pass
    log = []
    seen = lambda v: log.append(v) or v
    found.append(1 < seen(2) < seen(3) < seen(0) < seen(9))
    return found, log, [i for i in range(n) if i > 1], any(i > 2 for i in range(n))
"""


def run(source, n):
    scope = {"ag__": ag}
    exec(compile(source, "f", "exec"), scope)
    return scope["f"](n)


def rewritten(text):
    node = ast.parse(text)
    return ast.fix_missing_locations(after(before(node)))


def test_rewritten_source_does_the_same():
    plain = SOURCE.replace("case other if other > 5", "case _ if n > 5")
    for n in (0, 1, 2, 5, 7):
        assert run(rewritten(plain), n) == run(plain, n)


@pytest.mark.parametrize(
    ("line", "construct"),
    [
        ("    if x and (y := x):\n        pass", "`:=` where it may not be reached"),
        ("    match x:\n        case [a, b]:\n            pass", "a `case` that takes a value"),
        (
            "    match x:\n        case a if a > 1:\n            pass",
            "binds a name and has",
        ),
    ],
)
def test_what_cannot_be_rewritten_is_named(line, construct):
    with pytest.raises(Unsupported, match=construct) as caught:
        before(ast.parse("def f(x):\n" + line))
    assert caught.value.line > 1
