"""Static nn room: branches and loops on tensors, as functions."""

from ._control_flow import case as case
from ._control_flow import cond as cond
from ._control_flow import switch_case as switch_case
from ._control_flow import while_loop as while_loop
