"""Files of models that are spread over devices."""

from . import io as io
