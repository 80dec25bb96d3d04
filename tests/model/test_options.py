"""What a machine is made with is checked before it is."""

from __future__ import annotations

from typing import Any

import pytest

from fakecuda import FakeCudaError, Machine
from fakecuda.model import options


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"strict": 1}, "strict=1: use True or False"),
        ({"seed": "x"}, "seed='x': use a whole number, or leave it out"),
        ({"memory_cap": True}, "memory_cap=True: use a whole number of bytes, as 1 << 30"),
        ({"memory_cap": -1}, "memory_cap=-1: use a whole number of bytes, as 1 << 30"),
    ],
)
def test_an_argument_of_another_kind_is_refused(arguments: dict[str, Any], said: str) -> None:
    """With what to write."""
    with pytest.raises(FakeCudaError) as caught:
        Machine(**arguments)
    assert str(caught.value) == said


def test_a_switch_may_be_left_out_where_that_means_something() -> None:
    """And the text says so."""
    options.switch("shared", None, may_be_left_out=True)
    with pytest.raises(FakeCudaError, match=r"^shared='yes': use True or False, or leave it out$"):
        options.switch("shared", "yes", may_be_left_out=True)
