"""Serving room: a folder of models as a service that speaks the Open Inference Protocol."""

from ._repository import Repository as Repository
from ._server import Server as Server
from ._server import main as main
from ._service import Service as Service
