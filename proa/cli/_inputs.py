"""Files on the command line as inputs of a model: arrays, JSON, images."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from proa.core import InvalidArgumentError, NotFoundError, as_dtype

_ARRAYS = {".npy", ".npz", ".json"}


@dataclass(frozen=True)
class ImageOptions:
    """How images become arrays, for a model that does not say so itself.

    Attributes:
        size: height and width to resize to.
        mean: per channel, subtracted after scaling to 0..1.
        std: per channel, divided by after that.
        bgr: channels in the order blue, green, red.
    """

    size: tuple[int, int] | None = None
    mean: tuple[float, ...] | None = None
    std: tuple[float, ...] | None = None
    bgr: bool = False


def read_requests(
    files: Sequence[Path], entries: Sequence[dict[str, Any]], options: ImageOptions
) -> list[tuple[str, list[Any]]]:
    """Reads files as requests: what each is called, and an array per input.

    An `.npz` or `.json` with names is one request; so is an image or `.npy` for a model with one
    input; for a model with several inputs, as many `.npy` files are one request.

    Args:
        files: the files.
        entries: the manifest's inputs.
        options: how images become arrays.

    Raises:
        NotFoundError: no such file.
        InvalidArgumentError: a file that is none of these, or the wrong number of them.
    """
    if all(file.suffix.lower() == ".npy" for file in files) and len(entries) > 1:
        _check_count(files, entries)
        return [(", ".join(f.name for f in files), [_load(f) for f in files])]
    requests = []
    for file in files:
        if file.suffix.lower() in _ARRAYS:
            requests.append((file.name, _named(_load(file), file, entries)))
        else:
            _check_count([file], entries)
            requests.append((file.name, [_image(file, entries[0], options)]))
    return requests


def _check_count(files: Sequence[Path], entries: Sequence[dict[str, Any]]) -> None:
    if len(files) != len(entries):
        raise InvalidArgumentError(
            f"{len(files)} file(s) for a model with {len(entries)} inputs",
            expected="a file per input: " + ", ".join(entry["name"] for entry in entries),
            fix="put the inputs into one .npz, by name",
        )


def _load(file: Path) -> Any:
    if not file.is_file():
        raise NotFoundError(
            f"no file at {str(file)!r}",
            expected="an .npy, .npz, .json or image file",
            fix="check the path",
        )
    try:
        if file.suffix.lower() == ".json":
            return json.loads(file.read_text())
        loaded = np.load(file, allow_pickle=False)
        return dict(loaded) if file.suffix.lower() == ".npz" else loaded
    except (ValueError, OSError, EOFError) as error:
        raise InvalidArgumentError(
            f"{str(file)!r} cannot be read: {error}",
            expected="arrays without Python objects, or JSON",
            fix="write it again with numpy.save, numpy.savez or json.dump",
        ) from error


def _named(content: Any, file: Path, entries: Sequence[dict[str, Any]]) -> list[Any]:
    names = [entry["name"] for entry in entries]
    if isinstance(content, dict):
        if len(content) == 1 and len(names) == 1 and names[0] not in content:
            content = {names[0]: next(iter(content.values()))}
        if set(content) != set(names):
            raise InvalidArgumentError(
                f"{file.name} holds {sorted(content)}",
                expected=f"exactly the inputs {names}",
                fix="name the arrays after the inputs",
            )
        given = [content[name] for name in names]
    elif len(names) == 1:
        given = [content]
    else:
        raise InvalidArgumentError(
            f"{file.name} holds one array",
            expected=f"an array for each of {names}",
            fix="write an object with these names",
        )
    # JSON has numbers and no dtypes: they take those of the model.
    return [
        value if isinstance(value, np.ndarray) else np.array(value, as_dtype(entry["dtype"]).numpy)
        for value, entry in zip(given, entries, strict=True)
    ]


def _image(file: Path, entry: dict[str, Any], options: ImageOptions) -> np.ndarray:
    from PIL import Image, UnidentifiedImageError

    if not file.is_file():
        _load(file)
    shape, dtype = entry["shape"], entry["dtype"]
    rows = len(shape) == 4
    pixels_first = len(shape) in (3, 4) and shape[-1] in (1, 3)
    channels = shape[-1] if pixels_first else shape[-3] if len(shape) in (3, 4) else None
    if channels not in (1, 3):
        raise InvalidArgumentError(
            f"an image for the input `{entry['name']}` of shape {shape}",
            expected="an input with 1 or 3 channels, such as [batch, 3, 224, 224]",
            fix="write the array to an .npy file",
        )
    height, width = shape[-3:-1] if pixels_first else shape[-2:]
    try:
        with Image.open(file) as opened:
            image = opened.convert("L" if channels == 1 else "RGB")
    except (UnidentifiedImageError, OSError) as error:
        raise InvalidArgumentError(
            f"{str(file)!r} is no image: {error}",
            expected="an .npy, .npz, .json or image file",
            fix="convert it",
        ) from error
    size = options.size or (
        height if isinstance(height, int) else image.height,
        width if isinstance(width, int) else image.width,
    )
    if size != (image.height, image.width):
        image = image.resize((size[1], size[0]), Image.Resampling.BILINEAR)
    pixels = np.asarray(image).reshape(*size, channels)
    if options.bgr:
        pixels = pixels[..., ::-1]
    pixels = _scaled(pixels, dtype, options)
    made = pixels if pixels_first else pixels.transpose(2, 0, 1)
    return np.ascontiguousarray(made[None] if rows else made)


def _scaled(pixels: np.ndarray, dtype: str, options: ImageOptions) -> np.ndarray:
    """Raw numbers for an integer input, else 0..1 with mean and deviation taken out."""
    wanted = as_dtype(dtype).numpy
    if np.dtype(wanted).kind in "iu":
        if options.mean or options.std:
            raise InvalidArgumentError(
                f"--mean or --std for an input of {dtype}",
                expected="an input of floats",
                fix="leave them out: the model takes raw pixels",
            )
        return pixels.astype(wanted)
    made = pixels.astype(np.float32) / 255
    for values, apply in ((options.mean, np.subtract), (options.std, np.divide)):
        if values is not None:
            if len(values) not in (1, pixels.shape[-1]):
                raise InvalidArgumentError(
                    f"{len(values)} numbers for {pixels.shape[-1]} channels",
                    expected="one number, or one per channel",
                    fix="write --mean 0.485,0.456,0.406",
                )
            made = apply(made, np.asarray(values, np.float32))
    return made.astype(wanted)
