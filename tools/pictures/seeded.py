"""Reproducible pictures."""

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
    """Make machines draw the same values inside a test and outside.

    In a test, seeds are mixed with the test id.
    """
    with patch.dict(os.environ):
        os.environ.pop(TEST, None)
        yield
