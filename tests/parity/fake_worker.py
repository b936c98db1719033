"""A worker that ends, hangs or answers as its task says."""

from __future__ import annotations

import os
import time

from parity._worker import serve


def load():
    def handle(task):
        print("noise on the output must not reach the pipe")
        if task == "crash":
            os._exit(11)
        if task == "hang":
            time.sleep(60)
        if task == "work":
            end = time.process_time() + 1.2
            while time.process_time() < end:
                pass
        return {"status": "ok", "task": task, "pid": os.getpid()}

    return handle


if __name__ == "__main__":
    serve(load)
