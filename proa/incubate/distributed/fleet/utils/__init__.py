"""Tools for files of programs, which refuse."""

from ._programs import check_pruned_program_vars as check_pruned_program_vars
from ._programs import check_saved_vars_try_dump as check_saved_vars_try_dump
from ._programs import graphviz as graphviz
from ._programs import load_program as load_program
from ._programs import parse_program as parse_program
from ._programs import program_type_trans as program_type_trans
from ._programs import save_program as save_program
