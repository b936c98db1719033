"""`proa serve`: a folder of models as a service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proa import serving


def serve(
    folder: Annotated[
        Path, typer.Argument(metavar="MODELS_DIR", help="Holds NAME/VERSION/model.proa.")
    ],
    port: Annotated[int, typer.Option(help="Where to listen; 0 takes a free one.")] = 8000,
) -> None:
    """Serve models on the loopback address by the Open Inference Protocol over HTTP."""
    serving.main([str(folder), "--port", str(port)])
