"""Texts as Paddle 3.3.1 prints them."""

from __future__ import annotations

import pytest

import proa

PLAIN = [
    (lambda: proa.to_tensor(3.5), "[], dtype=float32", True, """       3.50000000"""),
    (lambda: proa.to_tensor(3), "[], dtype=int64", True, """       3"""),
    (lambda: proa.to_tensor(True), "[], dtype=bool", True, """       True"""),
    (lambda: proa.to_tensor(float("nan")), "[], dtype=float32", True, """       nan"""),
    (lambda: proa.to_tensor(float("inf")), "[], dtype=float32", True, """       inf."""),
    (lambda: proa.to_tensor(-0.0), "[], dtype=float32", True, """       -0."""),
    (lambda: proa.to_tensor([]), "[0], dtype=float32", True, """       []"""),
    (lambda: proa.to_tensor([[]]), "[1, 0], dtype=float32", True, """       [[]]"""),
    (
        lambda: proa.ones([2, 0, 3]),
        "[2, 0, 3], dtype=float32",
        True,
        """       [[],

        []]""",
    ),
    (lambda: proa.to_tensor([True, False]), "[2], dtype=bool", True, """       [True , False]"""),
    (
        lambda: proa.to_tensor([[True], [False]]),
        "[2, 1], dtype=bool",
        True,
        """       [[True ],
        [False]]""",
    ),
    (lambda: proa.to_tensor([1, 2, 3]), "[3], dtype=int64", True, """       [1, 2, 3]"""),
    (lambda: proa.to_tensor([1, -20, 300]), "[3], dtype=int64", True, """       [ 1 , -20, 300]"""),
    (
        lambda: proa.to_tensor([[1, -20], [300, 4]]),
        "[2, 2], dtype=int64",
        True,
        """       [[ 1 , -20],
        [300,  4 ]]""",
    ),
    (
        lambda: proa.to_tensor([0.5, -1.25, 1000.0]),
        "[3], dtype=float32",
        True,
        """       [ 0.50000000, -1.25000000,  1000.     ]""",
    ),
    (
        lambda: proa.to_tensor([1e-5, 1.0, 1e5]),
        "[3], dtype=float32",
        True,
        """       [0.00001000, 1.        , 100000.   ]""",
    ),
    (
        lambda: proa.to_tensor([1e-9, 1e9]),
        "[2], dtype=float32",
        True,
        """       [0.00000000 , 1000000000.]""",
    ),
    (
        lambda: proa.to_tensor([1e20, 1.5]),
        "[2], dtype=float32",
        True,
        """       [100000002004087734272., 1.50000000            ]""",
    ),
    (
        lambda: proa.to_tensor([1e10, 2e10]),
        "[2], dtype=float32",
        True,
        """       [10000000000., 20000000000.]""",
    ),
    (
        lambda: proa.to_tensor([1.5, 2.0, 3.0]),
        "[3], dtype=float32",
        True,
        """       [1.50000000, 2.        , 3.        ]""",
    ),
    (
        lambda: proa.to_tensor([float("nan"), 1.0, -2.5]),
        "[3], dtype=float32",
        True,
        """       [ nan       ,  1.        , -2.50000000]""",
    ),
    (
        lambda: proa.to_tensor([float("inf"), -float("inf"), 0.0]),
        "[3], dtype=float32",
        True,
        """       [ inf., -inf.,  0.  ]""",
    ),
    (
        lambda: proa.to_tensor([float("nan"), float("nan")]),
        "[2], dtype=float32",
        True,
        """       [nan, nan]""",
    ),
    (lambda: proa.to_tensor([-1.0, 1.0]), "[2], dtype=float32", True, """       [-1.,  1.]"""),
    (
        lambda: proa.to_tensor([1 + 2j, 3 - 4.5j]),
        "[2], dtype=complex64",
        True,
        """       [(1.00000000+2.00000000j), (3.00000000-4.50000000j)]""",
    ),
    (
        lambda: proa.to_tensor(1 + 2j),
        "[], dtype=complex64",
        True,
        """       (1.00000000+2.00000000j)""",
    ),
    (
        lambda: proa.to_tensor([[1.0, 2.0], [3.0, 4.0]]).astype("bfloat16"),
        "[2, 2], dtype=bfloat16",
        True,
        """       [[1., 2.],
        [3., 4.]]""",
    ),
    (
        lambda: proa.to_tensor([1.5, 2.25]).astype("bfloat16"),
        "[2], dtype=bfloat16",
        True,
        """       [1.50000000, 2.25000000]""",
    ),
    (
        lambda: proa.to_tensor([1.5, 2.25]).astype("float16"),
        "[2], dtype=float16",
        True,
        """       [1.50000000, 2.25000000]""",
    ),
    (
        lambda: proa.to_tensor([1.5, 2.25], dtype="float64"),
        "[2], dtype=float64",
        True,
        """       [1.50000000, 2.25000000]""",
    ),
    (
        lambda: proa.to_tensor([1 / 3, 2 / 3], dtype="float64"),
        "[2], dtype=float64",
        True,
        """       [0.33333333, 0.66666667]""",
    ),
    (lambda: proa.to_tensor(1 / 3), "[], dtype=float32", True, """       0.33333334"""),
    (lambda: proa.to_tensor([1, 2], dtype="uint8"), "[2], dtype=uint8", True, """       [1, 2]"""),
    (
        lambda: proa.arange(2000),
        "[2000], dtype=int64",
        True,
        """       [0   , 1   , 2   , ..., 1997, 1998, 1999]""",
    ),
    (
        lambda: proa.arange(1001),
        "[1001], dtype=int64",
        True,
        """       [0   , 1   , 2   , ..., 998 , 999 , 1000]""",
    ),
    (
        lambda: proa.arange(3000.0).reshape([100, 30]),
        "[100, 30], dtype=float32",
        True,
        """       [[0.   , 1.   , 2.   , ..., 27.  , 28.  , 29.  ],
        [30.  , 31.  , 32.  , ..., 57.  , 58.  , 59.  ],
        [60.  , 61.  , 62.  , ..., 87.  , 88.  , 89.  ],
        ...,
        [2910., 2911., 2912., ..., 2937., 2938., 2939.],
        [2940., 2941., 2942., ..., 2967., 2968., 2969.],
        [2970., 2971., 2972., ..., 2997., 2998., 2999.]]""",
    ),
    (
        lambda: proa.ones([2, 2, 2]),
        "[2, 2, 2], dtype=float32",
        True,
        """       [[[1., 1.],
         [1., 1.]],

        [[1., 1.],
         [1., 1.]]]""",
    ),
    (
        lambda: proa.arange(24.0).reshape([2, 3, 4]),
        "[2, 3, 4], dtype=float32",
        True,
        """       [[[0. , 1. , 2. , 3. ],
         [4. , 5. , 6. , 7. ],
         [8. , 9. , 10., 11.]],

        [[12., 13., 14., 15.],
         [16., 17., 18., 19.],
         [20., 21., 22., 23.]]]""",
    ),
    (
        lambda: proa.zeros([1, 1, 1, 1]),
        "[1, 1, 1, 1], dtype=float32",
        True,
        """       [[[[0.]]]]""",
    ),
    (lambda: proa.to_tensor(1.0, stop_gradient=False), "[], dtype=float32", False, """       1."""),
    (
        lambda: proa.to_tensor([1.0, 2.0], stop_gradient=False),
        "[2], dtype=float32",
        False,
        """       [1., 2.]""",
    ),
    (lambda: proa.to_tensor(1.0) * 2, "[], dtype=float32", True, """       2."""),
    (
        lambda: proa.arange(40.0),
        "[40], dtype=float32",
        True,
        """       [0. , 1. , 2. , 3. , 4. , 5. , 6. , 7. , 8. , 9. , 10., 11., 12., 13.,
        14., 15., 16., 17., 18., 19., 20., 21., 22., 23., 24., 25., 26., 27.,
        28., 29., 30., 31., 32., 33., 34., 35., 36., 37., 38., 39.]""",
    ),
    (
        lambda: proa.arange(60).reshape([2, 30]),
        "[2, 30], dtype=int64",
        True,
        """       [[0 , 1 , 2 , 3 , 4 , 5 , 6 , 7 , 8 , 9 , 10, 11, 12, 13, 14, 15, 16, 17,
         18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
        [30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
         48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59]]""",
    ),
    (
        lambda: proa.to_tensor([1e-3, 2e-3]),
        "[2], dtype=float32",
        True,
        """       [0.00100000, 0.00200000]""",
    ),
    (
        lambda: proa.to_tensor([100000.5, 1.0]),
        "[2], dtype=float32",
        True,
        """       [100000.50000000, 1.             ]""",
    ),
    (
        lambda: proa.to_tensor([99999999.0, 0.1]),
        "[2], dtype=float32",
        True,
        """       [100000000., 0.10000000]""",
    ),
    (
        lambda: proa.to_tensor([1e8, 1.0]),
        "[2], dtype=float32",
        True,
        """       [100000000., 1.        ]""",
    ),
    (
        lambda: proa.to_tensor([1e15, 1e16]),
        "[2], dtype=float32",
        True,
        """       [999999986991104.  , 10000000272564224.]""",
    ),
    (
        lambda: proa.to_tensor([1.0000001, 2]),
        "[2], dtype=float32",
        True,
        """       [1.00000012, 2.        ]""",
    ),
    (
        lambda: proa.to_tensor([12345.678, 0.001]),
        "[2], dtype=float32",
        True,
        """       [12345.67773438, 0.00100000    ]""",
    ),
    (
        lambda: proa.to_tensor([-1e-10, 1e-10]),
        "[2], dtype=float32",
        True,
        """       [-0.00000000,  0.00000000]""",
    ),
    (
        lambda: proa.to_tensor([3e38, -3e38]),
        "[2], dtype=float32",
        True,
        """       [ 300000000549775575777803994281145270272.,
        -300000000549775575777803994281145270272.]""",
    ),
    (
        lambda: proa.full([1001], 0.5),
        "[1001], dtype=float32",
        True,
        """       [0.50000000, 0.50000000, 0.50000000, ..., 0.50000000, 0.50000000,
        0.50000000]""",
    ),
    (
        lambda: proa.full([1500, 2], -0.5),
        "[1500, 2], dtype=float32",
        True,
        """       [[-0.50000000, -0.50000000],
        [-0.50000000, -0.50000000],
        [-0.50000000, -0.50000000],
        ...,
        [-0.50000000, -0.50000000],
        [-0.50000000, -0.50000000],
        [-0.50000000, -0.50000000]]""",
    ),
    (
        lambda: proa.to_tensor([[1.5, float("nan")], [float("inf"), -1]]),
        "[2, 2], dtype=float32",
        True,
        """       [[1.50000000,  nan      ],
        [ inf.     , -1.       ]]""",
    ),
    (lambda: proa.to_tensor([0.0, 0.0]), "[2], dtype=float32", True, """       [0., 0.]"""),
    (lambda: proa.to_tensor(123456.789), "[], dtype=float32", True, """       123456.78906250"""),
    (
        lambda: proa.to_tensor(1e30),
        "[], dtype=float32",
        True,
        """       1000000015047466219876688855040.""",
    ),
    (lambda: proa.to_tensor(-5), "[], dtype=int64", True, """       -5"""),
    (
        lambda: proa.to_tensor([1e-8, 0.0]),
        "[2], dtype=float32",
        True,
        """       [0.00000001, 0.        ]""",
    ),
]


OPTIONS = [
    ({"precision": 2}, lambda: proa.to_tensor([0.123456789, -12.5]), """       [ 0.12 , -12.50]"""),
    ({"precision": 2}, lambda: proa.to_tensor(3.14159265), """       3.14"""),
    (
        {"precision": 2},
        lambda: proa.arange(20.0),
        """       [0. , 1. , 2. , 3. , 4. , 5. , 6. , 7. , 8. , 9. , 10., 11., 12., 13.,
        14., 15., 16., 17., 18., 19.]""",
    ),
    (
        {"precision": 2},
        lambda: proa.arange(20).reshape([4, 5]),
        """       [[0 , 1 , 2 , 3 , 4 ],
        [5 , 6 , 7 , 8 , 9 ],
        [10, 11, 12, 13, 14],
        [15, 16, 17, 18, 19]]""",
    ),
    (
        {"precision": 2},
        lambda: proa.to_tensor([1e-9, 1e9]),
        """       [0.00       , 1000000000.]""",
    ),
    ({"precision": 2}, lambda: proa.to_tensor([1, 2, 3]), """       [1, 2, 3]"""),
    ({"precision": 2}, lambda: proa.to_tensor([1 + 2j]), """       [(1.00+2.00j)]"""),
    (
        {"precision": 4, "sci_mode": True},
        lambda: proa.to_tensor([0.123456789, -12.5]),
        """       [ 1.2346e-01, -1.2500e+01]""",
    ),
    (
        {"precision": 4, "sci_mode": True},
        lambda: proa.to_tensor(3.14159265),
        """       3.1416e+00""",
    ),
    (
        {"precision": 4, "sci_mode": True},
        lambda: proa.arange(20.0),
        """       [0.0000e+00, 1.0000e+00, 2.0000e+00, 3.0000e+00, 4.0000e+00, 5.0000e+00,
        6.0000e+00, 7.0000e+00, 8.0000e+00, 9.0000e+00, 1.0000e+01, 1.1000e+01,
        1.2000e+01, 1.3000e+01, 1.4000e+01, 1.5000e+01, 1.6000e+01, 1.7000e+01,
        1.8000e+01, 1.9000e+01]""",
    ),
    (
        {"precision": 4, "sci_mode": True},
        lambda: proa.arange(20).reshape([4, 5]),
        """       [[0 , 1 , 2 , 3 , 4 ],
        [5 , 6 , 7 , 8 , 9 ],
        [10, 11, 12, 13, 14],
        [15, 16, 17, 18, 19]]""",
    ),
    (
        {"precision": 4, "sci_mode": True},
        lambda: proa.to_tensor([1e-9, 1e9]),
        """       [1.0000e-09, 1.0000e+09]""",
    ),
    ({"precision": 4, "sci_mode": True}, lambda: proa.to_tensor([1, 2, 3]), """       [1, 2, 3]"""),
    (
        {"precision": 4, "sci_mode": True},
        lambda: proa.to_tensor([1 + 2j]),
        """       [(1.0000e+00+2.0000e+00j)]""",
    ),
    (
        {"threshold": 5, "edgeitems": 2},
        lambda: proa.arange(20.0),
        """       [0. , 1. , ..., 18., 19.]""",
    ),
    (
        {"threshold": 5, "edgeitems": 2},
        lambda: proa.arange(20).reshape([4, 5]),
        """       [[0 , 1 , ..., 3 , 4 ],
        [5 , 6 , ..., 8 , 9 ],
        [10, 11, ..., 13, 14],
        [15, 16, ..., 18, 19]]""",
    ),
    (
        {"linewidth": 40},
        lambda: proa.arange(20.0),
        """       [0. , 1. , 2. , 3. , 4. , 5. ,
        6. , 7. , 8. , 9. , 10., 11.,
        12., 13., 14., 15., 16., 17.,
        18., 19.]""",
    ),
    (
        {"sci_mode": True},
        lambda: proa.to_tensor([0.123456789, -12.5]),
        """       [ 1.23456791e-01, -1.25000000e+01]""",
    ),
    ({"sci_mode": True}, lambda: proa.to_tensor(3.14159265), """       3.14159274e+00"""),
    (
        {"sci_mode": True},
        lambda: proa.arange(20.0),
        """       [0.00000000e+00, 1.00000000e+00, 2.00000000e+00, 3.00000000e+00,
        4.00000000e+00, 5.00000000e+00, 6.00000000e+00, 7.00000000e+00,
        8.00000000e+00, 9.00000000e+00, 1.00000000e+01, 1.10000000e+01,
        1.20000000e+01, 1.30000000e+01, 1.40000000e+01, 1.50000000e+01,
        1.60000000e+01, 1.70000000e+01, 1.80000000e+01, 1.90000000e+01]""",
    ),
    (
        {"sci_mode": True},
        lambda: proa.arange(20).reshape([4, 5]),
        """       [[0 , 1 , 2 , 3 , 4 ],
        [5 , 6 , 7 , 8 , 9 ],
        [10, 11, 12, 13, 14],
        [15, 16, 17, 18, 19]]""",
    ),
    (
        {"sci_mode": True},
        lambda: proa.to_tensor([1e-9, 1e9]),
        """       [9.99999972e-10, 1.00000000e+09]""",
    ),
    ({"sci_mode": True}, lambda: proa.to_tensor([1, 2, 3]), """       [1, 2, 3]"""),
    (
        {"sci_mode": True},
        lambda: proa.to_tensor([1 + 2j]),
        """       [(1.00000000e+00+2.00000000e+00j)]""",
    ),
    ({"precision": 0}, lambda: proa.to_tensor([0.123456789, -12.5]), """       [ 0 , -12]"""),
    ({"precision": 0}, lambda: proa.to_tensor(3.14159265), """       3"""),
    (
        {"precision": 0},
        lambda: proa.arange(20.0),
        """       [0. , 1. , 2. , 3. , 4. , 5. , 6. , 7. , 8. , 9. , 10., 11., 12., 13.,
        14., 15., 16., 17., 18., 19.]""",
    ),
    (
        {"precision": 0},
        lambda: proa.arange(20).reshape([4, 5]),
        """       [[0 , 1 , 2 , 3 , 4 ],
        [5 , 6 , 7 , 8 , 9 ],
        [10, 11, 12, 13, 14],
        [15, 16, 17, 18, 19]]""",
    ),
    (
        {"precision": 0},
        lambda: proa.to_tensor([1e-9, 1e9]),
        """       [0          , 1000000000.]""",
    ),
    ({"precision": 0}, lambda: proa.to_tensor([1, 2, 3]), """       [1, 2, 3]"""),
    ({"precision": 0}, lambda: proa.to_tensor([1 + 2j]), """       [(1+2j)]"""),
]


@pytest.fixture(autouse=True)
def _defaults():
    yield
    proa.set_printoptions(8, 1000, 3, False, 80)


@pytest.mark.parametrize(("make", "facts", "stop", "body"), PLAIN)
def test_plain(make, facts, stop, body):
    want = f"Tensor(shape={facts}, place=Place(cpu), stop_gradient={stop},\n{body})"
    assert repr(make()) == want
    assert str(make()) == want


@pytest.mark.parametrize(("options", "make", "body"), OPTIONS)
def test_options(options, make, body):
    proa.set_printoptions(**options)
    assert repr(make()).split("\n", 1)[1] == f"{body})"


def test_only_shown_elements_decide_on_the_column_width():
    x = proa.arange(2000)
    x[1000] = -12345678
    assert repr(x).endswith("[0   , 1   , 2   , ..., 1997, 1998, 1999])")


@pytest.mark.parametrize(("linewidth", "counts"), [(40, (11, 10, 10)), (41, (11, 11, 10))])
def test_deeper_rows_leave_room_for_their_brackets(linewidth, counts):
    proa.set_printoptions(linewidth=linewidth)
    for axes, count in enumerate(counts):
        lines = repr(proa.ones([1] * axes + [25], "int64")).split("\n")
        assert lines[1].count("1") == count


def test_blocks_of_four_axes_are_two_lines_apart():
    assert "]]],\n\n\n        [[[" in repr(proa.ones([2, 1, 2, 2]))


def test_middle_rows_and_blocks_are_left_out():
    text = repr(proa.zeros([10, 10, 20]))
    assert text.count("\n\n        ...,\n\n") == 1
    assert text.count("\n         ...,\n") == 6


def test_parameters_say_so():
    text = repr(proa.Parameter([1.0, 2.0]))
    assert text == (
        "Parameter containing:\n"
        "Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=False,\n"
        "       [1., 2.])"
    )


def test_a_number_with_a_format_and_a_tensor_without_data():
    assert f"{proa.to_tensor(3.14159):.2f}" == "3.14"
    assert repr(proa.Tensor()) == "Tensor(Not initialized)"


def test_infinities_in_scientific_mode():
    proa.set_printoptions(sci_mode=True)
    text = repr(proa.to_tensor([float("nan"), float("inf"), 1.0]))
    assert text.endswith("[nan           , inf           , 1.00000000e+00])")


ERRORS = [
    ({"precision": "a"}, TypeError, "`precision` of `set_printoptions` is 'a'"),
    ({"threshold": 1.5}, TypeError, "`threshold`"),
    ({"precision": -1}, ValueError, "precision >= 0"),
    ({"edgeitems": 0}, ValueError, "edgeitems >= 1"),
    ({"linewidth": 0}, ValueError, "linewidth >= 1"),
]


@pytest.mark.parametrize(("options", "kind", "message"), ERRORS)
def test_bad_options(options, kind, message):
    with pytest.raises(kind, match=message):
        proa.set_printoptions(**options)
