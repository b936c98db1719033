"""The artifact file: one zip of Programs, weights, golden samples and a manifest.

Nothing in it can execute code: JSON and safetensors only. The zip's comment holds the
SHA-256 of everything before it, so one altered or missing byte is noticed.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from proa.core import (
    ArtifactError,
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    describe_array,
)
from proa.framework import pack_arrays, replace_file, unpack_arrays
from proa.program import Program, program_from_dict, program_to_dict, verify

FORMAT = 1
#: The Programs that an artifact may hold, in the order in which they run.
ROLES = ("preprocess", "main", "postprocess")
_MARK = b"proa-sha256:"
_COMMENT_LENGTH = len(_MARK) + 64


@dataclass
class Artifact:
    """What an artifact file holds.

    Attributes:
        programs: by role: `main`, and optionally `preprocess` and `postprocess`.
        weights: arrays by name; `captures` in the manifest says which Program reads which.
        golden: arrays `<sample>/input/<i>` and `<sample>/output/<i>`.
        manifest: versions, input and output specs, captures per Program, lineage.
    """

    programs: dict[str, Program]
    weights: dict[str, np.ndarray]
    golden: dict[str, np.ndarray] = field(default_factory=dict)
    manifest: dict[str, Any] = field(default_factory=dict)


def artifact_path(path: Any) -> Path:
    """Returns the file that a path given by a user means (`.proa` is added)."""
    if not isinstance(path, str | os.PathLike):
        raise InvalidTypeError(
            f"`path` is {path!r} ({type(path).__name__})"[:200],
            expected="a file path",
            fix="write 'out/model'",
        )
    text = os.fspath(path)
    if not text or text.endswith(("/", os.sep)):
        raise InvalidArgumentError(
            f"`path` is {text!r}", expected="a file path prefix", fix="write 'out/model'"
        )
    return Path(text if text.endswith(".proa") else text + ".proa")


def write_artifact(artifact: Artifact, path: Any) -> Path:
    """Writes an artifact under a temporary name and moves it into place.

    Returns:
        The path written.
    """
    target = artifact_path(path)
    programs, constants = {}, {}
    for role, program in artifact.programs.items():
        programs[role], arrays = program_to_dict(program)
        constants.update({f"{role}/{name}": a for name, a in arrays.items()})
    members = {
        "program.json": json.dumps(programs).encode(),
        "constants.safetensors": pack_arrays(constants),
        "weights.safetensors": pack_arrays(artifact.weights),
        "golden.safetensors": pack_arrays(artifact.golden),
    }
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
    manifest = {**artifact.manifest, "format": FORMAT, "sha256": hashes}
    members["manifest.json"] = json.dumps(manifest, indent=2, sort_keys=True).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            # A fixed date makes equal models equal files.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), members[name])
        archive.comment = _MARK + b"0" * 64
    body = buffer.getvalue()[:-_COMMENT_LENGTH]
    digest = hashlib.sha256(body).hexdigest().encode()
    with replace_file(target) as temporary:
        temporary.write_bytes(body + _MARK + digest)
    return target


def _refuse(path: Path, what: str) -> ArtifactError:
    return ArtifactError(
        f"artifact {str(path)!r} {what}",
        expected="the file exactly as jit.save wrote it",
        fix="copy or export it again",
    )


def read_artifact(path: Any) -> Artifact:
    """Reads an artifact, checking its hash first.

    Raises:
        NotFoundError: no such file.
        ArtifactError: truncated, altered, or of another format.
    """
    content = artifact_content(path)
    try:
        return _parse(content)
    except ArtifactError:
        raise
    except Exception as error:
        # The hash fits, so somebody wrote it that way: whatever is odd about it.
        what = f"cannot be read: {type(error).__name__}: {error}"
        raise _refuse(artifact_path(path), what) from error


def artifact_content(path: Any) -> bytes:
    """Returns an artifact's bytes, once they were found to be those that were written.

    Raises:
        NotFoundError: no such file.
        ArtifactError: truncated or altered.
    """
    source = _found(path)
    content = source.read_bytes()
    # A view: the body of a large model is not copied to be hashed.
    body, comment = memoryview(content)[:-_COMMENT_LENGTH], content[-_COMMENT_LENGTH:]
    _compare(source, hashlib.sha256(body), comment)
    return content


def check_artifact(path: Any) -> None:
    """Compares an artifact's bytes with its hash, and keeps nothing of them.

    Raises:
        NotFoundError: no such file.
        ArtifactError: truncated or altered.
    """
    source = _found(path)
    digest, left = hashlib.sha256(), max(source.stat().st_size - _COMMENT_LENGTH, 0)
    buffer = bytearray(2**18)
    with source.open("rb", buffering=0) as file:
        while left and (read := file.readinto(memoryview(buffer)[: min(left, len(buffer))])):
            digest.update(memoryview(buffer)[:read])
            left -= read
        _compare(source, digest, file.read())


def _found(path: Any) -> Path:
    source = artifact_path(path)
    if not source.is_file():
        raise NotFoundError(
            f"no artifact at {str(source)!r}",
            expected="a .proa file written by proa.jit.save",
            fix="check the path; jit.save(layer, 'out/model') writes out/model.proa",
        )
    return source


def _compare(source: Path, digest: Any, comment: bytes) -> None:
    if not comment.startswith(_MARK):
        raise _refuse(source, "is truncated or not a Proa artifact")
    if digest.hexdigest().encode() != comment[len(_MARK) :]:
        raise _refuse(source, "was altered: its SHA-256 does not match")


def _arrays(members: dict[str, memoryview], name: str) -> dict[str, np.ndarray]:
    return unpack_arrays(members[f"{name}.safetensors"], f"member {name!r} of the artifact")[0]


def _member(content: bytes, info: zipfile.ZipInfo) -> memoryview:
    """A member's bytes in place: the hash of the whole has shown that they are intact."""
    # A local header is 30 bytes, the last four of them the lengths of a name and an extra field.
    lengths = struct.unpack_from("<HH", content, info.header_offset + 26)
    start = info.header_offset + 30 + sum(lengths)
    return memoryview(content)[start : start + info.file_size]


def _parse(content: bytes) -> Artifact:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if any(info.compress_type != zipfile.ZIP_STORED for info in archive.infolist()):
            raise ValueError("its members are compressed")
        members = {info.filename: _member(content, info) for info in archive.infolist()}
    manifest = json.loads(bytes(members["manifest.json"]))
    if manifest.get("format") != FORMAT:
        raise ArtifactError(
            f"an artifact of format {manifest.get('format')!r}",
            expected=f"format {FORMAT}",
            fix="load it with the Proa version that wrote it, or a newer one",
        )
    constants = _arrays(members, "constants")
    programs = {}
    for role, data in json.loads(bytes(members["program.json"])).items():
        prefix = f"{role}/"
        own = {n.removeprefix(prefix): a for n, a in constants.items() if n.startswith(prefix)}
        programs[role] = verify(program_from_dict(data, own), trace=False)
    artifact = Artifact(programs, _arrays(members, "weights"), _arrays(members, "golden"), manifest)
    _check(artifact)
    return artifact


def _check(artifact: Artifact) -> None:
    """Compares the manifest with Programs and weights.

    Raises:
        ValueError: they do not belong together.
    """
    manifest, programs = artifact.manifest, artifact.programs
    roles = {role for role in programs if not role.startswith("method:")}
    if "main" not in roles or not roles <= {*ROLES}:
        raise ValueError(f"its Programs are {sorted(programs)}")
    for role, program in programs.items():
        names = manifest["captures"][role]
        if len(names) != len(program.captures):
            raise ValueError(f"{role} captures {len(program.captures)} arrays, named are {names}")
        for name, value in zip(names, program.captures, strict=True):
            held = artifact.weights[name]
            if (held.shape, held.dtype) != (value.shape, value.dtype):
                raise ValueError(f"weight {name!r} is {describe_array(held)}, not {value}")
    first, last = ([programs[r] for r in ROLES if r in programs][i] for i in (0, -1))
    for kind, values in (("inputs", first.inputs), ("outputs", last.outputs)):
        recorded = [[str(v.dtype), [str(extent) for extent in v.shape]] for v in values]
        written = [[e["dtype"], [str(extent) for extent in e["shape"]]] for e in manifest[kind]]
        if recorded != written or not all(isinstance(e["name"], str) for e in manifest[kind]):
            raise ValueError(f"its {kind} are {written}, those of its Programs {recorded}")
