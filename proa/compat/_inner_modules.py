"""Paddle's files that scripts reach into, such as `paddle.tensor.search` and `paddle.nn.loss`.

Their names are not public, but scripts in the wild import through them. Each stands here as a
module without contents of its own, which looks its names up in the public rooms.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from types import ModuleType
from typing import Any

import proa
from proa.core import MissingAttributeError

_OWN = proa.__name__
#: Names of files and folders of Paddle 3.3.1 by the room that they belong to.
_FILES: dict[str, str] = {
    "": "common_ops_import hapi tensor",
    "amp": "accuracy_compare amp_lists auto_cast grad_scaler",
    "audio.backends": "backend init_backend wave_backend",
    "audio.datasets": "dataset esc50 tess",
    "audio.features": "layers",
    "audio.functional": "functional window",
    "autograd": "autograd backward_mode py_layer saved_tensors_hooks",
    "distribution": "bernoulli beta binomial categorical cauchy constraint continuous_bernoulli "
    "dirichlet distribution exponential exponential_family gamma geometric gumbel independent "
    "laplace lognormal multinomial multivariate_normal normal poisson student_t "
    "transformed_distribution uniform variable",
    "framework": "dtype framework io random",
    "geometric": "math message_passing reindex sampling",
    "hapi": "callbacks dynamic_flops hub model model_summary progressbar static_flops",
    "incubate": "framework layers operators tensor",
    "incubate.asp": "asp supported_layer_list utils",
    "incubate.autograd": "functional primapi primitives primx utils",
    "incubate.nn": "layer loss",
    "incubate.nn.functional": "blha_get_max_len block_multihead_attention "
    "build_src_rank_and_local_expert_id cal_aux_loss cross_entropy_with_softmax_bwd_w_downcast "
    "embedding_grad_add_to expand_modality_expert_id fast_ln fast_rms_norm fp8 fused_bias_act "
    "fused_dropout_add fused_layer_norm fused_matmul_bias fused_rms_norm fused_rms_norm_ext "
    "fused_rotary_position_embedding fused_transformer int_bincount masked_multihead_attention "
    "moe_combine moe_gate_dispatch moe_gate_dispatch_and_quant "
    "moe_gate_dispatch_partial_nosoftmaxtopk moe_gate_dispatch_permute swiglu "
    "variable_length_memory_efficient_attention",
    "incubate.nn.layer": "fused_dropout_add fused_dropout_nd fused_linear fused_transformer",
    "incubate.optimizer": "lbfgs lookahead modelaverage",
    "incubate.optimizer.functional": "bfgs lbfgs",
    "incubate.tensor": "math",
    "io": "dataloader reader",
    "io.dataloader": "batch_sampler collate dataset sampler worker",
    "metric": "metrics",
    "nn": "clip decode init layer loss modules parameter",
    "nn.attention": "sdpa",
    "nn.functional": "activation common conv distance extension input loss moe_permute "
    "moe_unpermute norm pooling sdpa sparse_attention transformer vision",
    "nn.initializer": "assign bilinear constant dirac initializer kaiming lazy_init normal "
    "orthogonal uniform xavier",
    "nn.layer": "activation common container conv distance layers loss norm pooling rnn "
    "transformer vision",
    "nn.modules": "container module",
    "nn.quant": "quantized_linear stub",
    "nn.utils": "clip_grad_norm_ clip_grad_value_ spectral_norm_hook transform_parameters "
    "weight_norm_hook",
    "optimizer": "adadelta adagrad adam adamax adamw asgd lamb lbfgs momentum nadam optimizer "
    "radam rmsprop rprop sgd",
    "sparse": "binary multiary unary",
    "sparse.nn": "layer",
    "sparse.nn.functional": "activation conv pooling transformer",
    "sparse.nn.layer": "activation conv norm pooling",
    "tensor": "array attribute creation einsum linalg logic manipulation math ops random search "
    "stat tensor to_string",
    "text": "viterbi_decode",
    "text.datasets": "conll05 imdb imikolov movielens uci_housing wmt14 wmt16",
    "utils": "deprecated environments flops install_check lazy_import op_version",
    "vision": "image",
    "vision.datasets": "cifar flowers folder mnist voc2012",
    "vision.models": "alexnet densenet googlenet inceptionv3 lenet mobilenetv1 mobilenetv2 "
    "mobilenetv3 resnet shufflenetv2 squeezenet vgg",
    "vision.transforms": "functional functional_cv2 functional_pil functional_tensor transforms",
}
_INNER = {f"{room}.{name}".lstrip(".") for room, names in _FILES.items() for name in names.split()}


class InnerModule(ModuleType):
    """A module that has the names of the rooms above it."""

    def __init__(self, name: str, function: Any = None) -> None:
        super().__init__(name)
        # Where a function of the same name hides the file in Paddle, as at `paddle.tensor`.
        self.function = function
        if function is not None:
            self.__signature__ = inspect.signature(function)
        # Folders and files alike: what lies below is asked for by its full name.
        self.__path__ = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function that has the module's name."""
        if self.function is None:
            raise TypeError(f"module {self.__name__!r} is not callable")
        return self.function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if f"{self.__name__}.{name}".partition(".")[2] in _INNER:
            return importlib.import_module(f"{self.__name__}.{name}")
        if self.function is not None and name == self.__name__.rpartition(".")[2]:
            # The room above holds this module by that name, since it was imported.
            return self.function
        own = _OWN + "." + self.__name__.partition(".")[2]
        while own:
            room = sys.modules.get(own)
            if room is not None and name in vars(room):
                return vars(room)[name]
            own = own.rpartition(".")[0]
        if hasattr(proa, name):
            return getattr(proa, name)
        shelves = [sys.modules[f"{_OWN}.{room}"] for room in ("linalg", "nn", "nn.functional")]
        for shelf in (*shelves, proa.Tensor):
            if name in vars(shelf):
                return vars(shelf)[name]
        raise MissingAttributeError(
            f"{self.__name__}.{name}: {_OWN} has no {name!r} there, nor in the rooms above it",
            expected=f"a public name that {_OWN} has",
            fix="import it from the public room, such as paddle or paddle.nn",
        )


def inner_module(fullname: str) -> InnerModule | None:
    """Returns a stand-in for one of Paddle's inner modules, `None` for any other name.

    Args:
        fullname: the name, from `paddle.` on.
    """
    inner = fullname.partition(".")[2]
    if inner not in _INNER:
        return None
    room, _, name = f"{_OWN}.{inner}".rpartition(".")
    function = vars(sys.modules[room]).get(name) if room in sys.modules else None
    return InnerModule(fullname, function if callable(function) else None)


def remove_inner_modules(room: ModuleType) -> None:
    """Takes off a room what importing its inner modules has left there.

    Args:
        room: the module of Proa.
    """
    for name, value in list(vars(room).items()):
        if isinstance(value, InnerModule):
            delattr(room, name)
            if value.function is not None:
                setattr(room, name, value.function)


def name_from_above(room: str, name: str) -> Any:
    """Returns what Paddle's `framework` has besides its own names: those of the top; or `None`.

    Args:
        room: the room's full name in Proa.
        name: the name.
    """
    # Not what the top has loaded so far: it loads rooms when their names are asked for.
    return getattr(proa, name, None) if room == f"{_OWN}.framework" else None
