"""Jit room: functions compiled whole, and models in files."""

from ._export import record as record
from ._export import record_artifact as record_artifact
from ._export import save as save
from ._interface import Interface as Interface
from ._interface import largest_difference as largest_difference
from ._load import TranslatedLayer as TranslatedLayer
from ._load import load as load
from ._pipeline import Pipeline as Pipeline
from ._static_function import Explanation as Explanation
from ._static_function import StaticFunction as StaticFunction
from ._static_function import Variant as Variant
from ._static_function import enable_to_static as enable_to_static
from ._static_function import to_static as to_static
from ._switches import ignore_module as ignore_module
from ._switches import not_to_static as not_to_static
from ._switches import set_code_level as set_code_level
from ._switches import set_verbosity as set_verbosity
