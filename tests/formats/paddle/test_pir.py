from __future__ import annotations

import json

import numpy as np
import pytest

from proa.formats.paddle._import import graph_to_artifact
from proa.formats.paddle._pir import read_pir
from proa.jit import Pipeline

F32 = {"#": "0.t_f32"}


def kind(shape, dtype="0.t_f32"):
    return {"#": "0.t_dtensor", "D": [{"#": dtype}, shape, "NCHW", [], 0]}


def result(number, shape, dtype="0.t_f32"):
    return {"%": number, "TT": kind(shape, dtype)}


def op(kind_name, inputs, outputs, regions=(), **attributes):
    made = {
        "#": kind_name,
        "A": [{"N": n, "AT": {"#": k, "D": v}} for n, (k, v) in attributes.items()],
        "I": [{"%": number} for number in inputs],
        "O": outputs,
    }
    return {**made, "regions": list(regions)} if regions else made


def region(ops, args=()):
    return {"blocks": [{"args": list(args), "ops": ops}]}


def data(name, number, shape):
    return op("1.data", [], [result(number, shape)], name=("0.a_str", name))


def fetch(number, column, name="out"):
    return op("1.fetch", [number], [], name=("0.a_str", name), col=("0.a_i32", column))


def full(number, value, dtype="float32", shape=()):
    made = op("1.full", [], [result(number, list(shape))], shape=("1.a_intarray", list(shape)))
    made["A"] += [
        {"N": "value", "AT": {"#": "0.a_f64", **value}},
        {"N": "dtype", "AT": {"#": "1.a_dtype", "D": dtype}},
    ]
    return made


def content(ops, version=4):
    return json.dumps(
        {"base_code": {"magic": "pir", "version": version}, "program": {"regions": [region(ops)]}}
    ).encode()


PARAMETER = {"#": "p", "A": [0, 1, 1, "w"], "O": result(1, [2])}
BASE = [
    PARAMETER,
    data("x", 2, [-1, 2]),
    op("1.multiply", [2, 1], [result(3, [-1, 2])], struct_name=("0.a_str", "/Net/")),
]


def run(ops, *inputs, weights=None):
    artifact = graph_to_artifact(read_pir(content(ops)), weights or {}, {})
    return [np.asarray(o) for o in Pipeline(artifact).run(list(inputs))]


def test_operands_are_given_names():
    graph = read_pir(content([*BASE, fetch(3, 0)]))
    assert [(v.name, v.shape, v.dtype, v.key) for v in graph.inputs] == [
        ("x", (-1, 2), "float32", "%2")
    ]
    assert [v.name for v in graph.weights] == ["w"]
    (node,) = graph.block.nodes
    assert (node.op, node.slots, node.outputs) == (
        "multiply",
        {"x": ["%2"], "y": ["%1"]},
        {"0": ["%3"]},
    )
    assert node.where == "op 2 of the main block, in layer /Net/"
    assert graph.outputs == [("out", "%3")]


def test_an_operand_that_is_left_out_has_number_zero():
    made = op("1.layer_norm", [2, 0, 0], [result(3, [-1, 2])], epsilon=("0.a_f32", 1e-5))
    (node,) = read_pir(content([data("x", 2, [-1, 2]), made, fetch(3, 0)])).block.nodes
    assert node.slots == {"x": ["%2"]}


def test_a_program_computes():
    ops = [
        *BASE,
        full(4, {"D": 1.0}),
        full(5, {"VD": "INF"}, shape=[1]),
        op("0.combine", [3, 2], [{"%": 6, "TT": {"#": "0.t_vec", "D": []}}]),
        full(7, {"D": 1.0}, "int32", [1]),
        op("1.concat", [6, 7], [result(8, [-1, 4])]),
        op("1.minimum", [8, 5], [result(9, [-1, 4])]),
        fetch(9, 1, "second"),
        fetch(3, 0, "first"),
    ]
    x = np.array([[1, 2]], np.float32)
    first, second = run(ops, x, weights={"w": np.array([2, 3], np.float32)})
    np.testing.assert_array_equal(first, [[2, 6]])
    np.testing.assert_array_equal(second, [[2, 6, 1, 2]])


def test_branches_and_loops():
    def then(factor, number):
        body = [
            full(20 + number, {"D": factor}, shape=[1]),
            op("1.scale", [2, 20 + number], [result(30 + number, [2])], bias=("0.a_f32", 0.0)),
            op("2.yield", [30 + number], []),
        ]
        return region(body)

    argument = [{"#": -1, "TT": kind([2])}]
    body = region(
        [
            op("1.add", [-1, -1], [result(50, [2])]),
            op("1.max", [50, 12], [result(51, [])], keepdim=("0.a_bool", False)),
            op("1.less_than", [51, 13], [result(52, [], "0.t_bool")]),
            op("2.yield", [52, 50], []),
        ],
        argument,
    )
    ops = [
        data("x", 2, [2]),
        op("1.full_int_array", [], [result(12, [0])], value=("0.a_array", [])),
        full(13, {"D": 10.0}),
        op("1.max", [2, 12], [result(3, [])], keepdim=("0.a_bool", False)),
        op("1.less_than", [3, 13], [result(4, [], "0.t_bool")]),
        op("1.if", [4], [result(5, [2])], [then(2.0, 1), then(-1.0, 2)]),
        op("1.while", [4, 2], [result(6, [2])], [body]),
        fetch(5, 0),
        fetch(6, 1),
    ]
    branch, loop = run(ops, np.array([1, 3], np.float32))
    np.testing.assert_array_equal(branch, [2, 6])
    np.testing.assert_array_equal(loop, [4, 12])
    branch, loop = run(ops, np.array([1, 30], np.float32))
    np.testing.assert_array_equal(branch, [-1, -30])
    np.testing.assert_array_equal(loop, [1, 30])


@pytest.mark.parametrize(
    ("made", "match"),
    [
        (b"{}", "no Program of Paddle"),
        (b"[1]", "no Program of Paddle"),
        (content([], 99), "version 99 of the form; 4 is the newest known"),
        (content(BASE), "fetches nothing"),
        (content([{"#": "p", "A": ["w"], "O": {"%": 1, "TT": {"#": "0.t_vec"}}}]), "no tensor"),
        (content([{"#": "p", "A": ["w"], "O": result(1, [2], "0.t_odd")}]), "dtype '0.t_odd'"),
        (content([{"#": "p", "A": [0, None], "O": result(1, [2])}]), "variable is called None"),
    ],
)
def test_odd_programs_are_refused(made, match):
    with pytest.raises(ValueError, match=match):
        read_pir(made)
