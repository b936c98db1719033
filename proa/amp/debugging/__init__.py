"""Finding what goes wrong in low precision: checks of numbers, counts of ops, comparisons."""

from ._checker import TensorCheckerConfig as TensorCheckerConfig
from ._checker import disable_tensor_checker as disable_tensor_checker
from ._checker import enable_tensor_checker as enable_tensor_checker
from ._compare import compare_accuracy as compare_accuracy
from ._numerics import DebugMode as DebugMode
from ._numerics import check_layer_numerics as check_layer_numerics
from ._numerics import check_numerics as check_numerics
from ._operator_stats import collect_operator_stats as collect_operator_stats
from ._operator_stats import (
    disable_operator_stats_collection as disable_operator_stats_collection,
)
from ._operator_stats import (
    enable_operator_stats_collection as enable_operator_stats_collection,
)
