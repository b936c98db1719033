"""Geometric room: segments, messages along edges, re-numbered and sampled graphs."""

from ._graph import reindex_graph as reindex_graph
from ._graph import reindex_heter_graph as reindex_heter_graph
from ._message import send_u_recv as send_u_recv
from ._message import send_ue_recv as send_ue_recv
from ._message import send_uv as send_uv
from ._sampling import sample_neighbors as sample_neighbors
from ._sampling import weighted_sample_neighbors as weighted_sample_neighbors
from ._segment import segment_max as segment_max
from ._segment import segment_mean as segment_mean
from ._segment import segment_min as segment_min
from ._segment import segment_sum as segment_sum
