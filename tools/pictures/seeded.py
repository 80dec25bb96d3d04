"""Pictures that are the same each time."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

from fakecuda.model.os.rng import TEST

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def as_seeded() -> Iterator[None]:
    """Have machines draw the same in a test and without one: in a test what a seed draws is otherwise the test's own."""
    with patch.dict(os.environ):
        os.environ.pop(TEST, None)
        yield
