"""Launch room: several processes of one script; `python -m proa.distributed.launch --help`."""

from ._job import Job as Job
from ._job import free_endpoints as free_endpoints
from ._job import launch as launch
from ._job import worker_environment as worker_environment
