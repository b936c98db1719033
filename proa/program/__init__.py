"""Program room: Values, Calls, Programs, the recorder, and what reads and checks them."""

from ._dims import bind_sizes as bind_sizes
from ._dims import evaluate_dimension as evaluate_dimension
from ._dims import format_shape as format_shape
from ._dims import has_dimension as has_dimension
from ._dims import make_dimension as make_dimension
from ._dims import substitute as substitute
from ._input_spec import InputSpec as InputSpec
from ._program import Call as Call
from ._program import Program as Program
from ._program import ProgramOp as ProgramOp
from ._program import TapeGradient as TapeGradient
from ._program import Value as Value
from ._program import prune as prune
from ._recorder import Argument as Argument
from ._recorder import AttributeOf as AttributeOf
from ._recorder import GradientOf as GradientOf
from ._recorder import NeedsStatic as NeedsStatic
from ._recorder import Recorder as Recorder
from ._recorder import State as State
from ._recorder import recording as recording
from ._serialise import program_from_dict as program_from_dict
from ._serialise import program_to_dict as program_to_dict
from ._stepwise import run_stepwise as run_stepwise
from ._verify import verify as verify
