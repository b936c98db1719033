"""Compat room: the import name `paddle` made to mean Proa."""

from ._alias import install as install
from ._alias import is_installed as is_installed
from ._alias import uninstall as uninstall
from ._run import run_module as run_module
from ._run import run_script as run_script
