"""Hub room: models from a folder with a `hubconf.py`."""

from ._local import help as help
from ._local import list as list
from ._local import load as load
from ._local import load_state_dict_from_url as load_state_dict_from_url
