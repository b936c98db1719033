from __future__ import annotations

import pytest

import proa
from proa.fluid import optimizer

KINDS = ["Adadelta", "Adagrad", "Adam", "Adamax", "Lamb", "RMSProp", "SGD"]


@pytest.mark.parametrize("kind", KINDS)
def test_old_keywords_are_understood(kind):
    layer = proa.nn.Linear(1, 1)
    extra = {} if kind == "Lamb" else {"regularization": proa.regularizer.L2Decay(0.1)}
    made = getattr(optimizer, f"{kind}Optimizer")(
        learning_rate=0.5, parameter_list=layer.parameters(), **extra
    )
    assert type(made) is getattr(proa.optimizer, kind)
    assert made.get_lr() == 0.5


def test_a_step_follows_the_gradient():
    layer = proa.nn.Linear(1, 1, weight_attr=proa.nn.initializer.Constant(2.0), bias_attr=False)
    sgd = optimizer.SGD(0.5, parameter_list=layer.parameters())
    loss = layer(proa.ones([1, 1])).sum()
    loss.backward()
    sgd.minimize(loss)
    layer.clear_gradients()
    assert layer.weight.item() == 1.5
    assert optimizer.Momentum(0.1, 0.9, layer.parameters()).get_lr() == 0.1


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError):
        optimizer.SGD(0.1, no_such=1)
