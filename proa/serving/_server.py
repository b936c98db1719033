"""The server process: a port, and the application behind it."""

from __future__ import annotations

import argparse
import socket
import threading
from pathlib import Path
from typing import Any

from proa.core import MissingModuleError, PreconditionError

from ._http import make_app
from ._repository import Repository
from ._service import Service

_HOST = "127.0.0.1"
_SECONDS = 30


class Server:
    """Serves a folder of models on the loopback address, from a thread, inside `with`.

    Args:
        folder: the models, as `Repository` takes them.
        port: where to listen; 0 takes a free one.

    Raises:
        NotFoundError: there is no such folder.
        MissingModuleError: the extra `serve` is not installed.
        OSError: the port is taken.
    """

    def __init__(self, folder: str | Path, *, port: int = 0) -> None:
        self.repository = Repository(folder)
        uvicorn, app = _uvicorn(), make_app(Service(self.repository))
        self._socket = socket.create_server((_HOST, port))
        self.address = f"{_HOST}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            app,
            log_level="warning",
            timeout_graceful_shutdown=_SECONDS,
        )
        self._uvicorn = uvicorn.Server(config)
        self._thread = threading.Thread(target=self.run, name="proa-serving", daemon=True)

    def run(self) -> None:
        """Answers until the process is told to end; requests in flight are answered."""
        self._uvicorn.run(sockets=[self._socket])

    def __enter__(self) -> Server:
        try:
            self.repository.load_all()
        except BaseException:
            self._socket.close()
            raise
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._uvicorn.should_exit = True
        self._thread.join(_SECONDS + 5)
        self._socket.close()
        if self._thread.is_alive():
            raise PreconditionError(
                f"the server did not stop in {_SECONDS + 5} s",
                expected="requests that end",
                fix="end the process",
            )


def _uvicorn() -> Any:
    try:
        import uvicorn
    except ImportError as error:
        raise MissingModuleError(
            "serving needs the package uvicorn",
            expected="the extra `serve`",
            fix="pip install 'proa[serve]'",
        ) from error
    return uvicorn


def main(arguments: list[str] | None = None) -> None:
    """`python -m proa.serving MODELS_DIR [--port 8000]`: serves until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m proa.serving", description=__doc__)
    parser.add_argument("folder", metavar="MODELS_DIR", help="holds NAME/VERSION/model.proa")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    options = parser.parse_args(arguments)
    server = Server(options.folder, port=options.port)
    server.repository.load_all()
    for line in server.repository.index():
        state = "ready" if line.ready else "refused"
        print(f"{line.name} {line.version} {state} {line.reason}".rstrip(), flush=True)
    print(f"listening on http://{server.address}", flush=True)
    server.run()
