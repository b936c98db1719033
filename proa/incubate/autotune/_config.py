"""Settings of automatic tuning."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proa.core import InvalidArgumentError, InvalidTypeError, NotFoundError

#: Per part: the types of its settings.
_PARTS: dict[str, dict[str, type]] = {
    "kernel": {"enable": bool, "tuning_range": list},
    "layout": {"enable": bool},
    "dataloader": {"enable": bool, "tuning_steps": int},
}


def set_config(config: Mapping[str, Any] | str | None = None) -> None:
    """Checks settings of automatic tuning; there is nothing else to do with them.

    XLA chooses kernels and layouts itself, when it compiles, and a DataLoader has the number of
    workers that it was given.

    Args:
        config: settings by part (`"kernel"`, `"layout"`, `"dataloader"`), each with `"enable"`;
            or a JSON file of them; `None` for all parts enabled.

    Raises:
        NotFoundError: there is no such file.
        InvalidTypeError: neither a dict, a path nor `None`.
        InvalidArgumentError: an unknown part or setting, or a value of the wrong type.

    Examples:
        >>> import proa
        >>> proa.incubate.autotune.set_config({"kernel": {"enable": True, "tuning_range": [1, 5]}})
    """
    if isinstance(config, str):
        config = _read(Path(config))
    if config is None:
        return
    if not isinstance(config, Mapping):
        raise InvalidTypeError(
            f"`config` of `set_config` is a {type(config).__name__}",
            expected="a dict, the path of a JSON file, or None",
            fix='for example {"kernel": {"enable": True}}',
        )
    for part, settings in config.items():
        known = _PARTS.get(part, {})
        wrong = not isinstance(settings, Mapping) or any(
            key not in known or type(value) is not known[key] for key, value in settings.items()
        )
        if part not in _PARTS or wrong:
            raise InvalidArgumentError(
                f"part {part!r} of the tuning settings is {settings!r}",
                expected="; ".join(
                    f"{name}: " + ", ".join(f"{k} ({t.__name__})" for k, t in entries.items())
                    for name, entries in _PARTS.items()
                ),
                fix="correct the part",
            )


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NotFoundError(
            f"the tuning settings {str(path)!r} cannot be read",
            expected="a JSON file",
            fix="check the path, or pass a dict",
        ) from error
    except ValueError as error:
        raise InvalidArgumentError(
            f"the tuning settings {str(path)!r} are no JSON: {error}",
            expected="a JSON object",
            fix="correct the file",
        ) from error
