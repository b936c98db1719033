"""Data sets of text, ratings and house prices, read from local files."""

from ._conll05 import Conll05st as Conll05st
from ._imdb import Imdb as Imdb
from ._imikolov import Imikolov as Imikolov
from ._movielens import Movielens as Movielens
from ._uci_housing import UCIHousing as UCIHousing
from ._wmt14 import WMT14 as WMT14
from ._wmt16 import WMT16 as WMT16
