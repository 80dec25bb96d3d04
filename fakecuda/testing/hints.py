"""What a failed test may have to do with the way in which it uses fakecuda."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

BINDINGS = "cuda.bindings"
MISSING = re.compile(r"No module named '(cuda(\.bindings(\.\w+)?)?)'")


def of_machine(machine: Any, *, marked: bool) -> Iterator[str]:  # noqa: ANN401 - a machine, or None
    """Yield what to do where a test has a mark and no machine, or where no program that it started came to its machine.

    Args:
        machine: The test's.
        marked: Whether the mark ``fakecuda`` is on it.
    """
    if machine is None:
        if marked:
            yield (
                "the mark fakecuda describes a machine, and the test has none: add the argument fakecuda, or "
                "@pytest.mark.usefixtures('fakecuda')"
            )
        return
    offer = getattr(machine, "offer", None)
    if offer is not None and not offer.forbidden and offer.children.has_ended_any() and offer.sharing is None:
        yield (
            "programs that the test has started have not called its machine: only those that run Python do; a compiled one "
            "finds a driver without devices (docs/behaviour.md)"
        )


def of_import(failure: BaseException) -> Iterator[str]:
    """Yield what to do where cuda-bindings is not installed.

    Args:
        failure: What has ended a test.
    """
    if isinstance(failure, ImportError):
        yield from of_text(f"{failure}")


def of_text(text: str) -> Iterator[str]:
    """Yield what to do where a text says that cuda-bindings is not installed."""
    if MISSING.search(text) and not _has_bindings():
        yield (
            "cuda-bindings is not installed: pip install 'fakecuda[cuda]'; or import it in the test, with "
            "--fakecuda-door=lookalike, which stands in for it"
        )


def _has_bindings() -> bool:
    try:
        return find_spec(BINDINGS) is not None
    except ImportError:
        return False
