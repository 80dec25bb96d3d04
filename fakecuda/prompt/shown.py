"""How the prompt prints values, exceptions and unknown names."""

from __future__ import annotations

import functools
import pprint
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from fakecuda.explain.reports.text import GAP
from fakecuda.near import near
from fakecuda.prompt.objects import OWN_FRAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STYLES = {"good": "green", "bad": "red", "call": "bold", "rule": "cyan", "value": "magenta"}
"""Styles for kinds of words, for rich."""
HIGHLIGHTS = (
    r"(?P<good>\bSUCCESS\b|\b\w+_SUCCESS\b|\b(cuda|hip)Success\b)",
    r"(?P<bad>\b(CUDA_ERROR|NVML_ERROR)_\w+|\b(cuda|hip)Error\w+)",
    r"(?P<call>\b(cu|cuda|hip|nvml)[A-Z]\w+)",
    r"(?P<rule>\b[a-z_.]+\.[A-Z][A-Z_]{3,}\b)",
    r"(?P<value>\b0x[0-9a-f]+)",
)
"""Patterns of the kinds of words."""
OPAQUE = "object, ptr:"
"""The ``repr`` part of a structure without fields, as in hip-python."""


class Fields:
    """A structure whose ``repr`` shows its fields."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "\n".join([type(self.value).__name__, *_fields(self.value, GAP)])


def by_fields(value: Any) -> Any:
    """Return a value as the prompt prints it.

    A structure of hip-python is printed with its fields.
    """
    return Fields(value) if _is_opaque(value) else value


def _is_opaque(value: Any) -> bool:
    return hasattr(value, "PROPERTIES") and OPAQUE in repr(value)


def _fields(value: Any, indent: str) -> Iterator[str]:
    """Yield a line for each field. The fields of an inner structure are indented."""
    for name in value.PROPERTIES():
        held = getattr(value, name)
        if _is_opaque(held):
            yield f"{indent}{name}:"
            yield from _fields(held, indent + GAP)
        else:
            yield f"{indent}{name}: {pprint.pformat(held, width=200)}"


def without_own_frames(error: BaseException) -> str:
    """Return the text of a fakecuda exception.

    Lines about the prompt's own frames are left out.
    """
    lines = f"{type(error).__name__}: {error}".splitlines()
    return "\n".join(line for line in lines if not OWN_FRAME.search(line))


def say(text: str) -> None:
    """Print a text of the prompt.

    It has colours if rich is installed and stdout is a terminal.
    """
    if sys.stdout.isatty() and (console := _console()) is not None:
        console.print(text)
    else:
        sys.stdout.write(text + "\n")


@functools.cache
def _console() -> Any:
    """Return a console that prints in colours; None if rich is not installed."""
    try:
        from rich.console import Console  # noqa: PLC0415 - needs an extra
        from rich.highlighter import RegexHighlighter  # noqa: PLC0415 - needs an extra
        from rich.theme import Theme  # noqa: PLC0415 - needs an extra
    except ImportError:
        return None

    class Highlighter(RegexHighlighter):
        base_style = "fakecuda."
        highlights: ClassVar = list(HIGHLIGHTS)

    theme = Theme({f"fakecuda.{name}": style for name, style in STYLES.items()})
    return Console(highlighter=Highlighter(), theme=theme, markup=False, emoji=False, soft_wrap=True)


def meant(error: BaseException | None, names: Mapping[str, Any]) -> list[str]:
    """Return known names similar to the unknown name of an error.

    Args:
        error: A NameError or an AttributeError.
        names: The names of the prompt.
    """
    name = getattr(error, "name", None)
    if not isinstance(name, str):
        return []
    if isinstance(error, AttributeError):
        return near(name, (known for known in dir(error.obj) if not known.startswith("_")))
    return near(name, names) if isinstance(error, NameError) else []
