"""The Open Inference Protocol over HTTP: an adapter, which decides nothing by itself."""

from __future__ import annotations

import functools
import logging
from types import SimpleNamespace
from typing import Any

from proa.core import (
    InvalidArgumentError,
    InvalidTypeError,
    MissingModuleError,
    OutOfRangeError,
    PreconditionError,
    ProaError,
    UnknownNameError,
)
from proa.version import full_version

from ._datatypes import datatype_of
from ._repository import Version
from ._service import Service
from ._wire import read_request, write_response

_HEADER_LENGTH = "Inference-Header-Content-Length"
_EXTENSIONS = ["binary_tensor_data", "model_repository", "statistics"]
# What a request can be wrong in; anything else that Proa raises is the server's trouble.
_CLIENT = (InvalidArgumentError, InvalidTypeError, OutOfRangeError)
_log = logging.getLogger("proa.serving")


@functools.cache
def starlette() -> SimpleNamespace:
    """Returns what is used of Starlette.

    Raises:
        MissingModuleError: it is not installed.
    """
    try:
        from starlette.applications import Starlette
        from starlette.concurrency import run_in_threadpool
        from starlette.exceptions import HTTPException
        from starlette.responses import JSONResponse, Response
        from starlette.routing import Route
    except ImportError as error:
        raise MissingModuleError(
            "serving needs the package starlette",
            expected="the extra `serve`",
            fix="pip install 'proa[serve]'",
        ) from error
    return SimpleNamespace(
        Starlette=Starlette,
        Route=Route,
        HTTPException=HTTPException,
        JSONResponse=JSONResponse,
        Response=Response,
        run_in_threadpool=run_in_threadpool,
    )


class _Adapter:
    def __init__(self, service: Service, body_limit: int) -> None:
        self._service = service
        self._body_limit = body_limit
        self._web = starlette()

    async def live(self, request: Any) -> Any:
        return self._web.Response()

    async def all_ready(self, request: Any) -> Any:
        refused = [line for line in self._service.repository.index() if line.reason]
        text = "; ".join(f"{line.name} {line.version}: {line.reason}" for line in refused)
        return self._web.Response(text, 503 if refused else 200)

    async def server(self, request: Any) -> Any:
        return self._web.JSONResponse(
            {"name": "proa", "version": full_version, "extensions": _EXTENSIONS}
        )

    async def ready(self, request: Any) -> Any:
        self._find(request)
        return self._web.Response()

    async def model(self, request: Any) -> Any:
        return self._web.JSONResponse(_metadata(self._find(request), self._service))

    async def statistics(self, request: Any) -> Any:
        repository = self._service.repository
        if "version" in request.path_params:
            versions = [self._find(request)]
        elif "name" in request.path_params:
            versions = repository.versions(self._find(request).name)
        else:
            versions = [v for name in repository.names() for v in repository.versions(name)]
        return self._web.JSONResponse(
            {"model_stats": [_statistics(version) for version in versions]}
        )

    async def index(self, request: Any) -> Any:
        lines = await self._web.run_in_threadpool(self._service.repository.index)
        return self._web.JSONResponse(
            [
                {
                    "name": line.name,
                    "version": line.version,
                    "state": "READY" if line.ready else "UNAVAILABLE",
                    "reason": line.reason,
                }
                for line in lines
            ]
        )

    async def load(self, request: Any) -> Any:
        await self._web.run_in_threadpool(
            self._service.repository.load, request.path_params["name"]
        )
        return self._web.Response()

    async def unload(self, request: Any) -> Any:
        await self._web.run_in_threadpool(
            self._service.repository.unload, request.path_params["name"]
        )
        return self._web.Response()

    async def infer(self, request: Any) -> Any:
        if request.headers.get("Content-Encoding", "identity") != "identity":
            raise self._web.HTTPException(415, "Content-Encoding: compressed requests are not read")
        body = await self._body(request)
        path = request.path_params
        length = request.headers.get(_HEADER_LENGTH)
        return await self._web.run_in_threadpool(
            self._infer, path["name"], path.get("version", ""), body, length
        )

    def _infer(self, name: str, version: str, body: bytes, length: str | None) -> Any:
        asked, header = read_request(name, version, body, length)
        answer, header_length = write_response(self._service.infer(asked), header)
        if header_length is None:
            return self._web.Response(answer, media_type="application/json")
        headers = {_HEADER_LENGTH: str(header_length)}
        return self._web.Response(answer, media_type="application/octet-stream", headers=headers)

    async def _body(self, request: Any) -> bytes:
        chunks, size = [], 0
        async for chunk in request.stream():
            size += len(chunk)
            if size > self._body_limit:
                raise self._web.HTTPException(
                    413, f"the body has more than {self._body_limit} bytes"
                )
            chunks.append(chunk)
        return b"".join(chunks)

    def _find(self, request: Any) -> Version:
        path = request.path_params
        return self._service.repository.find(path["name"], path.get("version", ""))

    async def refuse(self, request: Any, error: Exception) -> Any:
        if isinstance(error, UnknownNameError):
            status = 404
        elif isinstance(error, _CLIENT):
            status = 400
        else:
            # A version that was refused is no fault of the server.
            status = 409 if isinstance(error, PreconditionError) else 500
        if status == 500:
            _log.error("%s failed", request.url.path, exc_info=error)
        return self._web.JSONResponse({"error": str(error)}, status)

    async def refuse_http(self, request: Any, error: Any) -> Any:
        return self._web.JSONResponse({"error": str(error.detail)}, error.status_code)

    async def fail(self, request: Any, error: Exception) -> Any:
        _log.error("%s failed", request.url.path, exc_info=error)
        text = f"the server failed: {type(error).__name__}"
        return self._web.JSONResponse({"error": text}, 500)


def make_app(service: Service, *, body_limit: int = 64 * 2**20) -> Any:
    """Returns the ASGI application of a service.

    Args:
        service: what answers.
        body_limit: largest body of a request, in bytes.

    Raises:
        MissingModuleError: the extra `serve` is not installed.
    """
    adapter = _Adapter(service, body_limit)
    model = "/v2/models/{name}"
    routes = [
        _route("GET", "/v2", adapter.server),
        _route("GET", "/v2/health/live", adapter.live),
        _route("GET", "/v2/health/ready", adapter.all_ready),
        _route("GET", "/v2/models/stats", adapter.statistics),
        _route("POST", "/v2/repository/index", adapter.index),
        _route("POST", "/v2/repository/models/{name}/load", adapter.load),
        _route("POST", "/v2/repository/models/{name}/unload", adapter.unload),
    ]
    for path in (model, f"{model}/versions/{{version}}"):
        routes += [
            _route("GET", path, adapter.model),
            _route("GET", f"{path}/ready", adapter.ready),
            _route("GET", f"{path}/stats", adapter.statistics),
            _route("POST", f"{path}/infer", adapter.infer),
        ]
    web = starlette()
    handlers: dict[Any, Any] = {
        ProaError: adapter.refuse,
        web.HTTPException: adapter.refuse_http,
        Exception: adapter.fail,
    }
    return web.Starlette(routes=routes, exception_handlers=handlers)


def _route(method: str, path: str, answer: Any) -> Any:
    return starlette().Route(path, answer, methods=[method])


def _metadata(version: Version, service: Service) -> dict[str, Any]:
    manifest = version.predictor.manifest
    numbers = [str(known.number) for known in service.repository.versions(version.name)]
    return {
        "name": version.name,
        "versions": numbers,
        "platform": "proa",
        "inputs": [_spec(entry) for entry in manifest["inputs"]],
        "outputs": [_spec(entry) for entry in manifest["outputs"]],
    }


def _spec(entry: dict[str, Any]) -> dict[str, Any]:
    shape = [extent if isinstance(extent, int) else -1 for extent in entry["shape"]]
    return {"name": entry["name"], "datatype": datatype_of(entry["dtype"]), "shape": shape}


def _statistics(version: Version) -> dict[str, Any]:
    totals = version.statistics.totals
    passed = {"count": totals.succeeded, "ns": totals.success_time}
    return {
        "name": version.name,
        "version": str(version.number),
        "last_inference": totals.last_milliseconds,
        "inference_count": totals.rows,
        "execution_count": totals.succeeded,
        "inference_stats": {
            "success": passed,
            "fail": {"count": totals.failed, "ns": totals.failure_time},
        },
    }
