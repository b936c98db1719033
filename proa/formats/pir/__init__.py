"""Programs of Proa as Paddle's newer Programs (`.json` with `.pdiparams`)."""

from ._write import check_format as check_format
from ._write import write_paddle as write_paddle
