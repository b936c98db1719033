"""Tools for Paddle's files of programs, which refuse."""

from __future__ import annotations

from typing import Any

from proa.incubate.distributed._refuse import refuse

_LOAD = "read artifacts with proa.jit.load"
_SAVE = "write artifacts with proa.jit.save"


def load_program(model_filename: str, is_text: bool = False) -> Any:
    """Refuses: it reads a file of Paddle's own program format.

    Args:
        model_filename: the file.
        is_text: whether it is text.

    Raises:
        UnsupportedError: always.
    """
    refuse(f"load_program({model_filename!r})", _LOAD)


def save_program(program: Any, model_filename: str = "__model__", is_text: bool = False) -> None:
    """Refuses: it writes a file of Paddle's own program format.

    Args:
        program: a program.
        model_filename: the file.
        is_text: whether to write text.

    Raises:
        UnsupportedError: always.
    """
    refuse(f"save_program({model_filename!r})", _SAVE)


def program_type_trans(prog_dir: str, prog_fn: str, is_text: bool) -> str:
    """Refuses: it converts a file of Paddle's own program format.

    Args:
        prog_dir: folder.
        prog_fn: file.
        is_text: whether it is text.

    Raises:
        UnsupportedError: always.
    """
    refuse(f"program_type_trans({prog_fn!r})", _LOAD)


def parse_program(program: Any, output_dir: str) -> None:
    """Refuses: it prints a program of Paddle's own format.

    Args:
        program: a program.
        output_dir: folder.

    Raises:
        UnsupportedError: always.
    """
    refuse("parse_program(...)", "print a Program of proa.program instead")


def check_pruned_program_vars(train_prog: Any, pruned_prog: Any) -> bool:
    """Refuses: it compares programs of Paddle's own format.

    Args:
        train_prog: a program.
        pruned_prog: a program.

    Raises:
        UnsupportedError: always.
    """
    refuse("check_pruned_program_vars(...)", _SAVE)


def check_saved_vars_try_dump(
    dump_dir: str,
    dump_prog_fn: str,
    is_text_dump_program: bool,
    feed_config: Any,
    fetch_config: Any,
    batch_size: int = 1,
    save_filename: str | None = None,
) -> Any:
    """Refuses: it runs a saved program of Paddle's own format.

    Args:
        dump_dir: folder.
        dump_prog_fn: file.
        is_text_dump_program: whether it is text.
        feed_config: inputs.
        fetch_config: outputs.
        batch_size: size of the batch.
        save_filename: file of the parameters.

    Raises:
        UnsupportedError: always.
    """
    refuse(f"check_saved_vars_try_dump({dump_prog_fn!r})", "run artifacts with proa.inference")


def graphviz(block: Any, output_dir: str = "", filename: str = "debug") -> None:
    """Refuses: it draws a block of Paddle's own program format.

    Args:
        block: a block.
        output_dir: folder.
        filename: file.

    Raises:
        UnsupportedError: always.
    """
    refuse("graphviz(...)", "print a Program of proa.program instead")
