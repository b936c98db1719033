"""Static room: Programs that are built op by op, and what runs, saves and loads them."""

from proa.program import InputSpec as InputSpec

from . import nn as nn
from ._backward import append_backward as append_backward
from ._backward import gradients as gradients
from ._executor import CompiledProgram as CompiledProgram
from ._executor import Executor as Executor
from ._files import load as load
from ._files import load_inference_model as load_inference_model
from ._files import load_program_state as load_program_state
from ._files import normalize_program as normalize_program
from ._files import save as save
from ._files import save_inference_model as save_inference_model
from ._files import set_program_state as set_program_state
from ._helpers import BuildStrategy as BuildStrategy
from ._helpers import accuracy as accuracy
from ._helpers import cpu_places as cpu_places
from ._helpers import create_global_var as create_global_var
from ._helpers import create_parameter as create_parameter
from ._helpers import device_guard as device_guard
from ._helpers import name_scope as name_scope
from ._mode import disable_static as disable_static
from ._mode import enable_static as enable_static
from ._program import Program as Program
from ._program import Variable as Variable
from ._program import data as data
from ._program import default_main_program as default_main_program
from ._program import default_startup_program as default_startup_program
from ._program import program_guard as program_guard
from ._scope import Scope as Scope
from ._scope import global_scope as global_scope
from ._scope import scope_guard as scope_guard
