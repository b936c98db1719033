"""Small archives in the form that the data sets' authors publish theirs."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
from PIL import Image

PIXELS = np.add.outer(np.arange(8) * 20, np.arange(10) * 10).astype("uint8")


def write(path: Path, members: dict[str, bytes], mode: str) -> Path:
    """Writes a tar archive; `mode` is that of `tarfile.open`."""
    with tarfile.open(path, mode) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def picture(shade: int, form: str) -> bytes:
    """An image file whose values begin with `shade`."""
    stream = io.BytesIO()
    pixels = PIXELS + np.uint8(shade)
    image = Image.fromarray(pixels if form == "PNG" else np.stack([pixels] * 3, -1))
    (image.convert("P") if form == "PNG" else image).save(stream, form)
    return stream.getvalue()
