"""Files that others fetch from the network, and Proa takes from this machine."""

from ._weights import get_weights_path_from_url as get_weights_path_from_url
from ._weights import weight_folders as weight_folders
