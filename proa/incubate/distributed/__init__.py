"""What Paddle keeps beside `paddle.distributed`."""

from . import fleet as fleet
from . import utils as utils
