"""What holds of a whole run of the tests is looked at after each test, and put right for the next."""

from __future__ import annotations

import ast
import ctypes
import os
from typing import TYPE_CHECKING

import pytest

from tests import session

if TYPE_CHECKING:
    from collections.abc import Callable


def spoil_a_byte() -> None:
    """Write into the object of one byte that the parser reads the number 5 from."""
    one = b"a5"[1:2]
    ctypes.memset(id(one) + bytes.__basicsize__ - 1, 0, 1)
    assert ast.unparse(ast.parse("5")) == "0"


def spoil_the_environment() -> None:
    """Change an environment variable for good."""
    os.environ["FAKECUDA_SPOILT"] = "1"


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (spoil_a_byte, r"writes into Python's own objects of one byte: \[53\]"),
        (spoil_the_environment, "FAKECUDA_SPOILT is '1', it was None"),
    ],
)
def test_what_a_test_spoils_fails_it(request: pytest.FixtureRequest, spoil: Callable[[], None], told: str) -> None:
    """The test that does it fails, and the next one finds all as it was."""
    after = session.pytest_runtest_teardown(request.node, request.node)
    next(after)
    spoil()
    with pytest.raises(pytest.fail.Exception, match=told):
        next(after)
    assert ast.unparse(ast.parse("5")) == "5"
    assert "FAKECUDA_SPOILT" not in os.environ
