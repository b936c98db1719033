"""Two processes of which one does not come; run by test_watch.py."""

from __future__ import annotations

import time

import proa
import proa.distributed as dist


def where_it_stands():
    time.sleep(6)


group = dist.init_parallel_env()
x = proa.ones([2])
dist.all_reduce(x)
if dist.get_rank() == 1:
    where_it_stands()
dist.barrier()
print("both came")
