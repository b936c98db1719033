"""Reading text in pictures: where it stands, which way up it is, what it says."""

from __future__ import annotations

from ._boxes import boxes_of_map as boxes_of_map
from ._boxes import reading_order as reading_order
from ._decode import decode_ctc as decode_ctc
from ._decode import read_alphabet as read_alphabet
from ._reader import Line as Line
from ._reader import TextReader as TextReader
