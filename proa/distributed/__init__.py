"""Distributed room: meshes and the marks that lay tensors over them."""

from ._data_parallel import DataParallel as DataParallel
from ._mesh import Placement as Placement
from ._mesh import ProcessMesh as ProcessMesh
from ._mesh import Replicate as Replicate
from ._mesh import Shard as Shard
from ._mesh import get_mesh as get_mesh
from ._mesh import set_mesh as set_mesh
from ._shard import ShardDataloader as ShardDataloader
from ._shard import dtensor_from_fn as dtensor_from_fn
from ._shard import get_rank as get_rank
from ._shard import get_world_size as get_world_size
from ._shard import reshard as reshard
from ._shard import shard_dataloader as shard_dataloader
from ._shard import shard_layer as shard_layer
from ._shard import shard_tensor as shard_tensor
from ._shard import unshard_dtensor as unshard_dtensor
