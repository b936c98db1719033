"""Models that Paddle has saved, in both forms of Programs, as artifacts of Proa."""

from ._graph import refuse as refuse
from ._read import PROGRAM_ENDINGS as PROGRAM_ENDINGS
from ._read import as_path as as_path
from ._read import paddle_ops as paddle_ops
from ._read import program_candidates as program_candidates
from ._read import read_paddle as read_paddle
