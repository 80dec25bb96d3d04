"""The tests that make recorded calls, as JSON lines for ``check --real``."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.reach.shadow.ring import Tickets
from fakecuda.reach.shadow.run import TESTS
from fakecuda.testing.settings import RECORDED

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def _tickets(folder: Path) -> Tickets:
    return Tickets(folder / "ring")


@contextmanager
def noted(test: str) -> Iterator[None]:
    """Note which records are written during a test.

    Args:
        test: The test's node id.
    """
    folder = Path(os.environ[RECORDED])
    tickets = _tickets(folder)
    first = tickets.last + 1
    yield
    line = json.dumps({"process": os.getpid(), "test": test, "first": first, "last": tickets.last})
    with (folder / TESTS).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
