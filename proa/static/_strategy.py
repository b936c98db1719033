"""Options of Paddle's graph builder."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from proa.core import InvalidTypeError
from proa.core._errors import MissingAttributeError


class _ReduceStrategy(IntEnum):
    """How gradients of several devices come together in Paddle."""

    AllReduce = 0
    Reduce = 1
    _NoReduce = 2


_SWITCHES = {
    **dict.fromkeys(
        (
            *("allow_cuda_graph_capture", "async_mode", "build_cinn_pass"),
            *("cache_runtime_context", "enable_addto", "enable_auto_fusion", "fuse_adamw"),
            *("fuse_all_optimizer_ops", "fuse_bn_act_ops", "fuse_dot_product_attention"),
            *("fuse_elewise_add_act_ops", "fuse_gemm_epilogue", "fuse_relu_depthwise_conv"),
            *("fuse_resunit", "fused_attention", "fused_feedforward", "sequential_run"),
            *("sync_batch_norm", "use_hierarchical_allreduce"),
        ),
        False,
    ),
    **dict.fromkeys(
        (
            *("enable_backward_optimizer_op_deps", "enable_inplace", "fuse_all_reduce_ops"),
            *("fuse_bn_add_act_ops", "fuse_broadcast_ops"),
        ),
        True,
    ),
}
_OTHERS = {
    "bkcl_comm_num": 1,
    "debug_graphviz_path": "",
    "hierarchical_allreduce_inter_nranks": 0,
    "memory_optimize": None,
    "mkldnn_enabled_op_types": frozenset(),
    "nccl_comm_num": 1,
    "num_trainers": 1,
    "onednn_enabled_op_types": frozenset(),
    "reduce_strategy": _ReduceStrategy.AllReduce,
    "trainer_id": 0,
    "trainers_endpoints": (),
}


class BuildStrategy:
    """Options of Paddle's graph builder; XLA decides by itself what they are about.

    They can be set and read, so that code that does so runs, and nothing depends on them.

    Raises:
        MissingAttributeError: Paddle has no such option.
        InvalidTypeError: a switch is set to something else than True or False.

    Examples:
        >>> import proa
        >>> strategy = proa.static.BuildStrategy()
        >>> strategy.fuse_bn_act_ops = True
        >>> strategy.fuse_bn_act_ops
        True
    """

    ReduceStrategy = _ReduceStrategy

    def __init__(self) -> None:
        self.__dict__.update(_SWITCHES, **_OTHERS)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise MissingAttributeError(
                f"BuildStrategy has no option {name!r}",
                expected="one of " + ", ".join(sorted(self.__dict__)),
                fix="correct the name, or leave it out",
            )
        if name in _SWITCHES and not isinstance(value, bool):
            raise InvalidTypeError(
                f"BuildStrategy.{name} is {value!r}",
                expected="True or False",
                fix=f"write strategy.{name} = True",
            )
        self.__dict__[name] = value

    def __repr__(self) -> str:
        lines = [f"  {name} = {value!r}" for name, value in sorted(self.__dict__.items())]
        return "BuildStrategy:\n" + "\n".join(lines)
