from __future__ import annotations

import warnings

import pytest

import proa
from proa.core import ProgramError
from proa.jit import to_static
from proa.jit._python_guard import PythonGuard

FACTOR = 2.0


def helper(x):
    return x * FACTOR


def value_of(compiled):
    return compiled(proa.ones([1])).item()


def test_a_global_number_is_read_at_each_call_also_through_a_helper(monkeypatch):
    direct = to_static(lambda x: x * FACTOR, full_graph=True)
    nested = to_static(lambda x: helper(x), full_graph=True)
    assert (value_of(direct), value_of(nested)) == (2.0, 2.0)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert (value_of(direct), value_of(nested)) == (3.0, 3.0)
    monkeypatch.setitem(globals(), "FACTOR", 2.0)
    assert (value_of(direct), value_of(nested)) == (2.0, 2.0)
    assert direct.num_variants == nested.num_variants == 2
    assert "global `FACTOR`: 2.0 -> 3.0" in str(nested.explain())


def test_a_variable_of_the_surrounding_function_is_read_at_each_call():
    scale, net = 2.0, proa.nn.Linear(1, 1)
    compiled = to_static(lambda x: net(x) * scale, full_graph=True)
    with proa.no_grad():
        net.weight.set_value([[1.0]])
        assert value_of(compiled) == 2.0
        scale = 5.0
        assert value_of(compiled) == 5.0
        net = proa.nn.Linear(1, 1)
        net.weight.set_value([[10.0]])
        assert value_of(compiled) == 50.0
    assert "variable `net` is another Linear" in str(compiled.explain())


def test_attributes_of_plain_objects_and_of_layers_are_read_at_each_call():
    class Plain:
        factor = 0.0

        def __init__(self):
            self.factor = 2.0

        @to_static(full_graph=True)
        def scaled(self, x):
            return x * self.factor

    class Scaled(proa.nn.Layer):
        def __init__(self):
            super().__init__()
            self.factor = 2.0

        def forward(self, x):
            return x * self.factor

    plain, layer = Plain(), to_static(Scaled(), full_graph=True)
    assert (value_of(plain.scaled), value_of(layer)) == (2.0, 2.0)
    plain.factor = layer.factor = 3.0
    assert (value_of(plain.scaled), value_of(layer)) == (3.0, 3.0)
    assert "Scaled changed (factor: 2.0 -> 3.0)" in str(layer.forward.explain())


def test_what_the_function_changes_itself_is_no_guard():
    calls = 0

    @to_static(full_graph=True)
    def counting(x):
        nonlocal calls
        calls = calls + 1
        return x

    for _ in range(3):
        counting(proa.ones([1]))
    assert counting.num_variants == 1


def test_a_variable_that_keeps_changing_is_named_in_one_warning():
    step = 0
    compiled = to_static(lambda x: x * step, full_graph=True)
    for step in range(8):
        assert value_of(compiled) == step
    step = 8
    with pytest.warns(UserWarning, match="compiled 8 times because variable `step` changes"):
        value_of(compiled)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step = 99
        assert value_of(compiled) == 99


def test_modules_classes_and_the_packages_own_functions_are_no_guards():
    assert not [r.name for r in PythonGuard(lambda x: proa.nn.functional.relu(x)).reads]


def test_what_stands_in_a_short_list_or_dict_is_read_at_each_call():
    settings, layers = {"factor": 2.0}, [lambda x: x + 1]

    def apply(x):
        for layer in layers:
            x = layer(x)
        return x * settings["factor"]

    compiled = to_static(apply, full_graph=True)
    assert value_of(compiled) == 4.0
    settings["factor"] = 3.0
    assert value_of(compiled) == 6.0
    layers.append(lambda x: x * 10)
    assert value_of(compiled) == 60.0
    assert "the content of variable `settings`" in str(compiled.explain())


def test_tensors_in_a_list_may_be_written():
    averages = [proa.zeros([1])]

    @to_static(full_graph=True)
    def average(x):
        for each in averages:
            each.set_value(each * 0.5 + x)

    for _ in range(3):
        average(proa.ones([1]))
    assert averages[0].item() == 1.75
    assert average.num_variants == 1


def test_tensors_put_into_a_list_outside_are_refused_or_run_uncompiled():
    kept = []

    def keep(x):
        kept.append(x * 2)
        return x

    with pytest.raises(ProgramError, match="puts tensors into variable `kept`"):
        to_static(keep, full_graph=True)(proa.ones([1]))
    assert kept == []
    compiled = to_static(keep)
    with pytest.warns(UserWarning, match="runs uncompiled"):
        compiled(proa.ones([1]))
    assert [t.item() for t in kept] == [2.0]


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        (lambda d: d.update(b=d["a"] * 2), {"a": proa.ones([1])}),
        (lambda d: d.append(d[0] * 2), [proa.ones([1])]),
        (lambda d: d.__setitem__(0, d[0] * 2), [proa.ones([1])]),
    ],
)
def test_lists_and_dicts_that_are_given_and_changed_are_refused(change, argument):
    with pytest.raises(ProgramError, match="changes a list or dict that it was given"):
        to_static(change, full_graph=True)(argument)


def test_attributes_of_configurations_are_read_at_each_call():
    class Plain:
        def __init__(self, **fields):
            self.__dict__.update(fields)

    settings = Plain(factor=2.0, inner=Plain(shift=1.0), unread=0)

    def apply(x, options=None):
        if options is not None:
            x = x + options.offset
        return x * settings.factor + settings.inner.shift

    compiled, options = to_static(apply, full_graph=True), Plain(offset=10.0)
    assert value_of(compiled) == 3.0
    settings.unread = 1
    settings.factor = 3.0
    assert value_of(compiled) == 4.0
    settings.inner.shift = 2.0
    assert value_of(compiled) == 5.0
    x = proa.ones([1])
    assert compiled(x, options).item() == 35.0
    options.offset = 0.0
    assert compiled(x, options).item() == 5.0
    assert compiled.num_variants == 5
    assert "attribute `settings.inner.shift`: 1.0 -> 2.0" in str(compiled.explain())
    assert "attribute `an argument's offset`" in str(compiled.explain())
