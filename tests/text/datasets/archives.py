"""Archives made for a test."""

from __future__ import annotations

import io
import tarfile


def pack(path, files):
    """Writes a gzipped archive of names and contents."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path
