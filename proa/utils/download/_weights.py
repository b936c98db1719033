"""Files of weights, by the URL that they were published under."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from urllib.parse import unquote, urlparse

from proa.core._errors import InvalidArgumentError, NotFoundError


def weight_folders() -> list[Path]:
    """Returns where files of weights are looked for, in that order."""
    folders = [Path.home() / ".cache" / "paddle" / "hapi" / "weights"]
    wanted = os.environ.get("PROA_DATA")
    return [Path(wanted) / "weights", *folders] if wanted else folders


def get_weights_path_from_url(url: str, md5sum: str | None = None) -> str:
    """Returns the path of a file of weights on this machine; nothing is downloaded.

    Args:
        url: where it was published; the last part is its name. A `file:` URL or a path is the
            file itself.
        md5sum: MD5 of its bytes, as hexadecimal digits; not compared when it is `None`.

    Raises:
        NotFoundError: the file is in none of the folders.
        InvalidArgumentError: its MD5 is another one.

    Differs: Paddle downloads the file.
    """
    parts = urlparse(url)
    name = Path(unquote(parts.path)).name
    paths = [folder / name for folder in weight_folders()]
    if parts.scheme in ("", "file"):
        paths = [Path(unquote(parts.path))]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise NotFoundError(
            f"the file of weights {name!r} is not on this machine",
            expected="one of " + ", ".join(str(path) for path in paths),
            fix=f"fetch {url} and put it there; nothing is downloaded",
        )
    if md5sum is not None and _md5(path) != md5sum.lower():
        raise InvalidArgumentError(
            f"the file {str(path)!r} has the MD5 {_md5(path)}",
            expected=md5sum,
            fix="fetch the file again, or leave `md5sum` out",
        )
    return str(path)


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
