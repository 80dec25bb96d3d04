"""A browser for the tests of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import Browser, browsing

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser with one window; the test is skipped where there is none."""
    with browsing(tmp_path_factory.mktemp("browser")) as one:
        yield one
