from __future__ import annotations

import numpy as np

import proa
from proa import static
from proa.fluid import nets

ONE = proa.nn.initializer.Constant(1.0)
IMAGE = np.arange(16, dtype="float32").reshape(1, 1, 4, 4)


def test_a_convolution_and_a_pooling():
    found = nets.simple_img_conv_pool(
        proa.to_tensor(IMAGE), 1, 1, 2, 2, param_attr=ONE, bias_attr=False, act="relu"
    )
    assert found.tolist() == [[[[5, 7], [13, 15]]]]


def test_convolutions_with_normalisation():
    main = static.Program()
    with static.program_guard(main):
        image = static.data("image", [None, 1, 4, 4])
        made = nets.img_conv_group(
            image, [2, 3], 2, conv_act="relu", conv_with_batchnorm=True, pool_stride=2
        )
    (found,) = static.Executor().run(main, {"image": IMAGE}, [made])
    assert found.shape == (1, 3, 2, 2)
    assert (found >= 0).all()
    assert sum("batch_norm" in call.op.name for call in main.ops) == 2


def test_a_convolution_along_sequences():
    rows = static.create_lod_tensor(IMAGE.reshape(8, 2), [[3, 5]])
    found = nets.sequence_conv_pool(rows, 1, 1, param_attr=ONE, act="relu")
    assert found.tolist() == [[9], [29]]


def test_gated_halves():
    assert nets.glu(proa.to_tensor([[2.0, 0.0]])).tolist() == [[1]]
