"""Model room: training, evaluation and prediction in one call, callbacks, checkpoints."""

from ._checkpoint import Checkpoint as Checkpoint
from ._checkpoint import list_checkpoints as list_checkpoints
from ._checkpoint import read_checkpoint as read_checkpoint
from ._checkpoint import read_newest as read_newest
from ._checkpoint import write_checkpoint as write_checkpoint
from ._flops import flops as flops
from ._model import Model as Model
from ._summary import summary as summary
