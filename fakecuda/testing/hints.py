"""Hints for a failed test that may use fakecuda wrongly."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

BINDINGS = "cuda.bindings"
MISSING = re.compile(r"No module named '(cuda(\.bindings(\.\w+)?)?)'")


def of_machine(machine: Any, *, marked: bool) -> Iterator[str]:
    """Yield a hint for a marked test without a machine.

    Also yield one for programs that made no call.

    Args:
        machine: The test's machine; None without a machine.
        marked: Whether the test has the mark ``fakecuda``.
    """
    if machine is None:
        if marked:
            yield (
                "the mark fakecuda describes a machine, but the test uses none: add the argument fakecuda, or "
                "@pytest.mark.usefixtures('fakecuda')"
            )
        return
    offer = getattr(machine, "offer", None)
    if offer is not None and not offer.forbidden and offer.children.has_ended_any() and offer.sharing is None:
        yield (
            "the programs that the test started made no call on its machine: Python programs reach it by themselves; "
            "compiled programs need machine.link() before (docs/processes.md)"
        )


def of_import(failure: BaseException) -> Iterator[str]:
    """Yield a hint if cuda-bindings is not installed.

    Args:
        failure: The exception that ended a test.
    """
    if isinstance(failure, ImportError):
        yield from of_text(f"{failure}")


def of_text(text: str) -> Iterator[str]:
    """Yield a hint if a text says that cuda-bindings is not installed."""
    if MISSING.search(text) and not _has_bindings():
        yield (
            "cuda-bindings is not installed: pip install 'fakecuda[cuda]'; or import it inside the test and use "
            "--fakecuda-door=lookalike, which replaces it"
        )


def _has_bindings() -> bool:
    try:
        return find_spec(BINDINGS) is not None
    except ImportError:
        return False
