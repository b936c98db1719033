from __future__ import annotations

import numpy as np
import pytest

import proa
from proa import static
from proa.core import PreconditionError


def test_values_are_found_by_name_and_set():
    main = static.Program()
    with static.program_guard(main):
        weight = static.create_parameter([2], "float32", name="scoped weight")
        weight * 2
        found = static.global_scope().find_var("scoped weight").get_tensor()
        found.set(np.float32([3, 4]))
        assert np.array(found).tolist() == [3.0, 4.0]
        assert found.shape() == [2]
        assert static.global_scope().find_var("nothing") is None
    assert weight.tolist() == [3.0, 4.0]


def test_tensors_of_programs_that_ran_are_found():
    main, scope = static.Program(), static.Scope()
    with static.program_guard(main):
        y = static.create_parameter([2], "float32", name="ran", is_bias=True) * 2
    assert scope.find_var("ran") is None
    static.Executor().run(main, fetch_list=[y], scope=scope)
    scope.find_var("ran").get_tensor().set(np.float32([3, 4]), proa.CPUPlace())
    assert static.Executor().run(main, fetch_list=[y])[0].tolist() == [6, 8]


def test_a_scope_has_variables_of_its_own():
    scope = static.Scope()
    with static.scope_guard(scope):
        assert static.global_scope() is scope
        tensor = static.global_scope().var("mine").get_tensor()
        with pytest.raises(PreconditionError, match="a variable without values was read"):
            np.array(tensor)
        tensor.set(np.ones([2, 2]), proa.CPUPlace())
        tensor.set(np.ones([3]))
    assert static.global_scope() is not scope
    assert static.global_scope().find_var("mine") is None
    assert repr(scope.find_var("mine").get_tensor()).endswith("data: [1 1 1]")
    assert scope.local_var_names() == ["mine"]
    scope.erase(["mine"])
    assert scope.new_scope().find_var("mine") is None
